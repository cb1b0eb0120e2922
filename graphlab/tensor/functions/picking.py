"""Select entries by a mask or an index, with the checks.

Read next: tensor/functions/putting.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.decisions import came_from
from graphlab.autograd.record import apply
from graphlab.common.dtypes import number_as
from graphlab.common.public import public
from graphlab.ops import indexing as ix
from graphlab.tensor.functions.checks import (
    c_name,
    check_long_index,
    given_dim,
    joined_shape,
    need_tensor,
    one_dim,
    outside,
    size_along,
    type_name,
)
from graphlab.tensor.functions.outputs import written_into
from graphlab.tensor.functions.shapes import expand, flatten, reshape
from graphlab.tensor.tensor import Tensor, wrap


def common_shape(*tensors: Tensor) -> tuple[int, ...]:
    """Return the shape that tensors broadcast to. Raises: ShapeError, in PyTorch's words."""
    return joined_shape(*(tensor.shape for tensor in tensors))


@public(method=True, in_place=True)
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Return `value` where the mask holds, the entries elsewhere. input, mask: (...) -> (...).

    Raises: RuntimeError for a mask that is not of bool, or a value that is not a single number.

    >>> x = torch.tensor([1.0, 2.0])
    >>> x.masked_fill(x > 1, 0)
    tensor([1., 0.])
    """
    need_tensor("masked_fill", "mask", 1, mask)
    if mask._data.dtype != np.bool_:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {c_name(mask)}"
        )
    common_shape(mask, input)
    if not isinstance(value, Tensor):
        value = number_as(value, input._data.dtype).item()
        return apply(ix.MaskedFill, input, mask, value=value)
    if value.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s)."
        )
    if value.dtype is not input.dtype:
        value = value.to(input.dtype)
    return apply(ix.MaskedFillTensor, input, mask, value)


@public(method=True, out=True)
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the entries where the mask holds, as a vector. Raises: RuntimeError for other masks.

    >>> x = torch.tensor([1.0, 2.0])
    >>> x.masked_select(x > 1)
    tensor([2.])
    """
    need_tensor("masked_select", "mask", 1, mask)
    if mask._data.dtype != np.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = common_shape(mask, input)
    if tuple(input.shape) != shape:
        input = expand(input, shape)
    return apply(ix.MaskedSelect, input, mask if mask.shape == shape else expand(mask, shape))


