"""Run the part of a graph that leads to a tensor again at other values, on copies.

The part is read as autograd recorded it. The nodes that a mask was made from belong to it, too:
they have no gradient, but at other values the mask may change.

Every operation runs as it did before, and is recorded as it was the first time, so the new graph
can be walked and proved like the old one. The old graph and its tensors are only read. What Python
decided when the graph was made, such as the branch of an `if` or the length of a loop, does not
change.

Read next: adapters/native/rehearsal.py
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphlab.autograd.decisions import decision_of, source_of
from graphlab.autograd.edges import key, key_of
from graphlab.autograd.function import Context
from graphlab.autograd.grad_mode import enable_grad
from graphlab.autograd.node import Node, edge_of, extra
from graphlab.autograd.node_formulas import options_of
from graphlab.autograd.record import apply
from graphlab.autograd.topological_order import as_made, node_of
from graphlab.autograd.views import CopySlices, inner_inputs
from graphlab.ops.base import Op
from graphlab.primitives import rebind, tensor_namespace
from graphlab.tensor.tensor import Tensor, wrap

Key = Any  # where a value lives: a leaf Tensor, a Node, or (node, output number)


def node_and_output(key: Key) -> tuple[Any, int]:
    """Return the node that made a result, and which of its outputs the result is."""
    return key if isinstance(key, tuple) else (key, 0)


@dataclass(slots=True)
class Subgraph:
    """The part of a graph that leads to `root`: nodes with inputs before outputs, and leaves.

    custom: a Function of the user's own that is not among `functions`; reason: why not.
    random: that Function draws random numbers, so running it again tells nothing about this graph.
    deciding, others: nodes and leaves that only masks depend on.
    """

    root: Key
    nodes: list[Node] = field(default_factory=list)
    leaves: list[Tensor] = field(default_factory=list)  # in the order of the formula
    depth: int = 0  # operations on the longest path
    custom: str = ""
    functions: dict[Node, Any] = field(default_factory=dict)  # node: RecordedFunction
    reason: str = ""
    random: bool = False
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
            node = node_of(edge)
            if node in inside:
                stack.extend(node._next)
        return reached

    def copy_functions(self, other: "Subgraph") -> None:
        """Copy what is known about Functions from a larger part of the same graph."""
        self.custom, self.functions = other.custom, other.functions
        self.reason, self.random = other.reason, other.random

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
        node = node_of(edge)
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
        below = (depth.get(node_of(edge), 0) for edge in node._next if edge is not None)
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
            node = None if edge is None or key(edge) in stops else node_of(edge)
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


class CannotRerun(Exception):
    """The reason why a graph cannot run again."""


class TensorEntries:
    """Let `inputs_of` return tensors; the checker has classes that return symbols or numbers.

    given: constants, each with the tensor that replaces it. made: the tensors of the new graph, if
    the result of a `detach()` follows the tensor that it came from.
    """

    apply = staticmethod(apply)

    def __init__(
        self, given: Mapping[Tensor, Any] | None = None, made: Mapping[Key, Any] | None = None
    ) -> None:
        self._given = {id(constant): tensor for constant, tensor in (given or {}).items()}
        self._made = made or {}

    def constant_input(self, value: Any) -> Any:
        """Return a constant, or the tensor that replaces it."""
        edge = source_of(value) if self._made and isinstance(value, Tensor) else None
        source = None if edge is None or value._version else self._made.get(key(edge))
        return self._given.get(id(value), value if source is None else source.detach())

    def as_number(self, mask: Any) -> Any:
        """Return a mask that is used as a number, unchanged."""
        return mask

    def compare(self, function: np.ufunc, inputs: list[Any]) -> Any:
        """Return a comparison of tensors, given NumPy's function of the same kind."""
        name = function.__name__
        return getattr(Tensor, METHODS.get(name, name))(*inputs)


METHODS = {  # of a tensor, where NumPy has another name
    "greater": "gt", "less": "lt", "greater_equal": "ge", "less_equal": "le", "equal": "eq",
    "not_equal": "ne", "invert": "bitwise_not",
}  # fmt: skip


def rerun(
    graph: Subgraph,
    values: Mapping[Tensor, Any],
    given: Sequence[Tensor] = (),
    follow_cuts: bool = False,
) -> dict[Key, Tensor]:
    """Return the tensors of the new graph, by the keys of the old ones.

    values: new values of leaves and constants, as arrays of their type and shape; others keep
        theirs.
    given: the tensors at which the walk stopped.
    follow_cuts: whether the result of `detach()` follows its tensor. Raises: CannotRerun.
    """
    made: dict[Key, Any] = {}
    own = any(isinstance(node, Context) for node in graph.order)  # it may change what it is given
    for tensor in (*graph.leaves, *given):
        data = values.get(tensor, tensor._data)
        made[key_of(tensor)] = wrap(np.array(data)[()] if own else data, True, None)
    constants = [one for one in values if key_of(one) not in made]
    changed = {one: wrap(values[one], False, None) for one in constants}
    entries = TensorEntries(changed, made if follow_cuts else None)
    with enable_grad():
        for leaf in graph.others:
            made.setdefault(leaf, leaf)
        for node in graph.order:
            inputs = inputs_of(node, made, entries)
            for mask in picking_masks(node):
                check_picked(mask, decided(mask, made, entries))
            result = run_node(node, inputs)
            outputs = result if isinstance(result, tuple) else (result,)
            for out in outputs:
                copy_source(out, node)
            made.setdefault(node, outputs[0])
            if node.many:
                for index, out in enumerate(outputs):
                    made.setdefault((node, index), out)
    return made


