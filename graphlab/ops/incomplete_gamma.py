"""The share of Γ(a) = ∫ tᵃ⁻¹ e⁻ᵗ dt that lies below x, and the share above x.

Read next: ops/bessel.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.ops.rounding import NO_RULE
from graphlab.primitives.numpy_reading.elementary import exp, gt, log, without_derivative
from graphlab.primitives.numpy_reading.special_functions import igamma, igammac, lgamma


class Igamma(Op):
    """Return the share of Γ(a) = ∫ tᵃ⁻¹ e⁻ᵗ dt below x. input: (...) of a, other: (...) of x.

    Like PyTorch, it has a derivative by x only.

    >>> import graphlab as torch
    >>> torch.igamma(torch.tensor([1.0, 4.0]), torch.tensor([2.0, 2.0]))
    tensor([0.8647, 0.1429])
    """

    function = method = in_place = out = tensors_only = True
    kernel = "igamma_cpu:f"
    node, symbol, pointwise = "IgammaBackward0", "P(a, x)", True
    phrase_self = NO_RULE
    phrase_other = "the gradient is multiplied by xᵃ⁻¹ e⁻ˣ / Γ(a)"

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

    >>> import graphlab as torch
    >>> torch.igammac(torch.tensor([1.0, 4.0]), torch.tensor([2.0, 2.0]))
    tensor([0.1353, 0.8571])
    """

    function = method = in_place = out = tensors_only = True
    kernel = "igammac_cpu:f"
    node, symbol, pointwise = "IgammacBackward0", "Q(a, x)", True
    phrase_self = NO_RULE
    phrase_other = "the gradient is multiplied by −xᵃ⁻¹ e⁻ˣ / Γ(a)"

    def domain(self, other):
        return gt(self, 0) & gt(other, 0)

    def forward(self, other):
        return igammac(self, other)

    def grad_self(grad, self, other):
        return without_derivative("igammac: input")

    def grad_other(grad, self, other):
        return grad * -exp((self - 1) * log(other) - other - lgamma(self))
