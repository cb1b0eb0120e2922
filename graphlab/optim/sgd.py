"""Gradient descent: against the gradient, with momentum where that is asked for.

Read next: optim/adam.py
"""

from typing import Any

from graphlab.optim.optimizer import Optimizer, counter, number, valid, valid_rate
from graphlab.tensor.creation import ones_like, tensor, zeros_like
from graphlab.tensor.tensor import Tensor


class SGD(Optimizer):
    """p ← p - lr · v, where v is the gradient, or with momentum μ: v ← μ v + (1 - dampening) g.

    The first v is the gradient itself. nesterov: p ← p - lr · (g + μ v). weight_decay λ adds λ p
    to the gradient first; maximize goes up instead of down.

    >>> import graphlab as torch
    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> optimizer = SGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([1.6000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 0.001,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        valid_rate(lr)
        valid(momentum >= 0.0, "momentum value", momentum)
        valid(weight_decay >= 0.0, "weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach,
            "differentiable": differentiable, "fused": fused,
        })  # fmt: skip

    def update(
        self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        momentum = group["momentum"]
        if group["weight_decay"] != 0:
            grad = grad.add(param, alpha=group["weight_decay"])
        if momentum != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.detach().clone()
            else:
                velocity.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(velocity, alpha=momentum) if group["nesterov"] else velocity
        param.add_(grad, alpha=-number(group["lr"]))


class ASGD(Optimizer):
    """SGD whose rate falls, and beside it the average of where it has been (`state["ax"]`).

    Source: Polyak & Juditsky 1992.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 0.01,
        lambd: float = 0.0001,
        alpha: float = 0.75,
        t0: float = 1000000.0,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        valid_rate(lr)
        valid(weight_decay >= 0.0, "weight_decay value", weight_decay)
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
            "capturable": capturable,
        })  # fmt: skip

    def update(
        self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        lr = number(group["lr"])
        if not state:
            state["step"] = counter()
            state["eta"] = tensor(lr)
            state["mu"] = ones_like(counter())
            state["ax"] = zeros_like(param)
        state["step"] += 1
        step, eta, mu = (state[key].item() for key in ("step", "eta", "mu"))
        if group["weight_decay"] != 0:
            grad = grad.add(param, alpha=group["weight_decay"])
        param.mul_(1 - group["lambd"] * eta)
        param.add_(grad, alpha=-eta)
        if mu == 1:
            state["ax"].copy_(param)
        else:
            state["ax"].add_(param.sub(state["ax"]).mul_(mu))
        state["eta"].copy_(tensor(lr / (1 + group["lambd"] * lr * step) ** group["alpha"]))
        state["mu"].copy_(tensor(1 / max(1, step - group["t0"])))
