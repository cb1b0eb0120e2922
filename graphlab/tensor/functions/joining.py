"""Tensors put beside, below or behind each other, and given the dimensions that this takes.

Read next: primitives/table.py
"""

from collections.abc import Sequence
from typing import Any

from graphlab.autograd.record import apply
from graphlab.ops import arrange as ar
from graphlab.tensor.functions.shapes import cat, reshape, tensors_of, unsqueeze
from graphlab.tensor.tensor import Tensor


def concat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors end to end along `dim`."""
    return cat(tensors, dim)


def concatenate(tensors: Sequence[Tensor], axis: int = 0, *, dim: int | None = None) -> Tensor:
    """Tensors end to end along `axis`."""
    return cat(tensors, axis if dim is None else dim)


def each(function: Any, tensors: tuple[Any, ...]) -> Any:
    """What a function makes of one tensor, or of each of several."""
    if len(tensors) == 1 and not isinstance(tensors[0], list | tuple):
        return function(tensors[0])
    many = tensors[0] if len(tensors) == 1 else tensors
    return tuple(function(tensor) for tensor in many)


def atleast_1d(*tensors: Any) -> Any:
    """The tensor, as a vector when it is 0-d; several as a tuple."""
    return each(lambda t: reshape(t, 1) if t.ndim == 0 else t, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """The tensor, as a matrix of one row when it has fewer dimensions; several as a tuple."""
    return each(row, tensors)


def row(t: Tensor) -> Tensor:
    """A matrix of one row, of what has fewer dimensions."""
    return reshape(t, 1, 1) if t.ndim == 0 else unsqueeze(t, 0) if t.ndim == 1 else t


def atleast_3d(*tensors: Any) -> Any:
    """The tensor with a first and a last dimension where it has not three; several as a tuple."""
    return each(deep, tensors)


def deep(t: Tensor) -> Tensor:
    """A tensor of three dimensions: a vector lies in the middle one, a matrix in the first two."""
    if t.ndim == 0:
        return reshape(t, 1, 1, 1)
    if t.ndim == 1:
        return unsqueeze(unsqueeze(t, 0), -1)
    return unsqueeze(t, -1) if t.ndim == 2 else t


def some(name: str, tensors: Sequence[Tensor]) -> list[Tensor]:
    """The list of tensors. Raises: RuntimeError when it is empty."""
    parts = tensors_of(name, tensors)
    if not parts:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return parts


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors beside each other: along the second dimension, along the only one of vectors."""
    parts = [atleast_1d(t) for t in some("hstack", tensors)]
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors below each other: along the first dimension; vectors are rows."""
    return cat([row(t) for t in some("vstack", tensors)], 0)


def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors below each other; vectors are rows."""
    return cat([row(t) for t in some("row_stack", tensors)], 0)


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors behind each other: along the third dimension."""
    return cat([deep(t) for t in some("dstack", tensors)], 2)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors beside each other; vectors are columns."""
    parts = some("column_stack", tensors)
    return cat([reshape(t, (t.numel(), 1)) if t.ndim < 2 else t for t in parts], 1)


def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices along the diagonal of a larger one, 0 elsewhere; vectors are rows.

    >>> import graphlab as torch
    >>> block_diag(torch.ones(1, 2), torch.tensor(3.0))
    tensor([[1., 1., 0.],
            [0., 0., 3.]])
    """
    if not tensors:
        from graphlab.tensor.creation import zeros

        return zeros(1, 0)
    for i, tensor in enumerate(tensors):
        if tensor.ndim > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                f"{i} has {tensor.ndim} dimensions"
            )
    return apply(ar.BlockDiag, *tensors)
