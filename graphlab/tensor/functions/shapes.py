"""Views and reshapes, with their checks.

Read next: primitives/table.py
"""

import math
from typing import Any

import numpy as np

from graphlab.autograd.record import applied, apply
from graphlab.common import dtypes
from graphlab.common.public import public
from graphlab.ops import shapes as sh
from graphlab.tensor.creation import size_from
from graphlab.tensor.functions.checks import Dim, given_dim, given_dims, one_dim
from graphlab.tensor.functions.conversions import reinterpreted
from graphlab.tensor.functions.pointwise import contiguous
from graphlab.tensor.tensor import Tensor, share_memory

_view, _t, _transpose = map(applied, (sh.View, sh.T, sh.Transpose))
_permute, _unsqueeze, _expand = map(applied, (sh.Permute, sh.Unsqueeze, sh.Expand))


def fill_in(size: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """Replace the one -1 of a shape by the size that fits. Raises: RuntimeError if none does."""
    known = math.prod(size)
    if known == numel and min(size, default=0) >= 0:  # the usual case
        return size
    for i, n in enumerate(size):
        if n < -1:
            raise RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(size)}")
    free = size.count(-1)
    if free > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = -known if free else known
    if numel % known if free and known else numel != known:
        raise RuntimeError(f"shape '{list(size)}' is invalid for input of size {numel}")
    if free and known == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(size)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    return tuple([numel // known if n == -1 else n for n in size])


@public(function=False, method=True)
def view(input: Tensor, *shape: Any, size: Any = None, dtype: Any = None) -> Tensor:
    """Return the same entries in another shape, in the same memory; for a dtype, the same bytes.

    shape: ints, one of which may be -1, or a dtype. size, dtype: the same by name.
    Raises: RuntimeError for a shape of another number of entries, or one that needs a copy.

    >>> import graphlab
    >>> graphlab.tensor([1, 2]).view(2, -1).shape
    torch.Size([2, 1])
    """
    if isinstance(kind := shape[0] if len(shape) == 1 else dtype, dtypes.dtype):
        return reinterpreted(input, kind)
    target = fill_in(size_from(shape, size), input.numel())
    share_memory(input)
    if not can_view(input._data, target):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    return _view(input, size=target)


def can_view(data: np.ndarray, shape: tuple[int, ...]) -> bool:
    """Return whether a view can have this shape."""
    if data.flags.c_contiguous or data.size == 0:
        return True
    try:
        data.reshape(shape, copy=False)
    except ValueError:
        return False
    except TypeError:  # NumPy 2.0, and a batch of arrays
        return np.may_share_memory(data.reshape(shape), data)
    return True


@public(function=False, method=True)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the same entries in the shape of `other`, in the same memory.

    >>> import graphlab
    >>> graphlab.tensor([1, 2]).view_as(graphlab.ones(2, 1)).shape
    torch.Size([2, 1])
    """
    return view(input, tuple(other.shape))


@public(method=True)
def reshape(input: Tensor, *size: Any, shape: Any = None) -> Tensor:
    """Return the same entries in another shape, as a view if possible, else as a copy.

    size: the shape, as ints or one tuple, of which one may be -1; shape: the same by name.
    Raises: RuntimeError when the number of entries differs.

    >>> torch.reshape(torch.tensor([1, 2, 3, 4]), (2, -1))
    tensor([[1, 2],
            [3, 4]])
    """
    target = fill_in(size_from(size, shape, ("reshape", "shape")), input.numel())
    share_memory(input)
    if not can_view(input._data, target):
        return apply(sh.UnsafeView, contiguous(input), size=target)
    in_order = input._data.flags.c_contiguous
    return apply(sh.View if in_order else sh.ReshapeAlias, input, size=target)


@public(function=False, method=True)
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the same entries in the shape of `other`.

    >>> import graphlab
    >>> graphlab.tensor([1, 2]).reshape_as(graphlab.ones(2, 1)).shape
    torch.Size([2, 1])
    """
    return reshape(input, tuple(other.shape))


@public(method=True)
def ravel(input: Tensor) -> Tensor:
    """Return all entries in one dimension. input: (...) -> (N,).

    >>> torch.ravel(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    return view(contiguous(input), -1)


@public(method=True)
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge the dimensions from `start_dim` to `end_dim` into one, by default all.

    >>> torch.flatten(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    start, end = one_dim(start_dim, input.ndim), one_dim(end_dim, input.ndim)
    if input.ndim == 0:
        return reshape(input, 1)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    joined = math.prod(input.shape[start : end + 1])
    return reshape(input, (*input.shape[:start], joined, *input.shape[end + 1 :]))


@public(method=True)
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Split the dimension `dim` into several of the given `sizes`, of which one may be -1.

    >>> torch.unflatten(torch.tensor([1, 2, 3, 4]), 0, (2, -1))
    tensor([[1, 2],
            [3, 4]])
    """
    d = one_dim(dim, input.ndim)
    shape, parts = tuple(input.shape), size_from((sizes,), None, ("unflatten", "sizes"))
    if not parts:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        target = fill_in(parts, shape[d])
    except RuntimeError as error:
        if parts.count(-1) > 1:
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(parts)} don't multiply up to the size of dim {d} "
            f"({shape[d]}) in the input tensor"
        ) from None
    return view(input, (*shape[:d], *target, *shape[d + 1 :]))


