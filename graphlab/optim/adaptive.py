"""Optimizers with a step size for each entry, but without Adam's running mean of the gradient.

Read next: optim/adafactor.py
"""

from typing import Any

from graphlab.optim.optimizer import Optimizer, Options, begin, checked, counter, number, valid
from graphlab.tensor.creation import zeros_like
from graphlab.tensor.creation_like import full_like
from graphlab.tensor.tensor import Tensor


class RMSprop(Optimizer):
    """RMSprop: the gradient divided by the root of its running mean square.

        g ← ∂loss/∂p + weight_decay · p
        v ← alpha · v + (1 - alpha) g²                   (centered: minus the squared running mean)
        d ← g / (√v + eps)
        b ← momentum · b + d                             (without momentum: b = d)
        p ← p - lr · b

    alpha: float ≥ 0, the part of v that a step keeps
    momentum: float ≥ 0, the part of b that a step keeps
    centered: bool, divide by the standard deviation instead of the root mean square

    Source: Hinton, Neural Networks for Machine Learning, lecture 6; centered: Graves 2013.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> RMSprop([w], lr=0.1).step()
    >>> w
    tensor([1.], requires_grad=True)
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
        options = checked(locals(), "lr momentum alpha eps centered")
        valid(alpha >= 0.0, "alpha value", alpha)
        super().__init__(params, options)

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        alpha, momentum = group["alpha"], group["momentum"]
        lr = number(group["lr"])
        momenta = ("momentum_buffer",) if momentum > 0 else ()
        means = ("grad_avg",) if group["centered"] else ()
        _, grad = begin(param, grad, state, group, "square_avg", *momenta, *means)
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
    """Adagrad: the gradient divided by the root of the sum of all its squares so far.

        g ← ∂loss/∂p + weight_decay · p
        s ← s + g²                                       (s starts at initial_accumulator_value)
        p ← p - lr / (1 + (t - 1) lr_decay) · g / (√s + eps)

    lr_decay: float ≥ 0, by which the step size decays with the steps t
    initial_accumulator_value: float ≥ 0, the initial s

    Source: Duchi, Hazan & Singer 2011.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> Adagrad([w], lr=0.1).step()
    >>> w
    tensor([1.9000], requires_grad=True)
    """

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
        super().__init__(params, checked(locals(), "lr lr_decay eps"))
        for group in self.param_groups:
            for param in group["params"]:
                self._begin(param, self.state[param])

    def _begin(self, param: Tensor, state: Options) -> None:
        state["step"] = counter()
        state["sum"] = full_like(param, self.defaults["initial_accumulator_value"])

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        if not state:
            self._begin(param, state)
        step, grad = begin(param, grad, state, group)
        rate = number(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        squares = state["sum"].addcmul_(grad, grad, value=1)
        param.addcdiv_(grad, squares.sqrt() + group["eps"], value=-rate)


class Adadelta(Optimizer):
    """Adadelta: the gradient times the ratio of the root mean squares of past steps and gradients.

        g ← ∂loss/∂p + weight_decay · p
        v ← rho · v + (1 - rho) g²
        d ← √(u + eps) / √(v + eps) · g
        u ← rho · u + (1 - rho) d²
        p ← p - lr · d

    lr: float or tensor of one entry, the factor of each step, ≥ 0
    rho: float in [0, 1], the part of u and v that a step keeps
    eps: float ≥ 0, makes the first step larger than 0, and keeps the divisor away from 0

    Source: Zeiler 2012.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> Adadelta([w]).step()
    >>> w
    tensor([1.9968], requires_grad=True)
    """

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
        options = checked(locals(), "lr rho eps weight_decay maximize capturable")
        valid(0.0 <= rho <= 1.0, "rho value", rho)
        super().__init__(params, options)

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        rho, eps = group["rho"], group["eps"]
        _, grad = begin(param, grad, state, group, "square_avg", "acc_delta")
        squares, steps = state["square_avg"], state["acc_delta"]
        squares.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = steps.add(eps).sqrt() / squares.add(eps).sqrt() * grad
        steps.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-number(group["lr"]))


class Rprop(Optimizer):
    """Resilient propagation: a step size for each entry, and only the sign of the gradient.

        g ← ∂loss/∂p;  (η₋, η₊) = etas
        if g · g_before > 0: η ← η · η₊;   if g · g_before < 0: η ← η · η₋ and g ← 0
        p ← p - sign(g) · η,  η clamped to step_sizes

    lr: float or tensor of one entry, the initial step size η, ≥ 0
    etas: (η₋, η₊), the factors of η, 0 < η₋ < 1 < η₊
    step_sizes: (smallest η, largest η)

    Source: Riedmiller & Braun 1993.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> Rprop([w], lr=0.1).step()
    >>> w
    tensor([1.9000], requires_grad=True)
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
        options = checked(locals(), "lr etas step_sizes foreach maximize differentiable")
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, options)

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        less, more = group["etas"]
        if not state:
            state["step"] = counter()
            state["prev"] = zeros_like(param)
            state["step_size"] = full_like(grad, number(group["lr"]))
        state["step"] += 1
        agreement = grad.mul(state["prev"]).sign()
        same, turned = (agreement > 0).to(grad.dtype), (agreement < 0).to(grad.dtype)
        factor = 1 + same * (more - 1) + turned * (less - 1)
        state["step_size"].mul_(factor).clamp_(*group["step_sizes"])
        grad = grad * (1 - turned)
        param.addcmul_(grad.sign(), state["step_size"], value=-1)
        state["prev"].copy_(grad)
