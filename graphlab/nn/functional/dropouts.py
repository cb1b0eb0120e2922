"""Dropouts as functions: `F.dropout(x, 0.5)` sets entries to 0 at random, and scales the others.

The numbers are PyTorch's for the same seed: an entry stays where a random double is below 1 - p.

Read next: tensor/random/generator.py
"""

import math
import warnings

import numpy as np

from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_tensor
from graphlab.tensor.random.generator import default_generator
from graphlab.tensor.tensor import Tensor, wrap

ALPHA = 1.7580993408473766  # selu's saturation: its scale times its α


def check_probability(p: float) -> None:
    """Raises: ValueError, in PyTorch's words, for a number that is no probability."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def kept(input: Tensor, shape: tuple[int, ...], p: float) -> np.ndarray:
    """1 where an entry stays, which is with probability 1 - p, and 0 elsewhere."""
    draws = default_generator.uniform(math.prod(shape), double=True)
    return (draws < 1 - p).astype(input._data.dtype).reshape(shape)


def times(input: Tensor, noise: np.ndarray, inplace: bool) -> Tensor:
    """The input times fixed numbers, in its own memory where `inplace` says so."""
    factor = wrap(noise if noise.ndim else noise[()], False, None)
    return input.mul_(factor) if inplace else F.mul(input, factor)


def drop(input: Tensor, shape: tuple[int, ...], p: float, training: bool, inplace: bool) -> Tensor:
    """Drop entries, or whole channels where the noise has a smaller shape."""
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        return times(input, np.zeros((), input._data.dtype), inplace)
    if not input.is_floating_point():
        kind = input.dtype.legacy.removesuffix("Tensor")
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")
    noise = kept(input, shape, p) / input._data.dtype.type(1 - p)
    return times(input, np.asarray(noise), inplace)


def channels(input: Tensor) -> tuple[int, ...]:
    """The shape of noise that is one number for each channel of each image."""
    if input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (*input.shape[:2], *(1,) * (input.ndim - 2))


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each entry becomes 0 with probability p, else entry / (1 - p). input: (...) -> (...).

    Raises: ValueError when p is no probability.

    >>> import graphlab as torch
    >>> _ = torch.manual_seed(0)
    >>> dropout(torch.ones(6))
    tensor([0., 0., 2., 0., 0., 0.])
    """
    check_probability(p)
    need_tensor("dropout", "input", 1, input)
    return drop(input, tuple(input.shape), p, training, inplace)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Each channel becomes 0 with probability p. input: (N, C, L) or (C, L) -> same."""
    check_probability(p)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that "
            "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, "
            "a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return by_channels(input, p, training, inplace, unbatched=input.ndim == 2)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Each channel becomes 0 with probability p. input: (N, C, H, W) -> same.

    Warns: UserWarning, as PyTorch does, for other than four dimensions.
    """
    check_probability(p)
    if input.ndim not in (3, 4):
        warn_dims(input, 2, "2 spatial", "3D or 4D")
    if input.ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
            "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel "
            "dim. This behavior will change in a future release to interpret the input as one "
            "without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
            "dropout behavior, please switch to using dropout1d instead.",
            stacklevel=2,
        )
    return by_channels(input, p, training, inplace, unbatched=False)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Each channel becomes 0 with probability p. input: (N, C, D, H, W) or (C, D, H, W) -> same.

    Warns: UserWarning, as PyTorch does, for other dimensions.
    """
    check_probability(p)
    if input.ndim not in (4, 5):
        warn_dims(input, 3, "3 spatial", "4D or 5D")
    return by_channels(input, p, training, inplace, unbatched=input.ndim != 5)


def warn_dims(input: Tensor, dims: int, spatial: str, wanted: str) -> None:
    """PyTorch's warning for an input that is no image."""
    warnings.warn(
        f"dropout{dims}d: Received a {input.ndim}-D input to dropout{dims}d, which is deprecated "
        "and will result in an error in a future release. To retain the behavior and silence this "
        f"warning, please use dropout instead. Note that dropout{dims}d exists to provide "
        f"channel-wise dropout on inputs with {spatial} dimensions, a channel dimension, and an "
        f"optional batch dimension (i.e. {wanted} inputs).",
        stacklevel=3,
    )


def by_channels(input: Tensor, p: float, training: bool, inplace: bool, unbatched: bool) -> Tensor:
    """Drop whole channels; an image alone is a batch of one."""
    if not unbatched:
        return drop(input, channels(input), p, training, inplace)
    batch = F.unsqueeze(input, 0)
    out = drop(batch, channels(batch), p, training, inplace)
    return input if inplace else F.squeeze(out, 0)


def saturate(
    input: Tensor, shape: tuple[int, ...], p: float, training: bool, inplace: bool
) -> Tensor:
    """Set entries to selu's saturation, and scale so that mean 0 and variance 1 persist."""
    check_probability(p)
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        return times(input, np.zeros((), input._data.dtype), inplace)
    stays = kept(input, shape, p)
    a = 1.0 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    shift = (stays - 1) * (ALPHA * a) + ALPHA * a * p
    scaled = times(input, stays * a, inplace)
    return scaled.add_(wrap(shift.astype(input._data.dtype), False, None))


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Each entry saturates with probability p, as selu does. input: (...) -> (...)."""
    return saturate(input, tuple(input.shape), p, training, inplace)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Each channel saturates with probability p, as selu does. input: (N, C, *S) -> same."""
    need_tensor("feature_alpha_dropout", "input", 1, input)
    return saturate(input, channels(input) if training else (), p, training, inplace)
