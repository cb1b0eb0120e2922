"""Tangents, inverse trigonometric functions, and hyperbolic functions.

Read next: tensor/functions/transcendental.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cosh,
    eq,
    gt,
    hypot,
    lt,
    sinh,
    sqrt,
    tan,
    where,
)


class Tan(Op):
    """Return the tangent of each entry; tan' = 1 + tan². input: (...), in radians -> (...), floats.

    >>> torch.tan(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5574])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "TanBackward0", "tan", True, "float"

    def forward(self):
        return tan(self)

    def grad_self(grad, result):
        return grad * (1 + result * result)


class Asin(Op):
    """Return the angle in [-π/2, π/2] whose sine is x. input: (...) -> (...), in radians.

    >>> torch.asin(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5708])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "AsinBackward0", "asin", True, "float"

    def domain(self):
        return lt(abs(self), 1)

    def forward(self):
        return asin(self)

    def grad_self(grad, self):
        return grad / sqrt(1 - self**2)


class Acos(Op):
    """Return the angle in [0, π] whose cosine is x. input: (...) -> (...), in radians.

    >>> torch.acos(torch.tensor([0.0, 1.0]))
    tensor([1.5708, 0.0000])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "AcosBackward0", "acos", True, "float"
    phrase = "the gradient is multiplied by −1/√(1 − x²)"

    def domain(self):
        return lt(abs(self), 1)

    def forward(self):
        return acos(self)

    def grad_self(grad, self):
        return -grad / sqrt(1 - self**2)


class Atan(Op):
    """Return the angle in (-π/2, π/2) whose tangent is x. input: (...) -> (...), in radians.

    >>> torch.atan(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7854])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "AtanBackward0", "atan", True, "float"

    def forward(self):
        return atan(self)

    def grad_self(grad, self):
        return grad / (self * self + 1)


class Atan2(Op):
    """Return the angle in (-π, π] of the point (other, input). input: (...), other: (...) -> (...).

    >>> torch.atan2(torch.tensor([1.0]), torch.tensor([-1.0]))
    tensor([2.3562])
    """

    function = method = in_place = out = True
    tensors_only = True
    node, symbol, pointwise, types = "Atan2Backward0", "atan2", True, "float"
    phrase_self = "the gradient is multiplied by x/(x² + y²), for atan2(y, x)"
    phrase_other = "the gradient is multiplied by −y/(x² + y²), for atan2(y, x)"

    def forward(self, other):
        return atan2(self, other)

    def grad_self(grad, self, other):
        square = self * self + other * other
        return where(eq(square, 0), 0, grad * other / square)

    def grad_other(grad, self, other):
        square = self * self + other * other
        return where(eq(square, 0), 0, -grad * self / square)


class Sinh(Op):
    """Return the hyperbolic sine of each entry. input: (...) -> (...), floats.

    >>> torch.sinh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.1752])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "SinhBackward0", "sinh", True, "float"
    phrase = "the gradient is multiplied by cosh x"

    def forward(self):
        return sinh(self)

    def grad_self(grad, self):
        return grad * cosh(self)


class Cosh(Op):
    """Return the hyperbolic cosine of each entry. input: (...) -> (...), floats.

    >>> torch.cosh(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 1.5431])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "CoshBackward0", "cosh", True, "float"
    phrase = "the gradient is multiplied by sinh x"

    def forward(self):
        return cosh(self)

    def grad_self(grad, self):
        return grad * sinh(self)


class Asinh(Op):
    """Return the inverse hyperbolic sine of each entry. input: (...) -> (...), floats.

    >>> torch.asinh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "AsinhBackward0", "asinh", True, "float"
    in_place_node = "AsinhBackward1"

    def forward(self):
        return asinh(self)

    def grad_self(grad, self):
        return grad / sqrt(self * self + 1)


class Acosh(Op):
    """Return the inverse hyperbolic cosine of each entry. input: (...), x ≥ 1 -> (...), floats.

    >>> torch.acosh(torch.tensor([1.0, 2.0]))
    tensor([0.0000, 1.3170])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "AcoshBackward0", "acosh", True, "float"
    in_place_node = "AcoshBackward1"

    def domain(self):
        return gt(self, 1)

    def forward(self):
        return acosh(self)

    def grad_self(grad, self):
        return grad / sqrt(self**2 - 1)


class Atanh(Op):
    """Return the inverse hyperbolic tangent of each entry. input: (...), |x| < 1 -> (...), floats.

    >>> torch.atanh(torch.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5493])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "AtanhBackward0", "atanh", True, "float"
    in_place_node = "AtanhBackward1"

    def domain(self):
        return lt(abs(self), 1)

    def forward(self):
        return atanh(self)

    def grad_self(grad, self):
        return grad / (1 - self**2)


class Hypot(Op):
    """Return √(input² + other²) without overflow. input: (...), other: (...) -> (...).

    >>> torch.hypot(torch.tensor([3.0]), torch.tensor([4.0]))
    tensor([5.])
    """

    function = method = in_place = out = True
    tensors_only = True
    kernel = "hypot_cpu:f"
    node, symbol, pointwise, types = "HypotBackward0", "hypot", True, "float"

    def forward(self, other):
        return hypot(self, other)

    def grad_self(grad, self, result):
        return grad * (self / result)

    def grad_other(grad, other, result):
        return grad * (other / result)
