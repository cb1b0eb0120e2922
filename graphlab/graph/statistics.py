"""What can be said about all entries of an array in a few passes over it.

A recorder asks for this while a program runs, so each pass counts: the smallest, the largest, two
sums and two counts. Only an array that holds NaN or inf is gone through with more care.

Read next: graph/value.py
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from graphlab.graph.record import record

MOST_ONES = 2**17  # half a megabyte, once
CANCELLED = 1e-3  # share of the sum of squares that is left when the mean is taken out


@record
class Measured:
    """Statistics as numbers, of the entries that are finite; counts are of all entries."""

    low: Any
    high: Any
    mean: float
    std: float  # divided by n - 1, as in tensor.std(); NaN for a single entry
    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0
    zeros: int = 0


def measure(array: np.ndarray) -> Measured | None:
    """Statistics of an array of bools, integers or floats; None when it has no entries, or others.

    >>> found = measure(np.array([1.0, -2.0, 0.0, np.nan]))
    >>> found.low, found.high, found.nan, found.zeros
    (-2.0, 1.0, 1, 1)
    """
    if array.size == 0 or array.dtype.kind not in "biuf":
        return None
    flat = array.reshape(-1)
    low, high = np.minimum.reduce(flat), np.maximum.reduce(flat)
    zeros = int(np.count_nonzero(flat == 0))
    if flat.dtype not in (np.float32, np.float64):
        wide = flat.astype(np.float32 if flat.dtype == np.float16 else np.float64)
    else:
        wide = flat
    if math.isfinite(low) and math.isfinite(high):
        return Measured(low.item(), high.item(), *_spread(wide), zeros=zeros)
    finite = wide[np.isfinite(wide)]
    nan = int(np.count_nonzero(np.isnan(wide)))
    pos, neg = int(np.count_nonzero(wide == np.inf)), int(np.count_nonzero(wide == -np.inf))
    if finite.size == 0:
        return Measured(math.nan, math.nan, math.nan, math.nan, nan, pos, neg, zeros)
    low, high = finite.min().item(), finite.max().item()
    return Measured(low, high, *_spread(finite), nan, pos, neg, zeros)


@cache
def _ones(dtype: np.dtype[Any]) -> np.ndarray:
    return np.ones(MOST_ONES, dtype)


def _spread(flat: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation of finite numbers."""
    count = flat.size
    with np.errstate(over="ignore", invalid="ignore"):
        # a product with ones is twice as fast as sum()
        ones = _ones(flat.dtype)
        total = float(flat @ ones[:count] if count <= ones.size else flat.sum())
        squares = float(flat @ flat)
    if not math.isfinite(total) or not math.isfinite(squares):  # too large for float32
        largest = float(np.abs(flat).max())
        mean, std = _spread(flat.astype(np.float64) / largest)
        return mean * largest, std * largest
    mean = total / count
    if count == 1:
        return mean, math.nan
    left = squares - mean * total
    if left <= CANCELLED * squares:  # nearly all alike: what is left is mostly rounding
        off = flat.astype(np.float64) - mean
        left = float(off @ off) - float(off.sum()) ** 2 / count
    return mean, math.sqrt(max(left, 0.0) / (count - 1))
