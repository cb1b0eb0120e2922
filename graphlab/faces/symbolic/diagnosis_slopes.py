"""Compare what the rule of one node sends with the slope, with 50 digits or in float64.

50 digits distinguish a wrong term of 1e-12 from rounding. Float64 distinguishes one of 1e-5 and is
a thousand times faster; it is for large graphs, and for Functions that run on numbers only.

What is found is a Diagnosis, as is a step at which finite numbers become NaN. `sentence` says it,
with the line of the forward pass.

Read next: faces/symbolic/report_table.py
"""

import random
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, isnan, nan
from typing import Any

import numpy as np

from graphlab.faces.symbolic.backward_interpretation import backward, gradient_of, sent_by
from graphlab.faces.symbolic.budget import Budget
from graphlab.faces.symbolic.finite_differences import COARSE, UNIT, is_smooth, step_for
from graphlab.faces.symbolic.html_elements import told_apart
from graphlab.faces.symbolic.interpretation import float_interpretation, forward
from graphlab.faces.symbolic.live_graph import (
    Key,
    Node,
    Output,
    Subgraph,
    Tensor,
    captured,
    edge_of,
)
from graphlab.faces.symbolic.mp_arithmetic import DIGITS, context
from graphlab.faces.symbolic.numeric_check import Disagreement, PointEvaluation
from graphlab.faces.symbolic.problem import (
    CheckedGraph,
    Problem,
    current_point,
    float_point,
    fractions,
    in_floats,
)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A place in the graph, and what is wrong there.

    place: the number of the node, in the order in which nodes were made; None for a leaf. name: of
    the node, "MulBackward0", or of the leaf. input: the position of the input whose rule is wrong.
    entry: of that input, or of the gradient. gradient: what is sent; derivative: what should be
    sent; both NaN if the shape is wrong, the derivative NaN if the incoming gradient is 0.
    function: the name of a user-defined Function. given: its incoming gradient, if it is not that
    of the pass: "of ones". constant: whether its outputs stay as they are near this input.
    at: the value of the input if it is wrong there and not at the current one; "" for several
    entries. hook: whether a hook makes the gradient from what it would be, the `derivative`; then
    `at` names the tensors whose gradients change with it. why: what happens there, if NaN begins.
    """

    place: int | None
    name: str
    input: int | None
    entry: tuple[int, ...] = ()
    gradient: float = nan
    derivative: float = nan
    function: str = ""
    hook: bool = False
    at: str | None = None
    given: str = ""
    constant: bool = False
    why: str = ""


STRAIGHT_THROUGH = (
    "its outputs do not change near this input, so such a backward is a mistake, or a "
    "straight-through estimator, which is no derivative and may be meant"
)


def sentence(found: Diagnosis, checked: CheckedGraph) -> str:
    """Say what to look at, and why, with the line that made the node."""
    nodes = checked.walk().nodes
    node = None if found.place is None else nodes[found.place]
    line = line_of(node, checked)
    values = "{} where %s {}".format(*told_apart(found.gradient, found.derivative))
    if found.why:
        return f"look at {found.name}{line}: {found.why}"
    if found.hook:
        return hook_sentence(found, checked, node, line)
    if found.input is not None and node is not None:
        whose = f"backward of {found.function}" if found.function else f"rule of {found.name}"
        if getattr(node, "_saved_scale_grad_by_freq", False):
            whose += " with scale_grad_by_freq"
        target = node._next[found.input]
        to = f" for its input {entry_of(name_of(target, checked), found.entry)}"
        if isnan(found.gradient) and isnan(found.derivative):
            return f"look at the {whose}:{to} it returns a gradient of the wrong shape{line}"
        if isnan(found.derivative):
            to += f" it returns {found.gradient:.6g} even if the incoming gradient is 0"
            return f"look at the {whose}:{to}; multiply by the incoming gradient{line}"
        if found.at is not None:
            to += f" = {found.at}" if found.at else ", at other values,"
        to += f" and an incoming gradient {found.given}" if found.given else ""
        meant = f"; {STRAIGHT_THROUGH}" if found.constant else ""
        return f"look at the {whose}:{to} it returns {values % 'the derivative is'}{line}{meant}"
    given = values % "the rules give"
    return (
        f"look at what {found.name} saved: every rule is right, but after it the gradient is "
        f"{given}; this happens when {'' if isfinite(found.gradient) else 'it was rounded, or '}"
        "a saved tensor is changed without autograd's knowledge "
        f"(x.data){line}"
    )


def hook_sentence(found: Diagnosis, checked: CheckedGraph, node: Node | None, line: str) -> str:
    """Say what a hook changes, and which gradients change with it."""
    target = own = found.name if node is None else name_of(node, checked)
    if node is not None and found.input is not None:
        own, target = node.name(), name_of(node._next[found.input], checked)
    others = f", and with it that of {found.at}" if found.at != target else ""
    return (
        f"look at the hook on {own}: it changes the gradient of {entry_of(target, found.entry)} "
        f"from {found.derivative:.6g} to {found.gradient:.6g}{line}{others}"
    )


def entry_of(name: str, index: tuple[int, ...]) -> str:
    """Return the name of one entry of a tensor.

    >>> entry_of("w", (0, 1)), entry_of("w * 2", (3,)), entry_of("x", ()), entry_of("z in f", (1,))
    ('w[0, 1]', '(w * 2)[3]', 'x', 'z[1] in f')
    """
    if not index:
        return name
    variable, word, function = name.partition(" in ")
    if not variable.isidentifier():
        variable, word, function = f"({name})", "", ""
    return f"{variable}[{', '.join(map(str, index))}]{word}{function}"


def name_of(edge: Any, checked: CheckedGraph) -> str:
    """Return the name of a leaf or a result."""
    if isinstance(edge, Tensor):
        return checked.named.get(edge, "a leaf")
    node, output = (edge.node, edge.index) if type(edge) is Output else (edge, 0)
    return checked.inner.get((node, output)) or checked.label(node, output)


def line_of(node: Node | None, checked: CheckedGraph) -> str:
    """Return the line of the user's code that made a node; "" if it is not known."""
    if node is None or checked.graph is None:
        return ""
    number = checked.numbers.get(node._sequence)
    made = next((n for n in checked.graph.nodes if n.sequence == number), None)
    source = made.source if made is not None else None
    if source is None:
        return ""
    return f" ({source.label}, line {source.line}: {source.text})"


