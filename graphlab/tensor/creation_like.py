"""Make tensors in the shape or the type of another.

Read next: tensor/functions/pointwise.py
"""

import warnings
from typing import Any

import numpy as np

from graphlab.common.devices import check_device
from graphlab.common.dtypes import dtype
from graphlab.common.errors import users_level
from graphlab.common.public import public
from graphlab.tensor.creation import (
    COPY,
    beside,
    full,
    like,
    ones,
    shape_of,
    stored_as,
    to_array,
    zeros,
)
from graphlab.tensor.creation import make as made
from graphlab.tensor.legacy import construct
from graphlab.tensor.tensor import Tensor, wrap


@public()
def full_like(
    input: Tensor, fill_value: Any, *, dtype: dtype | None = None, **options: Any
) -> Tensor:
    """Return a tensor in the shape of `input` filled with `fill_value`. input: (...) -> (...).

    dtype: the type, that of `input` when None. options: as for `full`.

    >>> torch.full_like(torch.tensor([1.0, 2.0]), 7)
    tensor([7., 7.])
    """
    shape, kind = like(input, "full_like"), input.dtype if dtype is None else dtype
    return stored_as(input, full(shape, fill_value, dtype=kind, **options), **options)


@public()
def empty_like(input: Tensor, *, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Return a tensor in the shape of `input`, to be filled later.

    dtype: the type, that of `input` when None. options: as for `empty`.

    >>> torch.empty_like(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """
    shape, kind = like(input, "empty_like"), input.dtype if dtype is None else dtype
    return stored_as(input, zeros(shape, dtype=kind, **options), **options)


@public(function=False, method=True)
def new_zeros(self: Tensor, *sizes: Any, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Return zeros of shape `sizes`, in the type of this tensor unless `dtype` is given.

    options: as for `zeros`.

    >>> import graphlab
    >>> graphlab.tensor([1]).new_zeros(2)
    tensor([0, 0])
    """
    made = zeros(*sizes, dtype=self.dtype if dtype is None else dtype, **options)
    return beside(self, made)


@public(function=False, method=True)
def new_ones(self: Tensor, *sizes: Any, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Return ones of shape `sizes`, in the type of this tensor unless `dtype` is given.

    options: as for `ones`.

    >>> import graphlab
    >>> graphlab.tensor([1]).new_ones(2)
    tensor([1, 1])
    """
    made = ones(*sizes, dtype=self.dtype if dtype is None else dtype, **options)
    return beside(self, made)


@public(function=False, method=True)
def new_empty(self: Tensor, *sizes: Any, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Return a tensor in the type of this one, to be filled later.

    sizes: its shape. dtype: another type. options: as for `empty`.

    >>> import graphlab
    >>> graphlab.tensor([1]).new_empty(2).shape
    torch.Size([2])
    """
    return new_zeros(self, *sizes, dtype=dtype, **options)


@public(function=False, method=True)
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: dtype | None = None, **options: Any
) -> Tensor:
    """Return a tensor of shape `size` filled with `fill_value`, in the type of this one.

    dtype: another type. options: as for `full`.

    >>> import graphlab
    >>> graphlab.tensor([1]).new_full((2,), 7)
    tensor([7, 7])
    """
    made = full(size, fill_value, dtype=self.dtype if dtype is None else dtype, **options)
    return beside(self, made)


@public(function=False, method=True)
def new_tensor(
    self: Tensor,
    data: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor with a copy of `data`, in the type of this one unless `dtype` is given.

    requires_grad: whether backward passes go to it. device: the processor, always.

    >>> import graphlab
    >>> graphlab.tensor([1.0]).new_tensor([2, 3])
    tensor([2., 3.])
    """
    if isinstance(data, Tensor):
        said = COPY.replace("torch.tensor(", "tensor.new_tensor(")
        warnings.warn(said, UserWarning, stacklevel=users_level())
        data = np.array(data._data)
    return made(to_array(data, self.dtype if dtype is None else dtype), requires_grad)


@public()
def empty_strided(size: Any, stride: Any, *, dtype: dtype | None = None, **options: Any) -> Tensor:
    """Return a tensor with the given strides, to be filled later.

    size: a tuple of ints. stride: a tuple of as many ints, counted in entries.
    dtype: the type, the default one when None. options: as for `empty`.

    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    sizes, steps = shape_of((size,), "empty_strided"), tuple(stride)
    room = 1 + sum((n - 1) * step for n, step in zip(sizes, steps, strict=True))
    return zeros(max(room, 0), dtype=dtype, **options).as_strided(sizes, steps)


@public(function=False, method=True)
def new(input: Tensor, *arguments: Any, device: Any = None) -> Tensor:
    """Return a tensor of the same type, from a shape, given as ints, or from a list.

    arguments: the ints, or the list. device: the processor, always.

    >>> import graphlab
    >>> graphlab.tensor([1.0]).new([2, 3])
    tensor([2., 3.])
    """
    check_device(device)
    return wrap(construct(input.dtype, arguments), False, None)
