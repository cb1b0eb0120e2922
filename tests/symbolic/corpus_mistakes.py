"""Backward passes of one's own, right and wrong, at several places of a program.

Read next: tests/symbolic/test_corpus.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

import graphlab
from tests.symbolic.corpus import Case, leaf

where = graphlab.where


def own(forward: Callable[[Any], Any], backward: Callable[[Any, Any], Any]) -> Any:
    """A Function of one's own: forward(x), backward(grad, x)."""

    class Own(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return backward(grad, *ctx.saved_tensors)

    return Own.apply


def quietly(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function, recorded nowhere."""

    def call(x: Any) -> Any:
        with graphlab.no_grad():
            return function(x)

    return call


def by_numpy(x: Any) -> Any:
    return graphlab.tensor(np.tanh(x.detach().numpy()))


def decided(x: Any, limit: float = 0.0) -> bool:
    return bool(x.sum() > limit)


def slope_of_softmax(g: Any, x: Any, dim: int = -1) -> Any:
    y = graphlab.softmax(x, dim)
    return y * (g - (g * y).sum(dim, keepdim=True))


# name: forward, the right backward, and mistakes of this one alone
OWN: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "square": (lambda x: x * x, lambda g, x: 2 * x * g, {"no factor": lambda g, x: x * g}),
    "sine": (graphlab.sin, lambda g, x: g * graphlab.cos(x), {"sin": lambda g, x: g * x.sin()}),
    "product": (
        lambda x: x * graphlab.sin(x),
        lambda g, x: g * (x.sin() + x * x.cos()),
        {"dropped term": lambda g, x: g * x.sin(), "other term": lambda g, x: g * x * x.cos()},
    ),
    "tanh": (
        graphlab.tanh,
        lambda g, x: g * (1 - x.tanh() ** 2),
        {"no square": lambda g, x: g * (1 - x.tanh())},
    ),
    "clamp": (
        lambda x: x.clamp(-1, 1),
        lambda g, x: where((x >= -1) & (x <= 1), g, 0.0),
        {"one bound": lambda g, x: where(x <= 1, g, 0.0), "no bound": lambda g, x: g},
    ),
    "leaky": (
        lambda x: where(x > 0, x, 0.1 * x),
        lambda g, x: where(x > 0, g, 0.1 * g),
        {
            "at 0.3": lambda g, x: where(x > 0.3, g, 0.1 * g),
            "below -5": lambda g, x: where(x > 0, g, where(x > -0.05, 0.2 * g, 0.1 * g)),
        },
    ),
    "softmax": (
        lambda x: graphlab.softmax(x, -1),
        slope_of_softmax,
        {"no sum": lambda g, x: x.softmax(-1) * (1 - x.softmax(-1)) * g},
    ),
    "by numpy": (
        by_numpy,
        lambda g, x: g * (1 - x.tanh() ** 2),
        {"no square": lambda g, x: g * (1 - x.tanh())},
    ),
    "not recorded": (
        quietly(lambda x: x * x.exp()),
        lambda g, x: g * (1 + x) * x.exp(),
        {"dropped term": lambda g, x: g * x.exp()},
    ),
    "part not recorded": (
        lambda x: x * quietly(graphlab.cos)(x),
        lambda g, x: g * (x.cos() - x * x.sin()),
        {"cut": lambda g, x: g * x.cos()},
    ),
    "part detached": (
        lambda x: x * x.detach(),
        lambda g, x: 2 * x * g,
        {"cut": lambda g, x: x * g},
    ),
    "norm": (
        lambda x: x / quietly(lambda y: (y * y + 1).sum())(x),
        lambda g, x: g / (x * x + 1).sum() - 2 * x * (g * x).sum() / (x * x + 1).sum() ** 2,
        {"cut": lambda g, x: g / (x * x + 1).sum()},
    ),
    "decided": (
        lambda x: x * x if decided(x) else -x,
        lambda g, x: 2 * x * g if decided(x) else -g,
        {
            "elsewhere": lambda g, x: 2 * x * g,
            "limit": lambda g, x: 2 * x * g if decided(x, 0.4) else -g,
        },
    ),
    "masked": (
        lambda x: x * (x > 0),
        lambda g, x: g * (x > 0),
        {"other mask": lambda g, x: g * (x > -0.2), "ones": lambda g, x: g},
    ),
}  # fmt: skip

GENERAL: dict[str, Callable[[Any, Any], Any]] = {  # of a right gradient and the incoming one
    "sign": lambda right, g: -right,
    "double": lambda right, g: 2 * right,
    "factor 1.001": lambda right, g: 1.001 * right,
    "zero": lambda right, g: 0 * right,
    "nan": lambda right, g: right * nan,
    "a term": lambda right, g: right + 1e-3 * g,
    "-7 g": lambda right, g: -7 * g,
    "one entry": lambda right, g: right * (graphlab.arange(right.numel()).reshape(right.shape) > 0),
}
VECTOR, ONES = [0.5, -0.75, 1.5], [1.0, -2.0, 3.0]


def alone(function: Any) -> Any:
    return (function(leaf(VECTOR)) * graphlab.tensor(ONES)).sum()


def behind_a_mask(function: Any) -> Any:
    hidden = graphlab.tensor([0.0, 0.0, -inf])
    return (graphlab.softmax(function(leaf(VECTOR)) + hidden, 0) * graphlab.tensor(ONES)).sum()


def inside(function: Any) -> Any:
    weight, x = leaf([[0.5, -1.0, 0.25], [1.0, 0.5, -0.5]]), leaf(VECTOR)
    return graphlab.tanh(weight @ function(x * x - 0.3)).sum() + (x * function(x)).sum()


applied = (alone, behind_a_mask, inside)


def mistake(right: Any, change: Any, g: Any, x: Any) -> Any:
    return change(right(g, x), g)


def hooked(place: Any) -> Any:
    """A hook that doubles a gradient."""

    def function(x: Any) -> Any:
        made = x * 3
        made.register_hook(lambda grad: 2 * grad)
        return made + x

    return place(function)


def changed(place: Any) -> Any:
    """A saved result that is changed behind autograd's back."""
    kept = []

    def function(x: Any) -> Any:
        kept.append(graphlab.exp(x))
        return kept[-1] * x

    made = place(function)
    for saved in kept:
        saved.data.mul_(2.0)
    return made


def wrong() -> Iterator[Case]:
    """Programs with one mistake each."""
    for name, (forward, backward, mistakes) in OWN.items():
        all_of = {
            **{what: partial(mistake, backward, change) for what, change in GENERAL.items()},
            **mistakes,
        }
        for what, bad in all_of.items():
            for number, place in enumerate(applied):
                yield f"{name}: {what}, {number}", partial(place, own(forward, bad))
    for number, place in enumerate(applied):
        yield f"hook, {number}", partial(hooked, place)
        yield f"saved, {number}", partial(changed, place)
