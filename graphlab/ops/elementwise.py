"""Operations entry by entry, each with its formula and its textbook derivative.
The engine undoes broadcasts; the rules here treat single entries.

Read next: autograd/backward.py
"""

from graphlab.ops.base import Op, recorded_as_one_node
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    copy,
    cos,
    eq,
    exp,
    gt,
    le,
    log,
    lt,
    maximum,
    minimum,
    sigmoid,
    sign,
    sin,
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
    """Add two tensors. self: (...), other: (...) -> (...). Both get the gradient unchanged."""

    node, symbol, pointwise = "AddBackward0", "+", True
    also_saved = ("alpha",)

    def forward(self, other, *, alpha=1):
        return self + other if alpha == 1 else self + other * alpha

    def grad_self(grad):
        return grad

    def grad_other(grad, alpha):
        return grad if alpha == 1 else grad * alpha


class Sub(Op):
    """Subtract `other` from `self`. self: (...), other: (...) -> (...)."""

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
    """Subtract a tensor from a number: `1 - self`. self: (...) -> (...)."""

    node, symbol, pointwise, no_bool = "RsubBackward1", "−", True, NO_SUBTRACTION

    def forward(self, *, other, alpha=1):
        return other - self if alpha == 1 else other - self * alpha

    def grad_self(grad, alpha):
        return -grad if alpha == 1 else -grad * alpha


class Mul(Op):
    """Multiply two tensors. input: (...), other: (...) or a number -> (...).

    The slope for each input is the other input. The shapes are broadcast.

    >>> torch.mul(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([3., 8.])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, wide = "MulBackward0", "×", True, True

    def forward(self, other):
        return self * other

    def grad_self(grad, other):
        return grad * other

    def grad_other(grad, self):
        return grad * self


class Div(Op):
    """Divide `input` by `other`. input: (...), other: (...) or a number -> (...), floats.

    >>> torch.true_divide(torch.tensor([1.0, 2.0]), 2)
    tensor([0.5000, 1.0000])
    """

    node, symbol, pointwise, types, wide = "DivBackward0", "÷", True, "float", True

    def domain(other):
        return gt(abs(other), 0)

    def forward(self, other):
        return self / other

    def grad_self(grad, other):
        return grad / other

    def grad_other(grad, self, other):
        return -grad * ((self / other) / other)


class Neg(Op):
    """Return -x for each entry. input: (...) -> (...). Raises: RuntimeError for bools.

    >>> torch.neg(torch.tensor([1.0, -2.0]))
    tensor([-1.,  2.])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, no_bool = "NegBackward0", "−", True, NO_NEGATION

    def forward(self):
        return -self

    def grad_self(grad):
        return -grad


class Exp(Op):
    """Return eˣ for each entry. input: (...) -> (...), floats.

    The function is its own derivative, so the result is saved, not the input.

    >>> torch.exp(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "ExpBackward0", "exp", True, "float"

    def forward(self):
        return exp(self)

    def grad_self(grad, result):
        return grad * result


class Log(Op):
    """Return the natural logarithm of each entry. input: (...) -> (...), floats.

    >>> torch.log(torch.tensor([1.0, torch.e]))
    tensor([0., 1.])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "LogBackward0", "log", True, "float"

    def domain(self):
        return gt(self, 0)

    def forward(self):
        return log(self)

    def grad_self(grad, self):
        return grad / self


class Sin(Op):
    """Return the sine of each entry. input: (...), in radians -> (...), floats.

    >>> torch.sin(torch.tensor([0.0, torch.pi / 2]))
    tensor([0., 1.])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "SinBackward0", "sin", True, "float"

    def forward(self):
        return sin(self)

    def grad_self(grad, self):
        return grad * cos(self)


class Cos(Op):
    """Return the cosine of each entry. input: (...), in radians -> (...), floats.

    >>> torch.cos(torch.tensor([0.0, torch.pi]))
    tensor([ 1., -1.])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "CosBackward0", "cos", True, "float"

    def forward(self):
        return cos(self)

    def grad_self(grad, self):
        return grad * -sin(self)


