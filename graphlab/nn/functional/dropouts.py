"""Dropout: `F.dropout(x, 0.5)` sets entries to 0 at random and scales the others.

For the same seed the result is PyTorch's: an entry stays where a random double is below 1 - p.

Read next: tensor/random/generator.py
"""

import math
import warnings
from collections.abc import Callable

import numpy as np

from graphlab.common.errors import users_level
from graphlab.common.public import mark, public
from graphlab.nn.functional.pooling_windows import IMAGES, KINDS, named
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_tensor, type_name
from graphlab.tensor.random import BLOCK
from graphlab.tensor.random.generator import default_generator
from graphlab.tensor.random.sampling import arranged
from graphlab.tensor.tensor import Tensor, wrap

ALPHA = 1.7580993408473766  # selu(x) tends to -ALPHA for x → -∞: its scale times its α


def check_probability(p: float) -> None:
    """Raise ValueError for a number outside [0, 1]."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def keep_mask(input: Tensor, shape: tuple[int, ...] | None, p: float) -> np.ndarray:
    """Return an array that is 1 with probability 1 - p and 0 otherwise; shape: as for `drop`."""
    stays = np.empty(math.prod(shape or input.shape), input._data.dtype)
    for start in range(0, stays.size, BLOCK):
        part = stays[start : start + BLOCK]
        part[:] = default_generator.uniform(part.size, True) < 1 - p
    return arranged(stays, input._data) if shape is None else stays.reshape(shape)


def scaled(input: Tensor, noise: np.ndarray, inplace: bool) -> Tensor:
    """Return the input times constants, with `inplace` in its own memory."""
    factor = wrap(noise[()], False, None)
    return input.mul_(factor) if inplace else F.mul(input, factor)


def without_noise(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor | None:
    """Return the result where nothing is random: the input or zeros; None where it is."""
    if p == 0 or not training or input.numel() == 0:
        return input
    return scaled(input, np.zeros((), input._data.dtype), inplace) if p == 1 else None


def drop(
    input: Tensor, shape: tuple[int, ...] | None, p: float, training: bool, inplace: bool
) -> Tensor:
    """Return the input with entries set to 0 at random, and the others divided by 1 - p.

    shape: that of the random numbers, (N, C, 1, ...) for whole channels; None: one for each entry
    """
    if (result := without_noise(input, p, training, inplace)) is not None:
        return result
    if not input.is_floating_point():
        kind = type_name(input)
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")
    noise = keep_mask(input, shape, p) / input._data.dtype.type(1 - p)
    return scaled(input, noise, inplace)


def channels(input: Tensor) -> tuple[int, ...]:
    """Return the shape of random numbers for each channel of each image: (N, C, 1, ...)."""
    if input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (*input.shape[:2], *(1,) * (input.ndim - 2))


@public()
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set each entry to 0 with probability p, and divide the others by 1 - p.

    input: (...) -> (...)
    p: float in [0, 1]
    training: bool; False returns the input
    inplace: bool, write the result over `input`
    Raises: ValueError for a p out of range.
    Source: Srivastava et al. 2014.

    >>> _ = torch.manual_seed(0)
    >>> dropout(torch.ones(6))
    tensor([0., 0., 2., 0., 0., 0.])
    """
    check_probability(p)
    need_tensor("dropout", "input", 1, input)
    return drop(input, None, p, training, inplace)


