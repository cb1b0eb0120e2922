"""Losses that compare entries: `F.mse_loss(y, target)`, `F.binary_cross_entropy(p, target)`.

Read next: nn/functional/class_losses.py
"""

import math
import warnings
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import no_grad
from graphlab.autograd.record import apply
from graphlab.common.errors import users_level
from graphlab.nn.functional.class_losses import broadcast, reduced, reduction_number, reduction_of
from graphlab.ops.loss import (
    BinaryCrossEntropy,
    BinaryCrossEntropyWithLogits,
    HuberLoss,
    MseLoss,
    SmoothL1Loss,
)
from graphlab.tensor import functions as F
from graphlab.tensor.creation import ones_like
from graphlab.tensor.functions.checks import no_cast, not_for, type_name
from graphlab.tensor.functions.rounding import add_number
from graphlab.tensor.tensor import Tensor
from graphlab.tensor.writing import check_fit


def weighted(losses: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """Return weighted losses; their mean is Σ weight · loss / Σ weight.

    Raises: ValueError unless the shapes are equal.
    """
    if weight.shape != losses.shape:
        raise ValueError("Weights and input must have the same size.")
    each = losses * weight
    if reduction == "mean":
        return F.sum(each) / F.sum(weight)
    return reduced(each, reduction)


def check_cast(x: Tensor, target: Tensor) -> None:
    """Raise RuntimeError if `x` has real numbers and `target` integers."""
    if x.is_floating_point() and not target.is_floating_point():
        raise no_cast(x, target)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Return the mean of the squared errors, (input - target)².

    input, target: (...), real, of the same shape or broadcastable
    size_average, reduce: deprecated bools; size_average=False means "sum", reduce=False "none"
    reduction: "mean", "sum" or "none"
    weight: (...) or None, a factor for each error; the mean then divides by Σ weight
    Returns: (), or (...) with reduction="none".
    Raises: ValueError for another reduction, or weights of another shape.
    Warns: UserWarning if the shapes of input and target differ.

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
    """Return the mean of the absolute errors, |input - target|.

    input, target: (...), of the same shape or broadcastable
    size_average, reduce, reduction: see `mse_loss`
    weight: (...) or None, a factor for each error; the mean then divides by Σ weight
    Returns: (), or (...) with reduction="none".

    >>> l1_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(1.)
    """
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
    """Return the mean of the absolute errors, with a parabola in place of the kink at 0.

        d² / (2 beta) if d < beta, else d - beta / 2;  d = |input - target|

    input, target: (...), of the same shape or broadcastable
    size_average, reduce, reduction: see `mse_loss`
    beta: float ≥ 0, the d at which the parabola meets the line; 0 gives `l1_loss`
    Returns: (), or (...) with reduction="none".
    Raises: RuntimeError for a negative beta.
    Source: Girshick 2015 (Fast R-CNN).

    >>> smooth_l1_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.5, 4.0]), reduction="none")
    tensor([0.1250, 1.5000])
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
    """Return half the mean of the squared errors, with a line in place of the square beyond delta.

        d² / 2 if d ≤ delta, else delta (d - delta / 2);  d = |input - target|

    input, target: (...), of the same shape or broadcastable
    reduction: "mean", "sum" or "none"
    delta: float > 0, the d at which the parabola meets the line
    weight: (...) or None, a factor for each error
    Returns: (), or (...) with reduction="none".
    Raises: RuntimeError for a delta that is not positive, ValueError for weights of another shape.
    Source: Huber 1964.

    >>> huber_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.5, 4.0]), reduction="none")
    tensor([0.1250, 1.5000])
    """
    x, y = broadcast(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    check_cast(y, x)
    y = y.to(x.dtype) if x.is_floating_point() else y  # the result has the type of the input
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
    """Return the mean of -(y log x + (1 - y) log(1 - x)), for probabilities x and targets y.

    input, target: (...), of the same shape, in [0, 1]; each logarithm is at least -100
    weight: (...) or None, a factor for each loss
    size_average, reduce, reduction: see `mse_loss`
    Returns: (), or (...) with reduction="none".
    Raises: ValueError for shapes that differ, RuntimeError for dtypes that differ or entries
        outside [0, 1].

    >>> binary_cross_entropy(torch.tensor([0.5, 0.9]), torch.tensor([1.0, 1.0]))
    tensor(0.3993)
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
    """Return the binary cross-entropy of σ(input) and the target, computed without overflow.

    input, target: (...), of the same shape: scores x and targets y in [0, 1]
    weight: (...) or None, a factor for each loss
    size_average, reduce, reduction: see `mse_loss`
    pos_weight: (...) or None, a factor for the term y log σ(x) alone
    Returns: (), or (...) with reduction="none".
    Raises: ValueError for shapes that differ, RuntimeError for weights that do not broadcast.

    >>> binary_cross_entropy_with_logits(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931)
    """
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
            check_fit(target.shape, each.shape)
    check_cast(input, target)
    return apply(BinaryCrossEntropyWithLogits, input, target, weight, pos_weight, reduction=number)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Return the Kullback-Leibler divergence Σ p (log p - input), where `input` holds log q.

    input: (...), log-probabilities of the model
    target: (...), probabilities p
    size_average, reduce, reduction: see `mse_loss`; also "batchmean", the sum divided by
        input.shape[0], which is the divergence as it is defined
    log_target: bool, `target` holds log p
    Returns: (), or (...) with reduction="none".
    Warns: UserWarning for reduction="mean".

    >>> q = torch.tensor([[0.5, 0.5]])
    >>> kl_div(q.log(), torch.tensor([[1.0, 0.0]]), reduction="batchmean")
    tensor(0.6931)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if reduction == "mean" and size_average is None and reduce is None:
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next major "
            "release.",
            UserWarning,
            stacklevel=users_level(),
        )
    if log_target:
        difference = target - input  # PyTorch makes this node first
        losses = F.exp(target) * difference
    else:
        product = target * input
        losses = F.xlogy(target, target) - product
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
    """Return the mean of eˣ - y x, the negative log-likelihood of counts y under Poisson rates eˣ.

    input, target: (...): x and y
    log_input: bool, x is the logarithm of the rate; False means x is the rate, and the loss is
        x - y log(x + eps)
    full: bool, add Stirling's formula for log y!, y log y - y + log(2π y) / 2, if y > 1
    eps: float > 0, keeps the logarithm finite
    size_average, reduce, reduction: see `mse_loss`
    Returns: (), or (...) with reduction="none".

    >>> poisson_nll_loss(torch.tensor([0.0]), torch.tensor([2.0]))
    tensor(1.)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    reduction_number(reduction)
    if log_input:
        product = target * input
        losses = F.exp(input) - product
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
    """Return the mean of (log var + (input - target)² / var) / 2, the negative log-likelihood.

    input, target: (...), the predicted mean of a normal distribution, and the observed number
    var: the predicted variance; float, or tensor of the shape of `input`, in which the last
        dimension may be 1 or missing
    full: bool, add log(2π) / 2
    eps: float > 0, to which smaller variances are clamped
    reduction: "mean", "sum" or "none"
    Returns: (), or (...) with reduction="none".
    Raises: ValueError for a negative variance, or one of another shape.
    Source: Nix & Weigend 1994.

    >>> gaussian_nll_loss(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor(2.)
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
