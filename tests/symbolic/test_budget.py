"""The work of a check is counted before it is done: nothing waits for SymPy, nothing raises.

Read next: graphlab/faces/symbolic/budget.py
"""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
import sympy

import graphlab
from graphlab import nn
from graphlab.faces.symbolic import comparison
from graphlab.faces.symbolic.budget import Budget
from graphlab.faces.symbolic.check import check
from graphlab.faces.symbolic.local_derivatives import set_by
from graphlab.faces.symbolic.mp_arithmetic import MpArithmetic
from graphlab.faces.symbolic.zero_test import expansion, prove_smooth
from graphlab.primitives.sympy_reading import exact_primitives
from tests.symbolic.conftest import MOST_WORK, assert_shown, check_tex, leaf, randn

x, y = sympy.symbols("x y", real=True)


def layers(*sizes: int):
    """The loss of a network of relus whose numbers are all positive, so that none is cut off."""
    source = np.random.default_rng(0)
    h = graphlab.tensor(source.uniform(0, 1, (1, sizes[0])))
    for rows, columns in itertools.pairwise(sizes):
        W, b = (leaf(source.uniform(0, 1, shape)) for shape in ((rows, columns), (columns,)))
        h = graphlab.relu(h @ W + b)
    return ((h - 1) ** 2).mean()


def sorted_four():
    """A weighted sum of four numbers that a sorting network has put in order."""
    v = [leaf(value) for value in (3.0, 1.0, 4.0, 2.0)]
    for i, j in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):
        apart = (v[i] - v[j]).abs()
        v[i], v[j] = (v[i] + v[j] - apart) / 2, (v[i] + v[j] + apart) / 2
    return sum(k * one for k, one in enumerate(v, 1))


def six_relus():
    s = leaf(0.3)
    for value in (0.5, 0.8, 0.1, 0.3, 0.6, 0.6):
        w = leaf(value)
        s = graphlab.relu(s * w) + graphlab.relu(w - s)
    return s


def entropy_of_a_classifier():
    graphlab.manual_seed(0)
    X = graphlab.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    Y = graphlab.tensor([[0.0], [1.0], [1.0], [0.0]])
    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1), nn.Sigmoid())
    return nn.functional.binary_cross_entropy(model(X), Y)


def nested(step, times: int, begin: float):
    return functools.reduce(lambda y, _: step(y), range(times), leaf(begin))


HARD = {
    "relus 2-2-2-2-1": lambda: layers(2, 2, 2, 2, 1),
    "relus 2-2-2-2-2-1": lambda: layers(2, 2, 2, 2, 2, 1),
    "six relus": six_relus,
    "a sorting network": sorted_four,
    "binary cross-entropy": entropy_of_a_classifier,
    "a large determinant": lambda: graphlab.linalg.det(randn(20, 20)),
    "a large determinant of few symbols": lambda: graphlab.linalg.det(
        randn(12, 12).detach() * leaf(0.5)
    ),
    "a large inverse": lambda: graphlab.linalg.inv(randn(20, 20)).sum(),
    "large singular values": lambda: graphlab.linalg.svdvals(randn(30, 30)).sum(),
    "squares of squares": lambda: nested(lambda y: graphlab.relu(y * y + 0.1), 26, 0.3),
    "sigmoids of sigmoids": lambda: nested(lambda y: graphlab.sigmoid(y * 1.5), 10, 0.7),
    "sines of sines": lambda: nested(graphlab.sin, 78, 0.7),
    "quotients of quotients": lambda: nested(lambda y: 1 / (1 + y), 60, 0.7),
    "a Huber loss": lambda: nn.HuberLoss(delta=0.5)(randn(5, 4), randn(5, 4, seed=1)) ** 2,
}


@pytest.mark.parametrize("name", HARD)
def test_a_hard_check_ends_with_a_verdict_and_is_shown(name):
    report = check(HARD[name]())
    assert report.verdict in ("proved", "agrees"), repr(report)
    assert report.work < MOST_WORK
    assert "ended in" not in repr(report)
    assert_shown(report)


