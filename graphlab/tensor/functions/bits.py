"""Yes and no, and whole numbers bit by bit: `logical_xor`, `x ^ y`, `x << 1`. Outside the graph.

Read next: tensor/functions/checks.py
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.operands import is_operand
from graphlab.tensor.functions.checks import need_tensor, not_for
from graphlab.tensor.functions.pointwise import of_two
from graphlab.tensor.tensor import Tensor, wrap


def logical(name: str, function: Callable[..., Any]) -> Callable[[Tensor, Tensor], Tensor]:
    """A function of two truths; what is not 0 is true."""

    def call(input: Tensor, other: Tensor) -> Tensor:
        need_tensor(name, "input", 1, input)
        need_tensor(name, "other", 2, other)
        return of_two(function, input, other)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Entry by entry, {name.removeprefix('logical_')} of two truths: of bool."
    return call


logical_and = logical("logical_and", np.logical_and)
logical_or = logical("logical_or", np.logical_or)
logical_xor = logical("logical_xor", np.logical_xor)


def logical_not(input: Tensor) -> Tensor:
    """True where the entry is 0: a tensor of bool."""
    return wrap(np.logical_not(input._data), False, None)


def bitwise(name: str, function: Callable[..., Any], kernel: str = "") -> Callable[..., Tensor]:
    """A function of the bits of two tensors of integers or of bool; one may be a number."""

    def call(input: Any, other: Any) -> Tensor:
        if not is_operand(other):
            return NotImplemented
        if not isinstance(input, Tensor):
            input, other = other, input
        return of_two(function, input, other, whole=kernel or f"{name}_cpu")

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The bits of two tensors of integers or of bool: {name}."
    return call


bitwise_and = bitwise("bitwise_and", np.bitwise_and)
bitwise_or = bitwise("bitwise_or", np.bitwise_or)
bitwise_xor = bitwise("bitwise_xor", np.bitwise_xor)


def bitwise_not(input: Tensor) -> Tensor:
    """Every bit turned over; of bool, not. Raises: NotImplementedError for other types."""
    if input._data.dtype.kind == "f":
        raise not_for("bitwise_not_cpu", input)
    return wrap(np.invert(input._data), False, None)


def invert(self: Tensor) -> Tensor:
    """~self. Raises: TypeError for types that have no bits."""
    if self._data.dtype.kind == "f":
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        )
    return bitwise_not(self)


def _left(x: Any, by: Any) -> Any:
    bits = 8 * np.result_type(x, by).itemsize
    fits = (by >= 0) & (by < bits)
    return np.where(fits, np.left_shift(x, np.where(fits, by, 0).astype(x.dtype)), 0)


def _right(x: Any, by: Any) -> Any:
    bits = 8 * np.result_type(x, by).itemsize
    fits = (by >= 0) & (by < bits)
    if np.result_type(x, by).kind == "u":
        return np.where(fits, np.right_shift(x, np.where(fits, by, 0).astype(x.dtype)), 0)
    return np.right_shift(x, np.where(fits, by, bits - 1).astype(x.dtype))


def shift(name: str, function: Callable[..., Any], kernel: str) -> Callable[..., Tensor]:
    """A shift of the bits of a tensor of integers; bools are counted as integers."""

    def call(input: Tensor, other: Any) -> Tensor:
        if not is_operand(other):
            return NotImplemented
        return of_two(function, input, other, whole=kernel, bools=False)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{name}: input · 2^other or input / 2^other, on the bits of integers."
    return call


bitwise_left_shift = shift("bitwise_left_shift", _left, "lshift_cpu")
bitwise_right_shift = shift("bitwise_right_shift", _right, "rshift_cpu")


def left_shift_of(self: Tensor, other: Any) -> Tensor:
    """other << self, for a number."""
    return of_two(lambda by, x: _left(x, by), self, other, whole="lshift_cpu", bools=False)


def right_shift_of(self: Tensor, other: Any) -> Tensor:
    """other >> self, for a number."""
    return of_two(lambda by, x: _right(x, by), self, other, whole="rshift_cpu", bools=False)


def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor of integers, entry by entry."""
    need_tensor("gcd", "input", 1, input)
    need_tensor("gcd", "other", 2, other)
    return of_two(np.gcd, input, other, whole="gcd_cpu", bools=False)


def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple of integers, entry by entry."""
    need_tensor("lcm", "input", 1, input)
    need_tensor("lcm", "other", 2, other)
    return of_two(np.lcm, input, other, whole="lcm_cpu", bools=False)
