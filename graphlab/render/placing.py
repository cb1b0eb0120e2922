"""How high each box stands, its order given: near its neighbours, apart from those above and below,
and on one straight line with as many as possible.

A column alone is a small least-squares problem with an exact answer in one pass (pool adjacent
violators). Sweeping over columns settles the whole; then nearly straight lines are made straight.

Source: Brandes, Köpf: Fast and simple horizontal coordinate assignment (2002), for the last step.
Read next: render/scene.py
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphlab.render.layout import Box, Columns

ROUNDS = 6
BETWEEN_BOXES = 16  # pixels
BETWEEN_BENDS = 2
NEARLY_STRAIGHT = 14  # pixels; a step that small looks like a mistake
ONLY_WAY = 400  # pixels; a wire that is the only one at both ends has no reason to bend


def place(columns: Columns) -> list[float]:
    """The y of every slot's line; boxes of a column keep their order and never overlap."""
    y = [0.0] * len(columns.slots)
    for column in columns.columns:
        for slot, stacked in zip(column, _stack(columns.slots, column), strict=True):
            y[slot] = stacked
    before, after = _pulls(columns)
    count = len(columns.columns)
    for _ in range(ROUNDS):
        for k in range(count):
            _settle(columns, y, k, before)
        for k in range(count - 1, -1, -1):
            _settle(columns, y, k, after)
    both = [left + right for left, right in zip(before, after, strict=True)]
    for k in [*range(count), *range(count - 1, -1, -1)]:
        _settle(columns, y, k, both)
    # the second time finds the lines that the first has brought close
    return straighten(columns, straighten(columns, y))


_Pull = tuple[int, float, float]  # neighbour, offset from it at which the line is straight, weight


def _pulls(columns: Columns) -> tuple[list[list[_Pull]], list[list[_Pull]]]:
    before: list[list[_Pull]] = [[] for _ in columns.slots]
    after: list[list[_Pull]] = [[] for _ in columns.slots]
    only = _only_ways(columns)
    for k, strand in enumerate(columns.strands):
        bends = sum(columns.slots[end].id == "" for end in (strand.left, strand.right))
        # a long wire is straight first of all, then one that is alone
        weight = (1.0, 1.0, 8.0)[bends] * (4.0 if only[k] else 1.0)
        shift = strand.out - strand.into
        before[strand.right].append((strand.left, shift, weight))
        after[strand.left].append((strand.right, -shift, weight))
    return before, after


def _only_ways(columns: Columns) -> list[bool]:
    """Whether each strand is the only one that leaves its left end and enters its right end."""
    leaving = Counter(strand.left for strand in columns.strands)
    entering = Counter(strand.right for strand in columns.strands)
    return [leaving[one.left] == entering[one.right] == 1 for one in columns.strands]


def apart(upper: Box, lower: Box) -> float:
    """Pixels between the lines of two boxes, one above the other, at least."""
    free = BETWEEN_BENDS if upper.id == "" and lower.id == "" else BETWEEN_BOXES
    return upper.below + free + lower.above


def _stack(slots: Sequence[Box], column: Sequence[int]) -> list[float]:
    """Lines of a column whose boxes stand as close as they may, its middle at 0."""
    lines = [0.0]
    for upper, lower in pairwise(column):
        lines.append(lines[-1] + apart(slots[upper], slots[lower]))
    middle = lines[-1] / 2
    return [line - middle for line in lines[: len(column)]]


