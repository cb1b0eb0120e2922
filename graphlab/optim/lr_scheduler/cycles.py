"""Schedulers that raise and lower the rate: along a cosine, in triangles, in one cycle.

In the formulas, lr₀ is the initial rate, and t counts the calls of `step`.

Read next: optim/lr_scheduler/combined.py
"""

import math
import types
from collections.abc import Callable
from typing import Any

from graphlab.optim.lr_scheduler.scheduler import LRScheduler, check_optimizer, per_group, put
from graphlab.optim.optimizer import Optimizer


def cosine(high: Any, low: float, share: float) -> Any:
    """Return the value between `high` (share 0) and `low` (share 1) on half a cosine."""
    return low + (high - low) * (1 + math.cos(math.pi * share)) / 2


class CosineAnnealingLR(LRScheduler):
    """Lower the rate to eta_min along a cosine in T_max steps, then raise it in as many steps.

        lr = eta_min + (lr₀ - eta_min) (1 + cos(π t / T_max)) / 2

    T_max: int > 0, the epochs in which the rate falls
    eta_min: float ≥ 0, the lowest rate

    Source: Loshchilov & Hutter 2017, without the restarts.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [0.5])
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _next_lr(self) -> list[Any]:
        if self._is_initial:
            return self._rates()
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        groups = self.optimizer.param_groups
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # the lowest rate is past
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(self.base_lrs, groups, strict=True)
            return [group["lr"] + (base - self.eta_min) * rise for base, group in pairs]
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [now / before * (g["lr"] - self.eta_min) + self.eta_min for g in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        share = self.last_epoch / self.T_max
        return [cosine(base, self.eta_min, share) for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Lower the rate to eta_min along a cosine, then restart at the initial rate.

        lr = eta_min + (lr₀ - eta_min) (1 + cos(π T_cur / T_i)) / 2,   T_cur epochs since a restart

    T_0: int > 0, epochs before the first restart
    T_mult: int ≥ 1, the factor of T_i after each restart
    eta_min: float ≥ 0, the lowest rate

    Raises: ValueError for a T_0, T_mult or eta_min out of its range.

    Source: Loshchilov & Hutter 2017.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [0.5])
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, float | int):
            raise ValueError(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def _next_lr(self) -> list[Any]:
        return [cosine(base, self.eta_min, self.T_cur / self.T_i) for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Set the next rates.

        epoch: float ≥ 0, the epoch whose rates to set, such as epoch + batch / batches; or None
            for the next one
        Raises: ValueError for a negative epoch.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            self._jump(epoch)
        self.last_epoch = math.floor(epoch)
        self._set(self.get_lr)

    def _jump(self, epoch: float) -> None:
        """Set T_cur and T_i for an epoch. Raises: ValueError for a negative one."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n


class WithMomentum(LRScheduler):
    """The base of schedulers that lower the momentum, or Adam's β₁, while they raise the rate."""

    use_beta1: bool

    def _begin_momentum(self, base: Any, highest: Any, last_epoch: int) -> None:
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
            )
        self.use_beta1 = "betas" in optimizer.defaults
        self.base_momentums = per_group("base_momentum", optimizer, base)
        self.max_momentums = per_group("max_momentum", optimizer, highest)
        if last_epoch != -1:
            return
        pairs = zip(self.max_momentums, self.base_momentums, strict=True)
        for group, (high, low) in zip(optimizer.param_groups, pairs, strict=True):
            self._put_momentum(group, high)
            group["max_momentum"], group["base_momentum"] = high, low

    def _put_momentum(self, group: dict[str, Any], momentum: float) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(WithMomentum):
    """Move the rate from base_lr to max_lr and back along straight lines, in each cycle.

        lr = base_lr + (max_lr - base_lr) · share · height

    In each cycle, the share rises from 0 to 1 and falls to 0. The momentum moves the other way.

    base_lr: float, the lowest rate, or a list of one for each group
    max_lr: float, the highest rate, likewise
    step_size_up: int > 0, steps from base_lr to max_lr
    step_size_down: int > 0, steps from max_lr to base_lr; step_size_up by default
    mode: "triangular" (height 1), "triangular2" (half the height of the cycle before) or
        "exp_range" (height gammaᵗ)
    gamma: float, the base of "exp_range"
    scale_fn: function that returns the height, in place of mode; or None
    scale_mode: "cycle" or "iterations", the argument of scale_fn: the cycle, from 1 on, or the step
    cycle_momentum: bool, also move the momentum or β₁
    base_momentum: float in [0, 1), the lowest momentum, or a list of one for each group
    max_momentum: float in [0, 1), the highest momentum, likewise

    Raises: ValueError for an unknown mode, or for an optimizer without momentum to be moved.

    Source: Smith 2017.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = CyclicLR(optimizer, 1.0, 2.0, step_size_up=2, cycle_momentum=False)
    >>> optimizer.step(), scheduler.step(), scheduler.get_last_lr()
    (None, None, [1.5])
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                put(group, "lr", rate)
        self.max_lrs = per_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """Return the height of cycle x, or of step x."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else self.gamma**x

    def _next_lr(self) -> list[Any]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        ratio = self.step_ratio
        share = x / ratio if x <= ratio else (x - 1) / (ratio - 1)
        height = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            pairs = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, pairs, strict=True):
                self._put_momentum(group, high - (high - low) * share * height)
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * share * height for low, high in pairs]

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        own = state["_scale_fn_custom"]
        plain = own is None or isinstance(own, types.FunctionType)
        state["_scale_fn_custom"] = None if plain else own.__dict__.copy()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        saved = state.pop("_scale_fn_custom")
        if saved is not None:
            self._scale_fn_custom.__dict__.update(saved)
        super().load_state_dict(state)


