"""Shapes of tensors: broadcasting and undoing it, reordering, joining.

Read next: primitives/sympy_reading/shapes.py
"""

# ruff: noqa: F401  (the primitives that tensors have as functions)
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.ops.arrange import Rot90
from graphlab.tensor.functions import shapes
from graphlab.tensor.functions.arrange import flip, roll, tril, triu
from graphlab.tensor.functions.joining import cat, stack
from graphlab.tensor.functions.reductions import sum
from graphlab.tensor.functions.shapes import expand, reshape, squeeze, transpose
from graphlab.tensor.tensor import Tensor


def size(x: Any) -> tuple[int, ...]:
    """The shape as a plain tuple."""
    return tuple(x.shape)


def sum_to(x: Tensor, size: tuple[int, ...]) -> Tensor:
    """Sum `x` back to `size`, undoing a broadcast."""
    lead = x.ndim - len(size)
    kept = tuple(lead + i for i, n in enumerate(size) if n == 1)
    if lead or kept:
        x = sum(x, (*range(lead), *kept), keepdim=True)
    return reshape(x, size) if lead else x


def permute(x: Tensor, dims: tuple[int, ...] | None = None) -> Tensor:
    """The dimensions in the order of `dims`, or in reverse order."""
    return shapes.permute(x, tuple(range(x.ndim))[::-1] if dims is None else dims)


def unsqueeze(x: Any, dim: int) -> Any:
    """A new dimension of size 1, of a tensor or of raw indices."""
    return shapes.unsqueeze(x, dim) if isinstance(x, Tensor) else np.expand_dims(x, dim)


def rot90(x: Tensor, k: int, dims: tuple[int, int]) -> Tensor:
    """Rotated `k` times by 90 degrees."""
    return apply(Rot90, x, k=k, dims=dims)
