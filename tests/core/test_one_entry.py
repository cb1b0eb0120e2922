"""Tensors of shape (1,), which lessons are full of, in float32 and float64.

Read next: graphlab/tensor/tensor.py
"""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

import graphlab as gl
from graphlab.common.errors import ModifiedInPlaceError

KINDS = (gl.float32, gl.float64)


@pytest.fixture(params=KINDS, ids=str, autouse=True)
def default_dtype(request):
    gl.set_default_dtype(request.param)
    yield request.param
    gl.set_default_dtype(gl.float32)


def leaf(value):
    return gl.tensor([value], requires_grad=True)


def test_the_array_is_made_once_and_is_memory_that_all_share():
    x = gl.tensor([1.5])
    array, view = x.numpy(), x.view(1)
    array[0] = 4.0
    assert x.item() == view.item() == x.detach().item() == 4.0
    x.mul_(2)
    assert array.tolist() == [8.0]


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
