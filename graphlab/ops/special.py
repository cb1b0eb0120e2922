"""The functions of a pocket calculator and a few beyond it, each with its textbook derivative.

Read next: tensor/functions/special.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cosh,
    eq,
    exp,
    exp2,
    expm1,
    hypot,
    le,
    ln_2,
    ln_10,
    log2,
    log10,
    logaddexp,
    root_pi,
    sigmoid,
    sinh,
    sqrt,
    tan,
    where,
    xlogy,
    zeros_like,
)
from graphlab.primitives.numpy_reading.special_functions import erf, erfc


class Exp2(Op):
    """2ˣ; its slope is itself times log 2. self: (...) -> (...)."""

    node, symbol, pointwise, types = "Exp2Backward0", "2ˣ", True, "float"

    def forward(self):
        return exp2(self)

    def grad_self(grad, result):
        return grad * result * ln_2


class Expm1(Op):
    """eˣ - 1, exact near 0. self: (...) -> (...)."""

    node, symbol, pointwise, types = "Expm1Backward0", "expm1", True, "float"

    def forward(self):
        return expm1(self)

    def grad_self(grad, result):
        return grad * (result + 1)


class Log2(Op):
    """The logarithm to base 2. self: (...) -> (...)."""

    node, symbol, pointwise, types = "Log2Backward0", "log₂", True, "float"

    def forward(self):
        return log2(self)

    def grad_self(grad, self):
        return grad / (self * ln_2)


class Log10(Op):
    """The logarithm to base 10. self: (...) -> (...)."""

    node, symbol, pointwise, types = "Log10Backward0", "log₁₀", True, "float"

    def forward(self):
        return log10(self)

    def grad_self(grad, self):
        return grad / (self * ln_10)


class Tan(Op):
    """The tangent; tan' = 1 + tan². self: (...) -> (...)."""

    node, symbol, pointwise, types = "TanBackward0", "tan", True, "float"

    def forward(self):
        return tan(self)

    def grad_self(grad, result):
        return grad * (1 + result * result)


class Asin(Op):
    """The angle whose sine is x, in [-π/2, π/2]. self: (...) -> (...)."""

    node, symbol, pointwise, types = "AsinBackward0", "asin", True, "float"

    def forward(self):
        return asin(self)

    def grad_self(grad, self):
        return grad / sqrt(1 - self**2)


class Acos(Op):
    """The angle whose cosine is x, in [0, π]. self: (...) -> (...)."""

    node, symbol, pointwise, types = "AcosBackward0", "acos", True, "float"

    def forward(self):
        return acos(self)

    def grad_self(grad, self):
        return -grad / sqrt(1 - self**2)


class Atan(Op):
    """The angle whose tangent is x, in (-π/2, π/2). self: (...) -> (...)."""

    node, symbol, pointwise, types = "AtanBackward0", "atan", True, "float"

    def forward(self):
        return atan(self)

    def grad_self(grad, self):
        return grad / (self * self + 1)


class Sinh(Op):
    """The hyperbolic sine. self: (...) -> (...)."""

    node, symbol, pointwise, types = "SinhBackward0", "sinh", True, "float"

    def forward(self):
        return sinh(self)

    def grad_self(grad, self):
        return grad * cosh(self)


class Cosh(Op):
    """The hyperbolic cosine. self: (...) -> (...)."""

    node, symbol, pointwise, types = "CoshBackward0", "cosh", True, "float"

    def forward(self):
        return cosh(self)

    def grad_self(grad, self):
        return grad * sinh(self)


class Asinh(Op):
    """The inverse of sinh. self: (...) -> (...)."""

    node, symbol, pointwise, types = "AsinhBackward0", "asinh", True, "float"

    def forward(self):
        return asinh(self)

    def grad_self(grad, self):
        return grad / sqrt(self * self + 1)


