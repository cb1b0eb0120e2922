"""Connectionist temporal classification: the probability of a text over all its alignments.

PyTorch differs: its graph has one node for the loss; here the graph has the nodes of every step.

Source: Graves et al. 2006, "Connectionist temporal classification".

Read next: nn/functional/loss.py
"""

from typing import Any

import numpy as np

from graphlab.nn.functional.loss_reduction import reduction_number
from graphlab.tensor import functions as F
from graphlab.tensor.creation import as_tensor, full
from graphlab.tensor.tensor import Tensor, wrap

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
    Raises: RuntimeError for lengths and letters that do not fit.

    >>> import graphlab as torch
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
