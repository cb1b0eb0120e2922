"""Slopes by finite differences: on each side of a point with 50 digits, and in float64.

At a kink the two sides differ, at the edge of the domain only one of them exists, and they are
infinite if the curve is vertical or the function jumps. Each is the limit of three difference
quotients, with steps h, h/2 and h/4:

    if their changes shrink, they converge, and Aitken's formula gives the limit
    otherwise they grow without bound: the slope is infinite, or the function jumps (by a factor 2)

Float64 is used where there are neither formulas nor 50 digits, such as for a user-defined Function
that takes numbers out of its tensors; the report says so. It also shows what `gradcheck` measures.

Read next: faces/symbolic/rounding_error.py
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.interpretation import float_interpretation
from graphlab.faces.symbolic.mp_arithmetic import OutsideDomain
from graphlab.faces.symbolic.problem import Place, Problem, float_point, moved
from graphlab.faces.symbolic.rounding_error import Rounding

OUTSIDE = (OutsideDomain, ZeroDivisionError)
CLOSE = 1e-6  # relative: for quotients closer than this, the error is proportional to the step
LEAST_FACTOR = 0.99  # if successive changes have this ratio or more, there is no limit
JUMP = 1.999  # the ratio at a jump is 2: the difference stays, and the step is halved


@dataclass(frozen=True, slots=True)
class Sides:
    """The slopes on both sides; NaN on a side without values of the function.

    jumps: whether the function jumps.
    """

    left: float
    right: float
    jumps: bool = False

    @property
    def low(self) -> float:
        """The smaller slope; NaN if one of them is unknown."""
        return nan if isnan(self.left + self.right) else min(self.left, self.right)

    @property
    def high(self) -> float:
        """The larger slope; NaN if one of them is unknown."""
        return nan if isnan(self.left + self.right) else max(self.left, self.right)

    @property
    def smooth(self) -> bool:
        """Whether both slopes are the same finite number."""
        return isfinite(self.low) and isfinite(self.high) and is_smooth(self.left, self.right)

    @property
    def kink(self) -> bool:
        """Whether there are two slopes, so that any slope between them is valid."""
        return isfinite(self.low) and isfinite(self.high) and not self.smooth

    @property
    def only(self) -> float:
        """The slope at the edge of the domain, where there is one side only; otherwise NaN."""
        if isnan(self.left) == isnan(self.right):
            return nan
        return self.right if isnan(self.left) else self.left


def is_smooth(left: float, right: float) -> bool:
    """Return whether the slopes on both sides are equal."""
    return abs(left - right) <= 1e-9 * max(abs(left), abs(right))


def one_sided_slopes(exact: Any, place: Any) -> Sides:
    """Return the slopes of a PointEvaluation along one entry. Raises: Unsupported."""
    (left, before), (right, behind) = (slope(exact, place, side) for side in (-1, 1))
    return Sides(left, right, before or behind)


def slope(exact: Any, place: Any, side: int) -> tuple[float, bool]:
    """Return the slope on one side, and whether the function jumps there."""
    h = exact.step
    try:
        quotients = [side * (exact.at({place: side}, s) - exact.total) / s for s in (h, h / 2)]
        one, two = quotients
        if abs(one - two) <= CLOSE * max(abs(one), abs(two)):
            return float(without_noise(2 * two - one, exact)), False
        three = side * (exact.at({place: side}, h / 4) - exact.total) / (h / 4)
    except OUTSIDE:
        return nan, False
    if abs(without_noise(one, exact)) == 0 and abs(without_noise(three, exact)) == 0:
        return 0.0, False
    factor = (two - three) / (one - two)
    if factor >= LEAST_FACTOR:
        return (inf if three > 0 else -inf), bool(factor > JUMP)
    limit = (one * three - two * two) / (one + three - 2 * two)
    small = CLOSE * abs(three)
    return (0.0 if abs(limit) <= small else float(without_noise(limit, exact))), False


def without_noise(quotient: Any, exact: Any) -> Any:
    """Return the quotient, or 0 if it may be a rounding error of the values."""
    noise = abs(exact.total) * exact.smallest / 10**4  # with 50 digits: 1e-29 * total
    return quotient if abs(quotient) > noise else 0 * quotient


EPS = 1e-6  # the step of `gradcheck`
FLOAT_WORK = 1_000_000_000  # entries calculated in float64
FLOAT_OVERHEAD = 1_600  # a NumPy call takes as long as calculating this number of entries


class Slopes:
    """Slopes of the root in float64, along directions in which several entries move."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        self.problem, self.budget = problem, budget
        self.entries, self.base = float_interpretation(), float_point(problem)
        self.found: dict[Any, float] = {}  # what `at` has returned for steps of one entry
        self.middle = self.at({}, 0.0)  # this run fixes what stays constant: with_padding

    def at(self, direction: Mapping[Place, float], step: float) -> float:
        """Return the root after a step along the direction."""
        case = (step, *direction) if len(direction) == 1 else None
        if case in self.found:
            return self.found[case]
        point = dict(self.base)
        for (tensor, index), by in direction.items():
            point[tensor] = moved(point[tensor], index, step * by)
        value = float(self.problem.run(self.entries, point, self.budget)[0])
        if case:
            self.found[case] = value
        return value

    def step(self, direction: Mapping[Place, float]) -> float:
        """Return the step h: the truncation error is about h², the rounding error 1e-16 / h."""
        return 1e-5 * max(1.0, *(abs(float(np.asarray(self.base[t])[i])) for t, i in direction))

    def quick(self, direction: Mapping[Place, float]) -> float:
        """Return a central difference."""
        h = self.step(direction)
        return (self.at(direction, h) - self.at(direction, -h)) / (2 * h)

    def along(self, direction: Mapping[Place, float], wide: float) -> tuple[float, float]:
        """Return an extrapolated slope and a bound of its error. wide: the result of `quick`."""
        h = self.step(direction)
        narrow = (self.at(direction, h / 2) - self.at(direction, -h / 2)) / h
        rounding = 1e-15 * max(abs(self.middle), 1e-30) / h
        return (4 * narrow - wide) / 3, 4 * abs(narrow - wide) + 8 * rounding


