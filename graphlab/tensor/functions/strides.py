"""Views of the same memory through other strides, with their checks.

Read next: primitives/table.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.public import public
from graphlab.ops import shapes as st
from graphlab.primitives.numpy_reading.strides import (
    address,
    storage_of,
    strided_places,
    strides_of,
)
from graphlab.tensor.creation import size_from
from graphlab.tensor.functions.dims import one_dim, size_along, some_dim
from graphlab.tensor.tensor import Tensor, share_memory


@public(function=False, method=True)
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Return all windows of `size` entries along a dimension, `step` apart, as a last dimension.

    >>> torch.arange(4).unfold(0, 2, 1)
    tensor([[0, 1],
            [1, 2],
            [2, 3]])
    """
    d = one_dim(dimension, input.ndim)
    n = size_along(input, d)
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return apply(st.Unfold, input, dimension=dimension, size=size, step=step)


@public(method=True)
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Return a view of the memory of the tensor with any `size` and `stride`, both in entries.

    storage_offset: the first entry, that of the tensor when None.
    Raises: RuntimeError when the view reaches beyond the memory.

    >>> torch.as_strided(torch.tensor([1, 2, 3, 4]), (2, 2), (1, 2))
    tensor([[1, 3],
            [2, 4]])
    """
    sizes, steps = size_from((size,)), size_from((stride,))
    if len(sizes) != len(steps):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in steps):
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(steps)}"
        )
    share_memory(input)
    room, own = memory(input._data)
    start = own if storage_offset is None else storage_offset
    last = start + sum((n - 1) * step for n, step in zip(sizes, steps, strict=True))
    width = input._data.itemsize
    if 0 not in sizes and last >= room:
        raise RuntimeError(
            f"setStorage: sizes {list(sizes)}, strides {list(steps)}, storage offset {start}, and "
            f"itemsize {width} requiring a storage size of {(last + 1) * width} are out of bounds "
            f"for storage of size {room * width}"
        )
    strides = tuple(step // width for step in input._data.strides)
    return apply(
        st.AsStrided,
        input,
        size=sizes,
        stride=steps,
        storage_offset=storage_offset,
        geometry=(room, start, tuple(input.shape), strides, own, often(input, strides)),
    )


def often(input: Tensor, strides: tuple[int, ...]) -> Any:
    """Return how many entries of a tensor share the memory of each; None if none are shared."""
    places = strided_places(tuple(input.shape), strides, 0)
    if len(np.unique(places)) == places.size:
        return None
    times = np.bincount(places)[places].reshape(tuple(input.shape))
    return times.astype(input._data.dtype)


@public(function=False, method=True)
def stride(input: Tensor, dim: int | None = None) -> Any:
    """Return the distance in memory between neighbours, in entries, per dimension or along `dim`.

    >>> torch.ones(2, 3).stride(), torch.ones(2, 3).t().stride(0)
    ((3, 1), 1)
    """
    if dim is not None:
        return strides_of(input._data)[some_dim(dim, input.ndim)]
    return strides_of(input._data) if input.ndim else ()


@public(function=False, method=True)
def sparse_dim(input: Tensor) -> int:
    """Return the number of sparse dimensions, 0: every tensor here is dense.

    >>> import graphlab
    >>> graphlab.zeros(2, 3).sparse_dim()
    0
    """
    return 0


@public(function=False, method=True)
def dense_dim(input: Tensor) -> int:
    """Return the number of dense dimensions: all of them.

    >>> import graphlab
    >>> graphlab.zeros(2, 3).dense_dim()
    2
    """
    return input.ndim


@public(function=False, method=True)
def storage_offset(input: Tensor) -> int:
    """Return the index in the shared memory of the first entry of a tensor.

    >>> import graphlab
    >>> graphlab.zeros(3)[2:].storage_offset()
    2
    """
    return memory(input._data)[1] if isinstance(input._data, np.ndarray) else 0


def memory(data: np.ndarray) -> tuple[int, int]:
    """Return the number of entries in the memory of an array, and the entry where it begins."""
    base = storage_of(data)
    return base.size, (address(data) - address(base)) // data.itemsize
