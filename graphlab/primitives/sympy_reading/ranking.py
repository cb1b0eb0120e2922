"""Indices by rank, for entries of which none is nan and no two are equal.

Read next: primitives/sympy_reading/scatter_gather.py
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, Data, fold


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""

    def place(sign: int) -> Callable[..., Data]:
        def call(x: Data, dim: int, keepdim: bool = False) -> Data:
            best = fold(x, (dim,), keepdim, lambda row: entries.largest(row, sign))
            return np.asarray(best, np.int64)[()]

        return call

    def argsort(x: Data, dim: int, descending: bool = False, stable: bool = True) -> Data:
        if np.ndim(x) == 0:
            return np.int64(0)
        rows = np.moveaxis(np.asarray(x, object), dim, -1)
        order = np.empty(rows.shape, np.int64)
        for at in np.ndindex(rows.shape[:-1]):
            left = list(range(rows.shape[-1]))
            for k in range(len(left)):
                row = [rows[at][i] for i in left]
                order[at][k] = left.pop(entries.largest(row, 1 if descending else -1))
        return np.moveaxis(order, -1, dim)

    def top_places(x: Data, dim: int, k: int, largest: bool = True) -> Data:
        order = argsort(x, dim, largest)
        return known["slice_"](order, dim, 0, k, 1) if np.ndim(x) else order

    def nth(x: Data, dim: int, n: int) -> Data:
        return known["slice_"](argsort(x, dim), dim, n, n + 1, 1)

    def median_places(x: Data, dim: int, skip_nan: bool) -> Data:
        return nth(x, dim, (np.shape(x)[dim] - 1) // 2 if np.ndim(x) else 0)

    def mode_places(x: Data, dim: int) -> Data:
        return nth(x, dim, 0)  # all are equally frequent, so the smallest

    def running_places(x: Data, dim: int, sign: int) -> Data:
        if np.ndim(x) == 0:
            return np.int64(0)
        rows = np.moveaxis(x, dim, -1)
        found = np.empty(rows.shape, np.int64)
        for at in np.ndindex(rows.shape):
            found[at] = entries.largest(list(rows[at[:-1]][: at[-1] + 1]), sign)
        return np.moveaxis(found, -1, dim)

    return {
        "argmax": place(1),
        "argmin": place(-1),
        "argsort": argsort,
        "kth_places": lambda x, dim, k: nth(x, dim, k) if np.ndim(x) else np.int64(0),
        "median_places": median_places,
        "mode_places": mode_places,
        "running_places": running_places,
        "top_places": top_places,
    }
