"""Adam and its variants: a step size for each entry, from running means of g and g².

Every variant starts with

    g ← ∂loss/∂p + weight_decay · p
    m ← β₁ m + (1 - β₁) g,   v ← β₂ v + (1 - β₂) g²,   (β₁, β₂) = betas

and t counts the steps. The means start at 0; 1 / (1 - βᵗ) corrects for that.

Read next: optim/adaptive.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import is_in_use, quietly, without_warnings
from graphlab.autograd.watch import watchers
from graphlab.ops.rounding import Lerp
from graphlab.optim.optimizer import Optimizer
from graphlab.optim.options import Options, begin, checked, counter, number
from graphlab.tensor import functions as F
from graphlab.tensor.tensor import Tensor
from graphlab.tensor.writing import plain_arrays


def moments(grad: Tensor, state: Options, betas: tuple[Any, Any]) -> tuple[Tensor, Tensor]:
    """Update the running means m of g and v of g² in place, and return them."""
    beta1, beta2 = betas
    mean = state["exp_avg"].lerp_(grad, weight=1 - beta1)
    return mean, state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)


BLOCK = 16384  # so many entries of each array fit into a processor's cache


def step_on_arrays(
    arrays: list[np.ndarray], betas: tuple[float, float], root: float, eps: float, rate: float
) -> None:
    """Take the last part of the step of Adam below, with the same numbers in fewer calls.

    arrays: p, g, m and v; root: of 1 - β₂ᵗ; rate: -lr / (1 - β₁ᵗ).
    """
    beta1, beta2 = betas
    lerp: Any = Lerp.forward
    flat = [x.reshape(-1) for x in arrays]
    for start in range(0, flat[0].size, BLOCK):
        p, g, m, v = [x[start : start + BLOCK] for x in flat]
        m[:] = lerp(m, g, weight=1 - beta1)
        v *= beta2
        v += g * (1 - beta2) * g
        p += m / (np.sqrt(v) / root + eps) * rate


class Adam(Optimizer):
    """Adam: the running mean of the gradient, divided by the root of the running mean square.

        g ← ∂loss/∂p + weight_decay · p
        m ← β₁ m + (1 - β₁) g
        v ← β₂ v + (1 - β₂) g²                           (with amsgrad: its largest value so far)
        p ← p - lr · (m / (1 - β₁ᵗ)) / (√(v / (1 - β₂ᵗ)) + eps)

    amsgrad: bool, use the largest v so far
    decoupled_weight_decay: bool, decay the weights as AdamW does

    Source: Kingma & Ba 2015; amsgrad: Reddi et al. 2018.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> Adam([w], lr=0.1).step()
    >>> w
    tensor([1.9000], requires_grad=True)
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
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        options = checked(locals())
        super().__init__(params, {**options, "betas": (number(betas[0]), number(betas[1]))})

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        beta1, beta2 = group["betas"]
        largest = ("max_exp_avg_sq",) if group["amsgrad"] else ()
        step, grad = begin(param, grad, state, group, "exp_avg", "exp_avg_sq", *largest)
        root, rate = (1 - beta2**step) ** 0.5, -number(group["lr"]) / (1 - beta1**step)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        arrays = None if largest or watchers else plain_arrays(param, grad, mean, square)
        if arrays is not None:
            numbers = group["betas"], root, group["eps"], rate
            try:
                quietly(step_on_arrays, arrays, *numbers)
            except RuntimeError as error:
                if not is_in_use(error):
                    raise
                without_warnings(step_on_arrays, arrays, *numbers)
            for changed in (param, mean, square, square):
                changed._version_counter().advance()
            return
        mean, square = moments(grad, state, group["betas"])
        if largest:
            square = state["max_exp_avg_sq"].copy_(F.maximum(state["max_exp_avg_sq"], square))
        width = (square.sqrt() / root).add_(group["eps"])
        mean = mean.clone() if group["differentiable"] else mean  # the next step changes `mean`
        param.addcdiv_(mean, width, value=rate)


