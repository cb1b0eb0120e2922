"""Schedulers that multiply the rate by a factor, at every step or at some of them.

In the formulas, lr₀ is the initial rate, and t counts the calls of `step`.

Read next: optim/lr_scheduler/cycles.py
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from graphlab.optim.lr_scheduler.scheduler import LRScheduler
from graphlab.optim.optimizer import Optimizer


def lambdas(optimizer: Optimizer, given: Any) -> list[Any]:
    """Return one function for each group. Raises: ValueError for another number of them."""
    n = len(optimizer.param_groups)
    if not isinstance(given, list | tuple):
        return [given] * n
    if len(given) != n:
        raise ValueError(f"Expected {n} lr_lambdas, but got {len(given)}")
    return list(given)


class FunctionLR(LRScheduler):
    """The base of the schedulers with a function of the epoch."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas = lambdas(optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)


class LambdaLR(FunctionLR):
    """Set the rate to the initial rate times a function of the epoch: lr = lr₀ · lr_lambda(t).

    lr_lambda: function from the epoch t to a factor, or a list of one for each group

    Raises: ValueError for another number of functions than of groups.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = LambdaLR(optimizer, lambda t: 1 / (1 + t))
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [0.5])
    """

    def _next_lr(self) -> list[Any]:
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * factor(self.last_epoch) for factor, base in pairs]


class MultiplicativeLR(FunctionLR):
    """Multiply the rate by a function of the epoch: lr ← lr · lr_lambda(t).

    lr_lambda: function from the epoch t to a factor, or a list of one for each group

    Raises: ValueError for another number of functions than of groups, TypeError for a value that
        is not a function.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = MultiplicativeLR(optimizer, lambda t: 0.5)
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [0.5])
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        for one in lambdas(optimizer, lr_lambda):
            if not callable(one):
                raise TypeError(f"lr_lambda should be a function, but got {type(one).__name__}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def _next_lr(self) -> list[Any]:
        if self._is_initial:
            return self._rates()
        pairs = zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        return [group["lr"] * factor(self.last_epoch) for factor, group in pairs]


class StepLR(LRScheduler):
    """Multiply the rate by gamma every step_size epochs: lr = lr₀ · gamma^⌊t / step_size⌋.

    step_size: int > 0, the epochs between two changes
    gamma: float, the factor

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     print(scheduler.get_last_lr())
    [1.0]
    [0.5]
    [0.5]
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next_lr(self) -> list[Any]:
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._rates()
        return self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiply the rate by gamma at each milestone: lr = lr₀ · gamma^(milestones ≤ t).

    milestones: iterable of ints, epochs; one that occurs twice counts twice
    gamma: float, the factor

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [0.5])
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next_lr(self) -> list[Any]:
        if self.last_epoch not in self.milestones:
            return self._rates()
        return self._scaled(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiply the rate by gamma at every step: lr = lr₀ · gammaᵗ.

    gamma: float, the factor

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [0.5])
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next_lr(self) -> list[Any]:
        return self._rates() if self._is_initial else self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Multiply the rate by a factor for the first total_iters epochs: lr = lr₀ · factor, then lr₀.

    factor: float in [0, 1]
    total_iters: int ≥ 0, the epochs with the factor

    Raises: ValueError for a factor out of its range.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = ConstantLR(optimizer, factor=0.5, total_iters=1)
    >>> scheduler.get_last_lr(), optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    ([0.5], None, None, [1.0])
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _next_lr(self) -> list[Any]:
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        if self.last_epoch != self.total_iters:
            return self._rates()
        return self._scaled(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        over = self.last_epoch >= self.total_iters
        return [base * (self.factor + over * (1 - self.factor)) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Move the factor of the rate from start_factor to end_factor in total_iters equal steps.

        lr = lr₀ · (start_factor + (end_factor - start_factor) · min(t, total_iters) / total_iters)

    start_factor: float in (0, 1]
    end_factor: float in [0, 1]
    total_iters: int > 0, the epochs until the factor is end_factor

    Raises: ValueError for a factor out of its range.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [0.75])
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal "
                "to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _next_lr(self) -> list[Any]:
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates()
        width = self.end_factor - self.start_factor
        now = self.total_iters * self.start_factor + (self.last_epoch - 1) * width
        return self._scaled(1.0 + width / now)

    def _get_closed_form_lr(self) -> list[Any]:
        width = self.end_factor - self.start_factor
        passed = min(self.total_iters, self.last_epoch)
        factor = self.start_factor + width * passed / self.total_iters
        return [base * factor for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Lower the rate to 0 in total_iters steps: lr = lr₀ · (1 - t / total_iters)^power.

    total_iters: int > 0, the epochs until the rate is 0
    power: float, the exponent

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = PolynomialLR(optimizer, total_iters=4, power=2.0)
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [0.5625])
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _next_lr(self) -> list[Any]:
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates()
        now = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._scaled((now / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]
