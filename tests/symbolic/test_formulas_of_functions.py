"""What `formula` writes for a Function of the user's own.

Read next: tests/symbolic/test_functions.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.autograd import Function
from graphlab.faces.symbolic.formula import formula
from tests.symbolic.conftest import leaf


class Cube(Function):
    """x³."""

    @staticmethod
    def forward(ctx, x):
        print("forward")
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2


class Sine(Cube):
    """sin x, calculated from numbers."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return graphlab.tensor(x.numpy()).sin()


class Branch(Cube):
    """x or 2 x."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 1 if x > 0 else x * 2


def test_the_formula_of_a_function_is_that_of_its_forward():
    x, v = leaf(2.0), leaf([1.0, 2.0])
    assert str(formula(2 * Cube.apply(x), {x: "x"})) == "2*x**3"
    assert str(formula(Cube.apply(v).sum(), {v: "v"})) == "v_0**3 + v_1**3"
    assert str(formula(Cube.apply(v[0]), {v: "v"})) == "v_0**3"
    assert "return 2*x**3" in formula(2 * Cube.apply(x), {x: "x"}, form="numpy")


@pytest.mark.parametrize("function", [Sine, Branch])
def test_a_function_that_is_not_one_formula_is_the_name_of_a_function(function):
    x = leaf(2.0)
    assert str(formula(2 * function.apply(x), {x: "x"})) == f"2*{function.__name__}(x)"


def test_nothing_is_printed_when_a_formula_is_read(capsys):
    x = leaf(2.0)
    made = Cube.apply(x)
    assert capsys.readouterr().out == "forward\n"
    assert str(graphlab.formula(made)) == "x**3"
    assert capsys.readouterr().out == ""
