"""Modified Bessel functions of the first kind: Iₙ solves x² y″ + x y′ = (x² + n²) y.

Read next: ops/probability.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import abs, gt, sign, where
from graphlab.primitives.numpy_reading.special_functions import i0, i0e, i1, i1e


class I0(Op):
    """Return the modified Bessel function of order 0. input: (...) -> (...), floats.

    >>> import graphlab as torch
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

    >>> import graphlab as torch
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

    >>> import graphlab as torch
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

    >>> import graphlab as torch
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
