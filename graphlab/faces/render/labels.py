"""Label placement: each number beside a gradient's line gets the place where it covers least.

A number must not cover a card or another number, and should not cover a line; a grid finds what is
near in constant time.

Read next: faces/render/svg.py
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import inf

from graphlab.faces.render.layered_graph import FLOW
from graphlab.faces.render.metrics import FONTS, text_width
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
