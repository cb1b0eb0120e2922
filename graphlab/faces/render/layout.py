"""Layered layout: boxes in columns from left to right, few crossings, straight lines.

1. rank: give each box a column, so that lines are short.         faces/render/layering.py
2. thread: give a link a bend in each column that it passes.      faces/render/layered_graph.py
3. order: sort each column so that few links cross.               faces/render/crossings.py
4. place: give each box a height, so that lines are straight.     faces/render/coordinates.py
5. widen: give columns and the gaps between them their widths.

Each stage takes linear time. Links bend only in the gaps between columns, so no link crosses a box
or its label.

Source: Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical systems (1981).
Read next: faces/render/layered_graph.py
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from graphlab.faces.render.coordinates import place
from graphlab.faces.render.crossings import order
from graphlab.faces.render.layered_graph import MARGIN, Box, Columns, Layout, Link, thread
from graphlab.faces.render.layering import rank
from graphlab.faces.render.metrics import halves

MOST_CACHED = 300  # boxes: a larger layout is not cached
NARROWEST_GAP, WIDEST_GAP = 36, 96  # pixels between two columns, labels aside


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
