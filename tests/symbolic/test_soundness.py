"""No verdict without a comparison, and no number where there is no derivative.

Read next: tests/symbolic/test_functions.py
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphlab
from graphlab.faces.symbolic.check import check
from tests.symbolic.conftest import leaf, randn

functional = graphlab.nn.functional


def square(backward):
    """The square, with a backward pass of one's own: the gradient that comes in -> the other."""

    class Square(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return backward(grad, *ctx.saved_tensors)

    return Square.apply


WRONG = {"-7 g": lambda g, x: -7 * g, "nan": lambda g, x: g * math.nan, "zero": lambda g, x: 0 * g}
RIGHT = {"own": lambda g, x: 2 * x * g}


def added(x):
    return x + graphlab.tensor([0.0, -math.inf, 0.0])


def filled(x):
    return x.masked_fill(graphlab.tensor([False, True, False]), -math.inf)


def chosen(x):
    return graphlab.where(graphlab.tensor([True, False, True]), x, -math.inf)


def weighed(mask, function):
    x = leaf([0.5, 1.0, 2.0])
    return graphlab.softmax(mask(function(x)), 0) @ graphlab.tensor([1.0, 2.0, 3.0])


@pytest.mark.parametrize("mask", [added, filled, chosen])
@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_before_a_mask_of_infinities_is_found(mask, name):
    report = check(weighed(mask, square(WRONG[name])))
    assert (report.ok, report[0].verdict) == (False, "disagrees")


@pytest.mark.parametrize("mask", [added, filled, chosen])
def test_a_mask_of_infinities_prevents_no_proof(mask):
    (row,) = check(weighed(mask, square(RIGHT["own"])))
    assert (row.verdict, row.defined) == ("proved", True)
    np.testing.assert_allclose(row.symbolic_value, row.autograd_value, rtol=1e-5)
    assert row.symbolic_value[1] == 0


@pytest.mark.parametrize("planted", [False, True])
def test_causal_attention_is_compared(planted):
    q, k, v = randn(1, 3, 2), randn(1, 3, 2), randn(1, 3, 2)
    mistaken = square(WRONG["-7 g"])(v) if planted else v * v
    made = functional.scaled_dot_product_attention(q, k, mistaken, is_causal=True)
    report = check(made.sum(), names={q: "q", k: "k", v: "v"})
    assert report.ok is not planted
    assert report["v"].verdict == ("disagrees" if planted else "proved")
    assert all(np.all(np.isfinite(row.symbolic_value)) for row in report)


def test_an_infinite_root_is_not_called_right():
    for function in (square(RIGHT["own"]), square(WRONG["-7 g"])):
        assert not check(function(leaf(2.0)) * math.inf).ok
    assert check(graphlab.minimum(leaf(2.0) ** 2, graphlab.tensor(math.inf))).ok


@pytest.mark.parametrize(
    ("function", "value", "slope"),
    [
        (graphlab.sqrt, 0.0, math.inf),
        (graphlab.asin, 1.0, math.inf),
        (graphlab.acos, -1.0, -math.inf),
        (graphlab.acosh, 1.0, math.inf),
        (lambda x: x**0.5, 0.0, math.inf),
    ],
)
def test_an_infinite_derivative_is_called_infinite(function, value, slope):
    (row,) = check(function(leaf(value)))
    assert (row.symbolic_value, row.autograd_value) == (slope, slope)
    assert "here the derivative is infinite" in row.note
    assert (row.ok, row.defined) == (True, False)


@pytest.mark.parametrize(
    ("function", "value", "slope"),
    [
        (graphlab.sinc, 0.0, 0.0),
        (lambda x: x * graphlab.abs(x), 0.0, 0.0),
        (lambda x: x**2 * graphlab.sign(x), 0.0, 0.0),
        (lambda x: graphlab.abs(x) ** 3 * graphlab.exp(x), 0.0, 0.0),
        (lambda x: x**1.5, 0.0, 0.0),
        (lambda x: (x * graphlab.abs(x)).exp(), 0.0, 0.0),
    ],
)
def test_a_derivative_at_a_special_point_is_a_number(function, value, slope):
    (row,) = check(function(leaf(value)))
    assert (row.verdict, row.defined) == ("proved", True)
    assert row.symbolic_value == slope == row.autograd_value


@pytest.mark.parametrize("values", [[0.0, 0.0], [0.0, 0.0, 0.0]])
def test_the_norm_of_zeros_lies_on_a_kink(values):
    (row,) = check(leaf(values).norm())
    assert row.ok
    assert "any slope from -1 to 1 is valid, autograd takes 0" in row.note


@pytest.mark.parametrize("padding", [1, -1])
def test_the_padding_of_an_embedding_is_a_constant(padding):
    table = leaf([[1.0, 2.0], [3.5, 4.0], [5.0, 6.0]])
    rows = functional.embedding(graphlab.tensor([0, 1, 1, 2]), table, padding_idx=padding)
    (row,) = check((graphlab.tanh(rows) ** 2).sum())
    assert row.verdict == "proved"
    assert not np.any(row.symbolic_value[padding])


def test_a_padding_that_is_used_elsewhere_has_a_gradient():
    table = leaf([[1.0, 2.0], [3.5, 4.0]])
    rows = functional.embedding(graphlab.tensor([0, 1]), table, padding_idx=1)
    (row,) = check((rows * rows).sum() + 3 * table.sum(), names={table: "E"})
    assert row.verdict == "proved"
    np.testing.assert_allclose(row.symbolic_value, [[5.0, 7.0], [3.0, 3.0]])


@pytest.mark.parametrize("kind", [graphlab.float32, graphlab.float64])
@pytest.mark.parametrize("value", [1.0, 3.0, 0.1])
def test_the_determinant_of_equal_entries_is_right(value, kind):
    x = graphlab.tensor(np.full((3, 3), value), dtype=kind, requires_grad=True)
    assert check(graphlab.det(x))[0].verdict == "proved"


def test_gradients_that_are_zero_but_for_rounding_are_right():
    graphlab.manual_seed(0)
    layer = graphlab.nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0)
    made = layer(graphlab.randn(5, 2, 8), graphlab.randn(4, 2, 8))
    assert check(made.sum()).ok


