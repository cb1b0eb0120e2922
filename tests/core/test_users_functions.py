"""Details of `Function` and of hooks that a user's own code may rely on, as PyTorch has them."""

import io
import warnings
import weakref
from contextlib import redirect_stderr

import numpy as np
import pytest

import graphlab as torch
from graphlab.autograd import Function, gradcheck
from graphlab.autograd.function import BackwardCFunction, once_differentiable
from graphlab.autograd.graph import saved_tensors_hooks


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class Twice(Function):
    """Gives one tensor as both of its outputs."""

    @staticmethod
    def forward(ctx, x):
        y = x * 3
        return y, y

    @staticmethod
    def backward(ctx, first, second):
        return (first + second) * 3


def test_an_output_that_is_returned_twice_stays_one_tensor():
    x = leaf(1.0, 2.0)
    a, b = Twice.apply(x)
    assert a is b
    (a * b).sum().backward()
    assert x.grad.tolist() == [18.0, 36.0]


class LastTwo(Function):
    """Changes a view of a copy in its forward, and returns it."""

    @staticmethod
    def forward(ctx, x):
        tail = x.clone()[1:]
        tail.mul_(10)
        return tail

    @staticmethod
    def backward(ctx, grad):
        return torch.cat([grad.new_zeros(1), grad * 10])


def test_a_forward_may_change_the_view_that_it_returns():
    x = leaf(1.0, 2.0, 3.0)
    y = LastTwo.apply(x)
    assert type(y.grad_fn).__name__ == "LastTwoBackward"
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 10.0, 10.0]


def test_a_view_of_an_intermediate_result_cannot_be_marked_dirty():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            inner = x.clone().view(-1)
            ctx.mark_dirty(inner)
            return inner

    with pytest.raises(RuntimeError, match="that was not an input"):
        Wrong.apply(leaf(1.0) * 1)


class ReadOnce(Function):
    """Forgets its tensors as soon as they are read."""

    clear_saved_tensors_on_access = True
    times = 1
    held = None

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        ReadOnce.held = weakref.ref(x)
        del x
        ReadOnce.held = ReadOnce.held()
        if ReadOnce.times > 1:
            _ = ctx.saved_tensors
        return grad * 2


def test_saved_tensors_can_be_let_go_when_they_are_read(monkeypatch):
    ReadOnce.apply(leaf(1.0).clone()).sum().backward()
    assert ReadOnce.held is None
    monkeypatch.setattr(ReadOnce, "times", 2)
    with pytest.raises(RuntimeError, match="can only be accessed once"):
        ReadOnce.apply(leaf(1.0)).sum().backward()