NEAR = 2.0**-10  # how far entries move to see whether outputs change
SAME = 1e-15  # relative: far above the error of 50 digits, far below any mistake
SAME_FLOAT = 1e-5

Run = Callable[[Any], list[Any]]  # of one input of a node: grad * forward(inputs)


class DigitSlopes:
    """A graph at one point, with 50 digits: its values and the gradients from the rules.

    wrong: where the gradient and the derivative differ; None for the current values.
    here: whether these are the current values.
    """

    dtype = np.dtype(object)

    def __init__(
        self, problem: Problem, wrong: Disagreement | None, root: Tensor, budget: Budget
    ) -> None:
        self.problem, self.budget = problem, budget
        here = current_point(problem)
        point = here if wrong is None else {t: exactly(v) for t, v in wrong.point.items()}
        self.here = all(np.array_equal(point[t], here[t]) for t in here)
        self.exact = PointEvaluation(problem, point, DIGITS, self.budget)
        self.entries, self.values = self.exact.entries, self.exact.values
        self.grads = self.exact.rules

    def total(self, parts: Iterable[Any]) -> Any:
        """Return the sum of all entries of some arrays."""
        arithmetic = self.exact.arithmetic
        return arithmetic.number(
            arithmetic.total([x for part in parts for x in np.asarray(part, object).flat])
        )

    def along(self, size: int) -> np.ndarray:
        """A random direction in which all `size` entries have about the same weight."""
        source = random.Random(size)
        number = self.exact.arithmetic.number
        whole = (source.choice((1, -1)) * source.randint(512, 1536) for _ in range(size))
        return np.array([number(Fraction(x, 1024)) for x in whole], object)

    def differs(
        self, run: Run, base: np.ndarray, sent: np.ndarray, direction: np.ndarray
    ) -> tuple[Any, Any] | None:
        """Return the sent gradient along a direction and the slope, if they differ."""
        step = self.exact.step

        def at(side: int) -> Any:
            return self.total(run(np.asarray(base + direction * (side * step), object)[()]))

        left, middle, right = at(-1), at(0), at(1)
        slope = (right - left) / (2 * step)
        terms = [
            self.exact.arithmetic.number(s * a)
            for s, a in zip(sent.flat, direction.flat, strict=True)
        ]
        given = self.total(terms)
        size = max([abs(slope), *map(abs, terms)])
        rounding = abs(middle) * context(DIGITS).mpf(10) ** (-DIGITS // 2)
        if abs(given - slope) <= SAME * size + rounding:
            return None
        low, high = sorted(((middle - left) / step, (right - middle) / step))
        if is_smooth(float(low), float(high)):
            return given, slope
        slack = abs(high - low) * 1e-9  # on a kink any slope between the two is valid
        valid = low - slack <= given <= high + slack
        return None if valid else (given, low if given < low else high)


class FloatSlopes:
    """The same in float64. If a Function runs on numbers only, the gradients are the engine's."""

    dtype = np.dtype(np.float64)

    def __init__(
        self, problem: Problem, wrong: Disagreement | None, root: Tensor, budget: Budget
    ) -> None:
        self.problem, self.budget = problem, budget
        self.entries = float_interpretation()
        point = here = float_point(problem)
        if wrong is not None:
            point = in_floats(wrong.point)
        self.here = all(np.array_equal(point[t], here[t]) for t in here)
        _, self.values = problem.run(self.entries, point, self.budget)
        if problem.graph.custom:
            self.grads = engine_results(problem, root)
        else:
            self.grads = problem.rules(self.entries, self.values, self.budget)

    def along(self, size: int) -> np.ndarray:
        """A random direction in which all `size` entries have about the same weight."""
        source = np.random.default_rng(size)
        return source.choice((-1.0, 1.0), size) * source.uniform(0.5, 1.5, size)

    @staticmethod
    def differs(
        run: Run, base: np.ndarray, sent: np.ndarray, direction: np.ndarray, unit: float = UNIT
    ) -> tuple[Any, Any] | None:
        """Return the sent gradient along a direction and the slope, if they differ.

        unit: the relative rounding error of what `run` calculates.
        """
        step = step_for(unit) * max(1.0, float(np.max(np.abs(base), initial=0.0)))
        same = SAME_FLOAT if unit == UNIT else COARSE

        def at(by: float) -> np.ndarray:
            return np.concatenate([np.ravel(x) for x in run((base + direction * by)[()])])

        left, middle, right = at(-step), at(0.0), at(step)
        slope = float(np.sum(right - left)) / (2 * step)
        terms = sent * direction
        given = float(np.sum(terms))
        size = max(abs(slope), float(np.max(np.abs(terms), initial=0.0)))
        bend = abs(float(np.sum(right - 2 * middle + left))) / step  # large at a kink
        rounding = unit * float(np.sum(np.abs(middle))) / step
        if not abs(given - slope) > same * size + bend + rounding:  # False for NaN
            return None
        return given, slope


def engine_results(problem: Problem, root: Tensor) -> dict[Key, Any]:
    """Return the engine's gradients, by key; a key that no gradient reaches is absent."""
    nodes, entering = problem.graph.nodes, [(edge_of(root), problem.gradient._data)]
    found: dict[Key, Any] = {}
    for node, grad in captured(entering, nodes, nodes).items():
        each = grad if isinstance(grad, tuple) else (grad,)
        for index, one in enumerate(each):
            if one is not None:
                found[(node, index) if node.many else node] = np.asarray(one, np.float64)[()]
    return found


NodeSlopes = DigitSlopes | FloatSlopes


def is_constant(run: Run, base: np.ndarray, along: np.ndarray) -> bool:
    """Return whether the outputs stay as they are if all entries of an input move a little."""
    here, *others = (run((base + along * by)[()]) for by in (0, NEAR, -NEAR))
    return all(np.array_equal(a, b) for other in others for a, b in zip(here, other, strict=True))


def exactly(values: Any) -> Any:
    """Return the values of a point as fractions."""
    is_exact = all(isinstance(x, Fraction) for x in np.asarray(values, object).flat)
    return values if is_exact else fractions(np.asarray(values, np.float64)[()])


# -- where finite numbers become NaN: 0 times infinity -------------------------------------------

ZERO = "the gradient 0 arrives there, its slope is not finite here, and 0 · inf = nan"
NOT_TAKEN = (
    "; where() sends 0 to the branch that it does not take, so replace the input of that branch, "
    "as in where(x == 0, 1, x), before the step"
)
INFINITE = "its slope is infinite here, and {} multiplies it by 0: inf · 0 = nan"
FACTORS = {"LinalgEighBackward0": "eigenvalues", "LinalgSvdBackward0": "singular values"}
EQUAL = "its rule divides by the differences of the {}, and two of them are equal here"
NORM = "; for a length or a distance, linalg.norm gives the gradient 0 there"


def nan_origin(
    found: Iterable[Any], graph: Subgraph, root: Tensor, entering: Tensor, budget: Budget
) -> list[Diagnosis]:
    """Return the first step whose gradient is NaN, if the root is finite; [] if there is none.

    found: the gradients that autograd gives.
    """
    if not np.all(np.isfinite(root._data)) or not any(np.any(np.isnan(one)) for one in found):
        return []
    with suppress(Exception), np.errstate(all="ignore"):  # a Function may raise anything
        return first_nan(graph, np.asarray(entering._data, np.float64)[()], budget)
    return []


def first_nan(graph: Subgraph, entering: Any, budget: Budget) -> list[Diagnosis]:
    """Return the first step, beginning at the root, that makes NaN of other numbers."""
    floats = float_interpretation()
    given = {leaf: floats.constant(leaf) for leaf in graph.leaves}
    values = forward(graph, given, floats, budget)
    grads = backward(graph, values, entering, floats, budget)
    infinite: int | None = None  # the place of the first node with an infinite slope
    for place, node in reversed(list(enumerate(graph.nodes))):
        came = gradient_of(node, grads, floats)
        parts = [g for g in (came if node.many else (came,)) if g is not None]
        known = parts and (not node.many or node.name() in FACTORS)
        if not known or any(np.any(np.isnan(one)) for one in parts):
            continue
        sent = [
            one for one in sent_by(graph, node, values, came, floats, budget) if one is not None
        ]
        if infinite is None and any(np.any(np.isinf(one)) for one in sent):
            infinite = place
        if not any(np.any(np.isnan(one)) for one in sent):
            continue
        if node.many:
            return [Diagnosis(place, node.name(), None, why=EQUAL.format(FACTORS[node.name()]))]
        if np.any(np.isinf(came)) and infinite is not None:
            first = graph.nodes[infinite]
            root = first.name() == "SqrtBackward0" and node.name() == "PowBackward0"
            why = INFINITE.format(node.name()) + NORM * root
            return [Diagnosis(infinite, first.name(), None, why=why)]
        if np.any(came == 0):
            wheres = [one for one in graph.nodes if one.name() == "WhereBackward0"]
            hidden = any(node in graph.behind(one) for one in wheres)
            return [Diagnosis(place, node.name(), None, why=ZERO + NOT_TAKEN * hidden)]
        return []
    return []
