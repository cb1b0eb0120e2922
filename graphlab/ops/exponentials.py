"""Exponentials, logarithms, powers and roots, entry by entry, and the error function.

Read next: tensor/functions/transcendental.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    eq,
    exp,
    exp2,
    expm1,
    ge,
    gt,
    le,
    ln_2,
    ln_10,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    ones_like,
    power,
    root_pi,
    sigmoid,
    sqrt,
    where,
    xlogy,
    zeros_like,
)
from graphlab.primitives.numpy_reading.special_functions import erf, erfc


class Exp2(Op):
    """Return 2ˣ for each entry; its slope is 2ˣ log 2. input: (...) -> (...), floats.

    >>> torch.exp2(torch.tensor([0.0, 3.0]))
    tensor([1., 8.])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "Exp2Backward0", "2ˣ", True, "float"
    phrase = "the gradient is multiplied by 2ˣ log 2"

    def forward(self):
        return exp2(self)

    def grad_self(grad, result):
        return grad * result * ln_2


class Expm1(Op):
    """Return eˣ - 1 for each entry, exact near 0. input: (...) -> (...), floats.

    >>> torch.expm1(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 1.7183])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "Expm1Backward0", "expm1", True, "float"

    def forward(self):
        return expm1(self)

    def grad_self(grad, result):
        return grad * (result + 1)


class Log1p(Op):
    """Return log(1 + x) for each entry, exact near 0. input: (...) -> (...), floats.

    >>> torch.log1p(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.6931])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "Log1PBackward0", "log1p", True, "float"

    def domain(self):
        return gt(self, -1)

    def forward(self):
        return log1p(self)

    def grad_self(grad, self):
        return grad / (self + 1)


class Log2(Op):
    """Return the logarithm to base 2 of each entry. input: (...) -> (...), floats.

    >>> torch.log2(torch.tensor([1.0, 8.0]))
    tensor([0., 3.])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "Log2Backward0", "log₂", True, "float"
    phrase = "the gradient is divided by x log 2"

    def domain(self):
        return gt(self, 0)

    def forward(self):
        return log2(self)

    def grad_self(grad, self):
        return grad / (self * ln_2)


class Log10(Op):
    """Return the logarithm to base 10 of each entry. input: (...) -> (...), floats.

    >>> torch.log10(torch.tensor([1.0, 20.0]))
    tensor([0.0000, 1.3010])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "Log10Backward0", "log₁₀", True, "float"
    phrase = "the gradient is divided by x log 10"

    def domain(self):
        return gt(self, 0)

    def forward(self):
        return log10(self)

    def grad_self(grad, self):
        return grad / (self * ln_10)


class Erf(Op):
    """Return the error function, 2/√π times the integral of exp(-t²) from 0 to x.

    input: (...) -> (...), floats.

    >>> torch.erf(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "ErfBackward0", "erf", True, "float"
    phrase = "the gradient is multiplied by 2/√π · exp(−x²)"

    def forward(self):
        return erf(self)

    def grad_self(grad, self):
        return grad * (2 * exp(-self * self) / root_pi)


class Erfc(Op):
    """Return 1 - erf(x) for each entry, exact where it is small. input: (...) -> (...), floats.

    >>> torch.erfc(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 0.1573])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "ErfcBackward0", "erfc", True, "float"
    phrase = "the gradient is multiplied by −2/√π · exp(−x²)"

    def forward(self):
        return erfc(self)

    def grad_self(grad, self):
        return grad * (-2 * exp(-self * self) / root_pi)


class Logaddexp(Op):
    """Return log(exp(input) + exp(other)) without overflow. input: (...), other: (...) -> (...).

    Each input gets its share of the sum as its slope.

    >>> torch.logaddexp(torch.tensor([0.0]), torch.tensor([0.0]))
    tensor([0.6931])
    """

    function = method = out = True
    tensors_only = True
    kernel = "logaddexp_cpu:f"
    node, symbol, pointwise, types = "LogaddexpBackward0", "logaddexp", True, "float"

    def forward(self, other):
        return logaddexp(self, other)

    def grad_self(grad, self, other):
        return grad * sigmoid(self - other)

    def grad_other(grad, self, other):
        return grad * sigmoid(other - self)


class Xlogy(Op):
    """Return self · log(other), and 0 where self is 0. self: (...), other: (...) -> (...)."""

    node, symbol, pointwise, types = "XlogyBackward0", "x log y", True, "float"
    phrase_self = "the gradient is multiplied by log y, for xlogy(x, y)"
    phrase_other = "the gradient is multiplied by x/y, for xlogy(x, y)"

    def domain(other):
        return gt(other, 0)

    def forward(self, other):
        return xlogy(self, other)

    def grad_self(grad, self, other):
        return where(eq(self, 0) & le(other, 0), 0, xlogy(grad, other))

    def grad_other(grad, self, other):
        return grad * self / other


