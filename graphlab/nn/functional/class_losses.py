"""Losses for classification: `F.cross_entropy(scores, classes)`; the mean or sum of any loss.

`logs` are log-probabilities. `F.ctc_loss` is about a text over all its alignments.

PyTorch differs: its graph has one node for the CTC loss; here it has the nodes of every step.

Read next: nn/functional/margins.py
"""

import warnings
from typing import Any

import numpy as np

from graphlab.autograd.record import applied, apply
from graphlab.common.errors import users_level
from graphlab.ops.loss import NllLoss, NllLoss2d
from graphlab.tensor import functions as F
from graphlab.tensor.creation import as_tensor, full
from graphlab.tensor.functions.checks import check_long, check_types, outside, type_name
from graphlab.tensor.functions.reductions import log_softmax
from graphlab.tensor.functions.rounding import div_number, mul_number
from graphlab.tensor.tensor import Tensor, wrap

_nll = applied(NllLoss)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean of -input[n, target[n]], the negative log-likelihood of the target classes.

    input: (N, C, ...) or (C,), log-probabilities
    target: (N, ...) or (), int64 classes in [0, C)
    weight: (C,) or None, a factor for each class; the mean divides by the sum of those used
    ignore_index: int, a class whose targets contribute nothing
    size_average, reduce, reduction: see `mse_loss`
    Returns: (), or the shape of the target with reduction="none".
    Raises: ValueError for shapes that do not fit, RuntimeError for targets of another dtype,
        IndexError for a class out of range.

    >>> nll_loss(torch.tensor([[-0.5, -1.0], [-2.0, -0.1]]), torch.tensor([0, 0]))
    tensor(1.2500)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    return nll(input, target, weight, reduction_number(reduction), ignore_index)


def nll(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> Tensor:
    """Return `nll_loss` for a reduction number; the dimensions after (N, C) become (1, ...)."""
    check_classes(input, target, weight)
    shape = input._data.shape
    n = len(shape)
    check_bounds(target, shape[1] if n > 1 else shape[0], ignore_index)
    if n == 1 and target.ndim:
        target = F.reshape(target, ())
    if n <= 2:
        return _nll(input, target, weight, reduction=reduction, ignore_index=ignore_index)[0]
    options = {"reduction": reduction, "ignore_index": ignore_index}
    if n == 4:
        return apply(NllLoss2d, input, target, weight, **options)[0]
    rest = tuple(input.shape[2:])
    folded = (input.shape[0], input.shape[1], 1, -1) if input.numel() else (*input.shape[:2], 0, 0)
    rows = (target.shape[0], 1, -1) if target.numel() else (target.shape[0], 0, 0)
    pair = F.reshape(input, folded), F.reshape(target, rows)
    losses = apply(NllLoss2d, *pair, weight, **options)[0]
    return F.reshape(losses, (input.shape[0], *rest)) if reduction == 0 else losses


def check_classes(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    """Raise ValueError or RuntimeError, as PyTorch does, for shapes or dtypes that do not fit."""
    data, classes = input._data, target._data
    n = data.ndim
    if n == 2 and weight is None and classes.shape == data.shape[:1] and classes.dtype == np.int64:
        return  # the usual case
    if n == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if n > 1 and (target.ndim == 0 or input.shape[0] != target.shape[0]):
        batch = target.shape[0] if target.ndim else 1
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({batch})."
        )
    if n in (1, 2) and target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if n == 1 and target.ndim and target.numel() != 1:
        raise ValueError(
            f"For 1D input, 1D target must have size 1, but got target size: {target.numel()}"
        )
    if target.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {type_name(target)}")
    expected = [input.shape[0], *input.shape[2:]]
    if n > 2 and expected != list(target.shape):
        raise RuntimeError(f"Expected target size {expected}, got {list(target.shape)}")
    if n > 2:
        check_long(target)
    if weight is None:
        return
    classes = input.shape[min(1, n - 1)]
    if tuple(weight.shape) != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but "
            f"got weight tensor of shape: {list(weight.shape)}"
        )
    check_types(input, weight)


