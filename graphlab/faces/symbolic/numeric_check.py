"""Compare the rules' gradient with the slope of the formula itself, in numbers, to 20 digits.

A slope is a central difference with so many digits that it is the derivative for all purposes.
Points are drawn on both sides of zero; one where the formula has no real value is dropped. When the
two differ, both are calculated again with more digits before the difference counts.

Several entries are compared at once, along one random direction in which they have about the same
weight. When that differs, each half of them is compared, until it is known which entry differs.

Read next: faces/symbolic/finite_differences.py
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from math import isnan, nan
from typing import Any

import numpy as np

from graphlab.faces.symbolic.assumptions import NOTHING, Assumptions
from graphlab.faces.symbolic.backward_interpretation import backward
from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.exact_constants import ExactConstants
from graphlab.faces.symbolic.interpretation import (
    Interpretation,
    exact_interpretation,
    float_interpretation,
    forward,
)
from graphlab.faces.symbolic.live_graph import Subgraph, Tensor, key_of
from graphlab.faces.symbolic.mp_arithmetic import MpArithmetic, OutsideDomain, context
from graphlab.faces.symbolic.one_sided_slopes import OUTSIDE
from graphlab.primitives.sympy_reading.object_arrays import bare

POINTS = 4  # random points that are compared
DRAWS = 60  # points that are drawn to find so many in the domain
FLOAT_ONLY = 3  # after so many points at which the rules have a value in float64 alone, stop
PRECISIONS = (50, 120, 400)  # digits; the next precision is used when two values differ
LOST = f"the terms of the formula cancel to more than {PRECISIONS[-1]} digits at some points"
SAME = 1e-20  # relative; a central difference with 50 digits and h = 1e-17 is off by about 1e-33

Point = dict[Any, Any]  # tensor -> array of Fractions, or one Fraction
Place = tuple[Tensor, tuple[int, ...]]  # an entry of a tensor


@dataclass(frozen=True, slots=True)
class Problem:
    """A graph, the tensors that it is a function of, and the gradient that enters at its root."""

    graph: Subgraph
    given: tuple[Tensor, ...]
    gradient: Tensor
    constants: ExactConstants = field(default_factory=ExactConstants)
    assumed: Mapping[Tensor, Assumptions] = field(default_factory=dict)

    def run(
        self, entries: Interpretation, point: Point, budget: Budget
    ) -> tuple[Any, dict[Any, Any]]:
        """The sum of gradient * root at the point, and every intermediate value."""
        given = {key_of(t): point[t] for t in self.given}
        values = forward(self.graph, given, entries, budget)
        weighted = values[self.graph.root] * entries.constant(self.gradient)
        return entries.primitives["sum"](weighted), values

    def rules(
        self, entries: Interpretation, values: dict[Any, Any], budget: Budget
    ) -> dict[Any, Any]:
        """The gradients that the rules make, by key."""
        entering = entries.constant(self.gradient)
        return backward(self.graph, values, entering, entries, budget)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A point at which the rules and the derivative give different values."""

    place: Place
    point: Point
    rules: Any
    derivative: Any


class Unstable(Unsupported):
    """Rules and slopes differ, and with more digits the difference changes."""

    def __init__(self, found: "list[Disagreement]") -> None:
        super().__init__(LOST)
        self.found = found


class Suspected(Unsupported):
    """Rules and slopes differ, and the budget ends before it is certain, or known where."""

    def __init__(self, why: str) -> None:
        super().__init__(f"with 50 digits some gradient is another one, and {why}")


def current_point(problem: Problem) -> Point:
    """The current values as fractions. Raises: OutsideDomain when one is not finite."""
    if not all(np.all(np.isfinite(t._data)) for t in problem.given):
        raise OutsideDomain
    return {t: fractions(t._data) for t in problem.given}


def fractions(data: Any) -> Any:
    """Floats as exact fractions; nan and infinities become 0."""
    exact = np.frompyfunc(lambda x: Fraction(float(x)) if np.isfinite(x) else Fraction(0), 1, 1)
    return bare(exact(data))


def in_floats(point: Point) -> Point:
    """The same point, in float64."""
    return {t: np.asarray(values, object).astype(np.float64)[()] for t, values in point.items()}


def float_point(problem: Problem) -> Point:
    """The current values, in float64."""
    return {t: np.asarray(t._data, np.float64)[()] for t in problem.given}


