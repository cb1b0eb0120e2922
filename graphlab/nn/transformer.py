"""The transformer: attention and small nets in turn, each added to what came in.

Read next: nn/attention.py
"""

import copy
from collections.abc import Callable
from typing import Any

from graphlab.common.devices import check_device
from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.attention import MultiheadAttention, as_scores
from graphlab.nn.containers import ModuleList
from graphlab.nn.dropout import Dropout
from graphlab.nn.linear import Linear
from graphlab.nn.module import Module
from graphlab.nn.normalization import LayerNorm
from graphlab.tensor import functions as core
from graphlab.tensor.creation import full
from graphlab.tensor.tensor import Tensor

Activation = str | Callable[[Tensor], Tensor]


def activation_of(given: Activation) -> Callable[[Tensor], Tensor]:
    """The function that a name means, "relu" or "gelu"; or the function that was given."""
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return F.relu if given == "relu" else F.gelu


class Block(Module):
    """What the layers of both sides have: attention, a net of two layers, norms and dropout."""

    attentions: tuple[str, ...] = ("self_attn",)

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        check_device(device)
        for name in self.attentions:
            attention = MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, dtype=dtype)
        self.norm_first = norm_first
        parts = range(1, len(self.attentions) + 2)
        for i in parts:
            setattr(self, f"norm{i}", LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype))
        for i in parts:
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = activation_of(activation)

    def _added(self, x: Tensor, i: int, part: Callable[[Tensor], Tensor]) -> Tensor:
        """x and what a part makes of it; the norm comes before the part, or after the sum."""
        norm, dropout = getattr(self, f"norm{i}"), getattr(self, f"dropout{i}")
        if self.norm_first:
            return x + dropout(part(norm(x)))
        return norm(x + dropout(part(x)))

    def _net(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(Block):
    """Attention to itself, then a small net. src: (S, N, E), with batch_first (N, S, E).

    >>> import graphlab as torch
    >>> TransformerEncoderLayer(d_model=4, nhead=2, dim_feedforward=8)(torch.ones(3, 1, 4)).shape
    torch.Size([3, 1, 4])
    """

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        other = None if src_mask is None else src_mask.dtype
        padding = as_scores(src_key_padding_mask, "src_key_padding_mask", src.dtype, other)
        mask = as_scores(src_mask, "src_mask", src.dtype, None)

        def look(x: Tensor) -> Tensor:
            return self.self_attn(
                x, x, x, padding, need_weights=False, attn_mask=mask, is_causal=is_causal
            )[0]

        return self._added(self._added(src, 1, look), 2, self._net)


class TransformerDecoderLayer(Block):
    """Attention to itself, then to the memory, then a small net. tgt: (T, N, E)."""

    attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        def look(x: Tensor) -> Tensor:
            return self.self_attn(
                x, x, x, tgt_key_padding_mask, need_weights=False, attn_mask=tgt_mask,
                is_causal=tgt_is_causal,
            )[0]  # fmt: skip

        def remember(x: Tensor) -> Tensor:
            return self.multihead_attn(
                x, memory, memory, memory_key_padding_mask, need_weights=False,
                attn_mask=memory_mask, is_causal=memory_is_causal,
            )[0]  # fmt: skip

        return self._added(self._added(self._added(tgt, 1, look), 2, remember), 3, self._net)


def copies(layer: Module, n: int) -> ModuleList:
    """n layers that begin alike."""
    return ModuleList([copy.deepcopy(layer) for _ in range(n)])


def is_causal_mask(mask: Any, given: bool | None, size: int) -> bool:
    """Whether a mask lets every place look at those before it: as said, or found by looking."""
    if given is not None or mask is None:
        return given is True
    causal = Transformer.generate_square_subsequent_mask(size, dtype=mask.dtype)
    return mask.shape == causal.shape and bool((mask == causal).all())


class Stack(Module):
    """Layers one after the other, and perhaps a norm at the end."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = copies(layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def _length(self, x: Tensor) -> int:
        first: Any = self.layers[0]
        return x.shape[1 if x.dim() == 3 and first.self_attn.batch_first else 0]

    def _finished(self, x: Tensor) -> Tensor:
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(Stack):
    """A stack of TransformerEncoderLayer. src: (S, N, E) -> (S, N, E)."""

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        other = None if mask is None else mask.dtype
        padding = as_scores(src_key_padding_mask, "src_key_padding_mask", src.dtype, other)
        mask = as_scores(mask, "mask", src.dtype, None)
        causal = is_causal_mask(mask, is_causal, self._length(src))
        for layer in self.layers:
            src = layer(src, mask, padding, causal)
        return self._finished(src)


class TransformerDecoder(Stack):
    """A stack of TransformerDecoderLayer. tgt: (T, N, E), memory: (S, N, E) -> (T, N, E)."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        causal = is_causal_mask(tgt_mask, tgt_is_causal, self._length(tgt))
        for layer in self.layers:
            tgt = layer(
                tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
                memory_key_padding_mask, causal, memory_is_causal,
            )  # fmt: skip
        return self._finished(tgt)


class Transformer(Module):
    """An encoder and a decoder. src: (S, N, E), tgt: (T, N, E) -> (T, N, E)."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__()
        check_device(device)
        options = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, bias, device, dtype,
        )  # fmt: skip

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)

        if custom_encoder is None:
            layer = TransformerEncoderLayer(*options)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*options)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm())
        self.decoder = custom_decoder
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        batch_dim = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch_dim) != tgt.size(batch_dim):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src,
            mask=src_mask,
            src_key_padding_mask=src_key_padding_mask,
            is_causal=src_is_causal,
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: Any = None, dtype: dtype | None = None
    ) -> Tensor:
        """A mask by which every place looks at itself and those before it: (sz, sz)."""
        return core.triu(full((sz, sz), float("-inf"), dtype=dtype), 1)
