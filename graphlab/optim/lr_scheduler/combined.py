"""Combinations of schedulers: one after the other, or all at every step.

Another scheduler lowers the rate when a metric stops improving.

Read next: optim/optimizer.py
"""

import math
import warnings
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from graphlab.common.errors import users_level
from graphlab.optim.lr_scheduler.scheduler import EPOCH, LRScheduler, check_optimizer, put, values
from graphlab.optim.optimizer import Optimizer


class Combined(LRScheduler):
    """The base of the schedulers that call others."""

    _schedulers: Sequence[Any]

    def _check(self, schedulers: Sequence[Any], optimizer: Any) -> None:
        """Raise TypeError or ValueError for schedulers that cannot be combined."""
        name = type(self).__name__
        for i, one in enumerate(schedulers):
            if not hasattr(one, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(one, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires "
                    "additional kwargs to be specified when calling `step`, but got one at index "
                    f"{i} in the given schedulers sequence."
                )
            if optimizer != one.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got "
                    f"scheduler {type(one).__name__} at index {i} has {one.optimizer}, which is "
                    f"different from {type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        return {**state, "_schedulers": [one.state_dict() for one in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        for own, saved in zip(self._schedulers, state.pop("_schedulers"), strict=True):
            own.load_state_dict(saved)
        super().load_state_dict(state)


class SequentialLR(Combined):
    """Run one scheduler after the other; each milestone starts the next one.

    optimizer: Optimizer of all schedulers
    schedulers: list of n schedulers
    milestones: list of n - 1 ints, in ascending order: the epochs at which the next one starts

    Raises: ValueError or TypeError for schedulers that do not fit together.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> from graphlab.optim.lr_scheduler import ConstantLR, ExponentialLR
    >>> first, then = ConstantLR(optimizer, 0.5, 9), ExponentialLR(optimizer, 0.5)
    >>> scheduler = SequentialLR(optimizer, [first, then], milestones=[1])
    >>> scheduler.get_last_lr(), optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    ([0.5], None, None, [1.0])
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[Any],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if not schedulers:
            name = type(self).__name__
            raise ValueError(f"{name} expects at least one scheduler, but got no scheduler.")
        self._check(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                "the number of milestone points, but got number of schedulers "
                f"{len(schedulers)} and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            put(group, "lr", group["initial_lr"])
        undo(self)
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Set the next rates."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def undo(scheduler: Any) -> None:
    """Undo the step that every scheduler makes in its `__init__`."""
    if hasattr(scheduler, "_schedulers"):
        for one in scheduler._schedulers:
            undo(one)
    else:
        scheduler.last_epoch -= 1


class ChainedScheduler(Combined):
    """Run all schedulers at every step, so that their factors multiply.

    schedulers: list of schedulers
    optimizer: Optimizer of all schedulers; by default that of the first one

    Raises: ValueError or TypeError for schedulers that do not fit together.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> from graphlab.optim.lr_scheduler import ExponentialLR
    >>> scheduler = ChainedScheduler([ExponentialLR(optimizer, 0.5) for _ in range(2)])
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [0.25])
    """

    def __init__(self, schedulers: Sequence[Any], optimizer: Optimizer | None = None) -> None:
        if not schedulers:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no "
                "scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check(schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer: Any = optimizer
        self._last_lr = values(self.optimizer)

    def step(self) -> None:  # type: ignore[override]
        """Set the next rates."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = values(self.optimizer)


class ReduceLROnPlateau(LRScheduler):
    """Multiply the rate by `factor` when a metric has not improved for more than `patience` steps.

    optimizer: Optimizer, whose learning rates it lowers
    mode: "min" or "max", whether a lower or a higher metric is better
    factor: float < 1
    patience: int ≥ 0, the steps without improvement that do not lower the rate
    threshold: float ≥ 0, the smallest improvement on the best metric that counts
    threshold_mode: "rel" or "abs", whether the threshold is a part of the best metric or a number
    cooldown: int ≥ 0, steps to wait after each change of the rate
    min_lr: float ≥ 0, the lowest rate, or a list of one for each group
    eps: float ≥ 0; smaller changes of a rate are not made

    Raises: ValueError for an option out of its range, TypeError for another object than an
        Optimizer.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
    >>> for loss in (1.0, 0.8, 0.9):
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        check_optimizer(optimizer)
        self.optimizer = optimizer
        n = len(optimizer.param_groups)
        several = isinstance(min_lr, list | tuple)
        if several and len(min_lr) != n:
            raise ValueError(f"expected {n} min_lrs, got {len(min_lr)}")
        self.default_min_lr = None if several else min_lr
        self.min_lrs = list(min_lr) if several else [min_lr] * n
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = values(optimizer)
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self._reset()

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether the scheduler is waiting after a change of the rate."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        relative = self.threshold_mode == "rel"
        if self.mode == "min":
            return a < (best * (1.0 - self.threshold) if relative else best - self.threshold)
        return a > (best * (self.threshold + 1.0) if relative else best + self.threshold)

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Compare the metric with the best one, and lower the rates if it did not improve in time.

        metrics: float or tensor of one entry
        epoch: deprecated, the number of this epoch
        """
        current = float(metrics)
        if epoch is not None:
            warnings.warn(EPOCH, UserWarning, stacklevel=users_level())
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._lower()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = values(self.optimizer)

    def _lower(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from "
                    f"when `ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due "
                    "to a new param group being added to the optimizer. Please modify the "
                    "`min_lrs` field to match the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, lowest)
            if old - new > self.eps:
                put(group, "lr", new)
