"""Replaying runs the graph of a trace again with other values, forward and backward.

The player does the same in TypeScript (js/src/replay/); tests/fixtures/replay.json holds the
results that both must give. Replaying needs only the formulas in the trace, no tensors. It computes
in double precision and, if a tensor is float32, rounds each step to float32.

Read next: faces/render/scene_builder.py
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphlab.common.notebook import printable, shortened
from graphlab.graph.formulas import Followed, Numbers, Program, Replay
from graphlab.graph.model import EdgeInfo, Graph, NodeInfo
from graphlab.primitives.table import numpy_functions
from graphlab.primitives.tape_reading import OPERATORS, Ref, python_operator

SINGLE = np.dtype(np.float32)
LONGEST = 1000  # characters of an error
MOST = 10_000_000  # entries that one step may make
ELEMENTWISE = {"where", "maximum", "minimum", "fmax", "fmin", "power", "atan2", "hypot"}
BROADCASTING = {*OPERATORS, *ELEMENTWISE} - {"matmul", "getitem"}
NO_FORMULAS = "This trace holds no formulas; trace(e) of GraphLab's tensors makes one that does."
NO_FORMULA = "This trace holds no formula for this operation."
_functions: dict[str, Callable[..., Any]] = {}


class ReplayError(ValueError):
    """A graph cannot be computed with these values. node: the id of the node that failed."""

    def __init__(self, message: str, node: str = "") -> None:
        super().__init__(shortened(printable(message), LONGEST))
        self.node = node


@dataclass(slots=True)
class Replayed:
    """All numbers of a graph for some values of its leaves, in double precision.

    tensors: by id. results: node -> its outputs, and what else its rules read. came: node -> the
    gradient of each output, or None. made: edge -> the result of its rule. sent: edge -> the same,
    summed to the shape of its tensor. gathered: edge -> the sum at its tensor after it arrived.
    leaves: leaf -> its `.grad` afterwards. outside: nodes with an entry at which the operation has
    no value or no derivative.
    """

    graph: Graph
    replay: Replay
    tensors: dict[str, Any] = field(default_factory=dict)
    results: dict[str, list[Any]] = field(default_factory=dict)
    came: dict[str, list[Any]] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)
    sent: dict[str, Any] = field(default_factory=dict)
    gathered: dict[str, Any] = field(default_factory=dict)
    leaves: dict[str, Any] = field(default_factory=dict)
    outside: set[str] = field(default_factory=set)
    exact: bool = False  # True: nothing is rounded to float32

    def slope(self, edge: str) -> Any:
        """The result of an edge's rule for gradients of 1; for single numbers, the derivative."""
        one = self.graph.edge(edge)
        node = self.graph.node(one.source)
        came = [None if g is None else np.ones_like(g) for g in self.came[node.id]]
        return rules_of(self, node, came)[one.index]


def replay(graph: Graph, replay: Replay, edits: Mapping[str, Any] | None = None) -> Replayed:
    """Run a graph again. edits: a dict from a leaf or constant, by id or name, to its new entries.

    Raises: ReplayError if the graph cannot be computed, and for an edit that does not fit.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> walk = graphlab.trace(x * x)
    >>> float(replay_of(walk, {"x": 5.0}).leaves["t0"])
    10.0
    """
    if replay.problem:
        raise ReplayError(replay.problem)
    check_formulas(replay)
    run = Replayed(graph, replay)
    for name, numbers in replay.data.items():
        run.tensors[name] = computed_with(numbers.array())
    for name, entries in (edits or {}).items():
        tensor = found(graph, name)
        run.tensors[tensor] = edited(graph, replay, tensor, entries)
    with np.errstate(all="ignore"):
        for node in reversed(graph.nodes):
            forward(run, node)
        if said := decided_otherwise(run):
            raise ReplayError(said)
        backward(run)
    return run


def check_formulas(replay: Replay) -> None:
    """Raise ReplayError, with the first reason, if a node has no formula."""
    for node, why in replay.cannot.items():
        raise ReplayError(why, node)


def replay_of(timeline: Any, edits: Mapping[str, Any] | None = None) -> Replayed:
    """Run the graph of a Timeline again. Raises: ReplayError."""
    if timeline.replay is None:
        raise ReplayError(NO_FORMULAS)
    return replay(timeline.graph, timeline.replay, edits)


# -- values that are given ----------------------------------------------------------------------


def found(graph: Graph, name: str) -> str:
    """The id of a tensor, from its id or its name."""
    if graph.has("tensor", name):
        return name
    named = [one.id for one in graph.tensors if one.name == name]
    if len(named) > 1:
        raise ReplayError(f"{len(named)} tensors are named {name!r}: name an id, of {named}")
    if not named:
        known = ", ".join(one.name for one in graph.tensors if one.is_leaf and one.name)
        raise ReplayError(f"no tensor is named {name!r}; the leaves are {known}")
    return named[0]


