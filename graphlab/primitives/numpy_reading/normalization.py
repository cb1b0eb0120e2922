"""Normalization: entries minus their mean, divided by their deviation, and its gradient.

Except for the dimensions it is written in other primitives, so tensors and SymPy use the same code.

Read next: ops/normalization.py
"""

from typing import Any

from graphlab.primitives.numpy_reading.elementary import sqrt
from graphlab.primitives.numpy_reading.reductions import count, sum
from graphlab.primitives.numpy_reading.shapes import reshape, size

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
