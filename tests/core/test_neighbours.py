"""Tensors beside NumPy, DLPack, copy and pickle: shared memory, copies, and refusals.

Read next: tests/core/test_changes_in_place.py
"""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

import graphlab as gl


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_numpy_shares_the_memory_both_ways(shape):
    t = gl.zeros(shape)
    array = t.numpy()
    array[...] = 5
    assert (t == 5).all()
    t.fill_(7)
    assert (array == 7).all()


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # NumPy 2.5
def test_the_shape_of_the_array_is_not_that_of_the_tensor():
    t = gl.zeros(4)
    t.numpy().shape = (2, 2)
    assert t.shape == (4,)


def test_a_tensor_that_requires_a_gradient_is_no_array_unless_it_is_forced():
    x = gl.ones(3, requires_grad=True)
    for ask in (x.numpy, lambda: np.asarray(x), lambda: np.sin(x)):
        with pytest.raises(RuntimeError, match="Can't call numpy"):
            ask()
    with pytest.raises(BufferError, match="require gradient"):
        np.from_dlpack(x)
    x.numpy(force=True)[0] = 9
    assert x.tolist() == [9.0, 1.0, 1.0]


def test_functions_of_numpy_give_tensors():
    y = np.sin(gl.ones(2))
    assert isinstance(y, gl.Tensor)
    assert y.dtype is gl.float32
    assert isinstance(np.ones(2) * gl.ones(2), gl.Tensor)
    assert isinstance(np.ones(2) - gl.ones(2), gl.Tensor)
    assert isinstance(np.ones(2) ** gl.ones(2), gl.Tensor)
    assert isinstance(gl.ones(2) ** np.ones(2), gl.Tensor)


def test_from_numpy_shares_memory_and_begins_where_the_array_does():
    array = np.arange(6.0)[1::2]
    t = gl.from_numpy(array)
    t[0] = 50.0
    assert array[0] == 50
    assert (t.storage_offset(), t.stride(), t[1:].storage_offset()) == (0, (2,), 2)


def test_arrays_that_no_tensor_can_share_are_refused():
    with pytest.raises(ValueError, match="negative"):
        gl.from_numpy(np.ones(3)[::-1])
    with pytest.raises(ValueError, match="byte order"):
        gl.from_numpy(np.ones(3, dtype=">f4"))
    with pytest.raises(TypeError, match=r"expected np.ndarray \(got numpy.float64\)"):
        gl.from_numpy(np.float64(3))
    locked = np.ones(3)
    locked.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        gl.from_numpy(locked)


def test_dlpack_shares_memory_both_ways():
    t = gl.arange(3.0)
    assert np.shares_memory(np.from_dlpack(t), t.numpy())
    array = np.ones(2)
    assert np.shares_memory(gl.from_dlpack(array).numpy(), array)
    assert tuple(t.__dlpack_device__()) == (1, 0)


def test_a_deep_copy_has_memory_and_a_gradient_of_its_own():
    x = gl.ones(3, requires_grad=True)
    (x * 2).sum().backward()
    y = copy.deepcopy(x)
    assert y.requires_grad
    assert y.is_leaf
    assert y.grad.tolist() == [2.0, 2.0, 2.0]
    assert y.grad is not x.grad
    assert not np.shares_memory(y._data, x._data)
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)


def test_tensors_that_share_memory_do_so_in_a_deep_copy():
    t = gl.ones(4)
    both = copy.deepcopy([t, t[1:], t])
    both[0][1] = 5.0
    assert both[1].tolist() == [5.0, 1.0, 1.0]
    assert both[0] is both[2]
    assert both[1].storage_offset() == 1


def test_a_shallow_copy_is_a_leaf_that_shares_the_memory():
    x = gl.ones(3, requires_grad=True)
    y = copy.copy(x * 2)
    assert y.is_leaf
    assert y.requires_grad
    z = copy.copy(x)
    assert z.data_ptr() == x.data_ptr()
    assert z.grad is None


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x * 2, lambda x: x.sum(), lambda x: x[1:]])
def test_pickle_keeps_entries_and_whether_a_gradient_is_required(make):
    t = make(gl.arange(3.0).requires_grad_())
    back = pickle.loads(pickle.dumps(t))
    assert back.tolist() == t.tolist()
    assert back.requires_grad
    assert back.is_leaf
    assert back.dtype is t.dtype


def test_numbers_of_tensors_warn_when_a_gradient_is_lost():
    s = gl.tensor(2.0, requires_grad=True)
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True"):
        assert float(s) == 2.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(s.detach()) == 2.0
        assert s.item() == 2.0


@pytest.mark.parametrize(("entry", "error"), [(np.inf, OverflowError), (np.nan, ValueError)])
def test_what_is_no_whole_number_gives_pythons_error(entry, error):
    with pytest.raises(error) as expected:
        int(entry)
    with pytest.raises(error) as raised:
        int(gl.tensor(entry))
    assert str(raised.value) == str(expected.value)


def test_storages_warn_once_in_a_program():
    with warnings.catch_warnings(action="ignore"):
        gl.ones(2).storage()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(gl.ones(3).storage()) == 3


def test_the_memory_of_a_tensor_can_be_asked_about():
    x = gl.ones(2, 3)
    assert x.t().data_ptr() == x.data_ptr()
    assert x[1].data_ptr() - x.data_ptr() == 12
    assert x.untyped_storage().nbytes() == x[1].untyped_storage().nbytes() == 24
    assert x[None].stride() == (6, 3, 1)
    assert x[:, 1].storage_offset() == 1
    assert x.is_same_size(gl.zeros(2, 3))
    assert x.is_contiguous()
    assert not x.t().is_contiguous()


def test_a_tensor_keeps_what_is_hung_on_it_and_so_do_its_copies():
    x = gl.ones(2)
    x.label = ["x"]
    assert copy.copy(x).label is x.label
    assert copy.deepcopy(x).label == ["x"]
    assert copy.deepcopy(x).label is not x.label
    assert pickle.loads(pickle.dumps(x)).label == ["x"]
    assert not hasattr(x.clone(), "label")
    weight = gl.nn.Parameter(x)
    weight.decay = False
    assert pickle.loads(pickle.dumps(weight)).decay is False
