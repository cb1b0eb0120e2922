"""Norms and distances under PyTorch's older names; `p_norm` is written in words itself.

Read next: tensor/functions/distances.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from typing import Any

from graphlab.ops.base import Op
from graphlab.ops.vocabulary import (
    abs,
    amax,
    amin,
    eq,
    exp,
    inf,
    log,
    ones_like,
    restore_dims,
    sign,
    size,
    sqrt,
    sum,
    sum_to,
    where,
    zeros_like,
)

WORDS = COMPOSED = ("p_norm", "p_norm_slope")  # for tensors and SymPy too


def p_norm(x: Any, p: float, dim: Any, keepdim: bool) -> Any:
    """(Σ |x|ᵖ)^(1/p) over `dim`; the largest |x| for inf, how many are not 0 for p = 0."""
    if p == 2:
        return sqrt(sum(x * x, dim, keepdim))
    if p == 1:
        return sum(abs(x), dim, keepdim)
    if p == 0:
        return sum(where(eq(x, 0), 0, ones_like(x)), dim, keepdim)
    if p == inf:
        return amax(abs(x), dim, keepdim)
    if p == -inf:
        return amin(abs(x), dim, keepdim)
    # the root as exp(log / p), which is exact where entries are
    return exp(log(sum(abs(x) ** p, dim, keepdim)) / p)


def p_norm_slope(x: Any, norm: Any, p: float, dim: Any) -> Any:
    """How `norm`, stretched to the size of x, changes with each entry; 0 where it is 0."""
    if p == 0:
        return zeros_like(x)
    if p == 1:
        return sign(x)
    if p == inf or p == -inf:
        chosen = where(eq(abs(x), norm), ones_like(x), 0)
        return chosen * sign(x) / sum(chosen, dim, True)
    still = eq(norm if p > 1 else x, 0)
    if p == 2:
        return where(still, 0, x / where(still, 1, norm))
    return where(still, 0, sign(x) * (abs(x) / where(still, 1, norm)) ** (p - 1))


class Norm(Op):
    """(Σ |x|ᵖ)^(1/p) over `dim`, as PyTorch's C++ calls it. self: (N, M), dim: (1,) -> (N,)."""

    node, symbol, types = "NormBackward1", "‖·‖", "keep"
    phrase = "the gradient, in the direction of the entries"

    def forward(self, *, p=2, dim=None, keepdim=False):
        return p_norm(self, p, dim, keepdim)

    def grad_self(grad, self, result, p, dim, keepdim):
        norm = restore_dims(result, size(self), dim, keepdim)
        return restore_dims(grad, size(self), dim, keepdim) * p_norm_slope(self, norm, p, dim)


class Dist(Op):
    """The norm of a difference: self, other: (...) -> ()."""

    node, symbol = "DistBackward0", "‖x − y‖"
    phrase = "the gradient, in the direction of the difference; for the other one against it"

    def forward(self, other, *, p=2):
        return p_norm(self - other, p, None, False)

    def grad_self(grad, self, other, result, p):
        return sum_to(grad * p_norm_slope(self - other, result, p, None), size(self))

    def grad_other(grad, self, other, result, p):
        return sum_to(-grad * p_norm_slope(self - other, result, p, None), size(other))
