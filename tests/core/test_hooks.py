"""Hooks: what they see, what they may give back, when they are gone, what they keep alive.

That they run in PyTorch's order is tests/core/test_order.py's business.

Read next: tests/core/test_saved_hooks.py
"""

from __future__ import annotations

import gc
import pickle
import weakref
from collections import OrderedDict

import numpy as np
import pytest

import graphlab
from graphlab.autograd.hooks import HookDict, LivingHooks, RemovableHandle
from graphlab.autograd.watched_pass import Ready, WatchedPass
from tests.core.test_engine import no_collector


def leaf(value=2.0, **how):
    return graphlab.tensor(value, requires_grad=True, **how)


# -- of tensors --------------------------------------------------------------------------------


def test_a_hook_sees_the_whole_gradient_of_its_tensor_once():
    x, seen = leaf(), []
    u = x * 3
    u.register_hook(seen.append)
    (u * 2 + u * 5).backward()
    assert [g.item() for g in seen] == [7]
    assert x.grad.item() == 21


def test_hooks_run_in_the_order_of_registration_each_on_what_the_one_before_gave():
    x, seen = leaf(), []
    x.register_hook(lambda g: (seen.append(g.item()), g + 1)[1])
    x.register_hook(lambda g: (seen.append(g.item()), g * 10)[1])
    (x * 4).backward()
    assert seen == [4, 5]
    assert x.grad.item() == 50


def test_a_hook_on_one_output_of_several_sees_that_one_alone():
    x, seen = leaf([1.0, 2.0]), []
    a, b = x.unbind()
    b.register_hook(lambda g: (seen.append(g.item()), g * 10)[1])
    (a * 3 + b * 4).backward()
    assert seen == [4]
    assert x.grad.tolist() == [3, 40]


def test_a_handle_removes_its_hook_and_a_second_time_does_nothing():
    x = leaf()
    handle = x.register_hook(lambda g: g * 10)
    handle.remove()
    handle.remove()
    (x * 3).backward()
    assert x.grad.item() == 3


def test_a_handle_as_a_context_removes_its_hook_at_the_end():
    x = leaf()
    with x.register_hook(lambda g: g * 10):
        (x * 3).backward()
    (x * 3).backward()
    assert x.grad.item() == 33


def test_a_hook_may_remove_itself_and_the_next_one():
    x, seen, handles = leaf(), [], []

    def first(grad):
        seen.append("first")
        for handle in handles:
            handle.remove()

    handles.append(x.register_hook(first))
    handles.append(x.register_hook(lambda g: seen.append("second")))
    (x * 2).backward()
    (x * 2).backward()
    assert seen == ["first", "second"]  # the list was taken before the first one ran


def test_a_tensor_shows_its_hooks():
    x = leaf()
    y = x * 2
    assert (x._backward_hooks, y._backward_hooks) == (None, None)
    for tensor in (x, y):
        handle = tensor.register_hook(print)
        assert tensor._backward_hooks == {handle.id: print}
        assert repr(tensor._backward_hooks) == repr(OrderedDict({handle.id: print}))


@pytest.mark.parametrize(
    ("give", "error", "message"),
    [
        (lambda g: 3, TypeError, "^expected Variable, but hook returned 'int'$"),
        (lambda g: (g,), TypeError, "^expected Variable, but hook returned 'tuple'$"),
        (lambda g: graphlab.ones(3), RuntimeError, "^hook '<lambda>' has changed the size of"),
        (
            lambda g: g.double(),
            RuntimeError,
            "^hook '<lambda>' has changed the type of value "
            r"\(was torch.FloatTensor got torch.DoubleTensor\)$",
        ),
    ],
)
@pytest.mark.parametrize("of_leaf", [True, False])
def test_what_does_not_fit_is_refused_and_everything_stays_as_it_was(give, error, message, of_leaf):
    x, w = leaf(), leaf(5.0)
    (w * 1).backward()
    y = x * 2
    (x if of_leaf else y).register_hook(give)
    w.register_hook(lambda g: g * 2)
    z = y * 3 + w * w
    for _ in range(2):  # the graph is not freed either
        with pytest.raises(error, match=message):
            z.backward()
    assert (x.grad, w.grad.item()) == (None, 1)


