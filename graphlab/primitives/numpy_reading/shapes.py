"""Shapes: broadcasting and undoing it, reordering, joining; the order in which floats are added up.

Read next: primitives/numpy_reading/reductions.py
"""

import math
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import Data, in_order

Dims = tuple[int, ...] | None  # None: every dimension
size = np.shape
tile = np.tile
tril = np.tril
triu = np.triu


def expand(x: Data, size: tuple[int, ...]) -> Data:
    """x repeated to `size`, without copying."""
    if x.shape == size and type(x) is np.ndarray:
        return x[...]
    if x.size != 1 or not size:
        return np.broadcast_to(x, size)
    try:
        repeated = np.ndarray(size, x.dtype, x, 0, (0,) * len(size))  # four times as fast
    except TypeError:  # a batch of such arrays
        return np.broadcast_to(x, size)
    repeated.flags.writeable = False
    return repeated


def sum_to(x: Data, size: tuple[int, ...]) -> Data:
    """Sum `x` back to `size`, undoing a broadcast: x: (B, N), size: (N,) -> (N,).

    Source: PyTorch, aten/src/ATen/ExpandUtils.h, sum_to.

    >>> sum_to(np.ones((4, 2)), (2,))
    array([4., 4.])
    """
    if not size:
        return np.add.reduce(x, None)
    lead = x.ndim - len(size)
    dims = tuple(range(lead))
    if x.shape[lead:] != size:
        dims += tuple([lead + i for i, n in enumerate(size) if n == 1 != x.shape[lead + i]])
    total = add_up(x, dims, not lead)
    return total if total.shape == size else total.reshape(size)


def restore_dims(x: Data, sizes: tuple[int, ...], dim: Dims, keepdim: bool) -> Data:
    """Expand the result of a reduction over `dim` to the `sizes` before it."""
    if not keepdim and dim is not None:
        x = reshape(x, with_ones(sizes, dim))
    return expand(x, sizes)


def with_ones(sizes: tuple[int, ...], dim: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes after a reduction over `dim` that keeps the dimensions.

    >>> with_ones((2, 3, 4), (0, -1))
    (1, 3, 1)
    """
    kept = list(sizes)
    for d in dim if sizes else ():
        kept[d] = 1
    return tuple(kept)


def reshape(x: Data, shape: tuple[int, ...]) -> Data:
    """The same entries in another shape."""
    return x.reshape(shape)


def unsqueeze(x: Data, dim: int) -> Data:
    """A new dimension of size 1 before `dim`."""
    place = dim if dim >= 0 else x.ndim + 1 + dim
    return x.reshape((*x.shape[:place], 1, *x.shape[place:]))


def squeeze(x: Data, dim: int) -> Data:
    """Remove the dimension `dim`, which has size 1."""
    return x.squeeze(dim) if x.ndim else x


def permute(x: Data, dims: tuple[int, ...] | None = None) -> Data:
    """The dimensions in the order of `dims`, or in reverse order."""
    return x.T if dims is None else x.transpose(dims)


def transpose(x: Data, dim0: int, dim1: int) -> Data:
    """Two dimensions swapped."""
    if x.ndim == 2 and dim0 == 0 and dim1 == 1:
        return x.T
    return x.swapaxes(dim0, dim1) if x.ndim else x


def flip(x: Data, dims: tuple[int, ...]) -> Data:
    """A copy with the entries in reverse order along `dims`."""
    order = "C" if 0 in x.strides else "K"  # of an expanded tensor it lies row by row
    return np.flip(x, dims).copy(order=order) if x.ndim else x


def roll(x: Data, shifts: tuple[int, ...], dims: tuple[int, ...]) -> Data:
    """The entries shifted by `shifts` along `dims`, cyclically."""
    return np.roll(in_order(x), shifts, dims) if dims else np.roll(x, shifts[0])


def rot90(x: Data, k: int, dims: tuple[int, int]) -> Data:
    """Rotated `k` times by 90 degrees, from the first of `dims` to the second."""
    return np.rot90(x, k, dims).copy()


def stack(tensors: tuple[Data, ...], dim: int) -> Data:
    """Join tensors along a new dimension."""
    first = tensors[0]
    if not dim and type(first) is np.ndarray and first.ndim:  # three times as fast
        return np.concatenate(tensors).reshape(len(tensors), *first.shape)
    return in_order(np.stack(tensors, dim))


def cat(tensors: tuple[Data, ...], dim: int) -> Data:
    """Join tensors end to end along `dim`."""
    joined = np.concatenate(tensors, axis=dim)
    return in_order(joined, joined.ndim > 3)


MOST = 4096  # entries of one sum, at most, that BLAS adds up
ones = lru_cache(maxsize=16)(np.ones)  # a vector of ones times a matrix adds up its rows


def add_up(x: Data, dims: tuple[int, ...], keepdim: bool = False) -> Data:
    """The sum over `dims`, removed or kept with size 1: x: (N, M), dims: (0,) -> (M,)."""
    if not x.size or type(x) is not np.ndarray or x.dtype.char not in "fd":
        return in_order(np.add.reduce(x, dims, keepdims=keepdim))
    order, sizes, flat, kept, left = plan(x.shape, dims)
    shape = kept if keepdim else left
    if order == "R":  # in the order of memory, in which NumPy adds up all entries
        total = np.add.reduce(x, None)
        return total.reshape(shape) if shape else total
    if not x.flags.c_contiguous:
        x = x.copy()
    if order == "KR" and sizes[1] <= MOST:
        # BLAS adds up a row faster than NumPy; `@` is faster still, but sums of equal rows differ
        total = np.vecdot(x if flat else x.reshape(sizes), ones(sizes[1], x.dtype))
    elif order == "RK" and sizes[0] <= MOST:
        total = ones(sizes[0], x.dtype).dot(x if flat else x.reshape(sizes))
    elif order == "RKR":  # of each channel
        total = add_up(add_up(x.reshape(sizes), (2,)), (0,))
    else:
        return in_order(np.add.reduce(x, dims, keepdims=keepdim))
    return total if total.shape == shape else total.reshape(shape)


@lru_cache(maxsize=1024)
def plan(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[Any, ...]:
    """Which dimensions are reduced (R) and kept (K), their sizes, and the shapes that are left.

    Of the values between, the third says whether the sizes are `shape` itself.

    >>> plan((2, 3, 4, 1), (0, -2))
    ('RKR', (2, 3, 4), False, (1, 3, 1, 1), (3, 1))
    """
    reduced = {range(len(shape))[d] for d in dims}
    parts = [("R" if d in reduced else "K", n) for d, n in enumerate(shape) if n != 1]
    runs = [(kind, [n for _, n in run]) for kind, run in groupby(parts, lambda part: part[0])]
    sizes = tuple(math.prod(n) for _, n in runs)
    kept = tuple(1 if d in reduced else n for d, n in enumerate(shape))
    left = tuple(n for d, n in enumerate(shape) if d not in reduced)
    return "".join(kind for kind, _ in runs), sizes, sizes == shape, kept, left
