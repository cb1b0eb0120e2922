"""L-BFGS: Newton's direction, from the last few steps and changes of the gradient.

Source: Nocedal & Wright, Numerical Optimization, chapters 3 and 7.

Read next: optim/line_search.py
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from graphlab.autograd.grad_mode import enable_grad, no_grad
from graphlab.optim.line_search import strong_wolfe
from graphlab.optim.optimizer import Optimizer, number, valid_rate
from graphlab.tensor import functions as F
from graphlab.tensor.creation import zeros
from graphlab.tensor.tensor import Tensor

Evaluate = Callable[[], tuple[Any, Tensor]]  # computes loss and gradient anew


class LBFGS(Optimizer):
    """Steps of up to `max_iter` iterations each, on all parameters as one long vector.

    `step(closure)` calls the closure, which computes loss and gradients, as often as it needs.
    line_search_fn: None, or "strong_wolfe" for a line search by cubic interpolation.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        valid_rate(lr)
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
            "history_size": history_size, "line_search_fn": line_search_fn,
        })  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self) -> list[Tensor]:
        return self.param_groups[0]["params"]

    def _gradient(self) -> Tensor:
        """The gradients of all parameters, as one vector."""
        return F.cat([
            zeros(p.numel(), dtype=p.dtype) if p.grad is None else F.reshape(p.grad, (-1,))
            for p in self._params
        ])  # fmt: skip

    def _move(self, length: Any, direction: Tensor) -> None:
        """Go along a direction, with all parameters."""
        start = 0
        for param in self._params:
            end = start + param.numel()
            part = F.reshape(direction[start:end], tuple(param.shape))
            param.add_(part, alpha=number(length))
            start = end

    def _put(self, values: list[Tensor]) -> None:
        for param, value in zip(self._params, values, strict=True):
            param.copy_(value)

    def _look(
        self, evaluate: Evaluate, here: list[Tensor], direction: Tensor, length: float
    ) -> tuple[float, Tensor]:
        """Loss and gradient at a distance from here, to which the parameters return."""
        self._move(length, direction)
        loss, gradient = evaluate()
        self._put(here)
        return number(loss), gradient

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Minimise for up to `max_iter` iterations; gives the loss that there was before."""
        if closure is None:
            raise TypeError("LBFGS.step() missing 1 required positional argument: 'closure'")

        def loss_and_gradient() -> tuple[Any, Tensor]:
            with enable_grad():
                loss = closure()
            return loss, self._gradient()

        with no_grad():
            return self._minimise(loss_and_gradient)

    def _minimise(self, evaluate: Evaluate) -> Any:
        group = self.param_groups[0]
        lr, max_iter = number(group["lr"]), group["max_iter"]
        tolerance = group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        first_loss, gradient = evaluate()
        loss = number(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        if flat(gradient, group):
            return first_loss

        for i in range(1, max_iter + 1):
            state["n_iter"] += 1
            first = state["n_iter"] == 1
            direction = steepest(state, gradient) if first else newton(state, gradient, group)
            state["prev_flat_grad"] = gradient.clone()
            state["prev_loss"] = before = loss
            length = min(1.0, 1.0 / number(gradient.abs().sum())) * lr if first else lr
            state["d"], state["t"] = direction, length
            slope = number(gradient.dot(direction))
            if slope > -tolerance:
                break
            used = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                left = group["max_eval"] - evaluations
                here = [p.clone() for p in self._params]

                look = partial(self._look, evaluate, here, direction)
                loss, gradient, length, used = strong_wolfe(
                    look, length, direction, loss, gradient, slope, max_ls=left
                )
                state["t"] = length
                self._move(length, direction)
            else:
                self._move(length, direction)
                if i != max_iter:
                    value, gradient = evaluate()
                    loss, used = number(value), 1
            evaluations += used
            state["func_evals"] += used
            if (
                i == max_iter
                or evaluations >= group["max_eval"]
                or flat(gradient, group)
                or number((direction * length).abs().max()) <= tolerance
                or abs(loss - before) < tolerance
            ):
                break
        return first_loss


def flat(gradient: Tensor, group: dict[str, Any]) -> bool:
    """Whether every entry of the gradient is as good as zero."""
    return number(gradient.abs().max()) <= group["tolerance_grad"]


def steepest(state: dict[str, Any], gradient: Tensor) -> Tensor:
    """The first direction: straight down."""
    state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
    return -gradient


def newton(state: dict[str, Any], gradient: Tensor, group: dict[str, Any]) -> Tensor:
    """The two-loop recursion: the inverse Hessian times the gradient, from what was seen of it."""
    changes, steps, ro = state["old_dirs"], state["old_stps"], state["ro"]
    change = gradient - state["prev_flat_grad"]
    step = state["d"] * state["t"]
    curvature = number(change.dot(step))
    if curvature > 1e-10:
        if len(changes) == group["history_size"]:
            for remembered in (changes, steps, ro):
                remembered.pop(0)
        changes.append(change)
        steps.append(step)
        ro.append(1.0 / curvature)
        state["H_diag"] = curvature / number(change.dot(change))
    state.setdefault("al", [None] * group["history_size"])
    q = -gradient
    al = state["al"]
    for i in reversed(range(len(changes))):
        al[i] = number(steps[i].dot(q)) * ro[i]
        q.add_(changes[i], alpha=-al[i])
    r = q * state["H_diag"]
    for i in range(len(changes)):
        be = number(changes[i].dot(r)) * ro[i]
        r.add_(steps[i], alpha=al[i] - be)
    return r
