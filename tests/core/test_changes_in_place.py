"""Changes in place, of tensors and of parts of them: what becomes of graphs, views and versions.

Read next: tests/core/test_views_beside_pytorch.py
"""

from __future__ import annotations

import gc

import numpy as np
import pytest

import graphlab as gl

S_VALUE = 2.0


def leaf() -> gl.Tensor:
    return gl.tensor([1.0, 2.0, 3.0], requires_grad=True)


def names(t: gl.Tensor) -> list[str | None]:
    return [None if fn is None else fn.name() for fn, _ in t.grad_fn.next_functions]


def test_a_part_that_is_written_over_sends_no_gradient_to_what_was_there():
    x = leaf()
    c = x.clone()
    c[0] = 5.0
    assert repr(c) == "tensor([5., 2., 3.], grad_fn=<CopySlices>)"
    assert c.grad_fn.name() == "torch::autograd::CopySlices"
    assert names(c) == ["CloneBackward0", None]
    c.sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0]


def test_an_operation_on_a_view_is_inside_the_node_of_its_base():
    x, s = leaf(), gl.tensor(S_VALUE, requires_grad=True)
    c = x.clone()
    v = c[1:]
    v.mul_(s)
    assert names(c) == ["CloneBackward0", "torch::autograd::AccumulateGrad"]
    assert v.grad_fn.name() == "AsStridedBackward0"
    assert v.grad_fn.next_functions[0][0] is c.grad_fn
    c.sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 2.0]
    assert s.grad.item() == 5.0


def test_a_view_learns_that_its_base_was_changed_when_it_is_asked():
    c = leaf() * 1
    v = c[0]
    before = v.grad_fn
    c.add_(1)
    assert v.grad_fn.name() == "AsStridedBackward0"
    assert v.grad_fn is not before
    assert v.grad_fn is v.grad_fn
    assert type(v) is gl.Tensor


def test_a_tensor_without_history_becomes_part_of_a_graph_when_it_is_written_into():
    s = gl.tensor(S_VALUE, requires_grad=True)
    c = gl.zeros(3)
    v = c[1]
    c[0] = s
    assert c.requires_grad
    assert not c.is_leaf
    assert v.requires_grad
    assert v.grad_fn.name() == "AsStridedBackward0"
    (c * c).sum().backward()
    assert s.grad.item() == 4.0


def test_all_views_of_one_memory_count_versions_together():
    c = gl.zeros(4)
    v, w, d = c[1:], c.view(2, 2), c.detach()
    v[0] = 1.0
    w.add_(1)
    d.zero_()
    assert {t._version for t in (c, v, w, d)} == {3}
    c.data.add_(1)
    assert c._version == 3


def test_a_failed_change_leaves_everything_as_it_was():
    c = leaf() * 1
    v, before = c[:2], c.grad_fn
    attempts = [
        lambda: c.add_(gl.ones(2, 3)),
        lambda: c.copy_(gl.ones(2)),
        lambda: v.mul_(gl.ones(3)),
        lambda: c.__setitem__(7, 1.0),
        lambda: c.__setitem__(0, "a"),
        lambda: c.__setitem__([0, 1], gl.ones(3)),
        lambda: c.fill_(gl.ones(2)),
        lambda: c.unsqueeze_(5),
    ]
    for attempt in attempts:
        with pytest.raises((RuntimeError, IndexError, TypeError)):
            attempt()
    assert c.tolist() == [1.0, 2.0, 3.0]
    assert c._version == 0
    assert c.grad_fn is before


def test_entries_that_lie_over_each_other_are_not_written_to_while_they_are_read():
    c = gl.arange(4.0)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to"):
        c[1:] = c[:-1]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        gl.ones(1).expand(3).add_(1)
    assert c.tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "part",
    [
        lambda x: x.as_strided((2,), (1,), 1)[..., 0],
        lambda x: x.unfold(2, 2, 1)[0, 0, 0],
        lambda x: x.diagonal()[0],
    ],
)
def test_a_view_of_an_expanded_tensor_can_be_changed_where_no_entries_overlap(part):
    x = gl.ones(2, 3)
    part(x.expand(2, 2, 3)).fill_(0.5)
    assert 0.5 in x.flatten().tolist()


def test_a_graph_of_many_changes_goes_at_once_and_a_second_backward_is_refused():
    s = gl.tensor(S_VALUE, requires_grad=True)
    c = gl.zeros(2)
    for _ in range(20_000):
        c[0] = s
    total = c.sum()
    total.backward()
    assert s.grad.item() == 1.0
    with pytest.raises(RuntimeError, match="second time"):
        total.backward()
    gc.collect()
    del c, total
    assert gc.collect() == 0