@public(method=True, out=True)
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the slices that `index` names along `dim`. index: (K,) -> (..., K, ...).

    >>> index_select(torch.tensor([1.0, 2.0, 3.0]), 0, torch.tensor([2, 0]))
    tensor([3., 1.])
    """
    need_tensor("index_select", "index", 2, index)
    given_dim(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index._data.dtype not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    n = size_along(input, dim)
    wrong = outside(index._data, 0, n)
    if wrong.size and one_dim(dim, input.ndim) == 1:
        raise RuntimeError(
            f"INDICES element is out of DATA bounds, id={wrong.flat[0]} axis_dim={n}"
        )
    if wrong.size:
        raise IndexError("index out of range in self")
    return apply(ix.IndexSelect, input, index, dim=dim)


def fitting(name: str, index: Tensor, input: Tensor, dim: int) -> Tensor:
    """Return the index. Raises: RuntimeError for a wrong type, shape or place beside `dim`."""
    need_tensor(name, "index", 2, index)
    d = one_dim(dim, input.ndim)
    data = index._data
    own, size = data.shape or (1,), input._data.shape or (1,)
    if data.size == 0:  # of any type
        return wrap(data.astype(np.int64), False, None)
    if data.dtype.kind != "i" or data.dtype.itemsize < 4:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if len(own) != len(size):
        whose = "input" if name == "gather" else "self"
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as {whose} tensor"
        )
    for i, (n, m) in enumerate(zip(own, size, strict=True)):
        if n > m and i != d and name == "gather":
            raise RuntimeError(
                f"Size does not match at dimension {i} expected index {list(own)} to be no "
                f"larger than self {list(size)} apart from dimension {d}"
            )
    return index


def in_range(
    index: Tensor,
    input: Tensor,
    dim: int,
    error: type[Exception] = RuntimeError,
    name: str = "",
    from_end: bool = False,
) -> Tensor:
    """Return the index. Raises: `error`, which begins with `name`, where it is out of range.

    from_end: negative numbers count from the end.
    """
    n = size_along(input, dim)
    wrong = outside(index._data, -n if from_end else 0, n)
    if wrong.size:
        raise error(
            f"{name}index {wrong.flat[0]} is out of bounds for dimension "
            f"{one_dim(dim, input.ndim)} with size {n}"
        )
    return index


@public(method=True, out=True)
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """Return the entries that `index` names along `dim`.

    index: as many dimensions as input -> like index.
    index: of int64. sparse_grad: without effect.

    >>> torch.gather(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, torch.tensor([[1], [0]]))
    tensor([[2.],
            [3.]])
    """
    index = in_range(fitting("gather", index, input, dim), input, dim)
    if not index._data.size and index.ndim != input.ndim:
        return reshape(flatten(input)[:0], tuple(index.shape))
    return apply(ix.Gather, input, index, dim=dim, sparse_grad=sparse_grad)


@public(method=True, out=True)
def take(input: Tensor, index: Tensor) -> Tensor:
    """Return the entries at flat indices, which count all entries row by row.

    index: (...) -> (...).

    >>> take(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([0, -1]))
    tensor([1., 4.])
    """
    need_tensor("take", "index", 1, index)
    check_long_index("take", index)
    check_places(input, index)
    return apply(ix.Take, input, index)


def check_places(input: Tensor, index: Tensor) -> None:
    """Raise IndexError unless each index is the place of an entry in the flat input."""
    n = input.numel()
    wrong = outside(index._data, -n, n)
    if wrong.size:
        raise IndexError(
            f"out of range: tried to access index {wrong.flat[0]} on a tensor of {n} elements."
        )


@public(method=True, out=True)
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Return the entries that `indices` names along `dim`; the other dimensions are broadcast.

    input: (...), indices: as many dimensions, of int64. dim: None takes from all entries in a row.

    >>> torch.take_along_dim(torch.tensor([[3, 1], [2, 4]]), torch.tensor([[1], [0]]), dim=1)
    tensor([[1],
            [2]])
    """
    if indices._data.dtype != np.int64:
        raise RuntimeError(
            "torch.take_along_dim(): dtype of indices should be Long but got " + type_name(indices)
        )
    if dim is None:
        return take_along_dim(flatten(input), flatten(indices), 0)
    d = one_dim(dim, input.ndim)
    if input.ndim != indices.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    rest = joined_shape(
        *(tuple(1 if i == d else n for i, n in enumerate(x.shape)) for x in (input, indices))
    )
    size = tuple(input.shape[d] if i == d else n for i, n in enumerate(rest))
    chosen = tuple(indices.shape[d] if i == d else n for i, n in enumerate(rest))
    places = indices._data  # from the end, where they are negative
    counted = wrap(np.where(places < 0, places + input.shape[d], places), False, None)
    return gather(expand(input, size), d, expand(counted, chosen))


@public(method=True, out=True)
def nonzero(input: Tensor, *, as_tuple: bool = False, out: Any = None) -> Any:
    """Return the indices of the entries that are not 0, one row each or as a tuple of columns.

    >>> nonzero(torch.tensor([0.0, 3.0, 5.0]))
    tensor([[1],
            [2]])
    """
    if out is not None:
        if as_tuple:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        if out._data.dtype != np.int64:
            raise RuntimeError("nonzero: Expected out tensor to have scalar type Long but got "
                               f"scalar type{type_name(out)}")  # fmt: skip
        return written_into("nonzero", nonzero(input), out)
    data = np.asarray(input._data)
    if as_tuple:
        places = np.nonzero(data if data.ndim else data.reshape(1))
        return tuple(came_from(wrap(x.astype(np.int64), False, None), (input,)) for x in places)
    return came_from(wrap(np.argwhere(data).astype(np.int64), False, None), (input,))


@public(method=True)
def argwhere(input: Tensor) -> Tensor:
    """Return the indices of the entries that are not 0, one row each: (count, dimensions).

    They are outside the graph. input: (...).

    >>> torch.argwhere(torch.tensor([0, 5, 6]))
    tensor([[1],
            [2]])
    """
    return nonzero(input)
