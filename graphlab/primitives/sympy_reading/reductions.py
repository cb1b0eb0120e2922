"""Sums, products, extremes and running sums of exact entries.

Read next: primitives/sympy_reading/ranking.py
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
