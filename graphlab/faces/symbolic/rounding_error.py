"""What a dtype does to a graph: how far rounding moves its numbers, and which are out of range.

The graph runs several times, with random rounding errors of its dtype in every operation. How much
the results vary shows how much rounding can change. To find where a number becomes infinite or 0,
each step also runs by itself with a wider range.

Read next: faces/symbolic/verdict.py
"""

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from graphlab.faces.symbolic.backward_interpretation import gradient_of, sent_by
from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.diagnosis_slopes import Diagnosis
from graphlab.faces.symbolic.interpretation import (
    exact_interpretation,
    float_interpretation,
    numbers_only,
    outputs_of,
)
from graphlab.faces.symbolic.live_graph import (
    Key,
    Tensor,
    captured,
    edge_of,
    inputs_of,
    key,
    key_of,
    rerun,
    results_of,
)
from graphlab.faces.symbolic.mp_arithmetic import DIGITS, MpArithmetic, context
from graphlab.faces.symbolic.problem import Place, Problem, float_point, fractions


def ulps(got: Any, want: Any, kind: np.dtype) -> Any:
    """Return the distance of two numbers in units in the last place (ULP) of `want` in the dtype.

    It is NaN if one of them is NaN, and 0 if both are too large for the dtype.

    >>> float(ulps(np.float32(1) + np.float32(2**-23), 1.0, np.dtype("f4")))
    1.0
    """
    with np.errstate(all="ignore"):
        got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
        nearest = np.abs(want).astype(kind)
        unit = np.spacing(nearest).astype(np.float64)
        apart = np.abs(got - want) / unit
        both = np.isinf(got) & np.isinf(nearest) & (np.sign(got) == np.sign(want))
        one = np.isinf(got) ^ np.isinf(nearest)
        return np.where(both, 0.0, np.where(one & ~np.isnan(want), np.inf, apart))[()]


@dataclass(frozen=True, slots=True)
class Rounding:
    """How far rounding can move the root and the gradients, and what one forward run costs.

    root, grads: the values in float64; grads and spreads are by key, and empty if a backward runs
    on tensors only. work: the entries that a forward run calculates. within: how far rounding
    within the rules moves the gradients; doubles: the gradients when the graph runs again in
    float64 and in its own dtypes; ran: a NumberRange. These are empty until they are needed.
    """

    root: Any
    root_spread: Any
    spreads: dict[Any, Any]
    grads: dict[Any, Any]
    work: int
    within: dict[Any, Any] = field(default_factory=dict)
    doubles: list[tuple[dict[Any, Any], float]] = field(default_factory=list)
    ran: list[Any] = field(default_factory=list)

    def gradient(self, place: Place) -> float | None:
        """Return the rules' gradient of an entry in float64; None if the rules did not run."""
        if not self.spreads:
            return None
        grad = self.grads.get(key_of(place[0]))
        return 0.0 if grad is None else float(np.asarray(grad)[place[1]])


def coarsest_type(problem: Problem, root: Tensor) -> np.dtype:
    """Return the dtype with the fewest digits in the graph, which decides the rounding error."""
    kinds = [t._data.dtype for t in (root, *problem.given)]
    for node in problem.graph.nodes:
        held = [c._data.dtype for c in node._constants or () if isinstance(c, Tensor)]
        held += node._options if node.op.name == "to_copy" else ()
        kinds += [d for d in held if isinstance(d, np.dtype) and d.kind == "f"]
    return max(kinds, key=lambda kind: np.finfo(kind).eps)


def rounded(value: Any, kind: np.dtype) -> Any:
    """Return the value rounded to the dtype `kind`; a value too large for it is unchanged."""
    if np.asarray(value).dtype.kind != "f":
        return value
    nearest = np.asarray(value).astype(kind).astype(np.float64)
    return np.where(np.isfinite(nearest), nearest, value)[()]


def rounding_of(problem: Problem, kind: np.dtype, budget: Budget) -> Rounding:
    """Run the graph several times with random rounding. Raises: Unsupported."""
    if problem.graph.random:
        raise Unsupported(numbers_only(problem.graph.custom, problem.graph.reason))
    base = float_point(problem)
    clean = float_interpretation()
    before = budget.spent
    _, values = problem.run(clean, base, budget)
    work = budget.spent - before
    root = values[problem.graph.root]
    grads = {} if problem.graph.custom else problem.rules(clean, values, budget)
    source, single = np.random.default_rng(0), random.Random(0)
    unit = float(np.finfo(kind).eps)

    def noisy(value: Any) -> Any:
        """Add a rounding error, except to indices and to integers, which are exact."""
        if type(value) is np.float64:  # as below, but faster
            exact = value.is_integer() and abs(value) <= 1 / unit
            return value if exact else value * (1 + unit * (2 * single.random() - 1))
        if np.asarray(value).dtype.kind != "f":
            return value
        moved = value * (1 + unit * source.uniform(-1, 1, np.shape(value)))
        exact = (value == np.round(value)) & (np.abs(value) <= 1 / unit)
        return np.where(exact, value, moved)[()]

    spread = np.zeros(np.shape(root))
    wanted = {key_of(t) for t in problem.given}
    spreads = {k: np.zeros(np.shape(g)) for k, g in grads.items() if k in wanted}
    # also the dtype's own rounding: in a long chain it may have the same sign at every step
    own = [] if kind == np.float64 else [partial(rounded, kind=kind)]
    for change in (noisy, noisy, noisy, *own):
        entries = float_interpretation(change)
        _, moved_values = problem.run(entries, base, budget)
        spread = np.maximum(spread, np.abs(moved_values[problem.graph.root] - root))
        if spreads:
            again = problem.rules(entries, moved_values, budget)
            for k in spreads:
                spreads[k] = np.maximum(spreads[k], np.abs(again[k] - grads[k]))
    return Rounding(root, spread, spreads, {k: grads[k] for k in spreads}, work)


