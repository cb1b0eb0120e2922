"""Activations: the entrywise functions between the layers of a network.

At a kink, where the function has no derivative, each takes the slope that PyTorch takes.

Read next: nn/functional/activation.py
"""

from graphlab.ops.base import Op, recorded_as_one_node
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    exp,
    expm1,
    ge,
    gt,
    le,
    lt,
    root_2,
    root_pi,
    sigmoid,
    softplus,
    tanh,
    where,
)
from graphlab.primitives.numpy_reading.scatter_gather import slice_
from graphlab.primitives.numpy_reading.shapes import cat, size
from graphlab.primitives.numpy_reading.special_functions import erf


@recorded_as_one_node
class LeakyRelu(Op):
    """Return x, times a small slope where it is negative. self: (...) -> (...)."""

    kernel = "leaky_relu_cpu:f"
    node, symbol, pointwise, types = "LeakyReluBackward0", "leaky relu", True, "float"
    in_place_node = "LeakyReluBackward1"
    phrase = (
        "the gradient passes unchanged where the input is positive; elsewhere it is multiplied "
        "by the slope"
    )

    def forward(self, *, negative_slope=0.01):
        return where(gt(self, 0), self, self * negative_slope)

    def grad_self(grad, self, negative_slope):
        return where(gt(self, 0), grad, grad * negative_slope)


class Elu(Op):
    """Return scale · x, or scale · α (exp(input_scale · x) - 1) where x is negative.

    self: (...) -> (...).
    """

    kernel = "elu_cpu:f"
    node, symbol, pointwise, types = "EluBackward0", "elu", True, "float"
    in_place_node = "EluBackward1"
    phrase = (
        "the gradient passes unchanged where x > 0; elsewhere it is multiplied by α eˣ. SELU "
        "multiplies both by its scale"
    )

    def forward(self, *, alpha=1.0, scale=1, input_scale=1):
        bent = expm1(where(gt(self, 0), 0, self) * input_scale)
        return where(gt(self, 0), self * scale, bent * (alpha * scale))

    # compute eˣ only for negative entries: for large ones it is infinite, and 0 · ∞ is nan
    def grad_self(grad, self, alpha, scale, input_scale):
        slope = exp(where(gt(self, 0), 0, self) * input_scale) * (alpha * scale * input_scale)
        return where(le(self, 0), grad * slope, grad * scale)


class Celu(Op):
    """Return x, or α (exp(x/α) - 1) where it is negative: smooth for every α.

    self: (...) -> (...).
    """

    kernel = "elu_cpu:f"
    node, symbol, pointwise, types = "CeluBackward0", "celu", True, "float"
    in_place_node = "CeluBackward1"
    phrase = (
        "the gradient passes unchanged where the input is positive; elsewhere it is multiplied "
        "by exp(x/α)"
    )

    def forward(self, *, alpha=1.0):
        return where(gt(self, 0), self, expm1(where(gt(self, 0), 0, self) / alpha) * alpha)

    def grad_self(grad, self, alpha):
        return where(gt(self, 0), grad, grad * exp(where(gt(self, 0), 0, self) / alpha))


class Gelu(Op):
    """Return x Φ(x). self: (...) -> (...).

    Φ is the cumulative distribution function of the standard normal distribution.
    approximate: "none", or "tanh" for Φ(x) ≈ (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2.
    Source: Hendrycks and Gimpel, Gaussian Error Linear Units, 2016.
    """

    kernel, wide = "GeluKernelImpl:f", True
    node, symbol, pointwise, types = "GeluBackward0", "gelu", True, "float"
    phrase = (
        "the gradient is multiplied by Φ(x) + x φ(x), with the standard normal distribution Φ and "
        "its density φ"
    )

    def forward(self, *, approximate="none"):
        if approximate == "tanh":
            inner = (self + self * self * self * 44715 / 1000000) * (root_2 / root_pi)
            return self * (tanh(inner) + 1) / 2
        return self * (erf(self / root_2) + 1) / 2

    def grad_self(grad, self, approximate):
        if approximate == "tanh":
            square = self * self
            bend = tanh((self + square * self * 44715 / 1000000) * (root_2 / root_pi))
            slope = (square * 134145 / 1000000 + 1) * (root_2 / root_pi)
            return grad * (bend + 1 + self * (1 - bend * bend) * slope) / 2
        bell = exp(-self * self / 2) / (root_2 * root_pi)
        return grad * ((erf(self / root_2) + 1) / 2 + self * bell)


class Silu(Op):
    """Return x σ(x), also called swish. self: (...) -> (...)."""

    kernel = "silu_cpu:f"
    node, symbol, pointwise, types = "SiluBackward0", "silu", True, "float"

    def forward(self):
        return self * sigmoid(self)

    def grad_self(grad, self):
        return grad * (sigmoid(self) * (self * (1 - sigmoid(self)) + 1))


