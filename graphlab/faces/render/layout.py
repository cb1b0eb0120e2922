"""Where boxes stand: columns from left to right, few crossings, straight lines, one pass after
another, each of linear cost.

1. rank: each box gets a column: short lines, leaves next to their user.     render/layering.py
2. thread: a link that spans several columns gets a bend in each; links from one box share theirs.
3. order: boxes within a column are sorted so that few links cross.          render/crossings.py
4. place: each box gets its height, lines straight where they can be.        render/coordinates.py
5. widen: columns and the gaps between them get their widths.

Links bend only in the gaps between columns, so no link ever crosses a box or its label.

Source: Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical systems (1981).
Read next: faces/render/layering.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from graphlab.faces.render.coordinates import place
from graphlab.faces.render.crossings import order
from graphlab.faces.render.layering import rank
from graphlab.faces.render.metrics import halves
from graphlab.graph.record import record

MARGIN = 14.0  # pixels around the picture
FLOW = 9  # pixels by which a gradient's line runs below its wire


@record
class Box:
    """What is to be placed; heights are counted from its line, where links enter and leave."""

    id: str
    width: float
    above: float
    below: float
    solid: float = 0  # width at its line, where no label may lie; beside it there is room for one


@record
class Link:
    """A wire from the right side of `source` to the left side of `target`."""

    id: str
    source: str
    target: str
    out: float = 0  # height of its start, relative to the source's line
    into: float = 0  # height of its end, relative to the target's line
    room: float = 0  # pixels that a label on it needs in the gap
    joined: bool = False  # its two ends stay in neighbouring columns
    free: bool = False  # it may trade its place at the target with others that may


@record
class Strand:
    """A link's piece between two neighbouring columns; slots are boxes or bends."""

    left: int
    right: int
    out: float
    into: float
    room: float
    free: bool = False


@dataclass(slots=True)
class Columns:
    """The layered graph: slots (boxes first, then bends), their columns, and the strands."""

    slots: list[Box]
    column_of: list[int]
    columns: list[list[int]]  # slots of each column, from top to bottom
    strands: list[Strand]
    strands_of: dict[str, list[int]]  # link id -> its strands, from left to right


Gap = tuple[float, float, float, float]  # a line between two columns: left end x, y, right end x, y


class Back(NamedTuple):
    """A line from the end of a row to the beginning of the next, in a picture that has rows.

    It turns at `right`, runs back along `channel`, between the rows, and turns again at `left`.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    right: float
    channel: float
    left: float

    def inside(self, by: float) -> Back:
        """The way of a line that is `by` pixels below this one, and crosses it nowhere."""
        x0, y0, x1, y1, right, channel, left = self
        return Back(x0, y0 + by, x1, y1 + by, right - by, channel - by, left - by)


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions: a box's centre x and the y of its line; a link's points in the gaps it crosses.

    Around all of them there is a margin.
    """

    x: dict[str, float]
    y: dict[str, float]
    routes: Mapping[
        str, tuple[Gap | Back, ...]
    ]  # link id -> each gap it crosses, from left to right
    width: float
    height: float


REMEMBERED = 300  # boxes at most, of a layout that is kept


def lay_out(boxes: Sequence[Box], links: Sequence[Link]) -> Layout:
    """Place `boxes` (a directed acyclic graph with `links`); the same input, the same output.

    So a cell that is run again need not have its picture laid out again.
    """
    if len(boxes) > REMEMBERED:
        return _laid_out(boxes, links)
    return remembered(tuple(boxes), tuple(links))


@lru_cache(maxsize=32)
def remembered(boxes: tuple[Box, ...], links: tuple[Link, ...]) -> Layout:
    """The layout of a picture, worked out once; `remembered.cache_clear()` forgets all of them."""
    return _laid_out(boxes, links)


def _laid_out(boxes: Sequence[Box], links: Sequence[Link]) -> Layout:
    columns = thread(boxes, links, rank(boxes, links))
    order(columns)
    trade(columns)
    return _widen(boxes, columns, place(columns))


def trade(columns: Columns) -> None:
    """Let lines that may trade places at a box enter and leave it in the order of their other ends.

    Those that enter may where the box takes them in any order; those that leave at several heights
    always may.
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
        if len(by_height) > 1:
            heights = sorted(by_height)
            groups = [by_height[height] for height in heights]
            for height, found in zip(heights, sorted(groups, key=goes), strict=True):
                for k in found:
                    if columns.strands[k].out != height:
                        columns.strands[k] = replace(columns.strands[k], out=height)
    for found in entering.values():
        places = sorted(columns.strands[k].into for k in found)
        for k, into in zip(sorted(found, key=came), places, strict=True):
            if columns.strands[k].into != into:
                columns.strands[k] = replace(columns.strands[k], into=into)


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
        strands.append(Strand(here, index[link.target], out, link.into, link.room, link.free))
        strands_of[link.id] = [*threaded, len(strands) - 1]
    for slot, column in enumerate(column_of):
        columns[column].append(slot)
    return Columns(slots, column_of, columns, strands, strands_of)


NARROWEST_GAP, WIDEST_GAP = 36, 96  # pixels between two columns, labels aside


def _gaps(columns: Columns, heights: list[float], widths: list[float]) -> list[float]:
    """Pixels between columns: for a steep wire to turn, for a label between two boxes."""
    gaps = [float(NARROWEST_GAP)] * max(len(widths) - 1, 0)
    for strand in columns.strands:
        k = columns.column_of[strand.left]
        rise = abs(heights[strand.left] + strand.out - heights[strand.right] - strand.into)
        if rise > 80:
            gaps[k] = max(gaps[k], min(NARROWEST_GAP + halves(0.15 * (rise - 80)), WIDEST_GAP))
        if strand.room:
            left, right = columns.slots[strand.left], columns.slots[strand.right]
            beside = (widths[k] - left.solid + widths[k + 1] - right.solid) / 2
            gaps[k] = max(gaps[k], halves(strand.room + 18 - beside))
    return gaps


def _widen(boxes: Sequence[Box], columns: Columns, heights: list[float]) -> Layout:
    count = len(columns.columns)
    widths = [max(columns.slots[slot].width for slot in members) for members in columns.columns]
    gaps = _gaps(columns, heights, widths)
    left, lefts, rights = MARGIN, [], []
    for k in range(count):
        lefts.append(left)
        left += widths[k]
        rights.append(left)
        left += gaps[k] if k < count - 1 else 0
    top = min([height - box.above for height, box in zip(heights, columns.slots, strict=True)])
    y = [height - top + MARGIN for height in heights]
    bottom = max([height + box.below for height, box in zip(y, columns.slots, strict=True)])
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
    middle = [halves((lefts[c] + rights[c]) / 2) for c in range(count)]
    x = {box.id: middle[columns.column_of[k]] for k, box in enumerate(boxes)}
    return Layout(
        x, {box.id: y[k] for k, box in enumerate(boxes)}, routes, left + MARGIN, bottom + MARGIN
    )
