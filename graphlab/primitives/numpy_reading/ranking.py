"""Indices by rank: the largest, the median, the k-th, the most frequent, the largest so far.

Each returns indices along `dim`, which keeps its dimension with size 1; running indices keep its
size. Which of equal entries are named is said in tie_order.py.

Read next: ops/ranking.py
"""

from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading import tie_order
from graphlab.primitives.numpy_reading.elementary import Data
from graphlab.primitives.numpy_reading.scatter_gather import slice_
from graphlab.primitives.numpy_reading.tie_order import (
    FEW,
    falling,
    reordered,
    rising,
    sorted_places,
)


def argmax(x: Data, dim: int, keepdim: bool = False) -> Data:
    """The index of the largest entry along `dim`; the first of those that tie."""
    return np.argmax(x, axis=dim if x.ndim else None, keepdims=keepdim)


def argmin(x: Data, dim: int, keepdim: bool = False) -> Data:
    """The index of the smallest entry along `dim`; the first of those that tie."""
    return np.argmin(x, axis=dim if x.ndim else None, keepdims=keepdim)


def argsort(x: Data, dim: int, descending: bool = False, stable: bool = True) -> Data:
    """The places of the entries along `dim`, the smallest first; stable: ties keep their order."""
    if x.ndim == 0:
        return np.int64(0)
    if descending:
        behind = np.flip(np.argsort(np.flip(x, dim), dim, stable=True), dim)
        order = x.shape[dim] - 1 - behind  # from the back twice: ties keep their order here too
    else:
        order = np.argsort(x, dim, stable=True)
    if stable or x.shape[dim] <= FEW:
        return order
    before = falling if descending else rising
    return reordered(x, order, dim, lambda row: sorted_places(row, before))


def top_places(x: Data, dim: int, k: int, largest: bool = True) -> Data:
    """The places of the `k` largest or smallest entries along `dim`, in order."""
    if x.ndim == 0:
        return np.int64(0)
    if type(x) is np.ndarray and x.ndim == 1 and k and x.size > tie_order.MANY:
        at = -k if largest else k - 1
        last = np.partition(x, at)[at]
        places = np.flatnonzero(~(x < last if largest else x > last))  # only these are sorted
        return places[argsort(x[places], 0, largest)[:k]]
    order = slice_(argsort(x, dim, largest), dim, 0, k, 1)
    before = falling if largest else rising
    return reordered(x, order, dim, lambda row: tie_order.top_places(row, k, before))


def kth_places(x: Data, dim: int, k: int) -> Data:
    """The place of the k-th smallest entry along `dim`, counted from 0."""
    if x.ndim == 0:
        return np.int64(0)
    order = slice_(argsort(x, dim), dim, k, k + 1, 1)
    return reordered(x, order, dim, lambda row: [tie_order.kth_place(row, k)])


def median_places(x: Data, dim: int, skip_nan: bool) -> Data:
    """The place of the median, the lower of two; the place of a nan, unless nan is skipped.

    >>> median_places(np.array([3.0, 1.0, 2.0, 5.0]), 0, False)
    array([2])
    """
    if x.ndim == 0:
        return np.int64(0)
    order = argsort(x, dim)  # nan comes last
    missing = np.isnan(x).sum(dim, keepdims=True) if x.dtype.kind == "f" else np.int64(0)
    there = x.shape[dim] - missing
    middle = np.maximum(there - 1, 0) // 2
    if not skip_nan:
        middle = np.where(missing > 0, np.minimum(there, x.shape[dim] - 1), middle)
    return np.take_along_axis(order, np.broadcast_to(middle, _with_one(x, dim)), dim)


def mode_places(x: Data, dim: int) -> Data:
    """The last place of the most frequent entry, the smallest one if several are as frequent.

    >>> mode_places(np.array([2.0, 1.0, 2.0, 1.0]), 0)
    array([3])
    """
    if x.ndim == 0:
        return np.int64(0)
    order = argsort(x, dim, stable=False)
    rows = np.moveaxis(np.take_along_axis(x, order, dim), dim, -1)
    new = np.concatenate([np.ones_like(rows[..., :1], bool), rows[..., 1:] != rows[..., :-1]], -1)
    at = np.arange(rows.shape[-1])
    run = at - np.maximum.accumulate(np.where(new, at, 0), -1)  # how many equal ones came before
    last = np.argmax(run, -1)[..., None]
    return np.take_along_axis(order, np.moveaxis(last, -1, dim), dim)


def running_places(x: Data, dim: int, sign: int) -> Data:
    """The place of the largest entry so far (sign 1), or smallest (-1); the last of equal ones.

    >>> running_places(np.array([1.0, 3.0, 3.0, 2.0]), 0, 1)
    array([0, 1, 2, 2])
    """
    if x.ndim == 0:
        return np.int64(0)
    best = (np.maximum if sign > 0 else np.minimum).accumulate(x, dim)
    shape = [1] * x.ndim
    shape[dim] = -1
    at = np.broadcast_to(np.arange(x.shape[dim]).reshape(shape), x.shape)
    new = x == best
    if x.dtype.kind == "f":
        new |= np.isnan(x)
    return np.maximum.accumulate(np.where(new, at, 0), dim)


def _with_one(x: Any, dim: int) -> tuple[int, ...]:
    shape = list(x.shape)
    shape[dim] = 1
    return tuple(shape)
