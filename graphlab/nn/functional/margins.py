"""Margin losses: `F.triplet_margin_loss(anchor, positive, negative)`.

Read next: nn/functional/activation.py
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.nn.functional.activation import logsigmoid
from graphlab.nn.functional.class_losses import reduced, reduction_number, reduction_of
from graphlab.ops.loss import MultilabelMarginLoss, MultiMarginLoss, SoftMarginLoss
from graphlab.tensor import functions as F
from graphlab.tensor.creation import zeros_like
from graphlab.tensor.functions.checks import check_long
from graphlab.tensor.functions.rounding import add_number, sub_number
from graphlab.tensor.tensor import Tensor, wrap
from graphlab.tensor.writing import check_fit


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean of x where the target is 1, and of max(0, margin - x) where it is -1.

    input, target: (...), of the same shape: distances x, and targets of 1 or -1
    margin: float, the distance at which a pair with target -1 has no loss
    size_average, reduce, reduction: see `mse_loss`
    Returns: (), or (...) with reduction="none".

    >>> x = torch.tensor([0.2, 0.2])
    >>> hinge_embedding_loss(x, torch.tensor([1, -1]), reduction="none")
    tensor([0.2000, 0.8000])
    """
    reduction = reduction_of(size_average, reduce, reduction)
    zeros = zeros_like(input)
    far = F.sub(as_tensor(margin, input), input).clamp_min_(0)
    losses = F.where(F.ne(target, 1), far, zeros) + F.where(F.ne(target, -1), input, zeros)
    return reduced(losses, reduction)


