"""Where boxes stand: columns from left to right, few crossings, straight lines, one pass after
another, each of linear cost.

1. rank: each box gets a column (longest path), and leaves move next to their first user.
2. thread: a link that spans several columns gets a bend in each; links from one box share theirs.
3. order: boxes within a column are sorted so that few links cross.          render/ordering.py
4. place: each box gets its height, lines straight where they can be.        render/placing.py
5. widen: columns and the gaps between them get their widths.

Links bend only in the gaps between columns, so no link ever crosses a box or its label.

Source: Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical systems (1981).
Read next: render/ordering.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphlab.render.ordering import order
from graphlab.render.placing import place

FAR = 8  # columns; no eye follows a wire that long among others
FLOW = 9  # pixels by which a gradient's line runs below its wire


@dataclass(frozen=True, slots=True)
class Box:
    """What is to be placed; heights are counted from its line, where links enter and leave."""

    id: str
    width: float
    above: float
    below: float


@dataclass(frozen=True, slots=True)
class Link:
    """A wire from the right side of `source` to the left side of `target`."""

    id: str
    source: str
    target: str
    out: float = 0  # height of its start, relative to the source's line
    into: float = 0  # height of its end, relative to the target's line
    room: float = 0  # pixels that a label on it needs in the gap


@dataclass(frozen=True, slots=True)
class Strand:
    """A link's piece between two neighbouring columns; slots are boxes or bends."""

    left: int
    right: int
    out: float
    into: float
    room: float