def test_a_number_that_another_run_does_not_give_again_is_no_rounding():
    x = graphlab.tensor([0.5, 2.0], dtype=graphlab.float16, requires_grad=True)
    y = x.exp()
    y.register_hook(lambda grad: grad * 1.01)  # rounding in float16 may move a gradient so far
    assert check((y * y).sum())[0].hooked
    x = leaf([3.0, 60.0])
    h = x * 1.0
    y = h * h
    h.data.mul_(2)
    assert check(y.outer(y).sin().sum())[0].verdict == "disagrees"


def test_functions_of_huge_numbers_have_values():
    x = leaf([1e30, 1.0])
    assert check(x.logsumexp(0))[0].symbolic_value.tolist() == [1.0, 0.0]
    row = check(graphlab.sin(leaf(np.float64(1e22))))[0]
    assert row.symbolic_value == pytest.approx(math.cos(1e22))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda x: x * math.nan, "the function has no finite value here"),
        (lambda x: graphlab.where(x > 0, x, math.nan), "its one step uses a rule"),
    ],
)
def test_what_nan_leaves_is_told(make, told):
    assert told in graphlab.check(make(leaf(2.0)))[0].note


def test_rounding_is_told_once_for_all_entries():
    note = check(graphlab.sin(leaf([3e7, 1e8, 5e7]) * 0.3).sum())[0].note
    assert note.count("float32 rounds here: autograd is off by up to") == 1


@pytest.mark.parametrize("a", [40.0, 200.0])
def test_rounding_within_a_rule_is_no_mistake(a):
    # the rule is exp((a - 1) log x - x - log Γ(a)): terms of some hundreds leave 13 digits of 16
    x = leaf(np.float64(a + 1))
    y = graphlab.special.gammainc(graphlab.tensor(a, dtype=graphlab.float64), x)
    assert check(y)[0].verdict == "proved"


