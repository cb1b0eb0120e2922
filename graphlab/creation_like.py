"""Tensors in the shape or the type of another, and the rest of what needs no entries.

Read next: functional/pointwise.py
"""

from typing import Any

import numpy as np

from graphlab.creation import full, make, ones, rand, randn, shape_of, tensor, zeros
from graphlab.dtypes import dtype, get_default_dtype
from graphlab.tensor import Tensor


def full_like(
    input: Tensor, fill_value: Any, *, dtype: dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """One value, in the shape and type of `input`.

    >>> full_like(tensor([1.0, 2.0]), 7)
    tensor([7., 7.])
    """
    kind = dtype or input.dtype
    return full(tuple(input.shape), fill_value, dtype=kind, requires_grad=requires_grad)


def empty_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor in the shape and type of `input` whose entries mean nothing yet."""
    return zeros(tuple(input.shape), dtype=dtype or input.dtype, requires_grad=requires_grad)


def rand_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Random numbers from [0, 1), in the shape and type of `input`."""
    return rand(tuple(input.shape), dtype=dtype or input.dtype, requires_grad=requires_grad)


def randn_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Random numbers of a normal distribution, in the shape and type of `input`."""
    return randn(tuple(input.shape), dtype=dtype or input.dtype, requires_grad=requires_grad)


def new_zeros(
    self: Tensor, *size: Any, dtype: dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """Zeros of any shape, in the type of this tensor."""
    return zeros(shape_of(size), dtype=dtype or self.dtype, requires_grad=requires_grad)


def new_ones(
    self: Tensor, *size: Any, dtype: dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """Ones of any shape, in the type of this tensor."""
    return ones(shape_of(size), dtype=dtype or self.dtype, requires_grad=requires_grad)


def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: dtype | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """One value in any shape, in the type of this tensor."""
    return full(size, fill_value, dtype=dtype or self.dtype, requires_grad=requires_grad)


def new_tensor(
    self: Tensor, data: Any, *, dtype: dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """A tensor with a copy of `data`, in the type of this tensor."""
    return tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)


def logspace(
    start: float,
    end: float,
    steps: int,
    base: float = 10.0,
    *,
    dtype: dtype | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """`steps` numbers from base**start to base**end, each the same multiple of the one before.

    >>> logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    kind = (dtype or get_default_dtype()).numpy
    return make(np.logspace(start, end, steps, base=base).astype(kind), requires_grad)
