"""Which box stands above which: start from the order of the arguments, then sort columns by their
neighbours until fewer lines cross no more.

Every box moves towards the mean of its neighbours, sweeping right and left in turn; then
neighbours that cross less when swapped are swapped. The best order seen is kept.

Source: Gansner, Koutsofios, North, Vo: A technique for drawing directed graphs (1993), section 3.
Read next: render/placing.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphlab.render.layout import Columns

SWEEPS = 8  # to the right and to the left in turn; more change nothing in pictures of this size
SWAP_ROUNDS = 4


def order(columns: Columns) -> int:
    """Sort each column of `columns` in place; the number of crossings that remain."""
    work = _Work(columns)
    work.start_with_arguments()
    best, fewest = work.snapshot(), work.crossings()
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        work.sweep(to_right=sweep % 2 == 0)
        work.swap_neighbours()
        crossings = work.crossings()
        if crossings < fewest:
            best, fewest = work.snapshot(), crossings
    columns.columns[:] = best
    return fewest


def crossings(columns: Columns) -> int:
    """How many pairs of strands cross as the columns are sorted now."""
    work = _Work(columns)
    work.number()
    return work.crossings()


class _Work:
    """Positions under change; `touched` counts elementary work, for the tests of its growth."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.position = [0] * len(columns.slots)
        # neighbours as (slot, port here, port there); ports are fractions of a box
        self.before: list[list[tuple[int, float, float]]] = [[] for _ in columns.slots]
        self.after: list[list[tuple[int, float, float]]] = [[] for _ in columns.slots]
        for strand in columns.strands:
            out = self._fraction(strand.left, strand.out)
            into = self._fraction(strand.right, strand.into)
            self.after[strand.left].append((strand.right, out, into))
            self.before[strand.right].append((strand.left, into, out))
        self.touched = 0

    def _fraction(self, slot: int, offset: float) -> float:
        box = self.columns.slots[slot]
        return 0.9 * offset / (box.above + box.below)

    def start_with_arguments(self) -> None:
        """Walk from the results to their arguments, first argument first."""
        seen: set[int] = set()
        visited: list[int] = []
        slots = range(len(self.columns.slots))
        for result in sorted((k for k in slots if not self.after[k]), key=lambda k: (k,)):
            stack = [result]
            while stack:
                slot = stack.pop()
                if slot in seen:
                    continue
                seen.add(slot)
                visited.append(slot)
                above_first = sorted(self.before[slot], key=lambda near: near[1], reverse=True)
                stack.extend(left for left, _, _ in above_first)
        columns: list[list[int]] = [[] for _ in self.columns.columns]
        for slot in visited:
            columns[self.columns.column_of[slot]].append(slot)
        self.columns.columns[:] = columns
        self.number()

    def number(self) -> None:
        for k in range(len(self.columns.columns)):
            self._renumber(k)

    def snapshot(self) -> list[list[int]]:
        return [list(column) for column in self.columns.columns]

    def _renumber(self, k: int) -> None:
        for place, slot in enumerate(self.columns.columns[k]):
            self.position[slot] = place

    def sweep(self, to_right: bool) -> None:
        """Sort every column by the mean position of its neighbours in the column before it."""
        near = self.before if to_right else self.after
        count = len(self.columns.columns)
        for k in range(count) if to_right else range(count - 1, -1, -1):
            keys = {slot: self._mean(slot, near[slot]) for slot in self.columns.columns[k]}
            self.columns.columns[k].sort(key=keys.__getitem__)
            self._renumber(k)

    def _mean(self, slot: int, near: list[tuple[int, float, float]]) -> float:
        self.touched += len(near) + 1
        if not near:
            return float(self.position[slot])
        # where the box would stand if its ports met those of its neighbours
        return sum(self.position[other] + there - here for other, here, there in near) / len(near)

    def swap_neighbours(self) -> None:
        for _ in range(SWAP_ROUNDS):
            gained = 0
            for k, column in enumerate(self.columns.columns):
                for place in range(len(column) - 1):
                    upper, lower = column[place], column[place + 1]
                    gain = self._gain(upper, lower)
                    if gain > 0:
                        gained += gain
                        column[place], column[place + 1] = lower, upper
                        self.position[upper], self.position[lower] = place + 1, place
                self._renumber(k)
            if gained == 0:
                return

    def _gain(self, upper: int, lower: int) -> int:
        """How many crossings fewer there are with `lower` above `upper`."""
        total = 0
        for near in (self.before, self.after):
            above = sorted(self.position[other] + there for other, _, there in near[upper])
            below = sorted(self.position[other] + there for other, _, there in near[lower])
            self.touched += len(above) + len(below) + 1
            total += _inversions(above, below) - _inversions(below, above)
        return total

    def crossings(self) -> int:
        """All pairs of strands that cross, counted by insertion into a binary indexed tree."""
        total = 0
        for column in self.columns.columns:
            ends = [
                (self.position[slot] + out, self.position[other] + into)
                for slot in column
                for other, out, into in self.after[slot]
            ]
            ends.sort()
            self.touched += len(ends)
            total += _count_inversions([into for _, into in ends])
        return total


def _inversions(first: list[float], second: list[float]) -> int:
    """Pairs (x of first, y of second) with x > y; both are sorted."""
    total = passed = 0
    for x in first:
        while passed < len(second) and second[passed] < x:
            passed += 1
        total += passed
    return total


def _count_inversions(values: list[float]) -> int:
    ranks = {value: k + 1 for k, value in enumerate(sorted(set(values)))}
    tree = [0] * (len(ranks) + 1)
    total = 0
    for seen, value in enumerate(values):
        k, not_above = ranks[value], 0
        while k:
            not_above += tree[k]
            k -= k & -k
        total += seen - not_above
        k = ranks[value]
        while k < len(tree):
            tree[k] += 1
            k += k & -k
    return total
