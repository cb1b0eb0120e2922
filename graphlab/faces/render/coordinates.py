"""Coordinate assignment: the height of each box, near its neighbours and on straight lines.

The heights in one column are a small least-squares problem, which the pool-adjacent-violators
algorithm solves exactly in one pass. A few sweeps solve it column by column; then nearly straight
lines are made straight.

Source: Brandes, Köpf: Fast and simple horizontal coordinate assignment (2002), for the last step.
Read next: faces/render/scene_builder.py
"""

from bisect import bisect
from collections import Counter
from itertools import accumulate, pairwise
from typing import NamedTuple

from graphlab.faces.render.layered_graph import Box, Columns
from graphlab.faces.render.metrics import halves

STAY = 0.1  # the weight of a box's current height; a short wire has the weight 1
BETWEEN_BOXES = 16  # pixels
BETWEEN_BENDS = 2
NEARLY_STRAIGHT = 14  # pixels: a smaller step would look like a mistake
ONLY_WAY = 400  # pixels: up to this step, a wire that is the only one at both ends is made straight


class _Line(NamedTuple):
    """A strand, horizontal if its right slot is `shift` below its left slot."""

    left: int
    right: int
    shift: float


class _Pull(NamedTuple):
    """The pull of a slot's neighbours on one side, or on both.

    weight: of all neighbours together.
    """

    weight: float
    shifted: float  # sum over neighbours: weight times the offset of a horizontal line
    near: list[tuple[int, float]]  # neighbour, weight


def place(columns: Columns) -> list[float]:
    """Return the y of every slot's line. Boxes of a column keep their order and never overlap."""
    slots = columns.slots
    y, position = [0.0] * len(slots), [0] * len(slots)
    spaces = [
        [apart(slots[upper], slots[lower]) for upper, lower in pairwise(column)]
        for column in columns.columns
    ]
    stacks: list[list[tuple[int, float]]] = []
    for column, space in zip(columns.columns, spaces, strict=True):
        lines = [0.0, *accumulate(space)]  # as close as possible, with the middle at 0
        middle = lines[-1] / 2
        stacks.append([(slot, line - middle) for slot, line in zip(column, lines, strict=True)])
        for place, (slot, offset) in enumerate(stacks[-1]):
            y[slot], position[slot] = offset, place
    lines = [_Line(one.left, one.right, one.out - one.into) for one in columns.strands]
    only = _only_ways(lines)
    before, after = _pulls(columns, lines, only)
    both = [
        _Pull(one.weight + other.weight, one.shifted + other.shifted, one.near + other.near)
        for one, other in zip(before, after, strict=True)
    ]
    for order, pulls in ((stacks, before), (stacks[::-1], after), (stacks, both)):
        for stack in order:
            _settle(stack, pulls, y)
    y = _straightened(columns, spaces, position, lines, only, y)
    # a second time, for lines that are nearly straight after the first
    if any(
        0.1 < abs(y[left] + shift - y[right]) <= NEARLY_STRAIGHT for left, right, shift in lines
    ):
        y = _straightened(columns, spaces, position, lines, only, y)
    return y


def _pulls(
    columns: Columns, lines: list[_Line], only: list[bool]
) -> tuple[list[_Pull], list[_Pull]]:
    """Return the pull on each slot from the column before it, and from the column after it."""
    count = len(columns.slots)
    before: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    after: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    forth, back = [0.0] * count, [0.0] * count
    is_bend = [box.id == "" for box in columns.slots]
    together = Counter([(left, right) for left, right, _ in lines])
    for (left, right, shift), alone in zip(lines, only, strict=True):
        weight = 8.0 if is_bend[left] and is_bend[right] else 1.0  # long wires are straight first
        # the two lines of a*a must be horizontal, so that the numbers along them have room
        if alone or together[left, right] > 1:
            weight *= 4.0
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
    """Return whether each line is the only one at its left end and at its right end."""
    leaving = Counter([line.left for line in lines])
    entering = Counter([line.right for line in lines])
    return [leaving[left] == entering[right] == 1 for left, right, _ in lines]


