"""Views, reshapes and joins, with their checks.

Read next: functional/words.py
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.functional.dims import Dim, given_dim, given_dims, one_dim
from graphlab.functional.pointwise import clone
from graphlab.ops import indexing as ix
from graphlab.ops import shape as sh
from graphlab.tensor import Tensor, share_memory


def size_from(given: tuple[Any, ...]) -> tuple[int, ...]:
    """`view(2, 3)` and `view((2, 3))` mean the same."""
    if len(given) == 1 and isinstance(given[0], Sequence):
        given = tuple(given[0])
    return tuple(int(n) for n in given)


def fill_in(size: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """Replace the one -1 of a shape by what is left; RuntimeError when it does not fit."""
    if size.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod(n for n in size if n != -1)
    fits = numel % known == 0 if -1 in size and known else numel == known
    if not fits:
        raise RuntimeError(f"shape '{list(size)}' is invalid for input of size {numel}")
    return tuple(numel // known if n == -1 else n for n in size)


def view(input: Tensor, *size: Any) -> Tensor:
    """The same entries in another shape, in the same memory."""
    target = fill_in(size_from(size), input.numel())
    share_memory(input)
    data = input._data
    try:
        np.reshape(data, target, copy=False)
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        ) from None
    return apply(sh.View, input, size=target)


def reshape(input: Tensor, *size: Any) -> Tensor:
    """The same entries in another shape: a view where that is possible, else a copy."""
    target = fill_in(size_from(size), input.numel())
    share_memory(input)
    try:
        np.reshape(input._data, target, copy=False)
    except ValueError:
        return apply(sh.UnsafeView, clone(input), size=target)
    in_order = input._data.flags.c_contiguous
    return apply(sh.View if in_order else sh.ReshapeAlias, input, size=target)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` made one."""
    if input.ndim == 0:
        return reshape(input, 1)
    start, end = one_dim(start_dim, input.ndim), one_dim(end_dim, input.ndim)
    if start == end:
        return input
    return reshape(input, (*input.shape[:start], -1, *input.shape[end + 1 :]))


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return apply(sh.T, input)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions swapped."""
    return apply(
        sh.Transpose, input, dim0=given_dim(dim0, input.ndim), dim1=given_dim(dim1, input.ndim)
    )


swapaxes = swapdims = transpose


def permute(input: Tensor, *dims: Any) -> Tensor:
    """The dimensions in another order; reversed when no order is given."""
    order = size_from(dims) if dims else tuple(range(input.ndim))[::-1]
    return apply(sh.Permute, input, dims=tuple(given_dim(d, input.ndim) for d in order))


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dimension of size 1 before `dim`."""
    return apply(sh.Unsqueeze, input, dim=given_dim(dim, input.ndim + 1))


def squeeze(input: Tensor, dim: Dim = None) -> Tensor:
    """Without the dimensions of size 1, or without `dim` if it has size 1."""
    shape = tuple(input.shape)
    if dim is None:
        return apply(sh.Squeeze, input, size=tuple(n for n in shape if n != 1))
    if not isinstance(dim, int):
        dims = given_dims(dim, input.ndim)
        dropped = {d % input.ndim for d in dims if shape}
        size = tuple(n for d, n in enumerate(shape) if n != 1 or d not in dropped)
        return apply(sh.SqueezeDims, input, dim=dims, size=size)
    d = one_dim(dim, input.ndim)
    size = shape[:d] + shape[d + 1 :] if shape and shape[d] == 1 else shape
    return apply(sh.SqueezeDim, input, dim=dim, size=size)


def expand(input: Tensor, *sizes: Any) -> Tensor:
    """Dimensions of size 1 repeated, without copying; -1 keeps a size."""
    wanted = size_from(sizes)
    lead = len(wanted) - input.ndim
    if lead < 0:
        raise RuntimeError(
            f"expand({c_type(input)}{{{list(input.shape)}}}, size={list(wanted)}): the number of "
            f"sizes provided ({len(wanted)}) must be greater or equal to the number of dimensions "
            f"in the tensor ({input.ndim})"
        )
    size = tuple(input.shape[i - lead] if n == -1 else n for i, n in enumerate(wanted))
    for i, n in enumerate(input.shape):
        if n not in (1, size[lead + i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({size[lead + i]}) must match the existing size "
                f"({n}) at non-singleton dimension {lead + i}.  Target sizes: {list(size)}.  "
                f"Tensor sizes: {list(input.shape)}"
            )
    return apply(sh.Expand, input, size=size)


def c_type(tensor: Tensor) -> str:
    """The tensor type as error messages name it: torch.FloatTensor."""
    return f"torch.{tensor.dtype.legacy}"


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors end to end along `dim`."""
    return apply(ix.Cat, *tensors, dim=given_dim(dim, tensors[0].ndim))


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension."""
    return apply(ix.Stack, *tensors, dim=given_dim(dim, tensors[0].ndim + 1))


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`."""
    return apply(ix.Unbind, input, dim=given_dim(dim, input.ndim))
