"""A Function that solves an equation in a loop, with a backward that describes the loop's limit.

The loop may end too early; then nobody can tell whether the backward is right. A wrong one is
found all the same.

Read next: graphlab/faces/symbolic/numeric_check.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.faces.symbolic.check import check
from tests.symbolic.conftest import leaf


def solver(step, slope, rounds=None, tolerance=None, start=0.0, end=lambda x: x):
    """Return a Function of b that repeats x = step(x, b). slope: dx/db at the limit."""

    class Solve(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, b):
            x, made, moved = graphlab.full_like(b, start), 0, 1.0
            while made < rounds if rounds else moved > tolerance:
                new = step(x, b)
                x, made, moved = new, made + 1, (new - x).abs().max().item()
            ctx.save_for_backward(x, b)
            return end(x)

        @staticmethod
        def backward(ctx, grad):
            return grad * slope(*ctx.saved_tensors)

    return Solve.apply


def step(x, b):
    return graphlab.tanh(0.5 * x + b)


def slope(x, b):
    return (1 - x**2) / (1 - 0.5 * (1 - x**2))


def newton(x, b):  # of x³ + x = b
    return x - (x**3 + x - b) / (3 * x**2 + 1)


def slope_of_root(x, b):
    return 1 / (3 * x**2 + 1)


def row_of(function, value=0.3, dtype=graphlab.float64, **options):
    b = leaf(value, dtype)
    return check(function(b).sum(), names={b: "b"}, **options)[0]


@pytest.mark.parametrize("value", [0.3, [0.3, -0.2]])
def test_a_loop_that_ends_early_leaves_its_backward_undecided_and_says_how_far_off_it_is(value):
    row = row_of(solver(step, slope, rounds=20), value)
    assert (row.verdict, row.counterexample) == ("undecided", None)
    assert "the gradient differs from the derivative by " in row.note
    assert "more rounds of the loop in the forward could change" in row.note


def test_operations_after_the_loop_do_not_hide_it():
    row = row_of(solver(step, lambda x, b: 6 * slope(x, b), rounds=20, end=lambda x: 6 * x.clone()))
    assert row.verdict == "undecided"
    assert "more rounds of the loop" in row.note


def test_an_operation_after_the_loop_that_is_also_one_of_its_own_does_not_hide_it():
    def function(slope):
        return solver(lambda x, b: 0.5 * x + b, slope, rounds=20, end=lambda x: x * 6)

    row = row_of(function(lambda x, b: 12 + 0 * x))
    assert row.verdict == "undecided"
    assert "more rounds of the loop" in row.note
    assert row_of(function(lambda x, b: 12.1 + 0 * x)).verdict == "disagrees"


@pytest.mark.parametrize(("rounds", "dtype"), [(60, graphlab.float64), (30, graphlab.float32)])
def test_a_loop_that_is_done_in_its_dtype_agrees(rounds, dtype):
    row = row_of(solver(step, slope, rounds=rounds), dtype=dtype)
    assert row.verdict == "agrees"
    assert "differs" not in row.note


def test_a_solver_with_a_tolerance_is_not_called_wrong():
    assert row_of(solver(newton, slope_of_root, tolerance=1e-4)).verdict == "undecided"
    assert row_of(solver(newton, slope_of_root, tolerance=1e-8)).verdict == "agrees"
    assert row_of(solver(step, slope, tolerance=1e-6)).verdict == "undecided"


@pytest.mark.parametrize("rounds", [8, 20, 30, 60])
@pytest.mark.parametrize("factor", [2.0, -1.0, 1.01, 1 + 1e-4])
def test_a_wrong_backward_of_a_loop_is_still_wrong(rounds, factor):
    row = row_of(solver(step, lambda x, b: factor * slope(x, b), rounds=rounds))
    assert row.verdict == "disagrees"


@pytest.mark.parametrize("factor", [1 + 1e-6, 1 + 1e-9, 1 + 1e-12])
def test_a_small_mistake_is_wrong_where_the_loop_is_done(factor):
    function = solver(step, lambda x, b: factor * slope(x, b), rounds=80)
    b = leaf(0.3, graphlab.float64)
    report = check(function(b), names={b: "b"})
    assert report[0].verdict == "disagrees"
    gradient, derivative = str(report[0].counterexample).split(" is ")[1].split(", the derivative ")
    assert gradient != derivative
    symbolic, autograd = repr(report).split("✗")[0].split()[-2:]
    assert symbolic != autograd


def test_a_wrong_backward_of_operations_that_repeat_without_a_limit_is_wrong():
    fourth = solver(lambda x, b: (x + 1) * b, lambda x, b: (1 + 1e-6) * b, rounds=4)
    assert row_of(fourth).verdict == "disagrees"


class Density(graphlab.autograd.Function):
    """The normal distribution's Φ; `factor` is 1/√(2π)."""

    factor = 0.3989422804014327

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * (1 + graphlab.erf(x / 1.4142135623730951))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * graphlab.exp(-x * x / 2) * Density.factor


@pytest.mark.parametrize("value", [0.3, [0.3, -2.0, 5.0]])
def test_constants_with_all_digits_of_float64_agree_and_with_fewer_do_not(value, monkeypatch):
    assert row_of(Density.apply, value).verdict == "agrees"
    for factor in (0.39894228, 0.3989, 0.39894228040143):
        monkeypatch.setattr(Density, "factor", factor)
        assert row_of(Density.apply, value).verdict == "disagrees"


def test_a_function_of_positive_numbers_is_told_how_to_say_so():
    root = solver(lambda x, a: 0.5 * (x + a / x), lambda x, a: 1 / (2 * x), rounds=50, start=1.0)
    row = row_of(root, 2.0)
    assert row.verdict == "disagrees"
    assert 'if b is always positive, check with assume={"b": "positive"}' in row.note
    assert row_of(root, 2.0, assume={"b": "positive"}).verdict == "agrees"
    assert "assume" not in row_of(solver(step, lambda x, b: 2 * slope(x, b), rounds=60)).note
