"""Words that take entries from other places, or write at them: diagonals, windows, strides, keys.

Read next: ops/putting.py
"""

from typing import Any

import numpy as np

from graphlab.ops.memory import storage_of
from graphlab.ops.vocabulary import (
    Data,
    along,
    inf,
    key_along,
    permute,
    put_at,
    reshape,
    sum,
    whole,
)

Sizes = tuple[int, ...]
Geometry = tuple[int, int, Sizes, Sizes, int, Any]  # room, start; where self lies, how often
COMPOSED = ("put_unfold",)  # written in words itself
MOVED = ("diagonal", "rot90", "unfold")  # they only move entries, whatever these are
PLAIN = ("at_dim", "strided_places", "unfold_places")  # of sizes and indices alone
WORDS = ("as_strided", "combine_along", "put", "put_diagonal", *MOVED, *PLAIN, *COMPOSED)


def rot90(x: Data, k: int, dims: tuple[int, int]) -> Data:
    """Turned `k` times by a quarter, from the first of `dims` to the second."""
    return np.rot90(x, k, dims).copy()


def diagonal(x: Data, offset: int, dim1: int, dim2: int) -> Data:
    """The diagonal of the matrices in two dimensions, as the last dimension; the same memory."""
    found = np.diagonal(x, offset, dim1, dim2)
    found.flags.writeable = x.flags.writeable
    return found


def put_diagonal(x: Data, sizes: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Data:
    """Zeros of `sizes` with `x` on a diagonal: what undoes taking it."""
    out = np.zeros(sizes, x.dtype)
    diagonal(out, offset, dim1, dim2)[...] = x
    return out


def unfold(x: Data, dim: int, size: int, step: int) -> Data:
    """Every window of `size` entries along `dim`, `step` apart, as the last dimension."""
    if x.ndim == 0:
        return np.reshape(x, (1,))[:size]
    windows = np.lib.stride_tricks.sliding_window_view(x, size, dim, writeable=x.flags.writeable)
    return windows[key_along(dim, slice(None, None, step), x.ndim)]


def put_unfold(x: Data, sizes: tuple[int, ...], dim: int, size: int, step: int) -> Data:
    """Zeros of `sizes` with the windows added where they came from: what undoes `unfold`."""
    if sizes == ():
        return reshape(sum(x), ())
    d = dim % len(sizes)
    order = (*range(d + 1), len(sizes), *range(d + 1, len(sizes)))
    places = unfold_places(sizes[d], size, step)
    return put_at(permute(x, order), sizes, at_dim(d, places, sizes))


def unfold_places(n: int, size: int, step: int) -> Data:
    """Where the entries of each window stand: (windows, size)."""
    return np.arange(0, n - size + 1, step)[:, None] + np.arange(size)


def as_strided(x: Data, size: Sizes, stride: Sizes, geometry: Geometry) -> Data:
    """The memory that `x` lies in, from the start that `geometry` says, through other strides."""
    base = storage_of(x)
    row = np.lib.stride_tricks.as_strided(base, (base.size,), (base.itemsize,))
    steps = tuple(n * x.itemsize for n in stride)
    start = row[geometry[1] :]
    return np.lib.stride_tricks.as_strided(start, size, steps, writeable=x.flags.writeable)


def strided_places(size: tuple[int, ...], stride: tuple[int, ...], start: int) -> Data:
    """Where the entries of a strided view stand in memory, in one row."""
    places = np.full(size, start, np.int64)
    for d, (n, step) in enumerate(zip(size, stride, strict=True)):
        places += np.reshape(np.arange(n) * step, [-1 if i == d else 1 for i in range(len(size))])
    return places.reshape(-1)


def at_dim(dim: int, part: Any, sizes: tuple[int, ...]) -> tuple[Any, ...]:
    """The key that names `part`, an index, an array or a slice, along one dimension."""
    if isinstance(part, np.ndarray | np.generic) and part.ndim == 0:
        part = np.reshape(part, (1,))  # one index of an array keeps the dimension
    return (None,) * (dim % len(sizes)) + (part,) if sizes else ()


def put(x: Data, key: tuple[Any, ...], values: Data) -> Data:
    """A copy of `x` with `values` at `key`: x[key] = values."""
    out = np.array(x)
    out[whole(key)] = values
    return out


def combine_along(
    x: Data, dim: int, index: Data, src: Data, reduce: str, include_self: bool
) -> Data:
    """`src` combined with a copy of `x` at `index` along `dim`, in the way `reduce` says."""
    where_, out = along(index, dim), np.array(x)
    if not include_self:
        least, most = _limits(out.dtype)
        begin = {"prod": 1, "amax": least, "amin": most}.get(reduce, 0)
        out[where_] = begin
    ways = {"prod": np.multiply, "amax": np.maximum, "amin": np.minimum}
    ways.get(reduce, np.add).at(out, where_, src)
    if reduce == "mean":
        many = np.full(out.shape, int(include_self), out.dtype)
        np.add.at(many, where_, 1)
        many[many == 0] = 1
        out = out / many if out.dtype.kind == "f" else out // many
    return out


def _limits(dtype: np.dtype) -> tuple[Any, Any]:
    """The least and the largest number of a type."""
    if dtype.kind == "f":
        return -inf, inf
    return (False, True) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
