"""Run a recorded graph forward again on other entries: symbols, 50-digit numbers, floats.

Nodes run in the order in which they were made, each once, without recursion. The graph is not
changed.

    e = a * b + c * log(d)   run on symbols gives the expression a*b + c*log(d)

Read next: faces/symbolic/backward_interpretation.py
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.live_graph import (
    CannotRerun,
    Context,
    CopySlices,
    Entries,
    Key,
    Node,
    Op,
    Subgraph,
    Tensor,
    decided,
    decision_of,
    in_float64,
    inputs_of,
    node_outputs,
    options_of,
    picking_masks,
    rebind,
    recorded_arguments,
    wrap,
)
from graphlab.faces.symbolic.mp_arithmetic import ExactConstants
from graphlab.primitives.sympy_reading import SHIFTED, exact_primitives
from graphlab.primitives.sympy_reading.elementary import Choice
from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, bare, each
from graphlab.primitives.table import numpy_primitives


def numbers_only(name: str, why: str = "") -> str:
    """Return the note about a Function that has no formulas."""
    note = f"{name} is a Function that could not be read as formulas"
    return f"{note}: {why}" if why else note


@dataclass(slots=True)
class Interpretation(Entries):
    """One way to run a graph: the meaning of each primitive, and how constants become entries.

    shifted: makes the primitives for the operations in SHIFTED. overrides: forwards that replace an
    operation's own. check_value: called with every value; may raise Unsupported. change: applied to
    every value. run_custom: runs a Function that has no formulas. compare: runs a comparison that
    made a mask. apply: runs an operation instead of its forward. as_number: converts a mask to 1
    and 0. hold: converts an entry to a constant. returned: the types of floats that run_custom
    returned. arithmetic: of exact entries; it is told which operation runs. skipped: the
    rounds that a loop in a Function leaves out.
    """

    primitives: Mapping[str, Any]
    constant: Callable[[Any], Any]
    shifted: Callable[[], Mapping[str, Any]] | None = None
    overrides: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    check_value: Callable[[Any], None] | None = None
    change: Callable[[Any], Any] | None = None
    run_custom: Callable[[Any, list[Any]], Any] | None = None
    compare: Callable[[Any, list[Any]], Any] = lambda function, inputs: function(*inputs)
    apply: Callable[..., Any] | None = None
    as_number: Callable[[Any], Any] = lambda mask: mask
    hold: Callable[[Any], Any] = lambda entry: entry
    exact: bool = True
    arithmetic: Any = None
    returned: set[np.dtype] = field(default_factory=set)
    skipped: int = 0
    _bound: dict[Any, Any] = field(default_factory=dict)
    _held: dict[Any, Any] = field(default_factory=dict)  # node: its first result
    _constants: dict[int, tuple[Any, Any]] = field(default_factory=dict)  # by id, with the object

    def bind(self, op: type[Op], formula: Callable[..., Any]) -> Callable[..., Any]:
        """Return the forward or a rule of `op`, bound to these primitives."""
        if self.arithmetic is not None:
            self.arithmetic.op = op
        if formula is op.forward and op.name in self.overrides:
            return self.overrides[op.name]
        found = self._bound.get(formula)
        if found is None:
            shifted = self.shifted if op.name in SHIFTED else None
            found = rebind(formula, shifted() if shifted else self.primitives)
            self._bound[formula] = found
        return found

    def constant_input(self, value: Any) -> Any:
        """Return a constant of a node, converted once."""
        if self.change is not None:
            return self.constant(value)  # changed differently every time
        found = self._constants.get(id(value))
        if found is None:
            found = self._constants[id(value)] = value, self.constant(value)
        return found[1]

    def with_padding(self, node: Node, rows: Any, options: Mapping[str, Any]) -> Any:
        """Return the rows of an embedding; padding rows are constants, as in the first run."""
        padding = options["indices"] == options["padding_idx"]
        if not np.any(padding):
            return rows
        if node not in self._held:
            exact = np.asarray(rows, object if self.exact else None)
            self._held[node] = np.array(exact, copy=True)
            for place in np.argwhere(padding):
                held = self._held[node][tuple(place)]
                held[...] = [self.hold(entry) for entry in held]
        return np.where(padding[..., None], self._held[node], rows)

    def option(self, value: Any) -> Any:
        """Return an option of an operation; floats become exact, everything else stays."""
        is_float = isinstance(value, float | np.floating)
        return self.constant(value) if self.exact and is_float else value

    def result(self, made: Any) -> Any:
        """Return a 0-d array as its entry."""
        return bare(made)


def exact_interpretation(arithmetic: Arithmetic, constants: ExactConstants) -> Interpretation:
    """Return the interpretation with exact entries: SymPy expressions or multiprecision numbers."""
    number = np.frompyfunc(arithmetic.number, 1, 1)

    def constant(value: Any) -> Any:
        data = constants.data(value)
        if data is None or isinstance(data, bool) or np.asarray(data).dtype == np.bool_:
            return data
        return number(data)

    primitives = exact_primitives(arithmetic)
    return Interpretation(
        primitives,
        constant,
        cache(lambda: exact_primitives(arithmetic, shifted=True)),
        # without the special cases for floats
        {"pow": lambda x, exponent: primitives["power"](x, exponent)},
        compare=exact_comparison(arithmetic, primitives),
        as_number=as_exact_number(arithmetic),
        hold=getattr(arithmetic, "hold", lambda entry: entry),
        arithmetic=arithmetic,
    )


def float_interpretation(
    change: Callable[[Any], Any] | None = None, inside: bool = False
) -> Interpretation:
    """Return the interpretation in float64, which also runs what has no exact interpretation.

    inside: whether the results of the primitives within a forward and a rule are changed, too.
    """
    primitives = numpy_primitives()
    primitives["astype"] = lambda x, dtype: x
    if inside and change is not None:
        primitives = {name: changing(change, f) for name, f in primitives.items()}

    def constant(value: Any) -> Any:
        data = value._data if isinstance(value, Tensor) else value
        if getattr(data, "dtype", np.dtype(bool)).kind == "f":
            data = data.astype(np.float64)
        floating = data is not None and np.asarray(data).dtype.kind == "f"
        return change(data) if change is not None and floating else data

    return Interpretation(
        primitives, constant, change=change, run_custom=run_custom_forward, exact=False
    )


def changing(change: Callable[[Any], Any], primitive: Any) -> Any:
    """Return a primitive whose results are changed."""

    def call(*inputs: Any, **options: Any) -> Any:
        found = primitive(*inputs, **options)
        return tuple(map(change, found)) if isinstance(found, tuple) else change(found)

    return call if callable(primitive) else primitive


SELECTING = {"neg", "relu", "abs", "sign", "maximum", "minimum", "where", "clone"}
SELECTING |= {"max", "min", "max_dim", "min_dim", "amax", "amin"}
MOVING_MODULES = (".shapes", ".indexing", ".arrange", ".ranking")


def rounds(op: type[Op]) -> bool:
    """Return whether the operation rounds; one that only selects or moves entries is exact."""
    return not (op.__module__.endswith(MOVING_MODULES) or op.name in SELECTING)


def arguments(node: Any, tensors: Sequence[Any]) -> list[Any]:
    """Return all arguments of a Function's forward, with `tensors` for those that are tensors.

    Raises: Unsupported if the node did not keep the others.
    """
    try:
        return recorded_arguments(node, tensors)
    except CannotRerun as reason:
        raise Unsupported(str(reason)) from None


@in_float64()
def run_custom_forward(node: Any, inputs: list[Any]) -> tuple[Any, ...]:
    """Run the forward of a user-defined Function on float64 tensors, outside the graph."""
    cls = node.function
    ctx = cls._node_class()
    ctx._saved, ctx._extra, ctx._version = (), None, None
    ctx.__dict__["_needs_input_grad"] = (False,) * len(node.needs_input_grad)
    tensors = [wrap(np.array(x)[()], False, None) for x in inputs]
    result = cls.run(ctx, tuple(arguments(node, tensors)), {})
    results = result if isinstance(result, tuple) else (result,)
    return tuple(r._data if isinstance(r, Tensor) else r for r in results)


def as_float(data: Any) -> Any:
    """Return floats in float64; other data as it is."""
    return np.asarray(data, np.float64)[()] if np.asarray(data).dtype.kind == "f" else data


def forward(
    graph: Subgraph, given: Mapping[Key, Any], entries: Interpretation, budget: Budget
) -> dict[Key, Any]:
    """Return the value of every result, by key; at (node, "all"), the tuple of a node's outputs.

    given: the values of the leaves, and of the tensors at which the walk stopped.
    Raises: Unsupported.
    """
    values: dict[Key, Any] = dict(given)
    for leaf in graph.others:
        values.setdefault(leaf, entries.constant(leaf))
    for node in graph.order:
        inputs = inputs_of(node, values, entries)
        recorded = graph.functions.get(node)
        if recorded is None:
            outputs = outputs_of(node, inputs, entries)
        else:
            outputs = recorded.outputs(inputs, entries, budget)
        budget.take(cost(node, inputs, outputs))
        if entries.check_value is not None:
            for out in outputs:
                entries.check_value(out)
        if entries.change is not None and rounds(node.op):
            outputs = tuple(entries.change(out) for out in outputs)
        values[node, "all"] = outputs
        values.setdefault(node, outputs[0])
        if node.many:
            for index, out in enumerate(outputs):
                values.setdefault((node, index), out)
    return values


def size(data: Any) -> int:
    """Return the number of entries; np.size would convert a bare entry to an array first."""
    return data.size if type(data) is np.ndarray else 1


CUBIC = {"solving": 4, "factoring": 32}  # times n³, the work of an operation with 50 digits


def cost(node: Node, inputs: list[Any], outputs: tuple[Any, ...]) -> int:
    """Return how many entries the node calculates; for a matrix product, how many products."""
    made = size(outputs[0]) if len(outputs) == 1 else sum(map(size, outputs))
    if node.op.name == "convolution":
        return max(made, size(inputs[0])) * int(np.prod(np.shape(inputs[1])[1:]))
    cubic = CUBIC.get(node.op.__module__.rpartition(".")[2])
    if cubic is not None and inputs:
        return made + cubic * size(inputs[0]) * max(np.shape(inputs[0])[-2:], default=1)
    if not node.op.symbol.startswith("@"):
        return max(made, size(inputs[0]) if inputs else 0)
    right = np.shape(inputs[-1])
    return made + size(inputs[-2]) * (right[-1] if len(right) > 1 else 1)


def outputs_of(node: Node, inputs: list[Any], entries: Interpretation) -> tuple[Any, ...]:
    """Return the outputs of the node's forward for these inputs. Raises: Unsupported."""
    if isinstance(node, Context):
        if entries.run_custom is None:
            raise Unsupported(numbers_only(node.function.__name__))
        outputs = entries.run_custom(node, inputs)
        kinds = (np.asarray(out).dtype for out in outputs)
        entries.returned.update(kind for kind in kinds if kind.kind == "f")
        return tuple(map(as_float, outputs))
    if isinstance(node, CopySlices) and inputs[0] is None:
        raise Unsupported("the graph does not store the old values of a large constant")
    outputs = node_outputs(node, inputs, entries)
    if node.op.name == "embedding" and entries.primitives:
        return (entries.with_padding(node, outputs[0], options_of(node)),)
    return outputs


