"""A tensor of shape (1,) may hold its one entry alone: nobody can tell from what it does.

Read next: graphlab/tensor/tensor.py
"""

from __future__ import annotations

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest

import graphlab as gl
from graphlab.autograd.grad_mode import UsersCode
from graphlab.autograd.shortcut import OF_ENTRIES
from graphlab.common.errors import ModifiedInPlaceError

KINDS = (gl.float32, gl.float64)


@pytest.fixture(autouse=True)
def nobodys_code(monkeypatch):
    """As in a program without hooks and custom Functions: other tests have defined some."""
    monkeypatch.setattr(UsersCode, "defined", False)


@pytest.fixture(params=KINDS, ids=str, autouse=True)
def default_dtype(request):
    gl.set_default_dtype(request.param)
    yield request.param
    gl.set_default_dtype(gl.float32)


def leaf(value, as_array=False):
    made = gl.tensor([value], requires_grad=True)
    assert made._array is None
    if as_array:
        assert made._data is made._array
    return made


def custom(a, b):
    class Twice(gl.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            assert grad.shape == (1,)
            return grad * 2

    return Twice.apply(a * b) * a


def accumulated(a, b):
    (a * b).backward()
    return a * b / 3


def retained(a, b):
    m = a * b
    m.retain_grad()
    (m * a).backward()
    assert m.grad.shape == (1,)
    return m.grad * a


def hooked(a, b):
    m = a * b
    m.register_hook(lambda g: g * 10 if g.shape == (1,) else None)
    return m + a


def in_place(a, b):
    m = a * b
    m += a
    m.mul_(b)
    return m


def differentiated_twice(a, b):
    (first,) = gl.autograd.grad((a / b) * a, a, create_graph=True)
    return first * b


def without_recording(a, b):
    with gl.no_grad():
        c = a * b + 1
    return a * c


def of_a_view(a, b):
    return a.view(1, 1)[0] * b + a[0] + b.expand(3).sum()


def scattered(a, b):
    a.grad = gl.tensor([7.0])
    return gl.stack([a, b]).sum(0) * a.sum()


PROGRAMS = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a / b,
    "square": lambda a, b: a * a,
    "same twice": lambda a, b: a + a,
    "negative": lambda a, b: -a * -b,
    "logarithm": lambda a, b: gl.log(a) - b.log(),
    "waves": lambda a, b: gl.sin(a) * gl.cos(b),
    "numbers": lambda a, b: (2 * a + 3.5) / (1 - b) - 7,
    "alpha": lambda a, b: gl.add(a, b, alpha=3) - gl.sub(b, a, alpha=2),
    "power": lambda a, b: a**2 + b.exp() * a.tanh().relu(),
    "wider": lambda a, b: (a * gl.tensor([1.0, 2.0, 3.0]) + b).sum(),
    "a constant": lambda a, b: a * gl.tensor([4.0]) + gl.tensor([0.5]) * b,
    "of no dimension": lambda a, b: a * gl.tensor(4.0, requires_grad=True) + b.sum(),
    "of two dimensions": lambda a, b: (a * gl.ones(1, 1) + b).reshape(1),
    "of another type": lambda a, b: a * gl.tensor([2]) + b.double() * a,
    "detached": lambda a, b: a * b.detach() + (a * b).detach(),
    "cloned": lambda a, b: a.clone() * b.clone(),
    "where": lambda a, b: gl.where(a > b, a * b, a / b),
    "comparison": lambda a, b: (a > b) * a + (a == b) * b,
    **{
        function.__name__.replace("_", " "): function
        for function in (
            *(accumulated, retained, hooked, in_place, differentiated_twice),
            *(without_recording, of_a_view, scattered, custom),
        )
    },
}


def tree(node):
    """The names, and what they saved, of all nodes behind one."""
    if not hasattr(node, "_saved"):
        return type(node).__name__
    names = [name for name in dir(node) if name.startswith("_saved_")]
    saved = [(name, repr(getattr(node, name))) for name in names]
    return type(node).__name__, saved, [tree(after) for after, _ in node.next_functions]


def seen(program, as_array):
    a, b = leaf(1.7, as_array), leaf(0.3, as_array)
    result = program(a, b)
    texts = [repr(result), tree(result.grad_fn)]
    result.backward(retain_graph=True)
    first = repr(a.grad)
    result.backward()
    found = [texts, first]
    for x in (result, a, b, a.grad, b.grad):
        if x is not None:
            found += [x.shape, x.dtype, x.tolist(), x._version, x.is_leaf, x.requires_grad]
    return found


