"""Slopes by finite differences: on each side of a point with 50 digits, and in float64.

At a kink the two sides differ, at the edge of the domain only one of them exists, and they are
infinite if the curve is vertical or the function jumps. Each is the limit of three difference
quotients, with steps h, h/2 and h/4:

    if their changes shrink, they converge, and Aitken's formula gives the limit
    otherwise they grow without bound: the slope is infinite, or the function jumps (by a factor 2)

Float64 is used where there are neither formulas nor 50 digits, such as for a user-defined Function
that takes numbers out of its tensors, and to show what `gradcheck` measures. For a Function that
returns a coarser type, such as float32, the steps are wider, and the slopes less exact.

Read next: faces/symbolic/rounding_error.py
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.interpretation import float_interpretation
from graphlab.faces.symbolic.mp_arithmetic import OutsideDomain
from graphlab.faces.symbolic.problem import Place, Problem, float_point, moved

if TYPE_CHECKING:
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
        """The smaller slope; NaN if one of them is unknown, as for `high`, the larger one."""
        return nan if isnan(self.left + self.right) else min(self.left, self.right)

    @property
    def high(self) -> float:
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
UNIT = 1e-15  # the relative rounding error of a value in float64
COARSE = 1e-2  # how exact a slope must be that was measured in a coarser type
FLOAT_WORK = 1_000_000_000  # entries calculated in float64
FLOAT_OVERHEAD = 1_600  # a NumPy call takes as long as calculating this number of entries


def unit_of(kinds: Iterable[np.dtype]) -> float:
    """Return the relative rounding error of the type with the fewest digits."""
    return max([UNIT, *(float(np.finfo(kind).eps) for kind in kinds if kind != np.float64)])


def step_for(unit: float) -> float:
    """Return the relative step of a central difference."""
    return 1e-5 if unit == UNIT else unit ** (1 / 3)


class Slopes:
    """Slopes of the root in float64, along directions in which several entries move.

    unit: the relative rounding error, of the coarsest type that a Function returned.
    """

    def __init__(self, problem: Problem, budget: Budget) -> None:
        self.problem, self.budget = problem, budget
        self.entries, self.base = float_interpretation(), float_point(problem)
        self.found: dict[Any, float] = {}  # what `at` has returned for steps of one entry
        self.middle = self.root_at(self.base)  # this run fixes what stays constant: with_padding
        self.unit = unit_of(self.entries.returned)
        self.rounding = self.unit * max(abs(self.middle), 1e-30)  # of the root
        if self.unit > UNIT:  # terms of a sum may be larger: measured beside a straight line
            near = [
                self.root_at({t: x * (1 + by * self.unit) for t, x in self.base.items()})
                for by in (-0.9, -0.7, -0.4, 0.4, 0.7, 0.9)
            ]
            off = (abs(a + b - 2 * self.middle) for a, b in zip(near, near[::-1], strict=True))
            self.rounding = max(self.rounding, *off)

    def root_at(self, point: Mapping[Any, Any]) -> float:
        """Return the root at a point."""
        return float(self.problem.run(self.entries, dict(point), self.budget)[0])

    def at(self, direction: Mapping[Place, float], step: float) -> float:
        """Return the root after a step along the direction."""
        case = (step, *direction) if len(direction) == 1 else None
        if case in self.found:
            return self.found[case]
        point = dict(self.base)
        for (tensor, index), by in direction.items():
            point[tensor] = moved(point[tensor], index, step * by)
        value = self.root_at(point)
        if case:
            self.found[case] = value
        return value

    def step(self, direction: Mapping[Place, float]) -> float:
        """Return the step h: the truncation error is about h², the rounding error 1e-16 / h."""
        sizes = (abs(float(np.asarray(self.base[t])[i])) for t, i in direction)
        return step_for(self.unit) * max(1.0, *sizes)

    def quick(self, direction: Mapping[Place, float], part: float = 1) -> float:
        """Return a central difference. part: of the step."""
        h = part * self.step(direction)
        return (self.at(direction, h) - self.at(direction, -h)) / (2 * h)

    def along(self, direction: Mapping[Place, float]) -> tuple[float, float]:
        """Return an extrapolated slope and a bound of its error."""
        found = []
        for part in (1,) if self.unit == UNIT else (1, 8, 1 / 8, 1 / 64):
            wide, narrow = self.quick(direction, part), self.quick(direction, part / 2)
            noise = 8 * self.rounding / (part * self.step(direction))
            found.append(((4 * narrow - wide) / 3, 4 * abs(narrow - wide) + noise))
        return min(found, key=lambda one: one[1])


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
    noise, fine = 64 * slopes.rounding / h, slopes.unit == UNIT
    gap = abs(wide[1] - wide[0])
    if gap <= (1e-6 if fine else 1e-4) * max(map(abs, wide)) + noise:
        slope, error = slopes.along(direction)
        exact = error <= 1e-6 * max(abs(slope), 1e-3) or not fine
        return Sides(slope, slope) if exact else Sides(nan, nan)
    narrow = at_step(h / 8)  # it differs if a kink is near, but not here
    moved = max(abs(a - b) for a, b in zip(wide, narrow, strict=True))
    if not moved <= 1e-3 * gap + noise:
        return Sides(nan, nan)
    return Sides(min(wide) - noise, max(wide) + noise)


@dataclass(frozen=True, slots=True)
class Slope:
    """The gradient of an entry in float64; NaN if the function is not smooth.

    measured: True for a difference quotient; False if the rules gave it and the quotient agrees.
    error: a bound of the quotient's error. kind: the coarser type that it was measured in, if any.
    """

    value: float
    measured: bool = True
    error: float = 0.0
    kind: str = ""

    def notes(self, finite: bool) -> list[str]:
        """Say why there is no slope, or how it was measured. finite: whether the root is."""
        notes = [f"measured in {self.kind} only, the type that the forward returns"] * bool(
            self.kind
        )
        if isnan(self.value):
            why = "is not smooth, or is rounded too much," if finite else "has no finite value"
            notes.append(f"the slope could not be measured: the function {why} here")
        return notes


def float_gradients(
    problem: Problem, places: Sequence[Place], rounding: "Rounding", budget: Budget
) -> Iterator[tuple[Place, Slope]]:
    """Yield the gradients of entries: the rules' if the slopes agree with them, else the slopes.

    All entries move at once, in a random direction. If that does not agree, the entries are split
    in half, depth first, so that one that differs is found soon. Raises: Unsupported; what was
    yielded before counts.
    """
    source = random.Random(len(places))
    slopes = Slopes(problem, budget)
    fine = slopes.unit == UNIT
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
            slope, error = slopes.along(direction)
            sharp = error <= (
                1e-4 * max(abs(slope), 1e-3) if fine else COARSE * max(abs(slope), 0.05)
            )
            if sharp and known and abs(sum(given) - slope) <= error + 1e-7 * largest:
                yield from ((p, Slope(r, False)) for p, r in zip(group, rules, strict=True))  # type: ignore[arg-type]
                continue
            if single:
                kind = "" if fine else f"float{16 if slopes.unit > 1e-4 else 32}"
                yield group[0], Slope(slope if sharp else nan, True, error, kind)
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
