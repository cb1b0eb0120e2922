"""The one place where the checker reads the live core: autograd's nodes, its engine, its tensors.

A check reads the graph that autograd really recorded, not a copy of it, so that nothing is lost in
copying. Every other file of this folder imports what it needs of the core from here.

Read next: faces/symbolic/interpretation.py
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphlab.autograd import grad
from graphlab.autograd.backward import check_gradient, execute, key_of
from graphlab.autograd.context import check_gradients
from graphlab.autograd.decisions import decision_of
from graphlab.autograd.function import Context, Function
from graphlab.autograd.grad_mode import enable_grad
from graphlab.autograd.node import Node, Output, edge_of, extra
from graphlab.autograd.record import apply
from graphlab.autograd.record_any import named_outputs
from graphlab.autograd.saved import pin
from graphlab.autograd.tensor_reading import tensor_reading
from graphlab.autograd.topological_order import as_made, node_of
from graphlab.autograd.views import CopySlices, inner_inputs
from graphlab.ops.base import Op, rule_arguments
from graphlab.primitives import rebind
from graphlab.tensor.random.generator import get_rng_state, set_rng_state
from graphlab.tensor.tensor import Tensor, wrap

__all__ = [
    "Context", "CopySlices", "Function", "Node", "Op", "Output", "Tensor", "apply", "as_made",
    "check_gradient", "check_gradients", "decision_of", "edge_of", "enable_grad", "extra",
    "get_rng_state", "grad", "inner_inputs", "key_of", "named_outputs", "node_of", "pin", "rebind",
    "rule_arguments", "set_rng_state", "tensor_reading", "wrap",
]  # fmt: skip

Key = Any  # where a value lives: a leaf Tensor, a Node, or (node, output number)


def key(edge: Any) -> Key:
    """What an edge leads to, named as `key_of` names it for tensors."""
    return (edge.node, edge.index) if type(edge) is Output else edge


def place_of(key: Key) -> tuple[Any, int]:
    """The node that made a result, and which of its outputs the result is."""
    return key if isinstance(key, tuple) else (key, 0)


@dataclass(slots=True)
class Subgraph:
    """The part of a graph that leads to `root`: nodes with inputs before outputs, and leaves.

    custom: a Function of the user's own that is not among `functions`; reason: why not.
    deciding, others: nodes and leaves that only masks depend on, which values decided.
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
        """Everything that a gradient sent along `edge` reaches."""
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
        """Take over what is known of the Functions in a larger part of the same graph."""
        self.custom, self.reason, self.functions = other.custom, other.reason, other.functions

    @property
    def value_dependent(self) -> str:
        """The name of a Function that takes another path for other values; "" if none does."""
        return next((f.name for f in self.functions.values() if f.value_dependent), "")


def walk(root: Tensor, stop: Sequence[Tensor] = ()) -> Subgraph:
    """Everything that `root` was made from.

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
    """Find the nodes that only masks were made from."""
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
    """The masks in the key of an index, as in x[x > 0], that values decided."""
    return (node._extra or {}).get("masks", ())


def results_of(node: Node) -> list[Key]:
    """The results of a node, by the keys under which edges lead to them."""
    return [node, *((node, i) for i in range(len(node._extra["outputs"])))] if node.many else [node]


def is_freed(graph: Subgraph) -> bool:
    """Whether a backward pass has freed the saved tensors."""
    return any(node._saved is None for node in graph.nodes)


# -- backward passes that change nothing ----------------------------------------------------------


@contextmanager
def unchanged(nodes: Iterable[Node]) -> Iterator[None]:
    """Restore the `.grad` of all tensors whose gradient the nodes retain."""
    before = [
        (tensor, tensor._grad)
        for node in nodes
        if node._extra is not None
        for reference in node._extra.get("retained", {}).values()
        if (tensor := reference()) is not None
    ]
    try:
        yield
    finally:
        for tensor, gradient in before:
            tensor._grad = gradient


def captured(
    roots: list[tuple[Any, Any]], wanted: Iterable[Any], nodes: Iterable[Node]
) -> dict[Any, Any]:
    """The gradient that the engine has at each key in `wanted`; None where none arrives."""
    capture: dict[Any, Any] = dict.fromkeys(wanted)
    with unchanged(nodes):
        execute(roots, lambda leaf, gradient: None, True, False, capture)
    return capture


def engine_gradients(
    root: Tensor, entering: Tensor, nodes: Iterable[Node], targets: Sequence[Tensor]
) -> dict[Tensor, Any]:
    """The gradient that autograd gives for each target, from a real backward pass."""
    capture = captured([(edge_of(root), entering._data)], map(key_of, targets), nodes)
    found = {}
    for tensor in targets:
        place = key_of(tensor)
        gradient = capture[place]
        if isinstance(gradient, tuple) and not isinstance(place, tuple):
            gradient = gradient[0]
        found[tensor] = np.array(np.zeros_like(tensor._data) if gradient is None else gradient)
    return found
