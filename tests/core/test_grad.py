"""`autograd.grad` and `backward`: every argument, and every wrong one.

Read next: tests/core/test_types.py
"""

from __future__ import annotations

import types

import pytest

import graphlab
from graphlab.autograd import grad


def leaf(value=2.0, **how):
    return graphlab.tensor(value, requires_grad=True, **how)


def test_grad_returns_gradients_in_order_and_touches_no_leaf():
    x, y = leaf(2.0), leaf(3.0)
    found = grad(x * y * y, [y, x])
    assert [g.item() for g in found] == [12.0, 9.0]
    assert x.grad is None
    assert y.grad is None


def test_grad_with_respect_to_an_intermediate_tensor_stops_there():
    x = leaf(2.0)
    u = x * x
    y = u * 5
    assert grad(y, u, retain_graph=True)[0].item() == 5
    assert [g.item() for g in grad(y, [u, x])] == [5.0, 20.0]


def test_grad_runs_only_what_leads_to_the_inputs():
    ran = []

    class Noted(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            ran.append(True)
            return g

    x, y = leaf(2.0), leaf(3.0)
    assert grad(x * Noted.apply(y), x)[0].item() == 3
    assert ran == []


def test_grad_of_the_tensor_itself_is_the_incoming_gradient():
    x = leaf([1.0, 2.0])
    assert grad(x.sum() * 3, x)[0].tolist() == [3.0, 3.0]
    y = x * 2
    assert grad(y, y, graphlab.ones(2))[0].tolist() == [1.0, 1.0]


def test_grad_of_one_of_several_outputs():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    first, second = x.unbind()
    assert grad((first * second).sum(), second)[0].tolist() == [1.0, 2.0]


def test_grad_outputs_are_the_gradients_that_flow_in():
    x = leaf([1.0, 2.0])
    (found,) = grad([x * 2, x * 3], x, [graphlab.ones(2), graphlab.tensor([1.0, 10.0])])
    assert found.tolist() == [5.0, 32.0]


def test_an_input_that_is_not_used():
    x, y = leaf(2.0), leaf([3.0, 4.0])
    with pytest.raises(RuntimeError, match="at index 1 appears to not have been used in the graph"):
        grad(x * x, [x, y])
    assert grad(x * x, [x, y], allow_unused=True)[1] is None
    assert grad(x * x, [x, y], materialize_grads=True)[1].tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed"):
        grad(x * x, [x, y], allow_unused=False, materialize_grads=True)


def test_retain_graph_and_create_graph():
    x = leaf(2.0)
    y = x * x * x
    assert grad(y, x, retain_graph=True)[0].item() == 12
    (first,) = grad(y, x, create_graph=True)
    assert first.grad_fn is not None
    assert grad(y, x, retain_graph=True)[0].item() == 12  # create_graph kept the graph
    assert grad(first, x)[0].item() == 12  # this frees it: the second graph goes through the first
    with pytest.raises(RuntimeError, match="second time"):
        grad(y, x)


def test_a_gradient_that_is_returned_is_a_tensor_of_its_own():
    x = leaf([1.0, 2.0])
    ones = graphlab.ones(2)
    (found,) = grad(x + 0, x, ones)
    found.add_(5)
    assert ones.tolist() == [1.0, 1.0]
    a, b = grad(x.sum(), x), grad(x.sum(), x)
    a[0].add_(1)
    assert b[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("watched", [False, True])
def test_returned_gradients_share_no_memory_with_each_other_or_with_what_came_in(watched):
    x = leaf([1.0, 2.0])
    between = x + 0
    y = between + 0
    ones, other = graphlab.ones(2), leaf([1.0])
    if watched:
        other.register_hook(print)  # while a hook lives, passes are watched
    for inputs in ([x], [between], [between, y], [y, x]):
        first, *rest = grad(y, inputs, ones, retain_graph=True)
        first.add_(5)
        assert ones.tolist() == [1.0, 1.0]
        assert all(one.tolist() == [1.0, 1.0] for one in rest)


def test_backward_with_inputs_writes_only_those():
    x, y = leaf(2.0), leaf(3.0)
    (x * y).backward(inputs=[x])
    assert (x.grad.item(), y.grad) == (3.0, None)
    with pytest.raises(RuntimeError, match="cannot be empty"):
        (x * y).backward(inputs=[])


def test_backward_with_an_intermediate_tensor_among_the_inputs_gives_it_a_gradient():
    x = leaf(2.0)
    u = x * x
    u.retain_grad()
    (u * 3).backward(inputs=[u])
    assert (u.grad.item(), x.grad) == (3.0, None)


WRONG = {
    "a root that needs no gradient": (
        lambda x: graphlab.tensor(1.0).backward(),
        RuntimeError,
        r"^element 0 of tensors does not require grad and does not have a grad_fn$",
    ),
    "several entries and no gradient": (
        lambda x: (x * 2).backward(),
        RuntimeError,
        r"^grad can be implicitly created only for scalar outputs$",
    ),
    "a gradient of the wrong shape": (
        lambda x: (x * 2).backward(graphlab.ones(3)),
        RuntimeError,
        r"^Mismatch in shape: grad_output\[0\] has a shape of torch.Size\(\[3\]\) and output\[0\] "
        r"has a shape of torch.Size\(\[2\]\)",
    ),
    "a gradient of the wrong number of dimensions": (
        lambda x: (x * 2).backward(graphlab.ones(1, 2)),
        RuntimeError,
        "Mismatch in shape",
    ),
    "a gradient that is a number": (
        lambda x: graphlab.autograd.backward([x.sum()], [2.0]),
        TypeError,
        r"^gradients can be either Tensors or None, but got float$",
    ),
    "a root that is not a tensor": (
        lambda x: graphlab.autograd.backward([3]),
        AssertionError,
        "Tensor",
    ),
    "fewer gradients than roots": (
        lambda x: graphlab.autograd.backward([x.sum(), x.sum()], [graphlab.tensor(1.0)]),
        RuntimeError,
        "got 2 tensors and 1 gradients",
    ),
    "an input that needs no gradient": (
        lambda x: grad(x.sum(), graphlab.tensor(1.0)),
        RuntimeError,
        "One of the differentiated Tensors does not require grad",
    ),
    "an input that is not a tensor": (
        lambda x: grad(x.sum(), [3]),
        RuntimeError,
        "^all inputs have to be Tensors or GradientEdges, but got int",
    ),
    "shapes that do not fit": (
        lambda x: x + graphlab.ones(3),
        RuntimeError,
        r"^The size of tensor a \(2\) must match the size of tensor b \(3\) at non-singleton "
        r"dimension 0$",
    ),
    "matrices that do not fit": (
        lambda x: graphlab.ones(2, 3) @ graphlab.ones(2, 3),
        RuntimeError,
        r"^mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)$",
    ),
    "a word as an operand": (lambda x: x + "a", TypeError, "unsupported operand type"),
    "a word to shift": (lambda x: "a" << x, TypeError, "unsupported operand type"),
    "None to shift": (lambda x: None >> x, TypeError, "unsupported operand type"),
    "a batch to turn": (lambda x: x.expand(1, 1, 2).H, RuntimeError, r"consider using tensor\.mH"),
    "None as an operand": (lambda x: x * None, TypeError, "unsupported operand type"),
    "an index out of range": (
        lambda x: x[5],
        IndexError,
        r"^index 5 is out of bounds for dimension 0 with size 2$",
    ),
    "an index too many": (
        lambda x: x[0, 0],
        IndexError,
        "^too many indices for tensor of dimension 1$",
    ),
    "a dimension out of range": (
        lambda x: x.sum(3),
        IndexError,
        r"^Dimension out of range \(expected to be in range of \[-1, 0\], but got 3\)$",
    ),
    "a shape that does not fit": (
        lambda x: x.view(3),
        RuntimeError,
        r"^shape '\[3\]' is invalid for input of size 2$",
    ),
    "an unknown reduction": (
        lambda x: graphlab.nn.functional.mse_loss(x, x, reduction="avg"),
        ValueError,
        "^avg is not a valid value for reduction$",
    ),
    "a gradient assigned in the wrong shape": (
        lambda x: setattr(x, "grad", graphlab.ones(3)),
        RuntimeError,
        "size",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_says_what_is_wrong_and_leaves_all_as_it_was(name):
    call, error, message = WRONG[name]
    x = leaf([1.0, 2.0])
    graph = (x * x).sum()
    with pytest.raises(error, match=message):
        call(x)
    assert x.tolist() == [1.0, 2.0]
    assert (x.grad, x._version, x.requires_grad, x.is_leaf) == (None, 0, True, True)
    assert graphlab.is_grad_enabled()
    graph.backward()  # the graph that was there still runs
    assert x.grad.tolist() == [2.0, 4.0]


@pytest.mark.torch
@pytest.mark.parametrize("name", [n for n in WRONG if WRONG[n][2].startswith("^")])
def test_the_message_is_pytorchs(name, torch):
    """The same wrong call with PyTorch: its sentence matches the same pattern."""
    call, error, message = WRONG[name]
    swap = {"graphlab": torch, "grad": torch.autograd.grad}
    theirs = types.FunctionType(call.__code__, {**globals(), **swap}, call.__name__)
    with pytest.raises(error, match=message):
        theirs(torch.tensor([1.0, 2.0], requires_grad=True))