class Triple(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


class TripleThatReads(Triple):
    @staticmethod
    def backward(ctx, grad):
        return 0 * ctx.saved_tensors[0] + grad * 3


def test_saved_tensors_that_are_freed_are_missed_when_they_are_read():
    x = leaf(1.0)
    for _ in range(2):
        y = Triple.apply(x)
        y.backward()
        y.backward()
    assert x.grad == 12
    middle = x * 1
    y = TripleThatReads.apply(middle)
    middle.detach_()
    y.backward()
    assert x.grad == 15
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_zeros_for_outputs_without_a_gradient_can_be_switched_off():
    seen = []

    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            other = x + 1
            ctx.mark_non_differentiable(other)
            ctx._materialize_non_diff_grads = False
            return x * 2, other

        @staticmethod
        def backward(ctx, grad, none):
            seen.append(none)
            return grad * 2

    Two.apply(leaf(1.0))[0].sum().backward()
    assert seen == [None]


def test_a_backward_that_runs_once_keeps_the_places_of_its_results():
    class Product(Function):
        @staticmethod
        def forward(ctx, x, factor, y):
            ctx.save_for_backward(x, y)
            ctx.factor = factor
            return x * factor * y

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            return grad * ctx.factor * y, None, grad * ctx.factor * x

    x, y = leaf(2.0), leaf(3.0)
    (slope,) = torch.autograd.grad(Product.apply(x, 4, y), x, torch.ones_like(x), create_graph=True)
    assert slope.grad_fn is None  # the entering gradient has no history
    entering = leaf(1.0)
    (slope,) = torch.autograd.grad(Product.apply(x, 4, y), x, entering, create_graph=True)
    names = [None if node is None else node.name() for node, _ in slope.grad_fn.next_functions]
    assert [name is None for name in names] == [False, True, False]
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()


def test_names_that_pytorch_gives_a_function():
    assert Twice._backward_cls.__name__ == "TwiceBackward"
    assert issubclass(Twice._backward_cls, BackwardCFunction)
    assert Twice.generate_vmap_rule is False
    with pytest.raises(NotImplementedError, match="generate_vmap_rule=True"):
        Twice.vmap(None, (0,))


def test_a_function_may_save_several_inputs_under_hooks_and_gets_them_back():
    got = []

    class Keep(Function):
        @staticmethod
        def forward(ctx, x, y, weight):
            ctx.save_for_backward(x, y, weight)
            return x * y * weight

        @staticmethod
        def backward(ctx, grad):
            x, y, weight = ctx.saved_tensors
            got.append(weight)
            return grad * y * weight, grad * x * weight, None

    x, y, weight = leaf(2.0), leaf(3.0), torch.tensor([5.0], dtype=torch.float64)
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        z = Keep.apply(x, y, weight)
    z.backward()
    assert (x.grad.item(), y.grad.item()) == (15.0, 10.0)
    assert got[0] is weight  # it needs no gradient, and the hooks gave back itself


# -- hooks -------------------------------------------------------------------------------------


def test_a_backward_pass_leaves_the_saved_tensor_hooks_as_it_found_them():
    inner = saved_tensors_hooks(lambda t: t, lambda t: t)

    def enters(tensor):
        inner.__enter__()
        return tensor

    with saved_tensors_hooks(lambda t: t, enters):
        y = leaf(1.0).sin()
    y.backward()
    packed = leaf(1.0).exp().grad_fn._raw_saved_result
    assert packed.unpack_hook is None
    inner.__exit__()  # nothing is there to be left


def test_register_hooks_wants_two_functions():
    saved = leaf(1.0).exp().grad_fn._raw_saved_result
    for hooks in [(len,), (1, 1)]:
        with pytest.raises(TypeError, match="incompatible function arguments"):
            saved.register_hooks(*hooks)
    with pytest.raises(RuntimeError, match="from Python is forbidden"):
        torch.autograd.SavedTensor()


def test_the_hooks_of_a_tensor_can_be_replaced():
    x = leaf(1.0)
    x.register_hook(lambda g: g * 100)
    x._backward_hooks = {"mine": lambda g: g * 2}
    (x * 3).backward()
    assert x.grad.item() == 6.0
    x._backward_hooks = None
    (x * 3).backward()
    assert x.grad.item() == 9.0


def test_an_error_of_the_pass_is_raised_though_warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anomaly = torch.autograd.detect_anomaly()
    with anomaly, warnings.catch_warnings(), redirect_stderr(io.StringIO()) as printed:
        warnings.simplefilter("error")
        x = leaf(2.0) * 1
        y = x**3
        x.mul_(2)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()
    assert "Error detected in PowBackward0" in printed.getvalue()


# -- tensors -----------------------------------------------------------------------------------


def test_a_node_wants_the_gradient_of_its_output():
    node = (leaf(3.0) ** 2).grad_fn
    one = torch.ones(1, dtype=torch.float64)
    for given in [(), (one, one)]:
        with pytest.raises(TypeError, match=f"expected 1 arguments, got {len(given)} instead"):
            node(*given)
    assert node(one)[0].item() == 6.0


@pytest.mark.parametrize("name", ["data", "requires_grad", "_grad_fn", "_backward_hooks"])
def test_what_makes_a_tensor_cannot_be_deleted(name):
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match=r"not allowed|must be a bool"):
        delattr(x, name)
    x.note = 1
    del x.note, x.grad
    assert x.grad is None


