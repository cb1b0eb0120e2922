"""Attention: each query gets a mean of the values, weighted by how well their keys match it.

    P = softmax(scale · Q Kᵀ + mask)     O = P V

Read next: primitives/table.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import copy
from graphlab.primitives.numpy_reading.matrices import (
    attention_scores,
    log_of_sum,
    matmul,
    safe_softmax,
    scale_of,
)
from graphlab.primitives.numpy_reading.reductions import sum
from graphlab.primitives.numpy_reading.shapes import transpose


class SafeSoftmax(Op):
    """Return the softmax along `dim`, 0 where all entries are -∞. self: (...) -> (...)."""

    node, symbol, types = "SafeSoftmaxBackward0", "softmax", "keep"
    phrase = "the softmax times (the gradient − the mean of the gradient, weighted by the softmax)"

    def forward(self, *, dim):
        return safe_softmax(self, dim)

    def grad_self(grad, result, dim):
        return (grad - sum(grad * result, (dim,), True)) * result


class ScaledDotProductFlashAttentionForCpu(Op):
    """Attention in one operation. query: (N, H, L, E), key: (N, H, S, E), value: (N, H, S, V).

    attn_mask: what is added to the scores, broadcastable to (N, H, L, S), or None.
    """

    node, symbol, types = "ScaledDotProductFlashAttentionForCpuBackward0", "attention", "keep"
    phrase_query = (
        "the gradient of the scores, by the rule of the softmax, times the keys and the scale"
    )
    phrase_key = (
        "the gradient of the scores, by the rule of the softmax, times the queries and the scale"
    )
    phrase_value = (
        "each value gets the gradients of all outputs that used it, times its attention weights"
    )
    outputs = ("output",)
    also_saved = ("query", "key", "value", "attn_mask", "output", "dropout_p", "is_causal", "scale")

    def forward(query, key, value, attn_mask, *, dropout_p, is_causal, scale):
        scores = attention_scores(query, key, attn_mask, is_causal, scale)
        result = matmul(safe_softmax(scores, -1), value)
        return copy(result, like=query)

    def grad_query(grad, query, key, value, attn_mask, is_causal, scale):
        weights = safe_softmax(attention_scores(query, key, attn_mask, is_causal, scale), -1)
        found = matmul(grad, transpose(value, 2, 3))
        found = (found - sum(found * weights, (-1,), True)) * weights
        return matmul(found, key) * scale_of(query, scale)

    def grad_key(grad, query, key, value, attn_mask, is_causal, scale):
        weights = safe_softmax(attention_scores(query, key, attn_mask, is_causal, scale), -1)
        found = matmul(grad, transpose(value, 2, 3))
        found = (found - sum(found * weights, (-1,), True)) * weights
        return matmul(transpose(found, 2, 3), query) * scale_of(query, scale)

    def grad_value(grad, query, key, attn_mask, is_causal, scale):
        weights = safe_softmax(attention_scores(query, key, attn_mask, is_causal, scale), -1)
        return matmul(transpose(weights, 2, 3), grad)

    def show_logsumexp(query, key, attn_mask, is_causal, scale):
        return log_of_sum(attention_scores(query, key, attn_mask, is_causal, scale))