def _settle(columns: Columns, y: list[float], k: int, pulls: list[list[_Pull]]) -> None:
    """Move column k as near to what pulls it as its own order and spacing allow."""
    column = columns.columns[k]
    stacked = _stack(columns.slots, column)
    # blocks of boxes that touch: (weighted sum of wishes, weight, how many)
    blocks: list[tuple[float, float, int]] = []
    for slot, offset in zip(column, stacked, strict=True):
        weight = sum(pull[2] for pull in pulls[slot])
        wish = y[slot] * 0.1
        wish += sum((y[other] + shift) * strength for other, shift, strength in pulls[slot])
        weight += 0.1  # what nothing pulls stays
        blocks.append((wish - offset * weight, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            upper, lower = blocks[-2], blocks.pop()
            blocks[-1] = (upper[0] + lower[0], upper[1] + lower[1], upper[2] + lower[2])
    place = 0
    for total, weight, size in blocks:
        for _ in range(size):
            y[column[place]] = total / weight + stacked[place]
            place += 1


def straighten(columns: Columns, y: list[float]) -> list[float]:
    """Join slots along nearly straight strands into chains, and give each chain one line."""
    chain, offset = _chains(columns, y)
    chains = sorted(set(chain))
    wishes: dict[int, list[float]] = {head: [] for head in chains}
    for slot, head in enumerate(chain):
        wishes[head].append(y[slot] - offset[slot])
    wish = {head: sum(each) / len(each) for head, each in wishes.items()}
    below: dict[int, list[tuple[int, float]]] = {head: [] for head in chains}
    above: dict[int, list[tuple[int, float]]] = {head: [] for head in chains}
    for column in columns.columns:
        for upper, lower in pairwise(column):
            space = apart(columns.slots[upper], columns.slots[lower])
            distance = space + offset[upper] - offset[lower]
            below[chain[upper]].append((chain[lower], distance))
            above[chain[lower]].append((chain[upper], distance))
    downwards = _topological(chains, below, above)
    # two ways that keep all distances, pushing down and pushing up; so does their mean
    low, high = dict(wish), dict(wish)
    for head in downwards:
        for other, distance in above[head]:
            low[head] = max(low[head], low[other] + distance)
    for head in reversed(downwards):
        for other, distance in below[head]:
            high[head] = min(high[head], high[other] - distance)
    return [(low[head] + high[head]) / 2 + offset[slot] for slot, head in enumerate(chain)]


def _chains(columns: Columns, y: list[float]) -> tuple[list[int], list[float]]:
    """Each slot's chain (named by a slot of it) and the slot's offset from the chain's line."""
    position = {slot: k for column in columns.columns for k, slot in enumerate(column)}
    taken: list[list[tuple[int, int]]] = [[] for _ in columns.columns]
    used_out: set[int] = set()
    used_in: set[int] = set()

    only = _only_ways(columns)

    def bend(k: int) -> tuple[bool, float, int]:
        strand = columns.strands[k]
        rise = abs(y[strand.left] + strand.out - y[strand.right] - strand.into)
        return not only[k], rise, k

    joined: list[tuple[int, int, float]] = []
    for _, rise, k in sorted(bend(k) for k in range(len(columns.strands))):
        strand = columns.strands[k]
        if rise > (ONLY_WAY if only[k] else NEARLY_STRAIGHT):
            continue
        if strand.left in used_out or strand.right in used_in:
            continue
        pair = (position[strand.left], position[strand.right])
        gap = taken[columns.column_of[strand.left]]
        where = bisect(gap, pair)
        if where > 0 and gap[where - 1][1] > pair[1]:
            continue  # would cross a line that is straight already
        if where < len(gap) and gap[where][1] < pair[1]:
            continue
        gap.insert(where, pair)
        used_out.add(strand.left)
        used_in.add(strand.right)
        joined.append((strand.left, strand.right, strand.out - strand.into))
    chain = list(range(len(y)))
    offset = [0.0] * len(y)
    for left, right, shift in sorted(joined, key=lambda one: columns.column_of[one[0]]):
        chain[right], offset[right] = chain[left], offset[left] + shift
    return chain, offset


def _topological(
    chains: list[int],
    below: dict[int, list[tuple[int, float]]],
    above: dict[int, list[tuple[int, float]]],
) -> list[int]:
    # lines that do not cross are ordered from top to bottom: there is no cycle
    waits = {head: len(above[head]) for head in chains}
    ready = [head for head in chains if waits[head] == 0]
    ordered: list[int] = []
    while ready:
        head = ready.pop()
        ordered.append(head)
        for other, _ in below[head]:
            waits[other] -= 1
            if waits[other] == 0:
                ready.append(other)
    assert len(ordered) == len(chains), "straight lines must not cross"
    return ordered
