"""The functions that record an operation in few steps do what the one for every case does.

Read next: graphlab/autograd/record.py
"""

from __future__ import annotations

import gc
import threading
import warnings

import numpy as np
import pytest

import graphlab
from graphlab.autograd import engine
from graphlab.autograd.grad_mode import quietly, unusual
from graphlab.autograd.node import Node, Pinned
from graphlab.autograd.node_classes import node_class
from graphlab.autograd.record import binary
from graphlab.ops.base import registry
from graphlab.primitives.numpy_reading.shapes import sum_to
from graphlab.tensor.tensor import Tensor
from tests.core.samples import SAMPLES, name_of


def alike(a, b):
    """Whether two things that nodes hold say the same."""
    if isinstance(a, Node) or isinstance(b, Node):
        return type(a) is type(b) and described(a) == described(b)
    if isinstance(a, Pinned) and isinstance(b, Pinned):
        return a.version == b.version and alike(a.tensor, b.tensor)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a._needs == b._needs and alike(a._data, b._data)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, np.ndarray | np.generic):
        same = type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape
        return same and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return type(a) is type(b) and (a == b or a is b)


def described(node):
    return type(node).__name__, len(node._next)


@pytest.mark.parametrize("sample", SAMPLES, ids=name_of)
def test_the_node_is_the_same_whichever_function_records_it(sample):
    def last_node():
        graphlab.manual_seed(0)
        made = sample.call(graphlab, *sample.tensors(graphlab))
        several = [*made] if isinstance(made, tuple | list) else [made]
        return next(t for t in several if isinstance(t, Tensor) and t.requires_grad).grad_fn

    short = last_node()
    unusual.add("a test")  # now every operation is recorded by record_any.py
    try:
        full = last_node()
    finally:
        unusual.discard("a test")
    assert type(short) is type(full)
    for slot in ("_next", "_saved", "_options", "_constants", "_reduce"):
        a, b = (getattr(node, slot) for node in (short, full))
        if slot == "_constants":  # nothing but None says the same as None
            a, b = (c if c and any(x is not None for x in c) else None for c in (a, b))
        assert alike(a, b), f"{slot}: {a!r} beside {b!r}"


def test_numpy_does_not_warn_and_the_users_settings_stay():
    before = np.geterr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (graphlab.tensor(0.0), graphlab.tensor([0.0, -1.0])):
            x.requires_grad_()
            y = (x.log() / x + (1 / x) ** 2).sum()
            y.backward()
        with np.errstate(all="raise"):
            graphlab.tensor([0.0]).log()
    assert np.geterr() == before


def test_an_operation_runs_while_somebody_else_is_in_the_quiet_context():
    x = graphlab.tensor([0.0, 1.0], requires_grad=True)

    def inside():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return x.log().exp()

    y = quietly(inside)
    assert y.tolist() == [0.0, 1.0]
    with pytest.raises(RuntimeError, match="The size of tensor a"):
        quietly(lambda: x + graphlab.ones(3))


