"""`out=` writes where PyTorch writes, resizes as it does, and refuses what it refuses.

Read next: graphlab/tensor/functions/outputs.py
"""

from __future__ import annotations

import warnings

import pytest

import graphlab

NAMES = ["add", "sub", "mul", "div", "pow", "eq", "lt", "matmul", "mm", "bmm", "cat", "stack"]
OUTS = {
    "fits": lambda lib, shape: lib.empty(*shape),
    "empty": lambda lib, shape: lib.empty(0),
    "other shape": lambda lib, shape: lib.empty(7),
    "integers": lambda lib, shape: lib.zeros(*shape, dtype=lib.int64),
    "doubles": lambda lib, shape: lib.zeros(*shape, dtype=lib.float64),
    "a leaf": lambda lib, shape: lib.zeros(*shape, requires_grad=True),
    "a view": lambda lib, shape: lib.zeros(2, *shape)[1],
}


def inputs(lib, name, tracked):
    a = lib.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=tracked)
    b = lib.tensor([[2.0, 0.5], [3.0, 1.0]])
    if name in ("cat", "stack"):
        return ((a, b),)
    if name == "bmm":
        return a[None], b[None]
    return a, b


def called(lib, name, make, tracked):
    given = inputs(lib, name, tracked)
    function = getattr(lib, name)
    out = make(lib, tuple(function(*given).shape))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            result = function(*given, out=out)
        except (RuntimeError, TypeError) as error:
            return type(error).__name__, str(error)
    said = [str(w.message).partition(" (Triggered")[0] for w in heard]
    return result is out, repr(out), out._version, said


@pytest.mark.torch
@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("kind", OUTS)
@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_written_as_pytorch_writes_it(name, kind, tracked, torch):
    make = OUTS[kind]
    assert called(graphlab, name, make, tracked) == called(torch, name, make, tracked)


def test_a_function_still_says_what_it_does():
    assert graphlab.matmul.__name__ == "matmul"
    assert graphlab.mul.__doc__


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="argument 'out' must be Tensor, not int"):
        graphlab.matmul(graphlab.ones(1, 1), graphlab.ones(1, 1), out=3)


def test_without_recording_a_leaf_may_be_written():
    out = graphlab.zeros(2, requires_grad=True)
    with graphlab.no_grad():
        assert graphlab.mul(out, 2.0, out=out) is out
