"""Gradient descent: a step against the gradient, optionally with momentum.

Read next: optim/adam.py
"""

from typing import Any

from graphlab.optim.optimizer import Optimizer
from graphlab.optim.options import Options, checked, counter, decayed, number
from graphlab.tensor.creation import ones_like, tensor, zeros_like
from graphlab.tensor.tensor import Tensor


class SGD(Optimizer):
    """Stochastic gradient descent, optionally with momentum.

        g ← ∂loss/∂p + weight_decay · p
        v ← momentum · v + (1 - dampening) · g           (v = g at the first step)
        p ← p - lr · v, or p - lr · (g + momentum · v) with nesterov

    momentum: float ≥ 0, the part of v that a step keeps; 0 means p ← p - lr · g
    dampening: float, the part of g that does not enter v
    nesterov: bool, use Nesterov momentum; needs momentum > 0 and dampening 0

    Source: Sutskever et al. 2013; PyTorch, torch/optim/sgd.py.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> SGD([w], lr=0.1).step()
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
        options = checked(locals())
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, options)

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        momentum = group["momentum"]
        grad = decayed(param, grad, group)
        if momentum != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.detach().clone()
            else:
                velocity.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(velocity, alpha=momentum) if group["nesterov"] else velocity
        param.add_(grad, alpha=-number(group["lr"]))


class ASGD(Optimizer):
    """Averaged gradient descent: SGD with a decaying step size and a running average of p.

        g ← ∂loss/∂p + weight_decay · p
        p ← (1 - lambd · η) p - η g
        ax ← ax + μ (p - ax)                             (the average, in `state["ax"]`)
        η ← lr / (1 + lambd · lr · t)^alpha,  μ ← 1 / max(1, t - t0)

    lr: float or tensor of one entry, the initial step size η, ≥ 0
    lambd: float, the decay of η and of p
    alpha: float, the exponent of the decay of η
    t0: float, the step t at which averaging starts

    Source: Polyak & Juditsky 1992; PyTorch, torch/optim/asgd.py.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> ASGD([w], lr=0.1).step()
    >>> w
    tensor([1.6000], requires_grad=True)
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
        super().__init__(params, checked(locals()))

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        lr, lambd = number(group["lr"]), group["lambd"]
        if not state:
            state["step"] = counter()
            state["eta"] = tensor(lr)
            state["mu"] = ones_like(counter())
            state["ax"] = zeros_like(param)
        state["step"] += 1
        step, eta, mu = (state[key].item() for key in ("step", "eta", "mu"))
        grad = decayed(param, grad, group)
        param.mul_(1 - lambd * eta)
        param.add_(grad, alpha=-eta)
        if mu == 1:
            state["ax"].copy_(param)
        else:
            state["ax"].add_(param.sub(state["ax"]).mul_(mu))
        state["eta"].copy_(tensor(lr / (1 + lambd * lr * step) ** group["alpha"]))
        state["mu"].copy_(tensor(1 / max(1, step - group["t0"])))