@public(method=True)
def t(input: Tensor) -> Tensor:
    """Return the transpose of a matrix; vectors stay as they are. input: (N, M) -> (M, N), a view.

    >>> torch.t(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
    """
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return _t(input)


@public(method=True)
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap the dimensions `dim0` and `dim1`. input: (..., N, ..., M, ...) -> a view.

    >>> torch.transpose(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([[1, 3],
            [2, 4]])
    """
    return _transpose(input, dim0=given_dim(dim0, input.ndim), dim1=given_dim(dim1, input.ndim))


@public(method=True)
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Swap the dimensions `axis0` and `axis1`, as `transpose` does under NumPy's name.

    >>> torch.swapaxes(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([[1, 3],
            [2, 4]])
    """
    return transpose(input, axis0, axis1)


@public(method=True)
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap the dimensions `dim0` and `dim1`, as `transpose` does.

    >>> torch.swapdims(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([[1, 3],
            [2, 4]])
    """
    return transpose(input, dim0, dim1)


@public(method=True)
def permute(input: Tensor, *order: Any, dims: Any = None) -> Tensor:
    """Put the dimensions in another order. input: (...) -> (...), a view.

    order: the old dimensions in their new order, as ints or one tuple; dims: the same by name.
    Raises: RuntimeError unless each dimension occurs once.

    >>> torch.permute(torch.ones(2, 3, 4), (2, 0, 1)).shape
    torch.Size([4, 2, 3])
    """
    wanted = size_from(order, dims, ("permute", "dims"))
    if len(wanted) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {input.ndim} is not "
            f"equal to len(dims) = {len(wanted)}"
        )
    in_order = [*range(len(wanted))]
    if sorted(wanted) != in_order and len({one_dim(d, len(wanted)) for d in wanted}) != len(wanted):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return _permute(input, dims=wanted)


@public(method=True)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Insert a dimension of size 1 before `dim`. input: (N, M) -> (N, 1, M) for dim=1, a view.

    >>> torch.unsqueeze(torch.tensor([1, 2]), 0)
    tensor([[1, 2]])
    """
    return _unsqueeze(input, dim=given_dim(dim, input.ndim + 1))


@public(method=True)
def squeeze(input: Tensor, dim: Dim = None) -> Tensor:
    """Remove all dimensions of size 1, or `dim` if it has size 1. input: (N, 1, M) -> (N, M).

    >>> torch.squeeze(torch.tensor([[1, 2]]))
    tensor([1, 2])
    """
    shape = tuple(input.shape)
    if dim is None:
        return apply(sh.Squeeze, input, size=tuple(n for n in shape if n != 1))
    if not isinstance(dim, int):
        dims = given_dims(dim, input.ndim)
        dropped = {one_dim(d, input.ndim) for d in dims}
        size = tuple(n for d, n in enumerate(shape) if n != 1 or d not in dropped)
        return apply(sh.SqueezeDims, input, dim=dims, size=size)
    d = one_dim(dim, input.ndim)
    size = shape[:d] + shape[d + 1 :] if shape and shape[d] == 1 else shape
    return apply(sh.SqueezeDim, input, dim=dim, size=size)


@public(function=False, method=True)
def expand(input: Tensor, *sizes: Any, size: Any = None, implicit: bool = False) -> Tensor:
    """Repeat dimensions of size 1 without copying; -1 keeps a size.

    sizes: the new shape, `size` by name. implicit: without effect.

    >>> import graphlab
    >>> graphlab.tensor([[1], [2]]).expand(-1, 2).tolist()
    [[1, 1], [2, 2]]
    """
    wanted = size_from(sizes, size, ("expand", "size"))
    lead = len(wanted) - input.ndim
    if lead < 0:
        raise RuntimeError(
            f"expand({c_type(input)}{{{list(input.shape)}}}, size={list(wanted)}): the number of "
            f"sizes provided ({len(wanted)}) must be greater or equal to the number of dimensions "
            f"in the tensor ({input.ndim})"
        )
    for i, n in enumerate(wanted[:lead]):
        if n < 0:
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing "
                f"dimension {i}"
            )
    shape = input._data.shape
    target = tuple([shape[i - lead] if n == -1 else n for i, n in enumerate(wanted)])
    for i, n in reversed([*enumerate(shape)]):
        if n not in (1, target[lead + i]) or target[lead + i] < 0:
            raise RuntimeError(
                f"The expanded size of the tensor ({target[lead + i]}) must match the existing "
                f"size ({n}) at non-singleton dimension {lead + i}.  Target sizes: "
                f"{list(target)}.  Tensor sizes: {list(shape)}"
            )
    return _expand(input, size=target)


@public(function=False, method=True)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Repeat dimensions of size 1 to the shape of `other`, without copying.

    >>> import graphlab
    >>> graphlab.tensor([1]).expand_as(graphlab.ones(2))
    tensor([1, 1])
    """
    return expand(input, tuple(other.shape))


@public(method=True)
def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """Expand the tensor to the shape `size` without copying. input: (...) -> size.

    >>> torch.broadcast_to(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return expand(input, size)


def c_type(tensor: Tensor) -> str:
    """Return the tensor type as error messages name it: torch.FloatTensor."""
    return f"torch.{tensor.dtype.legacy}"
