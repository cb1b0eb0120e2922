"""The slopes on the left and on the right of a point, with 50 digits.

At a kink they differ, at the edge of the domain only one of them exists, and they are infinite if
the curve is vertical or the function jumps. Each is the limit of three difference quotients, with
steps h, h/2 and h/4:

    if their changes shrink, they converge, and Aitken's formula gives the limit
    otherwise they grow without bound: the slope is infinite, or the function jumps (by a factor 2)

Read next: faces/symbolic/finite_differences.py
"""

from dataclasses import dataclass
from math import inf, isfinite, isnan, nan
from typing import Any

from graphlab.faces.symbolic.mp_arithmetic import OutsideDomain

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
