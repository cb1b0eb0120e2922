"""How weights begin: filled in place, with PyTorch's numbers for the same seed.

Source: PyTorch, torch/nn/init.py.

Read next: nn/linear.py
"""

import math
import warnings
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import no_grad
from graphlab.tensor.random.generator import Generator, default_generator
from graphlab.tensor.tensor import Tensor, wrap

LINEAR = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "sigmoid",
)  # fmt: skip
ZERO = "Initializing zero-element tensors is a no-op"


def put(tensor: Tensor, values: Any) -> Tensor:
    """Write values into a tensor; nothing is recorded."""
    with no_grad():
        tensor.copy_(wrap(np.asarray(values), False, None))
    return tensor


def draw(tensor: Tensor, how: str, a: float, b: float, generator: Generator | None) -> np.ndarray:
    """Random numbers for every entry of a tensor, "uniform_between" or "normal_around"."""
    stream = generator or default_generator
    numbers = getattr(stream, how)(a, b, tensor.numel(), tensor._data.dtype == np.float64)
    return numbers.reshape(tuple(tensor.shape))


def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with numbers from [a, b).

    >>> import graphlab as torch
    >>> _ = torch.manual_seed(0)
    >>> uniform_(torch.empty(2))
    tensor([0.4963, 0.7682])
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with numbers of a normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with numbers of a normal distribution; those outside of [a, b] are drawn anew."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect.",
            stacklevel=2,
        )
    inside = share_below((b - mean) / std) - share_below((a - mean) / std)
    if inside > 0.3:
        kind = tensor._data.dtype.type
        values = draw(tensor, "normal_around", mean, std, generator)
        while (outside := (values < kind(a)) | (values > kind(b))).any():
            again = draw(tensor, "normal_around", mean, std, generator)
            values = np.where(outside, again, values)
        return put(tensor, values)
    return put(tensor, _from_the_tail(tensor, mean, std, a, b, generator))


def _from_the_tail(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> np.ndarray:
    """Where few numbers lie in [a, b]: uniform ones, kept as often as the density says."""
    kind = tensor._data.dtype.type
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def refused(values: np.ndarray) -> np.ndarray:
        height = ((values - kind(mean)) / kind(std)) ** 2 * kind(-0.5) - kind(peak)
        chance = draw(tensor, "uniform_between", 0, 1, generator)
        with np.errstate(divide="ignore"):
            return np.log(chance) > height

    values = draw(tensor, "uniform_between", a, b, generator)
    pending = refused(values)
    while pending.any():
        again = draw(tensor, "uniform_between", a, b, generator)
        values = np.where(pending, again, values)
        pending = np.where(pending, refused(again), pending)
    return values


def share_below(x: float) -> float:
    """How much of the standard normal distribution lies below x."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one value."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity. Raises: ValueError for what is no matrix."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    n, m = tensor.shape
    return put(tensor, np.eye(n, m))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that it hands its input through."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    n_out, n_in, *window = tensor.shape
    if n_out % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    values = np.zeros(tuple(tensor.shape))
    each = n_out // groups
    for group in range(groups):
        for d in range(min(each, n_in)):
            values[(group * each + d, d, *(size // 2 for size in window))] = 1
    return put(tensor, values)


# -- as wide as the layer asks for ---------------------------------------------------------------


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much a nonlinearity asks the weights before it to be wider.

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
    """How many inputs one output has, and how many outputs one input has."""
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
    """Uniform, as wide as keeps the variance both ways (Glorot & Bengio 2010)."""
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal, as wide as keeps the variance both ways (Glorot & Bengio 2010)."""
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
    """Uniform, as wide as keeps the variance through a relu (He et al. 2015)."""
    if 0 in tensor.shape:
        warnings.warn(ZERO, stacklevel=2)
        return tensor
    fan = _fan(tensor, mode)
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan)
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Normal, as wide as keeps the variance through a relu (He et al. 2015)."""
    if 0 in tensor.shape:
        warnings.warn(ZERO, stacklevel=2)
        return tensor
    fan = _fan(tensor, mode)
    return normal_(tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(fan), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """A matrix whose rows, or columns, are orthogonal to each other (Saxe et al. 2014)."""
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
    """Normal, with the share `sparsity` of each column set to 0 (Martens 2010)."""
    from graphlab import randperm

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
    """The names that these had once, without the underscore; they warn."""
    if name not in OLD:
        raise AttributeError(f"module 'graphlab.nn.init' has no attribute {name!r}")

    def renamed(*args: Any, **options: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
            stacklevel=2,
        )
        return globals()[f"{name}_"](*args, **options)

    return renamed
