"""Arithmetic of a tensor and a number, recorded as in PyTorch's C++ inside other functions.

Read next: tensor/functions/division.py
"""

from graphlab.autograd.record import apply
from graphlab.ops import scalars
from graphlab.ops.elementwise import NO_SUBTRACTION
from graphlab.tensor.functions.pointwise import floating_beside
from graphlab.tensor.tensor import Tensor


def add_number(x: Tensor, number: float) -> Tensor:
    """Return x + a number, as PyTorch's C++ records it: AddBackward1."""
    return apply(scalars.AddScalar, floating_beside(x, number), other=number)


def sub_number(x: Tensor, number: float) -> Tensor:
    """Return x - a number, as PyTorch's C++ records it: SubBackward1."""
    if x._data.dtype.kind == "b":
        raise RuntimeError(NO_SUBTRACTION)
    return apply(scalars.SubScalar, floating_beside(x, number), other=number)


def mul_number(x: Tensor, number: float) -> Tensor:
    """Return x times a number, as PyTorch's C++ records it: MulBackward1."""
    return apply(scalars.MulScalar, floating_beside(x, number), other=number)


def div_number(x: Tensor, number: float) -> Tensor:
    """Return x divided by a number, as PyTorch's C++ records it: DivBackward1."""
    return apply(scalars.DivScalar, floating_beside(x, number), other=number)