def edited(graph: Graph, replay: Replay, tensor: str, entries: Any) -> Any:
    """The new entries of a tensor, in its type and shape."""
    label = graph.tensor(tensor).label
    if tensor not in replay.data:
        raise ReplayError(f"{label} is the result of an operation; change a leaf instead")
    old = replay.data[tensor].array()
    if old.dtype.kind != "f":
        raise ReplayError(f"{label} is {old.dtype.name}; only floating-point values can be changed")
    given = np.asarray(entries, np.float64)
    if given.shape != old.shape:
        raise ReplayError(f"{label} has the shape {old.shape}, got {given.shape}")
    return computed_with(rounded(given) if old.dtype == SINGLE else given)


def computed_with(data: Any) -> Any:
    """Floats in double precision; other data unchanged."""
    data = np.asarray(data)
    return (data.astype(np.float64) if data.dtype.kind == "f" else data)[()]


def rounded(data: Any) -> Any:
    """Floats rounded to float32, but stored in double precision."""
    kind = getattr(data, "dtype", np.dtype(type(data))).kind
    return np.float64(np.float32(data)) if kind == "f" else data


# -- forward and backward -----------------------------------------------------------------------


def forward(run: Replayed, node: NodeInfo) -> None:
    """Compute the outputs of a node, unless it is an AccumulateGrad or they are known."""
    index = run.replay.nodes.get(node.id)
    if index is None:
        missing = [one for one in node.outputs if one not in run.tensors]
        if missing and node.variable is None:
            raise ReplayError(NO_FORMULA, node.id)
        return
    for one in node.inputs:
        if one not in run.tensors and one in run.replay.follows:
            run.tensors[one] = follow(run, run.replay.follows[one], node.id)
    values = {("x", i): known(run, one, node.id) for i, one in enumerate(node.inputs)}
    formula = run.replay.formulas[index]
    results = run_node(run, node, formula.forward, values)
    if formula.domain is not None and not np.all(run_node(run, node, formula.domain, values)[0]):
        run.outside.add(node.id)
    for one, result in zip(node.outputs, results, strict=False):
        value = run.graph.tensor(one).value
        if value is not None and value.shape != np.shape(result):
            raise ReplayError(
                f"{node.name} cannot be computed at these values: it would give another shape, so "
                "the graph would change.",
                node.id,
            )
    run.results[node.id] = results
    run.tensors.update(zip(node.outputs, results, strict=False))


def follow(run: Replayed, followed: Followed, node: str = "") -> Any:
    """A constant that is computed from tensors, at their values in this run."""
    values = {("x", i): known(run, one, node) for i, one in enumerate(followed.inputs)}
    single = bool(followed.inputs) and is_single(run, followed.inputs[0])
    named = run.graph.node(node).name if node else "A condition"
    (result,) = run_program(followed.program, values, single, named, node)
    return result


def decided_otherwise(run: Replayed) -> str:
    """The sentence of the first decision that has another outcome in this run; "" if none has.

    A decision on tensors that this run does not compute is left out.
    """
    for one in run.replay.decided:
        if all(tensor in run.tensors for tensor in one.followed.inputs):
            outcome = one.outcome.array() if isinstance(one.outcome, Numbers) else one.outcome
            if not np.array_equal(follow(run, one.followed), outcome):
                return one.sentence
    return ""


def known(run: Replayed, tensor: str, node: str) -> Any:
    """The entries of a tensor. Raises: ReplayError if they are unknown."""
    if tensor not in run.tensors:
        raise ReplayError(f"The value of {run.graph.tensor(tensor).label} is unknown.", node)
    return run.tensors[tensor]


def backward(run: Replayed) -> None:
    """Send gradients from the root, in the order of the engine."""
    graph, arrived = run.graph, {}
    root = run.tensors[graph.root]
    entering = run.replay.gradients.get(graph.root)
    arrived[graph.root] = computed_with(
        np.ones_like(root) if entering is None else entering.array()
    )
    for node in graph.nodes:
        if node.variable is not None:
            if node.variable in arrived:
                added(run, node.variable, arrived[node.variable])
            continue
        came = [arrived.get(one) for one in node.outputs]
        if all(one is None for one in came):
            continue
        run.came[node.id] = came
        shares = rules_of(run, node, came)
        for edge in graph.edges_from(node.id):
            share = shares[edge.index]
            if share is not None:
                send(run, edge, share, arrived)


def send(run: Replayed, edge: EdgeInfo, share: Any, arrived: dict[str, Any]) -> None:
    """Sum the result of a rule to the shape of its tensor, and add it to what has arrived there."""
    tensor = run.tensors[edge.tensor]
    single = is_single(run, edge.tensor)
    run.made[edge.id] = share
    if np.shape(share) != np.shape(tensor):
        try:
            share = functions()["sum_to"](share, np.shape(tensor))[()]
        except ValueError:
            label = run.graph.tensor(edge.tensor).label
            raise ReplayError(f"The gradient of {label} does not have its shape.") from None
    run.sent[edge.id] = share = rounded(share) if single else share
    if edge.tensor in arrived:
        share = arrived[edge.tensor] + share
        share = rounded(share) if single else share
    run.gathered[edge.id] = arrived[edge.tensor] = share