def as_tensor(value: float, like: Tensor) -> Tensor:
    """Return a number as a 0-d tensor with the dtype of `like`, as PyTorch's C++ does."""
    return wrap(like._data.dtype.type(value), False, None)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean of log(1 + exp(-target · input)).

    input, target: (...), of the same shape; targets are 1 or -1
    size_average, reduce, reduction: see `mse_loss`
    Returns: (), or (...) with reduction="none".

    >>> soft_margin_loss(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931)
    """
    number = reduction_number(reduction_of(size_average, reduce, reduction))
    check_fit(input.shape, target.shape)
    target = target.to(input.dtype) if input.is_floating_point() else target
    return apply(SoftMarginLoss, input, target, reduction=number)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean of max(0, margin - target · (input1 - input2)).

    input1, input2, target: (...); a target of 1 asks for input1 > input2, -1 for input1 < input2
    margin: float, the smallest difference without loss
    size_average, reduce, reduction: see `mse_loss`
    Returns: (), or (...) with reduction="none".
    Raises: RuntimeError where the numbers of dimensions differ.

    >>> margin_ranking_loss(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor(2.)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    ahead = F.neg(target) * (input1 - input2)
    return reduced(add_number(ahead, float(margin)).clamp_min_(0), reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean of 1 - cos where the target is 1, of max(0, cos - margin) where it is -1.

    input1, input2: (N, D) or (D,), vectors with the cosine cos
    target: (N,) or (), 1 or -1
    margin: float in [-1, 1], the largest cosine at which a pair with target -1 has no loss
    size_average, reduce, reduction: see `mse_loss`
    Returns: (), or (N,) with reduction="none".
    Raises: RuntimeError for other dimensions.

    >>> a, b = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    >>> cosine_embedding_loss(a, b, torch.tensor([1]))
    tensor(1.)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    dim = target.ndim
    if dim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if not input1.ndim == input2.ndim == dim + 1:
        raise RuntimeError(
            f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    least = 1e-12
    product = F.sum(input1 * input2, dim)
    length1 = add_number(F.sum(input1 * input1, dim), least)
    length2 = add_number(F.sum(input2 * input2, dim), least)
    cosine = product / F.sqrt(length1 * length2)
    zeros = zeros_like(cosine)
    closeness = F.sub(as_tensor(1, cosine), cosine)
    excess = sub_number(cosine, margin).clamp_min_(0)
    near = F.where(F.eq(target, 1), closeness, zeros)
    return reduced(near + F.where(F.eq(target, -1), excess, zeros), reduction)


def check_triplet(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float) -> None:
    """Raise ValueError for a margin of 0 or less, RuntimeError for other numbers of dimensions."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
            f"{negative.ndim}D inputs"
        )


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean of max(0, margin + ‖anchor - positive‖ - ‖anchor - negative‖).

    anchor, positive, negative: (N, D) or (D,)
    margin: float > 0, the smallest difference of the distances without loss
    p: float, the exponent of the norm
    eps: float, added to each difference of entries (see `pairwise_distance`)
    swap: bool, use ‖positive - negative‖ if it is less than ‖anchor - negative‖
    size_average, reduce, reduction: see `mse_loss`
    Returns: (), or (N,) with reduction="none".
    Raises: ValueError for a margin that is not positive, RuntimeError if the numbers of dimensions
        differ.
    Source: Balntas et al. 2016.

    >>> a, b, c = torch.tensor([[0.0]]), torch.tensor([[1.0]]), torch.tensor([[3.0]])
    >>> triplet_margin_loss(a, c, b)
    tensor(3.)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    check_triplet(anchor, positive, negative, margin)
    near = F.pairwise_distance(anchor, positive, p, eps)
    far = F.pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = F.minimum(far, F.pairwise_distance(positive, negative, p, eps))
    return reduced(F.clamp_min(add_number(near, margin) - far, 0), reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean of max(0, margin + d(anchor, positive) - d(anchor, negative)).

    anchor, positive, negative: (N, D)
    distance_function: d, a function of two tensors -> (N,); by default `pairwise_distance`
    margin: float > 0, the smallest difference of the distances without loss
    swap: bool, use d(positive, negative) if it is less than d(anchor, negative)
    reduction: "mean", "sum" or "none"
    Returns: (), or (N,) with reduction="none".
    Raises: as `triplet_margin_loss`.

    >>> a, b, c = torch.tensor([[0.0]]), torch.tensor([[1.0]]), torch.tensor([[3.0]])
    >>> taxicab = lambda x, y: (x - y).abs().sum(-1)
    >>> triplet_margin_with_distance_loss(a, c, b, distance_function=taxicab)
    tensor(3.)
    """
    reduction_number(reduction)
    check_triplet(anchor, positive, negative, margin)
    distance = distance_function or F.pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = F.minimum(far, distance(positive, negative))
    return reduced(F.clamp_min(margin + near - far, 0), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean of Σⱼ max(0, margin - x_y + xⱼ)ᵖ / C over the classes j ≠ y, the target.

    input: (N, C) or (C,), scores
    target: (N,) or (), int64 classes in [0, C)
    p: 1 or 2, the exponent
    margin: float, by which the score of the target should exceed the others
    weight: (C,) or None, a factor for each target class
    size_average, reduce, reduction: see `mse_loss`
    Returns: (), or (N,) with reduction="none".
    Raises: ValueError for another p, RuntimeError for shapes or classes that do not fit.

    >>> multi_margin_loss(torch.tensor([[1.0, 0.5]]), torch.tensor([0]))
    tensor(0.2500)
    """
    number = reduction_number(reduction_of(size_average, reduce, reduction))
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    if input.ndim == 0:
        input = F.unsqueeze(input, 0)  # one class
    rows, classes = input.shape[0] if input.ndim == 2 else 1, input.shape[-1]
    if target.numel() != rows or target.ndim > 1:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
            f"samples (batch size). Expected target size [{rows}], but got {list(target.shape)}. "
            f"Input has shape {list(input.shape)}."
        )
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(
            f"inconsistent weight size, expected {classes} but got {list(weight.shape)}"
        )
    check_long(target)
    if np.any((target._data < 0) | (target._data >= classes)):
        raise RuntimeError("target out of range")
    if input.ndim == 1 and target.ndim:
        input = F.unsqueeze(input, 0)
    return apply(MultiMarginLoss, input, target, weight, reduction=number, margin=margin, p=p)


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean of Σ max(0, 1 - x_y + xⱼ) / C, summed over target classes y and others j.

    input: (N, C) or (C,), scores
    target: (N, C) or (C,), int64: the target classes of each row, then -1
    size_average, reduce, reduction: see `mse_loss`
    Returns: (), or (N,) with reduction="none".
    Raises: RuntimeError for shapes or classes that do not fit.

    >>> multilabel_margin_loss(torch.tensor([[1.0, 0.5]]), torch.tensor([[0, -1]]))
    tensor(0.2500)
    """
    number = reduction_number(reduction_of(size_average, reduce, reduction))
    if input.shape != target.shape:
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    if input.ndim == 0:  # one class
        input, target = F.unsqueeze(input, 0), F.unsqueeze(target, 0)
    classes = input.shape[-1]
    check_long(target)
    if np.any((target._data < -1) | (target._data >= classes)):
        raise RuntimeError("argument #2 'target' is out of range")
    times = np.zeros(tuple(input.shape), input._data.dtype)
    for count, row in zip(
        times.reshape(-1, classes), target._data.reshape(-1, classes), strict=True
    ):
        ended = np.argmax(row < 0) if np.any(row < 0) else classes
        np.add.at(count, row[:ended], 1)
    is_target = (times > 0).astype(times.dtype)
    data = (wrap(x, False, None) for x in (is_target, times))
    return apply(MultilabelMarginLoss, input, target, *data, reduction=number)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the binary cross-entropy with logits as a mean over classes, and then the batch.

    input, target: (N, C); targets are 0 or 1
    weight: (C,) or None, a factor for each class
    size_average, reduce, reduction: see `mse_loss`
    Returns: (), or (N,) with reduction="none".

    >>> multilabel_soft_margin_loss(torch.tensor([[0.0, 0.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.6931)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    dim = input.ndim - 1
    losses = F.sum(losses, dim) / input.shape[dim]
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    return reduced(losses, reduction)
