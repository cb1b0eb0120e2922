"""Piecewise activation functions: `F.relu(x)`, `F.leaky_relu(x, 0.2)`, `F.hardtanh(x)`.

Read next: nn/functional/loss.py
"""

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.public import mark, public
from graphlab.nn.functional.activation import activation, inplace_form
from graphlab.ops import activation as a
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_tensor, type_name
from graphlab.tensor.functions.rounding import limit
from graphlab.tensor.inplace import in_place
from graphlab.tensor.random.generator import default_generator
from graphlab.tensor.tensor import Tensor, wrap

_relu_ = in_place(F.relu)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(0, x).

    input: (...) -> (...)
    inplace: bool, write the result over `input`

    >>> relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return relu_(input) if inplace else F.relu(input)


def relu_(input: Tensor) -> Tensor:
    """Apply `relu` in place, and return `input`.

    input: (...)
    Raises: RuntimeError for a leaf that requires a gradient.

    >>> relu_(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return _relu_(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return x where it is positive, and negative_slope · x elsewhere.

    input: (...) -> (...)
    negative_slope: float, the slope for x < 0
    inplace: bool, write the result over `input`
    Source: Maas, Hannun & Ng 2013.

    >>> leaky_relu(torch.tensor([-1.0, 2.0]), 0.25)
    tensor([-0.2500,  2.0000])
    """
    return activation(input, a.LeakyRelu, inplace, negative_slope=negative_slope)


@public()
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return x where it is positive, and weight · x elsewhere, with a learned weight.

    input: (N, C, ...) -> (N, C, ...)
    weight: (C,), one slope for each channel, or (1,)
    Raises: RuntimeError for another number of slopes, or for another dtype than that of the input.
    Source: He et al. 2015.

    >>> prelu(torch.tensor([-1.0, 2.0]), torch.tensor([0.25]))
    tensor([-0.2500,  2.0000])
    """
    need_tensor("prelu", "weight", 2, weight)
    if input._data.dtype != weight._data.dtype:
        kinds = f"{type_name(input)} and {type_name(weight)}"
        raise RuntimeError(f"prelu: Type promoting not supported. Got {kinds}")
    if weight.numel() != 1:
        if input.ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.ndim > 1 else 1
        if weight.numel() != channels:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.numel()} and channel size = {channels}."
            )
    if weight.ndim > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}"
        )
    if weight.ndim != input.ndim:  # one slope for each channel, in dimension 1
        size = [weight.numel() if dim == 1 else 1 for dim in range(input.ndim)]
        weight = F.reshape(weight, tuple(size))
    return apply(a.PreluKernel, input, weight)


@public()
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Return x where it is positive, and a · x elsewhere, with a random slope a for each entry.

    input: (...) -> (...)
    lower, upper: float, a is drawn from [lower, upper]
    training: bool; False means a = (lower + upper) / 2
    inplace: bool, write the result over `input`
    Raises: RuntimeError if lower > upper.
    Source: Xu et al. 2015.

    >>> rrelu(torch.tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    noise = np.ones_like(input._data)
    if training:
        below = np.asarray(input._data) <= 0
        drawn = default_generator.uniform(int(below.sum()), double=True)
        noise = np.where(below, 0, noise)
        noise[below] = drawn * (upper - lower) + lower
    slopes = wrap(noise[()], False, None)
    options = {"lower": lower, "upper": upper, "training": training}
    return activation(input, a.RreluWithNoise, inplace, slopes, **options)


@public()
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return x where it is above the threshold, and value elsewhere.

    input: (...) -> (...)
    threshold, value: floats
    inplace: bool, write the result over `input`

    >>> threshold(torch.tensor([-1.0, 2.0]), 0.5, 9.0)
    tensor([9., 2.])
    """
    op = a.ThresholdInPlace if inplace else a.Threshold
    threshold, value = limit(threshold, input), limit(value, input)
    return activation(input, op, inplace, threshold=threshold, value=value)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Return x clamped to [min_val, max_val].

    input: (...) -> (...)
    min_val, max_val: float, min_val ≤ max_val
    inplace: bool, write the result over `input`
    Raises: ValueError if min_val > max_val, RuntimeError for an unsigned input and min_val < 0.

    >>> hardtanh(torch.tensor([-1.0, 2.0]))
    tensor([-1.,  1.])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return between(input, min_val, max_val, inplace)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Apply `hardtanh` in place, and return `input`; if min_val > max_val, all becomes max_val.

    input, min_val, max_val, Raises: as in `hardtanh`, but no ValueError

    >>> hardtanh_(torch.tensor([-1.0, 2.0]), 3.0, 0.0)
    tensor([0., 0.])
    """
    return between(input, min(min_val, max_val), max_val, True)


def between(input: Tensor, min_val: float, max_val: float, inplace: bool) -> Tensor:
    """Return `hardtanh`, for ordered bounds."""
    if input._data.dtype.kind == "u" and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    min_val, max_val = limit(min_val, input), limit(max_val, input)
    return activation(input, a.Hardtanh, inplace, min_val=min_val, max_val=max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x clamped to [0, 6].

    input: (...) -> (...)
    inplace: bool, write the result over `input`

    >>> relu6(torch.tensor([-1.0, 2.0, 8.0]))
    tensor([0., 2., 6.])
    """
    return activation(input, a.Hardtanh, inplace, min_val=0, max_val=6)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return (x + 3) / 6 clamped to [0, 1].

    input: (...) -> (...)
    inplace: bool, write the result over `input`

    >>> hardsigmoid(torch.tensor([-4.0, 0.0, 4.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    return activation(input, a.Hardsigmoid, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x · hardsigmoid(x).

    input: (...) -> (...)
    inplace: bool, write the result over `input`
    Source: Howard et al. 2019 (MobileNetV3).

    >>> hardswish(torch.tensor([-4.0, 3.0]))
    tensor([-0., 3.])
    """
    return activation(input, a.Hardswish, inplace)


@public()
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return x where |x| > lambd, and 0 elsewhere.

    input: (...) -> (...)
    lambd: float ≥ 0

    >>> hardshrink(torch.tensor([-1.0, 0.2]))
    tensor([-1.,  0.])
    """
    return apply(a.Hardshrink, input, lambd=lambd)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return x moved by lambd towards 0, and 0 where |x| ≤ lambd.

    input: (...) -> (...)
    lambd: float ≥ 0
    Raises: RuntimeError for a negative lambd.

    >>> softshrink(torch.tensor([-1.0, 0.2]))
    tensor([-0.5000,  0.0000])
    """
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd:g}.")
    return apply(a.Softshrink, input, lambd=lambd)


leaky_relu_, threshold_ = inplace_form(leaky_relu), inplace_form(threshold, ", 0.5, 0.0")
rrelu_ = inplace_form(rrelu)

mark("rrelu_ threshold_")
