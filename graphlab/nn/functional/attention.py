"""Attention: `F.scaled_dot_product_attention(q, k, v)`.

Read next: ops/attention.py
"""

import math

import numpy as np

from graphlab.autograd.record import apply
from graphlab.nn.functional.dropouts import dropout
from graphlab.ops.attention import SafeSoftmax, ScaledDotProductFlashAttentionForCpu
from graphlab.primitives.numpy_reading.matrices import causal_mask
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import c_name, can_fit, need_tensor, type_name
from graphlab.tensor.functions.rounding import mul_number
from graphlab.tensor.tensor import Tensor, wrap


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Return softmax(scale · Q Kᵀ + mask) V: for each query, a weighted mean of the values.

    query, key, value: Q (..., L, E), K (..., S, E), V (..., S, E')
    attn_mask: broadcastable to (..., L, S); bool, True where a query may attend to a key; or float,
        added to the scores
    dropout_p: float in [0, 1], the probability of dropping a weight
    is_causal: bool, let query i attend to the keys 0, ..., i only
    scale: float, 1 / √E by default
    enable_gqa: bool, repeat the heads (dimension -3) of key and value to match those of the query
    Returns: (..., L, E').
    Raises: RuntimeError for dtypes or dimensions that do not fit.
    Source: Vaswani et al. 2017.

    As in PyTorch, inputs of four dimensions become one node, and others a chain of nodes.

    >>> q, k, v = torch.zeros(1, 2), torch.ones(2, 2), torch.tensor([[1.0], [3.0]])
    >>> scaled_dot_product_attention(q, k, v)
    tensor([[2.]])
    """
    check(query, key, value, attn_mask)
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    mask = additive_mask(attn_mask, query)
    if enable_gqa and query.ndim > 2 and key.shape[-3] != query.shape[-3]:
        times = query.shape[-3] // key.shape[-3]
        key, value = (F.repeat_interleave(t, times, -3) for t in (key, value))
    if is_fused(query, key, value, mask, dropout_p):
        options = {"dropout_p": float(dropout_p), "is_causal": is_causal, "scale": scale}
        return apply(ScaledDotProductFlashAttentionForCpu, query, key, value, mask, **options)
    if is_causal:
        allowed = causal_mask(query.shape[-2], key.shape[-2]).astype(query._data.dtype)
        mask = wrap(allowed, False, None)
    if not query.is_floating_point():
        raise RuntimeError(f"expected scalar type Float but found {type_name(query)}")
    root = math.sqrt(1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    query = mul_number(query, root)
    scores = F.matmul(query, mul_number(F.transpose(key, -2, -1), root))
    if mask is not None:
        scores = F.add(scores, mask)
    weights = apply(SafeSoftmax, scores, dim=-1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    return F.matmul(weights, value)


def check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    """Raise RuntimeError for dtypes and dimensions that do not fit."""
    for place, (word, t) in enumerate((("query", query), ("key", key), ("value", value)), 1):
        need_tensor("scaled_dot_product_attention", word, place, t)
    if not query.dtype is key.dtype is value.dtype:
        q, k, v = (c_name(t) for t in (query, key, value))
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{q} key.dtype: {k} and value.dtype: {v} instead."
        )
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead."
        )
    if (
        mask is None
        or mask._data.dtype == np.bool_
        or mask._data.dtype in (np.float32, query._data.dtype)
    ):
        return
    raise RuntimeError(
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
        f"attn_mask.dtype: {c_name(mask)} and  query.dtype: {c_name(query)} instead."
    )


def additive_mask(mask: Tensor | None, query: Tensor) -> Tensor | None:
    """Return a mask to be added to the scores; of a bool mask, True becomes 0 and False -∞."""
    if mask is None or mask._data.dtype != np.bool_:
        return mask
    kind = query._data.dtype.type
    return wrap(np.where(mask._data, kind(0), kind(-np.inf)), False, None)


def is_fused(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float
) -> bool:
    """Return whether PyTorch computes this attention as one operation."""
    if dropout_p != 0 or not query.ndim == key.ndim == value.ndim == 4:
        return False
    if not query.is_floating_point() or query._data.dtype == np.float16:
        return False
    if mask is not None and (mask.requires_grad or mask.ndim not in (2, 4)):
        return False
    shapes = [tuple(t.shape) for t in (query, key, value)]
    if len({s[:2] for s in shapes}) > 1 or len({s[3] for s in shapes}) > 1:
        return False
    if any(t.stride(-1) != 1 for t in (query, key, value)):
        return False
    if mask is not None:
        wanted = (*shapes[0][:3], shapes[1][2])
        if not can_fit(tuple(mask.shape), wanted):
            return False
    return all(s[2] > 0 for s in shapes) and shapes[1][2] == shapes[2][2]
