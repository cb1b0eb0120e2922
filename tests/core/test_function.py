"""Operations of the user's own: what `ctx` offers, and what is refused.

Read next: tests/core/test_grad.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.autograd import Function
from tests.core.numerical import errors, second_order_errors


def leaf(value=2.0, **how):
    return graphlab.tensor(value, requires_grad=True, **how)


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * result


class SumAndProduct(Function):
    @staticmethod
    def forward(ctx, a, b, scale):
        ctx.save_for_backward(a, b)
        ctx.scale = scale
        return (a + b) * scale, a * b

    @staticmethod
    def backward(ctx, grad_sum, grad_product):
        a, b = ctx.saved_tensors
        return (
            grad_sum * ctx.scale + grad_product * b,
            grad_sum * ctx.scale + grad_product * a,
            None,
        )


def returning(*grads):
    """An operation of two inputs whose backward returns what it is told to."""

    class Told(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * b

        @staticmethod
        def backward(ctx, grad):
            return grads if len(grads) != 1 else grads[0]

    return Told.apply


def test_a_custom_operation_is_named_after_its_class():
    y = Exp.apply(leaf())
    assert y.grad_fn.name() == "ExpBackward"
    assert "grad_fn=<ExpBackward>" in repr(y)


def test_a_custom_operation_passes_differences_of_first_and_second_order():
    for function, n in ((Exp.apply, 1), (lambda a, b: SumAndProduct.apply(a, b, 3.0), 2)):
        inputs = [leaf([0.5, -1.5 + i], dtype=graphlab.float64) for i in range(n)]
        assert errors(function, inputs) == []
        assert second_order_errors(function, inputs) == []


def test_several_outputs_send_their_gradients_together():
    a, b = leaf(2.0), leaf(3.0)
    total, product = SumAndProduct.apply(a, b, 10.0)
    assert [t.output_nr for t in (total, product)] == [0, 1]
    assert total.grad_fn is product.grad_fn
    (total + product).backward()
    assert (a.grad.item(), b.grad.item()) == (13.0, 12.0)


def test_an_output_that_nothing_uses_sends_zeros_or_none():
    seen = []

    class Both(Function):
        @staticmethod
        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            seen.append((first, second))
            return first, None

    for materialize in (True, False):
        Both.apply(leaf(), materialize)[0].backward()
    assert seen[0][1].item() == 0
    assert seen[1][1] is None


def test_a_saved_output_comes_back_with_its_history_and_without_a_cycle():
    x = leaf(1.0, dtype=graphlab.float64)
    y = Exp.apply(x)
    (saved,) = y.grad_fn.saved_tensors
    assert saved is not y
    assert saved.grad_fn is y.grad_fn
    (first,) = graphlab.autograd.grad(y, x, create_graph=True)
    (second,) = graphlab.autograd.grad(first, x)
    assert second.item() == pytest.approx(y.item(), rel=1e-15)


def test_ctx_is_the_node_and_tells_what_needs_a_gradient():
    seen = {}

    class Asks(Function):
        @staticmethod
        def forward(ctx, a, b, c):
            seen["needs"], seen["recording"] = ctx.needs_input_grad, graphlab.is_grad_enabled()
            ctx.note = "kept"
            return a * b

        @staticmethod
        def backward(ctx, grad):
            seen["note"] = ctx.note
            return grad * 2, None, None

    x = leaf()
    y = Asks.apply(x, graphlab.tensor(1.0), 7)
    assert seen == {"needs": (True, False, False), "recording": False}
    assert [fn and fn.name() for fn, _ in y.grad_fn.next_functions] == [
        "torch::autograd::AccumulateGrad",
        None,
    ]
    y.backward()
    assert seen["note"] == "kept"
    assert x.grad.item() == 2


def test_saved_tensors_are_freed_with_the_graph():
    y = Exp.apply(leaf())
    fn = y.grad_fn
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        _ = fn.saved_tensors
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_a_saved_input_that_was_changed_is_noticed():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    x = leaf() * 1
    y = Square.apply(x)
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@pytest.mark.parametrize(
    ("grads", "message"),
    [
        ((graphlab.tensor(1.0),), r"incorrect number of gradients \(expected 2, got 1\)"),
        ((graphlab.tensor(1.0),) * 3, r"incorrect number of gradients \(expected 2, got 3\)"),
        (
            (graphlab.ones(3), graphlab.tensor(1.0)),
            r"invalid gradient at index 0 - got \[3\] but expected shape compatible with \[2\]",
        ),
        ((graphlab.tensor(1.0), 1.0), r"expected Variable or None \(got float\)"),
    ],
)
def test_wrong_gradients_are_refused_and_no_leaf_is_written(grads, message):
    a, b = leaf([2.0, 2.0]), leaf(3.0)
    y = returning(*grads)(a, b)
    with pytest.raises((RuntimeError, TypeError), match=message):
        y.sum().backward()
    assert a.grad is None
    assert b.grad is None


def test_more_gradients_than_inputs_are_allowed_when_they_are_none():
    a, b = leaf(2.0), leaf(3.0)
    returning(graphlab.tensor(5.0), None, None)(a, b).backward()
    assert a.grad.item() == 5
    assert b.grad is None


def test_only_tensors_can_be_saved():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(3)
            return x

    with pytest.raises(TypeError, match="save_for_backward can only save variables"):
        Wrong.apply(leaf())


def test_a_function_without_forward_or_backward_says_so():
    class Nothing(Function):
        pass

    class Forward(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        Nothing.apply(leaf())
    with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp"):
        Forward.apply(leaf()).backward()


def test_an_error_in_the_users_backward_comes_through_as_it_is():
    class Fails(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise KeyError("mine")

    x = leaf()
    y = Fails.apply(x)
    with pytest.raises(KeyError, match="mine"):
        (y + x).backward()
    assert x.grad is None
    assert graphlab.is_grad_enabled()


def test_outputs_may_be_marked_as_without_a_gradient():
    class Top(Function):
        @staticmethod
        def forward(ctx, x):
            values, indices = x.max(0)
            ctx.mark_non_differentiable(indices)
            ctx.save_for_backward(indices)
            ctx.n = len(x)
            return values, indices

        @staticmethod
        def backward(ctx, grad, _):
            (at,) = ctx.saved_tensors
            return graphlab.tensor([grad.item() if i == at.item() else 0.0 for i in range(ctx.n)])

    x = leaf([1.0, 5.0, 2.0])
    values, indices = Top.apply(x)
    assert (values.requires_grad, indices.requires_grad) == (True, False)
    values.backward()
    assert x.grad.tolist() == [0.0, 1.0, 0.0]


def test_a_change_in_place_that_is_marked_is_recorded():
    class AddOne(Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 10

    x = leaf(2.0)
    y = x * 1
    y.grad = graphlab.zeros_like(y)
    z = AddOne.apply(y)
    assert z is y
    assert (z._grad, z._version) == (None, 2)
    assert z.grad_fn.name() == "AddOneBackward"
    z.backward()
    assert x.grad.item() == 10


def test_without_recording_nothing_is_kept():
    with graphlab.no_grad():
        y = Exp.apply(leaf())
    assert (y.requires_grad, y.grad_fn) == (False, None)
    assert not Exp.apply(graphlab.tensor(1.0)).requires_grad
