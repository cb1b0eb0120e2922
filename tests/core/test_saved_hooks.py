"""Hooks on saved tensors: what is packed, what is unpacked, and what comes out of it.

Read next: tests/core/test_anomaly_mode.py
"""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphlab
from graphlab.autograd.hooks import LivingHooks
from tests.core import test_programs as programs
from tests.core.samples import SAMPLES, name_of
from tests.core.test_engine import no_collector

graph = graphlab.autograd.graph


def leaf(value=2.0, **how):
    return graphlab.tensor(value, requires_grad=True, **how)


def kept_apart():
    """Hooks that keep a copy of the data alone, outside the graph."""
    return graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda packed: packed)


@pytest.mark.parametrize("sample", SAMPLES, ids=name_of)
def test_gradients_are_the_same_whether_saved_values_are_packed_or_not(sample):
    def gradients(packed):
        inputs = sample.tensors(graphlab)
        if packed:
            with kept_apart():
                made = sample.call(graphlab, *inputs)
        else:
            made = sample.call(graphlab, *inputs)
        several = [*made] if isinstance(made, tuple | list) else [made]
        roots = [t for t in several if t.requires_grad]
        leaves = [t for t in inputs if isinstance(t, graphlab.Tensor) and t.requires_grad]
        return [
            None if g is None else g.tolist()
            for g in graphlab.autograd.grad(
                roots, leaves, [graphlab.ones_like(t) for t in roots], allow_unused=True
            )
        ]

    assert repr(gradients(True)) == repr(gradients(False))


NOTHING_IN_PLACE = st.lists(
    st.tuples(
        st.sampled_from([*programs.ONE, *programs.TWO]), st.integers(0, 9), st.integers(0, 9)
    ),
    min_size=1,
    max_size=10,
)


@settings(max_examples=60)
@given(NOTHING_IN_PLACE, st.booleans())
def test_random_programs_have_the_same_gradients_with_packed_values(program, second):
    plain = programs.run(graphlab, program, second)
    with kept_apart():
        packed = programs.run(graphlab, program, second)
    assert repr(packed) == repr(plain)


def test_inputs_and_results_are_packed_and_numbers_are_not():
    x, packed = leaf(), []
    with graph.saved_tensors_hooks(lambda t: (packed.append(t), t)[1], lambda t: t):
        y = x.exp()
        _ = y * 3.0
        _ = y * graphlab.tensor(4.0)
        _ = x + 1
    assert [t.item() for t in packed] == [y.item(), 4.0]
    assert packed[0].grad_fn is y.grad_fn
    assert not packed[1].requires_grad


def test_the_second_derivative_goes_on_to_what_was_packed():
    for make in (lambda x: x**3, lambda x: x.exp(), lambda x: (x * 1) ** 3, lambda x: x.tanh()):
        found = []
        for packed in (True, False):
            x = leaf(0.5)
            if packed:
                with kept_apart():
                    y = make(x)
            else:
                y = make(x)
            (first,) = graphlab.autograd.grad(y, x, create_graph=True)
            (second,) = graphlab.autograd.grad(first, x)
            found.append((first.item(), second.item()))
        assert found[0] == found[1]


def test_what_unpack_gives_is_what_the_rule_is_given():
    x = leaf(2.0)
    with graph.saved_tensors_hooks(lambda t: None, lambda packed: graphlab.tensor(100.0)):
        y = x * x
    y.backward()
    assert x.grad.item() == 200
    assert y.grad_fn._sequence_nr() > 0


def test_a_saved_attribute_is_unpacked_with_the_history_of_what_was_saved():
    x = leaf(2.0)
    u = x * 1
    with graph.saved_tensors_hooks(lambda t: t.item(), lambda number: graphlab.tensor(number + 1)):
        y, z = x * u, u.exp()
    assert repr(y.grad_fn._saved_self) == "tensor(3., requires_grad=True)"
    assert repr(y.grad_fn._saved_other) == "tensor(3., grad_fn=<MulBackward0>)"
    assert z.grad_fn._saved_result.grad_fn is z.grad_fn


def test_the_innermost_pair_is_used_and_the_outer_one_again_after_it():
    x, seen = leaf(), []

    def saying(word):
        return graph.saved_tensors_hooks(lambda t: (seen.append(word), t)[1], lambda t: t)

    with saying("outer"):
        with saying("inner"):
            _ = x.exp()
        _ = x.exp()
    _ = x.exp()
    assert seen == ["inner", "outer"]


