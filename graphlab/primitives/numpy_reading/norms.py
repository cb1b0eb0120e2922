"""Norms and their slopes; normalization: entries minus their mean, divided by their deviation.

Except for the dimensions it is written in other primitives, so tensors and SymPy use the same code.

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
from graphlab.primitives.numpy_reading.reductions import amax, amin, count, sum
from graphlab.primitives.numpy_reading.shapes import reshape, size, unsqueeze


def p_norm(x: Any, p: float, dim: Any, keepdim: bool) -> Any:
    """(Σ |x|ᵖ)^(1/p) over `dim`; the largest |x| for inf, the count of x ≠ 0 for p = 0."""
    if p == 0:
        return sum(where(eq(x, 0), 0, ones_like(x)), dim, keepdim)
    if p == 1 or count(size(x), dim) == 1:  # x² may overflow
        return sum(abs(x), dim, keepdim)
    if p == 2:
        return sqrt(sum(x * x, dim, keepdim))
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


Sizes = tuple[int, ...]


def last_dims(sizes: Sizes, normalized_shape: Sizes) -> Sizes:
    """The dimensions that a shape takes up at the end.

    >>> last_dims((2, 3, 4), (3, 4))
    (1, 2)
    """
    return tuple(range(len(sizes) - len(normalized_shape), len(sizes)))


def channel_dims(sizes: Sizes) -> Sizes:
    """All dimensions but that of the channels, which is the second.

    >>> channel_dims((8, 3, 28, 28))
    (0, 2, 3)
    """
    return (0, *range(2, len(sizes)))


def all_but(dim: int, sizes: Sizes) -> Sizes:
    """All dimensions but one, which may be counted from the end.

    >>> all_but(-1, (8, 3, 28))
    (0, 1)
    """
    return tuple(d for d in range(len(sizes)) if d != dim % len(sizes))


def over_channels(vector: Any, x: Any) -> Any:
    """One number for each channel, in a shape that fits beside x: (C,) -> (1, C, 1, ...)."""
    return reshape(vector, (1, size(x)[1], *(1,) * (len(size(x)) - 2)))


def lengths(v: Any, dim: int) -> Any:
    """The length of each slice along `dim`; the other dimensions stay with size 1."""
    return sqrt(sum(v * v, all_but(dim, size(v)), True))


def mean_of(x: Any, dims: Sizes) -> Any:
    """The mean over `dims`, which stay with size 1."""
    return sum(x, dims, True) / count(size(x), dims)


def rstd_of(x: Any, dims: Sizes, eps: float) -> Any:
    """1 / √(variance + ε) over `dims`, which stay with size 1."""
    away = x - mean_of(x, dims)
    return 1 / sqrt(mean_of(away * away, dims) + eps)


def standardized(x: Any, dims: Sizes, eps: float) -> Any:
    """(x - mean) / √(variance + ε) over `dims`: mean 0 and variance 1, nearly."""
    away = x - mean_of(x, dims)
    return away * (1 / sqrt(mean_of(away * away, dims) + eps))


def standardized_back(grad: Any, x: Any, dims: Sizes, eps: float) -> Any:
    """The gradient of x in `standardized`: rstd · (g - mean(g) - x̂ mean(g x̂)).

    Source: S. Ioffe and C. Szegedy, Batch Normalization, 2015, section 3.
    """
    away = x - mean_of(x, dims)
    rstd = 1 / sqrt(mean_of(away * away, dims) + eps)
    out = away * rstd
    return rstd * (grad - mean_of(grad, dims) - out * mean_of(grad * out, dims))
