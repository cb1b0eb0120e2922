"""Entries chosen by a mask or an index, or written at them, each with its checks.

Read next: functional/words.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.functional.dims import given_dim, one_dim, size_along
from graphlab.functional.shapes import expand, reshape
from graphlab.ops import indexing as ix
from graphlab.ops import picking as pk
from graphlab.tensor import Tensor


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`value` where the mask holds, the entries elsewhere.

    Raises: RuntimeError for a mask that is not of bool, or a value that is no single number.

    >>> import graphlab as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> x.masked_fill(x > 1, 0)
    tensor([1., 0.])
    """
    if mask._data.dtype != np.bool_:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype}"
        )
    if not isinstance(value, Tensor):
        value = input._data.dtype.type(value).item()
        return apply(pk.MaskedFill, input, mask, value=value)
    if value.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s)."
        )
    if value.dtype is not input.dtype:
        value = value.to(input.dtype)
    return apply(pk.MaskedFillTensor, input, mask, value)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The entries where the mask holds, as a vector. Raises: RuntimeError for other masks.

    >>> import graphlab as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> x.masked_select(x > 1)
    tensor([2.])
    """
    if mask._data.dtype != np.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = np.broadcast_shapes(tuple(input.shape), tuple(mask.shape))
    if tuple(input.shape) != shape:
        input = expand(input, shape)
    return apply(pk.MaskedSelect, input, mask if mask.shape == shape else expand(mask, shape))


def index_of(name: str, index: Tensor, size: int) -> Tensor:
    """The index itself. Raises: RuntimeError when it is not int64, IndexError out of range."""
    if index._data.dtype != np.int64:
        raise RuntimeError(f"{name}(): Expected dtype int64 for index")
    wrong = np.asarray(index._data)[(index._data < 0) | (index._data >= size)]
    if wrong.size:
        raise IndexError(f"index {wrong.flat[0]} is out of bounds for dimension with size {size}")
    return index


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices that `index` names along `dim`.

    >>> import graphlab as torch
    >>> index_select(torch.tensor([1.0, 2.0, 3.0]), 0, torch.tensor([2, 0]))
    tensor([3., 1.])
    """
    index = index_of("index_select", index, size_along(input, given_dim(dim, input.ndim)))
    if input.ndim == 0:
        return reshape(index_select(reshape(input, 1), 0, index), ())
    return apply(pk.IndexSelect, input, index, dim=dim)


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """The entries that `index` names along `dim`, which has as many dimensions as the tensor.

    >>> import graphlab as torch
    >>> gather(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, torch.tensor([[1], [0]]))
    tensor([[2.],
            [3.]])
    """
    d = one_dim(dim, input.ndim)
    index = index_of("gather", fitting("gather", index, input, d), size_along(input, d))
    return apply(ix.Gather, input, index, dim=dim, sparse_grad=sparse_grad)


def fitting(name: str, index: Tensor, input: Tensor, dim: int) -> Tensor:
    """The index itself. Raises: RuntimeError when its shape does not fit beside `dim`."""
    if index.ndim != input.ndim:
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as "
            + ("input tensor" if name == "gather" else "self tensor")
        )
    if any(
        n > m and d != dim for d, (n, m) in enumerate(zip(index.shape, input.shape, strict=True))
    ):
        raise RuntimeError(
            f"Size does not match at dimension {dim} expected index {list(index.shape)} to be no "
            f"larger than self {list(input.shape)} apart from dimension {dim}"
        )
    return index


def take_along_dim(input: Tensor, indices: Tensor, dim: int) -> Tensor:
    """The entries that `indices` names along `dim`; the other dimensions are broadcast."""
    d = one_dim(dim, input.ndim)
    rest = np.broadcast_shapes(
        tuple(1 if i == d else n for i, n in enumerate(input.shape)),
        tuple(1 if i == d else n for i, n in enumerate(indices.shape)),
    )
    size = tuple(size_along(input, d) if i == d else n for i, n in enumerate(rest))
    chosen = tuple(indices.shape[d] if i == d else n for i, n in enumerate(rest))
    return gather(expand(input, size), d, expand(indices, chosen))


def scatter(input: Tensor, dim: int, index: Tensor, src: Any) -> Tensor:
    """A number, or the entries of `src`, written at `index` along `dim`.

    >>> import graphlab as torch
    >>> scatter(torch.zeros(3), 0, torch.tensor([2]), 5.0)
    tensor([0., 0., 5.])
    """
    d = one_dim(dim, input.ndim)
    index = index_of("scatter", fitting("scatter", index, input, d), size_along(input, d))
    if not isinstance(src, Tensor):
        value = input._data.dtype.type(src).item()
        return apply(pk.ScatterValue, input, index, dim=dim, value=value)
    return apply(pk.Scatter, input, same_shape("scatter", src, index, input), index, dim=dim)


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The entries of `src` added at `index` along `dim`; a place named twice gets both.

    >>> import graphlab as torch
    >>> scatter_add(torch.zeros(3), 0, torch.tensor([2, 2]), torch.tensor([1.0, 2.0]))
    tensor([0., 0., 3.])
    """
    d = one_dim(dim, input.ndim)
    index = index_of("scatter_add", fitting("scatter", index, input, d), size_along(input, d))
    return apply(pk.ScatterAdd, input, same_shape("scatter_add", src, index, input), index, dim=dim)


def same_shape(name: str, src: Tensor, index: Tensor, input: Tensor) -> Tensor:
    """The source itself. Raises: RuntimeError when its type or shape does not fit."""
    if src.dtype is not input.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if src.shape != index.shape:  # PyTorch differs: it takes a larger src, and fails in backward
        raise RuntimeError(
            f"{name}(): expected src in the shape of index, {list(index.shape)}, "
            f"got {list(src.shape)}; take a slice of src"
        )
    return src
