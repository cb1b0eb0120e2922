"""`copy`, `fill` and `zero`: their in-place forms write over a tensor without reading it.

Read next: tensor/inplace.py
"""

import warnings
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import state
from graphlab.autograd.record import apply
from graphlab.common.dtypes import number_as
from graphlab.common.errors import ShapeError, named_kind, users_level
from graphlab.ops.writing import Copy, Fill, FillTensor, Zero
from graphlab.primitives.numpy_reading.strides import is_expanded
from graphlab.tensor.functions.dims import joined_shape
from graphlab.tensor.tensor import Tensor, wrap


def zero(input: Tensor) -> Tensor:
    """Return zeros in place of all entries."""
    return apply(Zero, input)


def fill(input: Tensor, value: Any) -> Tensor:
    """Return one number, or the entry of a 0-d tensor, in place of all entries."""
    if not isinstance(value, Tensor):
        return apply(Fill, input, value=number_as(value, input._data.dtype).item())
    if value.ndim:
        raise RuntimeError(
            "fill_ only supports 0-dimension value tensor but got tensor with "
            f"{value.ndim} dimensions."
        )
    return apply(FillTensor, input, value, dtype=input._data.dtype)


def copy(input: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Return the entries of `src` in place of those of `input`."""
    if isinstance(src, bool | int | float):
        src = wrap(np.asarray(src)[()], False, None)
    if not isinstance(src, Tensor):
        raise TypeError(
            f"copy_(): argument 'other' (position 1) must be Tensor, not {named_kind(src)}"
        )
    check_fit(input.shape, src.shape)
    return apply(Copy, input, src, dtype=input._data.dtype)


def check_fit(size: Any, given: Any) -> None:
    """Raise RuntimeError when a shape can't be broadcast to that of the overwritten tensor."""
    whole = joined_shape(size, given)
    if whole != tuple(size):
        raise ShapeError(
            f"output with shape {list(size)} doesn't match the broadcast shape {list(whole)}"
        )


def check_shared(self: Tensor, others: list[Tensor]) -> None:
    """Raise RuntimeError when examples are written into a tensor that they share."""
    for other in others:
        if hasattr(other._data, "level"):
            other._data.check_shared(self._data)
    if state.changing is not None and any(x._needs for x in (self, *others)):
        state.changing(self if self._base is None else self._base)


def warn_if_expanded(self: Tensor, name: str) -> None:
    """Warn that entries that share memory are written."""
    if is_expanded(self._data):
        message = (
            f"Use of {name}_ on expanded tensors is deprecated. Please clone() the tensor before "
            "performing this operation. This also applies to advanced indexing"
        )
        warnings.warn(message, UserWarning, stacklevel=users_level())
