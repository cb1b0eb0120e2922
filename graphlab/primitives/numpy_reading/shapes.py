"""Shapes: broadcasting and undoing it, reordering, joining.

Read next: primitives/numpy_reading/reductions.py
"""

import numpy as np

from graphlab.primitives.numpy_reading.elementary import Data, in_order
from graphlab.primitives.numpy_reading.sums import add_up

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
