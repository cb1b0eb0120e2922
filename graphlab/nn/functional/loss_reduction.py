"""The reduction of losses: to their mean, to their sum, or not at all.

Read next: nn/functional/loss.py
"""

import warnings
from typing import Any

from graphlab.common.errors import users_level
from graphlab.tensor import functions as F
from graphlab.tensor.tensor import Tensor

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
