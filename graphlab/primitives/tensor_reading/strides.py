"""Diagonals of tensors, recorded.

Read next: primitives/sympy_reading/strides.py
"""

from graphlab.autograd.record import apply
from graphlab.ops import arrange
from graphlab.tensor.tensor import Tensor


def diagonal(x: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """The diagonal of the matrices in two dimensions."""
    return apply(arrange.Diagonal, x, offset=offset, dim1=dim1, dim2=dim2)


def put_diagonal(x: Tensor, sizes: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Tensor:
    """Zeros of `sizes` with `x` on a diagonal."""
    options = {"sizes": tuple(sizes), "offset": offset, "dim1": dim1, "dim2": dim2}
    return apply(arrange.DiagEmbed, x, **options)