@recorded_as_one_node
class Tanh(Op):
    """Return the hyperbolic tangent of each entry; tanh' = 1 - tanh². input: (...) -> (...).

    >>> torch.tanh(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "TanhBackward0", "tanh", True, "float"
    bend = "−2 y"

    def forward(self):
        return tanh(self)

    def grad_self(grad, result):
        return grad * (1 - result * result)

    def again_output(grad, grad_output, output):
        return grad * grad_output * output * -2


@recorded_as_one_node
class Sigmoid(Op):
    """Return σ(x) = 1 / (1 + e⁻ˣ) for each entry; σ' = σ (1 - σ). input: (...) -> (...), floats.

    >>> torch.sigmoid(torch.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "SigmoidBackward0", "σ", True, "float"
    bend = "1 − 2 y"

    def forward(self):
        return sigmoid(self)

    def grad_self(grad, result):
        return grad * ((1 - result) * result)

    def again_output(grad, grad_output, output):
        return grad * grad_output * (1 - 2 * output)


class Relu(Op):
    """Return max(0, x) for each entry. input: (...) -> (...).

    The slope at 0 is 0, as in PyTorch. Raises: RuntimeError for bools.

    >>> torch.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    function = method = in_place = True
    node, symbol, pointwise = "ReluBackward0", "relu", True
    phrase = "the gradient passes unchanged where the result is positive; elsewhere it is 0"
    no_bool = "Boolean inputs not supported for relu"
    again = "threshold_backward"

    def forward(self):
        return maximum(self, 0)

    def grad_self(grad, result):
        return where(le(result, 0), 0, grad)


class Abs(Op):
    """Return |x| for each entry. input: (...) -> (...). The slope at 0 is 0.

    >>> torch.abs(torch.tensor([-1.0, 2.0]))
    tensor([1., 2.])
    """

    function = method = in_place = out = True
    kernel = "abs_cpu:iuf"
    node, symbol, pointwise = "AbsBackward0", "|x|", True

    def forward(self):
        return abs(self)

    def grad_self(grad, self):
        return grad * sign(self)


class Sign(Op):
    """Return -1, 0 or 1 for each entry. self: (...) -> (...). The slope is 0."""

    node, symbol, pointwise = "SignBackward0", "sign", True
    phrase = "this is a step function: its slope is 0, so the gradient is 0"

    def forward(self):
        return sign(self)

    def grad_self(grad):
        return zeros_like(grad)


class Maximum(Op):
    """Return the larger entry of each pair. input: (...), other: (...) -> (...).

    Where they are equal, each gets half of the gradient.

    >>> torch.maximum(torch.tensor([1.0, 5.0]), torch.tensor([3.0, 2.0]))
    tensor([3., 5.])
    """

    node, symbol, pointwise = "MaximumBackward0", "max", True
    phrase = "this input gets the gradient where it is larger, half of it at a tie, else 0"

    def forward(self, other):
        return maximum(self, other)

    def grad_self(grad, self, other):
        return where(lt(self, other), 0, where(eq(self, other), grad / 2, grad))

    def grad_other(grad, self, other):
        return where(gt(self, other), 0, where(eq(self, other), grad / 2, grad))


class Minimum(Op):
    """Return the smaller entry of each pair. input: (...), other: (...) -> (...).

    Where they are equal, each gets half of the gradient.

    >>> torch.minimum(torch.tensor([1.0, 5.0]), torch.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """

    function = method = out = True
    tensors_only = True
    node, symbol, pointwise = "MinimumBackward0", "min", True
    phrase = "this input gets the gradient where it is smaller, half of it at a tie, else 0"

    def forward(self, other):
        return minimum(self, other)

    def grad_self(grad, self, other):
        return where(gt(self, other), 0, where(eq(self, other), grad / 2, grad))

    def grad_other(grad, self, other):
        return where(lt(self, other), 0, where(eq(self, other), grad / 2, grad))


class Where(Op):
    """Take `self` where the condition holds, `other` elsewhere. condition: (...) of bool."""

    node, symbol, pointwise = "WhereBackward0", "where", True
    phrase = "this input gets the gradient where it was chosen; elsewhere it gets 0"

    def forward(condition, self, other):
        return where(condition, self, other)

    def grad_self(grad, condition):
        return where(condition, grad, 0)

    def grad_other(grad, condition):
        return where(condition, 0, grad)


class Clone(Op):
    """Copy the tensor into memory of its own, row by row if `contiguous`. self: (...) -> (...)."""

    node, symbol, pointwise, types = "CloneBackward0", "copy", True, "keep"

    def forward(self, *, contiguous=False):
        return copy(self, contiguous)

    def grad_self(grad):
        return grad
