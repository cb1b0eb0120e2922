"""A number that the dtype cannot hold is no mistake of a rule, and nobody has changed a tensor.

Read next: graphlab/faces/symbolic/rounding_error.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.faces.symbolic.check import check
from tests.symbolic.conftest import leaf


def euler(lam):
    y = graphlab.tensor(1.0)
    for _ in range(60):
        y = y - 0.1 * lam * y
    return y * y


def spread(v):
    for _ in range(25):
        v = v + 20.0 * (graphlab.roll(v, 1) - 2 * v + graphlab.roll(v, -1))
    return (v * v).sum()


CASES = {  # name: a function, a value, the dtype, what the advice says
    "euler": (euler, 50.0, None, "float32 overflows there: its result is inf instead of 1.7"),
    "heat": (spread, [0.0, 1.0, 2.0, 1.5], None, "float32 overflows there: its result is"),
    "exp": (lambda x: x.exp() * (-x).exp(), 100.0, None, "inf instead of 2.68812e+43"),
    "float64": (lambda x: x.exp() * (-x).exp(), 1e3, graphlab.float64, "inf instead of 1.97007e+4"),
    "backward": (
        lambda x: x * x * 1e30 * 1e30,
        1e-30,
        None,
        "the gradient that it sends is inf instead of 1e+60",
    ),
    "underflow": (
        lambda x: (-x * x).exp().log(),
        15.0,
        None,
        "float32 underflows there: its result is 0 instead of 1.92195e-98",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_number_out_of_range_is_named_and_nobody_is_accused(name):
    function, value, dtype, said = CASES[name]
    report = check(function(leaf(value, dtype)))
    assert report[0].right
    assert not report.ok
    assert ": the gradient is " in str(report[0].counterexample)
    assert "loses the number of autograd" in report.summary
    assert "number lost" in report[0].word
    assert said in report.advice[0]
    assert f"! {report[0].word}" in repr(report)
    assert "✓" not in report._repr_html_()
    assert "x.data" not in repr(report)


def test_an_infinite_number_that_somebody_wrote_is_still_found():
    x = leaf(3.0)
    square = x * x
    cube = square * x
    square.data.mul_(float("inf"))
    report = check(cube)
    assert not report.ok
    assert "x.data" in report.advice[0]


def test_a_derivative_that_does_not_exist_is_no_overflow():
    x = leaf(0.0)
    report = check(graphlab.where(x == 0, 0.0, 1 / x))
    assert "overflows" not in repr(report)


@pytest.mark.parametrize(("steps", "dtype"), [(40, None), (200, None), (200, graphlab.float64)])
def test_a_number_that_rounding_spoils_is_called_lost(steps, dtype):
    x, r = leaf(0.3, dtype), leaf(3.9, dtype)
    z = x
    for _ in range(steps):
        z = r * z * (1 - z)
    report = check(z)
    assert all(row.right for row in report)
    assert report.ok == ("overflows" not in repr(report))
    assert "loses the number of autograd: " in report.summary
    assert "no derivative" not in repr(report)  # a polynomial has one everywhere


def test_a_derivative_of_zero_that_is_found_as_nearly_zero_is_not_lost():
    scores = leaf([0.1, 0.7, -0.3])
    report = check(graphlab.softmax(scores, 0).sum() + 0 * scores.sum())
    assert report.ok
    assert "lose" not in report.summary


@pytest.mark.parametrize("value", [1e-2, 1e-3, 1e-4, 3e-5])
def test_a_number_is_called_lost_however_large_it_is_beside_the_derivative(value):
    z = leaf(value)
    for loss in ((1 - z.cos()) / z**2, (z.exp() - 1 - z) / z**2):
        report = check(loss)
        off = abs(report[0].autograd_value - report[0].symbolic_value)
        assert report.ok
        assert (report[0].word == "proved, number lost") is (
            off > 0.1 * max(abs(report[0].autograd_value), abs(report[0].symbolic_value))
        )


@pytest.mark.parametrize(
    ("loss", "value", "node", "instead"),
    [
        (lambda x: -graphlab.log(1 - graphlab.sigmoid(x)), 30.0, "RsubBackward1", "9.34808e-14"),
        (lambda x: graphlab.sqrt(1 - graphlab.cos(x)), 1e-4, "RsubBackward1", "5e-9"),
        (lambda x: graphlab.log(1 + x * 1e-5 - 1), 1e-4, "SubBackward0", "1e-9"),
        (
            lambda x: -(graphlab.log(graphlab.sigmoid(x)) + graphlab.log(1 - graphlab.sigmoid(x))),
            30.0,
            "RsubBackward1",
            "9.34808e-14",
        ),
    ],
)
def test_a_difference_that_float32_rounds_to_0_is_named(loss, value, node, instead):
    x = graphlab.tensor(value, requires_grad=True)
    report = graphlab.check(loss(x))
    assert report.verdict == "proved"
    assert not report.ok
    assert "a number is lost to rounding in float32" in report[0].note
    (advice,) = report.advice
    assert advice.startswith(f"look at {node} ")
    assert advice.endswith(f"float32 rounds there: its result is 0 instead of {instead}")


@pytest.mark.parametrize(
    ("function", "value", "dtype", "node", "said"),
    [
        (lambda x: x.tanh().atanh(), 10.0, None, "Atanh", "1: its result is inf instead of 10"),
        (lambda x: x.tanh().atanh().sum(), [0.1, 10.0], None, "Atanh", "1: its result is inf"),
        (lambda x: x.tanh().atanh(), 20.0, graphlab.float64, "Atanh", "1: its result is inf"),
        (lambda x: x.sigmoid().logit(), 30.0, None, "Logit", "1: its result is inf instead of 30"),
        (
            lambda x: ((x**2).mean() - x.mean() ** 2).sqrt(),
            [100.0, 100.001, 100.001],
            None,
            "Sqrt",
            "-0.00195313: its result is nan instead of 0.000471144",
        ),
    ],
)
def test_a_result_that_is_rounded_to_where_the_next_step_has_no_value_is_named(
    function, value, dtype, node, said
):
    report = check(function(leaf(value, dtype)))
    assert (report.verdict, report.ok) == ("proved", False)
    assert "lost to rounding in float" in report[0].note
    (advice,) = report.advice
    assert advice.startswith(f"look at {node}Backward0: float")
    assert f" rounds its input to {said}" in advice
