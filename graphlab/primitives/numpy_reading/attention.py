"""The kernels of attention: scores, and a softmax that is 0 in a row without any key.

Read next: ops/attention.py
"""

import math
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import Data, constant
from graphlab.primitives.numpy_reading.matrices import matmul
from graphlab.primitives.numpy_reading.shapes import size, transpose


def scale_of(query: Any, scale: float | None) -> float:
    """The factor of the scores: `scale`, or 1 / √E when that is None."""
    return 1 / math.sqrt(size(query)[-1]) if scale is None else scale


def causal_mask(rows: int, columns: int) -> np.ndarray:
    """0 where a query may use a key, up to its own position, and -∞ at later positions.

    >>> causal_mask(2, 2)
    array([[  0., -inf],
           [  0.,   0.]])
    """
    return np.where(np.tri(rows, columns, dtype=bool), 0.0, -np.inf)


def safe_softmax(x: Data, dim: int) -> Data:
    """exp(x) / Σ exp(x), and 0 where every entry is -∞.

    >>> safe_softmax(np.array([[0.0, -np.inf], [-np.inf, -np.inf]]), 1)
    array([[1., 0.],
           [0., 0.]])
    """
    top = np.max(x, dim, keepdims=True, initial=-np.inf)
    e = np.exp(x - np.where(top == -np.inf, 0, top).astype(x.dtype))
    total = np.sum(e, dim, keepdims=True)
    return e / np.where(total == 0, 1, total).astype(x.dtype)


def log_of_sum(scores: Data) -> Data:
    """log Σ exp(scores) over the last dimension."""
    top = np.max(scores, -1, initial=-np.inf)
    finite = np.where(np.isfinite(top), top, 0).astype(scores.dtype)
    return np.log(np.sum(np.exp(scores - finite[..., None]), -1)) + finite


def attention_scores(query: Any, key: Any, mask: Any, is_causal: bool, scale: float | None) -> Any:
    """How well each key fits each query: scale · Q Kᵀ + mask. (*, L, E), (*, S, E) -> (*, L, S)."""
    scores = matmul(query, transpose(key, -2, -1)) * scale_of(query, scale)
    if is_causal:
        scores = scores + constant(causal_mask(size(query)[-2], size(key)[-2]), scores)
    return scores if mask is None else scores + mask
