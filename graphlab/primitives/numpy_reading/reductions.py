"""Sums, products, means and extremes over dimensions, running ones, and norms and their slopes.

The norms and normalizations are written in other primitives, which tensors and SymPy read, too.

Read next: primitives/numpy_reading/scatter_gather.py
"""

import math
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import (
    Data,
    abs,
    eq,
    exp,
    in_order,
    inf,
    log,
    ones_like,
    same,
    sign,
    sqrt,
    where,
    zeros_like,
)
from graphlab.primitives.numpy_reading.scatter_gather import slice_
from graphlab.primitives.numpy_reading.shapes import (
    Dims,
    add_up,
    cat,
    expand,
    flip,
    reshape,
    size,
    unsqueeze,
)


def count(sizes: tuple[int, ...], dim: Dims = None) -> int:
    """The number of entries that a reduction over `dim` adds up."""
    return math.prod(sizes) if dim is None or not sizes else math.prod(sizes[d] for d in dim)


def freedom(sizes: tuple[int, ...], dim: Dims, correction: float | None) -> float:
    """The degrees of freedom of a variance: the entries minus `correction`, 1 when that is None."""
    return max(count(sizes, dim) - (1 if correction is None else correction), 0)


def _axes(x: Data, dim: Dims) -> Dims:
    """The dims as NumPy takes them: a 0-d tensor may be reduced over dim 0."""
    return dim if x.ndim else None


def of_rows(x: Data, dim: Dims) -> bool:
    """Whether the last dimension alone is reduced, of floats that lie in memory row by row."""
    if dim is None or len(dim) != 1 or type(x) is not np.ndarray or x.dtype.char not in "fd":
        return False
    return x.ndim > 0 and dim[0] in (-1, x.ndim - 1) and x.flags.c_contiguous


def sum(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
    """The sum over `dim`; of integers and bools it is int64."""
    if dim is None and not keepdim and x.dtype.kind == "f":  # the usual case
        return np.add.reduce(x, None)
    if dim is not None and x.ndim and x.dtype.kind == "f":
        return add_up(x, dim, keepdim)
    kind = np.int64 if x.dtype.kind in "iub" else None
    return in_order(np.add.reduce(x, axis=_axes(x, dim), keepdims=keepdim, dtype=kind))


def mean(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
    """The mean over `dim`; float16 is added up in float32, as the sum may be too large."""
    if dim is None and not keepdim and x.dtype.char in "fd":  # the usual case
        return np.add.reduce(x, None) / x.size
    if x.dtype.char != "e":
        return sum(x, dim, keepdim) / count(size(x), dim)
    total = sum(x.astype(np.float32), dim, keepdim)
    return (total / count(size(x), dim)).astype(np.float16)


def prod(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
    """The product over `dim`; of integers and bools it is int64."""
    kind = np.int64 if x.dtype.kind in "iub" else None
    return in_order(np.multiply.reduce(x, axis=_axes(x, dim), keepdims=keepdim, dtype=kind))


FEW = 16  # columns, at most, where reducing each row is slow


def amax(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
    """The largest entry over `dim`."""
    if of_rows(x, dim) and x.size > FEW * x.shape[-1]:
        rows = x if x.ndim == 2 else x.reshape(-1, x.shape[-1])
        if rows.shape[1] <= FEW:
            found = np.maximum.reduce(rows.T.copy(), 0)  # long columns are faster
        else:
            found = rows[np.arange(len(rows)), rows.argmax(1)]  # faster than `np.maximum`
        found = found if x.ndim == 2 else found.reshape(x.shape[:-1])
        return found[..., None] if keepdim else found
    return in_order(np.maximum.reduce(x, axis=_axes(x, dim), keepdims=keepdim))


def amin(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
    """The smallest entry over `dim`."""
    return in_order(np.minimum.reduce(x, axis=_axes(x, dim), keepdims=keepdim))


# -- running sums and products --------------------------------------------------------------------


WIDER: dict[str, type] = {"e": np.float32, "f": np.float64}  # as in PyTorch, on the CPU


def accumulated(function: np.ufunc, x: Data, dim: int) -> Data:
    """The running results of a function along `dim`, with the digits of the next wider type.

    Those of integers and bools are int64.
    """
    whole = x.dtype.kind in "iub"
    if not x.ndim:
        return np.int64(x) if whole else x
    wider = np.int64 if whole else WIDER.get(x.dtype.char)
    found = function.accumulate(in_order(x), dim, wider)
    return found if whole or wider is None else found.astype(x.dtype)


def cumsum(x: Data, dim: int) -> Data:
    """The running sum along `dim`."""
    return accumulated(np.add, x, dim)


def logcumsumexp(x: Data, dim: int) -> Data:
    """The running log Σ exp along `dim`, without overflow."""
    return accumulated(np.logaddexp, x, dim)


def cumprod(x: Data, dim: int) -> Data:
    """The running product along `dim`."""
    return accumulated(np.multiply, x, dim)


def others(x: Data, dim: int) -> Data:
    """For each entry along `dim`, the product of all others: those before it times those after it.

    Dividing the whole product by the entry would be shorter, and wrong at 0.
    """
    if size(x) == ():
        return ones_like(x)
    n = size(x)[dim]
    one = ones_like(slice_(x, dim, 0, 1, 1))
    before = cumprod(cat((one, slice_(x, dim, 0, n - 1, 1)), dim), dim)
    after = cumprod(cat((one, flip(slice_(x, dim, 1, n, 1), (dim,))), dim), dim)
    return before * flip(after, (dim,))


# -- losses -------------------------------------------------------------------------------------


def reduce(losses: Data, reduction: int) -> Data:
    """The losses as they are (0), their mean (1) or their sum (2)."""
    if reduction == 0:
        return losses
    return sum(losses) / count(size(losses)) if reduction == 1 else sum(losses)


def unreduce(grad: Data, sizes: tuple[int, ...], reduction: int) -> Data:
    """The gradient of `reduce` for each loss."""
    if reduction == 0:
        return grad
    return expand(grad / count(sizes) if reduction == 1 else grad, sizes)


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
