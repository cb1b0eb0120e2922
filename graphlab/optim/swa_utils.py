"""Averages of a model's parameters over training: `AveragedModel`, and what belongs to it.

    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.999))
    for batch in loader:
        train(model, batch)
        average.update_parameters(model)
    update_bn(loader, average)

Source: Izmailov et al. 2018, arXiv:1803.05407.

Read next: optim/lr_scheduler/scheduler.py
"""

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.nn.batchnorm import BatchNorm
from graphlab.nn.module import Module
from graphlab.optim.lr_scheduler.scheduler import LRScheduler, per_group
from graphlab.optim.optimizer import Optimizer
from graphlab.tensor.creation import tensor
from graphlab.tensor.tensor import Tensor

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn",
    "get_swa_multi_avg_fn", "update_bn",
]  # fmt: skip


def checked(decay: float) -> float:
    """Return the decay. Raises: ValueError outside of [0, 1]."""
    if not 0.0 <= decay <= 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )
    return decay


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Tensor]:
    """Return the function of the exponential average: average · decay + new · (1 - decay).

    >>> import graphlab as torch
    >>> from graphlab.optim import swa_utils
    >>> swa_utils.get_ema_avg_fn(0.75)(torch.tensor(1.0), torch.tensor(3.0), 1)
    tensor(1.5000)
    """
    checked(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[..., Tensor]:
    """Return the function of the mean: average + (new - average) / (n + 1).

    >>> import graphlab as torch
    >>> from graphlab.optim import swa_utils
    >>> swa_utils.get_swa_avg_fn()(torch.tensor(1.0), torch.tensor(3.0), 1)
    tensor(2.)
    """

    @no_grad()
    def swa_update(averaged: Tensor, current: Tensor, num_averaged: Any) -> Tensor:
        return averaged + (current - averaged) / (num_averaged + 1)

    return swa_update


def mix(average: Tensor, new: Tensor, share: float) -> None:
    """Move an average towards a new value, in place; integers are rounded down."""
    if average.is_floating_point():
        average.lerp_(new, share)
    else:
        average.copy_(average * (1 - share) + new * share)


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """Return the same as `get_ema_avg_fn`, for lists of parameters, in place.

    >>> import graphlab as torch
    >>> from graphlab.optim import swa_utils
    >>> average = torch.tensor([1.0])
    >>> swa_utils.get_ema_multi_avg_fn(0.75)([average], [torch.tensor([3.0])], 1)
    >>> average
    tensor([1.5000])
    """
    checked(decay)

    @no_grad()
    def ema_update(ema_params: Any, current_params: Any, num_averaged: Any) -> None:
        for average, new in zip(ema_params, current_params, strict=True):
            mix(average, new, 1 - decay)

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """Return the same as `get_swa_avg_fn`, for lists of parameters, in place.

    >>> import graphlab as torch
    >>> from graphlab.optim import swa_utils
    >>> average = torch.tensor([1.0])
    >>> swa_utils.get_swa_multi_avg_fn()([average], [torch.tensor([3.0])], 1)
    >>> average
    tensor([2.])
    """

    @no_grad()
    def swa_update(averaged: Any, current: Any, num_averaged: Any) -> None:
        for average, new in zip(averaged, current, strict=True):
            mix(average, new, 1 / (float(num_averaged) + 1))

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of those at each `update_parameters`.

    avg_fn: function (average, new, n) -> average, or
    multi_avg_fn: function of lists of these, which changes the averages in place; without both, the
        mean is taken
    use_buffers: average buffers, too, instead of copying them
    Raises: AssertionError for two functions.

    >>> import graphlab as torch
    >>> model = torch.nn.Linear(1, 1)
    >>> average = torch.optim.swa_utils.AveragedModel(model)
    >>> average.update_parameters(model)
    >>> average.n_averaged
    tensor(1)
    """

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable[..., Tensor] | None = None,
        multi_avg_fn: Callable[..., None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model).to(device) if device is not None else deepcopy(model)
        self.register_buffer("n_averaged", tensor(0, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    @no_grad()
    def update_parameters(self, model: Module) -> None:
        """Take the parameters of a model into the averages.

        >>> import graphlab as torch
        >>> model = torch.nn.Linear(1, 1)
        >>> average = torch.optim.swa_utils.AveragedModel(model)
        >>> average.update_parameters(model)
        >>> torch.equal(average.module.weight, model.weight)
        True
        """
        own, new = list(self.module.parameters()), list(model.parameters())
        buffers = list(zip(self.module.buffers(), model.buffers(), strict=True))
        if self.use_buffers:
            own += [mine for mine, _ in buffers]
            new += [theirs for _, theirs in buffers]
        pairs = [(a.detach(), b.detach()) for a, b in zip(own, new, strict=False)]
        if self.n_averaged == 0:
            for average, value in pairs:
                average.copy_(value)
        elif self.avg_fn is not None:
            for average, value in pairs:
                average.copy_(self.avg_fn(average, value, self.n_averaged))
        else:
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            update([a for a, _ in pairs], [b for _, b in pairs], self.n_averaged)
        if not self.use_buffers:
            for mine, theirs in buffers:
                mine.copy_(theirs)
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of all batch norms anew, from the inputs in `loader`.

    >>> import graphlab as torch
    >>> norm = torch.nn.BatchNorm1d(1)
    >>> torch.optim.swa_utils.update_bn([torch.tensor([[1.0], [3.0]])], norm)
    >>> norm.running_mean
    tensor([2.])
    """
    norms = {m: m.momentum for m in model.modules() if isinstance(m, BatchNorm)}
    before = [(buffer, buffer.clone()) for norm in norms for buffer in norm.buffers()]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    if not norms:
        return
    was_training = model.training
    model.train()
    try:
        for batch in loader:
            batch = batch[0] if isinstance(batch, list | tuple) else batch
            model(batch if device is None else batch.to(device))
    except BaseException:  # a failed call leaves everything as it was
        for buffer, old in before:
            buffer.copy_(old)
        raise
    finally:
        for norm, momentum in norms.items():
            norm.momentum = momentum
        model.train(was_training)


class SWALR(LRScheduler):
    """Go from the learning rate to a constant one, `swa_lr`, within `anneal_epochs` steps.

    anneal_strategy: "cos" or "linear"
    Raises: ValueError for another strategy or a negative number of epochs.

    >>> import graphlab as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [0.75])
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        rates = per_group("swa_lr", optimizer, swa_lr)
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t: float) -> float:
        """Return the share of `swa_lr` at t, from 0 to 1."""
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def _next_lr(self) -> list[Any]:
        step, n = self._step_count - 1, max(1, self.anneal_epochs)
        step = step if self.anneal_epochs else max(1, step)
        before, now = (self.anneal_func(max(0, min(1, t / n))) for t in (step - 1, step))
        rates = []
        for group in self.optimizer.param_groups:
            lr, last = group["lr"], group["swa_lr"]
            start = last if before == 1 else (lr - before * last) / (1 - before)
            rates.append(last * now + start * (1 - now))
        return rates
