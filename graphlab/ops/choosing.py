"""Bounds that are tensors, and maxima and minima that ignore nan.

Read next: tensor/functions/choosing.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
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
    sign,
    where,
    zeros_like,
)

WITHIN = "the gradient passes where the input is within the bounds; a bound that holds it gets it"


class ClampTensor(Op):
    """Clamp x between tensors; None means no bound. All: (...) -> (...)."""

    node, symbol, pointwise, phrase = "ClampBackward0", "clamp", True, WITHIN

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

    node, symbol, pointwise, phrase = "ClampMinBackward1", "clamp", True, WITHIN

    def forward(self, min):
        return maximum(self, min)

    def grad_self(grad, self, min):
        return where(ge(self, min), grad, 0)

    def grad_min(grad, self, min):
        return where(lt(self, min), grad, 0)


class ClampMaxTensor(Op):
    """Return the smaller of x and a tensor of bounds. self, max: (...) -> (...)."""

    node, symbol, pointwise, phrase = "ClampMaxBackward1", "clamp", True, WITHIN

    def forward(self, max):
        return minimum(self, max)

    def grad_self(grad, self, max):
        return where(le(self, max), grad, 0)

    def grad_max(grad, self, max):
        return where(gt(self, max), grad, 0)


class Fmax(Op):
    """Return the larger of two; of a number and nan, the number. A tie goes to `self`."""

    node, symbol, pointwise = "FmaxBackward0", "max", True
    phrase = "the gradient goes to the larger of the two, to the first where they are equal"

    def forward(self, other):
        return fmax(self, other)

    def grad_self(grad, self, other):
        return where(isnan(other), grad, where(ge(self, other), grad, 0))

    def grad_other(grad, self, other):
        return where(isnan(other), 0, where(ge(self, other), 0, grad))


class Fmin(Op):
    """Return the smaller of two; of a number and nan, the number. A tie goes to `self`."""

    node, symbol, pointwise = "FminBackward0", "min", True
    phrase = "the gradient goes to the smaller of the two, to the first where they are equal"

    def forward(self, other):
        return fmin(self, other)

    def grad_self(grad, self, other):
        return where(isnan(other), grad, where(le(self, other), grad, 0))

    def grad_other(grad, self, other):
        return where(isnan(other), 0, where(le(self, other), 0, grad))


class Copysign(Op):
    """Return |self| with the sign of `other`. self, other: (...) -> (...)."""

    node, symbol, pointwise, types = "CopysignBackward0", "copysign", True, "float"
    phrase = "the gradient, turned round where the sign was; for the other flat steps"

    def forward(self, other):
        return copysign(self, other)

    def grad_self(grad, self, result):
        return grad * where(eq(self, 0), 0, result / where(eq(self, 0), 1, self))

    def grad_other(grad):
        return zeros_like(grad)


class CopysignNumber(Op):
    """Return |self| with the sign of a number. self: (...) -> (...)."""

    node, symbol, pointwise, types = "CopysignBackward1", "copysign", True, "float"
    phrase = "the gradient, turned round where the sign was"

    def forward(self, *, other):
        return copysign(self, other)

    def grad_self(grad, self, result):
        return grad * where(eq(self, 0), 0, result / where(eq(self, 0), 1, self))


class Sgn(Op):
    """Return -1, 0 or 1, as `sign` does for real numbers. self: (...) -> (...)."""

    node, symbol, pointwise = "SgnBackward0", "sign", True
    phrase = "flat steps: no gradient comes through"

    def forward(self):
        return sign(self)

    def grad_self(grad, self, result):  # named because PyTorch saves them
        return zeros_like(grad)
