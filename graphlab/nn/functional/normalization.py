"""Normalization: `F.batch_norm(x, mean, var)`, `F.layer_norm(x, (4,))`.

Read next: ops/normalization.py
"""

import math
from collections.abc import Sequence

import numpy as np

from graphlab.autograd.operands import widened
from graphlab.autograd.record import apply
from graphlab.common.dtypes import float16, float32
from graphlab.common.errors import ShapeError
from graphlab.common.public import public
from graphlab.nn.functional.padding import pad
from graphlab.nn.functional.pooling import avg_pool2d, avg_pool3d
from graphlab.ops.normalization import NativeBatchNorm, NativeGroupNorm, NativeLayerNorm
from graphlab.primitives.numpy_reading.reductions import channel_dims, count, mean_of, sum
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import (
    check_types,
    need_floats,
    need_ints,
    need_tensor,
    one_dim,
    type_name,
)
from graphlab.tensor.functions.rounding import add_number
from graphlab.tensor.tensor import Tensor

# -- over the batch ------------------------------------------------------------------------------


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel over the batch: (x - mean) / √(var + eps) · weight + bias.

    input: (N, C, *S)
    running_mean, running_var: (C,) or None; with `training` they are updated in place
    weight, bias: (C,) or None
    training: bool, use mean and variance of this batch instead of the running ones
    momentum: float in [0, 1]: running ← (1 - momentum) · running + momentum · that of the batch
    eps: float > 0, keeps the divisor away from 0
    Returns: (N, C, *S).
    Raises: ValueError if a channel has only one value in training, RuntimeError for shapes or
        dtypes that do not fit.
    Source: Ioffe & Szegedy 2015.

    >>> batch_norm(torch.tensor([[1.0], [3.0]]), None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    if training and math.prod((input.shape[0], *input.shape[2:])) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {input.shape}"
        )
    if input.ndim and input.numel() == 0:
        return empty_batch_norm(input, weight, bias)
    given = {
        "running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias
    }  # fmt: skip
    check_channels(input, given, training)
    options = {"training": training, "eps": eps}
    if training:
        update_running(input, running_mean, running_var, momentum)
    return apply(NativeBatchNorm, input, weight, bias, running_mean, running_var, **options)


def empty_batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """Return PyTorch's result for an input without entries."""
    out = F.clone(input)
    out = out if weight is None else F.mul(out, weight[0])
    return out if bias is None else F.add(out, bias[0])


