"""Adam and its kin: each parameter has a rate of its own, from running means of g and g².

Read next: optim/adaptive.py
"""

from typing import Any

from graphlab.optim.optimizer import Optimizer, counter, number, valid, valid_rate
from graphlab.tensor import functions as F
from graphlab.tensor.creation import zeros_like
from graphlab.tensor.tensor import Tensor


def check_betas(lr: Any, betas: Any, eps: float, weight_decay: float) -> None:
    """Raises: ValueError for options that are out of range."""
    valid_rate(lr)
    valid(eps >= 0.0, "epsilon value", eps)
    valid(0.0 <= betas[0] < 1.0, "beta parameter at index 0", betas[0])
    valid(0.0 <= betas[1] < 1.0, "beta parameter at index 1", betas[1])
    valid(weight_decay >= 0.0, "weight_decay value", weight_decay)


def begin(param: Tensor, state: dict[str, Any], *averages: str) -> float:
    """Count a step, with empty averages before the first one; how many steps there were."""
    if "step" not in state:
        state["step"] = counter()
    for name in averages:
        if name not in state:
            state[name] = zeros_like(param)
    state["step"] += 1
    return state["step"].item()


def decay(param: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
    """Weight decay: of the parameter itself where it is decoupled, else through the gradient."""
    if group["weight_decay"] == 0:
        return grad
    if group.get("decoupled_weight_decay"):
        param.mul_(1 - number(group["lr"]) * group["weight_decay"])
        return grad
    return grad.add(param, alpha=group["weight_decay"])


class Adam(Optimizer):
    """m ← β₁ m + (1 - β₁) g;  v ← β₂ v + (1 - β₂) g²;  p ← p - lr · m̂ / (√v̂ + ε).

    m̂ = m / (1 - β₁ᵗ) and v̂ = v / (1 - β₂ᵗ) undo that the means began at 0; with amsgrad v̂ is the
    largest that there was. Source: Kingma & Ba 2015.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 0.001,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check_betas(lr, betas, eps, weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": (number(betas[0]), number(betas[1])), "eps": eps,
            "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        })  # fmt: skip

    def update(
        self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        beta1, beta2 = group["betas"]
        largest = ("max_exp_avg_sq",) if group["amsgrad"] else ()
        step = begin(param, state, "exp_avg", "exp_avg_sq", *largest)
        grad = decay(param, grad, group)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if largest:
            square = state["max_exp_avg_sq"].copy_(F.maximum(state["max_exp_avg_sq"], square))
        root = (1 - beta2**step) ** 0.5
        width = (square.sqrt() / root).add_(group["eps"])
        mean = mean.clone() if group["differentiable"] else mean  # the graph keeps it as it is
        param.addcdiv_(mean, width, value=-number(group["lr"]) / (1 - beta1**step))


class AdamW(Adam):
    """Adam whose weight decay acts on the parameters alone (Loshchilov & Hutter 2019)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 0.001,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=True,
        )  # fmt: skip


class Adamax(Optimizer):
    """Adam with the largest |g| of late in the place of √v (Kingma & Ba 2015)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 0.002,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_betas(lr, betas, eps, weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
            "capturable": capturable,
        })  # fmt: skip

    def update(
        self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        beta1, beta2 = group["betas"]
        step = begin(param, state, "exp_avg", "exp_inf")
        grad = decay(param, grad, group)
        mean, largest = state["exp_avg"], state["exp_inf"]
        mean.lerp_(grad, 1 - beta1)
        largest.copy_(F.maximum(largest * beta2, grad.abs().add_(group["eps"])))
        param.addcdiv_(mean, largest, value=-number(group["lr"]) / (1 - beta1**step))


class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat 2016)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 0.002,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 0.004,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_betas(lr, betas, eps, weight_decay)
        valid(momentum_decay >= 0.0, "momentum_decay value", momentum_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable,
        })  # fmt: skip

    def update(
        self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        beta1, beta2 = group["betas"]
        lr = number(group["lr"])
        if not state:
            state["step"], state["mu_product"] = counter(), counter(1.0)
        step = begin(param, state, "exp_avg", "exp_avg_sq")
        grad = decay(param, grad, group)
        mu, mu_next = (
            beta1 * (1.0 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1)
        )
        state["mu_product"] *= mu
        product = state["mu_product"].item()
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        width = square.div(1 - beta2**step).sqrt() + group["eps"]
        param.addcdiv_(grad, width, value=-lr * (1.0 - mu) / (1.0 - product))
        mean = mean.clone() if group["differentiable"] else mean
        param.addcdiv_(mean, width, value=-lr * mu_next / (1.0 - product * mu_next))


class RAdam(Optimizer):
    """Adam that trusts √v only after a few steps (Liu et al. 2020)."""

    def __init__(
        self,
        params: Any,
        lr: Any = 0.001,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_betas(lr, betas, eps, weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable,
        })  # fmt: skip

    def update(
        self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        beta1, beta2 = group["betas"]
        lr = number(group["lr"])
        step = begin(param, state, "exp_avg", "exp_avg_sq")
        grad = decay(param, grad, group)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        left = 1 - beta2**step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / left
        mean = mean / (1 - beta1**step)
        if length <= 5.0:
            param.add_(mean * lr, alpha=-1.0)
            return
        trust = (length - 4) * (length - 2) * longest
        trust = (trust / ((longest - 4) * (longest - 2) * length)) ** 0.5
        rate = left**0.5 / (square.sqrt() + group["eps"])
        param.add_(mean * lr * rate * trust, alpha=-1.0)
