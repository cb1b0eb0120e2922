"""The data of a layout: boxes, links, and columns of boxes.

Read next: faces/render/layering.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphlab.graph.codec import record

MARGIN = 14.0  # pixels around the picture
FLOW = 9  # pixels between a wire and the line of its gradient below it


@record
class Box:
    """Something to place. Heights are relative to its line, where links enter and leave."""

    id: str  # "": a bend of a link, not a box
    width: float
    above: float
    below: float
    solid: float = 0  # width at its line that labels must avoid


@record
class Link:
    """A wire from the right side of `source` to the left side of `target`."""

    id: str
    source: str
    target: str
    out: float = 0  # height of its start, relative to the source's line
    into: float = 0  # height of its end, relative to the target's line
    room: float = 0  # pixels that its label needs between two columns
    joined: bool = False  # whether its ends stay in neighbouring columns
    free: bool = False  # whether it may swap its place at the target with other free links


@record
class Strand:
    """The part of a link between two neighbouring columns. Its ends are slots."""

    left: int
    right: int
    out: float
    into: float
    free: bool = False


@dataclass(slots=True)
class Columns:
    """A layered graph: slots (boxes, then bends) in columns, and the strands between them."""

    slots: list[Box]
    column_of: list[int]
    columns: list[list[int]]  # slots of each column, from top to bottom
    strands: list[Strand]
    strands_of: dict[str, list[int]]  # link id -> its strands, from left to right


Gap = tuple[float, float, float, float]  # a line between two columns: left end x, y, right end x, y


class Back(NamedTuple):
    """A line from the end of one row to the start of the next.

    It turns at x = `right`, runs back at y = `channel` between the rows, and turns at x = `left`.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    right: float
    channel: float
    left: float

    def inside(self, by: float) -> "Back":
        """Return the parallel line `by` pixels lower, which does not cross this one."""
        x0, y0, x1, y1, right, channel, left = self
        return Back(x0, y0 + by, x1, y1 + by, right - by, channel - by, left - by)


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of boxes (centre x, y of the line) and links, including the margin, in pixels."""

    x: dict[str, float]
    y: dict[str, float]
    routes: Mapping[str, tuple[Gap | Back, ...]]  # link id -> the gaps it crosses, left to right
    width: float
    height: float


def thread(boxes: Sequence[Box], links: Sequence[Link], ranks: dict[str, int]) -> Columns:
    """Split links into strands, with a bend in each column that a link passes.

    Links that leave one box at the same height share their bends.
    """
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
                strands.append(Strand(here, len(slots) - 1, out, 0))
                bends[key] = (len(slots) - 1, len(strands) - 1)
            here, strand = bends[key]
            out = 0
            threaded.append(strand)
        strands.append(Strand(here, index[link.target], out, link.into, link.free))
        strands_of[link.id] = [*threaded, len(strands) - 1]
    for slot, column in enumerate(column_of):
        columns[column].append(slot)
    return Columns(slots, column_of, columns, strands, strands_of)