def test_a_base_does_not_gather_the_views_that_are_gone():
    c = gl.zeros(3)
    for _ in range(1000):
        c[0].add_(1)
    assert len(c._version_counter().views) <= 16


def test_a_row_of_a_view_is_filled_with_an_entry_of_its_own():
    numbers = gl.arange(6.0)
    x = numbers.reshape(2, 3)
    x[0] = x[0, 2]
    assert numbers.tolist() == [2.0, 2.0, 2.0, 3.0, 4.0, 5.0]
    assert numbers._version == 1


def test_a_number_is_written_where_a_mask_holds_and_the_tensor_and_its_view_count_one_change():
    numbers = gl.arange(6.0)
    x = numbers.reshape(2, 3)
    x[x > 3] = -1e6
    assert numbers.tolist() == [0.0, 1.0, 2.0, 3.0, -1e6, -1e6]
    assert x._version == 1


def test_the_gradient_through_changes_of_parts_can_be_differentiated_again():
    x = gl.tensor([0.5, -0.3, 0.8], dtype=gl.float64, requires_grad=True)

    def loss(x):
        c = x * 1
        c[:2].pow_(3)
        c[1] = c[0].clone() * x[2]
        c.t()[2:].mul_(x[0])
        return (c**3).sum()

    assert gl.autograd.gradcheck(loss, (x,))
    assert gl.autograd.gradgradcheck(loss, (x,))


def test_what_is_kept_of_the_old_value_is_a_clone_of_it():
    c = leaf() * 1
    c.clamp_(0, 2)
    kept = c.grad_fn._saved_self
    assert kept.tolist() == [1.0, 2.0, 3.0]
    assert kept.grad_fn.name() == "CloneBackward0"
    assert names(c) == ["MulBackward0"]


def test_a_saved_result_shares_the_memory_of_the_tensor_that_was_changed():
    c = leaf() * 1
    c.exp_()
    assert np.shares_memory(c.grad_fn._saved_result._data, c._data)


def test_answers_that_are_written_over_what_was_asked_have_no_slope():
    x = leaf()
    c = x * 1
    c[1:].eq_(2)
    c.ge_(1)
    assert c.tolist() == [1.0, 1.0, 0.0]
    assert c.grad_fn.name() == "GeBackward0"
    c.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_a_retained_gradient_is_that_of_the_tensor_as_it_is_in_the_end():
    c = leaf() * 1
    c.retain_grad()
    c[0] = 7.0
    c.mul_(2)
    c.sum().backward()
    assert c.grad.tolist() == [1.0, 1.0, 1.0]


def test_a_tensor_can_become_a_view_of_itself():
    x = gl.ones(2, 3, requires_grad=True)
    c = x * gl.arange(3.0)
    c.t_().unsqueeze_(0)
    assert c.shape == (1, 3, 2)
    assert c.grad_fn.name() == "UnsqueezeBackward1"
    assert names(c) == ["TBackward1"]
    (c * c).sum().backward()
    assert x.grad.tolist() == [[0.0, 2.0, 8.0]] * 2
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        x.t_()


# -- modes -------------------------------------------------------------------------------------


def test_inference_mode_is_left_in_the_order_in_which_it_was_entered():
    with gl.inference_mode():
        with gl.inference_mode(False):
            assert gl.is_grad_enabled()
            assert not gl.is_inference_mode_enabled()
        assert gl.is_inference_mode_enabled()
        with gl.enable_grad():
            assert not (leaf() * 2).requires_grad
    assert gl.is_grad_enabled()
    assert not gl.is_inference_mode_enabled()
    assert (leaf() * 2).requires_grad


def test_inference_mode_decorates_with_and_without_brackets():
    double = gl.inference_mode(lambda x: x * 2)
    again = gl.inference_mode()(lambda x: x * 2)
    assert double(leaf()).is_inference()
    assert again(leaf()).is_inference()
    assert not leaf().is_inference()


# -- pictures and proofs -----------------------------------------------------------------------


def changed(x, s):
    c = x * 1
    c[0] = s
    c[1:].mul_(s)
    w = c[2]
    c.add_(x)
    return (c * c).sum() + w


def test_graphs_of_changes_can_be_drawn_and_rehearsed():
    x, s = leaf(), gl.tensor(S_VALUE, requires_grad=True)
    total = changed(x, s)
    assert "CopySlices" in gl.draw(total).svg
    timeline = gl.trace(total)
    assert timeline[-1].kind == "Finished"
    assert x.grad is None
    total.backward()
    assert x.grad is not None


