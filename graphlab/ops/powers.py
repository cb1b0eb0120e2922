"""Powers and roots, entry by entry.

Read next: ops/elementwise.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    eq,
    ge,
    gt,
    log,
    ones_like,
    power,
    sqrt,
    where,
    zeros_like,
)


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