class XlogyOther(Op):
    """Return self · log of a number, and 0 where self is 0. self: (...) -> (...)."""

    node, symbol, pointwise, types = "XlogyBackward2", "x log y", True, "float"
    phrase = "the gradient is multiplied by log y, for xlogy(x, y)"

    def forward(self, *, other):
        return xlogy(self, zeros_like(self) + other)

    def grad_self(grad, self, other):
        y = zeros_like(self) + other
        return where(eq(self, 0) & le(y, 0), 0, xlogy(grad, y))


class XlogySelf(Op):
    """Return a number times log(other), and 0 if the number is 0. other: (...) -> (...)."""

    node, symbol, pointwise, types = "XlogyBackward1", "x log y", True, "float"
    phrase = "the gradient is multiplied by x/y, for xlogy(x, y)"

    def forward(other, *, self):
        return xlogy(zeros_like(other) + self, other)

    def grad_other(grad, other, self):
        return grad * self / other


class Reciprocal(Op):
    """Return 1 / x for each entry. input: (...) -> (...), floats.

    >>> torch.reciprocal(torch.tensor([2.0, 4.0]))
    tensor([0.5000, 0.2500])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "ReciprocalBackward0", "1/x", True, "float"

    def domain(self):
        return gt(abs(self), 0)

    def forward(self):
        return 1 / self

    def grad_self(grad, result):
        return -grad * (result * result)


class Sqrt(Op):
    """Return the square root of each entry. input: (...) -> (...). The slope at 0 is infinite.

    >>> torch.sqrt(torch.tensor([4.0, 9.0]))
    tensor([2., 3.])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "SqrtBackward0", "√", True, "float"

    def domain(self):
        return gt(self, 0)

    def forward(self):
        return sqrt(self)

    def grad_self(grad, result):
        return grad / (2 * result)


class Rsqrt(Op):
    """Return 1 / √x for each entry. input: (...) -> (...), floats.

    >>> torch.rsqrt(torch.tensor([4.0, 1.0]))
    tensor([0.5000, 1.0000])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "RsqrtBackward0", "1/√", True, "float"
    phrase = "the gradient is multiplied by −½ y³, with the result y"

    def domain(self):
        return gt(self, 0)

    def forward(self):
        return 1 / sqrt(self)

    def grad_self(grad, result):
        return grad * result**3 / -2


class Pow(Op):
    """Raise a tensor to the power of a number: `self ** 2`. self: (...) -> (...)."""

    node, symbol, pointwise = "PowBackward0", "xⁿ", True
    phrase = "the gradient is multiplied by n xⁿ⁻¹, with the exponent n"

    def domain(self, exponent):
        return gt(self, 0) if exponent % 1 else gt(abs(self), 0) if exponent < 0 else True

    def forward(self, *, exponent):
        return self * self * self if exponent == 3 else self**exponent  # 50 times as fast

    def grad_self(grad, self, exponent):
        return zeros_like(grad) if exponent == 0 else grad * (exponent * self ** (exponent - 1))


class PowTensor(Op):
    """Raise a tensor to the power of a tensor. self: (...), exponent: (...) -> (...)."""

    kernel = "pow:iuf"
    node, symbol, pointwise = "PowBackward1", "xʸ", True
    phrase_self = "the gradient is multiplied by y xʸ⁻¹, with the exponent y"
    phrase_exponent = "the gradient is multiplied by xʸ log x, with the exponent y"
    also_saved = ("result",)

    def forward(self, exponent):
        return power(self, exponent)

    def grad_self(grad, self, exponent):
        return where(eq(exponent, 0), 0, grad * (exponent * self ** (exponent - 1)))

    # d/dy xʸ = xʸ log x; at x = 0 with y >= 0 the power is constant, so the slope there is 0
    def grad_exponent(grad, self, exponent, result):
        still = eq(self, 0) & ge(exponent, 0)
        return grad * where(still, 0, result * log(where(still, ones_like(result), self)))


class PowBase(Op):
    """Raise a number to the power of a tensor: `2 ** exponent`. exponent: (...) -> (...)."""

    node, symbol, pointwise, types = "PowBackward2", "aˣ", True, "keep"
    phrase = "the gradient is multiplied by aˣ log a, with the base a"

    def forward(exponent, *, self):
        return power(self, exponent)

    def grad_exponent(grad, exponent, result, self):
        if self == 0:
            return where(ge(exponent, 0), 0, grad * (result * log(zeros_like(exponent))))
        return grad * (result * log(zeros_like(exponent) + self))