def test_what_the_budget_does_not_suffice_for_is_said():
    row = check(layers(2, 2, 2, 2, 2, 1), budget=0.1)[0]
    assert row.verdict == "agrees"
    assert "no proof was found within the budget" in row.note


def test_a_small_budget_is_kept():
    works = [check(layers(2, 2, 2, 1), budget=budget).work for budget in (0.05, 0.5, 5.0)]
    assert works == sorted(works)
    assert works[0] < MOST_WORK / 20


@pytest.mark.parametrize(
    "error", [OverflowError("too large"), RecursionError(), TypeError("odd"), ValueError("")]
)
def test_an_error_in_a_method_leads_to_the_next_method(monkeypatch, error):
    def fail(*args):
        raise error

    monkeypatch.setattr(comparison, "prove_zero", fail)
    row = check(leaf(2.0) ** 3)[0]
    assert row.verdict == "agrees"
    monkeypatch.setattr(comparison, "SymbolicGraph", fail)
    assert check(leaf(2.0) ** 3)[0].verdict == "agrees"
    for name in ("rounding_of", "compare_at_random_points", "float_gradients"):
        monkeypatch.setattr(comparison, name, fail)
    row = check(leaf(2.0) ** 3)[0]
    assert (row.verdict, row.ok) == ("undecided", False)
    assert row.note


# -- sizes that are known before ------------------------------------------------------------------


def test_a_power_too_large_for_a_float_is_bounded_and_not_calculated():
    assert prove_smooth(x ** (10**400) - x) is None
    assert prove_smooth((x + y) ** (10**400) - x) is None
    assert expansion(sympy.Mul(*[(x + y + n) ** 10**9 for n in range(60)])).work == float("inf")


@pytest.mark.parametrize(
    "expression",
    [(x + y) * (x - 1) * y, (x + y + 1) ** 6, (x * (y + 2) + 3) ** 3 * (x - y), sympy.exp(x + y)],
)
def test_expanding_makes_no_more_terms_than_was_said(expression):
    made = sympy.expand(expression, func=False)
    terms = sympy.Add.make_args(made)
    assert len(terms) <= expansion(expression).terms
    assert sum(len(sympy.Mul.make_args(term)) for term in terms) <= expansion(expression).work


def test_a_step_that_does_not_fit_leaves_the_budget_as_it_was():
    budget = Budget(1_000)
    assert prove_smooth((x + y + 1) ** 12 - x, budget) is None
    assert budget.refused
    assert prove_smooth((x + y) ** 2 - x**2 - 2 * x * y - y**2, budget) == "expand"


@pytest.mark.parametrize("rows", [3, 8, 12])
def test_a_determinant_and_an_inverse_have_all_their_digits(rows):
    numbers = exact_primitives(MpArithmetic(50))
    A = np.random.default_rng(rows).standard_normal((rows, rows))
    exact = np.frompyfunc(MpArithmetic(50).number, 1, 1)(A)
    assert float(numbers["det"](exact)) == pytest.approx(np.linalg.det(A), rel=1e-9)
    product = numbers["matmul"](numbers["inv"](exact), exact)
    assert np.max(np.abs(product - np.eye(rows))) < 1e-40  # 50 digits, less what elimination loses


def test_a_singular_matrix_has_the_determinant_0_and_cofactors():
    numbers = exact_primitives(MpArithmetic(50))
    A = np.random.default_rng(0).standard_normal((9, 9))
    A[8] = A[0]
    exact = np.frompyfunc(MpArithmetic(50).number, 1, 1)(A)
    assert numbers["det"](exact) == 0
    found = float(numbers["cofactors"](exact)[0, 0])
    assert found == pytest.approx(np.linalg.det(A[1:, 1:]), rel=1e-9)


def test_a_long_exponent_is_printed_without_being_simplified():
    nested = x
    for _ in range(10):
        nested = 1 / (1 + sympy.exp(-sympy.Rational(3, 2) * nested))
    tex = set_by(sympy.exp(-nested) * nested, {x: "x"})
    check_tex(tex)
    assert "dummy" not in tex.lower()
    assert set_by(sympy.exp(-(x**2)) / (1 + sympy.exp(x)), {x: "x"}) == (
        r"\frac{e^{- x^{2}}}{e^{x} + 1}"
    )
