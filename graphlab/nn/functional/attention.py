"""Attention as a function: `F.scaled_dot_product_attention(q, k, v)`.

Read next: ops/attention.py
"""

import math

import numpy as np

from graphlab.autograd.record import apply
from graphlab.nn.functional.dropouts import dropout
from graphlab.ops.attention import SafeSoftmax, ScaledDotProductFlashAttentionForCpu
from graphlab.ops.softness import causal_mask
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_tensor
from graphlab.tensor.functions.products import c_name
from graphlab.tensor.functions.scalars import mul_number
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
    """softmax(scale · Q Kᵀ + mask) V. (..., L, E), (..., S, E), (..., S, V) -> (..., L, V).

    attn_mask: True where a query may look, or numbers that are added to the scores.
    is_causal: a query looks at its own place and before it. scale: 1 / √E when not given.
    Raises: RuntimeError, as PyTorch does, for tensors that do not fit.

    As in PyTorch it is one operation for tensors of four dimensions, and a chain for others.

    >>> import graphlab as torch
    >>> q, k, v = torch.zeros(1, 2), torch.ones(2, 2), torch.tensor([[1.0], [3.0]])
    >>> scaled_dot_product_attention(q, k, v)
    tensor([[2.]])
    """
    check(query, key, value, attn_mask)
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    mask = as_numbers(attn_mask, query)
    if enable_gqa and query.ndim > 2 and key.shape[-3] != query.shape[-3]:
        times = query.shape[-3] // key.shape[-3]
        key, value = (F.repeat_interleave(t, times, -3) for t in (key, value))
    if in_one(query, key, value, mask, dropout_p):
        return apply(
            ScaledDotProductFlashAttentionForCpu,
            query,
            key,
            value,
            mask,
            dropout_p=float(dropout_p),
            is_causal=is_causal,
            scale=scale,
        )
    if is_causal:
        allowed = causal_mask(query.shape[-2], key.shape[-2]).astype(query._data.dtype)
        mask = wrap(allowed, False, None)
    if not query.is_floating_point():
        found = query.dtype.legacy.removesuffix("Tensor")
        raise RuntimeError(f"expected scalar type Float but found {found}")
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
    """Raises: RuntimeError, in PyTorch's words, for types and dimensions that do not fit."""
    for place, (word, t) in enumerate((("query", query), ("key", key), ("value", value)), 1):
        need_tensor("scaled_dot_product_attention", word, place, t)
    if not query.dtype is key.dtype is value.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{said(query)} key.dtype: {said(key)} and value.dtype: {said(value)} instead."
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
        f"attn_mask.dtype: {said(mask)} and  query.dtype: {said(query)} instead."
    )


def said(tensor: Tensor) -> str:
    """The type as these messages name it."""
    return c_name(tensor).replace("long long", "long int")


def as_numbers(mask: Tensor | None, query: Tensor) -> Tensor | None:
    """A mask of yes and no as what is added to the scores: 0 or -∞."""
    if mask is None or mask._data.dtype != np.bool_:
        return mask
    kind = query._data.dtype.type
    return wrap(np.where(mask._data, kind(0), kind(-np.inf)), False, None)


def in_one(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float
) -> bool:
    """Whether PyTorch computes this in one operation."""
    if dropout_p != 0 or not query.ndim == key.ndim == value.ndim == 4:
        return False
    if not query.is_floating_point() or query._data.dtype == np.float16:
        return False
    if mask is not None and (mask.requires_grad or mask.ndim not in (2, 4)):
        return False
    shapes = [tuple(t.shape) for t in (query, key, value)]
    if len({s[:2] for s in shapes}) > 1 or len({s[3] for s in shapes}) > 1:
        return False
    if mask is not None:
        wanted = (*shapes[0][:3], shapes[1][2])
        fits = zip(reversed(mask.shape), reversed(wanted))  # noqa: B905  (a mask may be 2-D)
        if not all(n in (1, m) for n, m in fits):
            return False
    return all(s[2] > 0 for s in shapes) and shapes[1][2] == shapes[2][2]