def test_an_error_in_a_hook_puts_back_what_the_pass_had_written():
    def fail(grad):
        raise ValueError("mine")

    x, w = leaf([1.0, 2.0]), leaf([5.0, 6.0])
    (w * 1).sum().backward()
    y = x * 2
    y.register_hook(fail)
    held = w.grad
    with pytest.raises(ValueError, match="mine"):
        (y + w.exp()).sum().backward()  # exp was made last: w is written before y is reached
    assert w.grad is held
    assert held.tolist() == [1, 1]
    assert x.grad is None


def test_a_tensor_without_gradient_takes_no_hook():
    for register in ("register_hook", "register_post_accumulate_grad_hook"):
        with pytest.raises(RuntimeError, match="on a tensor that doesn't require gradient"):
            getattr(graphlab.ones(1), register)(print)


def test_a_hook_that_changes_its_gradient_in_place_changes_no_other():
    x, y = leaf([1.0, 1.0]), leaf([1.0, 1.0])

    def clear(grad):
        grad.zero_()

    x.register_hook(clear)
    ((x + y) * 1).sum().backward()  # one array is the gradient of both
    assert x.grad.tolist() == [0, 0]
    assert y.grad.tolist() == [1, 1]


def test_a_gradient_that_a_hook_keeps_is_not_added_to_later():
    x, kept = leaf([1.0, 1.0]), []
    x.register_hook(kept.append)
    for _ in range(2):
        (x * 2).sum().backward()
    assert [g.tolist() for g in kept] == [[2, 2], [2, 2]]


def test_hooks_run_in_the_grad_mode_of_the_pass():
    x, modes = leaf(), []
    y = x * x
    y.register_hook(lambda g: modes.append(graphlab.is_grad_enabled()))
    graphlab.autograd.grad(y, x, retain_graph=True)
    graphlab.autograd.grad(y, x, create_graph=True)
    assert modes == [False, True]


def test_a_hook_in_a_recorded_pass_is_part_of_the_second_derivative():
    x = leaf(2.0)
    y = x**3
    y.register_hook(lambda g: g * x)
    (first,) = graphlab.autograd.grad(y, x, create_graph=True)
    (second,) = graphlab.autograd.grad(first, x)
    assert (first.item(), second.item()) == (24, 36)  # 3x²·x = 3x³, then 9x²


def test_a_hook_may_run_a_backward_pass_of_its_own():
    x, w = leaf(), leaf(7.0)
    w.register_hook(lambda g: g * 2)

    def inner(grad):
        with graphlab.enable_grad():
            (w * w).backward()

    y = x * 3
    y.register_hook(inner)
    (y * y).backward()
    assert (x.grad.item(), w.grad.item()) == (36, 28)


# -- of leaves, when they are written -----------------------------------------------------------


def test_a_post_accumulate_hook_sees_the_leaf_with_its_gradient_and_may_use_it_up():
    w = leaf([3.0, 4.0])

    def step(parameter):
        with graphlab.no_grad():
            parameter -= 0.5 * parameter.grad
        parameter.grad = None

    w.register_post_accumulate_grad_hook(step)
    (w * 2).sum().backward()
    assert (w.tolist(), w.grad) == ([2, 3], None)


def test_what_a_post_accumulate_hook_did_stays_when_the_pass_fails_later():
    def fail(grad):
        raise ValueError("mine")

    x, w = leaf(), leaf()
    y = x * 2
    y.register_hook(fail)
    w.register_post_accumulate_grad_hook(lambda p: None)
    with pytest.raises(ValueError, match="mine"):
        (y + w.exp()).backward()
    assert w.grad is not None
    assert x.grad is None


def test_a_post_accumulate_hook_is_for_leaves():
    with pytest.raises(RuntimeError, match="cannot be registered on non-leaf tensors"):
        (leaf() * 2).register_post_accumulate_grad_hook(print)


def test_a_post_accumulate_hook_gives_nothing_back():
    x = leaf()
    x.register_post_accumulate_grad_hook(lambda p: p)
    with pytest.raises(RuntimeError, match="post accumulate grad hooks should return None"):
        (x * 2).backward()


def test_autograd_grad_writes_nothing_so_no_post_accumulate_hook_runs():
    x, seen = leaf(), []
    x.register_post_accumulate_grad_hook(seen.append)
    graphlab.autograd.grad(x * 2, x)
    assert seen == []
    graphlab.autograd.backward(x * 2, inputs=[x])
    assert seen == [x]


# -- of nodes ----------------------------------------------------------------------------------


