"""Adafactor: a running mean square of the gradient, stored as one row and one column.

Read next: optim/lbfgs.py
"""

from typing import Any

from graphlab.optim.optimizer import Optimizer, Options, counter, number
from graphlab.tensor import functions as F
from graphlab.tensor.creation import zeros
from graphlab.tensor.limits import finfo
from graphlab.tensor.tensor import Tensor


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
