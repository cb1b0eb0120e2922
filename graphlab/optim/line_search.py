"""A line search: it finds a step along a direction that meets the strong Wolfe conditions.

The step grows until two points bracket a minimum; cubic interpolation then narrows the bracket.
Source: Nocedal & Wright, Numerical Optimization, algorithms 3.5 and 3.6.

Read next: optim/lr_scheduler/__init__.py
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from graphlab.tensor.tensor import Tensor

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
    tolerance: float = 1e-9,
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
    found = narrow(bracket, probe, too_high, flat_enough, max_ls - rounds, tolerance / size)
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
