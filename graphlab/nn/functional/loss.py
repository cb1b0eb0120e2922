"""Losses of numbers: `F.mse_loss(y, target)`, `F.huber_loss(y, target)`.

Read next: nn/functional/class_losses.py
"""

import math
import warnings
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import no_grad
from graphlab.autograd.record import apply
from graphlab.nn.functional.reduction import (
    broadcast,
    reduced,
    reduction_number,
    reduction_of,
)
from graphlab.ops.loss import (
    BinaryCrossEntropy,
    BinaryCrossEntropyWithLogits,
    HuberLoss,
    MseLoss,
    SmoothL1Loss,
    SoftMarginLoss,
)
from graphlab.tensor import functions as F
from graphlab.tensor.creation import ones_like
from graphlab.tensor.functions.checks import not_for, type_name
from graphlab.tensor.functions.picking import common_shape
from graphlab.tensor.functions.scalars import add_number
from graphlab.tensor.tensor import Tensor


def weighted(losses: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """Losses times weights; the mean is over the weights. Raises: ValueError for their shape."""
    if weight.shape != losses.shape:
        raise ValueError("Weights and input must have the same size.")
    each = losses * weight
    if reduction == "mean":
        return F.sum(each) / F.sum(weight)
    return reduced(each, reduction)


def fits(input: Tensor, x: Tensor) -> None:
    """Raises: RuntimeError when x cannot be broadcast to the input, or makes it wider."""
    shape, common = tuple(input.shape), common_shape(input, x)
    if common != shape:
        raise RuntimeError(
            f"output with shape {list(shape)} doesn't match the broadcast shape {list(common)}"
        )


def casts_to(x: Tensor, target: Tensor) -> None:
    """Raises: RuntimeError when real numbers would be written over integers."""
    if x.is_floating_point() and not target.is_floating_point():
        raise RuntimeError(
            f"result type {type_name(x)} can't be cast to the desired output type "
            + type_name(target)
        )


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squared error. input, target: (...) -> (), or (...) with reduction="none".

    >>> import graphlab as torch
    >>> mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(2.)
    """
    x, y = broadcast(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if weight is not None:
        return weighted(F.pow(x - y, 2), weight, reduction)
    if not (x.is_floating_point() or y.is_floating_point()):
        raise not_for("mse_cpu", x)
    return apply(MseLoss, x, y, reduction=reduction_number(reduction))


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute error. input, target: (...) -> (), or (...) with reduction="none"."""
    x, y = broadcast(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    losses = F.abs(x - y)
    return reduced(losses, reduction) if weight is None else weighted(losses, weight, reduction)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """The absolute error, rounded off below `beta`. input, target: (...) -> ().

    Raises: RuntimeError for a negative beta.
    """
    x, y = broadcast(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if beta == 0:
        return reduced(F.abs(x - y), reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return apply(SmoothL1Loss, x, y, reduction=reduction_number(reduction), beta=beta)


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Half the squared error, straight beyond `delta`. input, target: (...) -> ().

    Raises: RuntimeError for a delta that is not positive.
    """
    x, y = broadcast(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    casts_to(y, x)
    if weight is None:
        return apply(HuberLoss, x, y, reduction=reduction_number(reduction), delta=delta)
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    return reduced(apply(HuberLoss, x, y, reduction=0, delta=delta) * weight, reduction)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The cross entropy of a yes-or-no question, from probabilities. input, target: (...) -> ().

    Raises: ValueError when the shapes differ, RuntimeError for what is no probability.
    """
    number = reduction_number(reduction_of(size_average, reduce, reduction))
    if input.shape != target.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}) is deprecated. Please ensure they have the same size."
        )
    if input.dtype is not target.dtype:
        raise RuntimeError(f"Found dtype {type_name(target)} but expected {type_name(input)}")
    for name, x in (("input", input._data), ("target", target._data)):
        if np.any((x < 0) | (x > 1)):
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    if weight is not None:
        weight = F.expand(weight, F.broadcast_shapes(target.shape, weight.shape))
    return apply(BinaryCrossEntropy, input, target, weight, reduction=number)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """The cross entropy of a yes-or-no question, from logits. input, target: (...) -> ()."""
    number = reduction_number(reduction_of(size_average, reduce, reduction))
    if input.shape != target.shape:
        raise ValueError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    if target._data.dtype.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    for each in (weight, pos_weight):
        if each is not None:
            fits(target, each)
    casts_to(input, target)
    return apply(BinaryCrossEntropyWithLogits, input, target, weight, pos_weight, reduction=number)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Σ target (log target - input), where `input` is of logarithms. input, target: (...) -> ().

    reduction: "batchmean" as well, the sum over the size of the first dimension.
    Warns: UserWarning for "mean", as PyTorch does.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if reduction == "mean" and size_average is None and reduce is None:
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next major "
            "release.",
            UserWarning,
            stacklevel=2,
        )
    if log_target:
        losses = F.exp(target) * (target - input)
    else:
        losses = F.xlogy(target, target) - target * input
    if reduction != "batchmean":
        return reduced(losses, reduction)
    total = F.sum(losses)
    return total / input.shape[0] if input.ndim else total


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Any = None,
    eps: float = 1e-8,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Less the log-probability of counts under a Poisson distribution. input, target: (...) -> ().

    log_input: `input` is the logarithm of the rate. full: with Stirling's term for log target!.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    reduction_number(reduction)
    if log_input:
        losses = F.exp(input) - target * input
    else:
        losses = input - target * F.log(add_number(input, eps))
    if full:
        stirling = target * F.log(target) - target + 0.5 * F.log(2 * math.pi * target)
        losses = losses + F.masked_fill(stirling, F.le(target, 1), 0)
    return reduced(losses, reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Less the log-probability under a normal distribution of variance `var`. (...) -> ().

    var: a number, or a tensor of the shape of `input`, also with a last dimension of 1 or without
    it; held above `eps`. full: with the constant term.
    Raises: ValueError for a variance that is negative or of another shape.
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * ones_like(input)
    elif np.any(var._data < 0):
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        differ = [(a, b) for a, b in zip(input.shape, var.shape, strict=False) if a != b]
        if tuple(input.shape[:-1]) == tuple(var.shape):
            var = F.unsqueeze(var, -1)
        elif input.ndim != var.ndim or sum(b for _, b in differ) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    var = F.clone(var)
    with no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (F.log(var) + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return reduced(losses, reduction)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(-target · input)), for targets of 1 and -1. input, target: (...) -> ()."""
    number = reduction_number(reduction_of(size_average, reduce, reduction))
    fits(input, target)
    return apply(SoftMarginLoss, input, target, reduction=number)
