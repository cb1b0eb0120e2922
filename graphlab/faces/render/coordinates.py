"""How high each box stands, its order given: near its neighbours, apart from those above and below,
and on one straight line with as many as possible.

A column alone is a small least-squares problem with an exact answer in one pass (pool adjacent
violators). Sweeping over columns settles the whole; then nearly straight lines are made straight.

Source: Brandes, Köpf: Fast and simple horizontal coordinate assignment (2002), for the last step.
Read next: faces/render/scene_builder.py
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from graphlab.faces.render.metrics import halves

if TYPE_CHECKING:
    from graphlab.faces.render.layout import Box, Columns

STAY = 0.1  # how strongly a box holds to where it stands; a short wire pulls with 1
BETWEEN_BOXES = 16  # pixels
BETWEEN_BENDS = 2
NEARLY_STRAIGHT = 14  # pixels; a step that small looks like a mistake
ONLY_WAY = 400  # pixels; a wire that is the only one at both ends has no reason to bend


def place(columns: Columns) -> list[float]:
    """The y of every slot's line; boxes of a column keep their order and never overlap."""
    y = [0.0] * len(columns.slots)
    slots = columns.slots
    spaces = [
        [apart(slots[upper], slots[lower]) for upper, lower in pairwise(column)]
        for column in columns.columns
    ]
    stacks: list[list[tuple[int, float]]] = []
    position = [0] * len(slots)
    for column, space in zip(columns.columns, spaces, strict=True):
        stack = [*zip(column, _stack(space), strict=True)]
        stacks.append(stack)
        for place, (slot, offset) in enumerate(stack):
            y[slot], position[slot] = offset, place
    lines = [_Line(one.left, one.right, one.out - one.into) for one in columns.strands]
    only = _only_ways(lines)
    before, after = _pulls(columns, lines, only)
    for stack in stacks:
        _settle(stack, before, y)
    for stack in reversed(stacks):
        _settle(stack, after, y)
    both = [
        _Pull(one.weight + other.weight, one.shifted + other.shifted, one.near + other.near)
        for one, other in zip(before, after, strict=True)
    ]
    for stack in stacks:
        _settle(stack, both, y)
    y = _straightened(columns, spaces, position, lines, only, y)
    # the second time finds the lines that the first has brought close
    if any(
        0.1 < abs(y[left] + shift - y[right]) <= NEARLY_STRAIGHT for left, right, shift in lines
    ):
        y = _straightened(columns, spaces, position, lines, only, y)
    return y


class _Line(NamedTuple):
    """A strand for this stage: it is level when its right end stands `shift` below its left."""

    left: int
    right: int
    shift: float


class _Pull(NamedTuple):
    """All that pulls a slot from one side, or from both."""

    weight: float
    shifted: float  # sum of: offset from a neighbour at which the line is straight, times weight
    near: list[tuple[int, float]]  # neighbour, weight


def _pulls(
    columns: Columns, lines: list[_Line], only: list[bool]
) -> tuple[list[_Pull], list[_Pull]]:
    before: list[list[tuple[int, float]]] = [[] for _ in columns.slots]
    after: list[list[tuple[int, float]]] = [[] for _ in columns.slots]
    forth, back = [0.0] * len(before), [0.0] * len(before)
    is_bend = [box.id == "" for box in columns.slots]
    together = Counter([(left, right) for left, right, _ in lines])
    for (left, right, shift), alone in zip(lines, only, strict=True):
        # a long wire is straight first of all, then one that is alone
        weight = 8.0 if is_bend[left] and is_bend[right] else 1.0
        if alone:
            weight *= 4.0
        elif together[left, right] > 1:
            weight *= 4.0  # two lines of a*a are level, or the numbers along them have no room
        before[right].append((left, weight))
        forth[right] += shift * weight
        after[left].append((right, weight))
        back[left] -= shift * weight

    def all_of(shifted: list[float], near: list[list[tuple[int, float]]]) -> list[_Pull]:
        return [
            _Pull(sum([weight for _, weight in found]), sum_, found)
            for sum_, found in zip(shifted, near, strict=True)
        ]

    return all_of(forth, before), all_of(back, after)


def _only_ways(lines: list[_Line]) -> list[bool]:
    """Whether each line is the only one that leaves its left end and enters its right end."""
    leaving = Counter([line.left for line in lines])
    entering = Counter([line.right for line in lines])
    return [leaving[left] == entering[right] == 1 for left, right, _ in lines]


def apart(upper: Box, lower: Box) -> float:
    """Pixels between the lines of two boxes, one above the other, at least."""
    free = BETWEEN_BENDS if upper.id == "" and lower.id == "" else BETWEEN_BOXES
    return upper.below + free + lower.above


