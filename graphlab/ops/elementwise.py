"""Operations entry by entry. Each is its formula and the derivative that school taught.

Undoing a broadcast is the engine's business: the rules here speak of entries alone.

Read next: tensor/tensor.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    copy,
    cos,
    eq,
    exp,
    ge,
    gt,
    log,
    log1p,
    lt,
    maximum,
    minimum,
    power,
    sigmoid,
    sign,
    sin,
    sqrt,
    tanh,
    where,
    zeros_like,
)

INVERT = "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
NO_SUBTRACTION = f"Subtraction, the `-` operator, with a bool tensor is not supported. {INVERT}"
NO_SUBTRACTION_OF_TWO = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
    "`logical_xor()` operator instead."
)
NO_NEGATION = f"Negation, the `-` operator, on a bool tensor is not supported. {INVERT}"


class Add(Op):
    """Sum. self: (...), other: (...) -> (...). Both get the gradient as it is."""

    node, symbol, pointwise = "AddBackward0", "+", True
    also_saved = ("alpha",)

    def forward(self, other, *, alpha=1):
        return self + other if alpha == 1 else self + other * alpha

    def grad_self(grad):
        return grad

    def grad_other(grad, alpha):
        return grad if alpha == 1 else grad * alpha


class Sub(Op):
    """Difference. self: (...), other: (...) -> (...)."""

    node, symbol, pointwise, no_bool = "SubBackward0", "−", True, NO_SUBTRACTION
    no_bools = NO_SUBTRACTION_OF_TWO
    also_saved = ("alpha",)

    def forward(self, other, *, alpha=1):
        return self - other if alpha == 1 else self - other * alpha

    def grad_self(grad):
        return grad

    def grad_other(grad, alpha):
        return -grad if alpha == 1 else -grad * alpha


class Rsub(Op):
    """A number less a tensor: `1 - self`. self: (...) -> (...)."""

    node, symbol, pointwise, no_bool = "RsubBackward1", "−", True, NO_SUBTRACTION

    def forward(self, *, other, alpha=1):
        return other - self if alpha == 1 else other - self * alpha

    def grad_self(grad, alpha):
        return -grad if alpha == 1 else -grad * alpha


class Mul(Op):
    """Product. self: (...), other: (...) -> (...). Each input's slope is the other input."""

    node, symbol, pointwise = "MulBackward0", "×", True

    def forward(self, other):
        return self * other

    def grad_self(grad, other):
        return grad * other

    def grad_other(grad, self):
        return grad * self


class Div(Op):
    """Quotient. self: (...), other: (...) -> (...)."""

    node, symbol, pointwise, types = "DivBackward0", "÷", True, "float"

    def forward(self, other):
        return self / other

    def grad_self(grad, other):
        return grad / other

    def grad_other(grad, self, other):
        return -grad * ((self / other) / other)


class Neg(Op):
    """The negative. self: (...) -> (...)."""

    node, symbol, pointwise, no_bool = "NegBackward0", "−", True, NO_NEGATION

    def forward(self):
        return -self

    def grad_self(grad):
        return -grad


class Reciprocal(Op):
    """1 / self. self: (...) -> (...)."""

    node, symbol, pointwise, types = "ReciprocalBackward0", "1/x", True, "float"

    def forward(self):
        return 1 / self

    def grad_self(grad, result):
        return -grad * (result * result)


class Pow(Op):
    """A power with a number as exponent: `self ** 2`. self: (...) -> (...)."""

    node, symbol, pointwise = "PowBackward0", "xⁿ", True

    def forward(self, *, exponent):
        return self**exponent

    def grad_self(grad, self, exponent):
        return zeros_like(grad) if exponent == 0 else grad * (exponent * self ** (exponent - 1))


class PowTensor(Op):
    """A power of tensors. self: (...), exponent: (...) -> (...)."""

    kernel = "pow:iuf"
    node, symbol, pointwise = "PowBackward1", "xʸ", True
    phrase = "for the base y xʸ⁻¹, for the exponent xʸ log x"
    also_saved = ("result",)

    def forward(self, exponent):
        return power(self, exponent)

    def grad_self(grad, self, exponent):
        return where(eq(exponent, 0), 0, grad * (exponent * self ** (exponent - 1)))

    # d/dy xʸ = xʸ log x; at x = 0 with y >= 0 the power does not move, so the slope there is 0
    def grad_exponent(grad, self, exponent, result):
        still = eq(self, 0) & ge(exponent, 0)
        return grad * where(still, 0, result * log(where(still, 1, self)))


class PowBase(Op):
    """A number to the power of a tensor: `2 ** exponent`. exponent: (...) -> (...)."""

    node, symbol, pointwise, types = "PowBackward2", "aˣ", True, "keep"
    phrase = "times aˣ log a"

    def forward(exponent, *, self):
        return power(self, exponent)

    def grad_exponent(grad, exponent, result, self):
        if self == 0:
            return where(ge(exponent, 0), 0, grad * (result * log(zeros_like(exponent))))
        return grad * (result * log(zeros_like(exponent) + self))


class Exp(Op):
    """eˣ, which is its own derivative: the result is saved, not the input."""

    node, symbol, pointwise, types = "ExpBackward0", "exp", True, "float"

    def forward(self):
        return exp(self)

    def grad_self(grad, result):
        return grad * result