class AdamW(Adam):
    """Adam with decoupled weight decay, which scales the parameters instead of changing g.

        p ← (1 - lr · weight_decay) p, then the step of Adam with g ← ∂loss/∂p

    weight_decay: float ≥ 0; each step removes the part lr · weight_decay of p
    amsgrad: bool, use the largest v so far

    Source: Loshchilov & Hutter 2019.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> AdamW([w], lr=0.1, weight_decay=0.5).step()
    >>> w
    tensor([1.8000], requires_grad=True)
    """

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
        super().__init__(params, **checked(locals()), decoupled_weight_decay=True)


class Adamax(Optimizer):
    """Adamax: Adam with a decaying maximum of |g| in place of the root mean square.

        m ← β₁ m + (1 - β₁) g,   u ← max(β₂ u, |g| + eps)
        p ← p - lr / (1 - β₁ᵗ) · m / u

    betas: (β₁, β₂), the parts of m and u that a step keeps, each in [0, 1)

    Source: Kingma & Ba 2015, section 7.1.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> Adamax([w], lr=0.1).step()
    >>> w
    tensor([1.9000], requires_grad=True)
    """

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
        super().__init__(params, checked(locals()))

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        beta1, beta2 = group["betas"]
        step, grad = begin(param, grad, state, group, "exp_avg", "exp_inf")
        mean, largest = state["exp_avg"].lerp_(grad, weight=1 - beta1), state["exp_inf"]
        largest.copy_(F.maximum(largest * beta2, grad.abs().add_(group["eps"])))
        param.addcdiv_(mean, largest, value=-number(group["lr"]) / (1 - beta1**step))


class NAdam(Optimizer):
    """NAdam: Adam with Nesterov momentum.

        μₜ = β₁ (1 - 0.96^(t · momentum_decay) / 2),   Π = μ₁ μ₂ ⋯ μₜ,   m and v as in Adam
        p ← p - lr ((1 - μₜ) / (1 - Π) · g + μₜ₊₁ / (1 - Π μₜ₊₁) · m) / (√(v / (1 - β₂ᵗ)) + eps)

    momentum_decay: float ≥ 0, how fast μ approaches β₁
    decoupled_weight_decay: bool, p ← (1 - lr · weight_decay) p first, and g without p

    Source: Dozat 2016.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> NAdam([w], lr=0.1).step()
    >>> w
    tensor([1.8944], requires_grad=True)
    """

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
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, checked(locals()))

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        beta1, beta2 = group["betas"]
        lr = number(group["lr"])
        if not state:
            state["step"], state["mu_product"] = counter(), counter(1.0)
        step, grad = begin(param, grad, state, group, "exp_avg", "exp_avg_sq")
        mu, mu_next = (
            beta1 * (1.0 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1)
        )
        state["mu_product"] *= mu
        product = state["mu_product"].item()
        mean, square = moments(grad, state, group["betas"])
        width = square.div(1 - beta2**step).sqrt() + group["eps"]
        param.addcdiv_(grad, width, value=-lr * (1.0 - mu) / (1.0 - product))
        mean = mean.clone() if group["differentiable"] else mean
        param.addcdiv_(mean, width, value=-lr * mu_next / (1.0 - product * mu_next))


class RAdam(Optimizer):
    """RAdam, rectified Adam: it divides by √v only after enough steps for v to be accurate.

        ρ∞ = 2 / (1 - β₂) - 1,   ρ = ρ∞ - 2 t β₂ᵗ / (1 - β₂ᵗ),   m and v as in Adam
        r = √((ρ - 4) (ρ - 2) ρ∞ / ((ρ∞ - 4) (ρ∞ - 2) ρ))
        p ← p - lr · m / (1 - β₁ᵗ) · r √(1 - β₂ᵗ) / (√v + eps)      if ρ > 5
        p ← p - lr · m / (1 - β₁ᵗ)                                  otherwise

    decoupled_weight_decay: bool, p ← (1 - lr · weight_decay) p first, and g without p

    Source: Liu et al. 2020.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> RAdam([w], lr=0.1).step()
    >>> w
    tensor([1.6000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 0.001,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        options = checked(locals(), "lr betas eps weight_decay maximize foreach capturable")
        super().__init__(params, options)

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        beta1, beta2 = group["betas"]
        lr = number(group["lr"])
        step, grad = begin(param, grad, state, group, "exp_avg", "exp_avg_sq")
        mean, square = moments(grad, state, group["betas"])
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
