"""Activations as functions: `F.gelu(x)`, `F.leaky_relu(x, 0.2)`.

Read next: nn/functional/gates.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.autograd.record import apply, unary
from graphlab.ops import activation as a
from graphlab.ops.base import Op
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_tensor, type_name
from graphlab.tensor.inplace import in_place
from graphlab.tensor.tensor import Tensor

SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805  # PyTorch, Activation.cpp


def activation(input: Tensor, op: type[Op], inplace: bool, **options: Any) -> Tensor:
    """Run an activation, into the memory of its input where `inplace` says so."""
    run: Callable[..., Tensor] = in_place(apply_to(op)) if inplace else apply_to(op)
    return run(input, **options)


def apply_to(op: type[Op]) -> Callable[..., Tensor]:
    """`apply` with the operation last: in-place forms write over their first argument."""

    def call(input: Tensor, **options: Any) -> Tensor:
        return apply(op, input, **options)

    return call


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x, or negative_slope · x where it is negative. input: (...) -> (...).

    >>> from graphlab import tensor
    >>> leaky_relu(tensor([-1.0, 2.0]), 0.25)
    tensor([-0.2500,  2.0000])
    """
    return activation(input, a.LeakyRelu, inplace, negative_slope=negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x, or α (eˣ - 1) where it is negative. input: (...) -> (...)."""
    return activation(input, a.Elu, inplace, alpha=alpha, scale=1, input_scale=1)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """An elu scaled so that mean 0 and variance 1 persist. input: (...) -> (...)."""
    return activation(input, a.Elu, inplace, alpha=SELU_ALPHA, scale=SELU_SCALE, input_scale=1)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x, or α (exp(x/α) - 1) where it is negative. input: (...) -> (...)."""
    return activation(input, a.Celu, inplace, alpha=alpha)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x Φ(x); approximate: "none" or "tanh". input: (...) -> (...).

    Raises: RuntimeError for another approximation.
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return apply(a.Gelu, input, approximate=approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x σ(x). input: (...) -> (...)."""
    return activation(input, a.Silu, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x tanh(softplus(x)). input: (...) -> (...)."""
    return activation(input, a.Mish, inplace)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """log(1 + exp(β x)) / β; x itself where β x > threshold. input: (...) -> (...)."""
    return apply(a.Softplus, input, beta=beta, threshold=threshold)


logsigmoid = unary(a.LogSigmoid)


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|). input: (...) -> (...)."""
    return F.div(input, F.add(F.abs(input), 1))


def tanhshrink(input: Tensor) -> Tensor:
    """x less its tanh. input: (...) -> (...)."""
    return F.sub(input, F.tanh(input))


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """x, held between min_val and max_val. input: (...) -> (...).

    Raises: ValueError when min_val is larger than max_val.
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if input._data.dtype.kind == "u" and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return activation(input, a.Hardtanh, inplace, min_val=min_val, max_val=max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """x, held between 0 and 6. input: (...) -> (...)."""
    return activation(input, a.Hardtanh, inplace, min_val=0, max_val=6)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """(x + 3) / 6, held between 0 and 1. input: (...) -> (...)."""
    return activation(input, a.Hardsigmoid, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x times its hardsigmoid. input: (...) -> (...)."""
    return activation(input, a.Hardswish, inplace)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x, or 0 where |x| is at most lambd. input: (...) -> (...)."""
    return apply(a.Hardshrink, input, lambd=lambd)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x, moved towards 0 by lambd. input: (...) -> (...). Raises: RuntimeError when it is < 0."""
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd:g}.")
    return apply(a.Softshrink, input, lambd=lambd)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is above the threshold, `value` elsewhere. input: (...) -> (...)."""
    op = a.ThresholdInPlace if inplace else a.Threshold
    return activation(input, op, inplace, threshold=threshold, value=value)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """A leaky relu with a slope that is learnt. input: (N, C, ...), weight: (C,) or (1,) -> same.

    Raises: RuntimeError when there are neither 1 nor C slopes, or when they are of another type.
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
    if input.ndim == 0 and weight.ndim == 1:
        weight = F.reshape(weight, ())
    elif weight.ndim == 1 and input.ndim > 1:
        weight = F.reshape(weight, (1, weight.shape[0], *[1] * (input.ndim - 2)))
    return apply(a.PreluKernel, input, weight)