class Mish(Op):
    """Return x tanh(log(1 + eˣ)). self: (...) -> (...)."""

    kernel = "mish_cpu:f"
    node, symbol, pointwise, types = "MishBackward0", "mish", True, "float"
    phrase = "the gradient is multiplied by t + x σ(x) (1 − t²), where t = tanh(softplus(x))"

    def forward(self):
        return self * tanh(softplus(self))

    def grad_self(grad, self):
        t = tanh(softplus(self))
        return grad * (t + self * sigmoid(self) * (1 - t * t))


class Softplus(Op):
    """Return log(1 + exp(β x)) / β; x itself where β x > threshold. self: (...) -> (...)."""

    kernel = "softplus_cpu:f"
    node, symbol, pointwise, types = "SoftplusBackward0", "softplus", True, "float"
    phrase = "the gradient is multiplied by σ(β x); above the threshold it passes unchanged"

    def forward(self, *, beta=1, threshold=20):
        return where(gt(self * beta, threshold), self, softplus(self * beta) / beta)

    def grad_self(grad, self, beta, threshold):
        return where(gt(self * beta, threshold), grad, grad * sigmoid(self * beta))


class LogSigmoid(Op):
    """Return log σ(x), without overflow. self: (...) -> (...)."""

    kernel = "log_sigmoid_cpu:f"
    node, symbol, pointwise, types = "LogSigmoidBackward0", "log σ", True, "float"

    def forward(self):
        return -softplus(-self)

    def grad_self(grad, self):
        return grad * sigmoid(-self)

    def show_buffer(self):  # PyTorch computes it in the forward
        return exp(-abs(self))


@recorded_as_one_node
class Hardtanh(Op):
    """Clamp x to [min_val, max_val]. self: (...) -> (...). The slope at both ends is 0."""

    node, symbol, pointwise = "HardtanhBackward0", "hardtanh", True
    no_bool = "Bool inputs not supported for hardtanh"
    phrase = "the gradient passes unchanged between the two bounds; on and outside them it is 0"

    def forward(self, *, min_val=-1.0, max_val=1.0):
        if min_val != min_val or max_val != max_val:  # nan
            return self * min_val * max_val
        return where(lt(self, min_val), min_val, where(gt(self, max_val), max_val, self))

    def grad_self(grad, self, min_val, max_val):
        return where(le(self, min_val) | ge(self, max_val), 0, grad)


class Hardsigmoid(Op):
    """Approximate the sigmoid by (x + 3) / 6, clamped to [0, 1]. self: (...) -> (...)."""

    kernel = "hardsigmoid_cpu:f"
    node, symbol, pointwise, types = "HardsigmoidBackward0", "hardsigmoid", True, "float"
    phrase = "the gradient is divided by 6 between −3 and 3; elsewhere it is 0"

    def forward(self):
        return where(lt(self, -3), 0, where(gt(self, 3), 1, (self + 3) / 6))

    def grad_self(grad, self):
        return where(gt(self, -3) & lt(self, 3), grad / 6, 0)


class Hardswish(Op):
    """Return x times its hardsigmoid. self: (...) -> (...)."""

    kernel = "hardswish_cpu:f"
    node, symbol, pointwise, types = "HardswishBackward0", "hardswish", True, "float"
    phrase = (
        "the gradient passes unchanged above 3 and is 0 below −3; between them it is multiplied "
        "by x/3 + ½"
    )

    def forward(self):
        middle = where(gt(self, 3), self, self * (self + 3) / 6)
        return where(lt(self, -3), self * 0, middle)  # nan at -∞, as ∞ · 0 is

    def grad_self(grad, self):
        inside = where(lt(self, 3), grad * (self / 3) + grad / 2, grad)
        return where(le(self, -3), 0, inside)


@recorded_as_one_node
class Hardshrink(Op):
    """Return x, or 0 where |x| <= lambd. self: (...) -> (...)."""

    kernel = "hardshrink_cpu:f"
    node, symbol, pointwise, types = "HardshrinkBackward0", "hardshrink", True, "float"
    phrase = "the gradient passes unchanged where |x| is larger than λ; elsewhere it is 0"

    def forward(self, *, lambd=0.5):
        return where(ge(self, -lambd) & le(self, lambd), 0, self)

    def grad_self(grad, self, lambd):
        return where(ge(self, -lambd) & le(self, lambd), 0, grad)


@recorded_as_one_node
class Softshrink(Op):
    """Move x towards 0 by lambd, but not beyond 0. self: (...) -> (...)."""

    kernel = "softshrink_check:f"
    node, symbol, pointwise, types = "SoftshrinkBackward0", "softshrink", True, "float"
    phrase = "the gradient passes unchanged where |x| is larger than λ; elsewhere it is 0"

    def forward(self, *, lambd=0.5):
        return where(gt(self, lambd), self - lambd, where(lt(self, -lambd), self + lambd, self * 0))

    def grad_self(grad, self, lambd):
        return where(ge(self, -lambd) & le(self, lambd), 0, grad)