class OneCycleLR(WithMomentum):
    """Raise the rate to max_lr once, then lower it far below its first value.

    The rate rises from max_lr / div_factor to max_lr in the part pct_start of all steps, then falls
    to max_lr / div_factor / final_div_factor. The momentum moves the other way.

    max_lr: float, or a list of one for each group
    total_steps: int > 0; or give epochs and steps_per_epoch
    epochs: int > 0
    steps_per_epoch: int > 0
    pct_start: float in [0, 1], the part of all steps in which the rate rises
    anneal_strategy: "cos" or "linear", the shape of the curve
    cycle_momentum: bool, also move the momentum or β₁
    base_momentum: float in [0, 1), the lowest momentum, or a list of one for each group
    max_momentum: float in [0, 1), the highest momentum, likewise
    div_factor: float, max_lr divided by the first rate
    final_div_factor: float, the first rate divided by the last one
    three_phase: bool, let the rate fall to the first one in as many steps as it rose, then further

    Raises: ValueError for an option out of its range, or for steps past total_steps.

    Source: Smith & Topin 2019.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = OneCycleLR(optimizer, 1.0, total_steps=10, cycle_momentum=False)
    >>> round(scheduler.get_last_lr()[0], 4)
    0.04
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 10000.0,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = number_of_steps(total_steps, epochs, steps_per_epoch)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        top = pct_start * self.total_steps
        last = self.total_steps - 1
        up = (float(top) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        if three_phase:
            back = (float(2 * top) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum")
            out = (last, "initial_lr", "min_lr", "max_momentum", "max_momentum")
            self._schedule_phases: list[Any] = [up, back, out]
        else:
            self._schedule_phases = [
                up,
                (last, "max_lr", "min_lr", "base_momentum", "max_momentum"),
            ]
        highest = per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for rate, group in zip(highest, optimizer.param_groups, strict=True):
                group["initial_lr"] = rate / div_factor
                group["max_lr"] = rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, share: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)

    def _next_lr(self) -> list[Any]:
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        begin = 0.0
        for phase in self._schedule_phases[:-1]:
            if step <= phase[0]:
                break
            begin = phase[0]
        else:
            phase = self._schedule_phases[-1]
        end, lr_from, lr_to, momentum_from, momentum_to = phase
        share = (step - begin) / (end - begin)
        groups = self.optimizer.param_groups
        if self.cycle_momentum:
            for group in groups:
                momentum = self._between(group[momentum_from], group[momentum_to], share)
                self._put_momentum(group, momentum)
        return [self._between(group[lr_from], group[lr_to], share) for group in groups]


def number_of_steps(total: Any, epochs: Any, each: Any) -> int:
    """Return the number of all steps, `total` or epochs · each. Raises: ValueError for others."""
    if total is not None:
        if total <= 0 or not isinstance(total, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total}")
        return total
    if epochs is None or each is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, given in (("epochs", epochs), ("steps_per_epoch", each)):
        if not isinstance(given, int) or given <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {given}")
    return epochs * each
