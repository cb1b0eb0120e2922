"""Multi-head attention: each position of one sequence reads from all positions of another.

Read next: nn/transformer_layers.py
"""

import math
import warnings
from typing import Any

from graphlab.common.dtypes import bool_, dtype
from graphlab.common.errors import users_level
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.layer import Layer
from graphlab.nn.linear import Linear
from graphlab.tensor import functions as core
from graphlab.tensor.creation import zeros, zeros_like
from graphlab.tensor.tensor import Tensor


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear; PyTorch shows the output projection of an attention under this name."""


class MultiheadAttention(Layer):
    """Return, for each query, a mean of the values, weighted by how well their keys match it.

    Each head h projects its inputs to d = embed_dim / num_heads features and computes
    softmax(Qₕ Kₕᵀ / √d) Vₕ; a Linear combines the outputs of all heads.

    embed_dim: int, the number of features of queries and outputs, E; a multiple of `num_heads`.
    num_heads: int, the number of heads.
    dropout: float, the probability of dropping an attention weight in training; default 0.
    bias: bool, whether the projections add learned vectors; default True.
    add_bias_kv: bool, whether to append a learned key and value to the sequence; default False.
    add_zero_attn: bool, whether to append a key and a value of zeros; default False.
    kdim: int, the number of features of the keys; default None, for `embed_dim`.
    vdim: int, the number of features of the values; default None, for `embed_dim`.
    batch_first: bool, whether the tensors are (N, L, E) and not (L, N, E); default False.

    Shapes: query (L, N, E), key (S, N, kdim), value (S, N, vdim), or all without N -> output
        (L, N, E) or without N, and the weights of `forward`.

    Attributes:
        in_proj_weight: (3 · E, E), the weights of Q, K and V; if kdim or vdim is not E, None, and
        q_proj_weight: (E, E), k_proj_weight: (E, kdim) and v_proj_weight: (E, vdim) instead
        in_proj_bias: (3 · E,), starts at 0, or None
        bias_k, bias_v: (1, 1, E), or None
        out_proj: Linear(E, E), whose bias starts at 0
        xavier_uniform_ gives the first four their initial values, xavier_normal_ bias_k and bias_v.

    Raises: ValueError if a size is not positive, AssertionError if num_heads does not divide
        embed_dim; and in the call AssertionError or RuntimeError for shapes that do not fit.

    Source: Vaswani et al. 2017, arXiv:1706.03762.

    >>> output, weights = MultiheadAttention(4, 2)(*[torch.ones(3, 1, 4)] * 3)
    >>> output.shape, weights.shape
    (torch.Size([3, 1, 4]), torch.Size([1, 3, 3]))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__(device)
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self._make_weights(bias, add_bias_kv, dtype)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _make_weights(self, bias: bool, add_bias_kv: bool, kind: dtype | None) -> None:
        n, packed = self.embed_dim, self._qkv_same_embed_dim
        if packed:
            self._add_weight("in_proj_weight", 3 * n, n, dtype=kind)
        for name, width in (("q", n), ("k", self.kdim), ("v", self.vdim)):
            self._add_weight(f"{name}_proj_weight", n, width, dtype=kind, wanted=not packed)
        if not packed:
            self.register_parameter("in_proj_weight", None)
        self._add_weight("in_proj_bias", 3 * n, dtype=kind, wanted=bias)
        self.out_proj = NonDynamicallyQuantizableLinear(n, n, bias=bias, dtype=kind)
        for name in ("bias_k", "bias_v"):
            self._add_weight(name, 1, 1, n, dtype=kind, wanted=add_bias_kv)

    def _reset_parameters(self) -> None:
        for name in ("in_proj", "q_proj", "k_proj", "v_proj"):
            if (weight := getattr(self, f"{name}_weight")) is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for weight in (self.bias_k, self.bias_v):
            if weight is not None:
                init.xavier_normal_(weight)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the output and the attention weights.

        query, key, value: the sequences, in the shapes of the class's docstring.
        key_padding_mask: (N, S), bool, True for keys to ignore, or numbers to add to the scores.
        need_weights: bool, whether to return the weights too; None in their place is faster.
        attn_mask: (L, S) or (N · num_heads, L, S), bool, True where a query must not read, or
            numbers to add to the scores.
        average_attn_weights: bool, whether to return the mean of the weights over the heads,
            (N, L, S), or those of each head, (N, num_heads, L, S).
        is_causal: bool, a hint that `attn_mask` is the causal mask.
        Raises: AssertionError or RuntimeError for shapes that do not fit.
        """
        batched = check_shapes(query, key, value, key_padding_mask, attn_mask, self.num_heads)
        kind = query.dtype
        if not batched:
            query, key, value = (part.unsqueeze(1) for part in (query, key, value))
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        elif self.batch_first:
            query, key, value = length_first(query, key, value)
        other = None if attn_mask is None else attn_mask.dtype
        padding = as_scores(key_padding_mask, "key_padding_mask", kind, other)
        if is_causal and attn_mask is None:
            raise RuntimeError(
                "Need attn_mask if specifying the is_causal hint. You may use the Transformer "
                "module method `generate_square_subsequent_mask` to create this mask."
            )
        by_hint = is_causal and padding is None and not need_weights
        mask = None if by_hint else as_scores(attn_mask, "attn_mask", kind, None)
        self._check_sizes(query, key, value)
        target, batch, _ = query.shape
        check_mask(mask, target, key.shape[0], batch * self.num_heads)
        q, k, v = self._projected(query, key, value)
        q, k, v, mask, padding = self._heads(q, k, v, mask, padding, batch)
        mask = with_padding(mask, padding, batch, self.num_heads, k.shape[1])
        drop = self.dropout if self.training else 0.0
        if need_weights:
            output, weights = attend(q, k, v, mask, drop)
            output = output.transpose(0, 1)
        else:
            output, weights = self._at_once(q, k, v, mask, drop, by_hint, batch), None
        output = output.reshape(target * batch, self.embed_dim)
        output = self.out_proj(output).view(target, batch, self.embed_dim)
        if weights is not None:
            weights = weights.view(batch, self.num_heads, target, k.shape[1])
            weights = weights.mean(dim=1) if average_attn_weights else weights
        if not batched:
            return output.squeeze(1), None if weights is None else weights.squeeze(0)
        return (output.transpose(1, 0) if self.batch_first else output), weights

    def _check_sizes(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        """Raise AssertionError for numbers of features or lengths that do not fit."""
        if query.shape[-1] != self.embed_dim:
            raise AssertionError(
                f"was expecting embedding dimension of {self.embed_dim}, but got {query.shape[-1]}"
            )
        if self._qkv_same_embed_dim and key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {key.shape[:2]} do not match value's "
                f"{value.shape[:2]}"
            )

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        """Return queries, keys and values, each multiplied by its own part of the weights."""
        n, weight, bias = self.embed_dim, self.in_proj_weight, self.in_proj_bias
        if self._qkv_same_embed_dim and key is value:
            if query is key:
                return in_parts(F.linear(query, weight, bias), 3)
            q, kv = weight.split([n, 2 * n])
            b, c = (None, None) if bias is None else bias.split([n, 2 * n])
            return F.linear(query, q, b), *in_parts(F.linear(key, kv, c), 2)
        if self._qkv_same_embed_dim:
            weights = core.chunk(weight, 3)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases: Any = (None,) * 3 if bias is None else core.chunk(bias, 3)
        parts = zip((query, key, value), weights, biases, strict=True)
        return tuple(F.linear(x, w, b) for x, w, b in parts)

    def _heads(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Any, padding: Any, batch: int
    ) -> tuple[Any, ...]:
        """Turn (L, N, E) into (N · heads, L, E / heads), and append bias_kv and zeros if asked."""
        if self.bias_k is not None and self.bias_v is not None:
            k = core.cat([k, self.bias_k.repeat(1, batch, 1)])
            v = core.cat([v, self.bias_v.repeat(1, batch, 1)])
            mask, padding = longer(mask), longer(padding)
        rows = batch * self.num_heads
        q, k, v = (x.view(x.shape[0], rows, self.head_dim).transpose(0, 1) for x in (q, k, v))
        if self.add_zero_attn:
            k = core.cat([k, zeros(rows, 1, self.head_dim, dtype=k.dtype)], 1)
            v = core.cat([v, zeros(rows, 1, self.head_dim, dtype=v.dtype)], 1)
            mask, padding = longer(mask), longer(padding)
        return q, k, v, mask, padding

    def _at_once(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Any, drop: float, causal: bool, batch: int
    ) -> Tensor:
        """Return the output of the heads, (L, N, E), without computing the weights apart."""
        if mask is not None:
            one = mask.size(0) == 1
            mask = mask.unsqueeze(0) if one else mask.view(batch, self.num_heads, -1, k.shape[1])
        parts = (x.view(batch, self.num_heads, x.shape[1], self.head_dim) for x in (q, k, v))
        output = F.scaled_dot_product_attention(*parts, mask, drop, causal)
        return output.permute(2, 0, 1, 3)


def length_first(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Turn (N, L, E) into (L, N, E); a tensor that is given twice is turned once."""
    if key is not value:
        return query.transpose(1, 0), key.transpose(1, 0), value.transpose(1, 0)
    turned = query.transpose(1, 0)
    other = turned if query is key else key.transpose(1, 0)
    return turned, other, other