def other_value(problem: Problem, rounding: Rounding | None, total: float) -> str:
    """Return a note if the graph's value differs from `total`, the value by exact arithmetic.

    Without this a wrong forward would go unnoticed: rules are compared with exact slopes.
    """
    if rounding is None:
        return ""
    weight = np.asarray(problem.gradient._data, np.float64)
    held, size = float(np.sum(rounding.root * weight)), np.sum(np.abs(rounding.root * weight))
    allowed = (
        1e-6 + 1e-3 * (size + abs(total)) + 1_000 * np.sum(rounding.root_spread * np.abs(weight))
    )
    if not abs(total - held) > allowed:  # False for NaN
        return ""
    return (
        f"the graph gives {held:.6g}, but exact arithmetic gives {total:.6g}: the forward of an "
        "operation is wrong, or rounding spoils all its digits"
    )


def spreads_inside(problem: Problem, rounding: Rounding, kind: np.dtype, budget: Budget) -> Any:
    """Return how far rounding within the rules can move the gradients, by key. Raises: Unsupported.

    A rule may subtract large terms, as for a determinant that is 0, or the exponential of a sum of
    logarithms. So each result within a rule gets a rounding error, also an integer. If errors of 64
    times the size move it hardly farther, there is a kink, and no difference is allowed.
    """
    source = np.random.default_rng(1)
    found: list[dict[Any, Any]] = []
    for unit in (64 * float(np.finfo(kind).eps), float(np.finfo(kind).eps)):

        def noisy(value: Any, unit: float = unit) -> Any:
            if np.asarray(value).dtype.kind != "f":
                return value
            return (value * (1 + unit * source.uniform(-1, 1, np.shape(value))))[()]

        entries = float_interpretation(noisy, inside=True)
        point = {t: noisy(values) for t, values in float_point(problem).items()}
        _, values = problem.run(entries, point, budget)
        again = problem.rules(entries, values, budget)
        found.append({k: np.abs(again[k] - g) for k, g in rounding.grads.items()})
    wide, narrow = found
    most = {k: np.max(g, initial=0) / 8 for k, g in wide.items()}
    return {k: g if np.max(g, initial=0) <= most[k] else 0 * g for k, g in narrow.items()}


def ran_again(problem: Problem, double: bool = False) -> tuple[dict[Key, Any], dict[Key, Any]]:
    """Return all values and gradients when the graph runs again, in its own dtypes or in float64.

    Both are by the keys of the graph; a gradient that does not arrive is absent.
    """
    graph, given = problem.graph, problem.given
    ends = {t: np.asarray(t._data, np.float64)[()] for t in (*graph.leaves, *given) if double}
    made = rerun(graph, ends, given)
    root = made[graph.root]
    entering = np.asarray(problem.gradient._data).astype(root._data.dtype)[()]
    keys = {old: key_of(new) for old, new in made.items() if new is not None and new._needs}
    found = captured([(edge_of(root), entering)], keys.values(), ())
    values = {old: new._data for old, new in made.items() if new is not None}
    return values, {old: found[new] for old, new in keys.items() if found[new] is not None}


