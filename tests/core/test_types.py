"""Which shape and which type a mixture has, for anything that may stand together.

Read next: tests/core/test_random.py
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import graphlab

TYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]

WITH_TENSORS = {
    "add": lambda t, a, b: a + b,
    "mul": lambda t, a, b: a * b,
    "div": lambda t, a, b: a / b,
    "maximum": lambda t, a, b: t.maximum(a, b),
    "where": lambda t, a, b: t.where(a > 0, a, b),
    "eq": lambda t, a, b: a == b,
    "less": lambda t, a, b: a < b,
}
WITH_NUMBERS = {
    "add": lambda t, a, b: a + b,
    "mul": lambda t, a, b: b * a,
    "div": lambda t, a, b: a / b,
    "reversed div": lambda t, a, b: b / (a + 1),
    "reversed sub": lambda t, a, b: b - (a + 1),
    "pow": lambda t, a, b: (a + 1) ** b,
    "reversed pow": lambda t, a, b: (b + 1) ** a,
    "where": lambda t, a, b: t.where(a > 0, a, b),
    "eq": lambda t, a, b: a == b,
    "greater": lambda t, a, b: a >= b,
}
UNARY = ["neg", "abs", "sign", "exp", "log1p", "sqrt", "sin", "tanh", "sigmoid", "relu"]
UNARY += ["reciprocal", "square"]

# PyTorch refuses these; here they are harmless and answered
ANSWERED = {("abs", "bool"), ("argmax", "bool")}

operand = st.tuples(st.sampled_from(TYPES), st.sampled_from([(), (1,), (3,)]))


def make(lib, kind, shape):
    n = int(np.prod(shape))
    return lib.tensor([1.0, 0.0, 2.0][:n]).reshape(shape).to(getattr(lib, kind))


def outcome(lib, call, *args):
    """The result as (type, entries), or the type of the error."""
    try:
        result = call(lib, *args)
    except (RuntimeError, TypeError) as error:
        return type(error).__name__
    return str(result.dtype), tuple(result.shape), result.double().tolist()


def assert_same(ours, theirs):
    if isinstance(ours, str) or isinstance(theirs, str):
        assert ours == theirs
        return
    assert ours[:2] == theirs[:2]
    exact = "float" not in ours[0]
    # float16 and float32 functions may differ in the last bit between libraries
    rtol = 0 if exact else {"torch.float16": 2e-3, "torch.float32": 1e-6}.get(ours[0], 1e-14)
    np.testing.assert_allclose(ours[2], theirs[2], rtol=rtol)


@pytest.mark.torch
@settings(max_examples=400)
@given(st.sampled_from(sorted(WITH_TENSORS)), operand, operand)
def test_two_tensors_have_the_type_that_pytorch_gives_them(torch, name, a, b):
    call = WITH_TENSORS[name]
    ours = outcome(graphlab, call, make(graphlab, *a), make(graphlab, *b))
    assert_same(ours, outcome(torch, call, make(torch, *a), make(torch, *b)))


@pytest.mark.torch
@settings(max_examples=400)
@given(st.sampled_from(sorted(WITH_NUMBERS)), operand, st.sampled_from([True, 2, 0, 0.5, 2.0]))
def test_a_tensor_and_a_number_have_the_type_that_pytorch_gives_them(torch, name, a, number):
    if name == "reversed sub" and number is True:
        return  # PyTorch refuses to subtract from a bool; here True counts as 1
    call = WITH_NUMBERS[name]
    ours = outcome(graphlab, call, make(graphlab, *a), number)
    assert_same(ours, outcome(torch, call, make(torch, *a), number))


def pairs(names):
    return [(name, kind) for name in names for kind in TYPES if (name, kind) not in ANSWERED]


@pytest.mark.torch
@pytest.mark.parametrize(("name", "kind"), pairs(UNARY))
def test_a_function_of_one_tensor_has_the_type_that_pytorch_gives_it(torch, name, kind):
    ours = outcome(graphlab, lambda t, x: getattr(t, name)(x), make(graphlab, kind, (3,)))
    assert_same(ours, outcome(torch, lambda t, x: getattr(t, name)(x), make(torch, kind, (3,))))


@pytest.mark.torch
@pytest.mark.parametrize(("name", "kind"), pairs(["sum", "mean", "max", "argmax"]))
def test_a_reduction_has_the_type_that_pytorch_gives_it(torch, name, kind):
    def call(t, x):
        return getattr(x, name)()

    ours = outcome(graphlab, call, make(graphlab, kind, (3,)))
    assert_same(ours, outcome(torch, call, make(torch, kind, (3,))))


RECORDED = [  # PyTorch 2.13.0: the width of tensors counts, that of numbers and 0-d tensors only
    # where they are of a higher category
    (("float32", (3,)), ("float64", ()), "float32"),
    (("float32", ()), ("float64", (3,)), "float64"),
    (("int64", (3,)), ("float32", ()), "float32"),
    (("int64", (3,)), ("float32", (3,)), "float32"),
    (("uint8", (3,)), ("int8", (3,)), "int16"),
    (("bool", (3,)), ("int8", ()), "int8"),
    (("float16", (3,)), ("int64", (3,)), "float16"),
]


@pytest.mark.parametrize(("a", "b", "expected"), RECORDED)
def test_categories_come_before_widths(a, b, expected):
    assert str((make(graphlab, *a) * make(graphlab, *b)).dtype) == f"torch.{expected}"


def test_gradients_come_back_in_the_type_of_their_tensor():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    y = graphlab.tensor([3.0, 4.0], dtype=graphlab.float64, requires_grad=True)
    z = graphlab.tensor(2.0, dtype=graphlab.float64, requires_grad=True)
    out = (x * y * z).sum()
    assert out.dtype is graphlab.float64
    out.backward()
    assert [t.grad.dtype for t in (x, y, z)] == [t.dtype for t in (x, y, z)]
    assert x.grad.tolist() == [6.0, 8.0]


# -- broadcasting ------------------------------------------------------------------------------


@settings(max_examples=150)
@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3, min_side=0))
def test_a_gradient_is_summed_back_to_the_shape_that_was_broadcast(shapes):
    left, right = shapes.input_shapes
    a = graphlab.tensor(np.full(left, 2.0), requires_grad=True)
    b = graphlab.tensor(np.full(right, 3.0), requires_grad=True)
    out = a * b
    assert tuple(out.shape) == shapes.result_shape
    out.sum().backward()
    uses = int(np.prod(shapes.result_shape))
    for tensor, other in ((a, 3.0), (b, 2.0)):
        each = uses / tensor.numel() if tensor.numel() else 0
        assert tensor.grad.tolist() == np.full(tuple(tensor.shape), each * other).tolist()


@pytest.mark.torch
@settings(max_examples=150)
@given(
    hnp.array_shapes(min_dims=0, max_dims=4, max_side=3), hnp.array_shapes(min_dims=0, max_side=3)
)
def test_shapes_that_do_not_fit_are_refused_in_pytorchs_words(torch, left, right):
    def message(lib):
        try:
            return tuple((lib.ones(left) + lib.ones(right)).shape)
        except RuntimeError as error:
            return str(error)

    assert message(graphlab) == message(torch)


@pytest.mark.torch
@settings(max_examples=100)
@given(hnp.array_shapes(max_dims=4, max_side=3), hnp.array_shapes(max_dims=4, max_side=3))
def test_matmul_takes_and_refuses_the_shapes_that_pytorch_does(torch, left, right):
    def shape(lib):
        try:
            return tuple(lib.matmul(lib.ones(left), lib.ones(right)).shape)
        except RuntimeError:
            return "refused"

    assert shape(graphlab) == shape(torch)


@pytest.mark.parametrize("make", ["torch.tensor(2.0, dtype=torch.float64)", "wide[0]"])
def test_a_gradient_keeps_the_type_of_its_tensor_beside_a_wider_number(make):
    wide = graphlab.ones(2, dtype=graphlab.float64, requires_grad=True)
    number = eval(make, {"torch": graphlab, "wide": wide})
    for combine in (lambda a, b: a * b, lambda a, b: a / b, lambda a, b: b / a, graphlab.maximum):
        x = graphlab.ones(3, requires_grad=True)
        y = combine(x, number)
        assert y.dtype is graphlab.float32
        y.sum().backward()
        assert x.grad.dtype is graphlab.float32