def test_a_custom_function_packs_what_it_saves():
    class Cube(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x**3
            ctx.save_for_backward(x, None, y)
            return y

        @staticmethod
        def backward(ctx, grad):
            x, nothing, y = ctx.saved_tensors
            assert nothing is None
            assert y.item() == 8
            return 3 * x * x * grad

    x, packed = leaf(2.0), []
    with graph.saved_tensors_hooks(lambda t: (packed.append(t), t.item())[1], graphlab.tensor):
        y = Cube.apply(x)
    assert [t.item() for t in packed] == [2, 8]
    (first,) = graphlab.autograd.grad(y, x, create_graph=True)
    (second,) = graphlab.autograd.grad(first, x)
    assert (first.item(), second.item()) == (12, 12)


def test_save_on_cpu_changes_nothing_here():
    x = leaf([1.0, 2.0])
    with graph.save_on_cpu(pin_memory=True):
        y = (x * x).sum()
    y.backward()
    assert x.grad.tolist() == [2, 4]


def test_hooks_are_of_the_thread_that_entered_them():
    x, packed = leaf(), []
    with graph.saved_tensors_hooks(lambda t: (packed.append(t), t)[1], lambda t: t):
        thread = threading.Thread(target=lambda: x.exp())
        thread.start()
        thread.join()
    assert packed == []


def test_a_pack_hook_must_leave_the_tensor_alone():
    x = leaf([1.0, 2.0])

    def pack(t):
        t *= 2
        return t

    with (
        graph.saved_tensors_hooks(pack, lambda t: t),
        pytest.raises(RuntimeError, match="pack hook is modifying its input in place"),
    ):
        _ = x * x


def test_errors_of_the_hooks_come_through_and_hooks_are_left_with_the_context():
    def fail(thing):
        raise ValueError("mine")

    x = leaf()
    with pytest.raises(ValueError, match="mine"), graph.saved_tensors_hooks(fail, lambda t: t):
        _ = x.exp()
    with graph.saved_tensors_hooks(lambda t: t, fail):
        y = x.exp()
    with pytest.raises(ValueError, match="mine"):
        y.backward()
    assert x.grad is None
    _ = x.exp()


def test_an_unpack_hook_gives_a_tensor():
    x = leaf()
    with graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
        y = x.exp()
    message = "^Output of saved tensor unpack_hook expected to be a Tensor but got result of type"
    for read in (y.backward, lambda: y.grad_fn._saved_result):
        with pytest.raises(TypeError, match=message):
            read()


def test_what_is_no_function_is_refused_before_anything_is_packed():
    x = leaf()
    with pytest.raises(TypeError, match="expected two functions"), graph.saved_tensors_hooks(1, 2):
        _ = x.exp()
    with pytest.raises(TypeError, match="expected two functions"):
        x.exp().grad_fn._raw_saved_result.register_hooks(3, 4)


def test_where_hooks_are_disabled_they_are_refused_with_the_message():
    def enter():
        with graph.save_on_cpu():
            pass

    with graph.disable_saved_tensors_hooks("outer"):
        with (
            graph.disable_saved_tensors_hooks("inner"),
            pytest.raises(RuntimeError, match=r"^inner$"),
        ):
            enter()
        with pytest.raises(RuntimeError, match=r"^outer$"):
            enter()
    enter()
    with (
        graph.save_on_cpu(),
        pytest.raises(RuntimeError, match=r"^too late$"),
        graph.disable_saved_tensors_hooks("too late"),
    ):
        pass


# -- one saved value ---------------------------------------------------------------------------


def test_a_raw_saved_value_shows_what_the_node_holds():
    x = leaf()
    y = x**2
    raw = y.grad_fn._raw_saved_self
    assert raw.data is x
    assert raw.unpack_hook is None
    raw.register_hooks(lambda t: "packed", lambda text: graphlab.tensor(7.0))
    assert raw.data == "packed"
    assert y.grad_fn._saved_self.item() == 7
    y.backward()
    assert x.grad.item() == 14
    assert raw.data is None


def test_the_raw_value_of_a_result_is_packed_outside_the_graph():
    y, packed = leaf().exp(), []
    y.grad_fn._raw_saved_result.register_hooks(lambda t: (packed.append(t), t)[1], lambda t: t)
    assert packed[0].is_leaf
    assert not packed[0].requires_grad
    assert y.grad_fn._saved_result.grad_fn is y.grad_fn


def test_a_raw_saved_value_takes_hooks_once_while_it_is_there():
    x = leaf()

    def register(node, name="_raw_saved_self"):
        getattr(node, name).register_hooks(lambda t: t, lambda t: t)

    y = x**2
    register(y.grad_fn)
    with pytest.raises(RuntimeError, match="hooks have already been set"):
        register(y.grad_fn)
    y.backward()
    with pytest.raises(RuntimeError, match="after it has been freed"):
        register(y.grad_fn)
    with pytest.raises(RuntimeError, match="with value None is forbidden"):
        register((x * 2).grad_fn)
    register((x * 2).grad_fn, "_raw_saved_other")


def test_only_nodes_make_raw_saved_values():
    raw = leaf().exp().grad_fn._raw_saved_result
    with pytest.raises(RuntimeError, match="from Python is forbidden"):
        type(raw)()


def test_packed_values_are_let_go_with_the_graph():
    class Thing:
        pass

    gc.collect()
    before = LivingHooks.count

    def build():
        things = []

        def pack(tensor):
            thing = Thing()
            thing.data = tensor.detach().clone()
            things.append(weakref.ref(thing))
            return thing

        x = leaf([1.0, 2.0])
        with graph.saved_tensors_hooks(pack, lambda thing: thing.data):
            y = (x.exp() * x).sum()
        return x, y, things

    build()
    with no_collector():
        x, y, things = build()
        assert all(reference() is not None for reference in things)
        y.backward()
        assert all(reference() is None for reference in things)
        node = weakref.ref(y.grad_fn)
        del x, y
        assert node() is None
        assert gc.collect() == 0
    assert LivingHooks.count == before


MUTATIONS = """
x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    y = x.clone()
    z = y ** 2 + y.exp() * y
    y.mul_(3)
    w = (y * z).sum()
    z.sin_()
    w.backward()
seen = x.grad.tolist()
"""


@pytest.mark.torch
def test_saved_tensors_may_be_changed_where_that_is_allowed(torch):
    found = []
    for lib in (graphlab, torch):
        names = {"torch": lib}
        exec(MUTATIONS, names)
        found.append(names["seen"])
    assert found[0] == pytest.approx(found[1], rel=1e-6)  # float32


def test_changing_saved_tensors_ends_with_its_context():
    x = graphlab.tensor(3.0, requires_grad=True)
    allowed = graphlab.autograd.graph.allow_mutation_on_saved_tensors
    with allowed():
        y = x * x
        with pytest.raises(RuntimeError, match="cannot be nested"), allowed():
            pass
    with pytest.raises(AssertionError, match="Trying to backward outside"):
        y.backward()
