"""The backward pass as a whole: its order, its sums, what it frees, how deep it goes.

Read next: tests/core/test_leaves.py
"""

from __future__ import annotations

import _thread
import gc
import math
import sys
import threading
import time
import weakref
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphlab
from tests.core.samples import SAMPLES, name_of


def leaf(value=2.0, **how):
    return graphlab.tensor(value, requires_grad=True, **how)


# -- order -------------------------------------------------------------------------------------


def recorder(lib, log):
    """An operation of any number of inputs that notes when its backward runs."""

    class Noted(lib.autograd.Function):
        @staticmethod
        def forward(ctx, number, *inputs):
            ctx.number, ctx.n = number, len(inputs)
            return sum(inputs[1:], inputs[0] * 1)

        @staticmethod
        def backward(ctx, grad):
            log.append((ctx.number, grad.item()))
            return (None, *[grad * (i + 1) for i in range(ctx.n)])

    return Noted.apply


def order(lib, graph, leaves, roots=1):
    """The order in which the nodes of a graph run, with the gradient that each is given.

    graph: for each node, the numbers of its inputs; the numbers below `leaves` are leaves.
    """
    log = []
    noted = recorder(lib, log)
    tensors = [lib.tensor(float(i + 1), requires_grad=True) for i in range(leaves)]
    for inputs in graph:
        tensors.append(noted(len(tensors), *[tensors[i] for i in inputs]))
    lib.autograd.backward(tensors[-roots:])
    return log, [t.grad.item() if t.grad is not None else None for t in tensors[:leaves]]


@st.composite
def graphs(draw):
    leaves = draw(st.integers(1, 3))
    nodes = draw(st.integers(1, 12))
    graph = [
        draw(st.lists(st.integers(0, leaves + k - 1), min_size=1, max_size=3)) for k in range(nodes)
    ]
    return graph, leaves, draw(st.integers(1, min(3, nodes)))


@pytest.mark.torch
@settings(max_examples=200)
@given(graphs())
def test_nodes_of_random_graphs_run_in_pytorchs_order_with_its_gradients(torch, drawn):
    assert order(graphlab, *drawn) == order(torch, *drawn)


RECORDED = {  # PyTorch 2.13.0; numbers from 2 up are nodes, in the order in which they were made
    "d = b + c, b = f(a), c = g(a)": ([[0], [0], [1, 2]], 1, [3, 2, 1]),
    "w = (3x + x²) + x": ([[0], [0], [1, 2], [3, 0]], 1, [4, 3, 2, 1]),
    "a skip": ([[0], [1], [2, 1], [3, 1]], 1, [4, 3, 2, 1]),
    "made in another order": ([[0], [1], [0], [3, 2]], 1, [4, 3, 2, 1]),
}


@pytest.mark.parametrize("name", RECORDED)
def test_among_ready_nodes_the_one_made_last_runs_first(name):
    graph, leaves, expected = RECORDED[name]
    log, _ = order(graphlab, graph, leaves)
    assert [number for number, _ in log] == expected


def test_a_node_waits_for_everything_that_uses_its_output():
    """b = 2a; y = (b + 1) + (b + 2): a naive walk in depth would say 6."""
    a = leaf(1.0)
    b = a * 2
    y = (b + 1) + (b + 2)
    y.backward()
    assert a.grad.item() == 4


def test_sequence_numbers_follow_the_order_in_which_nodes_were_made():
    x = leaf()
    y = x * 3
    z = x**2
    w = y + z + x
    numbers = [w.grad_fn, w.grad_fn.next_functions[0][0], z.grad_fn, y.grad_fn]
    ordered = [fn._sequence_nr() for fn in numbers]
    assert ordered == sorted(ordered, reverse=True)
    assert len(set(ordered)) == 4


def test_a_node_has_room_for_the_users_notes():
    y = leaf() * 2
    y.grad_fn.metadata["k"] = 1
    assert y.grad_fn.metadata == {"k": 1}


def test_a_node_that_is_called_gives_the_gradients_of_its_inputs():
    x = leaf(2.0)
    y = x * 5
    assert [g and g.item() for g in y.grad_fn(graphlab.tensor(2.0))] == [10.0, None]


def test_a_graph_can_be_walked_back_by_hand():
    x = leaf(2.0)
    end = (x * x).exp().grad_fn
    product, _ = end.next_functions[0]
    grads = product(end(graphlab.tensor(1.0)))  # `end` has one input, so it gives no tuple
    for (accumulate, _), grad in zip(product.next_functions, grads, strict=True):
        assert grad.grad_fn is not None  # recorded, so it can be differentiated
        assert accumulate(grad) == ()
    assert x.grad.item() == pytest.approx(4 * math.exp(4))


# -- sums --------------------------------------------------------------------------------------


def test_gradient_of_a_reused_tensor_is_the_sum_over_its_uses():
    x = leaf(3.0)
    (x * 2 + x.exp() * 0 + x * x).backward()
    assert x.grad.item() == 2 + 6


