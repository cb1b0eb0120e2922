"""Wrap a picture that is too wide into rows, one below the other, like the lines of a text.

The picture is cut between columns, where all lines are horizontal. Each line that is cut turns down
at the end of its row, goes back below it, and enters the next one. No two of these cross.

Read next: faces/render/curves.py
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from itertools import pairwise
from math import ceil, inf
from statistics import fmean
from typing import cast

from graphlab.faces.render.layered_graph import FLOW, MARGIN, Back, Box, Gap, Layout
from graphlab.faces.render.metrics import halves

WIDE = 920.0  # pixels: a cell of JupyterLab in its first window, 1366 pixels wide
SPARE = 90.0  # pixels of these for the lines that go back on both sides of the rows
BEHIND = 20.0  # pixels between a row and the lines that turn at its end: room for an arrowhead
AWAY = 14.0  # pixels between a row and the lines that go back above, below and before it
# penalties: for rows of different widths, and for one that is too long; for each line that is cut,
# and more for one to a result
EVEN, TOO_LONG, CROSSED, PARTED = 40.0, 1000.0, 1.0, 0.5


def in_rows(
    layout: Layout,
    boxes: Sequence[Box],
    wide: float,
    lane: float = FLOW,
    joined: Container[str] = (),
) -> Layout:
    """Return the layout in rows, if it is wider than `wide` pixels and can be cut.

    lane: pixels between the lines that go back; twice FLOW if gradients have lines below them.
    joined: lines from an operation to its result, which is better in the same row.
    """
    if layout.width <= wide:
        return layout
    entered: dict[float, set[float]] = {}  # where a gap begins -> the heights of lines there
    parted: Counter[float] = Counter()  # where a gap begins -> results that it would part
    routes = cast("Mapping[str, tuple[Gap, ...]]", layout.routes)  # one row has gaps only
    for id, route in routes.items():
        for x, y, _, _ in route:
            entered.setdefault(x, set()).add(y)
        if id in joined:
            parted[route[-1][0]] += 1
    # lines that share a bend count once
    ways = {x: len(entered[x]) + PARTED * parted[x] for x in sorted(entered)}
    cuts = choose(ways, layout.width, wide - SPARE)
    return _Rows(layout, routes, boxes, entered, cuts, lane).layout() if cuts else layout


def choose(ways: Mapping[float, float], width: float, row: float) -> list[float]:
    """Return the places to cut that give rows of similar width and cut few lines.

    ways: how many lines a cut at each place costs, from left to right. row: the width of a row in
    pixels, which only a column that is wider exceeds.
    """
    even = width / ceil(width / row)
    ends = [*ways, width]
    best: list[tuple[float, int]] = []  # for each end: its penalty, the index of the end before
    for k, end in enumerate(ends):
        least, before = inf, -1
        for j in range(k - 1, -2, -1):
            wide = end - (ends[j] if j >= 0 else 0.0)
            penalty = EVEN * (wide / even - 1) ** 2 + (best[j][0] if j >= 0 else 0.0)
            penalty += TOO_LONG * (wide > row)
            if penalty < least:
                least, before = penalty, j
            if wide > 2 * row:
                break  # rows that start further left are even longer
        best.append((least + CROSSED * ways.get(end, 0), before))
    chosen: list[float] = []
    k = best[-1][1]
    while k >= 0:
        chosen.append(ends[k])
        k = best[k][1]
    return chosen[::-1]


class _Rows:
    """The rows that one layout is cut into."""

    def __init__(
        self,
        old: Layout,
        routes: Mapping[str, tuple[Gap, ...]],
        boxes: Sequence[Box],
        entered: Mapping[float, set[float]],
        cuts: list[float],
        lane: float,
    ) -> None:
        self.old, self.routes, self.boxes = old, routes, boxes
        self.cuts, self.lane = cuts, lane
        # behind each row, the heights at which lines leave it, from top to bottom
        self.leaving = [sorted(entered[cut]) for cut in cuts]
        self.entering = [*map(self._entering, cuts, self.leaving)]
        self.tops = [inf] * (len(cuts) + 1)
        self.bottoms = [-inf] * (len(cuts) + 1)
        for box in boxes:
            y = old.y[box.id]
            self._holds(self._row_at(old.x[box.id]), y - box.above, y + box.below)
        passing = [(self._row_at(x), heights) for x, heights in entered.items()]
        passing += [(k, found.values()) for k, found in enumerate(self.entering, 1)]
        for row, heights in passing:  # of lines that pass a column or enter a row
            self._holds(row, min(heights) - FLOW, max(heights) + 2 * FLOW)
        self._place()

    def _entering(self, cut: float, leaving: list[float]) -> dict[float, float]:
        """Return the height at which each line enters the next row: its box's if they keep order.

        If a line has several ends, it is the nearest one. Lines that would cross enter beside each
        other, as near to their ends as possible in the sum of squares.
        """
        ends: dict[float, list[float]] = {y: [] for y in leaving}
        for route in self.routes.values():
            for x0, y0, _, y1 in route:
                if x0 == cut:
                    ends[y0].append(y1)
        blocks: list[list[float]] = []  # ends of neighbours, each less the room above it
        for k, y in enumerate(leaving):
            block = [min(ends[y], key=lambda end: (abs(end - y), end)) - self.lane * k]
            while blocks and fmean(blocks[-1]) > fmean(block):
                block = blocks.pop() + block
            blocks.append(block)
        heights = (halves(fmean(block)) for block in blocks for _ in block)
        return {y: next(heights) + self.lane * k for k, y in enumerate(leaving)}

    def _row_at(self, x: float) -> int:
        return bisect_left(self.cuts, x)

    def _holds(self, row: int, top: float, bottom: float) -> None:
        self.tops[row] = min(self.tops[row], top)
        self.bottoms[row] = max(self.bottoms[row], bottom)

    def _room(self, lines: int) -> float:
        """Return the pixels from the first to the last of this number of lines that go back."""
        return self.lane * lines - FLOW

    def _place(self) -> None:
        """Move the rows below one another, with room between them for the lines that go back."""
        self.begin = MARGIN + AWAY + self._room(max(map(len, self.leaving)))  # of all rows
        self.width = 0.0
        self.moves: list[tuple[float, float]] = []  # how far each row moves
        below = MARGIN
        ends = [MARGIN, *self.cuts, self.old.width - MARGIN]
        for k, (left, right) in enumerate(pairwise(ends)):
            self.moves.append((self.begin - left, below - self.tops[k]))
            self.width = max(self.width, self.begin + right - left)
            below += self.bottoms[k] - self.tops[k]
            if k < len(self.cuts):
                room = self._room(len(self.leaving[k]))
                self.width = max(self.width, self.begin + right - left + BEHIND + room)
                below += AWAY + room + AWAY
        self.width, self.height = self.width + MARGIN, below + MARGIN

    def layout(self) -> Layout:
        """Return the layout in rows."""
        old, moves = self.old, self.moves
        x, y = {}, {}
        for box in self.boxes:
            across, down = moves[self._row_at(old.x[box.id])]
            x[box.id], y[box.id] = old.x[box.id] + across, old.y[box.id] + down
        backs = {
            (cut, height): self._back(k, place, height)
            for k, cut in enumerate(self.cuts)
            for place, height in enumerate(self.leaving[k])
        }
        routes: dict[str, tuple[Gap | Back, ...]] = {}
        for id, route in self.routes.items():
            moved: list[Gap | Back] = []
            for x0, y0, x1, y1 in route:
                row = self._row_at(x1)
                if (x0, y0) in backs:
                    moved.append(backs[x0, y0])
                    y0 = self.entering[row - 1][y0]
                across, down = moves[row]
                moved.append((x0 + across, y0 + down, x1 + across, y1 + down))
            routes[id] = tuple(moved)
        return Layout(x, y, routes, self.width, self.height)

    def _back(self, k: int, place: int, y: float) -> Back:
        """Return the line from the end of row `k`, at height `y`, to the start of the next row.

        place: its index among the lines that leave the row; the top one goes around the others.
        """
        (across, down), (_, further) = self.moves[k : k + 2]
        out = self._room(len(self.leaving[k]) - place)
        right = self.cuts[k] + across
        channel = self.bottoms[k] + down + AWAY + out
        left = self.begin - AWAY - self.lane * place
        enters = self.entering[k][y] + further
        return Back(right, y + down, self.begin, enters, right + BEHIND + out, channel, left)
