"""Rounded division, step functions that PyTorch does not differentiate, arithmetic with a number.

Read next: tensor/functions/rounding.py
"""

from graphlab.ops.base import Op
from graphlab.ops.rounding import NO_RULE, Step
from graphlab.primitives.numpy_reading.elementary import (
    divide_down,
    divide_to_zero,
    heaviside,
    refused,
    remainder,
    round,
    zeros_like,
)


class DivMode(Op):
    """Return the quotient, rounded: "floor" down, "trunc" towards zero.

    self, other: (...) -> (...).
    The rules name the inputs although every slope is 0: PyTorch saves them.
    """

    kernel = "div_floor_cpu:iuf"
    node, symbol, pointwise, phrase = "DivBackward2", "÷", True, Step.phrase
    also_saved = ("rounding_mode",)

    def forward(self, other, *, rounding_mode):
        if rounding_mode == "floor":
            return divide_down(self, other)
        return divide_to_zero(self, other)

    def grad_self(grad, other):
        return zeros_like(grad)

    def grad_other(grad, self, other):
        return zeros_like(grad)


class FloorDivide(Op):
    """Return the quotient, rounded down: `self // 2`. PyTorch refuses to differentiate it."""

    kernel = "div_floor_cpu:iuf"
    node, symbol, pointwise, phrase = "NotImplemented", "//", True, NO_RULE

    def forward(self, *, other):
        return divide_down(self, other)

    def grad_self(grad):
        return refused("floor_divide")


class FloorDivideInto(Op):
    """Divide a number by x and round down: `2 // other`. Not differentiable either."""

    kernel = "div_floor_cpu:iuf"
    node, symbol, pointwise, phrase = "NotImplemented", "//", True, NO_RULE

    def forward(other, *, self):
        return divide_down(self, other)

    def grad_other(grad):
        return refused("floor_divide")


class FloorDivideTensor(Op):
    """Return the quotient of two tensors, rounded down. self, other: (...) -> (...)."""

    kernel = "div_floor_cpu:iuf"
    node, symbol, pointwise, phrase = "NotImplemented", "//", True, NO_RULE

    def forward(self, other):
        return divide_down(self, other)

    def grad_self(grad):
        return refused("floor_divide")

    def grad_other(grad):
        return refused("floor_divide")


class RemainderOf(Op):
    """Return the remainder of a number divided by x: `5 % other`. Not differentiable."""

    kernel = "remainder_cpu:iuf"
    node, symbol, pointwise, phrase = "NotImplemented", "%", True, NO_RULE

    def forward(other, *, self):
        return remainder(self, other)

    def grad_other(grad):
        return refused("remainder")


class Heaviside(Op):
    """Return 0 below 0, 1 above 0, `values` at 0. self, values: (...) -> (...)."""

    node, symbol, pointwise, phrase = "NotImplemented", "step", True, NO_RULE

    def forward(self, values):
        return heaviside(self, values)

    def grad_self(grad):
        return refused("heaviside")

    def grad_values(grad):
        return refused("heaviside")


class RoundDecimals(Step):
    """Round to a number of decimals, halves to the even one. self: (...) -> (...)."""

    node, symbol, wide = "RoundBackward1", "round", True

    def forward(self, *, decimals):
        if decimals < 0:
            return round(self / 10**-decimals) * 10**-decimals
        return round(self * 10**decimals) / 10**decimals


# Inside a loss PyTorch keeps the number of `x * 2` as it is: the node is a MulBackward1.
class AddScalar(Op):
    """Return x + a number. self: (...) -> (...)."""

    node, symbol, pointwise = "AddBackward1", "+", True

    def forward(self, *, other):
        return self + other

    def grad_self(grad):
        return grad


class SubScalar(Op):
    """Return x − a number. self: (...) -> (...)."""

    node, symbol, pointwise = "SubBackward1", "−", True

    def forward(self, *, other):
        return self - other

    def grad_self(grad):
        return grad


class MulScalar(Op):
    """Return x · a number. self: (...) -> (...)."""

    node, symbol, pointwise = "MulBackward1", "×", True

    def forward(self, *, other):
        return self * other

    def grad_self(grad, other):
        return grad * other


class DivScalar(Op):
    """Return x ÷ a number. self: (...) -> (...)."""

    node, symbol, pointwise = "DivBackward1", "÷", True

    def forward(self, *, other):
        return self / other

    def grad_self(grad, other):
        return grad / other
