"""Arrays as memory: strides, offsets, and views through other strides.

PyTorch counts in entries, NumPy in bytes. A layout is (sizes, strides, storage offset).

Read next: ops/shapes.py
"""

import math
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import Data
from graphlab.primitives.numpy_reading.reductions import sum
from graphlab.primitives.numpy_reading.scatter_gather import at_dim, key_along, put_at
from graphlab.primitives.numpy_reading.shapes import permute, reshape

Sizes = tuple[int, ...]
Geometry = tuple[int, int, Sizes, Sizes, int, Any]  # as ops/shapes.py explains it
Layout = tuple[tuple[int, ...], tuple[int, ...], int]


def storage_of(data: np.ndarray) -> np.ndarray:
    """The array that owns the memory of `data`, which all its views share."""
    while True:
        base: Any = data.base
        if not isinstance(base, np.ndarray):
            base = getattr(base, "base", None)  # as_strided puts an object in between
        if not isinstance(base, np.ndarray):
            return data
        data = base


def layout_of(data: Any) -> Layout:
    """The sizes, the strides and the storage offset of an array, in entries.

    >>> layout_of(np.zeros((2, 3), np.float32)[:, 1:])
    ((2, 2), (3, 1), 1)
    """
    if isinstance(data, np.generic):
        return (), (), 0
    strides = strides_of(data)
    offset = 0 if data.base is None else (address(data) - address(storage_of(data)))
    return data.shape, strides, offset // data.itemsize


def address(data: np.ndarray) -> int:
    """The address of the first entry, in bytes."""
    return data.__array_interface__["data"][0]


def strides_of(data: np.ndarray) -> tuple[int, ...]:
    """The strides in entries, as in PyTorch; NumPy has 0 along a new dimension of size 1."""
    if not data.size and not any(data.strides):  # as NumPy makes them
        return contiguous_strides(data.shape)
    found: list[int] = []
    for n, step in zip(reversed(data.shape), reversed(data.strides), strict=True):
        step //= data.itemsize
        if n == 1 and step == 0:
            step = found[-1] * data.shape[-len(found)] if found else 1
        found.append(step)
    return tuple(reversed(found))


def is_expanded(data: Any) -> bool:
    """Whether several entries are one place in memory, as after `expand`."""
    if 0 not in data.strides or not data.size:
        return False
    return overlapping(data.shape, data.strides)


def overlapping(size: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    """Whether a step of 0 leads several entries to one place."""
    return any([n > 1 and step == 0 for n, step in zip(size, stride, strict=True)])


def writeable(data: np.ndarray) -> np.ndarray:
    """A view for writing, unless the memory is read-only; NumPy makes expanded arrays read-only."""
    view = data.view()
    view.flags.writeable = storage_of(data).flags.writeable
    return view


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an array that is stored row by row.

    >>> contiguous_strides((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(math.prod(max(n, 1) for n in shape[d + 1 :]) for d in range(len(shape)))


def span(size: tuple[int, ...], stride: tuple[int, ...]) -> int:
    """The number of entries of memory from the first entry of a view to its last."""
    if 0 in size:
        return 0
    last = 0
    for n, step in zip(size, stride, strict=True):
        last += (n - 1) * step
    return last + 1


def addresses(
    layout: Layout, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int | None
) -> np.ndarray:
    """The entries of a tensor, counted row by row, that a view of its memory shows.

    layout: of the tensor; size, stride, storage_offset: of the view. size: (K, M) -> (K, M), int64.
    For memory outside of the tensor it is the number of entries, one more than the last index.

    >>> addresses(((2, 3), (3, 1), 0), (2,), (3,), 1)
    array([1, 4])
    """
    sizes, strides, start = layout
    n = math.prod(sizes)
    at = np.array((start if storage_offset is None else storage_offset) - start)
    for length, step in zip(size, stride, strict=True):
        at = at[..., None] + np.arange(length) * step
    if strides == contiguous_strides(sizes):
        return np.where((at < 0) | (at >= n), n, at)
    reach = span(sizes, strides)
    numbers = np.full(reach + 1, n)  # the index of the entry at each place of the memory
    window = np.lib.stride_tricks.as_strided(
        numbers, sizes, tuple(step * numbers.itemsize for step in strides)
    )
    window[...] = np.arange(n).reshape(sizes)
    return numbers[np.where((at < 0) | (at > reach), reach, at)]


# -- diagonals, windows, strides ----------------------------------------------------------------


def diagonal(x: Data, offset: int, dim1: int, dim2: int) -> Data:
    """The diagonal of the matrices in two dimensions, as the last dimension; the same memory."""
    found = np.diagonal(x, offset, dim1, dim2)
    found.flags.writeable = x.flags.writeable
    return found


def put_diagonal(x: Data, sizes: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Data:
    """Zeros of `sizes` with `x` on a diagonal: the gradient of `diagonal`."""
    out = np.zeros(sizes, x.dtype)
    diagonal(out, offset, dim1, dim2)[...] = x
    return out


def unfold(x: Data, dim: int, size: int, step: int) -> Data:
    """Every window of `size` entries along `dim`, `step` apart, as the last dimension."""
    if x.ndim == 0:
        return np.reshape(x, (1,))[:size]
    x, writeable = x.view(), storage_of(x).flags.writeable
    x.flags.writeable = writeable  # an expanded array is read-only
    windows = np.lib.stride_tricks.sliding_window_view(x, size, dim, writeable=writeable)
    return windows[key_along(dim, slice(None, None, step), x.ndim)]


def put_unfold(x: Data, sizes: tuple[int, ...], dim: int, size: int, step: int) -> Data:
    """Zeros of `sizes` with the windows added where they came from: the gradient of `unfold`."""
    if sizes == ():
        return reshape(sum(x), ())
    d = dim % len(sizes)
    order = (*range(d + 1), len(sizes), *range(d + 1, len(sizes)))
    places = unfold_places(sizes[d], size, step)
    return put_at(permute(x, order), sizes, at_dim(d, places, sizes))


def unfold_places(n: int, size: int, step: int) -> Data:
    """The places of the entries of each window: (windows, size)."""
    return np.arange(0, n - size + 1, step)[:, None] + np.arange(size)


def as_strided(x: Data, size: Sizes, stride: Sizes, geometry: Geometry) -> Data:
    """A view of the memory of `x` with other strides, from the start in `geometry`."""
    base = storage_of(x)
    row = np.lib.stride_tricks.as_strided(base, (base.size,), (base.itemsize,))
    steps = tuple(n * x.itemsize for n in stride)
    start = row[geometry[1] :]
    return np.lib.stride_tricks.as_strided(start, size, steps, writeable=base.flags.writeable)


def strided_places(size: tuple[int, ...], stride: tuple[int, ...], start: int) -> Data:
    """The places in memory of the entries of a strided view, as a vector."""
    places = np.full(size, start, np.int64)
    for d, (n, step) in enumerate(zip(size, stride, strict=True)):
        places += np.reshape(np.arange(n) * step, [-1 if i == d else 1 for i in range(len(size))])
    return places.reshape(-1)