# -- masks: x > 0 in where(x > 0, x², 0) ---------------------------------------------------------

# A mask stores how it was made (autograd/decisions.py), so it can be calculated again: at every
# point for the values there, and on symbols as a switch, so that the formula covers both branches.


def exact_comparison(
    arithmetic: Arithmetic, primitives: Mapping[str, Any]
) -> Callable[[np.ufunc, list[Any]], Any]:
    """Return a function that compares exact entries. Raises: Unsupported for other functions."""
    decide: Any = getattr(arithmetic, "decide", arithmetic.above)
    check_size: Any = getattr(arithmetic, "check_size", None)
    number = arithmetic.number

    def above(x: Any, y: Any) -> Any:
        return decide(number(x), number(y))

    def both(x: Any, y: Any) -> Any:
        return weight(x) * weight(y)

    def either(x: Any, y: Any) -> Any:
        return weight(x) + weight(y) - both(x, y)

    def weight(x: Any) -> Any:
        return x.weight if isinstance(x, Choice) else number(int(bool(x)))

    weights: dict[str, Callable[..., Any]] = {
        "greater": above,
        "less": lambda x, y: above(y, x),
        "greater_equal": lambda x, y: 1 - above(y, x),
        "less_equal": lambda x, y: 1 - above(x, y),
        "equal": lambda x, y: primitives["eq"](x, y).weight,
        "not_equal": lambda x, y: 1 - primitives["eq"](x, y).weight,
        **dict.fromkeys(("logical_and", "bitwise_and"), both),
        **dict.fromkeys(("logical_or", "bitwise_or"), either),
        **dict.fromkeys(("logical_xor", "bitwise_xor"), lambda x, y: either(x, y) - both(x, y)),
        **dict.fromkeys(("logical_not", "invert"), lambda x: 1 - weight(x)),
    }

    def compare(function: np.ufunc, inputs: list[Any]) -> Any:
        name = function.__name__
        if name not in weights:
            raise Unsupported(f"a mask from {name} has no formula here")
        made = each(lambda *x: Choice(weights[name](*x)), len(inputs))(*inputs)
        if check_size is not None:
            each(lambda one: check_size(one.weight))(made)
        return made

    return compare


