"""Which box stands above which: start from the order of the arguments, then sort columns by their
neighbours until fewer lines cross no more.

A round moves every box to the median of its neighbours, sweeping to the right and then to the
left; then neighbours that cross no more when swapped are swapped. There are two orders to begin
with, and the best that was found is kept.

Rounds bring many columns back to an order that they had. What follows from the orders of a column
and its neighbours, the next order and the crossings, is worked out once and then remembered.

Source: Gansner, Koutsofios, North, Vo: A technique for drawing directed graphs (1993), section 3.
Read next: faces/render/coordinates.py
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphlab.faces.render.layout import Columns

ROUNDS = 3  # from each start
PATIENCE = 2  # rounds without a better order, then enough
HOPELESS = 1.5  # times as many crossings as in the best order: further rounds seldom make that up
SWAP_ROUNDS = 3
WORK = 40  # visits of each box and line, at most: a large graph is given fewer sweeps
SMALL = 4_000  # boxes and lines; that many may be visited as often as it takes


def order(columns: Columns) -> int:
    """Sort each column of `columns` in place; the number of crossings that remain."""
    work = _Work(columns)
    best: list[_Order] = []
    fewest = -1
    for start in work.starts():
        work.begin(start)
        crossings = work.crossings()
        if fewest < 0 or crossings < fewest:
            best, fewest = work.orders[:-1], crossings
        waited = 0
        for _ in range(ROUNDS):
            if fewest == 0 or waited >= PATIENCE or work.touched > work.most:
                break
            work.sweep(to_right=True)
            work.sweep(to_right=False)
            work.swap_neighbours()
            crossings = work.crossings()
            waited += 1
            if crossings < fewest:
                best, fewest, waited = work.orders[:-1], crossings, 0
            elif crossings > HOPELESS * fewest:
                break
        if fewest == 0 or work.touched > work.most:
            break
    columns.columns[:] = map(list, best)
    return max(fewest, 0)


def crossings(columns: Columns) -> int:
    """How many pairs of strands cross as the columns are sorted now."""
    work = _Work(columns)
    work.begin(columns.columns)
    return work.crossings()


_Order = tuple[int, ...]  # the slots of a column, from top to bottom
_Near = tuple[int, float, float]  # neighbour, port here, port there; ports are fractions of a box


class _Work:
    """Orders under change; `touched` counts elementary work, for the tests of its growth."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.orders: list[_Order] = []
        self.position = [0] * len(columns.slots)
        self.before: list[list[_Near]] = [[] for _ in columns.slots]
        self.after: list[list[_Near]] = [[] for _ in columns.slots]
        # the same, from the upper end of a box to the lower: how its arguments are written
        self.written: list[list[tuple[float, int]]] = [[] for _ in columns.slots]
        for strand in columns.strands:
            left, right, out, into = strand.left, strand.right, strand.out, strand.into
            self.written[right].append((into, left))
            if out:
                out = self._fraction(left, out)
            if into:
                into = 0.0 if strand.free else self._fraction(right, into)
            self.after[left].append((right, out, into))
            self.before[right].append((left, into, out))
        # what was worked out before, by the orders from which it follows
        self._sorted: dict[tuple[_Order, _Order], _Order] = {}
        self._swapped: dict[tuple[_Order, _Order, _Order, int], _Order] = {}
        self._crossed: dict[tuple[_Order, _Order], int] = {}
        # where the lines of each box end in the columns before and after it, sorted, and the order
        # of that column when this was noted
        self._ends_before: list[list[float]] = [[] for _ in columns.slots]
        self._ends_after: list[list[float]] = [[] for _ in columns.slots]
        self._noted_before: list[_Order] = [()] * len(columns.columns)
        self._noted_after: list[_Order] = [()] * len(columns.columns)
        self.touched = 0
        self.most = WORK * max(SMALL, len(columns.slots) + len(columns.strands))

    def _fraction(self, slot: int, offset: float) -> float:
        box = self.columns.slots[slot]
        return 0.9 * offset / (box.above + box.below)

    # -- where to begin ------------------------------------------------------------------------

    def starts(self) -> Iterator[list[list[int]]]:
        """Orders to begin with: by the arguments, from the results back, and the other way."""
        results = [k for k, near in enumerate(self.after) if not near]
        yield self._walk(results, [[other for _, other in sorted(near)] for near in self.written])
        leaves = [k for k, near in enumerate(self.before) if not near]
        yield self._walk(leaves, [[other for other, _, _ in near] for near in self.after])

    def _walk(self, roots: list[int], near: list[list[int]]) -> list[list[int]]:
        columns: list[list[int]] = [[] for _ in self.columns.columns]
        seen = [False] * len(near)
        for root in roots:
            stack = [root]
            while stack:
                slot = stack.pop()
                if not seen[slot]:
                    seen[slot] = True
                    columns[self.columns.column_of[slot]].append(slot)
                    stack.extend(reversed(near[slot]))
        return columns

    def begin(self, start: list[list[int]]) -> None:
        """Sort the columns as `start` has them."""
        # one more, empty: it stands after the last column and, as the last of a list, before the
        # first
        self.orders = [*map(tuple, start), ()]
        for k in range(len(start)):
            self._number(k)

    def _number(self, k: int) -> None:
        for place, slot in enumerate(self.orders[k]):
            self.position[slot] = place

    # -- sorting -------------------------------------------------------------------------------

    def sweep(self, to_right: bool) -> None:
        """Sort every column by the positions of its neighbours in the column before it."""
        orders, step = self.orders, -1 if to_right else 1
        last = len(orders) - 2
        for k in range(1, last + 1) if to_right else range(last - 1, -1, -1):
            column = orders[k]
            if len(column) == 1:
                continue
            question = column, orders[k + step]
            found = self._sorted.get(question)
            if found is None:
                near = self.before if to_right else self.after
                found = self._sorted[question] = self._by_neighbours(column, near)
            if found != column:
                orders[k] = found
                self._number(k)

    def _by_neighbours(self, column: _Order, near: list[list[_Near]]) -> _Order:
        """The column sorted by where each box would stand if its ports met its neighbours'."""
        position, touched = self.position, len(column)
        keys: dict[int, float] = {}
        for slot in column:
            ends = near[slot]
            count = len(ends)
            touched += count
            if count == 1:
                other, here, there = ends[0]
                keys[slot] = position[other] + there - here
            elif count:
                places = [position[other] + there - here for other, here, there in ends]
                keys[slot] = sum(places) / 2 if count == 2 else _median(sorted(places))
            else:
                keys[slot] = position[slot]
        self.touched += touched
        return tuple(sorted(column, key=keys.__getitem__))

    def swap_neighbours(self) -> None:
        """Swap two that stand one above the other where that crosses less, or at first no more."""
        orders, least = self.orders, 0
        active = [k for k, column in enumerate(orders) if len(column) > 1]
        for _ in range(SWAP_ROUNDS):
            changed: set[int] = set()
            for k in active:
                column = orders[k]
                question = column, orders[k - 1], orders[k + 1], least
                found = self._swapped.get(question)
                if found is None:
                    self._note_ends(k)
                    found = self._swapped[question] = self._swap_in(column, least)
                if found != column:
                    orders[k] = found
                    self._number(k)
                    changed.update((k - 1, k, k + 1))
            active = sorted(k for k in changed if k >= 0 and len(orders[k]) > 1)
            least = 1

    def _note_ends(self, k: int) -> None:
        """See to it that the ends of the lines of column `k` are those of the present orders."""
        left = self.orders[k - 1]
        if self._noted_before[k] != left:
            self._noted_before[k] = left
            self._note(self.orders[k], self.before, self._ends_before)
        self._note_after(k)

    def _note_after(self, k: int) -> None:
        right = self.orders[k + 1]
        if self._noted_after[k] != right:
            self._noted_after[k] = right
            self._note(self.orders[k], self.after, self._ends_after)

    def _note(self, column: _Order, near: list[list[_Near]], noted: list[list[float]]) -> None:
        position, touched = self.position, len(column)
        for slot in column:
            ends = near[slot]
            touched += len(ends)
            if len(ends) == 1:
                other, _, there = ends[0]
                noted[slot] = [position[other] + there]
            elif ends:
                noted[slot] = sorted([position[other] + there for other, _, there in ends])
        self.touched += touched

    def _swap_in(self, column: _Order, least: int) -> _Order:
        """The column with those swapped that cross less by `least` then."""
        sides = self._ends_before, self._ends_after
        swapped = list(column)
        upper = swapped[0]
        for place, lower in enumerate(column[1:]):
            gain = 0
            for ends in sides:
                above, below = ends[upper], ends[lower]
                if above and below:
                    if above[-1] < below[0]:
                        gain -= len(above) * len(below)
                    elif above[0] > below[-1]:
                        gain += len(above) * len(below)
                    else:
                        gain += _gain(above, below)
            if gain >= least:
                swapped[place], swapped[place + 1] = lower, upper
            else:
                upper = lower
        return tuple(swapped)

    def crossings(self) -> int:
        """All pairs of strands that cross; not those of one box, for they may still be traded."""
        total, orders = 0, self.orders
        for k in range(len(orders) - 2):
            pair = orders[k], orders[k + 1]
            found = self._crossed.get(pair)
            if found is None:
                self._note_after(k)
                found = self._crossed[pair] = self._crossings_after(orders[k])
            total += found
        return total

    def _crossings_after(self, column: _Order) -> int:
        heights: list[float] = []
        for slot in column:
            heights += self._ends_after[slot]
        self.touched += len(heights)
        if heights == sorted(heights):
            return 0
        total = 0
        passed: list[float] = []
        for into in heights:
            total += len(passed) - bisect_right(passed, into)
            insort(passed, into)
        return total


def _median(places: list[float]) -> float:
    """The paper's median of three or more: between the two in the middle, by the denser side."""
    half = len(places) // 2
    if len(places) % 2:
        return places[half]
    left, right = places[half - 1] - places[0], places[-1] - places[half]
    if left + right == 0:
        return (places[half - 1] + places[half]) / 2
    return (places[half - 1] * right + places[half] * left) / (left + right)


def _gain(above: list[float], below: list[float]) -> int:
    """How many crossings fewer there are with the lower box above the upper one; both sorted."""
    total = -len(above) * len(below)
    for end in above:
        total += bisect_left(below, end) + bisect_right(below, end)
    return total
