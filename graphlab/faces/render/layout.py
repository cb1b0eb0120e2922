"""Layered layout: boxes in columns from left to right, few crossings, straight lines.

1. rank: give each box a column, so that lines are short.         faces/render/layering.py
2. thread: give a link a bend in each column that it passes.      faces/render/layered_graph.py
3. order: sort each column so that few links cross.               faces/render/crossings.py
4. place: give each box a height, so that lines are straight.
5. widen: give columns and the gaps between them their widths.

Each stage takes linear time. Links bend only in the gaps between columns, so no link crosses a box
or its label.

The heights in one column are a small least-squares problem, which the pool-adjacent-violators
algorithm solves exactly in one pass. A few sweeps solve it column by column; then nearly straight
lines are made straight.

Sources: Brandes, Köpf: Fast and simple horizontal coordinate assignment (2002), for these lines;
Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical systems (1981).
Read next: faces/render/layered_graph.py
"""

from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from graphlab.faces.render.crossings import order
from graphlab.faces.render.layered_graph import MARGIN, Box, Columns, Layout, Link, thread
from graphlab.faces.render.layering import rank
from graphlab.faces.render.metrics import halves

MOST_CACHED = 300  # boxes: a larger layout is not cached
NARROWEST_GAP, WIDEST_GAP = 36, 96  # pixels between two columns, labels aside
STAY = 0.1  # the weight of a box's current height; a short wire has the weight 1
BETWEEN_BOXES = 16  # pixels
BETWEEN_BENDS = 2
NEARLY_STRAIGHT = 14  # pixels: a smaller step would look like a mistake
ONLY_WAY = 400  # pixels: up to this step, a wire that is the only one at both ends is made straight


def lay_out(boxes: Sequence[Box], links: Sequence[Link]) -> Layout:
    """Place `boxes`, a directed acyclic graph with `links`. The result is deterministic.

    Neither names nor widths change the columns and heights, so these are cached: a cell that runs
    again, and parts of one shape, such as equal layers, are not arranged again.
    """
    number = {box.id: str(k) for k, box in enumerate(boxes)}
    shapes = [Box(number[box.id], 0, box.above, box.below) for box in boxes]
    ends = [
        Link(
            str(k),
            number[link.source],
            number[link.target],
            link.out,
            link.into,
            joined=link.joined,
            free=link.free,
        )
        for k, link in enumerate(links)
    ]
    arrange = arranged if len(boxes) <= MOST_CACHED else _arranged
    columns, heights = arrange(tuple(shapes), tuple(ends))
    return _widen(boxes, links, columns, heights)


def _arranged(boxes: tuple[Box, ...], links: tuple[Link, ...]) -> tuple[Columns, list[float]]:
    columns = thread(boxes, links, rank(boxes, links))
    order(columns)
    trade(columns)
    return columns, place(columns)


@lru_cache(maxsize=32)
def arranged(boxes: tuple[Box, ...], links: tuple[Link, ...]) -> tuple[Columns, list[float]]:
    """Return cached columns and heights; `arranged.cache_clear()` empties the cache."""
    return _arranged(boxes, links)


def trade(columns: Columns) -> None:
    """Reorder the ends of lines at each box to match the order of their other ends.

    Free lines may enter a box in any order. Lines that leave one box at several heights may always
    be reordered.
    """
    position = {slot: k for column in columns.columns for k, slot in enumerate(column)}
    entering: dict[int, list[int]] = {}
    leaving: dict[int, dict[float, list[int]]] = {}
    for k, strand in enumerate(columns.strands):
        if strand.free:
            entering.setdefault(strand.right, []).append(k)
        leaving.setdefault(strand.left, {}).setdefault(strand.out, []).append(k)

    def came(k: int) -> tuple[int, float, float]:
        strand = columns.strands[k]
        return position[strand.left], strand.out, strand.into

    def goes(found: list[int]) -> float:
        return sum(position[columns.strands[k].right] for k in found) / len(found)

    for by_height in leaving.values():
        groups = [by_height[height] for height in sorted(by_height)]
        for height, found in zip(sorted(by_height), sorted(groups, key=goes), strict=True):
            for k in found:
                if columns.strands[k].out != height:
                    columns.strands[k] = replace(columns.strands[k], out=height)
    for found in entering.values():
        places = sorted(columns.strands[k].into for k in found)
        for k, into in zip(sorted(found, key=came), places, strict=True):
            if columns.strands[k].into != into:
                columns.strands[k] = replace(columns.strands[k], into=into)


def _gaps(
    slots: Sequence[Box],
    rooms: dict[int, float],
    columns: Columns,
    heights: list[float],
    widths: list[float],
) -> list[float]:
    """Return the pixels between columns: room for the curves of steep wires and for labels."""
    gaps = [float(NARROWEST_GAP)] * max(len(widths) - 1, 0)
    for number, strand in enumerate(columns.strands):
        k = columns.column_of[strand.left]
        rise = abs(heights[strand.left] + strand.out - heights[strand.right] - strand.into)
        if rise > 80:
            gaps[k] = max(gaps[k], min(NARROWEST_GAP + halves(0.15 * (rise - 80)), WIDEST_GAP))
        if room := rooms.get(number):
            left, right = slots[strand.left], slots[strand.right]
            beside = (widths[k] - left.solid + widths[k + 1] - right.solid) / 2
            gaps[k] = max(gaps[k], halves(room + 18 - beside))
    return gaps


def _widen(
    boxes: Sequence[Box], links: Sequence[Link], columns: Columns, heights: list[float]
) -> Layout:
    slots = [*boxes, *columns.slots[len(boxes) :]]
    strands_of = {link.id: columns.strands_of[str(k)] for k, link in enumerate(links)}
    rooms = {strands_of[link.id][-1]: link.room for link in links}
    widths = [max([slots[slot].width for slot in members]) for members in columns.columns]
    gaps = _gaps(slots, rooms, columns, heights, widths)
    left, lefts, rights = MARGIN, [], []
    for width, gap in zip(widths, [*gaps, 0.0], strict=False):
        lefts.append(left)
        rights.append(left + width)
        left += width + gap
    top = min([height - box.above for height, box in zip(heights, slots, strict=True)])
    y = [height - top + MARGIN for height in heights]
    bottom = max([height + box.below for height, box in zip(y, slots, strict=True)])
    gap_of = [
        (
            rights[columns.column_of[strand.left]],
            y[strand.left] + strand.out,
            lefts[columns.column_of[strand.right]],
            y[strand.right] + strand.into,
        )
        for strand in columns.strands
    ]
    routes = {id: tuple([gap_of[k] for k in strands]) for id, strands in strands_of.items()}
    middle = [halves((a + b) / 2) for a, b in zip(lefts, rights, strict=True)]
    return Layout(
        {box.id: middle[columns.column_of[k]] for k, box in enumerate(boxes)},
        {box.id: y[k] for k, box in enumerate(boxes)},
        routes,
        left + MARGIN,
        bottom + MARGIN,
    )


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
    for sweep, pulls in ((stacks, before), (stacks[::-1], after), (stacks, both)):
        for stack in sweep:
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