def added(run: Replayed, leaf: str, grad: Any) -> None:
    """Add a gradient to the `.grad` of a leaf."""
    before = run.replay.gradients.get(f"{leaf}.grad")
    if before is not None:
        grad = computed_with(before.array()) + grad
    run.leaves[leaf] = rounded(grad) if is_single(run, leaf) else grad


def rules_of(run: Replayed, node: NodeInfo, came: list[Any]) -> list[Any]:
    """The results of a node's rules for these gradients of its outputs, by index of the edge."""
    index = run.replay.nodes.get(node.id)
    if index is None:
        raise ReplayError(NO_FORMULA, node.id)
    values = {("x", i): run.tensors[one] for i, one in enumerate(node.inputs)}
    values.update((("y", i), result) for i, result in enumerate(run.results[node.id]))
    for i, one in enumerate(node.outputs):
        values["g", i] = np.zeros_like(run.tensors[one]) if came[i] is None else came[i]
    return run_node(run, node, run.replay.formulas[index].backward, values)


def is_single(run: Replayed, tensor: str) -> bool:
    """Whether the entries of a tensor are rounded to float32."""
    if run.exact:
        return False
    value = run.graph.tensor(tensor).value
    return value is not None and value.dtype == "float32"


# -- programs -----------------------------------------------------------------------------------


def functions() -> dict[str, Callable[..., Any]]:
    """The function for each name that a step can have."""
    if not _functions:
        _functions.update((name, python_operator(name)) for name in OPERATORS)
        _functions.update(numpy_functions("own", "forward_only"))
        plain = _functions["nan_to_num"], _functions["astype"]
        _functions["nan_to_num in float32"] = lambda x, *more: plain[0](np.float32(x), *more)
        _functions["astype"] = lambda x, dtype: converted(x, dtype)
        _functions["tanh"] = tanh
    return _functions


def tanh(x: Any) -> Any:
    """The hyperbolic tangent, with the last digit right where it is near 1.

    The rule of tanh subtracts its square from 1: there NumPy's and JavaScript's last digits differ.
    """
    size = np.abs(x)
    return np.where(size < 1, np.tanh(x), np.sign(x) * (1 - 2 / (np.exp(2 * size) + 1)))[()]


def converted(x: Any, dtype: np.dtype) -> Any:
    """`x` converted to `dtype`; floats are still stored in double precision."""
    made = np.asarray(x).astype(dtype)
    return computed_with(made)


def run_node(
    run: Replayed, node: NodeInfo, program: Program, values: dict[tuple[str, int], Any]
) -> list[Any]:
    """The results of one program of a node. Raises: ReplayError if a step fails."""
    return run_program(program, values, is_single(run, node.outputs[0]), node.name, node.id)


def run_program(
    program: Program, values: dict[tuple[str, int], Any], single: bool, label: str, node: str
) -> list[Any]:
    """The results of a program. label, node: for errors. Raises: ReplayError if a step fails."""
    rounding = rounded if single else same
    values = {key: rounding(value) for key, value in values.items()}
    for place, step in enumerate(program.steps):
        args = [filled(arg, values, rounding) for arg in step.args]
        named = {name: filled(arg, values, rounding) for name, arg in step.named}
        name = step.name
        if name == "nan_to_num" and rounding is rounded:
            name = "nan_to_num in float32"
        try:
            large = entries_made(name, args) > MOST
            made = args if large else functions()[name](*args, **named)
        except Exception as error:  # a step of a damaged trace may raise anything
            said = f"{label} cannot be computed at these values ({step.name}: {error})."
            raise ReplayError(said, node) from None
        parts = made if isinstance(made, tuple | list) else (made,)
        if large or sum(np.size(part) for part in parts) > MOST:
            raise ReplayError(f"{label} would make more than {MOST:,} numbers.", node)
        if isinstance(made, tuple | list):
            values["s", place] = tuple(rounding(computed_with(part)) for part in made)
        else:
            values["s", place] = rounding(computed_with(made))
    return [filled(arg, values, rounding) for arg in program.results]


def entries_made(name: str, args: list[Any]) -> int:
    """The number of entries that a step would make by broadcasting, 0 for other steps."""
    shapes = [x.shape for x in args if isinstance(x, np.ndarray)]
    if name in BROADCASTING:
        return math.prod(np.broadcast_shapes(*shapes))
    if name != "matmul" or len(shapes) < 2 or min(map(len, shapes)) < 2:
        return 0
    left, right = shapes[:2]
    return math.prod((*np.broadcast_shapes(left[:-2], right[:-2]), left[-2], right[-1]))


def same(x: Any) -> Any:
    """`x` itself: no rounding."""
    return x


def filled(arg: Any, values: Mapping[Any, Any], rounding: Callable[[Any], Any]) -> Any:
    """An argument with every reference replaced by its value."""
    if isinstance(arg, Ref):
        value = values[arg.kind, arg.number]
        return value if arg.part is None else value[arg.part]
    if isinstance(arg, tuple):
        return tuple(filled(x, values, rounding) for x in arg)
    if isinstance(arg, float):
        return float(rounding(np.float64(arg)))
    if isinstance(arg, np.ndarray):
        return rounding(computed_with(arg))
    return arg
