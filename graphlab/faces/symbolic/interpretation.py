"""A live graph, run forward once more on other entries: symbols, many digits, float64.

The graph knows everything that this takes: which operation each node was, where its inputs came
from, the constants and the options. Nodes are visited in the order in which they were made, each
once, without recursion; nothing in the graph is changed.

    e = a * b + c * log(d)   replayed on symbols is the expression a*b + c*log(d)

Read next: faces/symbolic/backward_interpretation.py
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphlab.autograd.backward import key_of
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node, Output, edge_of
from graphlab.autograd.order import as_made
from graphlab.autograd.views import CopySlices, inner_inputs
from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.exact_constants import ExactConstants
from graphlab.faces.symbolic.exact_primitives import SHIFTED, Arithmetic, bare, words
from graphlab.ops import all_words, vocabulary
from graphlab.ops.base import Op, read
from graphlab.tensor.tensor import Tensor, wrap

Key = Any  # a leaf Tensor, a Node, or (node, output number): where a value lives


@dataclass(slots=True)
class Subgraph:
    """The part of a graph that leads to `root`: its nodes, inputs before outputs, and its leaves.

    stop: tensors that count as given, as leaves do; what lies behind them is left out.
    """

    root: Key
    nodes: list[Node] = field(default_factory=list)
    leaves: list[Tensor] = field(default_factory=list)  # as one reads the formula
    depth: int = 0  # operations on the longest path
    custom: str = ""  # the name of a Function that the user wrote, which is not in `functions`
    functions: dict[Node, Any] = field(
        default_factory=dict
    )  # the others: symbolic/custom_functions.py
    reason: str = ""  # why that one is not

    def behind(self, edge: Any) -> set[Key]:
        """All that a gradient reaches which is sent along an edge."""
        reached: set[Key] = set()
        inside, stack = set(self.nodes), [edge]
        while stack:
            edge = stack.pop()
            if edge is None or key(edge) in reached:
                continue
            reached.add(key(edge))
            node = edge.node if type(edge) is Output else edge
            if node in inside:
                stack.extend(node._next)
        return reached

    def know(self, other: "Subgraph") -> None:
        """Take over what is known of the Functions in a larger part of the same graph."""
        self.custom, self.reason, self.functions = other.custom, other.reason, other.functions

    @property
    def decided(self) -> str:
        """The name of a Function whose way was decided by the values, if there is one."""
        return next((f.name for f in self.functions.values() if f.decided), "")


def numbers_only(name: str, why: str = "") -> str:
    """What to say of a Function that is not read as formulas."""
    said = f"{name} is a Function of your own, which runs on numbers only"
    return f"{said}: {why}" if why else said


def walk(root: Tensor, stop: Sequence[Tensor] = ()) -> Subgraph:
    """Everything that `root` was made from."""
    stops = {key_of(t) for t in stop}
    found = Subgraph(key_of(root))
    seen: set[Any] = set()
    stack = [edge_of(root)]
    while stack:
        edge = stack.pop()
        node = edge.node if type(edge) is Output else edge
        if edge is None or key(edge) in stops or node in seen:
            continue
        seen.add(node)
        if isinstance(node, Tensor):
            found.leaves.append(node)
        else:
            found.nodes.append(node)
            stack.extend(reversed(node._next))
    found.nodes = as_made(found.nodes)
    deep: dict[Any, int] = {}
    for node in found.nodes:
        below = 0
        for edge in node._next:
            if edge is not None and not isinstance(edge, Tensor):
                below = max(below, deep.get(edge.node if type(edge) is Output else edge, 0))
        deep[node] = below + 1
        if isinstance(node, Context):
            found.custom = type(node).__name__.removesuffix("Backward")
    found.depth = max(deep.values(), default=0)
    return found


def key(edge: Any) -> Key:
    """What an edge leads to, as `key_of` names it for tensors."""
    return (edge.node, edge.index) if type(edge) is Output else edge


@dataclass(slots=True)
class Interpretation:
    """One way to read a graph: the words, and how its constants become entries."""

    words: Mapping[str, Any]
    constant: Callable[[Any], Any]
    shifted: Mapping[str, Any] | None = None  # the words for operations in SHIFTED
    overrides: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    made: Callable[[Any], None] | None = None  # told of every value, may raise Unsupported
    change: Callable[[Any], Any] | None = None  # what becomes of every value
    custom: Callable[[Any, list[Any]], Any] | None = None
    exact: bool = True
    _bound: dict[Any, Any] = field(default_factory=dict)
    _constants: dict[int, tuple[Any, Any]] = field(default_factory=dict)  # by id, with what it is

    def bind(self, op: type[Op], function: Callable[..., Any]) -> Callable[..., Any]:
        """The forward or a rule of `op`, read against these words."""
        found = self._bound.get(function)
        if found is None:
            shifted = op.name in SHIFTED and self.shifted is not None
            chosen = self.shifted if shifted and self.shifted is not None else self.words
            found = self._bound[function] = read(function, chosen)
        return found

    def constant_input(self, value: Any) -> Any:
        """A constant that a node holds, read once."""
        if self.change is not None:
            return self.constant(value)  # rounded differently every time
        found = self._constants.get(id(value))
        if found is None:
            found = self._constants[id(value)] = value, self.constant(value)
        return found[1]

    def option(self, value: Any) -> Any:
        """An option as the rules want it: fractions exact, everything else as it is."""
        if self.exact and isinstance(value, float | np.floating):
            value = self.constant(value)
        return value


def exact_interpretation(arithmetic: Arithmetic, reading: ExactConstants) -> Interpretation:
    """Entries of exact arithmetic: SymPy expressions or numbers of many digits."""
    number = np.frompyfunc(arithmetic.number, 1, 1)

    def constant(value: Any) -> Any:
        data = reading.data(value)
        if data is None or (isinstance(data, np.ndarray) and data.dtype == np.bool_):
            return data
        return data if isinstance(data, bool) else number(data)

    spoken = words(arithmetic)
    powers = {"pow": lambda x, exponent: spoken["power"](x, exponent)}
    return Interpretation(spoken, constant, words(arithmetic, shifted=True), powers)


def float_interpretation(change: Callable[[Any], Any] | None = None) -> Interpretation:
    """Entries of float64, in NumPy: the fourth reading, for what has no exact one."""
    spoken = {
        name: getattr(vocabulary, name) for name in dir(vocabulary) if not name.startswith("_")
    }
    spoken.update(all_words())
    spoken["astype"] = lambda x, dtype: x

    def constant(value: Any) -> Any:
        raw = value._data if isinstance(value, Tensor) else value
        return raw.astype(np.float64) if getattr(raw, "dtype", np.dtype(bool)).kind == "f" else raw

    def changed(value: Any) -> Any:
        data = constant(value)
        floating = data is not None and np.asarray(data).dtype.kind == "f"
        return change(data) if change is not None and floating else data

    return Interpretation(spoken, changed, change=change, custom=run_custom, exact=False)


def tensor_interpretation() -> Interpretation:
    """Entries are the tensors themselves: nothing is read in another way."""
    return Interpretation({}, lambda value: value, exact=False)


CHOOSING = {"neg", "relu", "abs", "sign", "maximum", "minimum", "where", "clone"}
CHOOSING |= {"max", "min", "max_dim", "min_dim", "amax", "amin"}


def rounds(op: type[Op]) -> bool:
    """Whether the operation calculates, rather than choose and move entries, which is exact."""
    moving = op.__module__.endswith((".shape", ".indexing", ".arrange", ".order", ".picking"))
    return not (moving or op.name in CHOOSING)


def run_custom(node: Any, inputs: list[Any]) -> tuple[Any, ...]:
    """The forward of a Function that the user wrote, on float64 tensors outside the graph."""
    cls = node.function
    ctx = cls._node_class()
    ctx._saved, ctx._extra, ctx._version = (), None, None
    ctx.__dict__["_needs_input_grad"] = (False,) * len(node.needs_input_grad)
    tensors = [wrap(np.array(x)[()], False, None) for x in inputs]
    result = cls.run(ctx, tuple(arguments(node, tensors)), {})
    results = result if isinstance(result, tuple) else (result,)
    return tuple(r._data if isinstance(r, Tensor) else r for r in results)


def arguments(node: Any, tensors: Sequence[Any]) -> list[Any]:
    """What a Function of the user's was called with, these tensors in their places.

    Raises: Unsupported when the node did not keep the others.
    """
    count, others = len(node.needs_input_grad), node.__dict__.get("_others", {})
    if others is None or count != len(tensors) + len(others):
        raise Unsupported(
            f"{node.function.__name__} took arguments that are not tensors, and of these the graph "
            "keeps numbers, strings and tuples only"
        )
    left = iter(tensors)
    return [others[i] if i in others else next(left) for i in range(count)]


def forward(
    graph: Subgraph, given: Mapping[Key, Any], entries: Interpretation, budget: Budget
) -> dict[Key, Any]:
    """Run the graph on entries. given: the values of leaves and of what the walk stopped at.

    The result holds, for each node, the tuple of its outputs. Raises: Unsupported.
    """
    values: dict[Key, Any] = dict(given)
    for node in graph.nodes:
        inputs = inputs_of(node, values, entries)
        written = graph.functions.get(node)
        if written is None:
            outputs = outputs_of(node, inputs, entries)
        else:
            outputs = written.outputs(inputs, entries, budget)
        budget.take(cost(node, inputs, outputs))
        for out in outputs:
            if entries.made is not None:
                entries.made(out)
        if entries.change is not None and rounds(node.op):
            outputs = tuple(entries.change(out) for out in outputs)
        values[node, "all"] = outputs
        values.setdefault(node, outputs[0])
        if node.many:
            for index, out in enumerate(outputs):
                values.setdefault((node, index), out)
    return values


def size(data: Any) -> int:
    """How many entries there are: NumPy makes an array of what is none before it counts."""
    return data.size if type(data) is np.ndarray else 1


def cost(node: Node, inputs: list[Any], outputs: tuple[Any, ...]) -> int:
    """How many entries are calculated; for a matrix product, how many products."""
    made = size(outputs[0]) if len(outputs) == 1 else sum(map(size, outputs))
    if node.op.name == "convolution":
        return max(made, size(inputs[0])) * int(np.prod(np.shape(inputs[1])[1:]))
    if not node.op.symbol.startswith("@"):
        return max(made, size(inputs[0]) if inputs else 0)
    right = np.shape(inputs[-1])
    return made + size(inputs[-2]) * (right[-1] if len(right) > 1 else 1)


def inputs_of(node: Node, values: Mapping[Key, Any], entries: Interpretation) -> list[Any]:
    """What the node's forward was given: values of edges, and constants where there is no edge."""
    op, edges = node.op, list(node._next)
    constants = node._constants
    everything = op.variadic or isinstance(node, Context | CopySlices)
    names = op.inputs[:1] * len(edges) if everything else op.inputs
    inputs: list[Any] = []
    place = 0
    for i, name in enumerate(names):
        edge = None
        if everything or name in op.rules:
            edge, place = edges[place], place + 1
        if edge is not None:
            inputs.append(values[key(edge)])
        elif constants is None or is_unchosen(op, constants[i]):
            inputs.append(None if constants is None else constants[i])
        else:
            inputs.append(entries.constant_input(constants[i]))
    return inputs


