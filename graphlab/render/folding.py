"""A picture that is too wide, in rows one below the other, as the lines of a text.

It is cut between columns; each line that is cut runs on along the rim, below its row and back to
the beginning of the next. No two of these cross, and nothing else is moved within its row.

Read next: render/paths.py
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, inf

from graphlab.graph.scene import Group, Mark, Scene
from graphlab.render.labels import extent
from graphlab.render.paths import (
    Point,
    Segment,
    at,
    begin_of,
    data_of,
    heights_at,
    rounded,
    segments_of,
    split,
)

WIDE = 1500.0  # pixels; what is no wider stays in one row
ROW = 1400.0  # a row is about as wide, or narrower
MARGIN = 14.0  # around the picture, as in render/scene.py
AFTER = 12.0  # pixels behind a column, where an arrowhead has ended
LANE = 9.0  # pixels between two lines that run back
AWAY = 14.0  # pixels between a row and the lines that run back
EVEN, CROSSED = 40.0, 1.0  # how bad rows of different widths are, and a line that is cut
LINES = ("wire", "flow")  # what is cut where a row ends: groups, and the marks in them


def folded(scene: Scene, wide: float = WIDE, row: float = ROW) -> Scene:
    """The scene in rows at most about `row` wide, when it is wider than `wide`; pixels.

    A scene that has no place where it can be cut stays as it is.
    """
    if scene.width <= wide:
        return scene
    lines = {
        (g, m): segments_of(mark.d)
        for g, group in enumerate(scene.groups)
        for m, mark in enumerate(group.marks)
        if mark.c in LINES
    }
    cuts = choose(places(scene), list(lines.values()), scene.width, row)
    return _Folding(scene, lines, cuts).scene() if cuts else scene


# -- where to cut ------------------------------------------------------------------------------


def places(scene: Scene) -> list[float]:
    """Where a picture may be cut: behind each column, where nothing but lines is."""
    taken = sorted(
        (left, right)
        for group in scene.groups
        if group.kind not in LINES
        for left, right in [span(group.marks)]
    )
    found, reached = [], -inf
    for left, right in taken:
        if left - reached > 2 * AFTER:
            found.append(reached + AFTER)
        reached = max(reached, right)
    return found[1:]  # before the first column there is nothing


def span(marks: Iterable[Mark]) -> tuple[float, float]:
    """How far marks reach to the left and to the right."""
    reached = [extent(mark) for mark in marks if mark.m != "path"]
    return min(box[0] for box in reached), max(box[2] for box in reached)


def choose(
    cuts: Sequence[float], lines: Sequence[Sequence[Segment]], width: float, row: float
) -> tuple[float, ...]:
    """The places that make rows of much the same width and cut few lines."""
    count = ceil(width / row)
    even = width / count
    ends = [*cuts, width]
    cost = [cut_cost(lines, cut) for cut in cuts] + [0.0]
    # the best way to fill rows up to each end: (how bad, the end before it)
    best: list[tuple[float, int]] = []
    for k, end in enumerate(ends):
        ways = [(EVEN * (end / even - 1) ** 2, -1)]
        ways += [(best[j][0] + EVEN * ((end - ends[j]) / even - 1) ** 2, j) for j in range(k)]
        bad, before = min(ways)
        best.append((bad + CROSSED * cost[k], before))
    chosen: list[float] = []
    k = best[-1][1]
    while k >= 0:
        chosen.insert(0, ends[k])
        k = best[k][1]
    return tuple(chosen)


def cut_cost(lines: Sequence[Sequence[Segment]], x: float) -> float:
    """How many ways of lines lie across `x`; lines that share one count once."""
    return float(len({round(y) for line in lines for y in heights_at(line, x)}))


# -- rows --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Row:
    """A row: what it shows of the picture in one piece, and how far it is moved."""

    left: float
    right: float
    top: float = inf
    bottom: float = -inf
    across: float = 0.0
    down: float = 0.0

    def holds(self, y: float, to: float | None = None) -> None:
        self.top, self.bottom = min(self.top, y), max(self.bottom, y if to is None else to)

    def at(self, x: float, y: float) -> Point:
        """A point of the picture in one piece, in this row."""
        return x + self.across, y + self.down


class _Folding:
    """One scene on its way into rows."""

    def __init__(
        self, old: Scene, lines: dict[tuple[int, int], list[Segment]], cuts: tuple[float, ...]
    ) -> None:
        self.old, self.cuts = old, cuts
        ends = [0.0, *cuts, float(old.width)]
        self.rows = [Row(left, right) for left, right in pairwise(ends)]
        self.pieces = {key: list(self._pieces(line)) for key, line in lines.items()}
        # behind each row, the heights at which lines leave it, from top to bottom
        self.leaving = [
            sorted({round(y, 1) for line in lines.values() for y in heights_at(line, cut)})
            for cut in cuts
        ]
        self._measure()
        self._place()

    def scene(self) -> Scene:
        """The scene in rows."""
        groups = tuple(self._group(g, group) for g, group in enumerate(self.old.groups))
        return replace(self.old, width=round(self.width), height=round(self.height), groups=groups)

    def _row_at(self, x: float) -> int:
        return bisect_right(self.cuts, x)

    def _pieces(self, line: Sequence[Segment]) -> Iterator[tuple[int, list[Segment]]]:
        """A line in pieces, each in one row."""
        here, piece = -1, list[Segment]()
        for part in line:
            for bit in split(part, self.cuts):
                row = self._row_at((bit[0][0] + bit[-1][0]) / 2)
                if row != here and piece:
                    yield here, piece
                    piece = []
                here = row
                piece.append(bit)
        if piece:
            yield here, piece

    def _measure(self) -> None:
        for group in self.old.groups:
            row = self.rows[self._row_of(group)] if group.kind not in LINES else None
            for mark in group.marks:
                if mark.m != "path":
                    box = extent(mark)
                    (row or self.rows[self._row_at(mark.x)]).holds(box[1], box[3])
        for pieces in self.pieces.values():
            for row, piece in pieces:
                for part in piece:
                    for _, y in part:
                        self.rows[row].holds(y)

    def _place(self) -> None:
        """Move the rows below one another, with room for what runs back between them."""
        most = max(map(len, self.leaving))
        rim = MARGIN + AWAY / 2 + LANE * (most - 1)  # where all rows begin
        top, widest = MARGIN, 0.0
        for k, row in enumerate(self.rows):
            lanes = len(self.leaving[k]) if k < len(self.cuts) else 0
            row.across = rim - (row.left or MARGIN)
            row.down = top - row.top
            room = AWAY + LANE * max(0, lanes - 1) if lanes else 0.0
            widest = max(widest, row.right + row.across + room)
            top += row.bottom - row.top + room + (AWAY if lanes else 0.0)
        self.width, self.height = widest + MARGIN / 2, top + MARGIN

    def _row_of(self, group: Group) -> int:
        left, right = span(group.marks)
        return self._row_at((left + right) / 2)

    # -- marks -------------------------------------------------------------------------------

    def _group(self, g: int, group: Group) -> Group:
        row = None if group.kind in LINES else self.rows[self._row_of(group)]
        marks = [self._mark((g, m), mark, row) for m, mark in enumerate(group.marks)]
        return replace(group, marks=tuple(marks))

    def _mark(self, key: tuple[int, int], mark: Mark, row: Row | None) -> Mark:
        if key in self.pieces:
            return replace(mark, d=data_of(self._line(self.pieces[key])))
        if mark.m == "path":  # an arrowhead or a divider: one point, then steps from it
            (x, y), rest = begin_of(mark.d)
            row = row or self.rows[self._row_at(x)]
            return replace(mark, d=f"M{at(*row.at(x, y))}{rest}")
        row = row or self.rows[self._row_at(mark.x)]
        x, y = row.at(mark.x, mark.y)
        return replace(mark, x=round(x, 1), y=round(y, 1))

    def _line(self, pieces: list[tuple[int, list[Segment]]]) -> list[Segment]:
        """The pieces of a line, each in its row, joined by the ways between rows."""
        found: list[Segment] = []
        for (k, piece), follower in zip(pieces, [*pieces[1:], None], strict=True):
            row = self.rows[k]
            found += [tuple(row.at(x, y) for x, y in part) for part in piece]
            if follower is not None:
                forward = follower[0] > k
                way = self._way(min(k, follower[0]), piece[-1][-1][1])
                found += way if forward else [part[::-1] for part in reversed(way)]
        return found

    def _way(self, k: int, y: float) -> list[Segment]:
        """From the end of row `k` to the beginning of the next, for a line at height `y`."""
        row, below, leaving = self.rows[k], self.rows[k + 1], self.leaving[k]
        lane = leaving.index(round(y, 1))
        outer = len(leaving) - 1 - lane  # the uppermost runs round the others
        right = row.right + row.across + AWAY + LANE * outer
        channel = row.bottom + row.down + AWAY + LANE * outer
        left = below.left + below.across - AWAY / 2 - LANE * lane
        (x0, y0), (x1, y1) = row.at(row.right, y), below.at(below.left, y)
        corners = [(x0, y0), (right, y0), (right, channel), (left, channel), (left, y1), (x1, y1)]
        return rounded(corners)
