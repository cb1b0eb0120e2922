"""Modified Bessel functions Iₙ, and the shares of Γ(a) = ∫ tᵃ⁻¹ e⁻ᵗ dt below and above x.

Iₙ, of the first kind, solves x² y″ + x y′ = (x² + n²) y.

Read next: ops/probability.py
"""

from graphlab.ops.base import Op
from graphlab.ops.rounding import NO_RULE
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    exp,
    gt,
    log,
    sign,
    where,
    without_derivative,
)
from graphlab.primitives.numpy_reading.special_functions import (
    i0,
    i0e,
    i1,
    i1e,
    igamma,
    igammac,
    lgamma,
)


class I0(Op):
    """Return the modified Bessel function of order 0. input: (...) -> (...), floats.

    >>> torch.i0(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 1.2661])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "I0Backward0", "I₀", True, "float"
    phrase = "the gradient is multiplied by I₁(x), the slope of I₀"

    def forward(self):
        return i0(self)

    def grad_self(grad, self):
        return grad * i1(self)


class SpecialI0e(Op):
    """Return exp(-|x|) I₀(x), which does not overflow. input: (...) -> (...), floats.

    >>> torch.special.i0e(torch.tensor([0.0, 1000.0]))
    tensor([1.0000, 0.0126])
    """

    node, symbol, pointwise, types = "SpecialI0EBackward0", "I₀ e", True, "float"
    phrase = "the gradient is multiplied by exp(−|x|) I₁(x) − sign(x) · result"

    def forward(self):
        return i0e(self)

    def grad_self(grad, self, result):
        return grad * (i1e(self) - sign(self) * result)


class SpecialI1(Op):
    """Return the modified Bessel function of order 1. input: (...) -> (...), floats.

    >>> torch.special.i1(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.5652])
    """

    node, symbol, pointwise, types = "SpecialI1Backward0", "I₁", True, "float"
    phrase = "the gradient is multiplied by I₀(x) − I₁(x)/x, which is ½ at 0"

    def forward(self):
        return i1(self)

    def grad_self(grad, self, result):
        away = gt(abs(self), 0)
        return grad * where(away, i0(self) - result / where(away, self, 1), 0.5)


class SpecialI1e(Op):
    """Return exp(-|x|) I₁(x), which does not overflow. input: (...) -> (...), floats.

    >>> torch.special.i1e(torch.tensor([0.0, 1000.0]))
    tensor([0.0000, 0.0126])
    """

    node, symbol, pointwise, types = "SpecialI1EBackward0", "I₁ e", True, "float"
    phrase = "the gradient is multiplied by exp(−|x|) I₀(x) − (sign(x) + 1/x) · result, ½ at 0"

    def forward(self):
        return i1e(self)

    def grad_self(grad, self, result):
        away = gt(abs(self), 0)
        slope = i0e(self) - result * (sign(self) + 1 / where(away, self, 1))
        return grad * where(away, slope, 0.5)


class Igamma(Op):
    """Return the share of Γ(a) = ∫ tᵃ⁻¹ e⁻ᵗ dt below x. input: (...) of a, other: (...) of x.

    Like PyTorch, it has a derivative by x only.

    >>> torch.igamma(torch.tensor([1.0, 4.0]), torch.tensor([2.0, 2.0]))
    tensor([0.8647, 0.1429])
    """

    function = method = in_place = out = tensors_only = True
    kernel = "igamma_cpu:f"
    node, symbol, pointwise = "IgammaBackward0", "P(a, x)", True
    phrase_self = NO_RULE
    phrase_other = "the gradient is multiplied by xᵃ⁻¹ e⁻ˣ / Γ(a), for igamma(a, x)"

    def domain(self, other):
        return gt(self, 0) & gt(other, 0)

    def forward(self, other):
        return igamma(self, other)

    def grad_self(grad, self, other):
        return without_derivative("igamma: input")

    def grad_other(grad, self, other):
        return grad * exp((self - 1) * log(other) - other - lgamma(self))


class Igammac(Op):
    """Return the share of Γ(a) = ∫ tᵃ⁻¹ e⁻ᵗ dt above x. input: (...) of a, other: (...) of x.

    It keeps the digits that 1 - igamma(a, x) loses. Like PyTorch, it has a derivative by x only.

    >>> torch.igammac(torch.tensor([1.0, 4.0]), torch.tensor([2.0, 2.0]))
    tensor([0.1353, 0.8571])
    """

    function = method = in_place = out = tensors_only = True
    kernel = "igammac_cpu:f"
    node, symbol, pointwise = "IgammacBackward0", "Q(a, x)", True
    phrase_self = NO_RULE
    phrase_other = "the gradient is multiplied by −xᵃ⁻¹ e⁻ˣ / Γ(a), for igammac(a, x)"

    def domain(self, other):
        return gt(self, 0) & gt(other, 0)

    def forward(self, other):
        return igammac(self, other)

    def grad_self(grad, self, other):
        return without_derivative("igammac: input")

    def grad_other(grad, self, other):
        return grad * -exp((self - 1) * log(other) - other - lgamma(self))
