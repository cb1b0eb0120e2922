"""Rounded quotients: `x // 2`, `div(x, y, rounding_mode="floor")`, `round(x, decimals=2)`.

Read next: tensor/functions/choosing.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.autograd.operands import is_operand, operand
from graphlab.autograd.record import apply
from graphlab.common.public import mark, public
from graphlab.ops import division as d
from graphlab.ops.base import Op
from graphlab.ops.elementwise import NO_SUBTRACTION
from graphlab.tensor.functions.checks import need_floats
from graphlab.tensor.functions.pointwise import div as true_divide
from graphlab.tensor.functions.pointwise import fitted, floating_beside
from graphlab.tensor.functions.rounding import round as round_whole
from graphlab.tensor.tensor import Tensor


@public(method=True, in_place=True, out=True, operator=True)
def div(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Return input / other, rounded if asked. input: (...), other: (...) or a number -> (...).

    rounding_mode: None, "trunc" towards zero, or "floor" down.
    Raises: RuntimeError for another rounding mode.

    >>> torch.div(torch.tensor([-7.0, 7.0]), 2, rounding_mode="trunc")
    tensor([-3.,  3.])
    """
    if rounding_mode is None:
        return true_divide(input, other)
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"'{rounding_mode}'"
        )
    input = floating_beside(input, other)
    return apply(d.DivMode, input, operand(other), rounding_mode=rounding_mode)


divide = div


@public(method=True, in_place=True, out=True, operator=True)
def floor_divide(input: Tensor, other: Any) -> Tensor:
    """Return input / other, rounded down. input: (...), other: (...) or a number -> (...).

    A backward pass refuses it, as in PyTorch.

    >>> torch.floor_divide(torch.tensor([-7, 7]), 2)
    tensor([-4,  3])
    """
    if not is_operand(other):
        return NotImplemented
    other = operand(other)
    if isinstance(other, Tensor):
        return apply(d.FloorDivideTensor, input, other)
    input = floating_beside(input, other)
    return apply(d.FloorDivide, input, other=fitted(other, input))


def floor_divide_into(self: Tensor, other: Any) -> Tensor:
    """Return other // self for a number `other`."""
    if not is_operand(other):
        return NotImplemented
    beside = floating_beside(self, other)
    return apply(d.FloorDivideInto, beside, self=fitted(operand(other), beside))


def remainder_of(self: Tensor, other: Any) -> Tensor:
    """Return other % self for a number `other`. A backward pass refuses it, as in PyTorch."""
    if not is_operand(other):
        return NotImplemented
    beside = floating_beside(self, other)
    return apply(d.RemainderOf, beside, self=fitted(operand(other), beside))


@public(method=True, in_place=True, out=True)
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Round to `decimals` decimals, halves to the even number. input: (...) -> (...).

    Raises: NotImplementedError for integers, when decimals is not 0.

    >>> round(torch.tensor([2.5, 0.126]), decimals=2)
    tensor([2.5000, 0.1300])
    """
    if decimals == 0:
        return round_whole(input)
    need_floats("round_cpu", input)
    return apply(d.RoundDecimals, input, decimals=decimals)


mark("divide true_divide", method=True, in_place=True, out=True, operator=True)


def with_number(op: type[Op]) -> Callable[[Tensor, float], Tensor]:
    """Return the function that applies an operation to a tensor and a number, as C++ does."""

    def call(x: Tensor, number: float) -> Tensor:
        if op is d.SubScalar and x._data.dtype.kind == "b":
            raise RuntimeError(NO_SUBTRACTION)
        return apply(op, floating_beside(x, number), other=number)

    return call


add_number, sub_number = with_number(d.AddScalar), with_number(d.SubScalar)
mul_number, div_number = with_number(d.MulScalar), with_number(d.DivScalar)
