"""Combinations of schedulers: one after the other, or all at every step.

Read next: optim/optimizer.py
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from graphlab.optim.lr_scheduler.plateau import ReduceLROnPlateau
from graphlab.optim.lr_scheduler.scheduler import LRScheduler, put, values
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