def test_threads_compute_side_by_side():
    found = []

    def work():
        w = graphlab.ones(64, 64).requires_grad_()
        for _ in range(20):
            w.grad = None
            ((w @ w) * 2 + w).sum().backward()
        found.append(float(w.grad.sum()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [found[0]] * 4


def test_turning_recording_off_in_one_thread_leaves_the_others_alone():
    inside, done = threading.Event(), threading.Event()

    def off():
        with graphlab.no_grad():
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=off)
    thread.start()
    inside.wait(10)
    y = graphlab.tensor(2.0, requires_grad=True) * 3
    done.set()
    thread.join()
    assert y.requires_grad


def test_no_two_leaves_and_no_caller_share_the_memory_of_a_gradient():
    a, b, c = (graphlab.ones(2, 2).requires_grad_() for _ in range(3))
    entering = graphlab.tensor([[1.0, 2.0], [3.0, 4.0]])
    (a.t() + b + c.t().t()).backward(entering)
    arrays = [a.grad._data, b.grad._data, c.grad._data, entering._data]
    for i, x in enumerate(arrays):
        for y in arrays[:i]:
            assert not np.shares_memory(x, y)
    (x := graphlab.ones(3).requires_grad_()).sum().backward()
    x.grad += 1
    assert x.grad.tolist() == [2, 2, 2]


def test_a_step_in_place_writes_into_the_memory_and_counts_it():
    w = graphlab.ones(3).requires_grad_()
    held = w._data
    with graphlab.no_grad():
        w -= 0.5
        w *= graphlab.tensor([1.0, 2.0, 3.0])
        w += w
    assert w._data is held
    assert held.tolist() == [1.0, 2.0, 3.0]
    assert w._version == 3
    with pytest.raises(RuntimeError, match="leaf Variable"):
        w -= 1.0


def test_a_long_chain_runs_at_the_usual_recursion_limit_and_is_freed_at_once():
    x = graphlab.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y * 1.0
    y.backward()
    gc.collect()
    gc.disable()
    try:
        del y
        assert gc.collect() == 0
    finally:
        gc.enable()
    assert x.grad.item() == 1.0


def test_the_quick_engine_gives_what_the_watched_one_gives():
    class Watched:
        rehearsal = False

        def __getattr__(self, name):
            return lambda *told: None

    x, w = graphlab.ones(2, 3).requires_grad_(), graphlab.ones(3).requires_grad_()
    y = ((x * w).exp() + (x - w) * x.sum(0)).tanh().sum() + (x.max(1).values * 2).sum()
    one = np.float32(1)
    quick, watched = {}, {}
    engine.run([(y.grad_fn, one)], quick.__setitem__, True)
    engine.run([(y.grad_fn, one)], watched.__setitem__, True, observer=Watched())
    assert quick.keys() == watched.keys()
    for leaf, grad in quick.items():
        assert np.array_equal(grad, watched[leaf])


def test_a_custom_function_is_given_the_gradient_of_a_sum_as_a_view_of_one_entry():
    seen = []

    class Same(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            seen.append(grad.stride())
            return grad

    x = graphlab.ones(2, 3, requires_grad=True)
    Same.apply(x).sum().backward()
    assert seen == [(0, 0)]


def test_the_gradient_of_a_sum_is_the_same_small_and_large():
    for n in (3, 100):
        x = graphlab.ones(n, n, requires_grad=True)
        (x * x).sum().backward()
        assert np.array_equal(x.grad.numpy(), np.full((n, n), 2.0, np.float32))


STRETCHED = [
    ((), ()), ((3,), ()), ((3,), (1,)), ((4, 3), (3,)), ((4, 1), (1,)), ((4, 3), (1,)),
    ((4, 3), (4, 1)), ((2, 4, 3), (4, 3)), ((2, 4, 3), (1, 3)), ((0, 3), (3,)), ((5000, 2), (2,)),
]  # fmt: skip


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("shape", "size"), STRETCHED, ids=str)
def test_a_gradient_is_summed_back_to_the_shape_before_the_broadcast(shape, size, kind):
    x = np.random.default_rng(0).standard_normal(shape).astype(kind)
    dims = tuple(range(len(shape) - len(size)))
    ones = tuple(len(dims) + i for i, n in enumerate(size) if n == 1 and shape[len(dims) + i] != 1)
    exact = np.add.reduce(np.float64(x), axis=dims + ones, keepdims=True).reshape(size)
    for data in (x, np.asarray(x).copy(order="F")):
        found = sum_to(data, size)
        assert np.shape(found) == size
        assert found.dtype == kind
        np.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-3)  # float32, 5,000 terms


def test_operations_share_the_lines_that_record_them_but_not_the_code_object():
    product, total = (registry[name] for name in ("mul", "add"))
    for one, other in (
        (binary(product), binary(total)),
        (node_class(product).vjp, node_class(total).vjp),
    ):
        assert one.__code__ is not other.__code__
        assert one.__code__ == other.__code__
