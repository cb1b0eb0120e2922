"""What a picture shows of a function of one number: its window, its points, its ends, its slopes.

js/src/tangent.ts is the same for the player.

Read next: faces/render/slope.py
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Function = Callable[[float], float]
Window = tuple[float, float]
Point = tuple[float, float]

SAMPLES = 161
HALVINGS = 48
STEP = 2.0**-17  # the step of a one-sided difference, relative to the number
KINK = 1e-4  # relative: a smaller difference of the slopes is not a kink
ALONE = 1e-3  # part of the window: a function that is known in less is known at one point
GROWS = 1.3  # where differences grow by this factor from step to step, the slope is infinite
ROUNDED = 1e-8  # relative to the height: a smaller change is a rounding error


@dataclass(frozen=True, slots=True)
class Border:
    """A point at which the domain of a function ends."""

    at: float
    below: bool  # whether the function is defined below it, or else above
    open: bool  # whether the function is not defined at the point itself


def around(x: float) -> Window:
    """Return the window around a number, wide enough to contain 0.

    >>> around(10.0)
    (-2.0, 22.0)
    """
    half = (abs(x) or 1.0) * 1.2
    return x - half, x + half


def sampled(f: Function, window: Window) -> tuple[list[Point], list[Border]]:
    """Return the points of a curve, with NaN where it is not defined, and the ends of its domain.

    >>> sampled(lambda x: math.sqrt(x) if x >= 0 else math.nan, (-1.0, 2.0))[1]
    [Border(at=0.0, below=False, open=False)]
    """
    low, high = window
    points: list[Point] = []
    borders: list[Border] = []
    for k in range(SAMPLES):
        x = low + (high - low) * k / (SAMPLES - 1)
        y = f(x)
        there = math.isfinite(y)
        if points and there != math.isfinite(points[-1][1]):
            yes, no = (x, points[-1][0]) if there else (points[-1][0], x)
            for _ in range(HALVINGS):
                middle = (yes + no) / 2
                yes, no = (middle, no) if math.isfinite(f(middle)) else (yes, middle)
            at = _short(no, high - low)
            borders.append(Border(at, not there, not math.isfinite(f(at))))
            end = (yes, f(yes))
            points += [(at, math.nan), end] if there else [end, (at, math.nan)]
        points.append((x, y if there else math.nan))
    return points, borders


def _short(x: float, width: float) -> float:
    """Return a number with few digits that is close enough, or the number itself."""
    if abs(x) < 1e-9 * width:
        return 0.0
    near = float(f"{x:.6g}")
    return near if abs(near - x) < 1e-9 * width else x


def undefined_where(borders: Sequence[Border], name: str, problem: str = "") -> str:
    """Say where a function of `name` is not defined; "" if it is defined in the whole window.

    problem: why the graph would be another one, where it would be.
    >>> undefined_where([Border(0.0, below=False, open=True)], "d")
    'not defined for d ≤ 0'
    """
    if not borders:
        return ""
    one, what = borders[0], "another graph" if problem else "not defined"
    if len(borders) == 1:
        return f"{what} for {name} {'<>≤≥'[one.below + 2 * one.open]} {tick(one.at)}"
    if len(borders) == 2 and one.below and one.at == borders[1].at:
        return f"{what} at {name} = {tick(one.at)}"
    return f"{what} here"


def heights(points: Sequence[Point], kept: Sequence[float]) -> Window:
    """Return the heights to show: all, or the middle ones if a few are far away; always `kept`.

    >>> heights([(0, 0), (1, 1)], [3.0])
    (-0.18, 3.18)
    """
    known = sorted(y for _, y in points if math.isfinite(y)) or [0.0]
    least, most = (known[round(share * (len(known) - 1))] for share in (0.1, 0.9))
    low, high, middle = known[0], known[-1], most - least
    if high - low > 6 * middle > 0:
        low, high = max(low, least - middle), min(high, most + middle)
    inside = [y for y in kept if math.isfinite(y)]
    low, high = min([low, *inside]), max([high, *inside])
    xs = [x for x, y in points if math.isfinite(y)]
    if xs and xs[-1] - xs[0] < ALONE * (points[-1][0] - points[0][0]):
        low = high = (low + high) / 2
    free = (high - low) * 0.06 or abs(high) or 1.0
    return low - free, high + free


@dataclass(frozen=True, slots=True)
class Slopes:
    """The slopes on both sides of a point; NaN on a side where the function is not defined."""

    left: float
    right: float
    kink: bool  # whether they differ

    @property
    def mean(self) -> float:
        return (self.left + self.right) / 2


def one_sided(f: Function, x: float) -> Slopes:
    """Return the slopes of a function on both sides of a point, by finite differences.

    >>> one_sided(abs, 0.0)
    Slopes(left=-1.0, right=1.0, kink=True)
    """
    size = abs(x) or 1.0
    h, y = STEP * size, f(x)
    far, near, next_to_it = (
        ((y - f(x - step)) / step, (f(x + step) - y) / step) for step in (h, h / 8, h / 64)
    )
    left, right = map(limit, far, near, next_to_it)
    gap, before = abs(right - left), abs(far[1] - far[0])
    largest = max(abs(left), abs(right))
    # the gap of a smooth curve shrinks with h
    kink = gap > before / 2 and gap > KINK * largest and largest * size > ROUNDED * abs(y)
    return Slopes(left, right, kink or math.isinf(gap))


def limit(far: float, near: float, next_to_it: float) -> float:
    """Return the slope, from differences with steps h, h/8 and h/64; ±∞ if they keep growing."""
    grows = abs(next_to_it) > GROWS * abs(near) and next_to_it * far > 0.9 * near * near
    return math.copysign(math.inf, near) if grows else near


def tick(number: float) -> str:
    """Return a number for an axis or a sentence, with 3 digits.

    >>> tick(0.15000001), tick(-3.0), tick(2.5e-7), tick(math.nan)
    ('0.15', '−3', '2.5e−7', 'nan')
    """
    if not math.isfinite(number):
        return "nan" if math.isnan(number) else "∞" if number > 0 else "−∞"
    rounded = float(f"{number:.3g}")
    if rounded and not 1e-3 <= abs(rounded) < 1e5:
        digits, _, power = f"{rounded:.2e}".partition("e")
        text = f"{float(digits):g}e{int(power)}"
    else:
        text = f"{rounded:g}" if rounded else "0"
    return text.replace("-", "−")