def test_gradients_through_changes_of_parts_are_proved():
    x, s = leaf(), gl.tensor(S_VALUE, requires_grad=True)
    report = gl.check(changed(x, s))
    assert str(report).startswith("2 of 2 gradients proved")


@pytest.mark.parametrize(
    ("draw", "name"),
    [
        (lambda t: t.uniform_(), "UniformBackward0"),
        (lambda t: t.normal_(1, 2), "NormalBackward0"),
        (lambda t: t.exponential_(), "ExponentialBackward0"),
        (lambda t: t.bernoulli_(0.5), "BernoulliBackward2"),
        (lambda t: t.random_(5), "RandomBackward1"),
    ],
)
def test_random_numbers_written_over_a_tensor_have_no_slope(draw, name):
    x = leaf()
    c = x * 1
    draw(c)
    assert c.grad_fn.name() == name
    c.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        draw(x)


@pytest.mark.parametrize("change", ["&=", "|=", "^=", "<<=", ">>="])
def test_bitwise_operators_with_equals_write_in_place(change):
    x = gl.tensor([1, 2, 6])
    same = x
    names = {"x": x}
    exec(f"x {change} 2", names)
    assert names["x"] is same
    assert same._version == 1
    assert same.tolist() == eval(f"[n {change[:-1]} 2 for n in (1, 2, 6)]")


CHANGES = {
    "acosh_": (), "asinh_": (), "atanh_": (), "polygamma_": (1,), "as_strided_": ((2,), (1,)),
    "sigmoid_": (), "clamp_": (0.1,), "mul_": (2,), "threshold_": (0.1, 2.0), "leaky_relu_": (),
    "elu_": (), "celu_": (), "selu_": (), "rrelu_": (), "hardtanh_": (), "relu_": (),
}  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_in_place_has_the_name_of_pytorchs_node(change, torch):
    def seen(lib):
        leaf = lib.tensor([0.25, 0.75], dtype=lib.float64, requires_grad=True)
        x = leaf * 1
        own = hasattr(x, change)
        getattr(x if own else lib.nn.functional, change)(*(() if own else (x,)), *CHANGES[change])
        if lib is gl:  # PyTorch has no gradient of asinh_ and two others
            (first,) = lib.autograd.grad(x.sum(), leaf, create_graph=True)
            assert first.shape == leaf.shape
        return x.grad_fn.name()

    assert seen(gl) == seen(torch)


def test_a_tensor_that_was_changed_saved_and_then_detached_in_place_is_missed():
    y = gl.ones(2, requires_grad=True) * 1
    y.mul_(2)
    z = y * y
    y.detach_()
    with pytest.raises(RuntimeError, match="has been detached in-place"):
        z.sum().backward()


# -- entries that share memory, as after `expand` -----------------------------------------------

ONE_NUMBER = {
    "mask": lambda t, x: x.__setitem__(t.tensor([True, False]), 5.0),
    "mask of entries": lambda t, x: x.__setitem__(t.tensor([[True, False], [False, False]]), 5.0),
    "indices": lambda t, x: x.__setitem__(t.tensor([1]), 5.0),
    "masked_fill_": lambda t, x: x.masked_fill_(t.tensor([[True, False], [False, False]]), 5.0),
    "index_fill_": lambda t, x: x.index_fill_(0, t.tensor([0]), 5.0),
}


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors is deprecated")
@pytest.mark.parametrize("name", ONE_NUMBER)
def test_one_number_is_written_into_entries_that_share_memory(name, torch):
    found = []
    for t in (gl, torch):
        x = t.tensor([float("nan"), 2.0]).expand(2, 2)
        ONE_NUMBER[name](t, x)
        found.append(repr(x))
    assert found[0] == found[1]


SEVERAL_NUMBERS = {
    "rows": lambda t, x: x.__setitem__([0, 1], t.tensor([[5.0, 6.0], [1.0, 2.0]])),
    "a row for all": lambda t, x: x.__setitem__([0, 1], t.tensor([5.0, 6.0])),
    "entries": lambda t, x: x.__setitem__(([0, 1, 0], [0, 1, 1]), t.tensor([7.0, 8.0, 2.0])),
    "columns": lambda t, x: x.__setitem__((slice(None), [1]), t.tensor([[7.0], [8.0]])),
    "mask": lambda t, x: x.__setitem__(x > 0, t.tensor([3.0, 4.0, 5.0, 6.0])),
    "its own": lambda t, x: x.__setitem__([0], x[:1].flip(1)),
    "index_put_": lambda t, x: x.index_put_((t.tensor([1, 0]),), t.tensor([[5.0], [1.0]])),
    "added": lambda t, x: x.index_put_((t.tensor([1, 0]),), t.ones(2, 2), accumulate=True),
}


