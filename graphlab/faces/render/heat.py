"""The small heat map on a card: the entries of a matrix, or the corner of a large one, as colours.

Blue is positive, orange negative, and a stronger colour means a larger absolute value. To be told
apart without colours, a negative entry has a dash, and NaN or infinity a cross.
js/src/heatmap.ts is the same for the player; tests/fixtures/heat.json tests both.

Read next: faces/render/svg.py
"""

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from graphlab.faces.render.metrics import halves, pixels
from graphlab.graph.scene import Mark
from graphlab.graph.series import number_of
from graphlab.graph.value import Value

Kind = Literal["plus", "minus", "odd", "dash", "frame"]
TALLEST = 22  # pixels; a row of a card is not much taller
WIDEST_CELL = 8  # pixels
LEVELS = 4  # strengths of a colour


class Part(NamedTuple):
    """Cells of one colour, as the data of one path."""

    kind: Kind
    level: int  # 1 to LEVELS of a colour; 0 for lines
    d: str


def heat_mark(value: Value | None) -> Mark | None:
    """Return the heat map of a value at (0, 0), without cells; None if smaller than 2 x 2."""
    if value is None or len(value.shape) < 2 or min(value.shape[-2:]) < 2 or not value.rows:
        return None
    rows = value.rows
    cell = min(float(WIDEST_CELL), math.floor(2 * TALLEST / len(rows)) / 2)
    return Mark("heat", "cells", w=len(rows[0]) * cell, h=len(rows) * cell, r=cell)


def value_of(data: Mapping[str, Any] | None) -> Value | None:
    """Return a value from its JSON in a state; None if there is none."""
    if data is None:
        return None
    shape, kept = tuple(data["shape"]), tuple(data.get("kept", ()))
    return Value(shape, data["dtype"], data["text"], data.get("entries", ""), kept)


def heat_parts(mark: Mark, value: Value | None) -> list[Part]:
    """Return the paths of a heat map; [] if the value is not known."""
    rows = value.rows if value is not None else ()
    if value is None or not rows:
        return []
    whole = tuple(value.shape[-2:]) == (len(rows), len(rows[0]))
    numbers = [[number_of(text) for text in row] for row in rows]
    most = max((abs(x) for row in numbers for x in row if math.isfinite(x)), default=0.0)
    cells: dict[tuple[Kind, int], str] = {}
    dashes, cell = "", mark.r
    for i, row in enumerate(numbers):
        for j, number in enumerate(row):
            x, y = mark.x + j * cell, mark.y + i * cell
            key = _colour(number, most)
            if key is None:
                continue
            square = f"M{pixels(x)} {pixels(y)}h{pixels(cell)}v{pixels(cell)}h-{pixels(cell)}z"
            cells[key] = cells.get(key, "") + square
            dashes += _dash(key[0], x, y, cell)
    found = [Part(kind, level, d) for (kind, level), d in sorted(cells.items())]
    if dashes:
        found.append(Part("dash", 0, dashes))
    return [*found, Part("frame", 0, _frame(mark, whole))]


def _colour(number: float, most: float) -> tuple[Kind, int] | None:
    """Return the kind of an entry and the strength of its colour; None for 0, without colour."""
    if not math.isfinite(number):
        return "odd", LEVELS
    level = math.ceil(LEVELS * abs(number) / most) if number else 0
    return ("plus" if number > 0 else "minus", level) if level else None


def _dash(kind: Kind, x: float, y: float, cell: float) -> str:
    """Return a minus sign or a cross in a cell; "" for a positive entry."""
    inset = halves(cell / 4)
    size = cell - 2 * inset
    left, top = pixels(x + inset), pixels(y + inset)
    if kind == "minus":
        return f"M{left} {pixels(y + halves(cell / 2))}h{pixels(size)}"
    if kind == "odd":
        long = pixels(size)
        return f"M{left} {top}l{long} {long}m-{long} 0l{long} -{long}"
    return ""


def _frame(mark: Mark, whole: bool) -> str:
    """Return the outline; for the corner of a larger matrix it is open at the right and below."""
    right, across, down = pixels(mark.x + mark.w), pixels(mark.w), pixels(mark.h)
    start = f"M{right} {pixels(mark.y)}h-{across}v{down}"
    return f"{start}h{across}z" if whole else start