class NumberRange:
    """A graph that ran again in its own dtypes.

    grads: its gradients, by the keys of the first graph; empty if it cannot run again. event: the
    first step whose result is out of range, and what happens there; None if there is none.
    """

    def __init__(self, problem: Problem, kind: np.dtype, budget: Budget) -> None:
        self.problem, self.kind, self.budget = problem, kind, budget
        self.grads: dict[Key, Any] = {}
        self.infinite: set[Key] = set()  # of what results are made that are infinite or NaN
        exact = exact_interpretation(MpArithmetic(DIGITS, True), problem.constants)
        self.entries = exact if kind == np.float64 else float_interpretation()
        found: list[Diagnosis] = []
        with suppress(Exception), np.errstate(all="ignore"):  # a Function may raise anything
            self.values, self.grads = ran_again(problem)
            found.extend(self.forward())
            found.extend(self.backward())
        nodes = problem.graph.nodes
        # log(1 - p) with p = 1 is told before log(p), whose 0 does no harm
        self.event = min(
            found,
            key=lambda one: (
                "overflows" not in one.why,
                nodes[one.place or 0] not in self.infinite,
            ),
            default=None,
        )

    def wide(self, data: Any) -> Any:
        """Return numbers of the graph as entries with a wider range."""
        if np.asarray(data).dtype.kind != "f":
            return data
        if self.kind != np.float64:
            return np.asarray(data, np.float64)[()]
        return self.entries.constant(fractions(data))

    def forward(self) -> Iterator[Diagnosis]:
        """Yield the first results that overflow and underflow."""
        graph, values = self.problem.graph, {k: self.wide(v) for k, v in self.values.items()}
        seen, unrounded = set(), {}
        with suppress(Exception):
            point = {t: self.wide(t._data) for t in self.problem.given}
            unrounded = self.problem.run(self.entries, point, self.budget)[1]
        for place, node in enumerate(graph.nodes):
            keys = results_of(node)[bool(node.many) :]
            outputs = [self.values[k] for k in keys]
            values[node, "all"] = tuple(values[k] for k in keys)
            given = (self.values[key(edge)] for edge in node._next if edge is not None)
            if not all(np.all(np.isfinite(one)) for one in given):
                continue
            if all(np.all(np.isfinite(one) & (one != 0)) for one in outputs):
                continue
            if not all(np.all(np.isfinite(one)) for one in outputs):
                self.infinite.update(key(edge) for edge in node._next if edge is not None)
            inputs = inputs_of(node, values, self.entries)
            made = outputs_of(node, inputs, self.entries)
            for k, one, exact in zip(keys, outputs, made, strict=False):
                what = self.beyond(one, exact, "its result")
                if not what and k in unrounded:
                    given = inputs[0] if len(inputs) == 1 else ()
                    what = self.beyond(one, unrounded[k], "its result", "rounds", given)
                if what and what not in seen:
                    seen.add(what[:20])
                    yield Diagnosis(place, node.name(), None, why=what)
        self.exact = values

    def backward(self) -> Iterator[Diagnosis]:
        """Yield the first gradients that overflow and underflow, beginning at the root."""
        graph = self.problem.graph
        grads = {k: self.wide(g) for k, g in self.grads.items() if not isinstance(g, tuple)}
        infinite: set[Key] = set()  # the gradients with a part that is infinite in any range
        sums: dict[Key, Any] = {}
        senders: dict[Key, int] = {}
        for place, node in reversed(list(enumerate(graph.nodes))):
            yield from self.arrived(node, sums, senders, infinite)
            came = gradient_of(node, self.grads, float_interpretation())
            edges = [edge for edge in node._next if edge is not None]
            if came is None:
                continue
            if node.many or not np.all(np.isfinite(came)):
                infinite.update(map(key, edges))
                continue
            sent = sent_by(graph, node, self.exact, grads[node], self.entries, self.budget)
            for edge, one in zip(node._next, sent, strict=True):
                if edge is not None and one is not None:
                    k = key(edge)
                    sums[k] = sums[k] + one if k in sums else one
                    senders[k] = place
        for leaf in graph.leaves:
            yield from self.arrived(leaf, sums, senders, infinite)

    def arrived(
        self, k: Key, sums: dict[Key, Any], senders: dict[Key, int], infinite: set[Key]
    ) -> Iterator[Diagnosis]:
        """Yield what happened to a gradient once all its parts have arrived."""
        got = self.grads.get(k)
        if k in infinite or k not in sums or got is None or isinstance(got, tuple):
            return
        if what := self.beyond(got, sums[k], "the gradient that it sends"):
            place = senders[k]
            yield Diagnosis(place, self.problem.graph.nodes[place].name(), None, why=what)

    def repeats(self, place: Place, got: float) -> bool:
        """Return whether the graph that ran again has this entry of a gradient, too."""
        again = np.asarray(self.grads.get(key_of(place[0]), 0.0), np.float64)
        entry = again[place[1]] if again.ndim else again
        return bool(np.isclose(entry, got, rtol=1e-6, equal_nan=True))

    def beyond(
        self, got: Any, exact: Any, what: str, does: str = "underflows", given: Any = ()
    ) -> str:
        """Say that a number is out of range, or rounded to 0; "" if none is. exact: it, wider.

        given: the input that it is made from, if there is only one.
        """
        pairs = zip(np.ravel(got), np.ravel(np.asarray(exact, object)), strict=True)
        small = ""
        for i, (one, value) in enumerate(pairs):
            if not is_finite(value):
                continue
            if not np.isfinite(one):
                to = f" to {text_of(np.ravel(given)[i])}" if np.size(given) == np.size(got) else ""
                does = f"rounds its input{to}" if does == "rounds" else "overflows there"
                return f"{self.kind} {does}: {what} is {one} instead of {text_of(value)}"
            tiny = does == "rounds" or abs(value) < float(np.finfo(self.kind).tiny)
            if one == 0 != value and tiny:
                small = f"{self.kind} {does} there: {what} is 0 instead of {text_of(value)}"
        return small


def is_finite(value: Any) -> bool:
    """Return whether a number, also one with many digits, is finite."""
    return bool(value - value == 0)


def text_of(value: Any) -> str:
    """Return a number with six digits."""
    text = context().nstr(context().mpf(value), 6, strip_zeros=True)
    return text.replace(".0e", "e").removesuffix(".0")
