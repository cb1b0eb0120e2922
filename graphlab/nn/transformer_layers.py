"""The layers of a transformer: attention and a feed-forward network, each added to its input.

Read next: nn/transformer.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn.attention import MultiheadAttention, as_scores
from graphlab.nn.dropout import Dropout
from graphlab.nn.layer import Layer
from graphlab.nn.linear import Linear
from graphlab.nn.normalization import LayerNorm
from graphlab.tensor.tensor import Tensor

Activation = str | Callable[[Tensor], Tensor]


def activation_of(given: Activation) -> Callable[[Tensor], Tensor]:
    """Return the function with the name "relu" or "gelu", or the given function.

    Raises: RuntimeError for another name.
    """
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return F.relu if given == "relu" else F.gelu


class TransformerPart(Layer):
    """The base of Transformer and its layers.

    d_model: int, the number of features of each position, E; a multiple of `nhead`.
    nhead: int, the number of attention heads.
    num_encoder_layers: int, the number of encoder layers; default 6.
    num_decoder_layers: int, the number of decoder layers; default 6.
    dim_feedforward: int, the width of the feed-forward network; default 2048.
    dropout: float, the probability of dropping an entry in training; default 0.1.
    activation: "relu", "gelu" or a function of one tensor; default "relu".
    custom_encoder: Module, the encoder; default None, for a new TransformerEncoder.
    custom_decoder: Module, the decoder; default None, for a new TransformerDecoder.
    layer_norm_eps: float, `eps` of the layer norms; default 1e-5.
    batch_first: bool, whether the tensors are (N, S, E) and not (S, N, E); default False.
    norm_first: bool, whether each sublayer f computes x + dropout(f(norm(x))), with the norm
        first, instead of norm(x + dropout(f(x))); default False.
    bias: bool, whether the Linear layers and norms add learned vectors; default True.

    Source: Vaswani et al. 2017, arXiv:1706.03762.
    """


class TransformerLayer(TransformerPart):
    """The base of the encoder and decoder layers: attention and a feed-forward network.

    The network is Linear(d_model, dim_feedforward), activation, dropout and
    Linear(dim_feedforward, d_model).
    """

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
        super().__init__(device)
        for name in self.attentions:
            attention = MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, dtype=dtype)
        self.norm_first = norm_first
        sublayers = range(1, len(self.attentions) + 2)
        for i in sublayers:
            setattr(self, f"norm{i}", LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype))
        for i in sublayers:
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = activation_of(activation)

    def _added(self, x: Tensor, i: int, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Return x plus a sublayer of x, with the norm before the sublayer or after the sum."""
        norm, dropout = getattr(self, f"norm{i}"), getattr(self, f"dropout{i}")
        if self.norm_first:
            return x + dropout(sublayer(norm(x)))
        return norm(x + dropout(sublayer(x)))

    def _net(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(TransformerLayer):
    """Let a sequence attend to itself, then apply a feed-forward network to each position.

    Shapes: src (S, N, E) or (S, E) -> the same.

    Attributes:
        self_attn: MultiheadAttention
        linear1, linear2: Linear, the network
        norm1, norm2: LayerNorm
        dropout, dropout1, dropout2: Dropout

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
        """Apply the layer; the masks are those of MultiheadAttention.

        src_mask: (S, S). src_key_padding_mask: (N, S).
        is_causal: bool, whether `src_mask` is the causal mask.
        """
        other = None if src_mask is None else src_mask.dtype
        padding = as_scores(src_key_padding_mask, "src_key_padding_mask", src.dtype, other)
        mask = as_scores(src_mask, "src_mask", src.dtype, None)

        def attend_to_itself(x: Tensor) -> Tensor:
            return self.self_attn(
                x, x, x, padding, need_weights=False, attn_mask=mask, is_causal=is_causal
            )[0]

        return self._added(self._added(src, 1, attend_to_itself), 2, self._net)


class TransformerDecoderLayer(TransformerLayer):
    """Let a sequence attend to itself and to a memory, then apply a feed-forward network.

    Shapes: tgt (T, N, E), memory (S, N, E), or both without N -> the shape of tgt.

    Attributes:
        self_attn, multihead_attn: MultiheadAttention, to the sequence and to the memory
        linear1, linear2: Linear, the network
        norm1, norm2, norm3: LayerNorm
        dropout, dropout1, dropout2, dropout3: Dropout

    >>> layer = TransformerDecoderLayer(d_model=4, nhead=2, dim_feedforward=8)
    >>> layer(torch.ones(3, 1, 4), torch.ones(5, 1, 4)).shape
    torch.Size([3, 1, 4])
    """

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
        """Apply the layer; the masks are those of MultiheadAttention.

        memory: the output of the encoder. tgt_mask: (T, T). memory_mask: (T, S).
        tgt_key_padding_mask: (N, T). memory_key_padding_mask: (N, S).
        tgt_is_causal, memory_is_causal: bool, whether the mask is the causal mask.
        """

        def attend_to_itself(x: Tensor) -> Tensor:
            return self.self_attn(
                x, x, x, tgt_key_padding_mask, need_weights=False, attn_mask=tgt_mask,
                is_causal=tgt_is_causal,
            )[0]  # fmt: skip

        def attend_to_memory(x: Tensor) -> Tensor:
            return self.multihead_attn(
                x, memory, memory, memory_key_padding_mask, need_weights=False,
                attn_mask=memory_mask, is_causal=memory_is_causal,
            )[0]  # fmt: skip

        x = self._added(tgt, 1, attend_to_itself)
        x = self._added(x, 2, attend_to_memory)
        return self._added(x, 3, self._net)
