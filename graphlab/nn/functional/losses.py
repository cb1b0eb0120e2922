"""Losses as functions: `F.mse_loss(y, target)`, `F.cross_entropy(scores, classes)`.

Read next: ops/loss.py
"""

import warnings
from typing import Any

import numpy as np

from graphlab import functional as F
from graphlab.autograd.record import apply
from graphlab.functional.reductions import log_softmax
from graphlab.ops.loss import BinaryCrossEntropyWithLogits, MseLoss, NllLoss
from graphlab.tensor import Tensor

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def reduction_number(reduction: str) -> int:
    """PyTorch's number for a reduction; ValueError for one that does not exist."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def broadcast(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Both tensors expanded to their common shape."""
    shape = np.broadcast_shapes(tuple(a.shape), tuple(b.shape))
    return F.expand(a, shape), F.expand(b, shape)


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The squared error. input, target: (...) -> (), or (...) with reduction="none"."""
    if input.shape != target.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            UserWarning,
            stacklevel=2,
        )
        input, target = broadcast(input, target)
    return apply(MseLoss, input, target, reduction=reduction_number(reduction))


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
    if input.shape != target.shape:
        raise ValueError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    return apply(
        BinaryCrossEntropyWithLogits,
        input,
        target,
        weight,
        pos_weight,
        reduction=reduction_number(reduction),
    )


def nll_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Less the log-probability of each row's class. input: (N, C), target: (N,) -> ().

    Raises: RuntimeError when the target is not of classes, IndexError for one out of range.
    """
    number = reduction_number(reduction)
    if target._data.dtype.kind not in "iu":
        name = target.dtype.legacy.removesuffix("Tensor")
        raise RuntimeError(f"expected scalar type Long but found {name}")
    if input.ndim != 2 or target.ndim != 1 or len(input) != len(target):
        raise ValueError(
            "nll_loss expects input (N, C) and target (N,), got "
            f"{tuple(input.shape)} and {tuple(target.shape)}"
        )
    wrong = target._data[(target._data < 0) | (target._data >= input.shape[1])]
    if wrong.size:
        raise IndexError(f"Target {wrong[0]} is out of bounds.")
    return apply(NllLoss, input, target=target._data, reduction=number)


def cross_entropy(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The cross entropy of scores with classes, or with probabilities of them.

    input: (N, C), target: (N,) classes or (N, C) probabilities -> ().
    """
    if target.is_floating_point():
        losses = -F.sum(log_softmax(input, 1) * target, 1)
        if reduction_number(reduction) == 0:
            return losses
        total = F.sum(losses)
        return total / len(input) if reduction == "mean" else total
    return nll_loss(log_softmax(input, 1), target, reduction)
