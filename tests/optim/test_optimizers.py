"""Every optimizer walks PyTorch's path, step for step, whatever its options.

Read next: tests/optim/test_schedulers.py
"""

from __future__ import annotations

import copy
import sys
import warnings

import numpy as np
import pytest

import graphlab
from graphlab import optim

# name, options; every option that changes the path stands in one of them
CASES = [
    ("SGD", {"lr": 0.05}),
    ("SGD", {"lr": 0.05, "momentum": 0.9}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
    ("SGD", {"lr": 0.01, "maximize": True}),
    ("Adam", {"lr": 0.05}),
    ("Adam", {"lr": 0.05, "betas": (0.5, 0.9), "eps": 1e-3, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.05, "amsgrad": True}),
    ("Adam", {"lr": 0.01, "maximize": True, "decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.05}),
    ("AdamW", {"lr": 0.05, "weight_decay": 0.3, "amsgrad": True}),
    ("Adamax", {"lr": 0.05, "weight_decay": 0.1}),
    ("NAdam", {"lr": 0.05}),
    ("NAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"lr": 0.05}),
    ("RAdam", {"lr": 0.05, "betas": (0.9, 0.9), "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.02}),
    ("RMSprop", {"lr": 0.02, "momentum": 0.5, "centered": True, "weight_decay": 0.1}),
    ("Adagrad", {"lr": 0.1}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1}),
    ("Adagrad", {"lr": 0.1, "initial_accumulator_value": 0.5}),
    ("Adadelta", {"lr": 1.0}),
    ("Adadelta", {"lr": 0.5, "rho": 0.5, "weight_decay": 0.1}),
    ("Rprop", {"lr": 0.02}),
    ("Adafactor", {"lr": 0.1}),
    ("Adafactor", {"lr": 0.1, "weight_decay": 0.1, "d": 2.0, "maximize": True}),
    ("ASGD", {"lr": 0.02, "t0": 3.0, "weight_decay": 0.1}),
    ("LBFGS", {"lr": 0.5, "max_iter": 5}),
    ("LBFGS", {"max_iter": 6, "history_size": 3, "line_search_fn": "strong_wolfe"}),
]  # fmt: skip
STEPS = 30
SHORT = 4  # L-BFGS doubles a difference in rounding with every step

rng = np.random.default_rng(0)
W, V, B = rng.normal(size=(3, 2)), rng.normal(size=(2,)), 0.7
X, Y = rng.normal(size=(8, 3)), rng.normal(size=(8,))


def begin(lib, dtype="float64"):
    """Parameters, the last of them 0-d, and the loss of a small net."""
    kind = getattr(lib, dtype)
    params = [lib.tensor(one, dtype=kind, requires_grad=True) for one in (W, V, B)]
    x, y = lib.tensor(X, dtype=kind), lib.tensor(Y, dtype=kind)

    def loss():
        w, v, b = params
        return ((lib.tanh(x @ w) @ v + b - y) ** 2).mean()

    return params, loss


def make(lib, name, params, options):
    """The optimizer, with the last parameter in a group of its own."""
    if name == "LBFGS":
        return getattr(lib.optim, name)(params, **options)
    groups = [{"params": params[:2]}, {"params": [params[2]], "lr": options["lr"] / 2}]
    return getattr(lib.optim, name)(groups, **options)


def advance(optimizer, loss, steps):
    """Train, and give the losses."""
    losses = []

    def closure():
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    for _ in range(steps):
        losses.append(optimizer.step(closure).item())
    return losses


def as_numbers(state):
    """What an optimizer remembers, as nested lists."""
    if hasattr(state, "tolist"):
        return state.tolist()
    if isinstance(state, dict):
        return {key: as_numbers(value) for key, value in state.items()}
    return [as_numbers(one) for one in state] if isinstance(state, list | tuple) else state


def assert_close(a, b, rtol):
    if isinstance(a, dict):
        assert set(a) == set(b)
        for key in a:
            assert_close(a[key], b[key], rtol)
    elif isinstance(a, list) and a and isinstance(a[0], list | dict):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            assert_close(one, other, rtol)
    elif a is None or isinstance(a, str):
        assert a == b
    else:
        np.testing.assert_allclose(np.array(a, float), np.array(b, float), rtol=rtol, atol=rtol)


def test_every_optimizer_that_there_is_has_a_case():
    left = set(optim.HOMES) - {name for name, _ in CASES} - {"Optimizer"}
    assert left == set(), "write a case of each into CASES, at the top of this file"


@pytest.mark.torch
@pytest.mark.parametrize(("name", "options"), CASES)
def test_the_path_and_the_memory_are_pytorchs(name, options, torch):
    found = []
    for lib in (graphlab, torch):
        params, loss = begin(lib)
        optimizer = make(lib, name, params, options)
        losses = advance(optimizer, loss, SHORT if name == "LBFGS" else STEPS)
        found.append((losses, as_numbers(params), as_numbers(optimizer.state_dict())))
    for ours, theirs in zip(*found, strict=True):
        assert_close(ours, theirs, 1e-9)  # float64, 30 steps: rounding grows a little


@pytest.mark.torch
@pytest.mark.parametrize(("name", "options"), CASES)
def test_floats_of_32_bits_stay_so_and_walk_the_same_path(name, options, torch):
    ends = []
    for lib in (graphlab, torch):
        params, loss = begin(lib, "float32")
        optimizer = make(lib, name, params, options)
        advance(optimizer, loss, 2 if name == "LBFGS" else 10)
        assert {str(p.dtype) for p in params} == {"torch.float32"}
        ends.append(as_numbers(params))
    for ours, theirs in zip(*ends, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)  # float32, 10 steps


@pytest.mark.torch
@pytest.mark.parametrize(("name", "options"), CASES)
def test_an_optimizer_is_shown_as_pytorch_shows_it(name, options, torch):
    ours, theirs = (repr(make(lib, name, begin(lib)[0], options)) for lib in (graphlab, torch))
    assert ours == theirs


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted({name for name, _ in CASES}))
def test_the_options_of_a_group_have_pytorchs_order(name, torch):
    ours, theirs = (
        [*getattr(lib.optim, name)([lib.ones(1, requires_grad=True)]).param_groups[0]]
        for lib in (graphlab, torch)
    )
    assert ours == theirs


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_loaded_state_goes_on_where_it_was_saved(name, options):
    params, loss = begin(graphlab)
    optimizer = make(graphlab, name, params, options)
    advance(optimizer, loss, 4)
    saved = copy.deepcopy(optimizer.state_dict())
    others, other_loss = begin(graphlab)
    for own, new in zip(params, others, strict=True):
        new.data = own.detach().clone()
    second = make(graphlab, name, others, options)
    second.load_state_dict(saved)
    ours, theirs = advance(optimizer, loss, 3), advance(second, other_loss, 3)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)  # NAdam's float32 product becomes float64


def test_a_step_of_adam_takes_few_calls():
    weight = graphlab.ones(3, 4, requires_grad=True)
    weight.grad = graphlab.ones(3, 4)
    optimizer = optim.Adam([weight], lr=0.1)
    optimizer.step()
    calls = []
    sys.setprofile(lambda frame, event, what: calls.append(event) if event == "call" else None)
    try:
        optimizer.step()
    finally:
        sys.setprofile(None)
    np.testing.assert_allclose(weight.detach(), np.full((3, 4), 0.8), rtol=1e-6)  # float32
    assert len(calls) < 50  # the general way takes 107


def test_scaling_a_gradient_by_a_tensor_of_one_entry_takes_few_calls():
    grad, scale = graphlab.ones(3, 4), graphlab.tensor(0.5)
    grad.mul_(scale)  # makes the version counter
    calls = []
    sys.setprofile(lambda frame, event, what: calls.append(event) if event == "call" else None)
    try:
        grad.mul_(scale)
    finally:
        sys.setprofile(None)
    assert grad.tolist() == [[0.25] * 4] * 3
    assert len(calls) < 6  # the general way takes 20
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        grad.mul_(grad[0, 1])


@pytest.mark.parametrize("betas", [(0.9, 0.999), (0.5, 0.9)])
def test_a_step_of_adam_on_arrays_alone_changes_what_the_general_way_changes(betas):
    rows, columns = 200, 150  # more entries than one block
    graphlab.manual_seed(0)
    start, grad = graphlab.randn(rows, columns), graphlab.randn(columns, rows).T
    seen = []
    for gradient in (grad.contiguous(), grad):  # the general way takes one that is not contiguous
        weight = graphlab.nn.Parameter(start.clone())
        optimizer = optim.AdamW([weight], lr=0.1, betas=betas)
        for _ in range(3):
            weight.grad = gradient
            optimizer.step()
        state = optimizer.state[weight]
        seen.append([(x.tolist(), x._version) for x in (weight, *state.values())])
    assert seen[0] == seen[1]


def test_a_step_raises_the_version_and_leaves_no_graph():
    w = graphlab.ones(2, requires_grad=True)
    optimizer = optim.SGD([w], lr=0.5, momentum=0.9)
    w.sum().backward()
    optimizer.step()
    assert (w.is_leaf, w.requires_grad, w._version) == (True, True, 1)
    assert not optimizer.state[w]["momentum_buffer"].requires_grad
    assert w.grad.tolist() == [1.0, 1.0]  # untouched


def test_zero_grad_forgets_gradients_or_sets_them_to_zero():
    w = graphlab.ones(2, requires_grad=True)
    optimizer = optim.SGD([w], lr=0.1)
    w.sum().backward()
    optimizer.zero_grad()
    assert w.grad is None
    w.sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert w.grad.tolist() == [0.0, 0.0]


def test_parameters_without_a_gradient_stay():
    v, w = (graphlab.ones(1, requires_grad=True) for _ in range(2))
    optimizer = optim.Adam([v, w], lr=0.5)
    v.sum().backward()
    optimizer.step()
    assert v.tolist() == pytest.approx([0.5])
    assert w.tolist() == [1.0]
    assert list(optimizer.state) == [v]


def test_the_learning_rate_of_a_group_may_be_changed_on_the_way():
    w = graphlab.ones(1, requires_grad=True)
    optimizer = optim.SGD([w], lr=1.0)
    w.sum().backward()
    optimizer.param_groups[0]["lr"] = 0.25
    optimizer.step()
    assert w.tolist() == [0.75]


def test_hooks_run_before_and_after_a_step():
    w = graphlab.ones(1, requires_grad=True)
    optimizer = optim.SGD([w], lr=1.0)
    seen = []
    optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append(w.tolist()))
    optimizer.register_step_pre_hook(lambda o, args, kwargs: (args, kwargs))
    optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append(args == (o,)))
    handle = optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(w.tolist()))
    w.sum().backward()
    optimizer.step()
    handle.remove()
    optimizer.step()
    assert seen == [[1.0], True, [0.0], [0.0], True]


