"""Norms and their slopes, written in other primitives; tensors and SymPy use the same code.

Read next: ops/reductions.py
"""

from typing import Any

from graphlab.primitives.numpy_reading.elementary import (
    Data,
    abs,
    eq,
    exp,
    inf,
    log,
    ones_like,
    same,
    sign,
    sqrt,
    where,
    zeros_like,
)
from graphlab.primitives.numpy_reading.reductions import amax, amin, sum
from graphlab.primitives.numpy_reading.shapes import unsqueeze


def p_norm(x: Any, p: float, dim: Any, keepdim: bool) -> Any:
    """(Σ |x|ᵖ)^(1/p) over `dim`; the largest |x| for inf, the count of x ≠ 0 for p = 0."""
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
    """∂norm/∂x for each entry of x; 0 where the norm is 0. norm: expanded to the size of x."""
    if p == 0:
        return zeros_like(x)
    if p == 1:
        return sign(x)
    if p == inf or p == -inf:
        chosen = where(same(abs(x), norm), ones_like(x), 0)
        return chosen * sign(x) / sum(chosen, dim, True)
    still = eq(norm if p > 1 else x, 0)
    if p == 2:
        return where(still, 0, x / where(still, 1, norm))
    return where(still, 0, sign(x) * (abs(x) / where(still, 1, norm)) ** (p - 1))


def pairwise_slopes(grad: Data, x1: Data, x2: Data, dist: Data, p: float) -> Data:
    """The gradient of each distance of rows of x1 and x2 times its slope along each coordinate.

    grad, dist: (..., P, R), x1: (..., P, M), x2: (..., R, M) -> (..., P, R, M).
    """
    apart = unsqueeze(x1, -2) - unsqueeze(x2, -3)
    grad, dist = unsqueeze(grad, -1), unsqueeze(dist, -1)
    if p == 0:
        return apart * 0
    if p == 1:
        return grad * sign(apart)
    if p == inf:
        return grad * where(eq(abs(apart), dist), sign(apart), 0)
    if p == 2:
        return grad * where(eq(dist, 0), 0, apart / dist)
    slope = sign(apart) * (abs(apart) / dist) ** (p - 1)
    return grad * where(eq(apart if p < 1 else dist, 0), 0, slope)