def in_parts(packed: Tensor, count: int) -> tuple[Tensor, ...]:
    """Cut (L, N, count · E) into `count` tensors (L, N, E), which share one new memory."""
    parts = packed.unflatten(-1, (count, packed.shape[-1] // count)).unsqueeze(0)
    parts = parts.transpose(0, -2).squeeze(-2).contiguous()
    return tuple(parts[k] for k in range(count))


def longer(mask: Any) -> Any:
    """Return a mask, or None, with one more key, which may be read."""
    return None if mask is None else F.pad(mask, (0, 1))


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Any, drop: float) -> tuple[Tensor, Tensor]:
    """Return the output of each head, (N · heads, L, E / heads), and its weights."""
    q = q * math.sqrt(1.0 / q.shape[-1])
    keys = k.transpose(-2, -1)
    scores = core.bmm(q, keys) if mask is None else core.baddbmm(mask, q, keys)
    weights = core.softmax(scores, -1)
    if drop > 0.0:
        weights = F.dropout(weights, drop)
    return core.bmm(weights, v), weights


# -- masks ---------------------------------------------------------------------------------------


def as_scores(mask: Any, name: str, kind: dtype, other: dtype | None) -> Any:
    """Return a mask as numbers to add to the scores: -inf where a bool mask is True.

    kind: the dtype of the numbers. other: the dtype of the other mask, or None.
    Raises: AssertionError for a mask of integers. Warns: UserWarning if the dtypes differ.
    """
    if mask is None:
        return None
    if mask.dtype is not bool_ and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other:
        warnings.warn(
            f"Support for mismatched {name} and attn_mask is deprecated. Use same type for both "
            "instead.",
            stacklevel=users_level(),
        )
    if mask.is_floating_point():
        return mask
    return core.masked_fill(zeros_like(mask, dtype=kind), mask, -math.inf)


def with_padding(mask: Any, padding: Any, batch: int, heads: int, length: int) -> Any:
    """Return the sum of the mask of positions and the mask of padding keys."""
    if mask is not None and mask.dim() == 2:
        mask = mask.unsqueeze(0)
    if padding is None:
        return mask
    for i, expected in enumerate((batch, length)):
        if padding.shape[i] != expected:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{i}] to be {expected}, but got {padding.shape[i]}"
            )
    padding = padding.view(batch, 1, 1, length).expand(-1, heads, -1, -1)
    padding = padding.reshape(batch * heads, 1, length)
    return padding if mask is None else mask + padding