def test_a_tensor_times_itself_has_two_edges():
    x = leaf(3.0)
    y = x * x
    first, second = y.grad_fn.next_functions
    assert first[0] is second[0]
    y.backward()
    assert x.grad.item() == 6


def test_a_diamond_sums_where_it_meets():
    x = leaf([1.0, 2.0])
    u = x * 3
    (u.exp() * 0 + u.sin() * 0 + u * u).sum().backward()
    assert x.grad.tolist() == [18.0, 36.0]


def test_several_roots_are_one_pass():
    x = leaf(2.0)
    u = x * x
    graphlab.autograd.backward([u, u * 3, x])
    assert x.grad.item() == 4 + 12 + 1


def test_a_root_that_lies_inside_the_graph_of_another_gets_both_gradients():
    x = leaf(2.0)
    u = x * x
    graphlab.autograd.backward([u * 5, u], [graphlab.tensor(1.0), graphlab.tensor(10.0)])
    assert x.grad.item() == (5 + 10) * 4


def test_aliased_gradients_are_not_added_into_one_another():
    """Addition hands one array to both sides: neither leaf may change the other's gradient."""
    x, y = leaf([1.0, 1.0]), leaf([1.0, 1.0])
    (x + y).sum().backward()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert y.grad.tolist() == [1.0, 1.0]


def test_the_gradient_that_is_passed_in_is_not_changed_and_not_kept():
    x, given_ = leaf([1.0, 1.0]), graphlab.ones(2)
    for _ in range(2):
        (x + 0).backward(given_)
    x.grad.zero_()
    assert given_.tolist() == [1.0, 1.0]


# -- accumulation ------------------------------------------------------------------------------


def test_gradients_accumulate_in_place_into_the_same_tensor():
    x = leaf([1.0, 2.0])
    (x * 3).sum().backward()
    grad = x.grad
    (x * 4).sum().backward()
    assert x.grad is grad
    assert grad.tolist() == [7.0, 7.0]


def test_with_create_graph_the_sum_is_a_new_tensor_with_a_history():
    x = leaf(2.0)
    with pytest.warns(UserWarning, match="will create a reference cycle"):
        (x**3).backward(create_graph=True)
    grad = x.grad
    assert grad.requires_grad
    with pytest.warns(UserWarning, match="will create a reference cycle"):
        (x * 1).backward(create_graph=True)
    assert x.grad is not grad
    assert x.grad.item() == 13
    grad = x.grad
    (x * 1).backward()
    assert x.grad is grad  # outside of graphs the gradient is added in place, history or not
    assert grad.item() == 14


def test_a_recorded_gradient_has_memory_of_its_own():
    x = leaf([1.0, 2.0])
    with pytest.warns(UserWarning, match="will create a reference cycle"):
        (x**3).sum().backward(create_graph=True)
    assert repr(x.grad) == "tensor([ 3., 12.], grad_fn=<CopyBackwards>)"
    with graphlab.no_grad():
        x.grad.zero_()
    assert x.grad.tolist() == [0, 0]


def test_a_gradient_set_to_none_begins_anew():
    x = leaf(2.0)
    (x * 3).backward()
    x.grad = None
    (x * 4).backward()
    assert x.grad.item() == 4


# -- keeping and freeing -----------------------------------------------------------------------


