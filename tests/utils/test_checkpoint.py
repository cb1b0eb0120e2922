"""Checkpoints: the same gradients as without them, computed from less memory.

Read next: tests/core/test_saved_hooks.py
"""

from __future__ import annotations

import math
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import graphlab
from graphlab.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_early_stop,
)

WAYS = pytest.mark.parametrize("reentrant", [True, False])


def model_of(lib: ModuleType) -> Any:
    lib.manual_seed(1)
    nn = lib.nn
    return nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Tanh(), nn.Linear(4, 2))


def inputs(lib: ModuleType) -> Any:
    return (lib.arange(6.0).reshape(2, 3) / 3).requires_grad_()


def trained(lib: ModuleType, reentrant: bool, whole: bool) -> list[Any]:
    """The result, the gradients, how often the model ran and the name of the last node."""
    module = import_module(f"{lib.__name__}.utils.checkpoint")
    model, x, runs = model_of(lib), inputs(lib), []

    def run(x: Any) -> Any:
        runs.append(1)
        return model(x)

    if whole:
        y = module.checkpoint(run, x, use_reentrant=reentrant)
    else:
        y = module.checkpoint_sequential(model, 2, x, use_reentrant=reentrant)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    grads = [p.grad.tolist() for p in model.parameters()]
    return [y.tolist(), x.grad.tolist(), grads, len(runs), y.grad_fn.name()]


@pytest.mark.torch
@WAYS
@pytest.mark.parametrize("whole", [True, False])
def test_a_checkpoint_gives_pytorchs_gradients_and_runs_as_often(whole, reentrant, torch):
    ours, theirs = (trained(lib, reentrant, whole) for lib in (graphlab, torch))
    for own, other in zip(ours[:3], theirs[:3], strict=True):
        for a, b in zip(own, other, strict=True):
            # float32, sums of a few entries
            assert graphlab.allclose(graphlab.tensor(a), graphlab.tensor(b), rtol=1e-5, atol=1e-6)
    assert ours[3:] == theirs[3:]


@WAYS
def test_dropout_draws_the_same_numbers_again(reentrant):
    model, x = model_of(graphlab), inputs(graphlab)
    after = graphlab.get_rng_state()
    y = checkpoint(model, x, use_reentrant=reentrant)
    drawn = graphlab.get_rng_state()
    y.sum().backward()
    assert (graphlab.get_rng_state() == drawn).all()  # the second run leaves no trace
    plain = inputs(graphlab)
    graphlab.set_rng_state(after)
    model(plain).sum().backward()
    assert graphlab.allclose(x.grad, plain.grad)


def test_nothing_but_the_input_is_kept_between_the_passes():
    x = inputs(graphlab)
    kept = []
    with graphlab.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        y = checkpoint(lambda x: (x * x).exp().tanh(), x, use_reentrant=False)
    assert [t is x for t in kept] == [True]
    y.sum().backward()
    assert x.grad is not None


def seen_by_hooks(t: ModuleType) -> tuple[list[Any], Any]:
    x, seen = inputs(t), []

    def pack(tensor: Any) -> Any:
        seen.append(("pack", tuple(tensor.shape), tensor.requires_grad))
        return tensor.detach() * 2

    def unpack(packed: Any) -> Any:
        seen.append(("unpack", tuple(packed.shape)))
        return packed / 2

    run = import_module(f"{t.__name__}.utils.checkpoint").checkpoint
    with t.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = run(lambda a, b, n: (a * b).exp() * n, x, t.ones(3), 2.0, use_reentrant=False)
    seen.append("backward")
    y.sum().backward()
    return seen, x.grad.tolist()


def test_the_users_hooks_see_the_inputs_as_in_pytorch():
    torch = pytest.importorskip("torch")
    (mine, gradient), (theirs, wanted) = seen_by_hooks(graphlab), seen_by_hooks(torch)
    assert mine == theirs
    assert gradient == [pytest.approx(row) for row in wanted]