def test_no_class_of_a_tensor_makes_python_store_its_attributes_slowly():
    # with any of these, CPython calls a function in Python's type for each `tensor._data = ...`
    slow = {"__setattr__", "__delattr__", "__getattribute__", "__getattr__"}
    for thing in (leaf(1.0), (leaf(1.0) * 2).grad_fn):
        assert not slow & set().union(*map(vars, type(thing).__mro__[:-1]))


def test_numpy_gets_a_tensor_with_a_gradient_where_nothing_is_recorded():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\)"):
        x.numpy()
    with torch.no_grad():
        assert np.shares_memory(x.numpy(), x.detach().numpy())


def test_old_constructors_know_their_type_and_an_empty_size():
    assert torch.IntTensor.dtype is torch.int32
    assert leaf(1.0).new(torch.Size([])).shape == ()


def test_as_strided_in_place_looks_at_the_memory_in_another_way():
    x = leaf(0.0, 1.0, 2.0, 3.0)
    y = x * 1
    assert y.as_strided_((2, 2), (2, 1)) is y
    y[1].sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([[0.0, 1.0], [2.0, 3.0]], [0.0, 0.0, 1.0, 1.0])
    with torch.no_grad():
        view = (x * 1)[:]
    base = x * 1
    with torch.no_grad():
        view = base[:]
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        view.unsqueeze_(0)


def test_gradcheck_refuses_a_type_that_depends_on_the_values():
    with pytest.raises(AssertionError, match="same dtype when inputs are perturbed"):
        gradcheck(lambda x: x.float() if bool((x >= 1).all()) else x, leaf(1.0))


def test_gradcheck_says_how_to_allow_missing_gradients():
    class Careless(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return torch.ones(1, dtype=torch.float64) if grad is None else grad * 2

    with (
        pytest.warns(UserWarning, match="check_undefined_grad=False"),
        pytest.raises(RuntimeError, match="undefined or zero"),
    ):
        gradcheck(Careless.apply, leaf(1.0))


def test_a_graph_belongs_to_the_context_that_allowed_mutation():
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = leaf(1.0) ** 2
    with (
        torch.autograd.graph.allow_mutation_on_saved_tensors(),
        pytest.raises(AssertionError, match="outside of the 'allow_mutation_on_saved_tensors'"),
    ):
        y.backward()


def test_an_inference_tensor_has_inference_tensors_as_views_and_may_be_resized():
    with torch.inference_mode():
        x = torch.ones(4, requires_grad=True)
        assert x.resize_(2).shape == (2,)
    view = x.view(2, 1)
    assert view.is_inference()
    assert view.is_leaf
    assert not view.requires_grad
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        leaf(1.0, 2.0).resize_(1)


# -- what a forward marks ----------------------------------------------------------------------


class Marked(Function):
    """Changes its input in place, and saves it."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x.mul_(2))
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        assert ctx.dirty_tensors is None
        return 2 * grad


@pytest.mark.parametrize("view", [False, True])
def test_what_a_forward_marked_is_freed_at_once(view):
    x = leaf(1.0) * 1
    x = x.view_as(x) if view else x
    y = Marked.apply(x)
    assert y is x
    kept = weakref.ref(x)
    del x, y
    assert kept() is None


class Part(Function):
    """Gives a view of its input, and may say that it does nothing else."""

    @staticmethod
    def forward(ctx, x, pure):
        ctx._is_pure_view = pure
        return x[:1]

    @staticmethod
    def backward(ctx, grad, pure=None):
        return torch.cat([grad, 0 * grad]), None


def test_a_pure_view_may_be_changed_in_place_and_another_may_not():
    x = leaf(1.0, 2.0)
    Part.apply(x * 1, True).mul_(3).backward()
    assert x.grad.tolist() == [3, 0]
    with pytest.raises(RuntimeError, match="created inside a custom Function"):
        Part.apply(x * 1, False).mul_(3)
