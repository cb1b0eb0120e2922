"""The transformer: an encoder and a decoder, which are stacks of attention layers.

Read next: nn/attention.py
"""

import copy
from typing import Any

from graphlab.common.dtypes import dtype
from graphlab.nn import init
from graphlab.nn.attention import as_scores
from graphlab.nn.containers import ModuleList
from graphlab.nn.layer import Layer
from graphlab.nn.module import Module
from graphlab.nn.normalization import LayerNorm
from graphlab.nn.transformer_layers import (
    Activation,
    TransformerDecoderLayer,
    TransformerEncoderLayer,
    TransformerPart,
)
from graphlab.tensor import functions as core
from graphlab.tensor.creation import full
from graphlab.tensor.tensor import Tensor


def copies(layer: Module, n: int) -> ModuleList:
    """Return n copies of a layer, with its values."""
    return ModuleList([copy.deepcopy(layer) for _ in range(n)])


def is_causal_mask(mask: Any, given: bool | None, size: int) -> bool:
    """Return whether a mask is the causal one: `given`, or if that is None, by comparison."""
    if given is not None or mask is None:
        return given is True
    causal = Transformer.generate_square_subsequent_mask(size, dtype=mask.dtype)
    return mask.shape == causal.shape and bool((mask == causal).all())


class TransformerStack(Layer):
    """The base of encoder and decoder: copies of a layer, one after the other, and a norm.

    num_layers: int, the number of copies, which start with the same values.
    norm: Module that is applied last; default None.

    Attributes:
        layers: ModuleList of the copies
        norm: the last module, or None
    """

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


class TransformerEncoder(TransformerStack):
    """Apply encoder layers one after the other.

    encoder_layer: TransformerEncoderLayer to copy.
    enable_nested_tensor: bool, without effect here; in PyTorch, it allows a faster way; default
        True.
    mask_check: bool, without effect here, as `enable_nested_tensor`; default True.

    Shapes: src (S, N, E) or (S, E) -> the same.

    >>> layer = torch.nn.TransformerEncoderLayer(d_model=4, nhead=2, dim_feedforward=8)
    >>> TransformerEncoder(layer, num_layers=2)(torch.ones(3, 1, 4)).shape
    torch.Size([3, 1, 4])
    """

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


class TransformerDecoder(TransformerStack):
    """Apply decoder layers one after the other, each with the same memory.

    decoder_layer: TransformerDecoderLayer to copy.

    Shapes: tgt (T, N, E), memory (S, N, E), or both without N -> the shape of tgt.

    >>> layer = torch.nn.TransformerDecoderLayer(d_model=4, nhead=2, dim_feedforward=8)
    >>> TransformerDecoder(layer, num_layers=2)(torch.ones(3, 1, 4), torch.ones(5, 1, 4)).shape
    torch.Size([3, 1, 4])
    """

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


class Transformer(TransformerPart):
    """Encode a source sequence, then decode a target sequence with it, as in translation.

    The model has neither embeddings nor position encodings, and no output layer.

    Shapes: src (S, N, E), tgt (T, N, E), or both without N -> the shape of tgt.

    Attributes:
        encoder: TransformerEncoder
        decoder: TransformerDecoder
        xavier_uniform_ gives all matrices their initial values.

    Raises: RuntimeError, in the call, if the batches or the numbers of features do not fit.

    >>> model = Transformer(4, 2, 1, 1, dim_feedforward=8)
    >>> model(torch.ones(5, 1, 4), torch.ones(3, 1, 4)).shape
    torch.Size([3, 1, 4])
    """

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
        super().__init__(device)
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
        """Apply the model; the masks are those of the encoder and decoder layers."""
        batch_dim = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch_dim) != tgt.size(batch_dim):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: Any = None, dtype: dtype | None = None
    ) -> Tensor:
        """Return the causal mask (sz, sz), with which position i reads from the positions 0 to i.

        sz: int, the length. device: "cpu" or None. dtype: None for the default dtype.

        >>> import graphlab as torch
        >>> torch.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return core.triu(full((sz, sz), float("-inf"), dtype=dtype), 1)
