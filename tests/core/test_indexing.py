"""Random keys: what they pick, which nodes they leave, and what flows back, beside PyTorch.

Read next: tests/core/test_shapes.py
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphlab
from tests.parity.compare import compare_graph
from tests.parity.describe import graph


@st.composite
def keys(draw):
    """A shape, and a key for it: parts that fit, and now and then one that does not."""
    shape = tuple(draw(st.lists(st.integers(0, 4), min_size=1, max_size=4)))
    parts, dim, length = [], 0, draw(st.integers(1, 3))
    while dim < len(shape) and draw(st.integers(0, 5)):
        n = shape[dim]
        kind = draw(st.sampled_from(["int", "slice", "None", "list", "array", "mask", "bool"]))
        if kind == "int":
            parts.append(draw(st.integers(-n, n - 1)) if n else draw(st.integers(-1, 1)))
        elif kind == "slice":
            bound = st.none() | st.integers(-n - 2, n + 2)
            step = draw(st.none() | st.integers(1, 3))
            parts.append(slice(draw(bound), draw(bound), step))
        elif kind in ("list", "array"):
            places = st.integers(-n, n - 1) if n else st.integers(0, 0)
            size = length if n else 0
            chosen = draw(st.lists(places, min_size=size, max_size=size))
            parts.append(chosen if kind == "list" else np.array(chosen, np.int64))
        elif kind == "mask":
            both = dim + 1 < len(shape) and draw(st.booleans())
            size = shape[dim : dim + 1 + both]
            entries = draw(st.lists(st.booleans(), min_size=int(np.prod(size)), max_size=64))
            mask = np.array(entries[: int(np.prod(size))], bool).reshape(size)
            parts.append(mask)
            dim += both
        else:
            parts.append(None if kind == "None" else draw(st.booleans()))
            dim -= 1
        dim += 1
        if len(parts) > 6:
            break
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), Ellipsis)
    if draw(st.integers(0, 9)) == 0:
        some = [9, -9, slice(None), None, 0.5]  # PyTorch lets [9] pass where nothing is picked
        parts.append(draw(st.sampled_from(some if 0 in shape else [*some, [9]])))
    key = parts[0] if len(parts) == 1 and draw(st.booleans()) else tuple(parts)
    return shape, key


def entries(shape):
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def picked(lib, shape, key):
    """What a library picks: the entries, the gradient, the graph; or its error."""
    x = lib.tensor(entries(shape)).requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            y = x[translated(lib, key)]
        except (IndexError, ValueError, TypeError, RuntimeError) as error:
            return type(error).__name__, str(error).splitlines()[0], None, None
    found = graph(y.grad_fn, {id(x): "x"}, {}, [])
    y.backward(lib.arange(1.0, y.numel() + 1).reshape(y.shape))
    return y._is_view(), y.detach().numpy(), x.grad.numpy(), found


def translated(lib, key):
    """The key with tensors of the library in the place of arrays."""
    if isinstance(key, tuple):
        return tuple(translated(lib, part) for part in key)
    return lib.tensor(key) if isinstance(key, np.ndarray) else key


@pytest.mark.torch
@settings(max_examples=400)
@given(keys())
def test_any_key_picks_what_pytorch_picks_and_leaves_the_same_graph(torch, given):
    shape, key = given
    ours, theirs = picked(graphlab, shape, key), picked(torch, shape, key)
    assert ours[0] == theirs[0], (ours, theirs)
    if isinstance(theirs[0], str):
        assert ours[1] == theirs[1]
        return
    np.testing.assert_array_equal(ours[1], theirs[1])
    np.testing.assert_array_equal(ours[2], theirs[2])
    assert compare_graph(theirs[3], ours[3], "") == []


@settings(max_examples=200)
@given(keys())
def test_any_key_that_numpy_takes_picks_what_numpy_picks(given):
    shape, key = given
    lists = any(isinstance(part, list) for part in (key if isinstance(key, tuple) else (key,)))
    try:
        expected = entries(shape)[key]
    except (IndexError, ValueError, TypeError):
        return
    try:
        found = graphlab.tensor(entries(shape))[translated(graphlab, key)]
    except (IndexError, ValueError):
        assert lists or not expected.size  # an index into nothing
        return
    if first_moves(key):  # NumPy counts an integer beside arrays among them
        assert sorted(found.shape) == sorted(expected.shape)
    else:
        np.testing.assert_array_equal(found.numpy(), expected)


def first_moves(key):
    """Whether the key mixes arrays with integers, which NumPy and PyTorch order differently."""
    parts = key if isinstance(key, tuple) else (key,)
    arrays = any(isinstance(part, list | np.ndarray | bool) for part in parts)
    return arrays and any(isinstance(part, int) for part in parts)


def test_a_key_leaves_its_tensor_as_it_was():
    x = graphlab.arange(6.0).reshape(2, 3)
    before, version = x.tolist(), x._version
    x[1], x[:, 1:], x[[0, 1], 2], x[x > 2]
    assert (x.tolist(), x._version) == (before, version)


def test_indices_are_gone_once_the_graph_is_freed():
    x = graphlab.arange(3.0).requires_grad_()
    y = x[[0, 2]].sum()
    picked = y.grad_fn.next_functions[0][0]
    assert picked._saved_indices[0].tolist() == [0, 2]
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        picked._saved_indices  # noqa: B018


def test_indices_are_kept_as_they_were_when_the_node_was_made():
    index = graphlab.tensor([0, 2])
    x = graphlab.arange(3.0).requires_grad_()
    y = x[index]
    with graphlab.no_grad():
        index.fill_(1)
    y.sum().backward()
    assert x.grad.tolist() == [1, 0, 1]


COUNTS = """
x = torch.zeros((3, 4), dtype=torch.{dtype})
part = x[1]
for i, j in [(0, 1), (1, 2), (1, 2), (-1, -1)]:
    x[i, j] += 1
