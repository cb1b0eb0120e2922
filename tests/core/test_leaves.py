"""What a tensor is: leaf or not, recorded or not, changed in place or not.

Read next: tests/core/test_function.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab
from graphlab import Tensor, no_grad


def leaf(value=2.0, **how):
    return graphlab.tensor(value, requires_grad=True, **how)


# -- leaves and their gradients ----------------------------------------------------------------


def test_what_the_user_makes_is_a_leaf_and_what_is_computed_from_it_is_not():
    x, c = leaf(), graphlab.tensor(3.0)
    assert (x.is_leaf, x.grad_fn, x.requires_grad) == (True, None, True)
    assert (c * c).is_leaf  # nothing requires a gradient, so nothing was recorded
    y = x * c
    assert (y.is_leaf, y.requires_grad) == (False, True)
    assert y.grad_fn.name() == "MulBackward0"
    assert repr(y.grad_fn).startswith("<MulBackward0 object at 0x")


def test_the_accumulator_of_a_leaf_is_one_object_while_it_is_held():
    x = leaf()
    first = (x * 2).grad_fn.next_functions[0][0]
    assert (x + 1).grad_fn.next_functions[0][0] is first
    assert first.variable is x
    assert first.name() == "torch::autograd::AccumulateGrad"
    assert first.next_functions == ()


def test_a_leaf_that_became_a_result_has_no_place_for_the_gradient_of_the_leaf():
    for watched in (False, True):
        x = leaf()
        y = x * 2
        x.requires_grad_(False)
        x.mul_(y)
        if watched:
            y.register_hook(lambda grad: None)
        with pytest.raises(RuntimeError, match="leaf variable has been moved into the graph"):
            x.backward()
        assert graphlab.autograd.grad(y, y)[0] == 1


def test_reading_grad_of_what_is_no_leaf_warns_and_gives_none():
    y = leaf() * 2
    with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed") as given:
        assert y.grad is None
    assert given[0].filename == __file__  # it points at the user's line


def test_retain_grad_keeps_the_gradient_of_an_intermediate_tensor():
    x = leaf(3.0)
    y = x * x
    y.retain_grad()
    y.retain_grad()  # a second time changes nothing
    assert y.retains_grad
    assert not x.retains_grad
    (y * 5).backward(retain_graph=True)
    assert y.grad.item() == 5
    assert x.grad.item() == 30


def test_retain_grad_on_a_leaf_does_nothing_and_without_a_gradient_is_refused():
    x = leaf()
    x.retain_grad()
    assert not x.retains_grad
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad"):
        graphlab.tensor(1.0).retain_grad()


def test_retain_grad_works_on_one_of_several_outputs():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    first, second = x.unbind()
    second.retain_grad()
    (first * 2 + second * 3).sum().backward()
    assert second.grad.tolist() == [3.0, 3.0]


def test_retained_gradients_accumulate_as_those_of_leaves_do():
    x = leaf(3.0)
    y = x * x
    y.retain_grad()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    assert (y.grad.item(), x.grad.item()) == (2.0, 12.0)


def test_requires_grad_can_be_changed_on_a_leaf_only():
    x = graphlab.tensor(1.0)
    x.requires_grad = True
    y = x * 2
    with pytest.raises(RuntimeError, match="only change requires_grad flags of leaf variables"):
        y.requires_grad = False
    assert y.requires_grad
    assert x.requires_grad_(False) is x
    assert not x.requires_grad


def test_integers_cannot_require_a_gradient():
    with pytest.raises(
        RuntimeError, match="floating point and complex dtype can require gradients"
    ):
        graphlab.tensor([1, 2], requires_grad=True)
    with pytest.raises(RuntimeError, match="floating point"):
        graphlab.tensor([1, 2]).requires_grad_()


# -- recording on and off ----------------------------------------------------------------------


def test_no_grad_records_nothing_and_enable_grad_records_within_it():
    x = leaf()
    with no_grad():
        assert not graphlab.is_grad_enabled()
        assert not (x * 2).requires_grad
        with graphlab.enable_grad():
            assert (x * 2).requires_grad
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad


def test_modes_decorate_functions_with_and_without_parentheses():
    x = leaf()

    @no_grad()
    def with_parentheses():
        """Doubles."""
        return x * 2

    @no_grad
    def without():
        return x * 2

    assert not with_parentheses().requires_grad
    assert not without().requires_grad
    assert with_parentheses.__name__ == "with_parentheses"
    assert with_parentheses.__doc__ == "Doubles."


def test_set_grad_enabled_works_at_once_and_as_a_context():
    x = leaf()
    with graphlab.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad
    try:
        graphlab.set_grad_enabled(False)
        assert not (x * 2).requires_grad
    finally:
        graphlab.set_grad_enabled(True)


def test_the_mode_is_put_back_after_an_error():
    with pytest.raises(ZeroDivisionError), no_grad():
        _ = 1 / 0
    assert graphlab.is_grad_enabled()


def test_a_backward_pass_does_not_record_itself_unless_asked():
    x = leaf()
    (x * x).backward()
    assert not x.grad.requires_grad
    with no_grad():
        y = x * 2
    assert y.is_leaf


def test_detach_shares_memory_and_leaves_the_graph():
    x = leaf([1.0, 2.0])
    y = x * 3
    d = y.detach()
    assert (d.requires_grad, d.is_leaf, d.grad_fn) == (False, True, None)
    d.zero_()
    assert y.tolist() == [0.0, 0.0]


def test_detach_shares_memory_of_a_single_number_too():
    x = leaf(3.0)
    with no_grad():
        x.detach().add_(1)
    assert x.item() == 4
    array = graphlab.tensor(5.0)
    view = array.numpy()
    view[...] = 7
    assert array.item() == 7


def test_a_result_that_keeps_its_gradient_does_so_when_it_was_detached_and_changed():
    x = leaf([1.0, 2.0])
    y = x * 2
    y.retain_grad()
    y.detach_()
    y.add_(x)  # PyTorch: an internal error
    (y * y).sum().backward()
    assert y.grad.tolist() == x.grad.tolist() == [6.0, 12.0]


def test_a_result_that_keeps_its_gradient_does_so_for_what_used_it_before_detach():
    x = leaf([1.0, 2.0])
    y = x * 2
    y.retain_grad()
    z = y * 3
    y.detach_()
    z.sum().backward()
    assert y.grad.tolist() == [3.0, 3.0]
    assert x.grad.tolist() == [6.0, 6.0]


@pytest.mark.parametrize("name", ["exp", "sigmoid", "tanh"])
def test_a_saved_result_that_was_detached_and_then_changed_is_refused(name):
    x = leaf([1.0, 2.0])
    y = getattr(graphlab, name)(x)
    z = y + x
    y.detach_().mul_(2)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        z.sum().backward()


def test_a_tensor_that_was_detached_in_place_is_saved_as_any_other():
    w = leaf([1.0, 2.0])
    h = (w * 2).detach_()  # the hidden state that a truncated backward pass stops at
    (h * w).sum().backward()
    assert w.grad.tolist() == [2.0, 4.0]
    x = (w * 3).detach_().requires_grad_()
    (x * x).sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


@pytest.mark.torch
def test_a_class_of_the_users_own_can_be_made_from_a_tensor(torch):
    def programme(t):
        class Weight(t.Tensor):
            def __new__(cls, data):
                return t.Tensor._make_subclass(cls, data, True)

            def __init__(self, data):
                self.note = "mine"

        data = t.arange(3.0)
        w = Weight(data)
        (w * w).sum().backward()
        with t.no_grad():
            w[0] = 7
        return repr(w), w.grad.tolist(), w.is_leaf, w.note, data.tolist(), isinstance(w, t.Tensor)

    assert programme(graphlab) == programme(torch)


# -- changes in place --------------------------------------------------------------------------


def test_a_leaf_that_requires_a_gradient_cannot_be_changed_in_place():
    x = leaf([1.0, 2.0])
    message = "a leaf Variable that requires grad is being used in an in-place operation"
    for change in (lambda: x.add_(1), lambda: x.zero_(), lambda: x.mul_(x)):
        with pytest.raises(RuntimeError, match=f"^{message}"):
            change()
    for change in (lambda: x[0].add_(1), lambda: x.__setitem__(0, 5.0), lambda: x.view(2).zero_()):
        with pytest.raises(RuntimeError, match=f"^a view of {message}"):
            change()
    assert x.tolist() == [1.0, 2.0]
    assert x._version == 0


def test_under_no_grad_a_leaf_can_be_changed():
    x = leaf([1.0, 2.0])
    with no_grad():
        x -= 0.5
        x[0] = 9.0
    assert x.tolist() == [9.0, 1.5]
    assert (x.is_leaf, x.requires_grad, x._version) == (True, True, 2)


def test_a_change_in_place_of_a_saved_input_is_noticed():
    x = leaf([1.0, 2.0])
    c = graphlab.ones(2)
    y = (x * c).sum()
    c.add_(1)
    changed = r"\[torch.FloatTensor \[2\]\] is at version 1; expected version 0 instead"
    with pytest.raises(RuntimeError, match=changed):
        y.backward()
    assert x.grad is None


def test_a_change_in_place_of_a_saved_result_is_noticed():
    x = leaf([1.0, 2.0])
    y = x.exp()
    y.add_(1)
    with pytest.raises(
        RuntimeError, match="which is output 0 of Exp, is at version 1; expected version 0"
    ):
        y.sum().backward()


def test_a_change_before_the_value_is_saved_is_none():
    c = graphlab.ones(2)
    c.mul_(3)
    x = leaf([1.0, 2.0])
    (x * c).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_change_of_what_no_rule_needs_is_allowed():
    x = leaf([1.0, 2.0])
    y = x + 1
    z = y * 2  # saves 2, not y
    y.add_(10)
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_in_place_operations_have_a_history():
    x = leaf([1.0, 2.0])
    y = x * 1
    same = y
    y *= x
    y += 1
    assert y is same
    assert (y._version, y.grad_fn.name()) == (2, "AddBackward0")
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_views_and_their_base_share_one_version_counter():
    base = graphlab.zeros(2, 3)
    row = base[0]
    entry = row[1]
    assert (row._is_view(), entry._base) == (True, base)
    entry.add_(5)
    assert base.tolist() == [[0.0, 5.0, 0.0], [0.0, 0.0, 0.0]]
    assert base._version == row._version == entry._version == 1
    base.zero_()
    assert entry.item() == 0
    assert entry._version == 2


def test_views_of_views_know_the_first_base_whatever_it_holds():
    for value in (0.0, 1.0):
        base = graphlab.full((1,), value)
        assert base.view(1, 1)[0]._base is base
    assert graphlab.zeros(2, 3)[0][1]._is_view()


def test_copies_are_no_views():
    x = graphlab.zeros(2, 3)
    for copy in (x.clone(), x + 0, x[[0, 1]], x.t().reshape(-1)):
        assert not copy._is_view()
        copy.add_(1)
    assert x.tolist() == [[0.0] * 3] * 2


# -- as Python and NumPy see it ----------------------------------------------------------------


def test_numpy_shares_memory_and_refuses_what_requires_a_gradient():
    t = graphlab.zeros(2, 3)
    t.numpy()[0, 0] = 7
    assert t[0, 0].item() == 7
    with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\) instead"):
        leaf([1.0]).numpy()
    array = np.zeros(3, np.float32)
    graphlab.from_numpy(array)[1] = 5
    assert array[1] == 5


def test_tensors_are_compared_by_entry_and_kept_in_sets_by_identity():
    x, y = graphlab.tensor([1.0, 2.0]), graphlab.tensor([1.0, 3.0])
    assert (x == y).tolist() == [True, False]
    assert len({x, y, x}) == 2
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value"):
        bool(x == y)


def test_an_array_times_a_tensor_is_a_tensor():
    x = leaf([1.0, 2.0], dtype=graphlab.float64)
    y = np.array([3.0, 4.0]) * x
    assert isinstance(y, Tensor)
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]


def test_double_precision_is_kept_from_python_numbers_on():
    assert graphlab.tensor(0.3, dtype=graphlab.float64).item() == 0.3
    assert graphlab.tensor([0.1, 1e300], dtype=graphlab.float64).tolist() == [0.1, 1e300]
    assert graphlab.full((1,), 0.3, dtype=graphlab.float64).item() == 0.3
    assert graphlab.tensor(2**53 + 1).item() == 2**53 + 1


def test_a_rehearsal_writes_no_retained_gradient() -> None:
    a = graphlab.tensor([2.0], requires_grad=True)
    t = a * 3
    t.retain_grad()
    e = t * 2
    graphlab.trace(e)
    graphlab.trace(e)
    assert t.grad is None
    e.backward(retain_graph=True)
    e.backward()
    assert t.grad is not None
    assert t.grad.item() == 4


def test_the_largest_along_a_dimension_may_be_changed_in_place() -> None:
    x = graphlab.tensor([[1.0, 3.0], [4.0, 2.0]], requires_grad=True)
    largest = x.max(1)[0]
    largest.add_(1)  # the rule asks for the indices, not for the values
    largest.sum().backward()
    assert x.grad.tolist() == [[0, 1], [1, 0]]


def test_a_tensor_is_seen_as_one_of_a_subclass(torch):
    found = []
    for t in (graphlab, torch):

        class Image(t.Tensor):
            def brightest(self):
                return self.detach().max().item()

        x = t.tensor([1.0, 3.0], requires_grad=True)
        y = (x * 2).as_subclass(Image)
        y.sum().backward()
        found.append([type(y).__name__, y.brightest(), type(y.grad_fn).__name__, x.grad.tolist()])
        found[-1] += [repr(t.ones(2).as_subclass(Image)), repr(y.as_subclass(t.Tensor))]
        for wrong in (int, 5):
            with pytest.raises(TypeError, match=r"type|inherit") as raised:
                x.as_subclass(wrong)
            found[-1].append(str(raised.value))
    assert found[0] == found[1]
