"""Sums, extremes and places by rank of exact entries.

Read next: primitives/sympy_reading/matrices.py
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.reductions import count
from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, Data, Dims, Entry, fold

Reduction = Callable[..., Data]


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
    return {**folded(entries, known), **ranks(entries, known)}


def folded(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """Sums, products, extremes and running sums of exact entries."""

    def reduction(one: Callable[[list[Entry]], Entry]) -> Reduction:
        def call(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
            return fold(x, dim, keepdim, one)

        return call

    def extreme(sign: int) -> Reduction:
        return reduction(lambda row: row[0] if len(row) == 1 else entries.extreme(row, sign))

    def mean(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
        return known["sum"](x, dim, keepdim) / count(np.shape(x), dim)

    def running(x: Data, dim: int, combine: Any) -> Data:
        if np.ndim(x) == 0:
            return x
        return combine.accumulate(np.asarray(x, object), dim, dtype=object)

    def logcumsumexp(x: Data, dim: int) -> Data:
        return known["log"](known["cumsum"](known["exp"](x), dim))

    return {
        "sum": reduction(entries.total),
        "mean": mean,
        "prod": reduction(lambda row: math.prod(row, start=entries.number(1))),
        "amax": extreme(1),
        "amin": extreme(-1),
        "cumsum": lambda x, dim: running(x, dim, np.add),
        "cumprod": lambda x, dim: running(x, dim, np.multiply),
        "logcumsumexp": logcumsumexp,
    }


def zero_extreme(entries: Arithmetic) -> Reduction:
    """Return an `amax` that counts as 0, which a softmax may subtract as well."""

    def call(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
        return fold(x, dim, keepdim, lambda row: row[0] if len(row) == 1 else entries.number(0))

    return call


def ranks(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """Indices by rank, for entries of which none is nan and no two are equal."""

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