def leaf(lib):
    return lib.ones(2, requires_grad=True)


WRONG = {
    "nothing to optimize": lambda lib: lib.optim.SGD([], lr=0.1),
    "no leaf": lambda lib: lib.optim.SGD([leaf(lib) * 2], lr=0.1),
    "a tensor alone": lambda lib: lib.optim.SGD(leaf(lib), lr=0.1),
    "no tensor": lambda lib: lib.optim.SGD([1.0], lr=0.1),
    "a set": lambda lib: lib.optim.SGD([{"params": {leaf(lib)}}], lr=0.1),
    "a negative rate": lambda lib: lib.optim.SGD([leaf(lib)], lr=-1),
    "a negative momentum": lambda lib: lib.optim.SGD([leaf(lib)], lr=1, momentum=-1),
    "nesterov alone": lambda lib: lib.optim.SGD([leaf(lib)], lr=1, nesterov=True),
    "beta 1": lambda lib: lib.optim.Adam([leaf(lib)], betas=(1.0, 0.9)),
    "beta 2": lambda lib: lib.optim.Adam([leaf(lib)], betas=(0.9, -1.0)),
    "epsilon": lambda lib: lib.optim.AdamW([leaf(lib)], eps=-1.0),
    "alpha": lambda lib: lib.optim.RMSprop([leaf(lib)], alpha=-1.0),
    "rho": lambda lib: lib.optim.Adadelta([leaf(lib)], rho=1.5),
    "beta2_decay": lambda lib: lib.optim.Adafactor([leaf(lib)], beta2_decay=0.5),
    "etas": lambda lib: lib.optim.Rprop([leaf(lib)], etas=(2, 3)),
    "group is no dict": lambda lib: lib.optim.SGD([leaf(lib)], lr=1).add_param_group([leaf(lib)]),
    "names for some": lambda lib: lib.optim.SGD([("w", leaf(lib)), leaf(lib)], lr=1),
    "two groups for LBFGS": lambda lib: lib.optim.LBFGS(
        [{"params": [leaf(lib)]}, {"params": [leaf(lib)]}]
    ),
    "twice": lambda lib: (lambda w: lib.optim.SGD([{"params": [w]}, {"params": [w]}], lr=1))(
        leaf(lib)
    ),
    "another number of groups": lambda lib: lib.optim.SGD([leaf(lib)], lr=1).load_state_dict(
        {"state": {}, "param_groups": []}
    ),
    "another size of group": lambda lib: lib.optim.SGD([leaf(lib)], lr=1).load_state_dict(
        {"state": {}, "param_groups": [{"params": [0, 1]}]}
    ),
}


