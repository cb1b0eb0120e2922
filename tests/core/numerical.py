"""Derivatives by differences, against which the rules are held.

The outputs of a function are folded with fixed weights into one number, whose gradient the rules
give in one backward pass and differences give entry by entry:

    ∂/∂xᵢ Σ w·f(x)  ≈  Σ w·(f(x + h eᵢ) - f(x - h eᵢ)) / 2h

Read next: tests/core/test_ops.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import graphlab
from graphlab import Tensor

RTOL = 1e-6  # central differences with h = 1e-6 in float64: truncation h² = 1e-12, ...
ATOL = 1e-7  # ... roundings eps / h = 2e-10 for values near 1, summed over a few dozen entries


def outputs_of(result: Any) -> list[Tensor]:
    """The outputs through which a gradient flows."""
    several = result if isinstance(result, tuple | list) else (result,)
    return [t for t in several if t.requires_grad]


def weights_for(outputs: Sequence[Tensor]) -> list[Tensor]:
    """A weight for each entry, all different, so that no two errors cancel."""
    made = []
    for i, out in enumerate(outputs):
        w = 0.5 + np.random.default_rng(100 + i).random(tuple(out.shape))
        made.append(graphlab.tensor(w, dtype=out.dtype))
    return made


def first(function: Callable[..., Any], inputs: Sequence[Tensor], **how: Any) -> list[Any]:
    """The gradients of the weighted outputs, by the rules; None for inputs that need none."""
    outputs = outputs_of(function(*inputs))
    wanted = [x for x in inputs if x.requires_grad]
    found = iter(
        graphlab.autograd.grad(outputs, wanted, weights_for(outputs), allow_unused=True, **how)
    )
    return [next(found) if x.requires_grad else None for x in inputs]


def by_differences(
    function: Callable[..., Any], inputs: Sequence[Tensor], h: float
) -> list[np.ndarray | None]:
    """The same gradients from values alone."""
    weights = [w._data.astype(np.float64) for w in weights_for(outputs_of(function(*inputs)))]

    def folded(changed: Sequence[Tensor]) -> float:
        outs = outputs_of(function(*changed))
        return sum(float(np.sum(w * o._data)) for w, o in zip(weights, outs, strict=True))

    def moved(i: int, k: int, by: float) -> list[Tensor]:
        array = np.array(inputs[i]._data)
        array.reshape(-1)[k] += by
        there = graphlab.tensor(array, requires_grad=True)
        return [there if j == i else x for j, x in enumerate(inputs)]

    found: list[np.ndarray | None] = []
    for i, x in enumerate(inputs):
        if not x.requires_grad:
            found.append(None)
            continue
        slopes = [
            (folded(moved(i, k, h)) - folded(moved(i, k, -h))) / (2 * h) for k in range(x.numel())
        ]
        found.append(np.array(slopes).reshape(tuple(x.shape)))
    return found


def errors(
    function: Callable[..., Any], inputs: Sequence[Tensor], h: float = 1e-6, **how: Any
) -> list[str]:
    """Where the rules and the differences disagree; empty when they agree."""
    found = []
    ruled = first(function, inputs, **how)
    for i, (ours, true) in enumerate(zip(ruled, by_differences(function, inputs, h), strict=True)):
        if true is None:
            continue
        got = np.zeros_like(true) if ours is None else np.asarray(ours._data)
        if got.shape != true.shape or not np.allclose(got, true, rtol=RTOL, atol=ATOL):
            found.append(f"input {i}: the rule gives\n{got}\ndifferences give\n{true}")
    return found


def second_order_errors(
    function: Callable[..., Any], inputs: Sequence[Tensor], h: float = 1e-6
) -> list[str]:
    """`errors` of the gradient itself, as a function of the inputs and of the incoming gradient."""
    weights = [w.requires_grad_() for w in weights_for(outputs_of(function(*inputs)))]
    n = len(inputs)

    def gradient(*given: Tensor) -> tuple[Tensor, ...]:
        xs, ws = given[:n], given[n:]
        outs = outputs_of(function(*xs))
        wanted = [x for x in xs if x.requires_grad]
        found = graphlab.autograd.grad(outs, wanted, ws, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    if not outputs_of(gradient(*inputs, *weights)):
        return []
    return errors(gradient, [*inputs, *weights], h)