class Acosh(Op):
    """The inverse of cosh, for x ≥ 1. self: (...) -> (...)."""

    node, symbol, pointwise, types = "AcoshBackward0", "acosh", True, "float"

    def forward(self):
        return acosh(self)

    def grad_self(grad, self):
        return grad / sqrt(self**2 - 1)


class Atanh(Op):
    """The inverse of tanh, for -1 < x < 1. self: (...) -> (...)."""

    node, symbol, pointwise, types = "AtanhBackward0", "atanh", True, "float"

    def forward(self):
        return atanh(self)

    def grad_self(grad, self):
        return grad / (1 - self**2)


class Erf(Op):
    """2/√π times the integral of exp(-t²) from 0 to x. self: (...) -> (...)."""

    node, symbol, pointwise, types = "ErfBackward0", "erf", True, "float"

    def forward(self):
        return erf(self)

    def grad_self(grad, self):
        return grad * (2 * exp(-self * self) / root_pi)


class Erfc(Op):
    """1 - erf(x), exact where that is small. self: (...) -> (...)."""

    node, symbol, pointwise, types = "ErfcBackward0", "erfc", True, "float"

    def forward(self):
        return erfc(self)

    def grad_self(grad, self):
        return grad * (-2 * exp(-self * self) / root_pi)


class Atan2(Op):
    """The angle of the point (other, self), in (-π, π]. self: (...), other: (...) -> (...)."""

    node, symbol, pointwise, types = "Atan2Backward0", "atan2", True, "float"

    def forward(self, other):
        return atan2(self, other)

    def grad_self(grad, self, other):
        square = self * self + other * other
        return where(eq(square, 0), 0, grad * other / square)

    def grad_other(grad, self, other):
        square = self * self + other * other
        return where(eq(square, 0), 0, -grad * self / square)


class Hypot(Op):
    """√(self² + other²), without overflow. self: (...), other: (...) -> (...)."""

    kernel = "hypot_cpu:f"
    node, symbol, pointwise, types = "HypotBackward0", "hypot", True, "float"

    def forward(self, other):
        return hypot(self, other)

    def grad_self(grad, self, result):
        return grad * (self / result)

    def grad_other(grad, other, result):
        return grad * (other / result)


class Logaddexp(Op):
    """log(exp(self) + exp(other)), without overflow. Each gets its share of the sum."""

    kernel = "logaddexp_cpu:f"
    node, symbol, pointwise, types = "LogaddexpBackward0", "logaddexp", True, "float"

    def forward(self, other):
        return logaddexp(self, other)

    def grad_self(grad, self, other):
        return grad * sigmoid(self - other)

    def grad_other(grad, self, other):
        return grad * sigmoid(other - self)


class Xlogy(Op):
    """self · log(other), and 0 where self is 0. self: (...), other: (...) -> (...)."""

    node, symbol, pointwise, types = "XlogyBackward0", "x log y", True, "float"
    phrase = "for x the logarithm of y, for y x/y"

    def forward(self, other):
        return xlogy(self, other)

    def grad_self(grad, self, other):
        return where(eq(self, 0) & le(other, 0), 0, xlogy(grad, other))

    def grad_other(grad, self, other):
        return grad * self / other


class XlogyOther(Op):
    """self · log of a number, and 0 where self is 0. self: (...) -> (...)."""

    node, symbol, pointwise, types = "XlogyBackward2", "x log y", True, "float"

    def forward(self, *, other):
        return xlogy(self, zeros_like(self) + other)

    def grad_self(grad, self, other):
        y = zeros_like(self) + other
        return where(eq(self, 0) & le(y, 0), 0, xlogy(grad, y))


class XlogySelf(Op):
    """A number times log(other), and 0 where the number is. other: (...) -> (...)."""

    node, symbol, pointwise, types = "XlogyBackward1", "x log y", True, "float"

    def forward(other, *, self):
        return xlogy(zeros_like(other) + self, other)

    def grad_other(grad, other, self):
        return grad * self / other
