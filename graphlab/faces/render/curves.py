"""The paths of wires and of the gradients that flow back along them, and their numbers' places.

Lines curve in the gaps between columns and are straight in the columns. Arrowheads are separate
shapes. The number beside a gradient's line gets the place where it covers least: it must not cover
a card or another number, and should not cover a line. A grid finds what is near in constant time.

Read next: faces/render/svg.py
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import copysign, inf

from graphlab.faces.render.layered_graph import FLOW, Back, Gap
from graphlab.faces.render.metrics import FONTS, pixels, text_width
from graphlab.graph.codec import record
from graphlab.graph.scene import Mark

Point = tuple[float, float]
Rect = tuple[float, float, float, float]  # left, top, right, bottom

CELL = 24.0  # pixels
HEIGHT = 11.0  # of a label
# below a gradient's line, above its wire, further below, between line and wire
PLACES = ((1, 4.5), (-1, 4.5 + FLOW), (1, 12.0), (-1, 4.5))
PARTS = (0.5, 0.35, 0.65, 0.2, 0.8, 0.0, 1.0)  # of the way along a curve
# the best first: penalty, the point on the curve, on which side of it, how far away
BESIDE = sorted(
    (0.3 * later + 0.6 * effort, part, side, away)
    for later, part in enumerate(PARTS)
    for effort, (side, away) in enumerate(PLACES)
)
ALONG = (0.5, 0.0, 1.0, 0.25, 0.75)  # places between the ends of a curve
FAR = 12.0  # pixels between a line and its label: this costs as much as covering one point
COVERED = 30  # cost of covering a card or another label
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
BESIDE_CURVE = 60.0  # pixels of a horizontal piece beside a curve where a label may stand


def extent(mark: Mark) -> Rect:
    """Return the rectangle that a mark covers; paths are added as points instead."""
    if mark.m in ("rect", "heat"):
        return mark.x, mark.y, mark.x + mark.w, mark.y + mark.h
    if mark.m == "circle":
        return mark.x - mark.r, mark.y - mark.r, mark.x + mark.r, mark.y + mark.r
    font = FONTS.get(mark.c, FONTS["caption"])
    width = text_width(mark.t, font)
    left = mark.x - {"start": 0.0, "middle": width / 2, "end": width}[mark.a]
    return left, mark.y - 0.8 * font.size, left + width, mark.y + 0.22 * font.size


class Obstacles:
    """What labels should not cover: points of lines, cards, and labels placed before."""

    def __init__(self) -> None:
        self._points: defaultdict[tuple[int, int], list[Point]] = defaultdict(list)
        self._rects: defaultdict[tuple[int, int], list[Rect]] = defaultdict(list)

    def add_line(self, points: Iterable[Point]) -> None:
        cells = self._points
        for point in points:
            cells[int(point[0] // CELL), int(point[1] // CELL)].append(point)

    def add_rect(self, rect: Rect) -> None:
        for cell in _cells(rect):
            self._rects[cell].append(rect)

    def cost(self, rect: Rect, most: float = inf) -> float:
        """Return the cost of covering `rect`; counting stops when it reaches `most`."""
        left, top, right, bottom = rect
        found = 0.0
        cells = _cells(rect)
        for cell in cells:
            for x0, y0, x1, y1 in self._rects.get(cell, ()):
                if x1 > left and x0 < right and y1 > top and y0 < bottom:
                    found += COVERED
                    if found >= most:
                        return found
        for cell in cells:
            for x, y in self._points.get(cell, ()):
                if left <= x <= right and top <= y <= bottom:
                    found += 1
            if found >= most:
                return found
        return found


def _cells(rect: Rect) -> list[tuple[int, int]]:
    left, right = int(rect[0] // CELL), int(rect[2] // CELL)
    top, bottom = int(rect[1] // CELL), int(rect[3] // CELL)
    if left == right and top == bottom:  # true for most texts
        return [(left, top)]
    return [(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)]


def place_label(
    obstacles: Obstacles, curve: Sequence[Point], width: float, lines: int = 1
) -> Point:
    """Return the best place near `curve` for a label: its centre x and first baseline.

    width: of the label, in pixels. lines: how many lines of text it has.
    """
    tall = HEIGHT * lines
    lowest, place, covered = inf, curve[0], None
    for places in (_beside(curve, width, tall), _along(curve, width, tall)):
        for at_least, centre, middle in places:
            if lowest <= at_least:
                break  # neither this place nor those that follow can be better
            left, top = centre - width / 2 - 1, middle - tall / 2
            rect = (left, top, left + width + 2, top + tall)
            cost = obstacles.cost(rect, lowest - at_least) + at_least
            if cost < lowest:
                lowest, place, covered = cost, (centre, top + HEIGHT - 1.8), rect
    assert covered is not None, "one of the places has the lowest cost"
    obstacles.add_rect(covered)
    return place


def _beside(
    curve: Sequence[Point], width: float, tall: float
) -> Iterator[tuple[float, float, float]]:
    """Yield places around points of a curve, the best first: penalty, centre and middle."""
    last = len(curve) - 1
    for effort, part, side, away in BESIDE:
        k = round(part * last)
        x, y = curve[k]
        ahead, behind = curve[min(k + 1, last)], curve[max(k - 1, 0)]
        rise, run = ahead[1] - behind[1], ahead[0] - behind[0]
        shift, drop = 0.0, tall / 2 + away
        if abs(rise) > 0.35 * abs(run):  # beside a steep line rather than below it
            shift, drop = width / 2 + away, 4.0
            shift = -shift if (rise * run > 0) == (side > 0) else shift
        yield effort, x + shift, y + side * drop


def _along(
    curve: Sequence[Point], width: float, tall: float
) -> Iterator[tuple[float, float, float]]:
    """Yield places below the part of a curve that a label spans, and above it and its wire."""
    left, right = curve[0][0] + width / 2, curve[-1][0] - width / 2
    if left > right:
        left = right = (left + right) / 2
    for later, part in enumerate(ALONG):
        centre = left + part * (right - left)
        spanned = [y for x, y in curve if abs(x - centre) <= width / 2 + 2]
        here = min(curve, key=lambda point: abs(point[0] - centre))[1]
        low, high = max(spanned, default=here) + 3, min(spanned, default=here) - FLOW - 3
        for effort, (edge, side) in enumerate(((low, 1), (high, -1))):
            far = abs(edge - here) / FAR
            yield 2 + 0.2 * later + 0.4 * effort + far, centre, edge + side * tall / 2


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
    ahead = [(x, gap[1]) for x in _every(max(before, gap[0] - BESIDE_CURVE), gap[0])]
    after = [(x, gap[3]) for x in _every(gap[2] + APART, min(route.end[0], gap[2] + BESIDE_CURVE))]
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
