"""A Graph is plain data: tensors, the nodes that made them, and the edges for gradients.

An adapter copies a live graph into these records, and everything that draws or plays reads only the
records. (The checker reads the live graph itself, in faces/symbolic/live_graph.py.)

Read next: graph/events/event.py
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, NoReturn

from graphlab.graph.codec import record
from graphlab.graph.value import Value

# An id is a str that must name something in the graph; the codec checks it when a trace is read.
TensorId = Annotated[str, "tensor"]
NodeId = Annotated[str, "node"]
EdgeId = Annotated[str, "edge"]


@record
class Source:
    """The line of the user's code that made a node."""

    label: str  # "In [1]" or a file name
    line: int  # counted from 1
    text: str  # the line itself, stripped
    start: int = 0  # the expression is text[start:end]; if `end` is 0, the whole line
    end: int = 0


@record
class Saved:
    """One value that a node saved for its backward: PyTorch's `grad_fn._saved_<name>`."""

    name: str
    value: Value | None
    text: str = ""  # of a value that is not a tensor: "2", "(0,)"
    default: str = ""  # what this option is in a node that does not list it
    tensor: TensorId | None = None
    version_saved: int = 0
    version_now: int = 0
    nbytes: int = 0
    freed: bool = False

    @property
    def is_stale(self) -> bool:
        """Whether the tensor was changed in place since it was saved, so that the rule fails."""
        return self.value is not None and self.version_now != self.version_saved


@record
class TensorInfo:
    """A tensor of the graph; a constant is a tensor without gradient and without producer."""

    id: str  # "t0", "t1", ...
    name: str | None
    value: Value | None
    is_leaf: bool
    requires_grad: bool
    retains_grad: bool = False
    grad: Value | None = None  # `.grad` when the recording began
    version: int = 0
    producer: NodeId | None = None
    output_nr: int = 0
    base: TensorId | None = None  # the tensor whose memory this one is a view of
    guessed: bool = False  # no variable holds the leaf; the code that uses it calls it so

    @property
    def label(self) -> str:
        """The name of its variable; without one its value, or else its id."""
        if self.name:
            return self.name
        return self.value.text if self.value is not None else self.id


@record
class NodeInfo:
    """A grad_fn: the operation that ran in the forward pass, and its part in the backward pass."""

    id: str  # "n0", "n1", ...
    name: str  # "MulBackward0"
    op: str  # "mul"; an AccumulateGrad's is "accumulate"
    symbol: str  # in the circle: "×"
    # counted from the first node of this graph; of the ready nodes, the highest runs first
    sequence: int
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]
    saved: tuple[Saved, ...] = ()
    source: Source | None = None
    variable: TensorId | None = None  # an AccumulateGrad's leaf
    formula: str = ""
    scope: str = ""  # where it was made: "net.layer1"; "": in no scope
    layer: int = 0  # 1: made by a backward pass with create_graph=True; 2: by a pass through that
    made_by: NodeId | None = None  # the node whose rule made this one
    proof: str = ""  # how far its rule is proved: "✓ rule proved"; "": unknown
    # of an activation with dead units: how many units it has, how many of them are 0 for the whole
    # batch, and how many get a gradient but send none for any example
    units: int = 0
    silent: int = 0
    blocked: int = 0


@record
class EdgeInfo:
    """One entry of `next_functions`: `source` sends a gradient to `target`."""

    id: str  # "n2.0": the source and its index
    source: NodeId
    target: NodeId
    index: int
    output_nr: int  # which output of `target` the gradient belongs to
    tensor: TensorId  # the tensor whose gradient flows here


@dataclass(frozen=True, slots=True)
class ScopeInfo:
    """A scope that contains nodes, such as a module."""

    path: str  # "net.layer1"
    kind: str = ""  # the class of the module, "Linear"; "" for a named scope
    guessed: bool = False  # inferred from the parameters that its nodes use


@record
class Unreached:
    """A parameter of the user's module that gets no gradient, or that no optimizer steps."""

    name: str  # "net.0.weight"
    why: str
    source: Source | None = None  # where it was cut off

    def __str__(self) -> str:
        line = f", line {self.source.line}: {self.source.text}" if self.source else ""
        return f"{self.name}: {self.why}{line}"


