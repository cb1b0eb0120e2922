"""Write, add or combine whole slices along one dimension, at the places that an index names.

Read next: ops/putting.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.dtypes import number_as
from graphlab.common.public import public
from graphlab.ops import putting as pt
from graphlab.tensor.functions.checks import (
    as_int,
    check_long_index,
    given_dim,
    need_tensor,
    not_for,
    one_dim,
    outside,
    size_along,
    type_name,
)
from graphlab.tensor.functions.picking import in_range
from graphlab.tensor.functions.pointwise import clone
from graphlab.tensor.functions.shapes import expand, reshape
from graphlab.tensor.tensor import Tensor


@public(method=True, in_place=True, out=True)
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1
) -> Tensor:
    """Add `alpha` times the slices of `source` to those that `index` names along `dim`.

    >>> index_add(torch.zeros(3), 0, torch.tensor([2, 2]), torch.tensor([1.0, 2.0]))
    tensor([0., 0., 3.])
    """
    check_slices("index_add", "index_add_", input, dim, index, source)
    if alpha == 1 and input.ndim > 1:
        in_range(index, input, dim)
    else:
        check_within(index, input, dim)
    held = number_as(alpha, input._data.dtype)
    alpha = alpha if input.is_floating_point() else held.item()
    options = {"dim": dim, "alpha": alpha, "source_dim": source.ndim}
    return apply(pt.IndexAdd, input, index, source, **options)


@public(method=True, in_place=True, out=True)
def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """Combine the slices of `source` that `index` sends to the same place along `dim`.

    input: (...), index: (K,) -> a copy like input. reduce: "prod", "mean", "amax" or "amin".
    include_self: whether the old slice counts as well, True.

    >>> places, new = torch.tensor([2, 2]), torch.tensor([4.0, 3.0])
    >>> torch.index_reduce(torch.ones(3), 0, places, new, "prod")
    tensor([ 1.,  1., 12.])
    """
    as_int(dim)  # an argument of another type is refused first
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
            f"{reduce}."
        )
    check_slices("index_reduce", "index_reduce_", input, dim, index, source)
    if input._data.dtype.kind == "b":
        raise not_for("index_func_", input)
    check_within(index, input, dim)
    d, size = one_dim(dim, input.ndim), tuple(source.shape)
    apart = tuple(-1 if i == d else 1 for i in range(source.ndim))
    spread = expand(reshape(index.long(), apart if size else ()), size)
    options = {"dim": dim, "reduce": reduce, "include_self": include_self}
    return apply(pt.IndexReduce, input, spread, source, **options)


def check_slices(
    function: str, name: str, input: Tensor, dim: int, index: Tensor, source: Tensor
) -> None:
    """Raise an error unless an index along `dim` names a slice for each of the source."""
    need_tensor(function, "index", 2, index)
    given_dim(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with "
            f"type: {type_name(index)} and size: {list(index.shape)}"
        )
    if index._data.dtype not in (np.int64, np.int32):
        raise RuntimeError(
            f"{name}(): Expected dtype int32/int64 for index but got: {type_name(index)}"
        )
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"{name}(): self ({type_name(input)}) and source ({type_name(source)}) must have "
            "the same scalar type"
        )
    many = size_along(source, dim if source.ndim else 0)
    if index.numel() != many:
        raise RuntimeError(
            f"{name}(): Number of indices ({index.numel()}) should be equal to "
            f"source.size(dim): ({many}), for dim: {dim}"
        )
    if input.ndim != source.ndim:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(input.shape)} source.shape = {list(source.shape)}"
        )
    slices_fit(name, input, dim, source)


def check_within(index: Tensor, input: Tensor, dim: int) -> None:
    """Raise IndexError unless each index is one of the dimension, counted from the front."""
    if outside(index._data, 0, size_along(input, dim)).size:
        raise IndexError("index out of range in self")


@public(method=True, in_place=True, out=True)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Write the slices of `source` over those that `index` names along `dim`.

    >>> index_copy(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    need_tensor("index_copy", "index", 2, index)
    given_dim(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    if source.ndim != input.ndim and source.ndim and input.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must "
            f"match. Source dimensionality ({source.ndim}), destination dimensionality "
            f"({input.ndim})"
        )
    check_long_index("index_copy_", index)
    if source.dtype is not input.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{type_name(input)} and (source) {type_name(source)}"
        )
    n = size_along(source, dim if source.ndim else 0)
    slices_fit("index_copy_", input, dim, source)
    if index.numel() != n:
        raise IndexError(
            f"index_copy_(): Number of indices ({index.numel()}) should be equal to "
            f"source.size(dim) ({n})"
        )
    in_range(index, input, dim, IndexError, "index_copy_(): ")
    if not input.ndim:
        source = reshape(source, ())
    return apply(pt.IndexCopy, input, index, source, dim=dim, source_dim=source.ndim)


def slices_fit(name: str, input: Tensor, dim: int, source: Tensor) -> None:
    """Raise RuntimeError when the slices of the source are not shaped as those of the tensor."""
    d = one_dim(dim, input.ndim)
    own = [n for i, n in enumerate(input.shape) if i != d]
    theirs = [n for i, n in enumerate(source.shape) if i != d]
    if own != theirs:
        mine, other = (" ".join(str(n) for n in sizes) for sizes in (own, theirs))
        raise RuntimeError(
            f"{name}(): Source/destination tensor must have same slice shapes. Destination slice "
            f"shape: {mine} at dimension {d} and source slice shape: {other} at dimension "
            f"{d if name == 'index_copy_' and source.ndim else 0}."
        )


@public(method=True, in_place=True)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Write the number `value` into the slices that `index` names along `dim`.

    input: (...), index: (K,) of int64 -> a copy like input.

    >>> torch.index_fill(torch.ones(3), 0, torch.tensor([0, -1]), 7)
    tensor([7., 1., 7.])
    """
    need_tensor("index_fill", "index", 2, index)
    given_dim(dim, input.ndim)
    if isinstance(value, complex):
        raise RuntimeError(
            "index_fill_(): Converting complex Scalar to non-complex type is not supported"
        )
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s)."
        )
    if index._data.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    in_range(index, input, dim, IndexError, from_end=True)
    if not input.ndim and not index.numel():
        return clone(input)
    if isinstance(value, Tensor):
        return apply(pt.IndexFillTensor, input, index, value.to(input.dtype), dim=dim)
    value = number_as(value, input._data.dtype).item()
    return apply(pt.IndexFill, input, index, dim=dim, value=value)
