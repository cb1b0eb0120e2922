"""Crossing reduction: sort the boxes of each column by their neighbours.

Each round moves every box to the median of its neighbours, sweeping right and then left, and then
swaps neighbours in a column while that removes crossings. The search starts from two orders and
keeps the best one found.

Source: Gansner, Koutsofios, North, Vo: A technique for drawing directed graphs (1993), section 3.
Read next: faces/render/layout.py
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator

from graphlab.faces.render.layered_graph import Columns

ROUNDS = 3  # from each start
PATIENCE = 2  # rounds without a better order before the search stops
HOPELESS = 1.5  # times the crossings of the best order: more rounds seldom find a better one
SWAP_ROUNDS = 3
WORK = 40  # the most visits of each box and line: a large graph gets fewer sweeps
SMALL = 4_000  # boxes and lines: a smaller graph gets as many visits as one of this size


def order(columns: Columns) -> int:
    """Sort each column of `columns` in place and return the number of crossings that remain."""
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
    """Count the pairs of strands that cross in the current order of the columns."""
    work = _Work(columns)
    work.begin(columns.columns)
    return work.crossings()


_Order = tuple[int, ...]  # the slots of a column, from top to bottom
_Ends = dict[int, list[float]]
_Near = tuple[int, float, float]  # neighbour, port here, port there; ports are fractions of a box


class _Work:
    """The orders of the columns while they are sorted. `touched` counts elementary steps."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.orders: list[_Order] = []
        self._known: dict[tuple[int, _Order, bool], _Ends] = {}
        self.position = [0] * len(columns.slots)
        self.before: list[list[_Near]] = [[] for _ in columns.slots]
        self.after: list[list[_Near]] = [[] for _ in columns.slots]
        # the inputs of each box, from top to bottom
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
        self.touched = 0
        self.most = WORK * max(SMALL, len(columns.slots) + len(columns.strands))

    def _fraction(self, slot: int, offset: float) -> float:
        box = self.columns.slots[slot]
        return 0.9 * offset / (box.above + box.below)

    def starts(self) -> Iterator[list[list[int]]]:
        """Yield two orders to start from: depth first along inputs, and along users."""
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
        """Begin with the order of `start`."""
        self.orders = [*map(tuple, start), ()]  # () follows the last column and precedes the first
        for column in self.orders:
            self._number(column)

    def _number(self, column: _Order) -> None:
        for place, slot in enumerate(column):
            self.position[slot] = place

    def sweep(self, to_right: bool) -> None:
        """Sort every column by the positions of its neighbours in the column before it."""
        near = self.before if to_right else self.after
        last = len(self.orders) - 2
        for k in range(1, last + 1) if to_right else range(last - 1, -1, -1):
            column = self.orders[k]
            if len(column) > 1:
                self.orders[k] = column = self._by_neighbours(column, near)
                self._number(column)

    def _by_neighbours(self, column: _Order, near: list[list[_Near]]) -> _Order:
        """Return the column sorted by the height at which each box would have horizontal lines."""
        position = self.position
        keys: dict[int, float] = {}
        for slot in column:
            ends = near[slot]
            self.touched += 1 + len(ends)
            if len(ends) == 1:
                other, here, there = ends[0]
                keys[slot] = position[other] + there - here
            elif ends:
                places = [position[other] + there - here for other, here, there in ends]
                keys[slot] = _median(sorted(places))
            else:
                keys[slot] = position[slot]
        return tuple(sorted(column, key=keys.__getitem__))

    def swap_neighbours(self) -> None:
        """Swap adjacent boxes if that removes crossings; in the first round also on a tie."""
        orders, least = self.orders, 0
        active = [k for k, column in enumerate(orders) if len(column) > 1]
        for _ in range(SWAP_ROUNDS):
            changed: set[int] = set()
            for k in active:
                swapped = self._swap_in(k, least)
                if swapped != orders[k]:
                    orders[k] = swapped
                    self._number(swapped)
                    changed.update((k - 1, k, k + 1))
            active = sorted(k for k in changed if k >= 0 and len(orders[k]) > 1)
            least = 1

    def _ends(self, k: int, after: bool) -> _Ends:
        """Return where the lines of each box of column `k` end in the next or previous one."""
        key = k, self.orders[k + 1 if after else k - 1], after
        found = self._known.get(key)
        if found is None:
            near, position = self.after if after else self.before, self.position
            found = self._known[key] = {
                slot: sorted([position[other] + there for other, _, there in near[slot]])
                for slot in self.orders[k]
            }
            self.touched += sum([1 + len(near[slot]) for slot in found])
        return found

    def _swap_in(self, k: int, least: int) -> _Order:
        """Return column `k` after all swaps that remove at least `least` crossings."""
        sides = self._ends(k, after=False), self._ends(k, after=True)
        column = self.orders[k]
        swapped, upper = list(column), column[0]
        for place, lower in enumerate(column[1:]):
            gain = 0
            for ends in sides:
                above, below = ends[upper], ends[lower]
                if above and below:
                    gain += _gain(above, below)
            if gain >= least:
                swapped[place], swapped[place + 1] = lower, upper
            else:
                upper = lower
        return tuple(swapped)

    def crossings(self) -> int:
        """Count the pairs of strands that cross, except pairs with a common box."""
        return sum([self._crossings_after(k) for k in range(len(self.orders) - 2)])

    def _crossings_after(self, k: int) -> int:
        ends = self._ends(k, after=True)
        heights = [height for slot in self.orders[k] for height in ends[slot]]
        if heights == sorted(heights):
            return 0
        total = 0
        passed: list[float] = []
        for into in heights:
            total += len(passed) - bisect_right(passed, into)
            insort(passed, into)
        return total


def _median(places: list[float]) -> float:
    """Return the paper's median: of an even count, a weighted mean of the middle two."""
    half = len(places) // 2
    if len(places) % 2:
        return places[half]
    left, right = places[half - 1] - places[0], places[-1] - places[half]
    if left + right == 0:
        return (places[half - 1] + places[half]) / 2
    return (places[half - 1] * right + places[half] * left) / (left + right)


def _gain(above: list[float], below: list[float]) -> int:
    """Return how many crossings a swap of the two boxes removes; the ends of both are sorted."""
    if above[-1] < below[0]:
        return -len(above) * len(below)
    if above[0] > below[-1]:
        return len(above) * len(below)
    total = -len(above) * len(below)
    for end in above:
        total += bisect_left(below, end) + bisect_right(below, end)
    return total
