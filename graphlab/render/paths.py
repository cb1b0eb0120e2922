"""The lines of a picture as pieces that can be cut: straight ones and cubic curves.

Read next: render/film.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from graphlab.render.metrics import pixels

Point = tuple[float, float]
Segment = tuple[Point, ...]  # two points: a straight piece; four: a curve and its two controls

CORNER = 7.0  # radius, in pixels
_WORD = re.compile(r"[A-Za-z]|-?\d*\.?\d+")


def segments_of(data: str) -> list[Segment]:
    """A path of M, H, V, L and C in pieces.

    >>> segments_of("M0 1H4")
    [((0.0, 1.0), (4.0, 1.0))]
    """
    words = _WORD.findall(data)
    found: list[Segment] = []
    here, k = (0.0, 0.0), 0
    while k < len(words):
        command, k = words[k], k + 1
        count = {"H": 1, "V": 1, "C": 6}.get(command, 2)
        given = [float(word) for word in words[k : k + count]]
        k += count
        if command == "H":
            points = [(given[0], here[1])]
        elif command == "V":
            points = [(here[0], given[0])]
        else:
            points = list(zip(given[::2], given[1::2], strict=True))
        if command != "M":
            found.append((here, *points))
        here = points[-1]
    return found


def data_of(line: Sequence[Segment]) -> str:
    """The path of pieces, each of which begins where the one before ended.

    >>> data_of([((0.0, 1.0), (4.0, 1.0)), ((4.0, 1.0), (4.0, 3.5))])
    'M0 1H4V3.5'
    """
    parts = [f"M{at(*line[0][0])}"]
    for piece in line:
        (x0, y0), (x1, y1) = piece[0], piece[-1]
        if len(piece) == 4:
            parts.append(f"C{at(*piece[1])} {at(*piece[2])} {at(x1, y1)}")
        elif abs(y0 - y1) < 0.05:
            parts.append(f"H{pixels(x1)}")
        elif abs(x0 - x1) < 0.05:
            parts.append(f"V{pixels(y1)}")
        else:
            parts.append(f"L{at(x1, y1)}")
    return "".join(parts)


def at(x: float, y: float) -> str:
    """A point as a path has it."""
    return f"{pixels(x)} {pixels(y)}"


def begin_of(data: str) -> tuple[Point, str]:
    """The point at which a path begins, and the rest of it.

    >>> begin_of("M12.5 3l9 -3.9v7.7z")
    ((12.5, 3.0), 'l9 -3.9v7.7z')
    """
    found = re.match(r"M(-?[\d.]+) (-?[\d.]+)", data)
    assert found is not None, "a path begins with a point"
    return (float(found[1]), float(found[2])), data[found.end() :]


def heights_at(line: Sequence[Segment], x: float) -> list[float]:
    """The heights at which a line lies across `x`.

    >>> heights_at([((0.0, 1.0), (4.0, 1.0))], 2.0)
    [1.0]
    """
    return [halves(piece, x)[0][-1][1] for piece in line if crosses(piece, x)]


def crosses(piece: Segment, x: float) -> bool:
    """Whether a piece has one end on each side of `x`."""
    return (piece[0][0] < x) != (piece[-1][0] < x)


def split(piece: Segment, cuts: Sequence[float]) -> Iterator[Segment]:
    """A piece, cut at each of `cuts` that it crosses, in its own direction."""
    for x in cuts if piece[0][0] < piece[-1][0] else reversed(cuts):
        if crosses(piece, x):
            first, piece = halves(piece, x)
            yield first
    yield piece


def halves(piece: Segment, x: float) -> tuple[Segment, Segment]:
    """A piece cut where it crosses `x`; along curves x only grows, or only falls."""
    if len(piece) == 2:
        (x0, y0), (x1, y1) = piece
        middle = (x, y0 + (y1 - y0) * (x - x0) / (x1 - x0))
        return (piece[0], middle), (middle, piece[1])
    low, high = 0.0, 1.0
    for _ in range(30):
        half = (low + high) / 2
        if (_cut(piece, half)[0][-1][0] < x) == (piece[0][0] < x):
            low = half
        else:
            high = half
    return _cut(piece, low)


def _cut(curve: Segment, t: float) -> tuple[Segment, Segment]:
    """De Casteljau: a curve in two, at the parameter t."""
    rows = [list(curve)]
    while len(rows[-1]) > 1:
        rows.append([(a + (c - a) * t, b + (d - b) * t) for (a, b), (c, d) in pairwise(rows[-1])])
    return tuple(row[0] for row in rows), tuple(row[-1] for row in reversed(rows))


def rounded(corners: Sequence[Point]) -> list[Segment]:
    """Straight pieces from corner to corner, level and upright in turn, rounded in between."""
    found: list[Segment] = []
    here = corners[0]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        room = min(CORNER, length(before, corner) / 2, length(corner, after) / 2)
        entry, leave = towards(corner, before, room), towards(corner, after, room)
        found += [(here, entry), (entry, towards(entry, corner, room / 2),
                                  towards(leave, corner, room / 2), leave)]  # fmt: skip
        here = leave
    return [*found, (here, corners[-1])]


def length(one: Point, other: Point) -> float:
    """How far apart two points are that are level, or one above the other."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def towards(here: Point, there: Point, far: float) -> Point:
    """The point `far` pixels from `here` on the way to `there`."""
    whole = length(here, there) or 1.0
    return (
        here[0] + (there[0] - here[0]) * far / whole,
        here[1] + (there[1] - here[1]) * far / whole,
    )
