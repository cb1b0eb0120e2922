"""Bounds and steps: clamping, rounding, remainders, random draws.

Read next: tensor/functions/rounding.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    ceil,
    constant,
    divide_down,
    floor,
    fmod,
    ge,
    gt,
    isfinite,
    le,
    lerp,
    lt,
    nan_to_num,
    ones_like,
    remainder,
    round,
    trunc,
    where,
    zeros_like,
)

NO_RULE = "this operation has no derivative: a backward pass through it is refused"


class Clamp(Op):
    """Clamp x to [min, max]. self: (...) -> (...). The gradient passes at a bound."""

    node, symbol, pointwise = "ClampBackward1", "clamp", True
    phrase = "the gradient passes unchanged between the bounds and on them; outside it is 0"

    def forward(self, *, min=None, max=None):
        if min is not None and max is not None and min > max:
            min = max  # in PyTorch the upper bound wins
        if min != min:  # nan
            return self * min
        if max != max:
            return self * max
        low = self if min is None else where(lt(self, min), min, self)
        return low if max is None else where(gt(self, max), max, low)

    def grad_self(grad, self, min, max):
        if min is None:
            return where(le(self, max), grad, 0)
        if max is None:
            return where(ge(self, min), grad, 0)
        return where(ge(self, min) & le(self, max), grad, 0)


class ClampMin(Op):
    """Return the larger of x and min. self: (...) -> (...). The gradient passes at the bound."""

    node, symbol, pointwise = "ClampMinBackward0", "clamp", True
    phrase = "the gradient passes unchanged above the bound and on it; below it is 0"

    def forward(self, *, min):
        return where(lt(self, min), min, self) if min == min else self * min

    def grad_self(grad, self, min):
        return where(ge(self, min), grad, 0)


class ClampMax(Op):
    """Return the smaller of x and max. self: (...) -> (...). The gradient passes at the bound."""

    node, symbol, pointwise = "ClampMaxBackward0", "clamp", True
    phrase = "the gradient passes unchanged below the bound and on it; above it is 0"

    def forward(self, *, max):
        return where(gt(self, max), max, self) if max == max else self * max

    def grad_self(grad, self, max):
        return where(le(self, max), grad, 0)


class Step(Op, abstract=True):
    """A function that is constant between its steps: the slope is 0."""

    pointwise, phrase = True, "this is a step function: its slope is 0, so the gradient is 0"

    def grad_self(grad):
        return zeros_like(grad)


class Floor(Step):
    """Round each entry down: the largest integer that is not above x. input: (...) -> (...).

    >>> torch.floor(torch.tensor([1.2, -1.2]))
    tensor([ 1., -2.])
    """

    kernel = "floor_vml_cpu:f"
    node, symbol = "FloorBackward0", "⌊x⌋"

    def forward(self):
        return floor(self)


class Ceil(Step):
    """Round each entry up: the smallest integer that is not below x. input: (...) -> (...).

    >>> torch.ceil(torch.tensor([1.2, -1.2]))
    tensor([ 2., -1.])
    """

    kernel = "ceil_vml_cpu:f"
    node, symbol = "CeilBackward0", "⌈x⌉"

    def forward(self):
        return ceil(self)


class Round(Step):
    """Round each entry to the nearest integer, halves to the even one. self: (...) -> (...)."""

    kernel = "round_vml_cpu:f"
    node, symbol = "RoundBackward0", "round"

    def forward(self):
        return round(self)


class Trunc(Step):
    """Round each entry towards 0. input: (...) -> (...).

    >>> torch.trunc(torch.tensor([1.7, -1.7]))
    tensor([ 1., -1.])
    """

    kernel = "trunc_vml_cpu:f"
    node, symbol = "TruncBackward0", "trunc"

    def forward(self):
        return trunc(self)


class Frac(Op):
    """Return the fractional part of each entry, with its sign. input: (...) -> (...), floats.

    >>> torch.frac(torch.tensor([1.5, -2.25]))
    tensor([ 0.5000, -0.2500])
    """

    function = method = in_place = out = True
    kernel = "frac_cpu:f"
    node, symbol, pointwise = "FracBackward0", "frac", True

    def forward(self):
        return self - trunc(self)

    def grad_self(grad):
        return grad


class Remainder(Op):
    """Return the remainder of x divided by a number, with the sign of that number."""

    kernel = "remainder_cpu:iuf"
    node, symbol, pointwise = "RemainderBackward0", "%", True

    def forward(self, *, other):
        return remainder(self, other)

    def grad_self(grad):
        return grad


class RemainderTensor(Op):
    """Return the remainder of x divided by `other`, with its sign. self, other: (...) -> (...)."""

    kernel = "remainder_cpu:iuf"
    node, symbol, pointwise = "RemainderBackward1", "%", True
    phrase_other = "the gradient is multiplied by −⌊a/b⌋, for the remainder of a divided by b"

    def forward(self, other):
        return remainder(self, other)

    def grad_self(grad):
        return grad

    def grad_other(grad, self, other):
        return -grad * divide_down(self, other)


class Fmod(Op):
    """Return the remainder of x divided by a number, with the sign of x."""

    kernel = "fmod_cpu:iuf"
    node, symbol, pointwise = "FmodBackward0", "fmod", True

    def forward(self, *, other):
        return fmod(self, other)

    def grad_self(grad):
        return grad


class FmodTensor(Op):
    """Return the remainder of x divided by `other`, with the sign of x.

    self, other: (...) -> (...).
    """

    kernel = "fmod_cpu:iuf"
    node, symbol, pointwise = "FmodBackward1", "fmod", True
    phrase_other = "the gradient is multiplied by −trunc(a/b), for fmod(a, b)"

    def forward(self, other):
        return fmod(self, other)

    def grad_self(grad):
        return grad

    def grad_other(grad, self, other):
        return -grad * trunc(self / other)


class Lerp(Op):
    """Interpolate from self to end by a number. self: (...), end: (...) -> (...)."""

    kernel, wide = "lerp_kernel_scalar:f", True
    node, symbol, pointwise = "LerpBackward0", "lerp", True

    def forward(self, end, *, weight):
        if -0.5 < weight < 0.5:
            return self + (end - self) * weight
        return end - (end - self) * (1 - weight)

    def grad_self(grad, weight):
        return grad * (1 - weight)

    def grad_end(grad, weight):
        return grad * weight


class LerpTensor(Op):
    """Interpolate from self to end by a tensor of weights. All: (...) -> (...)."""

    kernel, wide = "lerp_kernel_tensor:f", True
    node, symbol, pointwise = "LerpBackward1", "lerp", True

    def forward(self, end, weight):
        return lerp(self, end, weight)

    def grad_self(grad, weight):
        return grad * (1 - weight)

    def grad_end(grad, weight):
        return grad * weight

    def grad_weight(grad, self, end):
        return grad * (end - self)


class Addcmul(Op):
    """Return self + value · tensor1 · tensor2. All: (...) -> (...)."""

    node, symbol, pointwise, wide = "AddcmulBackward0", "+ ×", True, True
    phrase_tensor1 = "the gradient times the second factor, times value"
    phrase_tensor2 = "the gradient times the first factor, times value"

    def forward(self, tensor1, tensor2, *, value=1):
        return self + tensor1 * value * tensor2

    def grad_self(grad):
        return grad

    def grad_tensor1(grad, tensor2, value):
        return grad * tensor2 * value

    def grad_tensor2(grad, tensor1, value):
        return grad * tensor1 * value


class Addcdiv(Op):
    """Return self + value · tensor1 / tensor2. All: (...) -> (...)."""

    node, symbol, pointwise, types = "AddcdivBackward0", "+ ÷", True, "float"
    phrase_tensor1 = "the gradient times value, divided by the divisor"
    phrase_tensor2 = (
        "minus the gradient times value and the dividend, divided by the square of the divisor"
    )

    def forward(self, tensor1, tensor2, *, value=1):
        return self + tensor1 / tensor2 * value

    def grad_self(grad):
        return grad

    def grad_tensor1(grad, tensor2, value):
        return grad * value / tensor2

    def grad_tensor2(grad, tensor1, tensor2, value):
        return -grad * value * tensor1 / (tensor2 * tensor2)


class NanToNum(Op):
    """Replace nan and infinities by finite numbers. self: (...) -> (...)."""

    node, symbol, pointwise = "NanToNumBackward0", "nan to num", True
    phrase = "the gradient passes unchanged where the input is finite; elsewhere it is 0"

    def forward(self, *, nan=0.0, posinf=None, neginf=None):
        return nan_to_num(self, nan, posinf, neginf)

    def grad_self(grad, self):
        return where(isfinite(self), grad, 0)


class Bernoulli(Op):
    """Return 1 where the draw says so, else 0.

    self: (...) probabilities, chosen: (...) bools -> (...).
    """

    node, symbol, types = "BernoulliBackward0", "0|1", "keep"
    phrase = "a random draw has no slope, so the gradient is 0"
    hidden = ("chosen",)

    def forward(self, *, chosen):
        return where(chosen, ones_like(self), 0)

    def grad_self(grad):
        return zeros_like(grad)


class Poisson(Op):
    """Return numbers of events that were drawn. self: (...) rates, drawn: (...) -> (...)."""

    node, symbol, types = "PoissonBackward0", "n", "keep"
    phrase = "a random draw has no slope, so the gradient is 0"
    hidden = ("drawn",)

    def forward(self, *, drawn):
        return constant(drawn, self)

    def grad_self(grad):
        return zeros_like(grad)
