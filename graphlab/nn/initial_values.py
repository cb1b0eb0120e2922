"""Functions that fill tensors in place with constants and random numbers, without recording.

Read next: nn/init.py
"""

import math
import warnings
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import no_grad
from graphlab.common.errors import users_level
from graphlab.tensor.random.generator import Generator, default_generator
from graphlab.tensor.tensor import Tensor, wrap


def put(tensor: Tensor, values: Any) -> Tensor:
    """Write values into a tensor without recording."""
    with no_grad():
        tensor.copy_(wrap(np.asarray(values), False, None))
    return tensor


def draw(tensor: Tensor, how: str, a: float, b: float, generator: Generator | None) -> np.ndarray:
    """Return a random number for each entry of a tensor.

    how: "uniform_between" a and b, or "normal_around" the mean a with the standard deviation b
    """
    stream = generator or default_generator
    numbers = getattr(stream, how)(a, b, tensor.numel(), tensor._data.dtype == np.float64)
    return numbers.reshape(tuple(tensor.shape))


def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill a tensor with uniform random numbers from [a, b).

    tensor: Tensor of any shape, filled in place.
    a: float, the lower end; default 0.
    b: float, the upper end; default 1.
    generator: Generator of the random numbers; default None, for the default one.

    >>> import graphlab as torch
    >>> from graphlab.nn.init import uniform_
    >>> _ = torch.manual_seed(0)
    >>> uniform_(torch.empty(2))
    tensor([0.4963, 0.7682])
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill a tensor with random numbers from the normal distribution N(mean, std²).

    tensor: Tensor of any shape, filled in place.
    mean: float, the mean; default 0.
    std: float, the standard deviation; default 1.
    generator: Generator of the random numbers; default None, for the default one.

    >>> import graphlab as torch
    >>> from graphlab.nn.init import normal_
    >>> _ = torch.manual_seed(0)
    >>> normal_(torch.empty(2))
    tensor([ 1.5410, -0.2934])
    """
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
    """Fill a tensor with numbers from N(mean, std²), truncated to [a, b].

    tensor: Tensor of any shape, filled in place.
    mean: float, the mean before the cut; default 0.
    std: float, the standard deviation before the cut; default 1.
    a: float, the smallest number; default -2.
    b: float, the largest number; default 2.
    generator: Generator of the random numbers; default None, for the default one.

    Warns: UserWarning if the mean is more than 2 std outside of [a, b].

    >>> import graphlab as torch
    >>> from graphlab.nn.init import trunc_normal_
    >>> bool(trunc_normal_(torch.empty(100), a=-1.0, b=1.0).abs().max() <= 1)
    True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect.",
            stacklevel=users_level(),
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
    """Return samples from an improbable interval, by rejection sampling from uniform numbers."""
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
    """Return P(Z ≤ x) for the standard normal distribution."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill a tensor with one value.

    tensor: Tensor of any shape, filled in place.
    val: float, the value.

    >>> import graphlab as torch
    >>> from graphlab.nn.init import constant_
    >>> constant_(torch.empty(2), 0.5)
    tensor([0.5000, 0.5000])
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill a tensor with ones.

    tensor: Tensor of any shape, filled in place.

    >>> import graphlab as torch
    >>> from graphlab.nn.init import ones_
    >>> ones_(torch.empty(2))
    tensor([1., 1.])
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill a tensor with zeros.

    tensor: Tensor of any shape, filled in place.

    >>> import graphlab as torch
    >>> from graphlab.nn.init import zeros_
    >>> zeros_(torch.empty(2))
    tensor([0., 0.])
    """
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with ones on its diagonal and zeros elsewhere.

    tensor: Tensor of two dimensions, filled in place.

    Raises: ValueError for other dimensions.

    >>> import graphlab as torch
    >>> from graphlab.nn.init import eye_
    >>> eye_(torch.empty(2, 3))
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    n, m = tensor.shape
    return put(tensor, np.eye(n, m))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that each output channel copies one input channel.

    tensor: Tensor of shape (out, in / groups, *kernel_size), filled in place: with 1 in the middle
        of the window if the input and the output channel have the same number, 0 elsewhere.
    groups: int, the number of groups of channels; default 1.

    Raises: ValueError unless it has 3 to 5 dimensions and `out` is a multiple of `groups`.

    >>> import graphlab as torch
    >>> from graphlab.nn.init import dirac_
    >>> dirac_(torch.empty(1, 1, 3))
    tensor([[[0., 1., 0.]]])
    """
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
