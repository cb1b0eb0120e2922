"""Optimizers that divide by the size of past gradients, without Adam's running mean of g.

Read next: optim/lbfgs.py
"""

from typing import Any

from graphlab.optim.adam import begin, decay
from graphlab.optim.optimizer import Optimizer, counter, number, valid, valid_rate
from graphlab.tensor.creation import zeros_like
from graphlab.tensor.creation_like import full_like
from graphlab.tensor.tensor import Tensor


class RMSprop(Optimizer):
    """v ← α v + (1 - α) g²;  p ← p - lr · g / (√v + ε). Source: Hinton's lecture 6.5.

    centered: v less the square of the running mean of g, which makes it a variance.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 0.01,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        valid_rate(lr)
        valid(eps >= 0.0, "epsilon value", eps)
        valid(momentum >= 0.0, "momentum value", momentum)
        valid(weight_decay >= 0.0, "weight_decay value", weight_decay)
        valid(alpha >= 0.0, "alpha value", alpha)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable,
        })  # fmt: skip

    def update(
        self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        alpha, momentum = group["alpha"], group["momentum"]
        lr = number(group["lr"])
        momenta = ("momentum_buffer",) if momentum > 0 else ()
        means = ("grad_avg",) if group["centered"] else ()
        begin(param, state, "square_avg", *momenta, *means)
        grad = decay(param, grad, group)
        square = state["square_avg"]
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if means:
            mean = state["grad_avg"].lerp_(grad, 1 - alpha)
            square = square.addcmul(mean, mean, value=-1)
        width = square.sqrt() + group["eps"]
        if momenta:
            velocity = state["momentum_buffer"].mul_(momentum).addcdiv_(grad, width)
            param.add_(velocity, alpha=-lr)
        else:
            param.addcdiv_(grad, width, value=-lr)


class Adagrad(Optimizer):
    """s ← s + g²;  p ← p - lr · g / (√s + ε). Source: Duchi, Hazan & Singer 2011."""

    def __init__(
        self,
        params: Any,
        lr: Any = 0.01,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        valid_rate(lr)
        valid(lr_decay >= 0.0, "lr_decay value", lr_decay)
        valid(weight_decay >= 0.0, "weight_decay value", weight_decay)
        begun = initial_accumulator_value
        valid(begun >= 0.0, "initial_accumulator_value value", begun)
        valid(eps >= 0.0, "epsilon value", eps)
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": begun, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        })  # fmt: skip
        for group in self.param_groups:
            for param in group["params"]:
                self._begin(param, self.state[param])

    def _begin(self, param: Tensor, state: dict[str, Any]) -> None:
        state["step"] = counter()
        state["sum"] = full_like(param, self.defaults["initial_accumulator_value"])

    def update(
        self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if not state:
            self._begin(param, state)
        state["step"] += 1
        grad = decay(param, grad, group)
        rate = number(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        squares = state["sum"].addcmul_(grad, grad, value=1)
        param.addcdiv_(grad, squares.sqrt() + group["eps"], value=-rate)


class Adadelta(Optimizer):
    """Steps as large as the steps of late, in units of the gradients of late (Zeiler 2012)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        valid_rate(lr)
        valid(0.0 <= rho <= 1.0, "rho value", rho)
        valid(eps >= 0.0, "epsilon value", eps)
        valid(weight_decay >= 0.0, "weight_decay value", weight_decay)
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        })  # fmt: skip

    def update(
        self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        rho, eps = group["rho"], group["eps"]
        begin(param, state, "square_avg", "acc_delta")
        grad = decay(param, grad, group)
        squares, steps = state["square_avg"], state["acc_delta"]
        squares.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = steps.add(eps).sqrt() / squares.add(eps).sqrt() * grad
        steps.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-number(group["lr"]))


class Rprop(Optimizer):
    """Steps by the sign of g alone, longer while it stays, shorter when it turns.

    Source: Riedmiller & Braun 1993.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 0.01,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        valid_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        })  # fmt: skip

    def update(
        self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        shorter, longer = group["etas"]
        if not state:
            state["step"] = counter()
            state["prev"] = zeros_like(param)
            state["step_size"] = full_like(grad, number(group["lr"]))
        state["step"] += 1
        turn = grad.mul(state["prev"]).sign()
        same, turned = (turn > 0).to(grad.dtype), (turn < 0).to(grad.dtype)
        factor = 1 + same * (longer - 1) + turned * (shorter - 1)
        state["step_size"].mul_(factor).clamp_(*group["step_sizes"])
        grad = grad * (1 - turned)
        param.addcmul_(grad.sign(), state["step_size"], value=-1)
        state["prev"].copy_(grad)
