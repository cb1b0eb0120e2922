"""The part of a graph that leads to one tensor, in the order in which it runs forward.

The graph is read as autograd recorded it. The nodes that a mask was made from belong to it, too:
they have no gradient, but at other values the mask may change.

Read next: autograd/rerun.py
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphlab.autograd.backward import key_of
from graphlab.autograd.decisions import decision_of
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node, Output, edge_of
from graphlab.autograd.topological_order import as_made
from graphlab.tensor.tensor import Tensor

Key = Any  # where a value lives: a leaf Tensor, a Node, or (node, output number)


def key(edge: Any) -> Key:
    """Return the key of what an edge leads to, as `key_of` does for tensors."""
    return (edge.node, edge.index) if type(edge) is Output else edge


def place_of(key: Key) -> tuple[Any, int]:
    """Return the node that made a result, and which of its outputs the result is."""
    return key if isinstance(key, tuple) else (key, 0)


@dataclass(slots=True)
class Subgraph:
    """The part of a graph that leads to `root`: nodes with inputs before outputs, and leaves.

    custom: a Function of the user's own that is not among `functions`; reason: why not.
    deciding, others: nodes and leaves that only masks depend on.
    """

    root: Key
    nodes: list[Node] = field(default_factory=list)
    leaves: list[Tensor] = field(default_factory=list)  # in the order of the formula
    depth: int = 0  # operations on the longest path
    custom: str = ""
    functions: dict[Node, Any] = field(default_factory=dict)  # node: RecordedFunction
    reason: str = ""
    deciding: list[Node] = field(default_factory=list)
    others: list[Tensor] = field(default_factory=list)

    @property
    def order(self) -> list[Node]:
        """All nodes in the order in which they run forward."""
        return as_made([*self.nodes, *self.deciding]) if self.deciding else self.nodes

    def behind(self, edge: Any) -> set[Key]:
        """Return everything that a gradient sent along `edge` reaches."""
        reached: set[Key] = set()
        inside, stack = set(self.nodes), [edge]
        while stack:
            edge = stack.pop()
            if edge is None or key(edge) in reached:
                continue
            reached.add(key(edge))
            node, _ = place_of(key(edge))
            if node in inside:
                stack.extend(node._next)
        return reached

    def copy_functions(self, other: "Subgraph") -> None:
        """Copy what is known about Functions from a larger part of the same graph."""
        self.custom, self.reason, self.functions = other.custom, other.reason, other.functions

    @property
    def value_dependent(self) -> str:
        """The name of a Function that branches on its values; "" if there is none."""
        return next((f.name for f in self.functions.values() if f.value_dependent), "")


def walk(root: Tensor, stop: Sequence[Tensor] = ()) -> Subgraph:
    """Return the part of the graph that leads to `root`.

    stop: tensors that count as given, as leaves do; the graph behind them is left out.
    """
    stops = {key_of(t) for t in stop}
    found = Subgraph(key_of(root))
    seen: set[Any] = set()
    stack = [edge_of(root)]
    while stack:
        edge = stack.pop()
        if edge is None or key(edge) in stops:
            continue
        node, _ = place_of(key(edge))
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Tensor):
            found.leaves.append(node)
        else:
            found.nodes.append(node)
            stack.extend(reversed(node._next))
    found.nodes = as_made(found.nodes)
    depth: dict[Any, int] = {}
    for node in found.nodes:
        below = (depth.get(place_of(key(edge))[0], 0) for edge in node._next if edge is not None)
        depth[node] = 1 + max(below, default=0)
        if isinstance(node, Context):
            found.custom = type(node).__name__.removesuffix("Backward")
    found.depth = max(depth.values(), default=0)
    find_deciding(found, stops)
    return found


def find_deciding(graph: Subgraph, stops: Container[Key] = ()) -> None:
    """Add the nodes and leaves that only masks were made from."""
    seen: set[Any] = {*graph.nodes, *graph.leaves}
    constants: list[Any] = [c for node in graph.nodes for c in node._constants or ()]
    constants += [mask for node in graph.nodes for mask in picking_masks(node)]
    while constants:
        constant = constants.pop()
        decision = decision_of(constant)
        if decision is None or constant in seen:
            continue
        seen.add(constant)
        constants.extend(decision.constants)
        edges = list(decision.edges)
        while edges:
            edge = edges.pop()
            node = None if edge is None or key(edge) in stops else place_of(key(edge))[0]
            if node is None or node in seen:
                continue
            seen.add(node)
            if isinstance(node, Tensor):
                graph.others.append(node)
            else:
                graph.deciding.append(node)
                edges.extend(node._next)
                constants.extend(node._constants or ())


def picking_masks(node: Node) -> tuple[Tensor, ...]:
    """Return the masks in the key of an index, as in x[x > 0]."""
    return (node._extra or {}).get("masks", ())