def check_picked(mask: Tensor, again: Any) -> None:
    """Raise CannotRerun when an index takes other entries at other values."""
    if again is not None and not np.array_equal(mask._data, again._data):
        raise CannotRerun(
            "an index takes the entries that a condition picks, as in x[x > 0], and there it picks "
            "others; run the program at these values, and check its result"
        )


def run_node(node: Node, inputs: list[Any]) -> Any:
    """Run the operation of a node on tensors, and record it."""
    if isinstance(node, Context):
        held = {id(constant) for constant in node._constants or ()}
        copies = [wrap(np.array(x._data)[()], False, None) if id(x) in held else x for x in inputs]
        return node.function.apply(*arguments(node, copies))
    if isinstance(node, CopySlices):
        return run_slices(node, inputs)
    return apply(node.op, *inputs, **options_of(node))


def run_slices(node: CopySlices, inputs: list[Any]) -> Tensor:
    """Run an in-place change of a part of a tensor: take it out, change it, put it back."""
    if inputs[0] is None:
        raise CannotRerun("the graph does not keep the old values of a large constant")
    primitives = tensor_namespace()
    part = rebind(node.op.rules["values"], primitives)(inputs[0], *node._options)
    inside = inner_inputs(node, part, inputs[1:], lambda constant: constant)
    new = run_node(node.inner, inside)
    return rebind(node.op.forward, primitives)(inputs[0], new, **options_of(node))


def copy_source(tensor: Any, node: Node) -> None:
    """Let the new node name the same line of code as the old one."""
    made_by = edge_of(tensor) if isinstance(tensor, Tensor) and tensor._needs else None
    new = getattr(made_by, "node", made_by)
    if isinstance(new, Node):
        new._code, new._at = node._code, node._at
        if masks := picking_masks(node):
            extra(new)["masks"] = masks


def inputs_of(node: Node, values: dict[Key, Any], entries: Any) -> list[Any]:
    """Return the inputs of the node's forward: the values of its edges, and constants.

    entries: how constants and masks become entries, such as `TensorEntries`.
    """
    op, edges = node.op, list(node._next)
    constants = node._constants
    all_edges = op.variadic or isinstance(node, Context | CopySlices)
    names = op.inputs[:1] * len(edges) if all_edges else op.inputs
    inputs: list[Any] = []
    place = 0
    for i, name in enumerate(names):
        edge = None
        if all_edges or name in op.rules:
            edge, place = edges[place], place + 1
        if edge is not None:
            inputs.append(values[key(edge)])
        elif constants is None or is_unused_choice(op, constants[i]):
            inputs.append(None if constants is None else constants[i])
        else:
            found = decided(constants[i], values, entries)
            found = entries.constant_input(constants[i]) if found is None else found
            inputs.append(entries.as_number(found) if all_edges or name in op.rules else found)
    return inputs


def is_unused_choice(op: type[Op], constant: Any) -> bool:
    """Return whether it is a constant of a `where` that is nan or infinite."""
    return op.name == "where" and isinstance(constant, float) and not np.isfinite(constant)


def arguments(node: Any, tensors: Sequence[Any]) -> list[Any]:
    """Return all arguments of a Function's forward, with `tensors` as those that are tensors.

    Raises: CannotRerun when the node did not keep the others.
    """
    count, others = len(node.needs_input_grad), node.__dict__.get("_others", {})
    if others is None or count != len(tensors) + len(others):
        why = (
            f"{node.function.__name__} took arguments that are not tensors, and of these the graph "
            "keeps numbers, strings and tuples only"
        )
        raise CannotRerun(getattr(node.function, "cannot_run_again", why))
    left = iter(tensors)
    return [others[i] if i in others else next(left) for i in range(count)]


def decided(mask: Any, values: dict[Key, Any], entries: Any) -> Any:
    """Return a mask at these values; None when it does not depend on them."""
    decision = decision_of(mask)
    if decision is None:
        return None
    if mask in values:
        return values[mask]
    values[mask] = None
    inputs = []
    for edge, constant in zip(decision.edges, decision.constants, strict=True):
        if edge is not None:
            inputs.append(values.get(key(edge)))
            if inputs[-1] is None:
                return None
        else:
            found = decided(constant, values, entries)
            inputs.append(entries.constant_input(constant) if found is None else found)
    if isinstance(decision.function, np.ufunc):
        made = entries.compare(decision.function, inputs)
    elif entries.apply is not None:
        made = entries.apply(decision.function, *inputs, **decision.options)
    else:
        options = {name: entries.option(value) for name, value in decision.options.items()}
        run = entries.bind(decision.function, decision.function.forward)
        names = () if decision.function.variadic else decision.function.inputs
        numbers = [name in decision.function.rules for name in names] or [True] * len(inputs)
        pairs = zip(numbers, inputs, strict=True)
        made = run(*[entries.as_number(x) if number else x for number, x in pairs], **options)
    values[mask] = made[()] if isinstance(made, np.ndarray) and made.ndim == 0 else made
    return values[mask]
