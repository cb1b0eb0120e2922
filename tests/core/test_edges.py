"""GradientEdges, batches of gradients, and passes that ask for some inputs alone.

Every call form is compared with PyTorch in tests/core/test_autograd_beside_pytorch.py.

Read next: tests/core/test_leaves.py
"""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import graphlab
from tests.core.test_engine import no_collector

grad, backward = graphlab.autograd.grad, graphlab.autograd.backward
edge_of = graphlab.autograd.graph.get_gradient_edge


def leaf(value=2.0, **how):
    return graphlab.tensor(value, requires_grad=True, **how)


def test_an_edge_stands_for_its_tensor_as_input_and_as_output():
    x = leaf()
    y = x * 3
    z = y * y
    for of_y, of_x in ((y, x), (edge_of(y), edge_of(x))):
        found = grad(z, (of_y, of_x), retain_graph=True)
        assert [g.item() for g in found] == [12, 36]
    assert grad(edge_of(z), x)[0].item() == 36


def test_an_edge_to_one_of_several_outputs_knows_its_number():
    a, b = leaf([1.0, 2.0]).unbind()
    edge = edge_of(b)
    assert (edge.output_nr, edge.node is a.grad_fn) == (1, True)
    assert grad(a * 3 + b * 4, edge)[0].item() == 4


def test_an_edge_does_not_keep_the_tensor_but_the_graph_behind_it():
    x = leaf()
    y = x * 3
    tensor, edge = weakref.ref(y), edge_of(y)
    del y
    assert tensor() is None
    backward(edge)
    assert x.grad.item() == 3
    node = weakref.ref(edge.node)
    with no_collector():
        del edge
        assert node() is None
        assert gc.collect() == 0


def test_an_edge_that_is_made_by_hand_needs_a_gradient_given():
    y = leaf([1.0, 2.0]) * 3
    edge = graphlab.autograd.graph.GradientEdge(y.grad_fn, 0)
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        backward(edge)
    backward(edge, graphlab.ones(2))


def test_a_batch_of_gradients_is_a_loop_of_passes():
    x = graphlab.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    y = (x * x).sum(1)
    (jacobian,) = grad(y, x, graphlab.eye(2).double(), is_grads_batched=True, retain_graph=True)
    rows = [grad(y, x, one, retain_graph=True)[0] for one in graphlab.eye(2).double()]
    assert jacobian.tolist() == [row.tolist() for row in rows]
    assert jacobian.shape == (2, 2, 3)


def test_a_batch_can_be_recorded_and_frees_the_graph_at_its_end():
    x = leaf([1.0, 2.0])
    y = x**3
    (rows,) = grad(y, x, graphlab.eye(2), is_grads_batched=True, create_graph=True)
    (second,) = grad(rows.sum(), x)
    assert second.tolist() == [6, 12]
    grad(y, x, graphlab.eye(2), is_grads_batched=True)
    with pytest.raises(RuntimeError, match="second time"):
        grad(y, x, graphlab.eye(2), is_grads_batched=True)


def test_a_dict_of_inputs_gives_a_dict_of_gradients():
    a, b = leaf(2.0), leaf(3.0)
    found = grad(a * b, {"first": a, "second": b})
    assert {name: g.item() for name, g in found.items()} == {"first": 3, "second": 2}


def test_other_mappings_are_refused():
    from types import MappingProxyType

    x = leaf()
    for call in (grad, lambda y, inputs: backward(y, inputs=inputs)):
        with pytest.raises(TypeError, match="must be a dict, not mappingproxy"):
            call(x * 2, MappingProxyType({"x": x}))


def test_only_what_leads_to_the_inputs_is_written_and_retained():
    a, b = leaf(2.0), leaf(3.0)
    u, v = a * 2, b * 2
    u.retain_grad()
    v.retain_grad()
    backward(u * v, inputs=[a])
    assert (a.grad.item(), b.grad, u.grad.item(), v.grad) == (12, None, 6, None)


def test_an_input_that_is_no_leaf_retains_its_gradient_from_then_on():
    x = leaf()
    y = x * 3
    z = y * y
    backward(z, inputs=[y], retain_graph=True)
    assert (y.grad.item(), y.retains_grad, x.grad) == (12, True, None)
    backward(z)
    assert (y.grad.item(), x.grad.item()) == (24, 36)


def test_what_a_tensor_retains_is_a_new_tensor_each_time():
    y = leaf() * 1
    y.retain_grad()
    y.backward(retain_graph=True)
    first = y.grad
    y.backward()
    assert (first.item(), y.grad.item()) == (1, 2)


def test_an_output_that_nothing_used_retains_nothing():
    a, b = leaf([1.0, 2.0]).unbind()
    a.retain_grad()
    (b * 2).backward()
    assert a.grad is None


def test_a_custom_backward_runs_even_when_nothing_was_sent_to_it():
    called = []

    class Inner(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            called.append(grad.tolist())
            return grad

    class Nothing(Inner):
        @staticmethod
        def backward(ctx, grad):
            return None

    x = leaf([1.0, 2.0])
    Nothing.apply(Inner.apply(x)).sum().backward()
    assert called == [[0, 0]]
    assert x.grad.tolist() == [0, 0]
