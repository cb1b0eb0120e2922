"""Logic and bits: `logical_xor`, `x ^ y`, `x << 1`. All are outside the graph.

Read next: tensor/functions/checks.py
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.decisions import compared
from graphlab.autograd.operands import is_operand
from graphlab.common.public import mark, public
from graphlab.tensor.functions.checks import need_tensor, not_for
from graphlab.tensor.functions.pointwise import of_two
from graphlab.tensor.tensor import Tensor, wrap

LOGICAL = {
    "logical_and": ("both entries are", "False, False,  True"),
    "logical_or": ("at least one entry is", "False,  True,  True"),
    "logical_xor": ("exactly one entry is", "False,  True, False"),
}


def logical(name: str, function: Callable[..., Any]) -> Callable[[Tensor, Tensor], Tensor]:
    """Return a function of two truth values; every entry except 0 is true."""

    def call(input: Tensor, other: Tensor) -> Tensor:
        need_tensor(name, "input", 1, input)
        need_tensor(name, "other", 2, other)
        return of_two(function, input, other)

    call.__name__ = call.__qualname__ = name
    when, example = LOGICAL[name]
    call.__doc__ = f"""Return True where {when} not 0. input, other: (...) -> (...) of bool.

    >>> import graphlab as torch
    >>> torch.{name}(torch.tensor([0, 1, 2]), torch.tensor([0, 0, 1]))
    tensor([{example}])
    """
    return call


logical_and = logical("logical_and", np.logical_and)
logical_or = logical("logical_or", np.logical_or)
logical_xor = logical("logical_xor", np.logical_xor)


@public(method=True, in_place=True, out=True)
def logical_not(input: Tensor) -> Tensor:
    """Return True where an entry is 0. input: (...) -> (...) of bool.

    >>> torch.logical_not(torch.tensor([0, 2]))
    tensor([ True, False])
    """
    return compared(wrap(np.logical_not(input._data), False, None), np.logical_not, (input,))


BITWISE = {"bitwise_and": ("and", 2), "bitwise_or": ("or", 7), "bitwise_xor": ("xor", 5)}


def bitwise(name: str, function: Callable[..., Any], kernel: str = "") -> Callable[..., Tensor]:
    """Return a function of the bits of two tensors of integers or bools; one may be a number."""

    def call(input: Any, other: Any) -> Tensor:
        if not is_operand(other):
            return NotImplemented
        if not isinstance(input, Tensor):
            input, other = other, input
        return of_two(function, input, other, whole=kernel or f"{name}_cpu")

    call.__name__ = call.__qualname__ = name
    word, example = BITWISE[name]
    call.__doc__ = f"""Combine the bits of integers or bools with {word}.

    input, other: (...), one may be a number -> (...). Raises: NotImplementedError for floats.

    >>> import graphlab as torch
    >>> torch.{name}(torch.tensor([6]), 3)
    tensor([{example}])
    """
    return call


bitwise_and = bitwise("bitwise_and", np.bitwise_and)
bitwise_or = bitwise("bitwise_or", np.bitwise_or)
bitwise_xor = bitwise("bitwise_xor", np.bitwise_xor)


@public(method=True, in_place=True, out=True)
def bitwise_not(input: Tensor) -> Tensor:
    """Flip every bit of integers; negate bools. input: (...) -> (...).

    Raises: NotImplementedError for other types.

    >>> torch.bitwise_not(torch.tensor([0, 5])), torch.bitwise_not(torch.tensor([True]))
    (tensor([-1, -6]), tensor([False]))
    """
    if input._data.dtype.kind == "f":
        raise not_for("bitwise_not_cpu", input)
    return compared(wrap(np.invert(input._data), False, None), np.invert, (input,))


def invert(self: Tensor) -> Tensor:
    """Return ~self. Raises: TypeError for types without bits."""
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
    """Return a function that shifts the bits of integers by another tensor or a number."""

    def call(input: Tensor, other: Any) -> Tensor:
        if not is_operand(other):
            return NotImplemented
        return of_two(function, input, other, whole=kernel, bools=False)

    call.__name__ = call.__qualname__ = name
    formula, example = ("input · 2^other", 32) if "left" in name else ("input / 2^other", 2)
    call.__doc__ = f"""Shift the bits of integers: {formula}, rounded down.

    input: (...), other: (...) or a number -> (...). Raises: NotImplementedError for floats, bools.

    >>> import graphlab as torch
    >>> torch.{name}(torch.tensor([8]), 2)
    tensor([{example}])
    """
    return call


bitwise_left_shift = shift("bitwise_left_shift", _left, "lshift_cpu")
bitwise_right_shift = shift("bitwise_right_shift", _right, "rshift_cpu")


def left_shift_of(self: Tensor, other: Any) -> Tensor:
    """Return other << self for a number `other`."""
    if not is_operand(other):
        return NotImplemented
    return of_two(lambda by, x: _left(x, by), self, other, whole="lshift_cpu", bools=False)


def right_shift_of(self: Tensor, other: Any) -> Tensor:
    """Return other >> self for a number `other`."""
    if not is_operand(other):
        return NotImplemented
    return of_two(lambda by, x: _right(x, by), self, other, whole="rshift_cpu", bools=False)


@public(method=True, in_place=True, out=True)
def gcd(input: Tensor, other: Tensor) -> Tensor:
    """Return the greatest common divisor of integers. input, other: (...) -> (...).

    >>> torch.gcd(torch.tensor([12, 9]), torch.tensor([8, 6]))
    tensor([4, 3])
    """
    need_tensor("gcd", "input", 1, input)
    need_tensor("gcd", "other", 2, other)
    return of_two(np.gcd, input, other, whole="gcd_cpu", bools=False)


@public(method=True, in_place=True, out=True)
def lcm(input: Tensor, other: Tensor) -> Tensor:
    """Return the least common multiple of integers. input, other: (...) -> (...).

    >>> torch.lcm(torch.tensor([4, 6]), torch.tensor([6, 9]))
    tensor([12, 18])
    """
    need_tensor("lcm", "input", 1, input)
    need_tensor("lcm", "other", 2, other)
    return of_two(np.lcm, input, other, whole="lcm_cpu", bools=False)


mark(
    "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor",
    method=True,
    in_place=True,
    out=True,
    operator=True,
)
mark("logical_and logical_or logical_xor", method=True, in_place=True, out=True)
