"""Compare the rules' gradient with the slope of the formula itself, in numbers, to 20 digits.

The slope is a central difference with 50 digits, far closer to the derivative than any mistake.
Random points have entries on both sides of zero; a point at which the formula has no real value is
dropped. If the two differ, both are calculated again with more digits before the difference counts.

Several entries are compared at once, along one random direction in which they have about the same
weight. If that differs, each half of them is compared, until it is known which entry differs.

Read next: faces/symbolic/finite_differences.py
"""

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.finite_differences import OUTSIDE
from graphlab.faces.symbolic.interpretation import exact_interpretation, float_interpretation
from graphlab.faces.symbolic.live_graph import Tensor, key_of
from graphlab.faces.symbolic.mp_arithmetic import MpArithmetic, OutsideDomain, context
from graphlab.faces.symbolic.problem import (
    Place,
    Point,
    Problem,
    current_point,
    draw,
    fractions,
    in_floats,
    moved,
)

POINTS = 4  # random points that are compared
DRAWS = 60  # the most points that are drawn to find those, in the domain
FLOAT_ONLY = 3  # stop after this number of points at which the rules have values in float64 only
PRECISIONS = (50, 120, 400)  # digits; the next precision is used when two values differ
LOST = f"the terms of the formula cancel to more than {PRECISIONS[-1]} digits at some points"
EXACT = 2.0**-49  # relative: a Function of the user's own may hold constants as floats
SAME = 1e-20  # relative; a central difference with 50 digits and h = 1e-17 is off by about 1e-33


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A point at which the rules and the derivative give different values."""

    place: Place
    point: Point
    rules: Any
    derivative: Any

    @property
    def negative(self) -> list[Tensor]:
        """The tensors whose entries are positive now, and not all of them at this point."""
        return [t for t, at in self.point.items() if np.all(t._data > 0) > np.all(at > 0)]


class Unstable(Unsupported):
    """Rules and slopes differ, but the difference changes with more digits."""

    def __init__(self, found: "list[Disagreement]") -> None:
        super().__init__(LOST)
        self.found = found


class Suspected(Unsupported):
    """Rules and slopes differ, but the budget ends before it is certain, or known where."""

    def __init__(self, why: str) -> None:
        super().__init__(f"with 50 digits some gradient differs from the slope, but {why}")


def step_of(digits: int) -> Any:
    """Return the step of a central difference with this number of digits."""
    return context(digits).mpf(10) ** -(digits // 3)


class PointEvaluation:
    """A problem at one point, calculated with a number of digits."""

    def __init__(
        self,
        problem: Problem,
        point: Point,
        digits: int,
        budget: Budget,
        before: "PointEvaluation | None" = None,
        masked: bool = False,
    ) -> None:
        self.before = before  # the evaluation with fewer digits
        self.problem, self.budget, self.digits = problem, budget, digits
        self.at_point = point
        self.smallest = context(digits).mpf(10) ** -(digits // 2)
        self.arithmetic = MpArithmetic(digits, masked)
        self.entries = exact_interpretation(self.arithmetic, problem.constants)
        self.point = {t: self.entries.constant(values) for t, values in point.items()}
        total, self.values = problem.run(self.entries, self.point, budget)
        self.total = self.finite(total)
        self.step = step_of(digits)

    @cached_property
    def noise(self) -> Any:
        """A bound for a slope that is only rounding error.

        The error of the total is estimated from the largest intermediate value, or measured as the
        difference of two precisions.
        """
        calculator, tiny = self.arithmetic.calculator, context(self.digits).mpf(10) ** -self.digits
        if self.before is None:
            error = self.largest() * tiny
        else:
            error = abs(self.total - calculator.convert(self.before.total))
            error *= calculator.mpf(10) ** (self.before.digits - self.digits)
        return 1_000 * max(error, abs(self.total) * tiny) / self.step

    def largest(self) -> Any:
        """Return the largest intermediate value."""
        numbers = self.arithmetic.calculator.mpf
        found = (
            abs(x)
            for data in self.values.values()
            for x in (data.flat if isinstance(data, np.ndarray) else (data,))
            if isinstance(x, numbers) and self.arithmetic.calculator.isfinite(x)
        )
        return max(found, default=abs(self.total))

    @cached_property
    def rules(self) -> dict[Any, Any]:
        """The rules' gradients at this point, by key."""
        return self.problem.rules(self.entries, self.values, self.budget)

    def rule(self, place: Place) -> Any:
        """Return the rules' gradient of one entry; 0 if none arrives."""
        tensor, index = place
        grad = self.rules.get(key_of(tensor))
        return self.finite(0 if grad is None else np.asarray(grad, object)[index])

    def finite(self, value: Any) -> Any:
        """Return the value as a number. Raises: OutsideDomain if it is infinite."""
        number = self.arithmetic.number(value)
        if number.context.isinf(number):
            raise OutsideDomain
        return number

    def at(self, direction: Mapping[Place, Any], step: Any) -> Any:
        """Return the value of the root after a step along the direction."""
        point = dict(self.point)
        for (tensor, index), by in direction.items():
            point[tensor] = moved(point[tensor], index, step * by)
        return self.finite(self.problem.run(self.entries, point, self.budget)[0])

    def slope(self, direction: Mapping[Place, Any]) -> Any:
        """Return the directional derivative of the root."""
        step = self.step / max(1, *map(abs, direction.values()))
        return (self.at(direction, step) - self.at(direction, -step)) / (2 * step)

    def slope_or_nan(self, direction: Mapping[Place, Any]) -> float:
        """Return the directional derivative as a float; NaN at the edge of the domain."""
        try:
            return float(self.slope(direction))
        except OUTSIDE:
            return nan