def test_a_node_hook_may_replace_what_goes_on_and_a_prehook_what_comes_in():
    x, w = leaf(2.0), leaf(3.0)
    y = x * w
    y.grad_fn.register_prehook(lambda outs: (outs[0] * 10,))
    y.grad_fn.register_hook(lambda ins, outs: (ins[0] + outs[0], None))
    y.backward()
    assert (x.grad.item(), w.grad) == (30 + 10, None)


@pytest.mark.parametrize(
    ("give", "message"),
    [
        (lambda ins, outs: 3, "expected tuple, but hook returned 'int'"),
        (lambda ins, outs: list(ins), "expected tuple, but hook returned 'list'"),
        (lambda ins, outs: (), r"incorrect number of values \(got 0, but expected 2\)"),
        (lambda ins, outs: (ins[0], ins[0]), "can't replace a None gradient with a non-None value"),
        (lambda ins, outs: (graphlab.ones(2), None), "hook '<lambda>' has changed the size"),
    ],
)
def test_a_node_hook_gives_a_tuple_that_fits(give, message):
    y = leaf() * 2
    y.grad_fn.register_hook(give)
    with pytest.raises((RuntimeError, TypeError), match=message):
        y.backward()


def test_hooks_of_accumulate_grad_stand_around_the_writing():
    x, seen = leaf(), []
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    node.register_prehook(lambda outs: (seen.append(x.grad), (outs[0] * 5,))[1])
    node.register_hook(lambda ins, outs: seen.append((ins, outs[0].item(), x.grad.item())))
    y.backward()
    assert seen == [None, ((), 10, 10)]


def test_a_node_says_what_pytorchs_says_of_itself():
    x = leaf()
    y = x * 2
    node, accumulate = y.grad_fn, y.grad_fn.next_functions[0][0]
    assert node.requires_grad
    assert type(node).__mro__ == (type(node), object)
    node._set_sequence_nr(10**9)
    assert node._sequence_nr() == 10**9
    node._register_hook_dict(y)
    accumulate._register_hook_dict(x)
    assert accumulate._sequence_nr() == 2**64 - 1
    assert accumulate._input_metadata[0].shape == ()
    accumulate.metadata["k"] = 1
    del accumulate
    assert node.next_functions[0][0].metadata == {"k": 1}
    with pytest.raises(RuntimeError, match="it runs first"):
        node.next_functions[0][0]._set_sequence_nr(0)
    assert set(dir(node)) >= {"register_hook", "register_prehook", "_raw_saved_self"}


# -- of several tensors ------------------------------------------------------------------------


def test_a_hook_on_several_gradients_is_called_when_the_last_is_known():
    a, b, seen = leaf(2.0), leaf(3.0), []
    c, d = a * b, a + b
    handle = graphlab.autograd.graph.register_multi_grad_hook(
        (a, b, c, d), lambda grads: seen.append([g and g.item() for g in grads])
    )
    c.backward(retain_graph=True)
    c.backward(inputs=(a,), retain_graph=True)
    (c * d).backward(retain_graph=True)
    assert seen == [[3, 2, 1, None], [3, None, 1, None], [5 * 3 + 6, 5 * 2 + 6, 5, 6]]
    handle.remove()
    c.backward()
    assert len(seen) == 3


def test_a_hook_on_any_gradient_is_called_with_the_first():
    a, b, seen = leaf(2.0), leaf(3.0), []
    c = a * b
    graphlab.autograd.graph.register_multi_grad_hook(
        (a, b, c), lambda grad: seen.append(grad.item()), mode="any"
    )
    for _ in range(2):
        c.backward(retain_graph=True)
    assert seen == [1, 1]


def test_a_hook_on_several_gradients_says_what_it_cannot_do():
    register = graphlab.autograd.graph.register_multi_grad_hook
    with pytest.raises(ValueError, match=r"mode to be one of \('all', 'any'\) but got x"):
        register((leaf(),), print, mode="x")
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        register((graphlab.ones(1),), print)
    a = leaf()
    c = a * 2
    register((a, c), print)
    with pytest.raises(RuntimeError, match="currently running autograd"):
        graphlab.autograd.grad(c, a)


# -- what they keep alive, and what they cost ----------------------------------------------------


