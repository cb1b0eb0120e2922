"""Clamping, rounding, remainders, rounded quotients and interpolation: `clamp(x, 0, 1)`, `x // 2`.

Read next: tensor/functions/transcendental.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.autograd.operands import is_operand, operand
from graphlab.autograd.record import apply, recorder
from graphlab.common.dtypes import common, number_as
from graphlab.common.public import mark, public
from graphlab.ops import choosing
from graphlab.ops import division as d
from graphlab.ops import rounding as r
from graphlab.ops.base import Op
from graphlab.ops.elementwise import NO_SUBTRACTION
from graphlab.tensor.functions import function_of
from graphlab.tensor.functions.checks import c_name, need_floats, need_tensor, not_for
from graphlab.tensor.functions.pointwise import clone, fitted, floating_beside
from graphlab.tensor.functions.pointwise import div as true_divide
from graphlab.tensor.tensor import Tensor


def beside(input: Tensor, *bounds: Any) -> Tensor:
    """Return the tensor in the common type with its bounds, which are numbers."""
    for bound in bounds:
        input = floating_beside(input, bound)
    return input.long() if input._data.dtype.kind == "b" else input


def limit(bound: Any, input: Tensor) -> Any:
    """Return a bound; for a tensor of integers as one of its type: beside uint8, -1 is 255.

    Raises: RuntimeError when it overflows the type.
    """
    if bound is None:
        return None
    fitting = number_as(bound, input._data.dtype)
    return bound if fitting.dtype.kind == "f" else fitting.item()


@public(method=True, in_place=True, out=True)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Limit every entry to [min, max]; each is a number, a tensor, or None for no bound.

    Raises: RuntimeError when both are None, TypeError for a number beside a tensor.

    >>> from graphlab import tensor
    >>> clamp(tensor([-1.0, 0.5, 2.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    kinds = {isinstance(bound, Tensor) for bound in (min, max) if bound is not None}
    if len(kinds) == 2:
        kind = tuple("Tensor" if isinstance(x, Tensor) else type(x).__name__ for x in (min, max))
        raise TypeError(
            "clamp() received an invalid combination of arguments - got (Tensor, "
            f"{kind[0]}, {kind[1]}), but expected one of:\n"
            " * (Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None)\n"
            " * (Tensor input, Number min = None, Number max = None, *, Tensor out = None)\n"
        )
    if True in kinds:
        return apply(choosing.ClampTensor, input, min, max)
    input = beside(input, min, max)
    return apply(r.Clamp, input, min=limit(min, input), max=limit(max, input))


@public(method=True, in_place=True, out=True)
def clamp_min(input: Tensor, min: Any) -> Tensor:
    """Limit every entry to at least `min`. input: (...), min: (...) or a number -> (...).

    >>> torch.clamp_min(torch.tensor([1.0, 5.0]), 3)
    tensor([3., 5.])
    """
    if isinstance(min, Tensor):
        return apply(choosing.ClampMinTensor, input, min)
    input = beside(input, min)
    return apply(r.ClampMin, input, min=limit(min, input))


@public(method=True, in_place=True, out=True)
def clamp_max(input: Tensor, max: Any) -> Tensor:
    """Limit every entry to at most `max`. input: (...), max: (...) or a number -> (...).

    >>> torch.clamp_max(torch.tensor([1.0, 5.0]), 3)
    tensor([1., 3.])
    """
    if isinstance(max, Tensor):
        return apply(choosing.ClampMaxTensor, input, max)
    input = beside(input, max)
    return apply(r.ClampMax, input, max=limit(max, input))


clip = clamp


def of_integers(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Return a function that rounds floats and copies integers."""

    def call(input: Tensor) -> Tensor:
        return clone(input) if input._data.dtype.kind in "iu" else function(input)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


floor = of_integers(recorder(r.Floor))
ceil = of_integers(recorder(r.Ceil))
round_whole = of_integers(recorder(r.Round))
trunc = of_integers(recorder(r.Trunc))
fix = trunc
frac = function_of(r.Frac)