def draw(problem: Problem, base: Point, source: random.Random, attempt: int) -> Point:
    """A random point: with the current signs, or with random signs."""

    def entry(assumed: Assumptions, value: Fraction) -> Fraction:
        return assumed.draw(source, value, attempt % 2 == 0)

    return {
        t: bare(np.frompyfunc(partial(entry, problem.assumed.get(t, NOTHING)), 1, 1)(values))
        for t, values in base.items()
    }


def moved(values: Any, index: tuple[int, ...], step: Any) -> Any:
    """The values with one entry moved by `step`."""
    if not index:
        return values + step if np.ndim(values) == 0 else bare(np.asarray(values) + step)
    out = np.array(values)
    out[index] = out[index] + step
    return out


def step_of(digits: int) -> Any:
    """The step of a central difference with so many digits."""
    return context(digits).mpf(10) ** -(digits // 3)


class PointEvaluation:
    """A problem at one point, calculated with a number of digits."""

    def __init__(self, problem: Problem, point: Point, digits: int, budget: Budget) -> None:
        self.problem, self.budget, self.digits = problem, budget, digits
        self.at_point = point
        self.smallest = context(digits).mpf(10) ** -(digits // 2)
        self.arithmetic = MpArithmetic(digits)
        self.entries = exact_interpretation(self.arithmetic, problem.constants)
        self.point = {t: self.entries.constant(values) for t, values in point.items()}
        total, self.values = problem.run(self.entries, self.point, budget)
        self.total = self.finite(total)
        self.step = step_of(digits)

    @cached_property
    def rules(self) -> dict[Any, Any]:
        """The gradients that the rules make here, by key."""
        return self.problem.rules(self.entries, self.values, self.budget)

    def rule(self, place: Place) -> Any:
        """The rules' gradient of one entry; 0 where none arrives."""
        tensor, index = place
        grad = self.rules.get(key_of(tensor))
        return self.finite(0 if grad is None else np.asarray(grad, object)[index])

    def finite(self, value: Any) -> Any:
        """The value as a number. Raises: OutsideDomain when it is infinite."""
        number = self.arithmetic.number(value)
        if number.context.isinf(number):
            raise OutsideDomain
        return number

    def at(self, direction: Mapping[Place, Any], step: Any) -> Any:
        """The value of the root after a step along the direction."""
        point = dict(self.point)
        for (tensor, index), by in direction.items():
            point[tensor] = moved(point[tensor], index, step * by)
        return self.finite(self.problem.run(self.entries, point, self.budget)[0])

    def slope(self, direction: Mapping[Place, Any]) -> Any:
        """The directional derivative of the root."""
        step = self.step / max(1, *map(abs, direction.values()))
        return (self.at(direction, step) - self.at(direction, -step)) / (2 * step)

    def slope_or_nan(self, direction: Mapping[Place, Any]) -> float:
        """The same as a float; nan at the edge of the domain."""
        try:
            return float(self.slope(direction))
        except OUTSIDE:
            return nan


def compare_at_random_points(
    problem: Problem, places: Sequence[Place], budget: Budget, points: int = POINTS
) -> tuple[int, list[Disagreement]]:
    """Compare rules and slopes at random points; return the number of points, and what differs.

    Raises: Unsupported when the budget is used up or the graph runs on float64 only.
    """
    base = {t: fractions(t._data) for t in problem.given}
    source = random.Random(0)
    found: list[Disagreement] = []
    used = float_only = 0
    for attempt in range(DRAWS):
        point = draw(problem, base, source, attempt)
        try:
            differ = compare_at(problem, point, places, budget)
            if any(isnan(d.rules) for d in differ):
                differ = compare_in_floats(problem, point, differ, budget)
                float_only += not differ
                if float_only == FLOAT_ONLY:
                    break
                if not differ:
                    continue
        except OUTSIDE:
            continue
        except Unsupported:  # the budget is used up: what was compared counts
            if used:
                break
            raise
        found.extend(differ)
        used += 1
        if used == points or found:
            break
    return used, found


def compare_in_floats(
    problem: Problem, point: Point, without: Sequence[Disagreement], budget: Budget
) -> list[Disagreement]:
    """Where the rules in float64 differ from the slopes, or have no value either.

    without: entries whose rules have no value with many digits. There a 0/0 stops the calculation
    even when the rule does not select it, as for the distance between a row and itself.
    """
    entries = float_interpretation()
    _, values = problem.run(entries, in_floats(point), budget)
    grads = problem.rules(entries, values, budget)
    found = []
    for d in without:
        tensor, index = d.place
        rule = float(np.asarray(grads.get(key_of(tensor), np.zeros(tensor.shape)))[index])
        slope = float(d.derivative)
        if isnan(slope):
            raise OutsideDomain
        if not abs(rule - slope) <= 1e-6 * max(abs(rule), abs(slope)) + 1e-9:
            found.append(replace(d, rules=rule))
    return found


def compare_at(
    problem: Problem,
    point: Point,
    places: Sequence[Place],
    budget: Budget,
    first: "PointEvaluation | None" = None,
) -> list[Disagreement]:
    """The entries whose gradient by the rules differs from the slope at this point.

    first: the problem at this point with the first precision, if it is known.
    Raises: Unstable when the values differ and change with every further digit; Suspected when
    they differ and the budget ends before it is certain, or known where.
    """
    before: dict[Place, Disagreement] = {}
    found: dict[Place, Disagreement] = {}
    left = list(places)
    try:
        for digits in PRECISIONS:
            exact = first or PointEvaluation(problem, point, digits, budget)
            first = None
            try:
                rules = {place: exact.rule(place) for place in left}
            except OUTSIDE:
                # the formula has a value here, but the rules have none
                return [Disagreement(p, point, nan, exact.slope_or_nan({p: 1})) for p in left]
            before, found = found, {}
            for together in alike(rules):
                found.update(differing(exact, {place: rules[place] for place in together}))
            for place in before.keys() & found.keys():
                if vanishes(before[place], found[place]):
                    del found[place]
            if all(place in before and same(before[place], d) for place, d in found.items()):
                return list(found.values())  # more digits change nothing, so it is not rounding
            left = list(found)
    except Unsupported as reason:
        if isinstance(reason, Suspected) or not (before or found):
            raise
        raise Suspected(str(reason)) from None
    raise Unstable(list(found.values()))


def alike(rules: Mapping[Place, Any]) -> list[list[Place]]:
    """Group the entries by the size of their gradients, so that none hides behind a larger one."""
    groups: dict[int, list[Place]] = {}
    for place, rule in rules.items():
        groups.setdefault(int(mag(rule)) // 16 if rule else -(10**9), []).append(place)
    return list(groups.values())


def mag(x: Any) -> int:
    """The exponent of the power of two next above |x|."""
    return x.context.mag(x)


def differing(exact: PointEvaluation, rules: Mapping[Place, Any]) -> dict[Place, Disagreement]:
    """The entries whose slope differs from the rules' gradient, found by bisection.

    rules: the gradients, of about one size.
    """
    source = random.Random(len(rules))
    places = list(rules)
    direction = {p: source.choice((1, -1)) * source.randint(512, 1536) / 1024 for p in places}
    if len(places) == 1:
        direction = {places[0]: 1}
    before = exact.budget.spent
    slope = exact.slope(direction)
    cost = exact.budget.spent - before
    wanted = exact.arithmetic.total([rules[p] * direction[p] for p in places])
    size = max(abs(slope), *(abs(rules[p]) for p in places))
    allowed = SAME * size
    if exact.digits > PRECISIONS[0]:
        allowed = max(allowed, abs(exact.total) * exact.smallest)
    if abs(wanted - slope) <= allowed:
        return {}
    if len(places) == 1:
        place = places[0]
        return {place: Disagreement(place, exact.at_point, rules[place], slope)}
    half = len(places) // 2
    parts = places[:half], places[half:]
    if cost * 2 * len(places).bit_length() > exact.budget.left:  # to find one and be certain
        raise Suspected("the graph is too large for finding out which")
    try:
        return {
            place: found
            for part in parts
            for place, found in differing(exact, {p: rules[p] for p in part}).items()
        }
    except Unsupported as reason:
        raise reason if isinstance(reason, Suspected) else Suspected(str(reason)) from None


def vanishes(a: Disagreement, b: Disagreement) -> bool:
    """Whether a difference shrinks with the step, as for relu(x)² at 0, and so is none.

    a, b: what was found with fewer digits and with more.
    """
    number = context(PRECISIONS[-1]).convert
    (large, long), (small, short) = (
        (abs(number(d.rules) - number(d.derivative)), number(step_of(d.derivative.context.dps)))
        for d in (a, b)
    )
    return bool(large) and 1e-3 < (small / large) / (short / long) < 1e3


def same(a: Disagreement, b: Disagreement) -> bool:
    """Whether both values stayed the same with more digits."""
    number = context(PRECISIONS[-1]).convert  # numbers of different precisions do not mix
    pairs = [(number(a.rules), number(b.rules)), (number(a.derivative), number(b.derivative))]
    size = max(abs(y) for _, y in pairs)
    return all(abs(x - y) <= 1e-12 * size for x, y in pairs)