def test_dropping_a_graph_with_hooks_frees_it_at_once():
    def build():
        x = leaf([1.0, 2.0])
        y = x.exp()
        y.register_hook(lambda g: g * 2)
        y.grad_fn.register_prehook(lambda outs: None)
        y.grad_fn.register_hook(lambda ins, outs: None)
        x.register_hook(lambda g: None)
        x.register_post_accumulate_grad_hook(lambda p: None)
        z = (y * x).sum()
        z.backward(retain_graph=True)
        return [weakref.ref(thing) for thing in (x, y, z, y.grad_fn)]

    build()
    gc.collect()  # what other tests have left
    before = LivingHooks.count
    with no_collector():
        assert [reference() for reference in build()] == [None] * 4
        assert gc.collect() == 0
    assert LivingHooks.count == before


def test_only_passes_that_could_meet_a_hook_are_watched(monkeypatch):
    watched = []
    monkeypatch.setattr(
        "graphlab.autograd.watched_pass.WatchedPass",
        lambda *args: (watched.append(1), WatchedPass(*args))[1],
    )
    gc.collect()
    assert LivingHooks.count == 0
    x = leaf()
    (x * x).backward()
    assert watched == []
    handle = x.register_hook(lambda g: None)
    (x * x).backward()
    assert watched == [1]
    handle.remove()
    (x * x).backward()
    y = x * 2
    y.register_hook(lambda g: None)
    del y
    (x * x).backward()
    assert watched == [1]


def test_a_watched_pass_gives_the_same_gradients_as_the_other():
    def gradients():
        x = graphlab.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
        w = graphlab.tensor(np.ones((3, 2)), requires_grad=True)
        h = (x @ w).tanh()
        values, _ = h.max(dim=1)
        (values.sum() + (x * x[0]).sum() + h.unbind()[1].prod()).backward()
        return x.grad.tolist(), w.grad.tolist()

    plain = gradients()
    other = leaf()
    handle = other.register_hook(lambda g: None)
    assert gradients() == plain
    handle.remove()


def test_handles_count_on_and_survive_pickling():
    first, second = leaf().register_hook(print), leaf().register_hook(print)
    assert second.id == first.id + 1
    hooks = OrderedDict()
    handle = RemovableHandle(hooks, extra_dict=hooks)
    again = pickle.loads(pickle.dumps(handle))
    assert again.id == handle.id
    again.remove()


def test_pickling_a_tensor_says_that_its_hooks_stay_behind():
    x = leaf()
    x.register_hook(graphlab.utils.hooks.unserializable_hook(lambda g: g))
    pickle.dumps(x)
    x.register_hook(print)
    with pytest.warns(UserWarning, match="^backward hook <built-in function print> on tensor"):
        again = pickle.loads(pickle.dumps(x))
    assert again._backward_hooks is None


def test_an_optimizer_can_step_in_the_backward_pass():
    """PyTorch's tutorial: one optimizer for each parameter, stepped when its gradient is there."""
    layer = graphlab.nn.Linear(2, 1)
    before = [p.detach().clone() for p in layer.parameters()]
    optimizers = {p: graphlab.optim.SGD([p], lr=0.5) for p in layer.parameters()}

    def step(parameter):
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    for p in layer.parameters():
        p.register_post_accumulate_grad_hook(step)
    layer(graphlab.ones(1, 2)).sum().backward()
    for old, new in zip(before, layer.parameters(), strict=True):
        np.testing.assert_allclose((old - new).detach().numpy(), 0.5, rtol=1e-6)  # float32
        assert new.grad is None


def test_every_hook_is_counted_once():
    before = LivingHooks.count
    hooks = HookDict()
    hooks[1] = print
    hooks[1] = repr
    hooks[2] = print
    assert LivingHooks.count == before + 2
    del hooks[1]
    assert LivingHooks.count == before + 1
    del hooks
    assert LivingHooks.count == before


@pytest.mark.parametrize("n", range(1, 9))
def test_equal_ranks_leave_the_heap_in_the_order_of_libstdcpp(n):
    """std::priority_queue, n equal items pushed in order; recorded from libstdc++ 12."""
    ready = Ready()
    for i in range(n):
        ready.push(1.0, i)
    assert [ready.pop() for _ in range(n)] == {
        1: [0],
        2: [0, 1],
        3: [0, 1, 2],
        4: [0, 2, 1, 3],
        5: [0, 2, 4, 1, 3],
        6: [0, 2, 5, 4, 1, 3],
        7: [0, 2, 5, 6, 4, 1, 3],
        8: [0, 2, 6, 5, 7, 4, 1, 3],
    }[n]