@dataclass(slots=True)
class Columns:
    """The layered graph: slots (boxes first, then bends), their columns, and the strands."""

    slots: list[Box]
    column_of: list[int]
    columns: list[list[int]]  # slots of each column, from top to bottom
    strands: list[Strand]
    strands_of: dict[str, list[int]]  # link id -> its strands, from left to right


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions: a box's centre x and the y of its line; a link's points in the gaps it crosses."""

    x: dict[str, float]
    y: dict[str, float]
    # link id -> for each gap it crosses: (left end x, y, right end x, y)
    routes: dict[str, tuple[tuple[float, float, float, float], ...]]
    width: float
    height: float


Arranger = Callable[[Columns], "list[float] | None"]  # gives the y of each slot, or gives up


def lay_out(boxes: Sequence[Box], links: Sequence[Link], arrange: Arranger | None = None) -> Layout:
    """Place `boxes` (a directed acyclic graph with `links`); the same input, the same output.

    arrange: decides order and heights in place of the built-in passes; None from it: built-in.
    """
    columns = thread(boxes, links, rank(boxes, links))
    heights = arrange(columns) if arrange is not None else None
    if heights is None:
        order(columns)
        heights = place(columns)
    return _widen(boxes, columns, heights)


def rank(boxes: Sequence[Box], links: Sequence[Link]) -> dict[str, int]:
    """The column of each box: one after the last of what it is linked from; leaves near their user.

    >>> rank([Box(i, 1, 1, 1) for i in "abc"], [Link("", "a", "b"), Link("", "b", "c")])
    {'a': 0, 'b': 1, 'c': 2}
    """
    leaving: dict[str, list[str]] = {box.id: [] for box in boxes}
    waits = {box.id: 0 for box in boxes}
    for link in links:
        leaving[link.source].append(link.target)
        waits[link.target] += 1
    sources = [id for id, count in waits.items() if count == 0]
    ranks = dict.fromkeys(waits, 0)
    done, ready = 0, list(sources)
    while ready:
        id = ready.pop()
        done += 1
        for target in leaving[id]:
            ranks[target] = max(ranks[target], ranks[id] + 1)
            waits[target] -= 1
            if waits[target] == 0:
                ready.append(target)
    assert done == len(boxes), "a computation graph has no cycle"
    _pull_leaves(boxes, links, leaving, ranks)
    return ranks


def _pull_leaves(
    boxes: Sequence[Box],
    links: Sequence[Link],
    leaving: dict[str, list[str]],
    ranks: dict[str, int],
) -> None:
    """Move leaves, and chains that begin at a leaf and join nothing, next to their first user.

    So does what would be far from its user, where at most one wire grows longer for it.
    """
    entering: dict[str, list[str]] = {box.id: [] for box in boxes}
    for link in links:
        entering[link.target].append(link.source)
    free: set[str] = set()
    by_rank = sorted(ranks, key=ranks.__getitem__)
    for id in by_rank:
        before = entering[id]
        if not before or (len(before) == 1 and before[0] in free and len(leaving[before[0]]) == 1):
            free.add(id)
    for id in reversed(by_rank):
        if not leaving[id]:
            continue
        nearest = min(ranks[target] for target in leaving[id]) - 1
        staying = sum(len(leaving[before]) > 1 for before in {*entering[id]})
        # in x*1 + x*2 + ... each product stands by its sum: x alone is threaded through
        if id in free or (nearest - ranks[id] > FAR and staying <= 1):
            ranks[id] = nearest


def thread(boxes: Sequence[Box], links: Sequence[Link], ranks: dict[str, int]) -> Columns:
    """Split links into strands between neighbouring columns, with bends where they pass one."""
    slots = list(boxes)
    index = {box.id: k for k, box in enumerate(boxes)}
    column_of = [ranks[box.id] for box in boxes]
    columns: list[list[int]] = [[] for _ in range(max(column_of, default=-1) + 1)]
    strands: list[Strand] = []
    strands_of: dict[str, list[int]] = {}
    bends: dict[tuple[str, float, int], tuple[int, int]] = {}  # -> its slot and the strand to it
    for link in links:
        here, out, threaded = index[link.source], link.out, []
        for column in range(ranks[link.source] + 1, ranks[link.target]):
            key = (link.source, link.out, column)
            if key not in bends:
                slots.append(Box("", 0, FLOW - 1, 2 * FLOW - 1))
                column_of.append(column)
                strands.append(Strand(here, len(slots) - 1, out, 0, 0))
                bends[key] = (len(slots) - 1, len(strands) - 1)
            here, strand = bends[key]
            out = 0
            threaded.append(strand)
        strands.append(Strand(here, index[link.target], out, link.into, link.room))
        strands_of[link.id] = [*threaded, len(strands) - 1]
    for slot, column in enumerate(column_of):
        columns[column].append(slot)
    return Columns(slots, column_of, columns, strands, strands_of)


NARROWEST_GAP, WIDEST_GAP = 34, 150  # pixels between two columns


def _widen(boxes: Sequence[Box], columns: Columns, heights: list[float]) -> Layout:
    count = len(columns.columns)
    gaps = [float(NARROWEST_GAP)] * max(count - 1, 0)
    for strand in columns.strands:
        gap = columns.column_of[strand.left]
        rise = abs(heights[strand.left] + strand.out - heights[strand.right] - strand.into)
        # a steep wire needs room to turn
        wanted = max(strand.room + 8, NARROWEST_GAP + 0.22 * max(0.0, rise - 60))
        gaps[gap] = max(gaps[gap], min(wanted, max(WIDEST_GAP, strand.room + 8)))
    left, lefts, rights = 0.0, [], []
    for k, members in enumerate(columns.columns):
        lefts.append(round(left, 1))
        left += max(columns.slots[slot].width for slot in members)
        rights.append(round(left, 1))
        left += gaps[k] if k < count - 1 else 0
    top = min((heights[k] - box.above for k, box in enumerate(columns.slots)), default=0)
    y = [round(height - top, 1) for height in heights]
    bottom = max((y[k] + box.below for k, box in enumerate(columns.slots)), default=0)
    routes = {
        id: tuple(
            (
                rights[columns.column_of[strand.left]],
                y[strand.left] + strand.out,
                lefts[columns.column_of[strand.right]],
                y[strand.right] + strand.into,
            )
            for strand in (columns.strands[k] for k in threaded)
        )
        for id, threaded in columns.strands_of.items()
    }
    middle = [round((lefts[c] + rights[c]) / 2, 1) for c in range(count)]
    x = {box.id: middle[columns.column_of[k]] for k, box in enumerate(boxes)}
    return Layout(x, {box.id: y[k] for k, box in enumerate(boxes)}, routes, round(left, 1), bottom)
