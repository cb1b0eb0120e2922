"""Where autograd gives nan for a finite value: no derivative is claimed at a corner, and advice.

Read next: tests/symbolic/test_diagnosis.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab as torch
from tests.symbolic.conftest import leaf


def length(x):
    return torch.sqrt((x**2).sum())


@pytest.mark.parametrize("start", [0.0, [0.0, 0.0]])
def test_at_a_corner_with_nan_no_derivative_is_stated(start):
    x = leaf(start)
    report = torch.check(length(x))
    row = report["x"]
    assert row.word.endswith("where defined")
    assert (row.ok, row.defined, row.counterexample) == (True, False, None)
    assert np.all(np.isnan(row.symbolic_value))
    assert "no derivative: the slope is -1 on the left and 1 on the right" in row.note
    assert "autograd gives nan" in row.note
    assert "any slope" not in row.note
    assert report.advice[0].startswith("look at SqrtBackward0 (")
    assert "PowBackward0 multiplies it by 0: inf · 0 = nan; for a length" in report.advice[0]


def test_a_power_at_its_corner_has_no_derivative_either():
    x = leaf(0.0)
    row = torch.check((x**2) ** 0.5)["x"]
    assert row.word.endswith("where defined")
    assert np.isnan(row.symbolic_value)


def test_a_length_that_takes_a_slope_at_its_corner_is_proved():
    x = leaf([0.0, 0.0])
    row = torch.check(torch.linalg.norm(x))["x"]
    assert row.word == "proved"
    assert "any slope from -1 to 1 is valid, autograd takes 0" in row.note


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_gradient_of_zero_times_infinity_is_explained():
    x = leaf(0.0)
    report = torch.check(torch.where(x == 0, torch.ones(()), torch.sin(x) / x))
    assert not report.ok
    (advice,) = report.advice
    assert advice.startswith("look at DivBackward0 (")
    assert "0 · inf = nan; where() sends 0 to the branch that it does not take" in advice
    report = torch.check(x * torch.sqrt(x))
    (advice,) = report.advice
    assert advice.startswith("look at SqrtBackward0 (")
    assert "where()" not in advice


BESIDE = {  # name: a function of 0 with a mask, the derivative that its row tells, its note
    "root": (
        lambda x: torch.where(x > 0, x.sqrt(), 0.0),
        np.nan,
        "here there is no derivative: the slope is 0 on the left and inf on the right",
    ),
    "x log x": (
        lambda x: torch.where(x > 0, x * x.log(), 0.0),
        np.nan,
        "here there is no derivative: the slope is 0 on the left and -inf on the right",
    ),
    "log": (lambda x: torch.where(x > 0, x.log(), 0.0), np.nan, "the function jumps"),
    "sinc": (lambda x: torch.where(x.abs() < 1e-3, 1 - x**2 / 6, x.sin() / x), 0.0, ""),
}


@pytest.mark.parametrize("name", BESIDE)
def test_a_branch_that_is_not_taken_makes_nan_which_is_wrong_and_no_kinks_that_cancel(name):
    function, derivative, note = BESIDE[name]
    x = leaf(0.0)
    report = torch.check(function(x))
    row = report["x"]
    assert (row.verdict, report.ok) == ("disagrees", False)
    np.testing.assert_equal(row.symbolic_value, derivative)
    assert "kinks cancel" not in row.note
    assert note in row.note
    assert "an intermediate value is infinite or NaN: autograd gives nan" in row.note
    assert "where() sends 0 to the branch that it does not take" in report.advice[0]


@pytest.mark.parametrize(
    ("factors", "values"), [("eigh", "eigenvalues"), ("svd", "singular values")]
)
def test_eigenvectors_of_equal_eigenvalues_are_named(factors, values):
    x = torch.eye(2, dtype=torch.float64, requires_grad=True)
    one, other = getattr(torch.linalg, factors)(x)[:2]
    report = torch.check((one if factors == "svd" else other).sum())
    assert report.advice[-1].endswith(
        f"the differences of the {values}, and two of them are equal here"
    )