def evaluate_here(problem: Problem, budget: Budget, masked: bool = False) -> PointEvaluation:
    """Return the problem at the current values, calculated with the fewest digits.

    masked: as in MpArithmetic.
    """
    return PointEvaluation(problem, current_point(problem), PRECISIONS[0], budget, masked=masked)


def part_without_value(problem: Problem, budget: Budget) -> str:
    """Say that a part without a value cancels in the formula, as x/x at 0; "" if none does."""
    try:
        evaluate_here(problem, budget)
    except OUTSIDE:
        return "here the formula has no value before it is simplified"
    except (Unsupported, OverflowError):
        pass
    return ""


def compare_at_random_points(
    problem: Problem, places: Sequence[Place], budget: Budget, points: int = POINTS
) -> tuple[int, list[Disagreement]]:
    """Compare rules and slopes at random points; return the number of points, and what differs.

    Raises: Unsupported if the budget is used up or the graph runs on float64 only.
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
    """Return where the rules in float64 differ from the slopes, or have no value either.

    without: entries whose rules have no value with 50 digits: there 0/0 stops the calculation even
    if the rule does not select it, as for the distance between a row and itself.
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
    """Return the entries whose gradient by the rules differs from the slope at this point.

    first: the evaluation at this point with 50 digits, if it is known. Raises: Unstable, Suspected.
    """
    before: dict[Place, Disagreement] = {}
    found: dict[Place, Disagreement] = {}
    left = list(places)
    exact: PointEvaluation | None = None
    try:
        for digits in PRECISIONS:
            exact = first or PointEvaluation(problem, point, digits, budget, exact)
            first = None
            try:
                rules = {place: exact.rule(place) for place in left}
            except OUTSIDE:
                # the formula has a value here, but the rules have none
                return [Disagreement(p, point, nan, exact.slope_or_nan({p: 1})) for p in left]
            before, found = found, {}
            for together in alike(rules, exact.noise):
                found.update(differing(exact, {place: rules[place] for place in together}))
            for place in before.keys() & found.keys():
                if vanishes(before[place], found[place]):
                    del found[place]
            if all(place in before and same(before[place], d) for place, d in found.items()):
                # more digits change nothing, so it is not rounding
                own = exact.problem.graph.functions
                return [d for d in found.values() if not (own and is_unfinished(exact, d))]
            left = list(found)
    except Unsupported as reason:
        if isinstance(reason, Suspected) or not (before or found):
            raise
        if all(isnan(d.derivative) for d in (*before.values(), *found.values())):
            return []  # the difference is as small as rounding, and the budget has no more digits
        raise Suspected(str(reason)) from None
    raise Unstable(list(found.values()))