x[2] += 3
x[:, 1] *= 2
x[0, 0] = 5
x[1, 1:] = x[1, 1:]
x[1] -= x[2]
seen = x.tolist(), part.tolist(), x._version, part._version
"""


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float16", "float32"])
def test_counting_entries_in_place_does_what_pytorch_does(dtype, torch):
    outcomes = []
    for lib in (graphlab, torch):
        names = {"torch": lib}
        exec(COUNTS.format(dtype=dtype), names)
        outcomes.append(names["seen"])
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("kind", [list, tuple, range, graphlab.utils.data.Subset])
def test_any_sequence_of_integers_is_an_index(kind):
    made = {range: lambda: range(1, 4), graphlab.utils.data.Subset: lambda: subset}
    subset = graphlab.utils.data.Subset([0, 1, 2, 3, 4], [1, 2, 3])
    index = made.get(kind, lambda: kind([1, 2, 3]))()
    x = graphlab.arange(5)
    assert x[index,].tolist() == [1, 2, 3]
    if kind is not tuple:  # a tuple is a key of several parts
        assert x[index].tolist() == [1, 2, 3]


@pytest.mark.parametrize("key", [(3, 4), (graphlab.tensor(3), 4), tuple(graphlab.tensor([3, 4]))])
def test_counting_an_entry_takes_few_calls(key):
    x = graphlab.zeros((27, 27), dtype=graphlab.int32)
    calls = []
    sys.setprofile(lambda frame, event, what: calls.append(event) if event == "call" else None)
    try:
        x[key] += 1
    finally:
        sys.setprofile(None)
    assert x[3, 4] == 1
    assert len(calls) < 80  # the general way takes some 300


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:indexing with dtype")
@pytest.mark.parametrize("kind", ["int64", "int32", "uint8", "bool"])
def test_tensors_of_one_entry_pick_and_write_what_pytorch_does(kind, torch):
    outcomes = []
    for lib in (graphlab, torch):
        x = lib.arange(12.0).view(3, 4)
        i, j = lib.tensor([1, 0]).to(getattr(lib, kind))
        part = x[i]
        x[i] += 10
        x[i, j] = 5
        x[i, 1:] *= 2
        outcomes.append((part.tolist(), x.tolist(), part._is_view(), x[i, 1:]._version))
    assert outcomes[0] == outcomes[1]