@public(method=True, in_place=True, out=True, operator=True)
def remainder(input: Tensor, other: Any) -> Tensor:
    """Return input - floor(input / other) * other, a remainder with the sign of `other`.

    input: (...), other: (...) or a number -> (...).

    >>> torch.remainder(torch.tensor([-3.0, 3.0]), 2)
    tensor([1., 1.])
    """
    if not is_operand(other):
        return NotImplemented
    if isinstance(other, Tensor):
        return apply(r.RemainderTensor, input, other)
    input = floating_beside(input, other)
    return apply(r.Remainder, input, other=fitted(operand(other), input))


@public(method=True, in_place=True, out=True)
def fmod(input: Tensor, other: Any) -> Tensor:
    """Return input - trunc(input / other) * other, a remainder with the sign of `input`.

    input: (...), other: (...) or a number -> (...).

    >>> torch.fmod(torch.tensor([-3.0, 3.0]), 2)
    tensor([-1.,  1.])
    """
    if isinstance(other, Tensor):
        return apply(r.FmodTensor, input, other)
    input = floating_beside(input, other)
    return apply(r.Fmod, input, other=fitted(operand(other), input))


@public(method=True, in_place=True, out=True)
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """Return input + weight * (end - input). input, end: (...), weight: a number or (...) -> (...).

    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([10.0, 20.0]), 0.5)
    tensor([ 5., 15.])
    """
    alike("end", input, end)
    if isinstance(weight, Tensor):
        if weight._data.ndim:  # a 0-d one may be of any type
            alike("weight", input, weight)
        return apply(r.LerpTensor, input, end, weight)
    return apply(r.Lerp, input, end, weight=weight)


def alike(argument: str, input: Tensor, other: Tensor) -> None:
    """Raise RuntimeError, in PyTorch's words, for an argument of another type."""
    need_tensor("lerp", argument, 2, other)
    if other.dtype is not input.dtype:
        raise RuntimeError(
            f"expected dtype {c_name(input)} for `{argument}` but got dtype {c_name(other)}"
        )


@public(method=True, in_place=True, out=True)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """Return input + value * tensor1 * tensor2. input, tensor1, tensor2: (...) -> (...), broadcast.

    value: a number, 1 by default.

    >>> torch.addcmul(torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([3.0]), value=10)
    tensor([61.])
    """
    if not any(t.is_floating_point() for t in (input, tensor1, tensor2)):
        kind = common([input._data, tensor1._data, tensor2._data])
        if kind.kind == "b":
            raise not_for("addcmul_cpu_out", input)
        value = int(number_as(value, kind))
    return apply(r.Addcmul, input, tensor1, tensor2, value=value)


NO_INTEGERS = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
    "perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be "
    "implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer "
    "inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv "
    "behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all "
    "dtypes."
)


@public(method=True, in_place=True, out=True)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """Return input + value * tensor1 / tensor2. input, tensor1, tensor2: (...) -> (...), broadcast.

    value: a number, 1 by default.

    >>> torch.addcdiv(torch.tensor([1.0]), torch.tensor([6.0]), torch.tensor([3.0]))
    tensor([3.])
    """
    if tensor1._data.dtype.kind != "f" and tensor2._data.dtype.kind != "f":
        raise RuntimeError(NO_INTEGERS)
    return apply(r.Addcdiv, input, tensor1, tensor2, value=value)


@public(method=True, in_place=True, out=True)
def nan_to_num(
    input: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """Replace nan by the number `nan`, +∞ by `posinf` and -∞ by `neginf`. input: (...) -> (...).

    posinf, neginf: the largest and the least number of the type when None.

    >>> torch.nan_to_num(torch.tensor([torch.nan, torch.inf, 1.0]), posinf=9.0)
    tensor([0., 9., 1.])
    """
    return apply(r.NanToNum, input, nan=nan, posinf=posinf, neginf=neginf)


@public(method=True)
def positive(input: Tensor) -> Tensor:
    """Return the tensor itself. input: (...). Raises: RuntimeError for bools.

    >>> torch.positive(torch.tensor([-1.0]))
    tensor([-1.])
    """
    if input._data.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


mark("ceil clip fix floor trunc", method=True, in_place=True, out=True)


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