def alike(rules: Mapping[Place, Any], noise: Any) -> list[list[Place]]:
    """Group the entries by the size of their gradients: a large one would hide a small mistake.

    noise: gradients up to this size may be rounding errors.
    """
    groups: dict[int, list[Place]] = {}
    for place, rule in rules.items():
        size = rule.context.mag(rule) // 16 if abs(rule) > noise else -(10**9)  # powers of two
        groups.setdefault(size, []).append(place)
    return list(groups.values())


def differing(exact: PointEvaluation, rules: Mapping[Place, Any]) -> dict[Place, Disagreement]:
    """Return the entries whose slope differs from the rules' gradient, found by bisection.

    rules: the gradients, of similar size.
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
    if exact.problem.graph.functions:
        allowed = max(allowed, EXACT * min(abs(rules[p]) for p in places))
    if exact.digits > PRECISIONS[0]:
        allowed = max(allowed, exact.noise)
    if abs(wanted - slope) <= allowed:
        return {}
    if len(places) == 1:
        place = places[0]
        return {place: Disagreement(place, exact.at_point, rules[place], slope)}
    if abs(wanted - slope) <= exact.noise:  # more digits will show
        unknown = exact.arithmetic.calculator.nan
        return {p: Disagreement(p, exact.at_point, rules[p], unknown) for p in places}
    half = len(places) // 2
    parts = places[:half], places[half:]
    if cost * 2 * len(places).bit_length() > exact.budget.left:  # to find one and be certain
        raise Suspected("the graph is too large to find out which")
    try:
        return {
            place: found
            for part in parts
            for place, found in differing(exact, {p: rules[p] for p in part}).items()
        }
    except Unsupported as reason:
        raise reason if isinstance(reason, Suspected) else Suspected(str(reason)) from None


def is_unfinished(exact: PointEvaluation, found: Disagreement) -> bool:
    """Return whether a gradient is off by less than more rounds of a loop may change the slope.

    That is estimated from three rounds, as for a geometric series; gradcheck must not see it.
    """
    slopes, place, off = [], found.place, abs(found.rules - found.derivative)
    with suppress(Unsupported, *OUTSIDE):
        for count in (2, 1, 0):
            exact.entries.skipped = count
            slopes.append(exact.slope({place: 1}))
        before, last = abs(slopes[1] - slopes[0]), abs(slopes[2] - slopes[1])
        if off <= 4 * last * last / (before - last) <= 1e-5 + 1e-3 * abs(found.derivative):
            unfinished = exact.problem.unfinished
            unfinished[place] = max(float(off), unfinished.get(place, 0.0))
            return True
    exact.entries.skipped = 0
    return False


def vanishes(a: Disagreement, b: Disagreement) -> bool:
    """Return whether a difference shrinks with the step, as for relu(x)² at 0: then it is none.

    a, b: what was found with fewer digits and with more.
    """
    number = context(PRECISIONS[-1]).convert
    (large, long), (small, short) = (
        (abs(number(d.rules) - number(d.derivative)), number(step_of(d.derivative.context.dps)))
        for d in (a, b)
    )
    return bool(large) and 1e-3 < (small / large) / (short / long) < 1e3


def same(a: Disagreement, b: Disagreement) -> bool:
    """Return whether both values stayed the same with more digits."""
    number = context(PRECISIONS[-1]).convert  # numbers of different precisions do not mix
    pairs = [(number(a.rules), number(b.rules)), (number(a.derivative), number(b.derivative))]
    size = max(abs(y) for _, y in pairs)
    return all(abs(x - y) <= 1e-12 * size for x, y in pairs)