def as_exact_number(arithmetic: Arithmetic) -> Callable[[Any], Any]:
    """Return a function that converts a mask to 1 where it is True and 0 elsewhere."""

    def entry(x: Any) -> Any:
        if isinstance(x, Choice):
            return x.weight
        return arithmetic.number(int(x)) if isinstance(x, bool | np.bool_) else x

    numbers = each(entry)

    def call(data: Any) -> Any:
        some = data.flat[0] if isinstance(data, np.ndarray) and data.size else data
        return numbers(data) if isinstance(some, bool | np.bool_ | Choice) else data

    return call


def check_masks(graph: Subgraph, run: Callable[..., Any], entries: Any, budget: Budget) -> None:
    """Delete how a mask was made if that gives another mask: then it was changed in place.

    run: the forward of the graph.
    """
    found = (c for node in graph.order for c in (*(node._constants or ()), *picking_masks(node)))
    masks = [mask for mask in found if decision_of(mask) is not None]
    if not masks:
        return
    given = {leaf: entries.constant(leaf) for leaf in graph.leaves}
    values: Any = {}
    with suppress(Exception), np.errstate(all="ignore"):  # a Function may raise anything
        values = run(graph, given, entries, budget)
    for mask in masks:
        made = decided(mask, values, entries)
        if made is None or not np.array_equal(made, mask._data):
            assert mask._more is not None, "it has the decision"
            mask._more.decision = None
