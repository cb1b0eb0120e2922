"""Taking entries from other places (gather) and putting them there (scatter); rows of a table.

The gradient of taking is putting: that of `take` is `put_at`, that of `gather` is `put_along`.

Read next: primitives/numpy_reading/strides.py
"""

import math
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import Data, in_order, inf, zeros_beside

# -- ranges along one dimension -----------------------------------------------------------------


def key_along(dim: int, part: Any, ndim: int) -> tuple[Any, ...]:
    """The key that takes `part` of one dimension and all of the dimensions before it."""
    return (slice(None),) * (dim % ndim) + (part,) if ndim else ()


def select(x: Data, dim: int, index: int) -> Data:
    """One index along `dim`."""
    return x[(*key_along(dim, index, x.ndim), ...)]


def slice_(x: Data, dim: int, start: int, end: int, step: int) -> Data:
    """A range along `dim`."""
    return x[key_along(dim, slice(start, end, step), x.ndim)]


def put_slice(x: Data, sizes: tuple[int, ...], dim: int, index: int | slice) -> Data:
    """Zeros of `sizes` with `x` at `index` along `dim`: the gradient of a selection or a slice."""
    out = zeros_beside(sizes, x)
    out[key_along(dim, index, len(sizes))] = x
    return out


def unbind(x: Data, dim: int) -> tuple[Data, ...]:
    """The slices along `dim`."""
    before = key_along(dim, 0, x.ndim)[:-1]
    return tuple([x[(*before, i, ...)] for i in range(x.shape[dim])])


# -- keys ---------------------------------------------------------------------------------------


def whole(key: tuple[Data | None, ...]) -> tuple[Any, ...]:
    """The key for NumPy: a full slice in place of None."""
    return tuple(slice(None) if part is None else part for part in key)


def take(x: Data, key: tuple[Data | None, ...]) -> Data:
    """x[key]; the key holds integer or boolean arrays, None for a dimension that is kept whole.

    As in PyTorch the result lies in memory row by row where x does; NumPy puts the dimensions of
    the arrays first.
    """
    found = x[whole(key)]
    return found.copy() if x.flags.c_contiguous and not found.flags.c_contiguous else found


def put_at(values: Data, sizes: tuple[int, ...], key: tuple[Data | None, ...]) -> Data:
    """Zeros of `sizes` with `values` added at `key`: the gradient of `take`."""
    out = zeros_beside(sizes, values)
    places = whole(key)
    rows: Any = key[0] if key else None
    plain = type(values) is type(rows) is np.ndarray and rows.dtype.kind == "i"
    plain = plain and values.shape == rows.shape + sizes[1:]
    if plain and not any([part is not None for part in key[1:]]):
        width = math.prod(sizes[1:])  # `np.add.at` is fastest in one dimension
        line = rows.reshape(-1, 1) % sizes[0] * width + np.arange(width)
        np.add.at(out.reshape(-1), line.reshape(-1), values.reshape(-1))
        return out
    room = np.broadcast_to(np.False_, sizes)[places].ndim
    if np.ndim(values) > room:  # np.add.at would read beyond its memory
        raise ValueError(f"values of {np.ndim(values)} dimensions do not fit into {room}")
    np.add.at(out, places, values)
    return out


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


# -- an index along one dimension ---------------------------------------------------------------


def along(index: Data, dim: int) -> tuple[Data, ...]:
    """NumPy's key for the places that `index`, which is not 0-d, names along `dim`."""
    n = index.ndim
    if n == 2:  # the usual case, written out for speed
        line = np.arange(index.shape[0 if dim in (1, -1) else 1])
        return (line[:, None], index) if dim in (1, -1) else (index, line)
    places = [
        np.arange(m).reshape(m, *(1,) * (n - 1 - d)) if d - dim not in (0, n) else index
        for d, m in enumerate(index.shape)
    ]
    return tuple(places)


def row(x: Data) -> Data:
    """The array itself; a 0-d array as a view of one dimension, as which an index treats it."""
    return x if getattr(x, "ndim", 0) else np.reshape(x, 1)


