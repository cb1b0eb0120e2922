"""The paths of wires and of the gradients that flow back along them.

Lines curve in the gaps between columns and are straight in the columns. Arrowheads are separate
shapes.

Read next: faces/render/labels.py
"""

from functools import lru_cache
from itertools import pairwise
from math import copysign

from graphlab.faces.render.labels import Point
from graphlab.faces.render.layered_graph import Back, Gap
from graphlab.faces.render.metrics import pixels
from graphlab.graph.codec import record

HEAD = 9.0  # length of an arrowhead
LEVEL = 0.05  # pixels: smaller steps are ignored
CORNER = 7.0  # radius of the corners of a line that goes back to the next row
SAMPLES = 14  # segments that approximate a curve
# the Bernstein polynomials at each point: weights of the start, two control points and the end
SHARES = tuple(
    ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
    for t in (k / SAMPLES for k in range(SAMPLES + 1))
)
APART = 4.0  # pixels between points on a horizontal piece
BESIDE = 60.0  # pixels of a horizontal piece beside a curve where a label may stand


@record
class Route:
    """A line from left to right: straight to the first gap, curves, straight to its end."""

    start: Point
    gaps: tuple[Gap | Back, ...]  # the last one is a Gap
    end: Point

    def lowered(self, by: float) -> "Route":
        """Return the parallel route `by` pixels lower."""
        gaps = tuple(
            gap.inside(by) if isinstance(gap, Back) else (gap[0], gap[1] + by, gap[2], gap[3] + by)
            for gap in self.gaps
        )
        return Route((self.start[0], self.start[1] + by), gaps, (self.end[0], self.end[1] + by))


def to_right(route: Route) -> str:
    """Return path data from the start to the base of the arrowhead at the end."""
    return _path(route.start, route.gaps, route.end[0] - HEAD + 1)


def to_left(route: Route, bowed: bool = False) -> str:
    """Return path data from the end back to the base of the arrowhead at the start."""
    return _path(route.end, route.gaps[::-1], route.start[0] + HEAD - 1, back=True, bowed=bowed)


def _path(
    start: Point, gaps: tuple[Gap | Back, ...], end: float, back: bool = False, bowed: bool = False
) -> str:
    here, y = start
    data = f"M{_at(here, y)}"
    for gap in gaps:
        if isinstance(gap, Back):
            data += _turned(gap, back)
            here = gap.right - CORNER if back else gap.left + CORNER
            continue
        x0, y0, x1, y1 = gap
        if abs(y0 - y1) < LEVEL:
            continue
        first, second = _controls(gap, bow(gap) if bowed else 0.0)
        if back:
            x0, y0, first, second, x1, y1 = x1, y1, second, first, x0, y0
        data += f"{_level(here, x0)}C{_at(first, y0)} {_at(second, y1)} {_at(x1, y1)}"
        here = x1
    return data + _level(here, end)


def _level(here: float, there: float) -> str:
    return f"H{pixels(there)}" if abs(here - there) >= LEVEL else ""


def head(point: Point, left: bool = False) -> str:
    """Return an arrowhead with its tip at `point`, which points right or left."""
    return f"M{_at(*point)}{_HEADS[left]}"


def _outline(base: float) -> str:
    return f"l{pixels(base)} {pixels(-HEAD * 0.43)}v{pixels(HEAD * 0.86)}z"


_HEADS = _outline(-HEAD), _outline(HEAD)  # from the tip on


def bow(gap: Gap) -> float:
    """Return how far to move a gradient's curve sideways, away from a steep wire."""
    rise = gap[3] - gap[1]
    most = min(9.0, 0.14 * (gap[2] - gap[0]))
    return -most * max(-1.0, min(1.0, rise / 40))


def sample(gap: Gap, bow: float = 0.0) -> list[Point]:
    """Return points along the curve through `gap`, from left to right."""
    x0, y0, x1, y1 = gap
    first, second = _controls(gap, bow)
    return [
        (a * x0 + b * first + c * second + d * x1, (a + b) * y0 + (c + d) * y1)
        for a, b, c, d in SHARES
    ]


def corners(back: Back) -> list[Point]:
    """Return the start, the four corners and the end of a line that goes back to the next row."""
    x0, y0, x1, y1, right, channel, left = back
    return [(x0, y0), (right, y0), (right, channel), (left, channel), (left, y1), (x1, y1)]


@lru_cache(maxsize=1024)  # many wires share one line
def _turned(line: Back, back: bool) -> str:
    """Return path data along horizontal and vertical pieces with rounded corners."""
    points = corners(line)[:: -1 if back else 1]
    data = ""
    for (x0, y0), (x, y), (x1, y1) in zip(points, points[1:], points[2:], strict=False):
        before, up = _towards(x, x0), _towards(y, y0)  # one of them is 0, as below
        after, down = _towards(x, x1), _towards(y, y1)
        data += f"H{pixels(x + before)}" if before else f"V{pixels(y + up)}"
        data += f"C{_at(x + before / 2, y + up / 2)} {_at(x + after / 2, y + down / 2)} "
        data += _at(x + after, y + down)
    return data


def _towards(here: float, there: float) -> float:
    return 0.0 if here == there else copysign(CORNER, there - here)


def along(back: Back) -> list[Point]:
    """Return points along a line that goes back to the next row."""
    points: list[Point] = []
    for (x0, y0), (x1, y1) in pairwise(corners(back)):
        steps = int(max(abs(x1 - x0), abs(y1 - y0)) // 8) + 1
        points += [(x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps) for k in range(steps)]
    return points


def last_stretch(route: Route) -> list[Point]:
    """Return points along a gradient's last curve, and the horizontal pieces beside it."""
    gap = route.gaps[-1]
    assert not isinstance(gap, Back), "a line ends between two columns of one row"
    before = route.gaps[-2][2] if len(route.gaps) > 1 else route.start[0]
    ahead = [(x, gap[1]) for x in _every(max(before, gap[0] - BESIDE), gap[0])]
    after = [(x, gap[3]) for x in _every(gap[2] + APART, min(route.end[0], gap[2] + BESIDE))]
    return [*ahead, *sample(gap, bow(gap)), *after]


def _every(left: float, right: float) -> list[float]:
    """Return places from `left` up to, but not including, `right`."""
    count = int((right - left) / APART)
    return [left + APART * k for k in range(count)]


Seen = dict[Point, int]  # start of a horizontal piece -> how many of its points were returned


def straight(route: Route, seen: Seen) -> list[Point]:
    """Return points along the horizontal pieces of `route`, without those returned before."""
    ends = [route.start, *(gap[2:4] for gap in route.gaps)]
    starts = [*(gap[:2] for gap in route.gaps), route.end]
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