@dataclass(frozen=True, slots=True)
class Graph:
    """Everything reachable from `root`. The nodes stand in the order in which they run backward."""

    root: TensorId
    tensors: tuple[TensorInfo, ...]
    nodes: tuple[NodeInfo, ...]
    edges: tuple[EdgeInfo, ...]
    scopes: tuple[ScopeInfo, ...] = ()  # in the order in which they were entered
    unreached: tuple[Unreached, ...] = ()
    unstepped: tuple[Unreached, ...] = ()  # parameters that get gradients, but are not stepped
    _tensors: dict[str, TensorInfo] = field(init=False, repr=False, compare=False)
    _nodes: dict[str, NodeInfo] = field(init=False, repr=False, compare=False)
    _edges: dict[str, EdgeInfo] = field(init=False, repr=False, compare=False)
    _leaving: dict[str, list[EdgeInfo]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # object.__setattr__: the record is frozen for everyone else
        for what in ("tensors", "nodes", "edges"):
            object.__setattr__(self, f"_{what}", {one.id: one for one in getattr(self, what)})
        leaving: dict[str, list[EdgeInfo]] = {}
        for edge in sorted(self.edges, key=lambda edge: edge.index):
            leaving.setdefault(edge.source, []).append(edge)
        object.__setattr__(self, "_leaving", leaving)

    def tensor(self, id: str) -> TensorInfo:
        """The tensor with the id `id` ("t0"). Raises: KeyError if there is none."""
        found = self._tensors.get(id)
        return found if found is not None else self._missing("tensor", id, self._tensors)

    def node(self, id: str) -> NodeInfo:
        """The node with the id `id` ("n0"). Raises: KeyError if there is none."""
        found = self._nodes.get(id)
        return found if found is not None else self._missing("node", id, self._nodes)

    def edge(self, id: str) -> EdgeInfo:
        """The edge with the id `id` ("n2.0"). Raises: KeyError if there is none."""
        found = self._edges.get(id)
        return found if found is not None else self._missing("edge", id, self._edges)

    def edges_from(self, id: str) -> tuple[EdgeInfo, ...]:
        """The edges that leave a node, in the order of its `next_functions`."""
        return tuple(self._leaving.get(id, ()))

    def edges_of_inputs(self, node: NodeInfo) -> tuple[EdgeInfo | None, ...]:
        """For each input of `node` the edge that its gradient takes, or None.

        Only inputs that can have a gradient have an edge: edge 0 of `where(condition, x, y)` is
        that of its second input.
        """
        waiting = list(self._leaving.get(node.id, ()))
        found: list[EdgeInfo | None] = []
        for tensor in node.inputs:
            edge = next((edge for edge in waiting if edge.tensor == tensor), None)
            if edge is not None:
                waiting.remove(edge)
            found.append(edge)
        return tuple(found)

    def part(self, root: TensorId, nodes: Iterable[NodeId]) -> "Graph":
        """The subgraph of some nodes, with their tensors and the edges between them.

        Without nodes, as in a pass that leads to none of its inputs: the node that made `root`.
        """
        wanted = set(nodes) or {self.tensor(root).producer}
        kept = [node for node in self.nodes if node.id in wanted]
        used = self.with_bases({root, *(id for one in kept for id in (*one.inputs, *one.outputs))})
        edges = [one for one in self.edges if one.source in wanted and one.target in wanted]
        tensors = [tensor for tensor in self.tensors if tensor.id in used]
        paths = {node.scope for node in kept}
        scopes = [
            one
            for one in self.scopes
            if any(f"{path}.".startswith(f"{one.path}.") for path in paths)
        ]
        return Graph(root, tuple(tensors), tuple(kept), tuple(edges), tuple(scopes))

    def with_bases(self, ids: set[TensorId]) -> set[TensorId]:
        """These tensors, and the tensors that they are views of."""
        bases = {self.tensor(id).base for id in ids}
        return ids | {base for base in bases if base is not None}

    def has(self, what: str, id: str) -> bool:
        """Whether there is a tensor, a node or an edge (`what`) with this id."""
        return id in {"tensor": self._tensors, "node": self._nodes, "edge": self._edges}[what]

    def _missing(self, what: str, id: str, known: Iterable[str]) -> NoReturn:
        listed = [*known]
        some = listed[:8] + ["…"] * (len(listed) > 8)
        raise KeyError(f"no {what} has the id {id!r} (must be one of {some})")