def gather(x: Data, dim: int, index: Data) -> Data:
    """The entries that `index` names along `dim`; it may be smaller than `x`."""
    if not index.size:  # PyTorch takes an empty index of any dimensions
        return zeros_beside(index.shape, x)
    return in_order(row(x)[along(row(index), dim)].reshape(index.shape))


def scatter(x: Data, dim: int, index: Data, values: Data) -> Data:
    """A copy of `x` with `values` at `index` along `dim`."""
    out = np.array(x, order="C")
    row(out)[along(row(index), dim)] = values
    return out


def put_along(values: Data, sizes: tuple[int, ...], dim: int, index: Data) -> Data:
    """Zeros of `sizes` with `values` at `index` along `dim`: the gradient of `gather`."""
    index = row(index)
    if not index.size or index.shape[dim] == 1:  # no place is named twice
        out = zeros_beside(sizes, values)
        if index.size:
            row(out)[along(index, dim)] = values
        return out
    line = zeros_beside((math.prod(sizes),), values)  # `np.add.at` is fastest in one dimension
    places, *rest = along(index, dim)
    for n, place in zip(sizes[1:], rest, strict=True):
        places = places * n + place
    np.add.at(line, places.reshape(-1), values.reshape(-1))
    return line.reshape(sizes)


def combine_along(
    x: Data, dim: int, index: Data, src: Data, reduce: str, include_self: bool
) -> Data:
    """`src` combined with a copy of `x` at `index` along `dim`, by the reduction `reduce`."""
    out = np.array(x)
    if not np.size(index):
        return out
    where_ = along(row(index), dim)
    if not include_self:
        least, most = _limits(out.dtype)
        begin = {"prod": 1, "amax": least, "amin": most}.get(reduce, 0)
        row(out)[where_] = begin
    ways = {"prod": np.multiply, "amax": np.maximum, "amin": np.minimum}
    ways.get(reduce, np.add).at(row(out), where_, src)
    if reduce == "mean":
        many = np.full(out.shape, int(include_self), out.dtype)
        np.add.at(row(many), where_, 1)
        many[many == 0] = 1
        out = out / many if out.dtype.kind == "f" else out // many
    return out


def _limits(dtype: np.dtype) -> tuple[Any, Any]:
    """The least and the largest number of a type."""
    if dtype.kind == "f":
        return -inf, inf
    return (False, True) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)


def used_rows(indices: np.ndarray, padding_idx: int) -> tuple[np.ndarray, np.ndarray]:
    """The flat positions of `indices` that are not the padding, and the rows that they name.

    >>> used_rows(np.array([2, 0, 2, 1]), 2)
    (array([1, 3]), array([0, 1]))
    """
    flat = np.reshape(indices, -1)
    places = np.flatnonzero(flat != padding_idx)
    return places, flat[places]


def shares(rows: np.ndarray) -> np.ndarray:
    """1 / (how often the row occurs), for each row.

    >>> shares(np.array([2, 0, 2]))
    array([0.5, 1. , 0.5])
    """
    _, which, counts = np.unique(rows, return_inverse=True, return_counts=True)
    return 1 / counts[which]


def bags_of(indices: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The bag of each index; `offsets` holds the position at which each bag begins.

    >>> bags_of(np.array([7, 8, 9]), np.array([0, 1, 1]))
    array([0, 2, 2])
    """
    return np.searchsorted(offsets, np.arange(len(indices)), side="right") - 1


def bag_counts(bags: np.ndarray, n: int) -> np.ndarray:
    """The number of indices in each of n bags.

    >>> bag_counts(np.array([0, 2, 2]), 3)
    array([1, 0, 2])
    """
    return np.bincount(bags, minlength=n)


def largest_in_bags(weight: Data, rows: np.ndarray, bags: np.ndarray, n: int) -> np.ndarray:
    """For each bag and each column, the row with the largest entry; 0 for an empty bag. -> (n, E).

    >>> largest_in_bags(np.array([[1.0, 5.0], [2.0, 3.0]]), np.array([0, 1]), np.array([0, 0]), 1)
    array([[1, 0]])
    """
    found = np.zeros((n, weight.shape[1]), np.int64)
    for bag in range(n):
        own: Any = rows[bags == bag]
        if len(own):
            found[bag] = own[np.argmax(weight[own], axis=0)]
    return found