@pytest.mark.parametrize("name", SEVERAL_NUMBERS)
def test_several_numbers_are_written_one_after_the_other_into_one_place(name, torch):
    found = []
    for t in (gl, torch):
        for base in (t.tensor([1.0, 2.0]), t.tensor([[1.0], [2.0]]), t.tensor([[1.0]])):
            x = base.expand(2, 2)
            with pytest.warns(UserWarning, match="Use of index_put_ on expanded tensors"):
                SEVERAL_NUMBERS[name](t, x)
            found.append((x.tolist(), base.tolist(), x._version))
    assert found[:3] == found[3:]


def test_index_put_takes_a_tuple_of_tensors(torch):
    for t in (gl, torch):
        for put in (t.index_put, t.Tensor.index_put_):
            with pytest.raises(TypeError, match="must be tuple of Tensors, not Tensor"):
                put(t.zeros(3), t.tensor([0]), t.tensor(1.0))


def test_a_mask_may_be_given_one_value_of_another_type_by_index_put(torch):
    found = []
    for t in (gl, torch):
        mask, x = (t.tensor([True, False]),), t.zeros(2)
        found += [t.index_put(x, mask, t.tensor(1)).tolist(), x.index_put_(mask, t.tensor([2]))]
    assert found[0] == found[2]
    assert found[1].tolist() == found[3].tolist()


WRITES = {
    "zero_": lambda t, x, w: x.zero_(),
    "triu_": lambda t, x, w: x.triu_(),
    "mask": lambda t, x, w: x.__setitem__(x > 2, w),
    "masked_fill_": lambda t, x, w: x.masked_fill_(t.tensor([True, False]), w),
    "index_fill_": lambda t, x, w: x.index_fill_(0, t.tensor([0]), w),
    "indices": lambda t, x, w: x.__setitem__([1, 0], t.stack([w, 2 * w])),
    "added": lambda t, x, w: x.index_put_((t.tensor([0]),), w, accumulate=True),
}


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors is deprecated")
@pytest.mark.parametrize("name", WRITES)
def test_a_recorded_write_of_entries_that_share_memory_is_as_in_pytorch(name, torch):
    found = []
    for t in (gl, torch):
        base, w = t.tensor([[2.0], [3.0]]), t.tensor(2.5, requires_grad=True)
        x = base.expand(2, 2)
        WRITES[name](t, x, w)
        found.append([base.tolist(), x.tolist(), x._version, base.requires_grad])
        if base.requires_grad:
            (x * t.tensor([[1.0, 2.0], [3.0, 4.0]]) + base).sum().backward()
            found[-1] += [w.grad.item(), type(base.grad_fn).__name__, type(x.grad_fn).__name__]
    assert found[0] == found[1]


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors is deprecated")
@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("name", WRITES)
def test_no_gradient_passes_a_write_of_entries_that_share_memory(name, second, torch):
    found = []
    for t in (gl, torch):
        a = t.tensor([[2.0], [3.0]], requires_grad=True)
        base = a.mul(1)
        x = base.expand(2, 2)
        WRITES[name](t, x, t.tensor(2.5))
        found.append((base.tolist(), x._version))
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            t.autograd.grad(x.sum(), a, create_graph=second)
    assert found[0] == found[1]


@pytest.mark.torch
def test_a_gradient_that_lies_turned_is_gathered_and_masks_are_given_by_name(torch):
    found = []
    for t in (gl, torch):
        x = t.arange(6.0).reshape(2, 3).requires_grad_()
        y = x.gather(1, t.tensor([[0, 0, 1], [2, 2, 2]]))
        y.backward(t.arange(1.0, 7.0).reshape(3, 2).t())
        z = t.zeros(2, 3).masked_fill_(mask=t.tensor([True, False, True]), value=2.0)
        z.index_fill_(dim=1, index=t.tensor([1]), value=5.0)
        found.append((x.grad.tolist(), z.tolist()))
    assert found[0] == found[1]


@pytest.mark.filterwarnings("ignore:Use of index_put_ on expanded tensors is deprecated")
def test_zeros_seen_with_a_new_dimension_change_their_sign():
    x = gl.zeros(3)
    x[None].neg_()
    assert (1 / x).tolist() == [-np.inf] * 3
    y = gl.zeros(1).expand(3)
    y[gl.tensor([True, False, False])] = -0.0
    assert (1 / y).tolist() == [-np.inf] * 3


