"""Every pair of types in every operation, beside PyTorch: types, values, wrapping, and refusals.

Read next: tests/core/test_random.py
"""

from __future__ import annotations

import operator
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphlab

pytestmark = pytest.mark.torch
TYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]

OPERATORS = {
    name: getattr(operator, name)
    for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift",
        "rshift", "lt", "le", "gt", "ge", "eq", "ne",
    )
}  # fmt: skip
FUNCTIONS = [
    "add", "sub", "mul", "div", "floor_divide", "remainder", "fmod", "pow", "maximum", "minimum",
    "fmax", "fmin", "atan2", "hypot", "logaddexp", "copysign", "eq", "lt", "logical_and",
    "logical_xor", "bitwise_and", "bitwise_xor", "bitwise_left_shift", "xlogy", "float_power",
    "isclose", "gcd", "true_divide", "heaviside",
]  # fmt: skip
UNARY = [
    "neg", "abs", "sign", "sgn", "square", "sqrt", "exp", "log", "reciprocal", "floor", "ceil",
    "round", "trunc", "frac", "sigmoid", "relu", "logical_not", "bitwise_not", "isnan", "isfinite",
    "signbit", "sinc", "lgamma", "erfinv", "logit", "rad2deg", "isposinf", "isreal", "positive",
    "sin", "tanh", "erf", "exp2", "expm1", "log1p", "rsqrt", "nan_to_num", "digamma", "deg2rad",
]  # fmt: skip
REDUCTIONS = [
    "sum", "prod", "mean", "max", "min", "argmax", "argmin", "all", "any", "median", "nansum",
    "amax", "amin", "aminmax", "count_nonzero", "var", "std", "cumsum", "cumprod", "cummax",
    "cummin", "logcumsumexp", "mode", "kthvalue", "sort", "unique", "logsumexp", "softmax",
    "log_softmax", "nanmean", "var_mean", "diff",
]  # fmt: skip
WITH_DIM = {
    "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "logsumexp", "softmax", "log_softmax",

}  # fmt: skip

ENTRIES = {"b": [True, False, True], "f": [1.5, -2.0, 0.5], "i": [3, -2, 1], "u": [3, 254, 1]}
SHAPES = [(3,), ()]
NUMBERS = [True, 2, -3, 0, 300, 1.5, -0.5, 0.0]


def made(lib, kind, shape):
    entries = ENTRIES[np.dtype(kind).kind]
    return lib.tensor(entries if shape else entries[0], dtype=getattr(lib, kind))


def outcome(call):
    """The types, shapes and entries that a call gives, or the name of the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = call()
    except (RuntimeError, TypeError, NotImplementedError, OverflowError) as error:
        return type(error).__name__
    parts = result if isinstance(result, tuple) else (result,)
    return [(str(t.dtype), tuple(t.shape), t.double().numpy()) for t in parts]


def assert_same(ours, theirs):
    if isinstance(ours, str) or isinstance(theirs, str):
        assert ours == theirs
        return
    for (kind, shape, a), (their_kind, their_shape, b) in zip(ours, theirs, strict=True):
        assert (kind, shape) == (their_kind, their_shape)
        # float16 and float32 functions may differ in the last bits between libraries
        rtol = {"torch.float16": 3e-3, "torch.float32": 3e-6}.get(kind, 1e-13)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol / 5)


operand = st.tuples(st.sampled_from(TYPES), st.sampled_from(SHAPES))


@settings(max_examples=1500)
@given(st.sampled_from([*OPERATORS, *FUNCTIONS]), operand, operand)
def test_two_tensors_give_what_pytorch_gives(torch, name, a, b):
    def call(lib):
        x, y = made(lib, *a), made(lib, *b)
        return lambda: OPERATORS[name](x, y) if name in OPERATORS else getattr(lib, name)(x, y)

    assert_same(outcome(call(graphlab)), outcome(call(torch)))


@settings(max_examples=1500)
@given(st.sampled_from([*OPERATORS]), operand, st.sampled_from(NUMBERS), st.booleans())
def test_a_tensor_and_a_number_give_what_pytorch_gives(torch, name, a, number, turned):
    def call(lib):
        x = made(lib, *a)
        pair = (number, x) if turned else (x, number)
        return lambda: OPERATORS[name](*pair)

    assert_same(outcome(call(graphlab)), outcome(call(torch)))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", UNARY)
def test_one_tensor_gives_what_pytorch_gives(torch, name, kind):
    def call(lib):
        x = made(lib, kind, (3,))
        return lambda: getattr(lib, name)(x)

    assert_same(outcome(call(graphlab)), outcome(call(torch)))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_gives_what_pytorch_gives(torch, name, kind):
    def call(lib):
        x = made(lib, kind, (3,))
        rest = (0,) if name in WITH_DIM else (2,) if name == "kthvalue" else ()
        return lambda: getattr(lib, name)(x, *rest)

    assert_same(outcome(call(graphlab)), outcome(call(torch)))


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_a_conversion_gives_what_pytorch_gives(torch, source, target):
    ours = outcome(lambda: made(graphlab, source, (3,)).to(getattr(graphlab, target)))
    assert_same(ours, outcome(lambda: made(torch, source, (3,)).to(getattr(torch, target))))


@pytest.mark.parametrize("a", TYPES)
@pytest.mark.parametrize("b", TYPES)
def test_types_are_promoted_and_cast_as_in_pytorch(torch, a, b):
    for name in ("promote_types", "can_cast"):
        ours = getattr(graphlab, name)(getattr(graphlab, a), getattr(graphlab, b))
        assert str(ours) == str(getattr(torch, name)(getattr(torch, a), getattr(torch, b)))


@pytest.mark.parametrize("kind", TYPES)
def test_the_limits_of_a_type_are_pytorchs(torch, kind):
    def limits(lib):
        d = getattr(lib, kind)
        try:
            found = (lib.finfo if d.is_floating_point else lib.iinfo)(d)
        except TypeError as error:
            return str(error)
        return repr(found), found.bits, found.max, found.min, d.itemsize, d.is_signed

    assert limits(graphlab) == limits(torch)
