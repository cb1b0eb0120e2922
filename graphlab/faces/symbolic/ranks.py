"""The words of ops/ranks.py for entries that are not floats, of which none is nan and none equal.

Read next: faces/symbolic/sympy_arithmetic.py
"""

from collections.abc import Mapping
from typing import Any

import numpy as np


def rank_primitives(words: Mapping[str, Any], entries: Any) -> dict[str, Any]:
    """The words for places by rank, and the running log Σ exp."""

    def nth(x: Any, dim: int, n: int) -> Any:
        if np.ndim(x) == 0:
            return np.int64(0)
        return words["slice_"](words["argsort"](x, dim), dim, n, n + 1, 1)

    def median_places(x: Any, dim: int, skip_nan: bool) -> Any:
        return nth(x, dim, (np.shape(x)[dim] - 1) // 2 if np.ndim(x) else 0)

    def mode_places(x: Any, dim: int) -> Any:
        return nth(x, dim, 0)  # all are as frequent: the smallest

    def running_places(x: Any, dim: int, sign: int) -> Any:
        if np.ndim(x) == 0:
            return np.int64(0)
        rows = np.moveaxis(x, dim, -1)
        found = np.empty(rows.shape, np.int64)
        for at in np.ndindex(rows.shape):
            found[at] = entries.largest(list(rows[at[:-1]][: at[-1] + 1]), sign)
        return np.moveaxis(found, -1, dim)

    def logcumsumexp(x: Any, dim: int) -> Any:
        return words["log"](words["cumsum"](words["exp"](x), dim))

    return {
        "median_places": median_places,
        "mode_places": mode_places,
        "running_places": running_places,
        "logcumsumexp": logcumsumexp,
    }
