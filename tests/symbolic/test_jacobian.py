"""The Jacobian and the Hessian, as formulas, beside autograd's own numbers.

Read next: graphlab/faces/symbolic/jacobian.py
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import graphlab
from tests.symbolic.conftest import Tags, leaf, randn
from tests.symbolic.test_display import ALLOWED


def test_the_jacobian_of_a_product_is_its_matrix():
    A, x = randn(2, 3), randn(3, seed=1)
    y = A @ x
    J = graphlab.check(y, gradient=graphlab.ones(2)).jacobian(x)
    assert (J.rows, J.columns) == (("y_0", "y_1"), ("x_0", "x_1", "x_2"))
    assert [[str(J.formula[i, j]) for j in range(3)] for i in range(2)] == [
        ["A_0_0", "A_0_1", "A_0_2"],
        ["A_1_0", "A_1_1", "A_1_2"],
    ]
    np.testing.assert_array_equal(J.autograd_value, A._data)
    assert J.difference == 0


def test_the_hessian_of_a_quadratic_form():
    A, x = randn(2, 2), randn(2, seed=1)
    q = x @ A @ x
    H = graphlab.check(q).hessian(x)
    assert str(H.formula[0, 1]) == "A_0_1 + A_1_0"
    assert sympy.simplify(H.formula - H.formula.T) == sympy.zeros(2, 2)
    np.testing.assert_allclose(H.value, A._data + A._data.T, rtol=1e-6)
    assert H.difference < 1e-6


def test_the_hessian_beside_what_finite_differences_give():
    x, y = leaf(1.5), leaf(0.5)
    w = graphlab.exp(x * y) * graphlab.sin(x) + graphlab.relu(x - y) * y
    H = graphlab.check(w).hessian()
    assert H.shape == (2, 2)
    assert H.difference < 1e-5

    def f(a, b):
        return np.exp(a * b) * np.sin(a) + max(a - b, 0) * b

    h = 1e-4
    mixed = (
        f(1.5 + h, 0.5 + h) - f(1.5 + h, 0.5 - h) - f(1.5 - h, 0.5 + h) + f(1.5 - h, 0.5 - h)
    ) / (4 * h * h)
    assert H.value[0, 1] == pytest.approx(mixed, rel=1e-5)  # error h²


def test_what_is_linear_has_a_hessian_of_zeros():
    x, y = leaf(1.5), leaf(0.5)
    H = graphlab.check(3 * x + y).hessian()
    assert H.formula == sympy.zeros(2, 2)
    assert H.difference == 0


def test_nothing_is_changed_by_it():
    x = randn(2)
    y = x * x
    y.retain_grad()
    w = (y * x).sum()
    report = graphlab.check(w)
    report.jacobian(), report.hessian()
    assert x.grad is None
    assert y.grad is None
    w.backward()
    np.testing.assert_allclose(x.grad._data, 3 * x._data**2, rtol=1e-6)


def test_after_a_backward_pass_the_formulas_are_still_there():
    x = leaf(3.0)
    w = x**3
    report = graphlab.check(w)
    w.backward()
    H = report.hessian()
    assert str(H.formula[0, 0]) == "6*x"
    assert H.autograd_value is None
    assert "the graph was freed" in repr(H)


def test_too_many_and_too_few_are_said():
    x = randn(30)
    report = graphlab.check((x * x).sum())
    with pytest.raises(ValueError, match="900 derivatives are too many, at most 400"):
        report.hessian()
    said = r"takes leaves of the checked graph, one or a list of \['x'\], got Tensor tensor"
    with pytest.raises(ValueError, match=said):
        report.jacobian(leaf(1.0))
    y = x[:2] * 2
    with pytest.raises(ValueError, match="a Hessian needs a function with one value"):
        graphlab.check(y, gradient=graphlab.ones(2)).hessian()


def test_it_is_text_a_table_and_code():
    x, y = leaf(2.0), leaf(3.0)
    H = graphlab.check(x * x * y).hessian()
    assert repr(H).splitlines() == [
        "Hessian, shape (2, 2)",
        "",
        "   x    y",
        "x  2*y  2*x",
        "y  2*x  0",
        "",
        "autograd gives exactly these values",
    ]
    assert H.latex() == r"\left[\begin{matrix}2 y & 2 x\\2 x & 0\end{matrix}\right]"
    page = Tags(H._repr_html_())
    assert page.tags <= ALLOWED
    assert "$\\displaystyle 2 y$" in page.text
    held: dict = {}
    exec(H.numpy_code(), held)
    np.testing.assert_array_equal(held["derivative"](2.0, 3.0), H.value)