def check_mask(mask: Any, target: int, source: int, heads: int) -> None:
    """Raise RuntimeError if the mask has another shape."""
    if mask is None:
        return
    expected = (target, source) if mask.dim() == 2 else (heads, target, source)
    if tuple(mask.shape) != expected:
        raise RuntimeError(
            f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {expected}."
        )


def check_shapes(
    query: Tensor, key: Tensor, value: Tensor, padding: Any, mask: Any, heads: int
) -> bool:
    """Return whether there is a batch. Raises: AssertionError for dimensions that do not fit."""
    if query.dim() not in (2, 3):
        raise AssertionError(
            "query should be unbatched 2D or batched 3D tensor but received "
            f"{query.dim()}-D query tensor"
        )
    n = query.dim()
    how = f"For {'batched' if n == 3 else 'unbatched'} ({n}-D) `query`, expected"
    if key.dim() != n or value.dim() != n:
        raise AssertionError(
            f"{how} `key` and `value` to be {n}-D but found {key.dim()}-D and {value.dim()}-D "
            "tensors respectively"
        )
    if padding is not None and padding.dim() != n - 1:
        raise AssertionError(
            f"{how} `key_padding_mask` to be `None` or {n - 1}-D but found {padding.dim()}-D "
            "tensor instead"
        )
    if mask is not None and mask.dim() not in (2, 3):
        raise AssertionError(
            f"{how} `attn_mask` to be `None`, 2-D or 3-D but found {mask.dim()}-D tensor instead"
        )
    if n == 2 and mask is not None and mask.dim() == 3:
        expected = (heads, query.shape[0], key.shape[0])
        if tuple(mask.shape) != expected:
            raise AssertionError(
                f"Expected `attn_mask` shape to be {expected} but got {mask.shape}"
            )
    return n == 3