def check_bounds(target: Tensor, classes: int, ignore_index: int) -> None:
    """Raise IndexError for a class out of range."""
    wrong = outside(target._data, 0, classes)
    if wrong.size and (wrong := wrong[wrong != ignore_index]).size:
        raise IndexError(f"Target {wrong.flat[0]} is out of bounds.")


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the mean of -log softmax(input)[target], the cross-entropy of scores and classes.

    For probabilities p as targets, it is the mean of -Σ p · log softmax(input) over the classes.

    input: (N, C, ...) or (C,), scores (logits)
    target: (N, ...) or (), int64 classes in [0, C); or probabilities in the shape of `input`
    weight: (C,) or None, a factor for each class; with classes as targets, the mean divides by the
        sum of those used
    ignore_index: int, a class whose targets contribute nothing
    size_average, reduce, reduction: see `mse_loss`
    label_smoothing: float in [0, 1], the part of each target that is spread over all classes
    Returns: (), or (N, ...) with reduction="none".
    Raises: as `nll_loss`; RuntimeError for a label_smoothing out of range, or an ignore_index ≥ 0
        with probabilities.
    Source: label smoothing: Szegedy et al. 2016.

    >>> cross_entropy(torch.tensor([[2.0, 0.0]]), torch.tensor([0]))
    tensor(0.1269)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    number = reduction_number(reduction)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    data, probable = input._data, target._data
    dim = 0 if data.ndim == 1 else 1
    if data.shape == probable.shape and probable.dtype.kind == "f":
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return soft_cross_entropy(input, target, weight, number, label_smoothing, dim)
    logs = log_softmax(input, dim)
    losses = nll(logs, target, weight, number, ignore_index)
    if label_smoothing == 0:
        return losses
    uniform = uniform_loss(logs, target, weight, number, ignore_index, dim)
    spread = mul_number(uniform, label_smoothing / input.shape[dim])
    return mul_number(losses, 1 - label_smoothing) + spread


def uniform_loss(
    logs: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, dim: int
) -> Tensor:
    """Return the loss for a target that is spread evenly over all classes."""
    if weight is not None:
        logs = logs * weight_along(weight, logs.ndim, dim)
    ignored = F.eq(target, ignore_index)
    losses = F.masked_fill(F.neg(F.sum(logs, dim)), ignored, 0)
    if reduction != 1:
        return losses if reduction == 0 else F.sum(losses)
    if weight is None:
        return F.sum(losses) / F.sum(F.logical_not(ignored))
    counted = weight[F.masked_select(target, F.logical_not(ignored))]
    return F.sum(losses) / F.sum(counted)


def weight_along(weight: Tensor, ndim: int, dim: int) -> Tensor:
    """Return the weights of the classes in a shape that broadcasts along `dim`."""
    return F.reshape(weight, tuple(-1 if d == dim else 1 for d in range(ndim)))