@pytest.mark.parametrize("size", [(), (2,)])
def test_minus_zero_is_filled_in(size):
    for value in (-0.0, gl.tensor(-0.0)):
        assert np.signbit(gl.ones(size).fill_(value).numpy()).all()


def test_a_tensor_is_filled_with_an_entry_of_its_own(torch):
    found = []
    for t in (gl, torch):
        x = t.tensor([2.0, 3.0, 4.0], requires_grad=True)
        y = x.clone()
        y[:] = y[1]
        y[1:].fill_(y[2])
        (y * t.tensor([1.0, 2.0, 4.0])).sum().backward()
        z = x.detach().clone()
        z[...] = z[-1]
        found.append((x.grad.tolist(), y.tolist(), z.tolist(), y._version, z._version))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["masked_fill_", "index_fill_"])
def test_a_change_of_entries_that_share_memory_is_warned_of(name, torch):
    for t in (gl, torch):
        with pytest.warns(UserWarning, match=f"Use of {name} on expanded tensors is deprecated"):
            ONE_NUMBER[name](t, t.zeros(1, 2).expand(2, 2))


def test_a_mask_in_a_part_is_written_without_a_graph(torch):
    found = []
    for t in (gl, torch):
        x = t.ones(2, 2, requires_grad=True)
        y = x * 2
        with t.no_grad():
            y[0, x[0].detach() > 0] = 5.0
        y.square().sum().backward()
        found.append((x.grad.tolist(), y._version))
    assert found[0] == found[1]


def test_bools_are_added_as_bools(torch):
    found = [
        t.tensor([False, True]).index_add_(0, t.tensor([0, 1]), t.tensor([True, True])).tolist()
        for t in (gl, torch)
    ]
    assert found[0] == found[1] == [True, True]


@pytest.mark.parametrize("sizes", [((3, 1), (3, 2)), ((1, 3), (3, 3)), ((3,), (2, 3, 3))])
@pytest.mark.parametrize("name", ["tril_", "triu_"])
def test_a_triangle_of_entries_that_share_memory_is_kept_as_in_pytorch(name, sizes, torch):
    for diagonal in range(-2, 3):
        found = []
        for t in (gl, torch):
            base = t.arange(1.0, 4.0).view(sizes[0])
            getattr(base.expand(sizes[1]), name)(diagonal)
            found.append(base.tolist())
        assert found[0] == found[1]


def test_entries_that_share_memory_are_copied_to_themselves(torch):
    for t in (gl, torch):
        x = t.tensor([[2.0], [3.0]]).expand(2, 2)
        assert x.copy_(x).tolist() == [[2.0, 2.0], [3.0, 3.0]]


@pytest.mark.parametrize("key", [0, slice(None), ...])
def test_a_number_is_not_assigned_to_entries_that_share_memory(key, torch):
    for t in (gl, torch):
        x = t.zeros(3, 1).expand(3, 2)
        with pytest.raises(RuntimeError, match="single memory location"):
            x[key] = 7.0


@pytest.mark.filterwarnings("ignore:Use of index_put_ on expanded tensors is deprecated")
@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_several_values_leave_an_expanded_tensor_as_it_was_and_do_not_enter_read_only_memory():
    x = gl.zeros(1).expand(4)
    x[gl.tensor([0, 1])] = gl.tensor([2.0, 3.0])
    assert x.tolist() == [3.0] * 4
    with pytest.raises(RuntimeError, match="single memory location"):
        x.add_(1)
    array = np.zeros(1, np.float32)
    array.flags.writeable = False
    y = gl.from_numpy(array).expand(3)
    with pytest.raises(ValueError, match="read-only"):
        y[gl.tensor([0, 1])] = gl.ones(2)
    assert array[0] == 0


def test_a_change_looks_only_at_views_that_are_not_yet_out_of_date():
    rows = list(gl.zeros(20, 2))
    rows[0].add_(1)
    version = rows[0]._version_counter()
    assert version.past == len(version.views) >= 20
    rows[1] += 1
    assert version.past == len(version.views)


def test_a_view_that_was_read_after_a_change_is_out_of_date_after_the_next():
    x = leaf()
    c = x * 2
    view = c[0]
    for factor in (3, 5):
        c.mul_(factor)
        assert view.grad_fn.name() == "AsStridedBackward0"
    view.backward()
    assert x.grad.tolist() == [30.0, 0.0, 0.0]


def test_a_view_that_is_read_after_each_change_is_kept_once():
    c = leaf() * 2
    view = c[0]
    for _ in range(100):
        c.mul_(1)
        assert view.grad_fn.name() == "AsStridedBackward0"
    assert len(c._version_counter().views) < 20