def test_a_second_pass_needs_retain_graph():
    x = leaf(3.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 12
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_a_pass_that_reaches_a_freed_node_fails_and_leaves_every_gradient_as_it_was():
    x, w = leaf(3.0), leaf(5.0)
    shared = x * x
    (shared * 2).backward()
    before = x.grad.item()
    u = w * 1
    u.retain_grad()
    with pytest.raises(RuntimeError, match="second time"):
        (u * w + shared * w).backward()
    assert (x.grad.item(), w.grad) == (before, None)


def test_a_graph_that_saved_nothing_may_be_walked_again():
    x = leaf(2.0)
    y = x + 1
    y.backward()
    y.backward()
    assert x.grad.item() == 2


def test_next_functions_outlive_the_saved_values():
    x = leaf(2.0)
    y = (x * x).exp()
    y.backward()
    ((node, _),) = y.grad_fn.next_functions
    assert node.name() == "MulBackward0"
    with pytest.raises(RuntimeError, match="second time"):
        _ = node._saved_self


def test_options_can_be_read_after_the_graph_is_freed():
    x = leaf(2.0)
    y = x**2
    y.backward()
    assert y.grad_fn._saved_exponent == 2
    with pytest.raises(RuntimeError, match="second time"):
        _ = y.grad_fn._saved_self


@contextmanager
def no_collector():
    """Inside, only reference counts free; `gc.collect` looks at what was made inside."""
    gc.collect(0)
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.parametrize("sample", SAMPLES, ids=name_of)
def test_dropping_a_graph_frees_it_at_once(sample):
    def build():
        inputs = sample.tensors(graphlab)
        made = sample.call(graphlab, *inputs)
        several = [*made] if isinstance(made, tuple | list) else [made]
        out = next(t for t in several if t.requires_grad)
        _ = out.grad_fn.next_functions  # asks for AccumulateGrad, which points at the leaf
        return weakref.ref(out), weakref.ref(out.grad_fn)

    build()
    with no_collector():
        tensor, node = build()
        assert tensor() is None
        assert node() is None
        assert gc.collect() == 0


def test_a_backward_pass_leaves_nothing_for_the_garbage_collector():
    def step():
        x = leaf([1.0, 2.0])
        y = (x.exp() * x).tanh()
        y.retain_grad()
        (y * y).sum().backward()

    step()
    with no_collector():
        step()
        assert gc.collect() == 0


def test_saved_inputs_are_let_go_when_the_graph_is_freed():
    x = leaf([1.0, 2.0])
    inner = x.exp()
    y = (inner * inner).sum()
    ref = weakref.ref(inner)
    del inner
    assert ref() is not None
    y.backward()
    assert ref() is None


def test_a_graph_keeps_its_leaves():
    x = leaf([1.0, 2.0])
    ref = weakref.ref(x)
    y = (x * 3).sum()
    del x
    y.backward()
    assert ref().grad.tolist() == [3.0, 3.0]


# -- depth -------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", ["chain", "ladder"])
def test_a_graph_100_000_nodes_deep_is_walked_and_freed(width):
    x = leaf(1.0)
    y = x
    for _ in range(100_000 if width == "chain" else 50_000):
        y = y * 1.0 if width == "chain" else (y + y) * 0.5
    y.backward()
    assert x.grad.item() == 1.0
    del y  # no recursion here either
    (grad,) = graphlab.autograd.grad(x * 1.0, x)
    assert grad.item() == 1.0


def test_a_deep_chain_can_be_differentiated_twice():
    x = leaf(1.0, dtype=graphlab.float64)
    y = x
    for _ in range(3000):
        y = y * x
    (first,) = graphlab.autograd.grad(y, x, create_graph=True)
    (second,) = graphlab.autograd.grad(first, x)
    assert (first.item(), second.item()) == (3001.0, 3001.0 * 3000.0)


def test_a_freed_deep_chain_does_not_recurse_when_it_was_never_walked():
    y = leaf(1.0)
    for _ in range(100_000):
        y = y + 1
    del y


# -- higher order ------------------------------------------------------------------------------


def test_derivatives_of_every_order_of_a_power():
    x = leaf(2.0, dtype=graphlab.float64)
    y = x**5
    found = []
    for _ in range(6):
        (y,) = graphlab.autograd.grad(y, x, create_graph=True) if y.requires_grad else (y,)
        found.append(y.item())
    assert found == [80.0, 160.0, 240.0, 240.0, 120.0, 0.0]


def test_a_gradient_of_a_gradient_flows_through_saved_results():
    x = leaf([0.3, -0.2], dtype=graphlab.float64)
    y = x.tanh()
    (first,) = graphlab.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = graphlab.autograd.grad(first.sum(), x)
    t = np.tanh(np.array([0.3, -0.2]))
    np.testing.assert_allclose(second.numpy(), -2 * t * (1 - t * t), rtol=1e-14)


# -- threads -----------------------------------------------------------------------------------


def test_two_threads_compute_at_once_without_disturbing_one_another():
    found, failed = {}, []
    together = threading.Barrier(2)

    def work(name, mode):
        try:
            together.wait()
            with graphlab.set_grad_enabled(mode):
                for k in range(200):
                    x = leaf([1.0, float(k)])
                    y = (x * x).sum()
                    assert y.requires_grad == mode
                    if mode:
                        y.backward()
                        assert x.grad.tolist() == [2.0, 2.0 * k]
            found[name] = graphlab.is_grad_enabled()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(n, m)) for n, m in (("a", True), ("b", False))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed
    assert found == {"a": True, "b": True}
    assert graphlab.is_grad_enabled()


def test_a_graph_may_be_walked_in_another_thread_than_the_one_that_made_it():
    x = leaf(3.0)
    y = x * x
    with graphlab.no_grad():
        walker = threading.Thread(target=y.backward)
        walker.start()
        walker.join()
    assert x.grad.item() == 6


def test_numpy_does_not_warn_where_pytorch_is_silent():
    """log(0), 1/0 and overflow, forwards and backwards; warnings are errors in these tests."""
    x = leaf([0.0, -1.0, 1e38])
    ((x.log() + 1 / x) * (x * x * x).exp()).sum().backward()
    assert x.grad.shape == (3,)


@pytest.mark.parametrize("name", ["item", "exp", "contiguous", "__bool__"])
def test_a_call_can_be_all_that_a_thread_runs(name, monkeypatch):
    failed = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: failed.append(repr(told.exc_value)))
    call = getattr(leaf() * 1.0, name)
    running = weakref.ref(call)
    _thread.start_new_thread(call, ())  # no Python code calls it
    del call
    while running() is not None:  # the thread holds it to its end
        time.sleep(0.001)
    assert failed == []