@pytest.mark.filterwarnings("ignore:None of the inputs")  # the outer one runs without recording
@WAYS
def test_checkpoints_stand_inside_of_checkpoints(reentrant):
    x, plain = inputs(graphlab), inputs(graphlab)

    def inner(x: Any) -> Any:
        return (x * x).exp()

    def outer(x: Any) -> Any:
        return checkpoint(inner, x * 2, use_reentrant=reentrant) * x

    checkpoint(outer, x, use_reentrant=reentrant).sum().backward()
    (inner(plain * 2) * plain).sum().backward()
    assert graphlab.allclose(x.grad, plain.grad)


def test_a_plain_checkpoint_is_differentiated_twice():
    x = inputs(graphlab)
    y = checkpoint(lambda x: x**3, x, use_reentrant=False)
    (first,) = graphlab.autograd.grad(y.sum(), x, create_graph=True)
    first.sum().backward()
    assert graphlab.allclose(x.grad, 6 * x.detach())


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (lambda x: x * x, "A different number of tensors was saved"),
        (lambda x: (x[:1] * x[:1]).exp(), "have different metadata"),
    ],
)
def test_a_function_that_does_something_else_the_second_time_is_an_error(second, message):
    runs = []

    def changing(x: Any) -> Any:
        runs.append(1)
        return (x * x).exp() if len(runs) == 1 else second(x)

    y = checkpoint(changing, inputs(graphlab), use_reentrant=False)
    with pytest.raises(CheckpointError, match=message):
        y.sum().backward()


@WAYS
@pytest.mark.parametrize("changed", ["x", "y"])
def test_an_argument_that_was_changed_since_is_an_error(changed, reentrant):
    given = {"x": inputs(graphlab) * 1, "y": graphlab.ones(3)}
    z = checkpoint(lambda x, y: (x * y).exp(), *given.values(), use_reentrant=reentrant)
    given[changed].add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        z.sum().backward()


def test_the_way_is_to_be_said():
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        checkpoint(lambda x: x * 2, inputs(graphlab))
    with pytest.warns(UserWarning, match="checkpoint_sequential: the use_reentrant parameter"):
        checkpoint_sequential([lambda x: x * 2], 1, inputs(graphlab))
    with pytest.raises(ValueError, match="Unexpected keyword arguments: k"):
        checkpoint(lambda x, k: x * k, inputs(graphlab), k=2, use_reentrant=True)


def test_a_reentrant_checkpoint_needs_an_input_with_a_gradient():
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        y = checkpoint(lambda x: x * 2, graphlab.ones(2), use_reentrant=True)
    assert not y.requires_grad
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model_of(graphlab)(graphlab.ones(1, 3)).requires_grad


def test_a_saved_tensor_is_computed_again_once_in_a_pass():
    class Reads(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            with pytest.raises(RuntimeError, match="already unpacked once"):
                _ = ctx.saved_tensors
            return grad * y, grad * x

    x = graphlab.tensor(2.0, requires_grad=True)
    checkpoint(lambda t: Reads.apply(t * 3, t.exp()), x, use_reentrant=False).backward()
    assert x.grad.item() == pytest.approx(3 * 3 * math.exp(2.0), rel=1e-5)


def test_early_stop_can_be_switched_off_for_all_checkpoints():
    calls = []

    def grows(x):
        calls.append(1)
        return x.exp() if len(calls) == 1 else x.exp().sin()

    x = graphlab.tensor(1.0, requires_grad=True)
    checkpoint(grows, x, use_reentrant=False).backward()  # it ends before the second sine
    calls.clear()
    with set_checkpoint_early_stop(False):
        y = checkpoint(grows, x, use_reentrant=False)
    with pytest.raises(RuntimeError, match="trying to save more tensors during recomputation"):
        y.backward()


def test_a_reentrant_checkpoint_is_for_whole_backward_passes():
    weight = graphlab.tensor(2.0, requires_grad=True)
    x = graphlab.tensor(3.0, requires_grad=True)
    for way in (
        lambda y: graphlab.autograd.grad(y, x),
        lambda y: y.backward(inputs=[x]),
    ):
        y = checkpoint(lambda t: t * weight, x, use_reentrant=True)
        with pytest.raises(RuntimeError, match=r"incompatible with .grad()"):
            way(y)
    assert weight.grad is None
    checkpoint(lambda t: t * weight, x, use_reentrant=True).backward()
    assert (x.grad.item(), weight.grad.item()) == (2.0, 3.0)