def apart(upper: Box, lower: Box) -> float:
    """Return the least distance in pixels between the lines of two boxes, one above the other."""
    free = BETWEEN_BENDS if upper.id == "" and lower.id == "" else BETWEEN_BOXES
    return upper.below + free + lower.above


def _settle(stack: list[tuple[int, float]], pulls: list[_Pull], y: list[float]) -> None:
    """Move the boxes of a column as near to their neighbours as order and spacing allow.

    stack: its slots, each with its offset if all are as close as possible.
    """
    # blocks of boxes that touch: (best position, weighted sum of wanted positions, weight, count)
    blocks: list[tuple[float, float, float, int]] = []
    for slot, offset in stack:
        weight, wish, near = pulls[slot]
        for other, strength in near:
            wish += y[other] * strength
        wish += STAY * y[slot] - weight * offset - STAY * offset
        weight += STAY
        middle, size = wish / weight, 1
        while blocks and blocks[-1][0] > middle:
            _, more, heavier, longer = blocks.pop()
            wish, weight, size = wish + more, weight + heavier, size + longer
            middle = wish / weight
        blocks.append((middle, wish, weight, size))
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
    waits = [0] * len(y)  # how many chains directly above are not placed yet
    for column, space in zip(columns.columns, spaces, strict=True):
        for upper, lower, free in zip(column, column[1:], space, strict=False):
            below[chain[upper]].append((chain[lower], free + offset[upper] - offset[lower]))
            waits[chain[lower]] += 1
    # moving down and moving up both keep the least distances, and so does the mean of both
    downwards = [head for head, count in enumerate(members) if count and not waits[head]]
    for head in downwards:
        for other, distance in below[head]:
            low[other] = max(low[other], low[head] + distance)
            waits[other] -= 1
            if waits[other] == 0:
                downwards.append(other)
    # lines that do not cross have an order from top to bottom, so there is no cycle
    assert not any(waits), "straight lines must not cross"
    for head in reversed(downwards):
        for other, distance in below[head]:
            high[head] = min(high[head], high[other] - distance)
    middle = {head: halves((low[head] + high[head]) / 2) for head in downwards}
    return [middle[head] + offset[slot] for slot, head in enumerate(chain)]


def _chains(
    columns: Columns, position: list[int], lines: list[_Line], only: list[bool], y: list[float]
) -> tuple[list[int], list[float]]:
    """Return each slot's chain, given by its first slot, and its offset from the chain's line."""
    straight: list[tuple[bool, float, int]] = []
    for k, ((left, right, shift), alone) in enumerate(zip(lines, only, strict=True)):
        rise = abs(y[left] + shift - y[right])
        if rise <= (ONLY_WAY if alone else NEARLY_STRAIGHT):
            straight.append((not alone, rise, k))
    taken: list[list[tuple[int, int]]] = [[] for _ in columns.columns]
    used_out: set[int] = set()
    used_in: set[int] = set()
    joined: list[tuple[int, _Line]] = []
    for _, _, k in sorted(straight):
        left, right, _ = line = lines[k]
        if left in used_out or right in used_in:
            continue
        pair = (position[left], position[right])
        column = columns.column_of[left]
        gap = taken[column]
        where = bisect(gap, pair)
        above, under = gap[where - 1 : where] if where else [], gap[where : where + 1]
        if (above and above[0][1] > pair[1]) or (under and under[0][1] < pair[1]):
            continue  # it would cross a line that is already straight
        gap.insert(where, pair)
        used_out.add(left)
        used_in.add(right)
        joined.append((column, line))
    chain = list(range(len(y)))
    offset = [0.0] * len(y)
    for _, (left, right, shift) in sorted(joined):  # from left to right
        chain[right], offset[right] = chain[left], offset[left] + shift
    return chain, offset
