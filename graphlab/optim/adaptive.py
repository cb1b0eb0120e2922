"""Optimizers with a step size for each entry, but without Adam's running mean of the gradient.

Adafactor stores its running mean square as one row and one column.

Read next: optim/lbfgs.py
"""

from typing import Any

from graphlab.optim.optimizer import Optimizer
from graphlab.optim.options import Options, begin, checked, counter, number, valid
from graphlab.tensor import functions as F
from graphlab.tensor.casting import finfo
from graphlab.tensor.creation import zeros, zeros_like
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
            mean = state["grad_avg"].lerp_(grad, weight=1 - alpha)
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


class Adafactor(Optimizer):
    """Adafactor: the gradient divided by the root of its running mean square, in little memory.

        w ← step^beta2_decay
        r ← (1 - w) r + w · mean of g² along each row,   c: the same along each column
        v ← r c / mean(r)                       (of a vector: v ← (1 - w) v + w g²)
        u ← g / max(√v, eps₁)
        p ← p - max(eps₂, rms(p)) · min(lr, 1/√step) · u / max(1, rms(u) / d)

    For a matrix of N rows and M columns it stores N + M numbers; Adam stores 2 N M.

    beta2_decay: float ≤ 0, the exponent with which the weight w of a new gradient falls
    eps: (eps₁, eps₂), the smallest √v, None for the machine epsilon, and the smallest rms(p)
    d: float ≥ 1, the root mean square to which u is clipped
    weight_decay: float ≥ 0; each step first removes the part lr · weight_decay of p

    Source: Shazeer & Stern 2018, arXiv:1804.04235.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> Adafactor([w], lr=0.1).step()
    >>> w
    tensor([1.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for good, what, value in (
            (number(lr) >= 0.0, "Learning rate should be >= 0", lr),
            (beta2_decay <= 0.0, "beta2_decay should be <= 0", beta2_decay),
            (eps[0] is None or eps[0] >= 0.0, "epsilon1 should be >= 0", eps[0]),
            (eps[1] >= 0.0, "epsilon2 should be >= 0", eps[1]),
            (d >= 1.0, "Clipping threshold d should be >= 1", d),
            (weight_decay >= 0.0, "weight_decay should be >= 0", weight_decay),
        ):
            if not good:
                raise ValueError(f"{what} but is: {value}")
        options = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d,
            "weight_decay": weight_decay, "foreach": foreach, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, options)

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        eps1, eps2 = group["eps"]
        eps1 = finfo(param.dtype).eps if eps1 is None else eps1
        if "step" not in state:
            state["step"] = counter()
        state["step"] += 1
        step, lr = state["step"].item(), number(group["lr"])
        length = max(eps2, root_mean_square(param)) * min(lr, 1 / step**0.5)
        if group["weight_decay"]:
            param.mul_(1 - lr * group["weight_decay"])
        square = mean_square(grad, state, step ** group["beta2_decay"], eps1)
        update = F.clamp(square, min=eps1 * eps1).rsqrt_().mul_(grad)
        clipped = max(1.0, root_mean_square(update) / group["d"])
        param.add_(update, alpha=-length / clipped)


def root_mean_square(x: Tensor) -> float:
    """Return the root mean square of all entries."""
    return F.norm(x, 2).item() / x.numel() ** 0.5


def mean_square(grad: Tensor, state: Options, weight: float, least: float) -> Tensor:
    """Update the running mean of g² with `grad`, whose weight is `weight`, and return it.

    least: the smallest mean of the row that a matrix is divided by
    """
    if grad.dim() < 2:
        variance = state.setdefault("variance", zeros(grad.shape, dtype=grad.dtype))
        return variance.lerp_(grad * grad, weight)
    means = []
    for name, dim in (("row_var", -1), ("col_var", -2)):
        mean = F.norm(grad, dim=dim, keepdim=True).square_().div_(grad.size(dim))
        running = state.setdefault(name, zeros(mean.shape, dtype=grad.dtype))
        means.append(running.lerp_(mean, weight))
    rows, columns = means
    return (rows @ columns).div_(F.mean(rows, dim=-2, keepdim=True).clamp_(min=least))