def test_a_gradient_whose_formula_cancels_beyond_50_digits_is_no_mistake():
    x = leaf(np.float64(3.0))
    row = check(graphlab.special.gammainc(graphlab.tensor(100.0, dtype=graphlab.float64), x))[0]
    assert row.verdict == "proved"
    assert row.symbolic_value == pytest.approx(3.0**99 * math.exp(-3) / math.factorial(99))


@pytest.mark.parametrize("a", [500.0, 9_900.0, 1e6])  # mpmath's series took up to two minutes
@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_an_incomplete_gamma_function_of_a_large_number_is_compared_in_float64(name, a):
    x = leaf(np.float64(a + 1))
    y = getattr(graphlab.special, name)(graphlab.tensor(a, dtype=graphlab.float64), x)
    assert check(y)[0].verdict == "agrees"


def test_a_constant_of_fewer_digits_is_no_mistake():
    half = graphlab.tensor([0.296, 1.22], dtype=graphlab.float16)  # 0.2958984375, 1.2197265625
    assert check((leaf([1.0, 2.0]) * half).sum())[0].verdict == "proved"


def test_a_bessel_function_at_infinity_has_no_value_to_compare():
    assert "infinite" in check(graphlab.i0(leaf([1.0, math.inf])).sum())[0].note


@pytest.mark.parametrize("mistake", [1e-4, -1e-3, 1.0])
def test_a_wrong_gradient_is_no_rounding(mistake):
    graphlab.manual_seed(0)
    layer, x = graphlab.nn.LayerNorm(4), graphlab.randn(3, 4, requires_grad=True)
    wrong = square(lambda g, x: 2 * x * g * (1 + mistake))
    assert not check(layer(wrong(x)).sum() + wrong(x)[0, 0]).ok


def test_an_entry_that_was_not_compared_has_no_number():
    table, bias = leaf(np.ones((40, 8))), leaf(np.ones(8))
    report = check(graphlab.sin(table @ bias).sum(), names={table: "W", bias: "b"})
    assert len(report["b"].sampled) == 4
    assert "nan" not in repr(report)
    assert repr(report).count("—") >= 4


@pytest.mark.parametrize("size", [2, 100])  # by formulas, by 50 digits
def test_a_wrong_forward_is_not_called_right(size, monkeypatch):
    kernels = graphlab.primitives.table.numpy_primitives()["sin"]
    x = leaf(np.linspace(0.1, 1.0, size))
    assert check(graphlab.sin(x).sum()).ok
    monkeypatch.setattr(
        "graphlab.faces.symbolic.interpretation.numpy_primitives",
        lambda: {**graphlab.primitives.table.numpy_primitives(), "sin": lambda x: 1.1 * kernels(x)},
    )
    made = graphlab.sin(x)
    made._data = made._data * 1.1
    (row,) = check(made.sum())
    assert row.verdict == "undecided"
    assert "but exact arithmetic gives" in row.note


@pytest.mark.parametrize("turn", [lambda x: x.transpose(0, -1), lambda x: x.squeeze(0)])
def test_a_number_is_turned_as_an_array_is(turn):
    row = check(turn(leaf(2.0)) * 3)[0]
    assert (row.verdict, row.settled_by) == ("proved", "identical")


@pytest.mark.parametrize("name", ["svdvals", "eigvalsh"])
@pytest.mark.parametrize("dtype", [graphlab.float32, graphlab.float64])
def test_equal_singular_values_are_a_kink_and_no_rounding(name, dtype):
    x = graphlab.eye(2, dtype=dtype, requires_grad=True)
    row = check(getattr(graphlab.linalg, name)(x)[0])[0]
    assert "any slope from 0 to 1 is valid" in row.note
    assert "rounds here" not in row.note
    assert row.lost == ""
