"""`out=` writes where PyTorch writes, resizes as it does, and refuses what it refuses.

Read next: graphlab/tensor/functions/outputs.py
"""

from __future__ import annotations

import warnings

import numpy as np
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


# one call of functions of every kind -> the empty tensors that take their results
WRITERS = {
    "exp(A)": 1, "abs(A)": 1, "sigmoid(A)": 1, "sum(A, 1)": 1, "mean(A, 0, keepdim=True)": 1,
    "amax(A, 1)": 1, "argmax(A, 1)": 1, "max(A, 1)": 2, "sort(A)": 2, "topk(A, 1)": 2,
    "clamp(A, 1.5, 3)": 1, "maximum(A, A.T)": 1, "fmod(A, 2)": 1, "gather(A, 0, I)": 1,
    "index_select(A, 0, I[0])": 1, "tril(A)": 1, "diag(A)": 1, "nonzero(A)": 1, "std(A, 1)": 1,
    "cumsum(A, 0)": 1, "cummax(A, 0)": 2, "where(A > 2, A, A.T)": 1, "addmm(A, A, A)": 1,
    "dot(A[0], A[1])": 1, "outer(A[0], A[1])": 1, "softmax(A, 1)": 1, "logsumexp(A, 1)": 1,
    "linalg.inv(A)": 1, "linalg.qr(A)": 2, "linalg.norm(A)": 1, "linalg.solve(A, A[0])": 1,
    "vstack((A, A))": 1, "take(A, I)": 1, "all(A, 1)": 1, "arccos(A / 9)": 1, "aminmax(A)": 2,
    "view_copy(A, (4,))": 1, "bucketize(A, A[0])": 1, "logical_and(A, A)": 1, "trunc(A)": 1,
}  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize(("call", "results"), WRITERS.items())
def test_functions_of_every_kind_write_into_out(call, results, torch):
    shown = []
    for lib in (graphlab, torch):
        names = {"lib": lib, "A": lib.tensor([[1.0, 2.0], [3.0, 4.5]]), "I": lib.tensor([[1, 0]])}
        found = eval(f"lib.{call}", names)
        found = found if isinstance(found, tuple) else (found,)
        outs = tuple(lib.empty(0, dtype=t.dtype) for t in found)
        assert len(outs) == results
        names["out"] = outs if results > 1 else outs[0]
        again = eval(f"lib.{call[:-1]}, out=out)", names)
        again = again if isinstance(again, tuple) else (again,)
        assert all(a is b for a, b in zip(again, outs, strict=True))
        shown.append([t.tolist() for t in outs])
    for ours, theirs in zip(*shown, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)  # float32


def test_out_must_hold_a_tensor_for_each_result():
    x = graphlab.ones(2)
    with pytest.raises(TypeError, match="expected tuple of 2 elements but got 1"):
        graphlab.sort(x, out=(x,))
    with pytest.raises(TypeError, match=r"max\(\): argument 'out' must be tuple of Tensors, not T"):
        graphlab.max(x, 0, out=x)
    with pytest.raises(TypeError, match=r"add\(\): argument 'out' must be Tensor, not list"):
        graphlab.add(x, 1, out=[x])
    with pytest.raises(TypeError, match=r"exp\(\): argument 'out' must be Tensor, not int"):
        graphlab.exp(x, out=3)


OTHER_OUTS = {
    "a row": lambda lib: lib.zeros(1).expand(3),
    "rows of a matrix": lambda lib: lib.zeros(2, 1).expand(2, 3),
    "integers": lambda lib: lib.zeros(3, dtype=lib.int64),
    "booleans": lambda lib: lib.zeros(3, dtype=lib.bool),
    "bytes": lambda lib: lib.zeros(3, dtype=lib.uint8),
    "doubles": lambda lib: lib.zeros(3, dtype=lib.float64),
}


@pytest.mark.torch
@pytest.mark.parametrize("kind", OTHER_OUTS)
@pytest.mark.parametrize(
    "name", ["sum", "prod", "amax", "amin", "all", "any", "argmax", "argmin", "cumsum"]
)
def test_a_reduction_is_written_into_any_type_and_one_place_as_pytorch_does(name, kind, torch):
    def written(lib):
        x = lib.arange(12.0).reshape(2, 2, 3) if "matrix" in kind else lib.arange(6.0).reshape(2, 3)
        out = OTHER_OUTS[kind](lib)
        try:
            with warnings.catch_warnings(action="ignore"):
                result = getattr(lib, name)(x, dim=0, out=out)
        except RuntimeError as error:
            return str(error)
        return result is out, result.tolist(), str(result.dtype).partition(".")[2]

    assert written(graphlab) == written(torch)


GIVEN = {
    "addmm": lambda lib, x: (lib.ones(2, 2), x, x.T),
    "baddbmm": lambda lib, x: (lib.ones(1, 2, 2), x[None], x.T[None]),
    "clamp": lambda lib, x: (x, 1, 2),
    "gather": lambda lib, x: (x, 0, lib.zeros(1, 3, dtype=lib.int64)),
    "index_select": lambda lib, x: (x, 0, lib.tensor([1])),
    "log_softmax": lambda lib, x: (x, 0),
    "masked_select": lambda lib, x: (x, x > 2),
    "norm": lambda lib, x: (x,),
    "softmax": lambda lib, x: (x, 0),
    "tril": lambda lib, x: (x,),
    "triu": lambda lib, x: (x,),
    "where": lambda lib, x: (x > 2, x, -x),
}


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["float64", "int64", "bool", "float16", "float32"])
@pytest.mark.parametrize("name", GIVEN)
def test_an_out_of_another_type_is_refused_in_pytorchs_words(name, kind, torch):
    def written(lib):
        x, out = lib.arange(6.0).reshape(2, 3), lib.zeros(0, dtype=getattr(lib, kind))
        try:
            return np.round(getattr(lib, name)(*GIVEN[name](lib, x), out=out).tolist(), 5).tolist()
        except RuntimeError as error:
            return str(error)

    assert written(graphlab) == written(torch)
