"""Norms and distances under PyTorch's older names.

Read next: tensor/functions/distances.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.norms import p_norm, p_norm_slope
from graphlab.primitives.numpy_reading.shapes import restore_dims, size, sum_to


class Norm(Op):
    """Return (Σ |x|ᵖ)^(1/p) over `dim`. self: (N, M), dim: (1,) -> (N,).

    `pairwise_distance` leaves this node; `torch.norm` leaves a LinalgVectorNorm.
    """

    node, symbol, types, wide = "NormBackward1", "‖·‖", "keep", True
    phrase = (
        "the gradient times the slope of the norm: for the 2-norm, each entry divided by the norm"
    )

    def forward(self, *, p=2, dim=None, keepdim=False):
        return p_norm(self, p, dim, keepdim)

    def grad_self(grad, self, result, p, dim, keepdim):
        norm = restore_dims(result, size(self), dim, keepdim)
        return restore_dims(grad, size(self), dim, keepdim) * p_norm_slope(self, norm, p, dim)


class Dist(Op):
    """Return the norm of a difference. self, other: (...) -> ()."""

    node, symbol, wide = "DistBackward0", "‖x − y‖", True
    phrase = (
        "this input gets the gradient times the slope of the norm: for p = 2, (this input − the "
        "other) / distance"
    )

    def forward(self, other, *, p=2):
        return p_norm(self - other, p, None, False)

    def grad_self(grad, self, other, result, p):
        return sum_to(grad * p_norm_slope(self - other, result, p, None), size(self))

    def grad_other(grad, self, other, result, p):
        return sum_to(-grad * p_norm_slope(self - other, result, p, None), size(other))