def soft_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    label_smoothing: float,
    dim: int,
) -> Tensor:
    """Return the cross-entropy with probabilities as targets."""
    logs = log_softmax(input, dim)
    if label_smoothing > 0:
        share = label_smoothing / input.shape[dim]
        target = target * (1 - label_smoothing) + share
    products = logs * target
    if weight is not None:
        products = products * weight_along(weight, input.ndim, dim)
    if reduction == 0:
        return F.neg(F.sum(products, dim))
    total = F.neg(F.sum(products))
    if reduction == 2:
        return total
    return div_number(total, input.numel() // input.shape[dim])


NEVER = -1e30  # stands for log 0; it is finite, so that NEVER - NEVER is not nan


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Return -log p of each target, where p sums the probabilities of all its alignments.

    At every step, the network predicts a letter or the blank. An alignment is a sequence of them
    that becomes the target when repeated letters without a blank between them count once, and
    blanks are removed.

    log_probs: (T, N, C) or (T, C), from `log_softmax`, of C letters at T steps
    targets: (N, S), or (sum of target_lengths,), the letters as numbers, without blanks
    input_lengths: (N,), the number of steps of each sequence, at most T
    target_lengths: (N,), the number of letters of each target
    blank: int, the number of the blank
    reduction: "mean" of the losses, each divided by its target's length; "sum" or "none"
    zero_infinity: bool, return 0 for an infinite loss, that of a target longer than its steps
    Returns: (), or with reduction="none" (N,) or ().
    Source: Graves et al. 2006, "Connectionist temporal classification".
    Raises: RuntimeError for lengths and letters that do not fit.

    >>> logs = torch.tensor([[0.5, 0.5], [0.5, 0.5]]).log()  # the blank or the letter 1, twice
    >>> ctc_loss(logs, torch.tensor([1]), [2], [1]).neg().exp()  # "1 1", "1 -" or "- 1"
    tensor(0.7500)
    """
    number = reduction_number(reduction)
    batched = log_probs.ndim == 3
    steps = log_probs if batched else F.unsqueeze(log_probs, 1)
    ends, sizes = (np.reshape(as_tensor(n)._data, -1) for n in (input_lengths, target_lengths))
    check(steps, ends, sizes, blank)
    letters = with_blanks(np.asarray(targets._data), sizes, blank, steps.shape[1])
    loss = -likelihoods(steps, letters, ends, sizes, blank)
    infinite = F.gt(loss, -NEVER / 2)
    loss = F.masked_fill(loss, infinite, 0.0 if zero_infinity else np.inf)
    if number == 1:
        return F.mean(loss / wrap(np.maximum(sizes, 1).astype(loss._data.dtype), False, None))
    if number == 2:
        return F.sum(loss)
    return loss if batched else F.squeeze(loss, 0)


def check(steps: Tensor, ends: np.ndarray, sizes: np.ndarray, blank: int) -> None:
    """Raise RuntimeError for lengths or a blank that do not fit."""
    t, n, c = steps.shape
    if not 0 <= blank < c:
        raise RuntimeError("blank must be in label range")
    for name, given in (("input_lengths", ends), ("target_lengths", sizes)):
        if len(given) != n:
            raise RuntimeError(f"{name} must be of size batch_size")
        if given.size and given.min() < 0:
            raise RuntimeError(
                f"Expected {name} to have value at least 0, but got value {given.min()} (while "
                "checking arguments for ctc_loss_cpu)"
            )
    if ends.size and ends.max() > t:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {t}, but got value {ends.max()} (while "
            "checking arguments for ctc_loss_cpu)"
        )


def with_blanks(targets: np.ndarray, sizes: np.ndarray, blank: int, n: int) -> np.ndarray:
    """Return the targets with a blank before, between and after their letters: (N, 2 S + 1).

    sizes: (N,), the lengths of the targets
    Raises: RuntimeError for targets that are shorter than their lengths.
    """
    longest = int(sizes.max(initial=0))
    if targets.ndim == 1 and targets.size < sizes.sum():
        raise RuntimeError(f"Expected {sizes.sum()} letters in targets, but got {targets.size}")
    if targets.ndim == 2 and targets.shape[1] < longest:
        raise RuntimeError(
            f"Expected tensor to have size at least {longest} at dimension 1, but got size "
            f"{targets.shape[1]} for argument #2 'targets' (while checking arguments for "
            "ctc_loss_cpu)"
        )
    found = np.full((n, 2 * longest + 1), blank, np.int64)
    begins = np.cumsum(sizes) - sizes
    for i, (begin, size) in enumerate(zip(begins, sizes, strict=True)):
        row = targets[begin : begin + size] if targets.ndim == 1 else targets[i, :size]
        found[i, 1 : 2 * size : 2] = row
    return found


def likelihoods(
    steps: Tensor, letters: np.ndarray, ends: np.ndarray, sizes: np.ndarray, blank: int
) -> Tensor:
    """Return the log-probabilities of the targets: steps (T, N, C) -> (N,).

    After step t, so_far[n, s] is the log-probability of the first s + 1 letters and blanks.
    """
    n, width = letters.shape
    kind = steps.dtype
    index = wrap(letters, False, None)
    skips = np.zeros(letters.shape, bool)  # whether the blank before a letter may be left out
    skips[:, 2:] = (letters[:, 2:] != blank) & (letters[:, 2:] != letters[:, :-2])
    at_start = wrap(np.tile(np.arange(width) > 1, (n, 1)), False, None)
    never = full((n, 2), NEVER, dtype=kind)
    so_far = full((n, width), NEVER, dtype=kind)
    so_far[:, 0] = 0.0
    for t in range(int(ends.max(initial=0))):
        logs = F.gather(steps[t], 1, index)
        if t == 0:
            now = F.masked_fill(logs, at_start, NEVER)
        else:
            before = F.cat((never, so_far), 1)
            skipped = F.masked_fill(before[:, :width], wrap(~skips, False, None), NEVER)
            ways = F.stack((so_far, before[:, 1 : width + 1], skipped))
            now = F.logsumexp(ways, 0) + logs
        running = wrap((t < ends)[:, None], False, None)
        so_far = F.where(running, now, so_far)
    last = wrap(np.stack([2 * sizes, np.maximum(2 * sizes - 1, 0)], 1), False, None)
    ways = F.gather(so_far, 1, last)
    none = wrap(np.stack([sizes < 0, sizes == 0], 1), False, None)
    return F.logsumexp(F.masked_fill(ways, none, NEVER), 1)


REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def reduction_number(reduction: str) -> int:
    """Return PyTorch's number of a reduction. Raises: ValueError for an unknown one."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def reduction_of(size_average: Any, reduce: Any, reduction: str) -> str:
    """Return `reduction`, or that which the deprecated arguments mean, if they are given.

    Warns: UserWarning, as PyTorch does, if they are given.
    """
    if size_average is None and reduce is None:
        return reduction
    average = size_average is None or size_average
    reduced = reduce is None or reduce
    name = "none" if not reduced else "mean" if average else "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.",
        UserWarning,
        stacklevel=users_level(),
    )
    return name


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """Return the mean of the losses, their sum, or the losses. Raises: ValueError for others."""
    number = reduction_number(reduction)
    return losses if number == 0 else F.mean(losses) if number == 1 else F.sum(losses)


def broadcast(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Return both tensors in their common shape. Warns: UserWarning if their shapes differ."""
    if input.shape == target.shape:
        return input, target
    warnings.warn(
        f"Using a target size ({target.shape}) that is different to the input size "
        f"({input.shape}). This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size.",
        UserWarning,
        stacklevel=users_level(),
    )
    return F.broadcast_tensors(input, target)
