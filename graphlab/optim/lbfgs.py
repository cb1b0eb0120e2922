"""L-BFGS: Newton's direction, estimated from the last few steps and changes of the gradient.

Its line search finds a step along the direction that meets the strong Wolfe conditions: the step
grows until two points bracket a minimum; cubic interpolation then narrows the bracket.

Source: Nocedal & Wright, Numerical Optimization, chapters 3 and 7, algorithms 3.5 and 3.6.

Read next: optim/lr_scheduler/__init__.py
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from graphlab.autograd.grad_mode import enable_grad, no_grad
from graphlab.optim.optimizer import Optimizer
from graphlab.optim.options import Options, checked, number
from graphlab.tensor import functions as F
from graphlab.tensor.creation import zeros
from graphlab.tensor.tensor import Tensor

Evaluate = Callable[[], tuple[Any, Tensor]]  # computes the loss and the gradient again
NARROWEST = 1e-9  # the search ends when no entry of p moves by more than this within the bracket


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


DECREASE = 1e-4  # the loss must fall by this part of the fall that its slope predicts
CURVATURE = 0.9  # the slope must shrink to this part of its absolute value


@dataclass
class Point:
    """A step along the direction, with the loss and the gradient there."""

    at: float
    loss: float
    gradient: Tensor
    slope: float  # of the loss along the direction


def lowest_cubic(a: Point, b: Point, low: float | None = None, high: float | None = None) -> float:
    """Return the minimum in [low, high] of the cubic with the losses and slopes of `a` and `b`.

    Source: Nocedal & Wright, equation 3.59.
    """
    if low is None or high is None:
        low, high = (a.at, b.at) if a.at <= b.at else (b.at, a.at)
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.at - b.at)
    square = d1**2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    if a.at <= b.at:
        best = b.at - (b.at - a.at) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        best = a.at - (a.at - b.at) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return min(max(best, low), high)


def strong_wolfe(
    evaluate: Callable[[float], tuple[float, Tensor]],
    length: float,
    direction: Tensor,
    loss: float,
    gradient: Tensor,
    slope: float,
    max_ls: int = 25,
) -> tuple[float, Tensor, float, int]:
    """Return the loss, gradient and length of a step that meets the strong Wolfe conditions.

    evaluate: function from a length to the loss and the gradient there
    length: the first length to try; slope: of the loss along `direction` at length 0, < 0
    Returns: (loss, gradient, length, number of evaluations).
    """
    size = direction.abs().max().item()
    evaluations = 0

    def probe(at: float) -> Point:
        nonlocal evaluations
        evaluations += 1
        value, slopes = evaluate(at)
        return Point(at, value, slopes.clone(), slopes.dot(direction).item())

    def too_high(point: Point) -> bool:
        return point.loss > loss + DECREASE * point.at * slope

    def flat_enough(point: Point) -> bool:
        return abs(point.slope) <= -CURVATURE * slope

    start = Point(0, loss, gradient.clone(), slope)
    before, here = start, probe(length)
    rounds = 0
    while rounds < max_ls:
        over = too_high(here) or (rounds > 1 and here.loss >= before.loss)
        if not over and flat_enough(here):
            return here.loss, here.gradient, here.at, evaluations
        if over or here.slope >= 0:
            bracket = [before, here]
            break
        nearest, furthest = here.at + 0.01 * (here.at - before.at), here.at * 10
        before, here = here, probe(lowest_cubic(before, here, nearest, furthest))
        rounds += 1
    else:
        bracket = [start, here]
    found = narrow(bracket, probe, too_high, flat_enough, max_ls - rounds, NARROWEST / size)
    return found.loss, found.gradient, found.at, evaluations


def narrow(
    bracket: list[Point],
    probe: Callable[[float], Point],
    too_high: Callable[[Point], bool],
    flat_enough: Callable[[Point], bool],
    rounds: int,
    smallest: float,
) -> Point:
    """Narrow the bracket until its lowest point is flat enough or the bracket is small; return it.

    probe: function from a length to its point. too_high, flat_enough: the Wolfe conditions.
    rounds: the most points to probe. smallest: the width at which the bracket is small.
    """
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    stuck = False
    for _ in range(rounds):
        if abs(bracket[1].at - bracket[0].at) < smallest:
            break
        at = lowest_cubic(bracket[0], bracket[1])
        left, right = sorted(point.at for point in bracket)
        margin = 0.1 * (right - left)
        near = min(right - at, at - left) < margin  # too near to an end
        if near and (stuck or at >= right or at <= left):
            at = right - margin if abs(at - right) < abs(at - left) else left + margin
            near = False
        stuck = near
        point = probe(at)
        if too_high(point) or point.loss >= bracket[low].loss:
            bracket[high] = point
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        if flat_enough(point):
            return point
        if point.slope * (bracket[high].at - bracket[low].at) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = point
    return bracket[low]
