"""Arrays as memory: strides, offsets, and which entries a window into it looks at.

PyTorch counts in entries, NumPy in bytes. A layout is (sizes, strides, storage offset).

Read next: ops/writing.py
"""

import math
from typing import Any

import numpy as np

Layout = tuple[tuple[int, ...], tuple[int, ...], int]


def storage_of(data: np.ndarray) -> np.ndarray:
    """The array that owns the memory: the first in it, for all that look into it."""
    while True:
        base: Any = data.base
        if not isinstance(base, np.ndarray):
            base = getattr(base, "base", None)  # NumPy's as_strided puts something in between
        if not isinstance(base, np.ndarray):
            return data
        data = base


def layout_of(data: Any) -> Layout:
    """The sizes, the strides and the storage offset of an array, in entries.

    >>> layout_of(np.zeros((2, 3), np.float32)[:, 1:])
    ((2, 2), (3, 1), 1)
    """
    if not isinstance(data, np.ndarray):
        return (), (), 0
    strides = steps(data)
    offset = 0 if data.base is None else (address(data) - address(storage_of(data)))
    return data.shape, strides, offset // data.itemsize


def address(data: np.ndarray) -> int:
    """Where in memory the first entry lies."""
    return data.__array_interface__["data"][0]


def steps(data: np.ndarray) -> tuple[int, ...]:
    """The strides as PyTorch has them: NumPy's step along a new dimension of size 1 is 0."""
    if not data.size:
        return contiguous_strides(data.shape)
    found: list[int] = []
    for n, step in zip(reversed(data.shape), reversed(data.strides), strict=True):
        step //= data.itemsize
        if n == 1 and step == 0:
            step = found[-1] * data.shape[-len(found)] if found else 1
        found.append(step)
    return tuple(reversed(found))


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The steps of an array that lies in memory row by row.

    >>> contiguous_strides((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(math.prod(max(n, 1) for n in shape[d + 1 :]) for d in range(len(shape)))


def span(size: tuple[int, ...], stride: tuple[int, ...]) -> int:
    """How many entries of memory a window covers, from its first to its last."""
    if 0 in size:
        return 0
    return 1 + sum((n - 1) * step for n, step in zip(size, stride, strict=True))


def addresses(
    layout: Layout, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int | None
) -> np.ndarray:
    """Which entries, counted row by row, of a tensor of that layout a window looks at.

    size: (K, M) -> (K, M) of integers; memory that the tensor does not have is the number of
    its entries, one more than the last.

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
    numbers = np.full(reach + 1, n)  # of the entry at each place of the memory
    window = np.lib.stride_tricks.as_strided(
        numbers, sizes, tuple(step * numbers.itemsize for step in strides)
    )
    window[...] = np.arange(n).reshape(sizes)
    return numbers[np.where((at < 0) | (at > reach), reach, at)]
