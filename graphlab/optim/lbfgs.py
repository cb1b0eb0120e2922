"""L-BFGS: Newton's direction, estimated from the last few steps and changes of the gradient.

Source: Nocedal & Wright, Numerical Optimization, chapters 3 and 7.

Read next: optim/line_search.py
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from graphlab.autograd.grad_mode import enable_grad, no_grad
from graphlab.optim.line_search import strong_wolfe
from graphlab.optim.optimizer import Optimizer, Options, checked, number
from graphlab.tensor import functions as F
from graphlab.tensor.creation import zeros
from graphlab.tensor.tensor import Tensor

Evaluate = Callable[[], tuple[Any, Tensor]]  # computes the loss and the gradient again


class LBFGS(Optimizer):
    """L-BFGS: a quasi-Newton method for all parameters as one vector p.

        d = -H g,  H: an estimate of the inverse Hessian from past steps s and changes y of g
        p ← p + lr · d                                   (in the first: min(1, 1 / Σ|g|) · lr · d)

    One `step(closure)` makes up to max_iter of these iterations. It calls `closure`, which
    computes the loss and its gradients, as often as it needs them.

    params: tensors, or pairs (name, tensor), in one group
    max_iter: int, the most iterations in one step
    max_eval: int, the most calls of the closure in one step, by default max_iter · 5/4
    tolerance_grad: float; the step ends when max |g| is at most this
    tolerance_change: float; the step ends when the loss or p changes by less than this
    history_size: int, the number of pairs (s, y) from which H is estimated
    line_search_fn: None, or "strong_wolfe" for a line search instead of the fixed step lr

    Raises: ValueError for a negative lr or for several groups.

    Source: PyTorch, torch/optim/lbfgs.py.

    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> optimizer = LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((w - 3) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(1., grad_fn=<SumBackward0>)
    >>> w
    tensor([3.], requires_grad=True)
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
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, checked(locals()))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self) -> list[Tensor]:
        return self.param_groups[0]["params"]

    def _gradient(self) -> Tensor:
        """Return the gradients of all parameters as one vector."""
        return F.cat([
            zeros(p.numel(), dtype=p.dtype) if p.grad is None else F.reshape(p.grad, (-1,))
            for p in self._params
        ])  # fmt: skip

    def _move(self, length: Any, direction: Tensor) -> None:
        """Move all parameters by length · direction."""
        start = 0
        for param in self._params:
            end = start + param.numel()
            part = F.reshape(direction[start:end], tuple(param.shape))
            param.add_(part, alpha=number(length))
            start = end

    def _put(self, values: list[Tensor]) -> None:
        for param, value in zip(self._params, values, strict=True):
            param.copy_(value)

    def _probe(
        self, evaluate: Evaluate, here: list[Tensor], direction: Tensor, length: float
    ) -> tuple[float, Tensor]:
        """Return loss and gradient at here + length · direction; reset the parameters to `here`."""
        self._move(length, direction)
        loss, gradient = evaluate()
        self._put(here)
        return number(loss), gradient

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Minimise for up to max_iter iterations.

        closure: function that clears the gradients, computes the loss and its gradients, and
            returns the loss
        Returns: the loss that the first call of `closure` returned.
        Raises: TypeError without a closure, RuntimeError for an unknown line search.
        """
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
        if converged(gradient, group):
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
                probe = partial(self._probe, evaluate, here, direction)
                loss, gradient, length, used = strong_wolfe(
                    probe, length, direction, loss, gradient, slope, max_ls=left
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
                or converged(gradient, group)
                or number((direction * length).abs().max()) <= tolerance
                or abs(loss - before) < tolerance
            ):
                break
        return first_loss


def converged(gradient: Tensor, group: Options) -> bool:
    """Return whether every entry of the gradient is at most tolerance_grad in absolute value."""
    return number(gradient.abs().max()) <= group["tolerance_grad"]


def steepest(state: Options, gradient: Tensor) -> Tensor:
    """Return the first direction, -g, and start an empty history."""
    state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
    return -gradient


def newton(state: Options, gradient: Tensor, group: Options) -> Tensor:
    """Return -H g by the two-loop recursion over the history (Nocedal & Wright, algorithm 7.4)."""
    changes, steps, ro = state["old_dirs"], state["old_stps"], state["ro"]
    change = gradient - state["prev_flat_grad"]
    step = state["d"] * state["t"]
    curvature = number(change.dot(step))
    if curvature > 1e-10:
        if len(changes) == group["history_size"]:
            for history in (changes, steps, ro):
                history.pop(0)
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
