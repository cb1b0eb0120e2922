"""Sums, extremes and places by rank of exact entries.

Read next: primitives/sympy_reading/matrices.py
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading import ranking
from graphlab.primitives.numpy_reading.reductions import count
from graphlab.primitives.sympy_reading.object_arrays import (
    Arithmetic,
    Data,
    Dims,
    Entry,
    each,
    fold,
)

Reduction = Callable[..., Data]


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
    return {**folded(entries, known), **ranks(entries)}


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


RANKED = ("argsort", "kth_places", "median_places", "mode_places", "running_places", "top_places")


def ranks(entries: Arithmetic) -> dict[str, Any]:
    """Indices by rank, chosen by the current values, as the reading for NumPy chooses them."""

    def place(sign: int) -> Callable[..., Data]:
        def call(x: Data, dim: int, keepdim: bool = False) -> Data:
            best = fold(x, (dim,), keepdim, lambda row: entries.largest(row, sign))
            return np.asarray(best, np.int64)[()]

        return call

    def by_rank(name: str) -> Callable[..., Data]:
        def call(x: Data, dim: int, *rest: Any, **options: Any) -> Data:
            values = np.asarray(each(entries.value)(x), object)
            found = np.unique(values, return_inverse=True)[1].reshape(values.shape)
            chosen = getattr(ranking, name)(found, dim, *rest, **options)
            rows, places = (np.moveaxis(np.atleast_1d(one), dim, 0) for one in (found, chosen))
            picked = np.take_along_axis(rows, places, 0)
            tied = any(np.any(np.sum(rows == one, 0) > 1) for one in picked)
            often = name == "mode_places"
            what = "which entry is the most frequent" if often else "the order of the entries"
            entries.note_choice(what, tied)
            return chosen

        return call

    return {"argmax": place(1), "argmin": place(-1), **{name: by_rank(name) for name in RANKED}}
