"""The scheduler: each `step` sets the learning rate of every group of the optimizer.

`_next_lr` computes the next rates from the current ones; `_get_closed_form_lr`, which not every
scheduler has, computes them from the initial ones, as `step(epoch)` needs.

Read next: optim/lr_scheduler/decay.py
"""

import functools
import inspect
import types
import warnings
from collections.abc import Callable
from typing import Any
from weakref import ref

from graphlab.common.errors import users_level
from graphlab.nn.layer import completed
from graphlab.optim.optimizer import Optimizer
from graphlab.optim.options import number
from graphlab.tensor.tensor import Tensor

EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
    "epoch is different from None, the closed form is used instead of the new chainable form, "
    "where available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)
HOW_TO = (
    "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
    "initialization. Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. "
    + HOW_TO
)
TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, "
    "you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  "
    "Failure to do this will result in PyTorch skipping the first value of the learning rate "
    "schedule. " + HOW_TO
)
RESUMING = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with "
    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 "
    "for a fresh training run (not recommended)"
)

ARGUMENTS = """The arguments that all schedulers share.

optimizer: Optimizer, whose learning rates it sets
last_epoch: int, -1 to start; or the epoch after which to resume, with `initial_lr` in every group
"""


def copied(value: Any) -> Any:
    """Return a value that does not change with the original, which may be a tensor."""
    return value.clone() if isinstance(value, Tensor) else value


def values(optimizer: Optimizer, key: str = "lr") -> list[Any]:
    """Return an option of every group."""
    return [copied(group[key]) for group in optimizer.param_groups]


def put(group: dict[str, Any], key: str, value: Any) -> None:
    """Set an option of a group, in place if it is a tensor."""
    if isinstance(group[key], Tensor):
        group[key].fill_(number(value))
    else:
        group[key] = value


def per_group(name: str, optimizer: Optimizer, given: Any) -> list[Any]:
    """Return one value for each group. Raises: ValueError for another number of values."""
    n = len(optimizer.param_groups)
    if not isinstance(given, list | tuple):
        return [copied(given) for _ in range(n)]
    if len(given) != n:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(given)} "
            f"values, param_groups has {n}."
        )
    return [copied(one) for one in given]


def check_optimizer(optimizer: Any) -> None:
    """Raise TypeError unless `optimizer` is an Optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def watch_steps(optimizer: Optimizer) -> None:
    """Replace the optimizer's `step` by one that records that it was called."""
    step: Any = optimizer.step
    if hasattr(step, "_wrapped_by_lr_sched"):
        return
    reference, function = ref(optimizer), step.__func__

    @functools.wraps(function)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        owner: Any = reference()
        owner._opt_called = True
        return function(owner, *args, **kwargs)

    recorded._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = recorded


class LRScheduler:
    """The base class of all schedulers.

    optimizer: Optimizer, whose learning rates it sets
    last_epoch: int, -1 to start; or the epoch after which to resume, with `initial_lr` in every
        group
    Raises: TypeError for another object than an Optimizer, KeyError without an `initial_lr`.

    A subclass defines `get_lr`, which returns the next rate of every group.

    >>> import graphlab as torch
    >>> class Halving(torch.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [rate / 2**self.last_epoch for rate in self.base_lrs]
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = Halving(optimizer)
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [0.5])
    """

    def __init_subclass__(cls) -> None:
        """Add the arguments that all schedulers share to the docstring of one of ours."""
        if cls.__doc__ and cls.__module__.startswith("graphlab.optim."):
            parameters = inspect.signature(cls.__init__).parameters
            file, docs = cls.__module__.split(".")[2], [cls.__doc__, ARGUMENTS]
            cls.__doc__ = completed(docs, parameters, file, [cls.__name__])

    _is_initial = False  # True in the first step, which sets the first rates
    _get_lr_called_within_step = False  # True in a step, where `get_lr` may be called

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(RESUMING.format(i))
        self.base_lrs = values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        watch_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def get_lr(self) -> list[Any]:
        """Return the next rate of every group, for `step`.

        Warns: UserWarning outside of `step`; `get_last_lr` returns the current rates.

        >>> import graphlab as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
        >>> class Halving(torch.optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [rate / 2**self.last_epoch for rate in self.base_lrs]
        >>> Halving(optimizer).get_lr()
        [1.0]
        """
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`.",
                UserWarning,
                stacklevel=users_level(),
            )
        return self._next_lr()

    def _next_lr(self) -> list[Any]:
        raise NotImplementedError

    def get_last_lr(self) -> list[Any]:
        """Return the current rate of every group.

        >>> import graphlab as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
        >>> scheduler.get_last_lr()
        [1.0]
        """
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Set the next rates; call it after `optimizer.step()`.

        epoch: deprecated, the epoch whose rates to set
        Warns: UserWarning before `optimizer.step()`, and for an epoch.

        >>> import graphlab as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
        >>> optimizer.step()
        >>> scheduler.step()
        >>> optimizer.param_groups[0]["lr"]
        0.1
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(OVERRIDDEN, UserWarning, stacklevel=users_level())
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(TOO_EARLY, UserWarning, stacklevel=users_level())
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH, UserWarning, stacklevel=users_level())
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        closed: Any = getattr(self, "_get_closed_form_lr", None)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set(self.get_lr if epoch is None or closed is None else closed)

    def _set(self, rates: Callable[[], list[Any]]) -> None:
        """Give every group its rate."""
        self._get_lr_called_within_step = True
        try:
            found = rates()
        finally:
            self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, found, strict=True):
            put(group, "lr", rate)
        self._last_lr = values(self.optimizer)

    def _rates(self) -> list[Any]:
        """Return the current rates."""
        return values(self.optimizer)

    def _scaled(self, factor: float) -> list[Any]:
        """Return the current rates times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimizer as a dict.

        In `lr_lambdas`, a function becomes None, and another callable object its attributes.

        >>> import graphlab as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
        >>> scheduler.state_dict()["step_size"]
        1
        """
        state = {key: value for key, value in self.__dict__.items() if key != "optimizer"}
        if "lr_lambdas" in state:
            state["lr_lambdas"] = [
                None if isinstance(one, types.FunctionType) else one.__dict__.copy()
                for one in state["lr_lambdas"]
            ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the attributes that `state_dict` returned.

        >>> import graphlab as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
        >>> scheduler.load_state_dict({**scheduler.state_dict(), "gamma": 0.5})
        >>> scheduler.gamma
        0.5
        """
        state = dict(state_dict)
        for own, saved in zip(
            getattr(self, "lr_lambdas", ()), state.pop("lr_lambdas", ()), strict=True
        ):
            if saved is not None:
                own.__dict__.update(saved)
        self.__dict__.update(state)


class _LRScheduler(LRScheduler):
    """The base class under its old name, which schedulers in older notebooks inherit from."""
