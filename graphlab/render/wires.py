"""Wires and, below each, the line that its gradient takes back: curves in the gaps, straight lines
through the columns, arrowheads as shapes of their own.

Read next: render/labels.py
"""

from __future__ import annotations

from dataclasses import dataclass

from graphlab.render.labels import Point
from graphlab.render.metrics import pixels

HEAD = 9.0  # length of an arrowhead
Gap = tuple[float, float, float, float]  # left end x, y, right end x, y
SAMPLES = 14  # points that stand for a curve


@dataclass(frozen=True, slots=True)
class Route:
    """A line from left to right: straight to the first gap, curves, straight to its end."""

    start: Point
    gaps: tuple[Gap, ...]
    end: Point

    def lowered(self, by: float) -> Route:
        """The same way, `by` pixels lower."""
        gaps = tuple((x0, y0 + by, x1, y1 + by) for x0, y0, x1, y1 in self.gaps)
        return Route((self.start[0], self.start[1] + by), gaps, (self.end[0], self.end[1] + by))


def to_right(route: Route) -> str:
    """Path data from the start to the foot of the arrowhead at the end."""
    parts, here = [f"M{_at(*route.start)}"], route.start[0]
    for x0, y0, x1, y1 in route.gaps:
        first, second = _controls((x0, y0, x1, y1), 0.0)
        parts += _level(here, x0) + _turn(y0, y1, first, second, x1)
        here = x1
    return "".join(parts + _level(here, route.end[0] - HEAD + 1))


def to_left(route: Route, bowed: bool = False) -> str:
    """Path data from the end back to the foot of the arrowhead at the start."""
    parts, here = [f"M{_at(*route.end)}"], route.end[0]
    for gap in reversed(route.gaps):
        x0, y0, x1, y1 = gap
        first, second = _controls(gap, bow(gap) if bowed else 0.0)
        parts += _level(here, x1) + _turn(y1, y0, second, first, x0)
        here = x0
    return "".join(parts + _level(here, route.start[0] + HEAD - 1))


def _level(here: float, there: float) -> list[str]:
    return [f"H{pixels(there)}"] if abs(here - there) > 0.05 else []


def _turn(y: float, to_y: float, first: float, second: float, to_x: float) -> list[str]:
    if abs(y - to_y) < 0.05:
        return [f"H{pixels(to_x)}"]
    return [f"C{_at(first, y)} {_at(second, to_y)} {_at(to_x, to_y)}"]


def head_right(x: float, y: float, size: float = HEAD) -> str:
    """An arrowhead with its point at (x, y)."""
    return f"M{_at(x, y)}l{pixels(-size)} {pixels(-size * 0.43)}v{pixels(size * 0.86)}z"


def head_left(x: float, y: float, size: float = HEAD) -> str:
    """The same, pointing to the left."""
    return f"M{_at(x, y)}l{pixels(size)} {pixels(-size * 0.43)}v{pixels(size * 0.86)}z"


def bow(gap: Gap) -> float:
    """How far to push a gradient's curve sideways: clear of its wire where that is steep."""
    rise = gap[3] - gap[1]
    most = min(9.0, 0.14 * (gap[2] - gap[0]))
    return -most * max(-1.0, min(1.0, rise / 40))


def sample(gap: Gap, bow: float = 0.0) -> list[Point]:
    """Points along the curve through `gap`, from left to right."""
    x0, y0, x1, y1 = gap
    first, second = _controls(gap, bow)
    points: list[Point] = []
    for k in range(SAMPLES + 1):
        t = k / SAMPLES
        u = 1 - t
        x = u**3 * x0 + 3 * u * u * t * first + 3 * u * t * t * second + t**3 * x1
        y = (u**3 + 3 * u * u * t) * y0 + (3 * u * t * t + t**3) * y1
        points.append((x, y))
    return points


Seen = dict[Point, int]  # where a level piece begins -> how many of its points were given


def straight(route: Route, seen: Seen) -> list[Point]:
    """Points along the level pieces of `route`, through the columns; none that was given before."""
    ends = [route.start, *((x1, y1) for _, _, x1, y1 in route.gaps)]
    starts = [*((x0, y0) for x0, y0, _, _ in route.gaps), route.end]
    points: list[Point] = []
    for (x0, y), (x1, _) in zip(ends, starts, strict=True):
        count = int((x1 - x0) // 8) + 1
        points.extend((x0 + 8 * k, y) for k in range(seen.get((x0, y), 0), count))
        seen[x0, y] = max(seen.get((x0, y), 0), count)
    return points


def _controls(gap: Gap, shift: float) -> tuple[float, float]:
    x0, _, x1, _ = gap
    half = 0.52 * (x1 - x0)
    return min(max(x0 + half + shift, x0), x1), max(min(x1 - half + shift, x1), x0)


def _at(x: float, y: float) -> str:
    return f"{pixels(x)} {pixels(y)}"
