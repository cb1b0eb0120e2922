"""Contour lines of a function on a grid, by marching squares.

js/src/contours.ts is the same for the player.

Read next: faces/render/slope.py
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Grid = Sequence[Sequence[float]]  # rows[j][i]
Piece = tuple[float, float, float, float]  # x1, y1, x2, y2, in steps of the grid


def contour(rows: Grid, level: float) -> list[Piece]:
    """Return the pieces of a contour line. A square with a corner that is not finite has none.

    >>> contour([[0.0, 1.0], [0.0, 1.0]], 0.25)
    [(0.25, 0.0, 0.25, 1.0)]
    """
    pieces: list[Piece] = []
    for j in range(len(rows) - 1):
        for i in range(len(rows[j]) - 1):
            places = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
            above = [rows[y][x] - level for x, y in places]
            if not all(map(math.isfinite, above)):
                continue
            crossed: list[tuple[float, float]] = []
            for k, (x, y) in enumerate(places):
                one, other = above[k], above[(k + 1) % 4]
                if (one < 0) != (other < 0):
                    share = one / (one - other)
                    to_x, to_y = places[(k + 1) % 4]
                    crossed.append((x + (to_x - x) * share, y + (to_y - y) * share))
            # at a saddle, the value in the middle decides which corners the line cuts off
            if len(crossed) == 4 and (sum(above) < 0) != (above[0] < 0):
                crossed = [*crossed[1:], crossed[0]]
            pairs = zip(crossed[::2], crossed[1::2], strict=True)
            pieces += [(*one, *other) for one, other in pairs]
    return pieces


def levels(rows: Grid, count: int) -> list[float]:
    """Return evenly spaced levels, from the lowest to near the highest of the finite values.

    >>> levels([[0.0, 1.0, 2.0, 9.0]], 2)
    [0.5, 1.5]
    """
    known = sorted(value for row in rows for value in row if math.isfinite(value))
    if not known:
        return []
    low, high = known[0], known[math.floor(0.92 * (len(known) - 1))]
    return [low + (high - low) * (k + 0.5) / count for k in range(count)] if low < high else []
