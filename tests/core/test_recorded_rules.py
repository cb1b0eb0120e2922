"""Rules that a recorded backward pass records as one node, beside PyTorch.

Read next: tests/core/test_engine.py
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import graphlab

pytestmark = pytest.mark.torch

CALLS = {
    "tanh": lambda F, x: x.tanh(),
    "tanh_": lambda F, x: x.clone().tanh_(),
    "sigmoid": lambda F, x: x.sigmoid(),
    "relu": lambda F, x: F.relu(x),
    "relu_": lambda F, x: F.relu_(x.clone()),
    "threshold": lambda F, x: F.threshold(x, 0.1, 20.0),
    "threshold_": lambda F, x: F.threshold_(x.clone(), 0.1, 20.0),
    "leaky_relu": lambda F, x: F.leaky_relu(x, 0.1),
    "hardtanh": lambda F, x: F.hardtanh(x),
    "hardtanh_": lambda F, x: F.hardtanh_(x.clone()),
    "relu6": lambda F, x: F.relu6(x),
    "softshrink": lambda F, x: F.softshrink(x),
    "hardshrink": lambda F, x: F.hardshrink(x),
    "rrelu": lambda F, x: F.rrelu(x, 0.1, 0.3, training=True),
    "rrelu outside of training": lambda F, x: F.rrelu(x, 0.1, 0.3),
    "prelu": lambda F, x, w: F.prelu(x, w),
    "prelu by channel": lambda F, x, w: F.prelu(x.reshape(4, 2), w.expand(2)),
}

SMOOTH = ("tanh", "tanh_", "sigmoid")


def rounded(seen: Any) -> Any:
    """What was seen, with the first 9 digits of its numbers."""
    if isinstance(seen, list | tuple):
        return [rounded(part) for part in seen]
    return f"{seen:.8e}" if isinstance(seen, float) else seen


def shown(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def node(fn: Any) -> Any:
    """The name of a node, its edges, and what it saved; not the noise that nobody drew."""
    if fn is None:
        return None
    saved = [
        (name, shown(getattr(fn, name)))
        for name in sorted(dir(fn))
        if name.startswith("_saved") and not (name == "_saved_noise" and not fn._saved_training)
    ]
    return fn.name(), [(to and to.name(), i) for to, i in fn.next_functions], saved


def told(lib: ModuleType, call: Any, with_history: bool) -> list[Any]:
    """What can be seen of the first and the second gradients."""
    x = lib.tensor([-2.0, -0.5, 0.0, -0.0, 0.3, 1.0, 4.0, 7.0], dtype=lib.float64)
    w = lib.tensor([0.25], dtype=lib.float64)
    inputs = [t.requires_grad_() for t in (x, w)][: call.__code__.co_argcount - 1]
    lib.manual_seed(0)
    y = call(lib.nn.functional, *inputs)
    upstream = lib.ones(y.shape, dtype=lib.float64, requires_grad=with_history)
    wanted = [*inputs, upstream] if with_history else inputs
    seen = []
    for first in lib.autograd.grad(y, inputs, upstream, create_graph=True):
        again = lib.full(first.shape, 3.0, dtype=lib.float64)
        second = lib.autograd.grad(first, wanted, again, retain_graph=True)
        seen += [first.tolist(), node(first.grad_fn), [t.tolist() for t in second]]
    return seen


@pytest.mark.parametrize("with_history", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_a_recorded_gradient_has_pytorchs_node_and_pytorchs_gradients(name, with_history, torch):
    ours, theirs = (told(lib, CALLS[name], with_history) for lib in (graphlab, torch))
    if name in SMOOTH:  # their formulas round in another order
        ours, theirs = rounded(ours), rounded(theirs)
    assert ours == theirs
    assert "BackwardBackward0" in str(ours)


def test_a_third_gradient_goes_through_the_same_node(torch):
    def names(lib):
        x, v = (lib.tensor(a, requires_grad=True) for a in ([-1.0, 2.0], [1.0, 1.0]))
        (first,) = lib.autograd.grad(lib.relu(x), x, v, create_graph=True)
        (second,) = lib.autograd.grad(first, v, lib.ones(2), create_graph=True)
        (third,) = lib.autograd.grad(second, x, lib.ones(2), retain_graph=True)
        return node(second.grad_fn), third.tolist()

    assert names(graphlab) == names(torch)


def test_one_node_gives_both_gradients_of_a_prelu():
    x, w = graphlab.tensor([-2.0, 3.0]).requires_grad_(), graphlab.tensor([0.5]).requires_grad_()
    y = graphlab.nn.functional.prelu(x, w)
    of_x, of_w = graphlab.autograd.grad(y.sum(), (x, w), create_graph=True)
    assert of_x.grad_fn is of_w.grad_fn.next_functions[0][0]
    assert [of_x.tolist(), of_w.tolist()] == [[0.5, 1.0], [-2.0]]
    assert graphlab.autograd.gradgradcheck(
        graphlab.nn.functional.prelu, [t.detach().double().requires_grad_() for t in (x, w)]
    )


def test_an_input_that_needs_no_gradient_gets_none_from_a_recorded_prelu(torch):
    def gradient(lib, i):
        given = [lib.tensor([-2.0, 3.0]), lib.tensor([0.5])]
        given[i].requires_grad_()
        y = lib.nn.functional.prelu(*given).sum()
        (found,) = lib.autograd.grad(y, given[i], create_graph=True)
        return found.tolist(), node(found.grad_fn)

    for i in (0, 1):
        np.testing.assert_equal(gradient(graphlab, i), gradient(torch, i))


@pytest.mark.parametrize(
    "call", [lambda t, x: t.linalg.pinv(x), lambda t, x: t.dist(x, t.zeros(2, 1), 1)]
)
def test_no_sum_is_recorded_where_nothing_was_stretched(call, torch):
    def sums(lib):
        x = lib.tensor([[1.0], [2.0]], requires_grad=True)
        y = call(lib, x)
        (found,) = lib.autograd.grad((y * y).sum(), x, create_graph=True)
        waiting = [found.grad_fn]
        for one in waiting:  # the list grows
            waiting += [after for after, _ in one.next_functions if after is not None]
        return sum("Sum" in one.name() for one in waiting)

    assert sums(graphlab) == sums(torch)