def of_channels(dims: int) -> Callable[..., Tensor]:
    """Return the function that drops whole channels of `dims` dimensions."""
    name = f"dropout{dims}d"

    def call(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        check_probability(p)
        n = input.ndim
        if dims == 1 and n not in (2, 3):
            raise RuntimeError(
                f"dropout1d: Expected 2D or 3D input, but received a {n}D input. Note that "
                "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial "
                "dimension, a channel dimension, and an optional batch dimension (i.e. 2D or 3D "
                "inputs)."
            )
        if n not in (dims + 1, dims + 2):
            warnings.warn(
                f"{name}: Received a {n}-D input to {name}, which is deprecated and will result in "
                "an error in a future release. To retain the behavior and silence this warning, "
                f"please use dropout instead. Note that {name} exists to provide channel-wise "
                f"dropout on inputs with {dims} spatial dimensions, a channel dimension, and an "
                f"optional batch dimension (i.e. {dims + 1}D or {dims + 2}D inputs).",
                stacklevel=users_level(),
            )
        if dims == 2 and n == 3:
            warnings.warn(
                "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D "
                "dropout behavior is desired - input is interpreted as shape (N, C, L), where C is "
                "the channel dim. This behavior will change in a future release to interpret the "
                "input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
                "channel-wise dropout behavior, please switch to using dropout1d instead.",
                stacklevel=users_level(),
            )
        unbatched = n == 2 if dims == 1 else dims == 3 and n != 5
        batch = F.unsqueeze(input, 0) if unbatched else input
        out = drop(batch, channels(batch), p, training, inplace)
        if not unbatched:
            return out
        return input if inplace else F.squeeze(out, 0)

    return named(name, f"""Set each channel of {KINDS[dims]} to 0 with probability p.

    The other channels are divided by 1 - p.

    input: {IMAGES[dims]}; as in PyTorch, dropout2d reads three dimensions as (N, C, L)
    p, training, inplace: as in `dropout`
    Raises: ValueError for a p out of range.
    Warns: UserWarning for another number of dimensions, for which dropout1d raises RuntimeError.
    Source: Tompson et al. 2015.

    >>> import graphlab as torch
    >>> {name}(torch.ones(1, 1{", 1" * dims}), p=1.0).item()
    0.0
    """, call)  # fmt: skip


dropout1d, dropout2d, dropout3d = map(of_channels, (1, 2, 3))


def saturate(
    input: Tensor, shape: tuple[int, ...] | None, p: float, training: bool, inplace: bool
) -> Tensor:
    """Set entries to -ALPHA at random, then scale and shift all, which keeps mean and variance."""
    check_probability(p)
    if (result := without_noise(input, p, training, inplace)) is not None:
        return result
    stays = keep_mask(input, shape, p)
    a = 1.0 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    shift = (stays - 1) * (ALPHA * a) + ALPHA * a * p
    out = scaled(input, stays * a, inplace)
    return out.add_(wrap(shift.astype(input._data.dtype), False, None))


@public()
def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Set each entry to -1.758, the limit of selu at -∞, with probability p, then rescale all.

    Entries with mean 0 and variance 1 keep them.

    input: (...) -> (...)
    p, training, inplace: as in `dropout`; training is False by default
    Source: Klambauer et al. 2017.

    >>> _ = torch.manual_seed(0)
    >>> alpha_dropout(torch.zeros(4), training=True)
    tensor([-0.7792, -0.7792,  0.7792, -0.7792])
    """
    need_tensor("alpha_dropout", "input", 1, input)
    return saturate(input, None, p, training, inplace)


@public()
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Set each channel to -1.758, the limit of selu at -∞, with probability p, then rescale all.

    input: (N, C, *S) -> (N, C, *S)
    p, training, inplace: as in `alpha_dropout`

    >>> _ = torch.manual_seed(0)
    >>> feature_alpha_dropout(torch.zeros(1, 1, 2), training=True)
    tensor([[[-0.7792, -0.7792]]])
    """
    need_tensor("feature_alpha_dropout", "input", 1, input)
    return saturate(input, channels(input) if training else (), p, training, inplace)


@public()
def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Set each channel to 0 with probability p, as `F.dropout2d` does; train: False for no change.

    input: (N, C, *S) -> (N, C, *S)

    >>> torch.feature_dropout(torch.ones(1, 1, 2), 1.0, True)
    tensor([[[0., 0.]]])
    """
    check_probability(p)
    return drop(input, channels(input), p, train, False)


def in_place(name: str, function: Callable[..., Tensor], whole: bool) -> Callable[..., Tensor]:
    """Return PyTorch's function that writes over its input. whole: drop whole channels."""

    def call(input: Tensor, p: float, train: bool) -> Tensor:
        check_probability(p)
        shape = channels(input) if whole else None
        return function(input, shape, p, train, True)

    return named(name, f"""Write what `{name[:-1]}` gives over the input, and return it.

    input: (N, C, *S). p: float in [0, 1]. train: False for no change.

    >>> import graphlab as torch
    >>> torch.{name}(torch.ones(1, 2), 0.0, True)
    tensor([[1., 1.]])
    """, call)  # fmt: skip


dropout_ = in_place("dropout_", drop, False)
feature_dropout_ = in_place("feature_dropout_", drop, True)
alpha_dropout_ = in_place("alpha_dropout_", saturate, False)
feature_alpha_dropout_ = in_place("feature_alpha_dropout_", saturate, True)
mark("dropout_ feature_dropout_ alpha_dropout_ feature_alpha_dropout_")