def _stack(spaces: list[float]) -> list[float]:
    """Lines of a column whose boxes stand as close as they may, its middle at 0."""
    lines = [0.0, *accumulate(spaces)]
    middle = lines[-1] / 2
    return [line - middle for line in lines]


def _settle(stack: list[tuple[int, float]], pulls: list[_Pull], y: list[float]) -> None:
    """Move a column as near to what pulls it as its own order and spacing allow.

    stack: its slots, each with its place where all stand as close as they may.
    """
    # blocks of boxes that touch: (where they would stand, weighted sum of wishes, weight, how many)
    blocks: list[tuple[float, float, float, int]] = []
    for slot, offset in stack:
        weight, wish, near = pulls[slot]
        for other, strength in near:
            wish += y[other] * strength
        wish += STAY * y[slot] - weight * offset - STAY * offset
        weight += STAY  # what nothing pulls stays
        middle, size = wish / weight, 1
        while blocks and blocks[-1][0] > middle:
            _, more, heavier, longer = blocks.pop()
            wish, weight, size = wish + more, weight + heavier, size + longer
            middle = wish / weight
        blocks.append((middle, wish, weight, size))
    if len(blocks) == len(stack):  # as in most columns: none stands in the way of another
        for (slot, offset), (middle, _, _, _) in zip(stack, blocks, strict=True):
            y[slot] = middle + offset
        return
    place = 0
    for middle, _, _, size in blocks:
        for slot, offset in stack[place : place + size]:
            y[slot] = middle + offset
        place += size


def _straightened(
    columns: Columns,
    spaces: list[list[float]],
    position: list[int],
    lines: list[_Line],
    only: list[bool],
    y: list[float],
) -> list[float]:
    """Join slots along nearly straight lines into chains, and give each chain one height."""
    chain, offset = _chains(columns, position, lines, only, y)
    members, wish = [0] * len(y), [0.0] * len(y)
    for slot, head in enumerate(chain):
        members[head] += 1
        wish[head] += y[slot] - offset[slot]
    low = [total / count if count else 0.0 for total, count in zip(wish, members, strict=True)]
    high = list(low)
    below: list[list[tuple[int, float]]] = [[] for _ in y]
    waits = [0] * len(y)  # for how many that stand right above it
    for column, space in zip(columns.columns, spaces, strict=True):
        for upper, lower, free in zip(column, column[1:], space, strict=False):
            below[chain[upper]].append((chain[lower], free + offset[upper] - offset[lower]))
            waits[chain[lower]] += 1
    # two ways that keep all distances, pushing down and pushing up; so does their mean
    downwards = [head for head, count in enumerate(members) if count and not waits[head]]
    for head in downwards:
        height = low[head]
        for other, distance in below[head]:
            if low[other] < height + distance:
                low[other] = height + distance
            waits[other] -= 1
            if waits[other] == 0:
                downwards.append(other)
    # lines that do not cross are ordered from top to bottom: there is no cycle
    assert not any(waits), "straight lines must not cross"
    for head in reversed(downwards):
        for other, distance in below[head]:
            if high[head] > high[other] - distance:
                high[head] = high[other] - distance
    middle = {head: halves((low[head] + high[head]) / 2) for head in downwards}
    return [middle[head] + offset[slot] for slot, head in enumerate(chain)]


def _chains(
    columns: Columns,
    position: list[int],
    lines: list[_Line],
    only: list[bool],
    y: list[float],
) -> tuple[list[int], list[float]]:
    """Each slot's chain (named by a slot of it) and the slot's offset from the chain's line."""
    straight: list[tuple[bool, float, int]] = []
    for k, ((left, right, shift), alone) in enumerate(zip(lines, only, strict=True)):
        rise = abs(y[left] + shift - y[right])
        if rise <= (ONLY_WAY if alone else NEARLY_STRAIGHT):
            straight.append((not alone, rise, k))
    straight.sort()
    taken: list[list[tuple[int, int]]] = [[] for _ in columns.columns]
    used_out: set[int] = set()
    used_in: set[int] = set()
    joined: list[tuple[int, _Line]] = []
    for _, _, k in straight:
        left, right, _ = line = lines[k]
        if left in used_out or right in used_in:
            continue
        pair = (position[left], position[right])
        column = columns.column_of[left]
        gap = taken[column]
        where = bisect(gap, pair)
        if where > 0 and gap[where - 1][1] > pair[1]:
            continue  # would cross a line that is straight already
        if where < len(gap) and gap[where][1] < pair[1]:
            continue
        gap.insert(where, pair)
        used_out.add(left)
        used_in.add(right)
        joined.append((column, line))
    joined.sort()  # from left to right
    chain = list(range(len(y)))
    offset = [0.0] * len(y)
    for _, (left, right, shift) in joined:
        chain[right], offset[right] = chain[left], offset[left] + shift
    return chain, offset