@recorded_as_one_node
class Threshold(Op):
    """Return x above the threshold, a fixed value elsewhere. self: (...) -> (...)."""

    node, symbol, pointwise = "ThresholdBackward0", "threshold", True
    phrase = (
        "the gradient passes unchanged where the input is above the threshold; elsewhere it is 0"
    )

    def forward(self, *, threshold=0, value):
        return where(le(self, threshold), value, self)

    def grad_self(grad, self, threshold):
        return where(le(self, threshold), 0, grad)


class ThresholdInPlace(Threshold):
    """Replace x in place by a fixed value unless it is above the threshold."""

    node = "ThresholdBackward1"


class PreluKernel(Op):
    """Apply a leaky relu with a learned slope. self: (...), weight: broadcast -> (...)."""

    kernel = "prelu_cpu:f"
    node, symbol, pointwise, types = "PreluKernelBackward0", "prelu", True, "float"
    phrase_self = (
        "the gradient passes unchanged where the input is positive; elsewhere it is multiplied "
        "by the weight"
    )
    phrase_weight = (
        "the gradient is multiplied by the input where that is negative; elsewhere it is 0"
    )

    again = "prelu_kernel_backward"
    also_saved = ("self", "weight")

    def forward(self, weight):
        return where(gt(self, 0), self, weight * self)

    def grad_self(grad, self, weight):
        return where(gt(self, 0), grad, weight * grad)

    def grad_weight(grad, self):
        return where(gt(self, 0), 0, self * grad)


class PreluKernelBackward(Op):
    """Compute both gradients of a prelu. grad_output, self: (...) -> (...), (...).

    The rules count x = 0 as positive, as PyTorch's do, although its gradient there is the weight's.
    """

    node, symbol, splits = "PreluKernelBackwardBackward0", "prelu′", True
    outputs, also_saved = ("result0", "result1"), ("grad_output", "self", "weight")
    broadcasts = ("grad_output", "self", "weight")
    phrase_grad_output = (
        "the first gradient where x ≥ 0; elsewhere the weight times the first gradient, plus x "
        "times the second"
    )
    phrase_self = "where x < 0, the second gradient times grad_output; elsewhere 0"
    phrase_weight = "where x < 0, the first gradient times grad_output; elsewhere 0"

    def forward(grad_output, self, weight):
        of_self = where(gt(self, 0), grad_output, weight * grad_output)
        return of_self, where(gt(self, 0), 0, self * grad_output)

    def grad_grad_output(grad, self, weight):
        return where(ge(self, 0), grad[0], grad[0] * weight + grad[1] * self)

    def grad_self(grad, grad_output, self):
        return where(ge(self, 0), 0, grad_output * grad[1])

    def grad_weight(grad, grad_output, self):
        return where(ge(self, 0), 0, grad_output * grad[0])


class Glu(Op):
    """Multiply the first half along `dim` by the sigmoid of the second.

    self: (..., 2n) -> (..., n).
    """

    node, symbol, types = "GluBackward0", "glu", "keep"
    phrase = (
        "the first half a gets the gradient times σ(b), the second half b times a σ(b) (1 − σ(b))"
    )

    def forward(self, *, dim=-1):
        n = size(self)[dim] // 2
        return slice_(self, dim, 0, n, 1) * sigmoid(slice_(self, dim, n, 2 * n, 1))

    def grad_self(grad, self, dim):
        n = size(self)[dim] // 2
        a, gate = slice_(self, dim, 0, n, 1), sigmoid(slice_(self, dim, n, 2 * n, 1))
        return cat((grad * gate, grad * a * (gate * (1 - gate))), dim)


@recorded_as_one_node
class RreluWithNoise(Op):
    """Return x, times a random slope where it is negative. self, noise: (...) -> (...).

    noise: the slopes that were drawn, 1 where x is positive. Outside of training the slope is the
    mean of `lower` and `upper`.
    """

    node, symbol, pointwise = "RreluWithNoiseBackward0", "rrelu", True
    in_place_node = "RreluWithNoiseBackward1"
    phrase = (
        "the gradient passes unchanged where the input is positive; elsewhere it is multiplied "
        "by the slope that was drawn"
    )

    def forward(self, noise, *, lower, upper, training=False):
        if training:
            return self * noise
        return where(gt(self, 0), self, self * ((lower + upper) / 2))

    def grad_self(grad, self, noise, lower, upper, training):
        if training:
            return grad * noise
        return where(gt(self, 0), grad, grad * ((lower + upper) / 2))