@pytest.mark.torch
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_as_pytorch_says_it(what, torch):
    said = []
    for lib in (graphlab, torch):
        with pytest.raises(Exception) as caught:
            WRONG[what](lib)
        said.append((type(caught.value).__name__, str(caught.value)))
    assert said[0] == said[1]


def test_a_parameter_given_twice_is_warned_of():
    w = leaf(graphlab)
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optim.SGD([w, w], lr=1)


def test_named_parameters_keep_their_names():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer = optim.SGD([("w", leaf(graphlab)), ("b", leaf(graphlab))], lr=1)
    assert optimizer.param_groups[0]["param_names"] == ["w", "b"]
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["w", "b"]


def test_an_optimizer_of_ones_own_says_what_happens_to_one_parameter():
    class Signs(optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": 0.5})

        def update(self, param, grad, state, group):
            param.add_(grad.sign(), alpha=-group["lr"])

    w = graphlab.tensor([1.0, 1.0], requires_grad=True)
    optimizer = Signs([w])
    (w * graphlab.tensor([3.0, -2.0])).sum().backward()
    optimizer.step()
    assert w.tolist() == [0.5, 1.5]


@pytest.mark.torch
@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "NAdam"])
def test_a_differentiable_step_is_part_of_the_graph(name, torch):
    found = []
    for lib in (graphlab, torch):
        factor = lib.tensor(2.0, dtype=lib.float64, requires_grad=True)
        w = lib.tensor([1.0, -3.0], dtype=lib.float64, requires_grad=True)
        walked = w.clone()
        walked.retain_grad()
        options = {"momentum": 0.9} if name == "SGD" else {}
        optimizer = getattr(lib.optim, name)([walked], lr=0.1, differentiable=True, **options)
        for _ in range(2):
            walked.grad = factor * factor * lib.tensor([0.5, 0.2], dtype=lib.float64)
            optimizer.step()
        (walked * walked).sum().backward()
        found.append((walked.tolist(), w.grad.tolist(), factor.grad.item()))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)  # it counts in float32


@pytest.mark.parametrize("training", [True, False])
def test_statistics_that_cannot_be_computed_anew_stay_as_they_were(training):
    norm = graphlab.nn.BatchNorm1d(2, momentum=0.3)
    norm(graphlab.randn(4, 2))
    norm.train(training)
    before = copy.deepcopy(norm.state_dict())

    def batches():
        yield graphlab.randn(3, 2)
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        optim.swa_utils.update_bn(batches(), norm)
    assert (norm.momentum, norm.training) == (0.3, training)
    assert all(graphlab.equal(value, before[key]) for key, value in norm.state_dict().items())