def check_channels(input: Tensor, given: dict[str, Tensor | None], training: bool) -> None:
    """Raise RuntimeError for statistics, weights or dtypes that do not fit the channels."""
    channels = input.shape[1] if input.ndim > 1 else 0
    for name, t in given.items():
        if t is not None and t.numel() != channels:
            raise ShapeError(f"{name} should contain {channels} elements not {t.numel()}")
        if t is None and name.startswith("running") and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    if input.ndim < 2:
        one_dim(1, input.ndim)
    need_floats("batch_norm", input)
    own = input._data.dtype
    if any([t is not None and t._data.dtype is not own for t in given.values()]):
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def update_running(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: float
) -> None:
    """Update the running mean and variance in place, as `batch_norm` says.

    As in PyTorch, the version counters stay, so that a graph that saved them can run backward.
    """
    data, dims = widened([input._data])[0], channel_dims(input.shape)
    mean = mean_of(data, dims)
    if running_mean is not None:
        part = mean.reshape(-1) * momentum
        running_mean._data[...] = running_mean._data * (1 - momentum) + part
    if running_var is not None:
        away = data - mean
        with np.errstate(all="ignore"):
            part = sum(away * away, dims) / (count(data.shape, dims) - 1) * momentum
        running_var._data[...] = running_var._data * (1 - momentum) + part


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel of each image: (x - mean) / √(var + eps) · weight + bias.

    input: (N, C, *S)
    running_mean, running_var, weight, bias, momentum, eps: as in `batch_norm`
    use_input_stats: bool, use mean and variance of each image instead of the running ones
    Returns: (N, C, *S), the `batch_norm` of one image with N · C channels.
    Raises: ValueError if a channel has only one value, or if one of running_mean and running_var is
        missing; RuntimeError if both are missing and use_input_stats is False.
    Source: Ulyanov, Vedaldi & Lempitsky 2016.

    >>> instance_norm(torch.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """
    if use_input_stats and input.numel() == input.shape[0] * input.shape[1]:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size {input.shape}"
        )
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    n, c = input.shape[:2]

    def repeated(t: Tensor | None) -> Tensor | None:
        return None if t is None else t.repeat(n)

    weights, biases = repeated(weight), repeated(bias)
    means, variances = repeated(running_mean), repeated(running_var)
    images = F.reshape(
        input if input._data.flags.c_contiguous else F.clone(input), (1, n * c, *input.shape[2:])
    )
    out = batch_norm(images, means, variances, weights, biases, use_input_stats, momentum, eps)
    if use_input_stats:
        for running, each in ((running_mean, means), (running_var, variances)):
            if running is not None and each is not None:
                running._data[...] = each._data.reshape(n, c).mean(0)
    return F.view(out, tuple(input.shape))


# -- over one sample -----------------------------------------------------------------------------


def checked_shape(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    name: str = "layer_norm",
) -> tuple[int, ...]:
    """Return normalized_shape as a tuple. Raises: RuntimeError if another shape does not fit it."""
    need_tensor(name, "input", 1, input)
    shape = need_ints(name, "normalized_shape", 2, normalized_shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            "element, but got normalized_shape = []"
        )
    for word, t in (("weight", weight), ("bias", bias)):
        if t is not None and t._data.shape != shape:
            raise ShapeError(
                f"Expected {word} to be of same shape as normalized_shape, but got {word} of shape "
                f"{list(t.shape)} and normalized_shape = {list(shape)}"
            )
    if input._data.shape[-len(shape) :] != shape:
        comma = ", " if name == "layer_norm" else ""
        raise ShapeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*{comma}"
            f"{', '.join(map(str, shape))}], but got input of size{list(input.shape)}"
        )
    return shape


@public()
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize over the last dimensions: (x - mean) / √(var + eps) · weight + bias.

    input: (*, *S)
    normalized_shape: the sizes S of the last dimensions
    weight, bias: (*S,) or None
    eps: float > 0, keeps the divisor away from 0
    Returns: (*, *S).
    Raises: RuntimeError for shapes or dtypes that do not fit.
    Source: Ba, Kiros & Hinton 2016.

    >>> layer_norm(torch.tensor([[1.0, 2.0, 3.0]]), (3,))
    tensor([[-1.2247,  0.0000,  1.2247]])
    """
    shape = checked_shape(input, normalized_shape, weight, bias)
    need_floats("LayerNormKernelImpl", input)
    own = input._data.dtype
    if any([t is not None and t._data.dtype is not own for t in (weight, bias)]):
        kind = type_name(input)
        raise RuntimeError(f"mixed dtype (CPU): expect parameter to have scalar type of {kind}")
    return apply(NativeLayerNorm, input, weight, bias, normalized_shape=shape, eps=eps)


@public()
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Divide by the root mean square over the last dimensions: x / √(mean(x²) + eps) · weight.

    input: (*, *S)
    normalized_shape: the sizes S of the last dimensions
    weight: (*S,) or None
    eps: float > 0, by default the machine epsilon of the dtype, of float32 for float16
    Returns: (*, *S).
    Raises: RuntimeError for shapes that do not fit.
    Source: Zhang & Sennrich 2019.

    >>> rms_norm(torch.tensor([[1.0, 1.0, 2.0]]), (3,))
    tensor([[0.7071, 0.7071, 1.4142]])
    """
    shape = checked_shape(input, normalized_shape, weight, None, "rms_norm")
    dims = tuple(range(input.ndim - 1, input.ndim - len(shape) - 1, -1))  # PyTorch counts back
    wide = input.to(float32) if input.dtype is float16 else input  # squares overflow in float16
    least = float(np.finfo(wide._data.dtype).eps) if eps is None else eps
    rstd = F.rsqrt(add_number(F.mean(F.pow(wide, 2), dims, keepdim=True), least))
    out = F.mul(wide, rstd)
    return (out if weight is None else F.mul(out, weight)).to(input.dtype)


@public()
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize groups of channels of each image: (x - mean) / √(var + eps) · weight + bias.

    input: (N, C, *S)
    num_groups: int that divides C
    weight, bias: (C,) or None
    eps: float > 0, keeps the divisor away from 0
    Returns: (N, C, *S).
    Raises: ValueError if a group has only one value, RuntimeError for shapes or dtypes that do not
        fit.
    Source: Wu & He 2018.

    >>> group_norm(torch.tensor([[1.0, 3.0, 5.0, 7.0]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    if input.ndim < 2:
        raise ShapeError(
            f"Expected at least 2 dimensions for input tensor but received {input.ndim}"
        )
    shape = tuple(input.shape)
    n, c, area = shape[0], shape[1], math.prod(shape[2:])
    if num_groups == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if n * (c // num_groups) * area == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {list(shape)}"
        )
    if c % num_groups:
        raise ShapeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {list(shape)} and num_groups={num_groups}"
        )
    for word, t in (("weight", weight), ("bias", bias)):
        if t is not None and tuple(t.shape) != (c,):
            named = t if weight is None else weight  # PyTorch names the weight's shape for both
            raise ShapeError(
                f"Expected {word} to be a vector of size equal to the number of channels in input, "
                f"but got {word} of shape {list(named.shape)} and input of shape {list(shape)}"
            )
    need_floats("GroupNormKernelImpl", input)
    for t in (weight, bias):
        if t is not None:
            check_types(input, t)
    options = {"N": n, "C": c, "HxW": area, "group": num_groups, "eps": eps}
    return apply(NativeGroupNorm, input, weight, bias, **options)[0]


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Return x / (k + alpha · mean(x²))^beta, with the mean over neighbouring channels.

    input: (N, C, *S), at least three dimensions
    size: int, the number of channels in the mean
    alpha, beta, k: floats
    Returns: (N, C, *S).
    Raises: ValueError for fewer than three dimensions.
    Source: Krizhevsky, Sutskever & Hinton 2012.

    >>> local_response_norm(torch.tensor([[[3.0], [4.0]]]), 1, alpha=1.0, beta=0.5, k=0.0)
    tensor([[[1.],
             [1.]]])
    """
    if input.ndim < 3:
        raise ValueError(
            "Expected 3D or higher dimensionality                          input (got "
            f"{input.ndim} dimensions)"
        )
    if input.numel() == 0:
        return input
    square = F.mul(input, input)
    pads = (size // 2, (size - 1) // 2)
    if input.ndim == 3:
        rows = pad(F.unsqueeze(square, 1), (0, 0, *pads))
        mean = F.squeeze(avg_pool2d(rows, (size, 1), stride=1), 1)
    else:
        n, c, h = input.shape[:3]
        rows = pad(F.view(square, (n, 1, c, h, -1)), (0, 0, 0, 0, *pads))
        mean = F.view(F.squeeze(avg_pool3d(rows, (size, 1, 1), stride=1), 1), tuple(input.shape))
    return F.div(input, F.pow(F.add(F.mul(mean, alpha), k), beta))
