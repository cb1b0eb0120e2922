"""Arithmetic of a tensor and a number, recorded as in PyTorch's C++ inside other functions.

Read next: tensor/functions/division.py
"""

from collections.abc import Callable

from graphlab.autograd.record import apply
from graphlab.ops import scalars
from graphlab.ops.base import Op
from graphlab.ops.elementwise import NO_SUBTRACTION
from graphlab.tensor.functions.pointwise import floating_beside
from graphlab.tensor.tensor import Tensor


def with_number(op: type[Op]) -> Callable[[Tensor, float], Tensor]:
    """Return the function that applies an operation of a tensor and a number."""

    def call(x: Tensor, number: float) -> Tensor:
        if op is scalars.SubScalar and x._data.dtype.kind == "b":
            raise RuntimeError(NO_SUBTRACTION)
        return apply(op, floating_beside(x, number), other=number)

    return call


add_number, sub_number = with_number(scalars.AddScalar), with_number(scalars.SubScalar)
mul_number, div_number = with_number(scalars.MulScalar), with_number(scalars.DivScalar)
