"""Bounds that are tensors, and maxima and minima that ignore nan.

Read next: tensor/functions/choosing.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    constant,
    copysign,
    eq,
    fmax,
    fmin,
    ge,
    gt,
    isnan,
    le,
    lt,
    maximum,
    minimum,
    pi,
    sign,
    where,
    zeros_like,
)


class ClampTensor(Op):
    """Clamp x between tensors; None means no bound. All: (...) -> (...)."""

    node, symbol, pointwise = "ClampBackward0", "clamp", True
    phrase_self = (
        "the gradient passes unchanged where the input lies within the bounds; elsewhere it is 0"
    )
    phrase_min = "this bound gets the gradient where it replaced the input; elsewhere it gets 0"
    phrase_max = "this bound gets the gradient where it replaced the input; elsewhere it gets 0"

    def forward(self, min, max):
        low = self if min is None else maximum(self, min)
        return low if max is None else minimum(low, max)

    def grad_self(grad, self, min, max):
        above = grad if min is None else where(ge(self, min), grad, 0)
        return above if max is None else where(le(self, max), above, 0)

    def grad_min(grad, self, min, max):
        below = where(lt(self, min), grad, 0)
        return below if max is None else where(lt(min, max), below, 0)

    def grad_max(grad, self, min, max):
        above = where(gt(self, max), grad, 0)
        return above if min is None else where(lt(max, min), grad, above)


class ClampMinTensor(Op):
    """Return the larger of x and a tensor of bounds. self, min: (...) -> (...)."""

    node, symbol, pointwise = "ClampMinBackward1", "clamp", True
    phrase_self = (
        "the gradient passes unchanged where the input is not below the bound; elsewhere it is 0"
    )
    phrase_min = "the bound gets the gradient where it replaced the input; elsewhere it gets 0"

    def forward(self, min):
        return maximum(self, min)

    def grad_self(grad, self, min):
        return where(ge(self, min), grad, 0)

    def grad_min(grad, self, min):
        return where(lt(self, min), grad, 0)


class ClampMaxTensor(Op):
    """Return the smaller of x and a tensor of bounds. self, max: (...) -> (...)."""

    node, symbol, pointwise = "ClampMaxBackward1", "clamp", True
    phrase_self = (
        "the gradient passes unchanged where the input is not above the bound; elsewhere it is 0"
    )
    phrase_max = "the bound gets the gradient where it replaced the input; elsewhere it gets 0"

    def forward(self, max):
        return minimum(self, max)

    def grad_self(grad, self, max):
        return where(le(self, max), grad, 0)

    def grad_max(grad, self, max):
        return where(gt(self, max), grad, 0)


class Fmax(Op):
    """Return the larger of two; of a number and nan, the number. A tie goes to `self`."""

    node, symbol, pointwise = "FmaxBackward0", "max", True
    phrase_self = (
        "this input gets the gradient where it is the larger one, or equal; elsewhere it gets 0"
    )
    phrase_other = "this input gets the gradient where it is the larger one; elsewhere it gets 0"

    def forward(self, other):
        return fmax(self, other)

    def grad_self(grad, self, other):
        return where(isnan(other), grad, where(ge(self, other), grad, 0))

    def grad_other(grad, self, other):
        return where(isnan(other), 0, where(ge(self, other), 0, grad))


class Fmin(Op):
    """Return the smaller of two; of a number and nan, the number. A tie goes to `self`."""

    node, symbol, pointwise = "FminBackward0", "min", True
    phrase_self = (
        "this input gets the gradient where it is the smaller one, or equal; elsewhere it gets 0"
    )
    phrase_other = "this input gets the gradient where it is the smaller one; elsewhere it gets 0"

    def forward(self, other):
        return fmin(self, other)

    def grad_self(grad, self, other):
        return where(isnan(other), grad, where(le(self, other), grad, 0))

    def grad_other(grad, self, other):
        return where(isnan(other), 0, where(le(self, other), 0, grad))


class Copysign(Op):
    """Return |self| with the sign of `other`. self, other: (...) -> (...)."""

    node, symbol, pointwise, types = "CopysignBackward0", "copysign", True, "float"
    phrase_other = "only the sign of this input counts, and a sign has slope 0: the gradient is 0"

    def forward(self, other):
        return copysign(self, other)

    def grad_self(grad, self, result):
        return grad * where(eq(self, 0), 0, result / where(eq(self, 0), 1, self))

    def grad_other(grad):
        return zeros_like(grad)


class CopysignNumber(Op):
    """Return |self| with the sign of a number. self: (...) -> (...)."""

    node, symbol, pointwise, types = "CopysignBackward1", "copysign", True, "float"

    def forward(self, *, other):
        return copysign(self, other)

    def grad_self(grad, self, result):
        return grad * where(eq(self, 0), 0, result / where(eq(self, 0), 1, self))


class Sgn(Op):
    """Return -1, 0 or 1, as `sign` does for real numbers. self: (...) -> (...)."""

    node, symbol, pointwise = "SgnBackward0", "sign", True
    phrase = "this is a step function: its slope is 0, so the gradient is 0"

    def forward(self):
        return sign(self)

    def grad_self(grad, self, result):  # named because PyTorch saves them
        return zeros_like(grad)


class Angle(Op):
    """Return 0 for positive numbers and π for negative ones. input: (...) -> (...).

    >>> torch.angle(torch.tensor([1.0, -1.0]))
    tensor([0.0000, 3.1416])
    """

    function = method = out = True
    node, symbol, pointwise, types = "AngleBackward0", "∠", True, "float"
    phrase = "this is a step function: its slope is 0, so the gradient is 0"

    def forward(self):
        return where(isnan(self), self, where(lt(self, 0), zeros_like(self) + pi, 0))

    def grad_self(grad, self):  # named because PyTorch saves it
        return zeros_like(grad)


class Nextafter(Op):
    """Return the next number from x towards `other`, a `step` away. All: (...) -> (...).

    The step is the spacing of numbers, which is constant nearly everywhere: the slope is 1. Where
    both are equal, there is no step: the result is `other`, which has the slope 0, as in PyTorch.
    """

    node, symbol, pointwise, hidden = "NextafterBackward0", "next", True, ("step",)
    phrase_self = "the gradient passes unchanged, but where both inputs are equal it is 0"
    phrase_other = "this input gives only the direction, so it gets 0"

    def forward(self, other, *, step):
        return self + constant(step, self)

    def grad_self(grad, self, other):
        return where(eq(self, other), 0, grad)

    def grad_other(grad, self, other):
        return zeros_like(grad)