def sides_in_floats(problem: Problem, place: Place, budget: Budget) -> Sides:
    """Return the slopes on both sides; NaN if they cannot be measured. Raises: Unsupported."""
    slopes, direction = Slopes(problem, budget), {place: 1.0}
    middle = slopes.middle

    def at_step(h: float) -> tuple[float, float]:
        far, near = (
            [side * (slopes.at(direction, side * s) - middle) / s for side in (-1, 1)]
            for s in (h, h / 2)
        )
        left, right = (2 * b - a for a, b in zip(far, near, strict=True))
        return left, right

    h = slopes.step(direction)
    wide = at_step(h)
    noise = 64e-15 * max(abs(middle), 1e-30) / h
    gap = abs(wide[1] - wide[0])
    if gap <= 1e-6 * max(map(abs, wide)) + noise:
        slope, error = slopes.along(direction, slopes.quick(direction))
        return Sides(slope, slope) if error <= 1e-6 * max(abs(slope), 1e-3) else Sides(nan, nan)
    narrow = at_step(h / 8)  # it differs if a kink is near, but not here
    moved = max(abs(a - b) for a, b in zip(wide, narrow, strict=True))
    if not moved <= 1e-3 * gap + noise:
        return Sides(nan, nan)
    return Sides(min(wide) - noise, max(wide) + noise)


@dataclass(frozen=True, slots=True)
class Slope:
    """The gradient of an entry in float64; NaN if the function is not smooth.

    measured: True for a difference quotient; False if the rules gave it and the quotient agrees.
    """

    value: float
    measured: bool = True


def float_gradients(
    problem: Problem, places: Sequence[Place], rounding: Rounding, budget: Budget
) -> Iterator[tuple[Place, Slope]]:
    """Yield the gradients of entries: the rules' if the slopes agree with them, else the slopes.

    All entries move at once, in a random direction. If that does not agree, the entries are split
    in half, depth first, so that one that differs is found soon. Raises: Unsupported; what was
    yielded before counts.
    """
    source = random.Random(len(places))
    slopes = Slopes(problem, budget)
    groups = [list(places)]
    while groups:
        group = groups.pop()
        single = len(group) == 1
        direction = {
            p: 1.0 if single else source.choice((1, -1)) * source.randint(512, 1536) / 1024
            for p in group
        }
        rules = [rounding.gradient(p) for p in group]
        given = [r * direction[p] for p, r in zip(group, rules, strict=True) if r is not None]
        known = len(given) == len(group)
        largest = max(map(abs, given), default=0.0)
        wide = slopes.quick(direction)
        if single or abs(sum(given) - wide) <= 0.01 * largest:
            slope, error = slopes.along(direction, wide)
            sharp = error <= 1e-4 * max(abs(slope), 1e-3)
            if sharp and known and abs(sum(given) - slope) <= error + 1e-7 * largest:
                yield from ((p, Slope(r, False)) for p, r in zip(group, rules, strict=True))  # type: ignore[arg-type]
                continue
            if single:
                yield group[0], Slope(slope if sharp else float("nan"))
                continue
        half = len(group) // 2
        groups += [group[half:], group[:half]]


def central_differences(
    problem: Problem, places: Sequence[Place], budget: Budget
) -> dict[Place, float]:
    """Return (f(x + eps) - f(x - eps)) / (2 eps) for each entry, as `gradcheck` measures it.

    When the budget is used up, the remaining entries are left out.
    """
    found: dict[Place, float] = {}
    with suppress(Unsupported):
        slopes = Slopes(problem, budget)
        for place in places:
            ends = slopes.at({place: 1.0}, EPS), slopes.at({place: 1.0}, -EPS)
            found[place] = (ends[0] - ends[1]) / (2 * EPS)
    return found
