"""Initial values of weights: filled in place, with PyTorch's numbers for the same seed.

Source: PyTorch, torch/nn/init.py.

Read next: nn/initial_values.py
"""

import math
import warnings
from typing import Any

import numpy as np

from graphlab.common.errors import users_level
from graphlab.nn.initial_values import (
    constant_,
    dirac_,
    draw,
    eye_,
    normal_,
    ones_,
    put,
    trunc_normal_,
    uniform_,
    zeros_,
)
from graphlab.tensor.random.generator import Generator, default_generator
from graphlab.tensor.random.sampling import randperm
from graphlab.tensor.tensor import Tensor

__all__ = [
    "calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_",
    "normal_", "ones_", "orthogonal_", "sparse_", "trunc_normal_", "uniform_", "xavier_normal_",
    "xavier_uniform_", "zeros_",
]  # fmt: skip

LINEAR = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "sigmoid",
)  # fmt: skip


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the gain: the factor for the standard deviation of weights before a nonlinearity.

    It is 1 for linear layers, convolutions and sigmoid, 5/3 for tanh, √2 for relu,
    √(2 / (1 + param²)) for leaky_relu and 3/4 for selu.

    nonlinearity: str, its name in nn.functional.
    param: float, the slope of leaky_relu; default None, for 0.01.

    Raises: ValueError for another name or slope.

    >>> from graphlab.nn.init import calculate_gain
    >>> calculate_gain("leaky_relu", 0.0) == calculate_gain("relu") == 2**0.5
    True
    """
    if nonlinearity in LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if isinstance(param, bool) or not isinstance(param, int | float | None):
            raise ValueError(f"negative_slope {param} not a valid number")
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return on how many inputs each output depends, and how many outputs depend on each input."""
    if tensor.ndim < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    window = math.prod(tensor.shape[2:])
    return tensor.shape[1] * window, tensor.shape[0] * window


def _fan(tensor: Tensor, mode: str) -> int:
    modes = ["fan_in", "fan_out"]
    mode = mode.lower()
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill a weight with uniform numbers from [-a, a), a = gain · √(6 / (fan_in + fan_out)).

    It keeps the variance of activations and gradients through linear layers. fan_in is the number
    of inputs on which an output depends, fan_out the number of outputs that depend on an input.
    Also called Glorot initialization.

    tensor: Tensor of two or more dimensions, filled in place.
    gain: float, the factor, which calculate_gain gives; default 1.
    generator: Generator of the random numbers; default None, for the default one.

    Raises: ValueError for fewer than two dimensions.

    Source: Glorot & Bengio 2010, "Understanding the difficulty of training deep networks".

    >>> import graphlab as torch
    >>> from graphlab.nn.init import xavier_uniform_
    >>> xavier_uniform_(torch.empty(3, 2)).shape
    torch.Size([3, 2])
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill a weight with numbers from N(0, std²), std = gain · √(2 / (fan_in + fan_out)).

    tensor, gain, generator: as in xavier_uniform_, which explains the fans.
    Raises: ValueError for fewer than two dimensions.

    >>> import graphlab as torch
    >>> from graphlab.nn.init import xavier_normal_
    >>> xavier_normal_(torch.empty(3, 2)).shape
    torch.Size([3, 2])
    """
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill a weight with uniform numbers from [-b, b), b = gain · √(3 / fan).

    It keeps the variance through layers with a relu. Also called He initialization.

    tensor: Tensor of two or more dimensions, filled in place.
    a: float, the slope of leaky_relu below 0, for the gain; default 0.
    mode: str, which fan: "fan_in" keeps the variance of activations, "fan_out" that of gradients;
        default "fan_in". xavier_uniform_ explains the fans.
    nonlinearity: str, "relu" or "leaky_relu", for the gain; default "leaky_relu".
    generator: Generator of the random numbers; default None, for the default one.

    Raises: ValueError for fewer than two dimensions, another mode or another nonlinearity.
    Warns: UserWarning for a tensor without entries.
    Source: He et al. 2015, arXiv:1502.01852.

    >>> import graphlab as torch
    >>> from graphlab.nn.init import kaiming_uniform_
    >>> kaiming_uniform_(torch.empty(3, 2), nonlinearity="relu").shape
    torch.Size([3, 2])
    """
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill a weight with numbers from N(0, std²), std = gain / √fan.

    tensor, a, mode, nonlinearity, generator: as in kaiming_uniform_.
    Raises: as kaiming_uniform_.

    >>> import graphlab as torch
    >>> from graphlab.nn.init import kaiming_normal_
    >>> kaiming_normal_(torch.empty(3, 2), nonlinearity="relu").shape
    torch.Size([3, 2])
    """
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=users_level())
        return 0.0
    return calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill a matrix with orthogonal rows, or columns if it has fewer, of length `gain`.

    tensor: Tensor of two or more dimensions, filled in place; those after the first count as one.
    gain: float, the length of each row or column; default 1.
    generator: Generator of the random numbers; default None, for the default one.

    Raises: ValueError for fewer than two dimensions.

    Source: Saxe et al. 2014, arXiv:1312.6120.

    >>> import graphlab as torch
    >>> from graphlab.nn.init import orthogonal_
    >>> w = orthogonal_(torch.empty(2, 3))
    >>> torch.allclose(w @ w.T, torch.eye(2), atol=1e-6)
    True
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.shape[0]
    shape = (rows, tensor.numel() // rows)
    double = tensor._data.dtype == np.float64
    stream = generator or default_generator
    matrix = stream.normal_around(0, 1, tensor.numel(), double).reshape(shape)
    q, r = np.linalg.qr(matrix.T if shape[0] < shape[1] else matrix)
    q = q * np.sign(np.diag(r))
    q = q.T if shape[0] < shape[1] else q
    return put(tensor, (q * q.dtype.type(gain)).reshape(tuple(tensor.shape)))


def sparse_(
    tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None
) -> Tensor:
    """Fill a matrix with numbers from N(0, std²), and set a fraction of each column to 0.

    tensor: Tensor of two dimensions, filled in place.
    sparsity: float in [0, 1], the fraction of zeros.
    std: float, the standard deviation; default 0.01.
    generator: Generator of the random numbers; default None, for the default one.

    Raises: ValueError for other dimensions.

    Source: Martens 2010, "Deep learning via Hessian-free optimization".

    >>> import graphlab as torch
    >>> from graphlab.nn.init import sparse_
    >>> (sparse_(torch.empty(4, 2), sparsity=0.5) == 0).sum(0)
    tensor([2, 2])
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    values = draw(tensor, "normal_around", 0, std, generator)
    for column in range(columns):
        values[randperm(rows)._data[: math.ceil(sparsity * rows)], column] = 0
    return put(tensor, values)


OLD = (
    "uniform", "normal", "constant", "eye", "dirac", "xavier_uniform", "xavier_normal",
    "kaiming_uniform", "kaiming_normal", "orthogonal", "sparse",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """Return a function under its deprecated name, without the underscore; the call warns."""
    if name not in OLD:
        raise AttributeError(f"module 'graphlab.nn.init' has no attribute {name!r}")

    def renamed(*args: Any, **options: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
            stacklevel=users_level(),
        )
        return globals()[f"{name}_"](*args, **options)

    return renamed