@pytest.mark.parametrize("defined", [False, True], ids=["quick passes", "long passes"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_the_same_with_entries_as_with_arrays(name, defined, monkeypatch):
    monkeypatch.setattr(UsersCode, "defined", defined)
    assert seen(PROGRAMS[name], as_array=False) == seen(PROGRAMS[name], as_array=True)


def test_arithmetic_on_entries_makes_no_array_in_either_direction():
    a, b = leaf(2.0), leaf(3.0)
    c = a * b + gl.log(a) / b - 1.5
    c.backward()
    assert all(x._array is None for x in (a, b, c, a.grad, b.grad))
    assert a.grad.shape == b.grad.shape == c.shape == (1,)


@pytest.mark.parametrize("name", sorted(OF_ENTRIES))
def test_the_rules_of_entries_give_entries(name, default_dtype):
    a, b = leaf(0.7), leaf(1.9)
    made = getattr(gl, name)(*((a, b) if name in ("add", "sub", "mul", "div") else (a,)))
    made.backward()
    assert a.grad._array is None
    assert type(a.grad._entry) is default_dtype.numpy.type


def test_the_array_is_made_once_and_is_memory_that_all_share():
    x = gl.tensor([1.5])
    array, view = x.numpy(), x.view(1)
    array[0] = 4.0
    assert x.item() == view.item() == x.detach().item() == 4.0
    x.mul_(2)
    assert array.tolist() == [8.0]


def test_threads_that_ask_for_the_array_get_the_same():
    for _ in range(50):
        x, found, gate = gl.tensor([1.5]), [], threading.Barrier(4)

        def ask(x=x, found=found, gate=gate):
            gate.wait(10)
            found.append(x._data)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4
        assert all(array is x._data for array in found)


def test_a_saved_entry_that_is_changed_in_place_is_noticed():
    a, b = leaf(2.0), leaf(3.0)
    m = a * b
    c = m * a
    with gl.no_grad():
        m.add_(1)
    with pytest.raises(ModifiedInPlaceError):
        c.backward()
    assert a.grad is None


def test_what_overflows_or_is_undefined_is_silent_and_the_same():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        zero, large = leaf(0.0), leaf(5e4)
        for _ in range(8):
            large = large * large
        undefined = gl.log(-zero - 1) + zero / zero
        undefined.backward()
    assert large.isinf().all()
    assert undefined.isnan().all()
    assert zero.grad.isnan().all()


def test_minus_zero_and_small_numbers_stay_what_they_are(default_dtype):
    kind = default_dtype.numpy
    for value in (-0.0, 1e-45, -1e-310, 5.9e4, 0.1, 1 / 3):
        entry, array = gl.tensor([value])._data, np.array([value], kind)
        assert entry.tobytes() == array.tobytes()
        assert gl.tensor(value).numpy().tobytes() == array.tobytes()


def test_copies_and_pickles_of_an_entry_are_tensors_of_their_own():
    x = leaf(2.5)
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.clone()):
        assert other.tolist() == [2.5]
        assert other.shape == (1,)
    twin = copy.deepcopy(x)
    with gl.no_grad():
        twin.add_(1)
    assert x.tolist() == [2.5]


def test_half_precision_takes_large_numbers_as_before():
    gl.set_default_dtype(gl.float16)
    with np.errstate(all="ignore"):
        assert gl.tensor([6e4]).tolist() == np.array([6e4], "f2").tolist()
        assert gl.tensor([2.0, 0.5]).dtype is gl.float16
    x = gl.tensor([0.1], requires_grad=True)
    (x * 3).backward()
    assert x.grad.tolist() == [3.0]


def test_inference_mode_marks_an_entry_as_it_marks_an_array():
    with gl.inference_mode():
        x = gl.tensor([1.0])
    assert x.is_inference()
    assert not gl.tensor([1.0]).is_inference()


def test_a_parameter_of_one_entry_learns():
    w = gl.nn.Parameter(gl.tensor([1.0]))
    for _ in range(3):
        w.grad = None
        (w * w).backward()
        with gl.no_grad():
            w -= 0.25 * w.grad
    assert w.tolist() == [0.125]