class Log(Op):
    """The natural logarithm. self: (...) -> (...)."""

    node, symbol, pointwise, types = "LogBackward0", "log", True, "float"

    def forward(self):
        return log(self)

    def grad_self(grad, self):
        return grad / self


class Log1p(Op):
    """log(1 + self), exact near 0. self: (...) -> (...)."""

    node, symbol, pointwise, types = "Log1PBackward0", "log1p", True, "float"

    def forward(self):
        return log1p(self)

    def grad_self(grad, self):
        return grad / (self + 1)


class Sqrt(Op):
    """The square root. self: (...) -> (...). Its slope at 0 is infinite."""

    node, symbol, pointwise, types = "SqrtBackward0", "√", True, "float"

    def forward(self):
        return sqrt(self)

    def grad_self(grad, result):
        return grad / (2 * result)


class Rsqrt(Op):
    """1 / √self. self: (...) -> (...)."""

    node, symbol, pointwise, types = "RsqrtBackward0", "1/√", True, "float"
    phrase = "times −½ of the result cubed"

    def forward(self):
        return 1 / sqrt(self)

    def grad_self(grad, result):
        return grad * result**3 / -2


class Sin(Op):
    """The sine. self: (...), in radians -> (...)."""

    node, symbol, pointwise, types = "SinBackward0", "sin", True, "float"

    def forward(self):
        return sin(self)

    def grad_self(grad, self):
        return grad * cos(self)


class Cos(Op):
    """The cosine. self: (...), in radians -> (...)."""

    node, symbol, pointwise, types = "CosBackward0", "cos", True, "float"

    def forward(self):
        return cos(self)

    def grad_self(grad, self):
        return grad * -sin(self)


class Tanh(Op):
    """The hyperbolic tangent; tanh' = 1 - tanh². self: (...) -> (...)."""

    node, symbol, pointwise, types = "TanhBackward0", "tanh", True, "float"

    def forward(self):
        return tanh(self)

    def grad_self(grad, result):
        return grad * (1 - result * result)


class Sigmoid(Op):
    """σ(x) = 1 / (1 + e⁻ˣ); σ' = σ (1 - σ). self: (...) -> (...)."""

    node, symbol, pointwise, types = "SigmoidBackward0", "σ", True, "float"

    def forward(self):
        return sigmoid(self)

    def grad_self(grad, result):
        return grad * ((1 - result) * result)


class Relu(Op):
    """max(0, x). self: (...) -> (...). At the kink PyTorch takes the slope 0."""

    node, symbol, pointwise = "ReluBackward0", "relu", True
    phrase = "the gradient passes where the result is positive; elsewhere it stops"
    no_bool = "Boolean inputs not supported for relu"

    def forward(self):
        return maximum(self, 0)

    def grad_self(grad, result):
        return where(gt(result, 0), grad, 0)


class Abs(Op):
    """|x|. self: (...) -> (...). At the kink the slope is 0."""

    kernel = "abs_cpu:iuf"
    node, symbol, pointwise = "AbsBackward0", "|x|", True

    def forward(self):
        return abs(self)

    def grad_self(grad, self):
        return grad * sign(self)


class Sign(Op):
    """-1, 0 or 1. self: (...) -> (...). Flat wherever it has a slope."""

    node, symbol, pointwise = "SignBackward0", "sign", True
    phrase = "flat steps: no gradient comes through"

    def forward(self):
        return sign(self)

    def grad_self(grad):
        return zeros_like(grad)


class Maximum(Op):
    """The larger of two. self: (...), other: (...) -> (...). A tie shares the gradient evenly."""

    node, symbol, pointwise = "MaximumBackward0", "max", True
    phrase = "the gradient goes to the larger of the two; where they are equal, each gets half"

    def forward(self, other):
        return maximum(self, other)

    def grad_self(grad, self, other):
        return where(lt(self, other), 0, where(eq(self, other), grad / 2, grad))

    def grad_other(grad, self, other):
        return where(gt(self, other), 0, where(eq(self, other), grad / 2, grad))


class Minimum(Op):
    """The smaller of two. self: (...), other: (...) -> (...). A tie shares the gradient evenly."""

    node, symbol, pointwise = "MinimumBackward0", "min", True
    phrase = "the gradient goes to the smaller of the two; where they are equal, each gets half"

    def forward(self, other):
        return minimum(self, other)

    def grad_self(grad, self, other):
        return where(gt(self, other), 0, where(eq(self, other), grad / 2, grad))

    def grad_other(grad, self, other):
        return where(lt(self, other), 0, where(eq(self, other), grad / 2, grad))


class Where(Op):
    """`self` where the condition holds, `other` elsewhere. condition: (...) of bool."""

    node, symbol, pointwise = "WhereBackward0", "where", True
    phrase = "each entry's gradient goes to the one that was chosen there"

    def forward(condition, self, other):
        return where(condition, self, other)

    def grad_self(grad, condition):
        return where(condition, grad, 0)

    def grad_other(grad, condition):
        return where(condition, 0, grad)


class Clone(Op):
    """A copy in memory of its own, laid out row by row when `contiguous`. self: (...) -> (...)."""

    node, symbol, pointwise, types = "CloneBackward0", "copy", True, "keep"

    def forward(self, *, contiguous=False):
        return copy(self, contiguous)

    def grad_self(grad):
        return grad