def inputs_inside(node: CopySlices, inputs: list[Any], entries: Interpretation) -> list[Any]:
    """What the operation that wrote a part of a tensor was given. Raises: Unsupported."""
    if inputs[0] is None:
        raise Unsupported(
            "what a large tensor outside the graph held is not kept when it is changed"
        )
    part = entries.bind(node.op, node.op.rules["values"])(inputs[0], *node._options)
    return inner_inputs(node, bare(part), inputs[1:], entries.constant_input)


def is_unchosen(op: type[Op], constant: Any) -> bool:
    """Whether a constant is nan or infinite, and a choice: it counts only when it is chosen."""
    choice = op.name == "where" and isinstance(constant, float)
    return choice and not np.isfinite(constant)


def outputs_of(node: Node, inputs: list[Any], entries: Interpretation) -> tuple[Any, ...]:
    """What the node's forward makes of these inputs."""
    op = node.op
    if isinstance(node, Context):
        if entries.custom is None:
            raise Unsupported(numbers_only(node.function.__name__))
        return entries.custom(node, inputs)
    if isinstance(node, CopySlices):
        inside = inputs_inside(node, inputs, entries)
        (new,) = outputs_of(node.inner, inside, entries)
        options = dict(zip(op.options, node._options, strict=True))
        return (entries.bind(op, op.forward)(inputs[0], new, **options),)
    options = {
        name: entries.option(value) for name, value in zip(op.options, node._options, strict=False)
    }
    function = entries.overrides.get(op.name) or entries.bind(op, op.forward)
    result = function(tuple(inputs), **options) if op.variadic else function(*inputs, **options)
    return tuple(bare(r) for r in result) if isinstance(result, tuple) else (bare(result),)
