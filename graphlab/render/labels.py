"""Where the numbers along the gradients stand: each takes the place that covers least.

A number may lie on no card, on no other number and, if possible, on no line. All lines are known
before the first number is placed; a grid makes each question cost the same in any picture.

Read next: render/svg.py
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphlab.graph.scene import Mark
from graphlab.render.layout import FLOW
from graphlab.render.metrics import FONTS, text_width

Point = tuple[float, float]
Rect = tuple[float, float, float, float]  # left, top, right, bottom

CELL = 24.0  # pixels
HEIGHT = 11.0  # of a label
# below a gradient's line, above the wire over it, further below, between the two
PLACES = ((1, 4.5), (-1, 4.5 + FLOW), (1, 12.0), (-1, 4.5))


def extent(mark: Mark) -> Rect:
    """The rectangle that a mark covers; a path's is empty, lines are added as points."""
    if mark.m == "rect":
        return mark.x, mark.y, mark.x + mark.w, mark.y + mark.h
    if mark.m == "circle":
        return mark.x - mark.r, mark.y - mark.r, mark.x + mark.r, mark.y + mark.r
    if mark.m == "path":
        return 0, 0, 0, 0
    font = FONTS.get(mark.c, FONTS["caption"])
    width = text_width(mark.t, font)
    left = mark.x - {"start": 0.0, "middle": width / 2, "end": width}[mark.a]
    return left, mark.y - 0.8 * font.size, left + width, mark.y + 0.22 * font.size


class Crowd:
    """The points of lines and the labels that are already there."""

    def __init__(self) -> None:
        self._points: dict[tuple[int, int], list[Point]] = {}
        self._rects: dict[tuple[int, int], list[Rect]] = {}

    def add_line(self, points: Iterable[Point]) -> None:
        for x, y in points:
            self._points.setdefault((int(x // CELL), int(y // CELL)), []).append((x, y))

    def add_rect(self, rect: Rect) -> None:
        for cell in _cells(rect):
            self._rects.setdefault(cell, []).append(rect)

    def cost(self, rect: Rect) -> float:
        """How bad it is to cover `rect`: a label or card counts as much as many points of lines."""
        left, top, right, bottom = rect
        found = 0.0
        for cell in _cells(rect):
            for x, y in self._points.get(cell, ()):
                found += left <= x <= right and top <= y <= bottom
            for other in self._rects.get(cell, ()):
                apart = (
                    other[2] <= left or other[0] >= right or other[3] <= top or other[1] >= bottom
                )
                found += 0 if apart else 30
        return found


def _cells(rect: Rect) -> list[tuple[int, int]]:
    across = range(int(rect[0] // CELL), int(rect[2] // CELL) + 1)
    down = range(int(rect[1] // CELL), int(rect[3] // CELL) + 1)
    return [(column, row) for column in across for row in down]


def place_label(crowd: Crowd, curve: Sequence[Point], width: float) -> Point:
    """The centre x and the baseline y of a label `width` wide beside `curve`, in the best place."""
    best: tuple[float, Point, Rect] | None = None
    last = len(curve) - 1
    for later, part in enumerate((0.5, 0.35, 0.65, 0.2, 0.8, 0.0, 1.0)):
        k = round(part * last)
        x, y = curve[k]
        ahead, behind = curve[min(k + 1, last)], curve[max(k - 1, 0)]
        rise, run = ahead[1] - behind[1], ahead[0] - behind[0]
        for effort, (side, away) in enumerate(PLACES):
            shift, drop = 0.0, HEIGHT / 2 + away
            if abs(rise) > 0.35 * abs(run):  # beside a steep line rather than below it
                shift, drop = width / 2 + away, 4.0
                shift = -shift if (rise * run > 0) == (side > 0) else shift
            centre, middle = x + shift, y + side * drop
            rect = (
                centre - width / 2 - 1,
                middle - HEIGHT / 2,
                centre + width / 2 + 1,
                middle + HEIGHT / 2,
            )
            cost = crowd.cost(rect) + 0.3 * later + 0.6 * effort
            if best is None or cost < best[0]:
                best = (cost, (centre, middle + HEIGHT / 2 - 1.8), rect)
    assert best is not None
    crowd.add_rect(best[2])
    return best[1]
