"""Gradients in matrix notation: what the books say, shown when the entries agree.

Read next: graphlab/faces/symbolic/matrix_notation.py
"""

from __future__ import annotations

import pytest
import sympy

import graphlab
from graphlab.faces.symbolic import matrix_rules
from graphlab.faces.symbolic.check import check
from graphlab.faces.symbolic.matrix_terms import add, name, product, scaled, transpose
from tests.symbolic.conftest import assert_shown, leaf, randn

F = graphlab.nn.functional
T = r"^{\mathsf{T}}"
INVERSE_T = r"^{-\mathsf{T}}"


def notations(root, **names) -> dict[str, str]:
    """The notation of each gradient, by the name of the leaf."""
    frame = dict(names)  # the caller's names reach `check` as variables
    report = check(root, names={t: n for n, t in frame.items()})
    assert report.ok
    return {row.name: row.matrix for row in report}


def square(seed=0):
    return randn(3, 3, seed=seed)


def test_of_a_quadratic_form():
    A, x = square(), randn(3, seed=1)
    found = notations(x @ A @ x, A=A, x=x)
    assert found["x"] == rf"\left(A + A{T}\right)\,x"
    assert found["A"] == rf"x\,x{T}"


def test_a_number_before_two_summands_is_written_once():
    A, u = square(), randn(3, seed=1)
    found = notations(graphlab.tanh(u @ A @ u), A=A, u=u)
    slope = rf"\left(1 - \tanh^{{2}}{{\left(u{T}\,A\,u\right)}}\right)"
    assert found["u"] == rf"{slope}\,\left(A + A{T}\right)\,u"
    assert found["A"] == rf"{slope}\,u\,u{T}"


def test_of_a_determinant_and_its_logarithm():
    P = leaf([[2.0, 0.1], [0.3, 1.5]])
    assert notations(graphlab.logdet(P), P=P) == {"P": f"P{INVERSE_T}"}
    assert notations(graphlab.det(P), P=P) == {"P": rf"\det\left(P\right)\,P{INVERSE_T}"}


def test_of_a_trace():
    A, B = square(), square(1)
    found = notations((A @ B).trace(), A=A, B=B)
    assert found == {"A": f"B{T}", "B": f"A{T}"}


@pytest.mark.parametrize("loss", [lambda r: (r**2).sum(), lambda r: graphlab.norm(r) ** 2])
def test_of_least_squares(loss):
    A, x, b = square(), randn(3, seed=1), graphlab.tensor([1.0, 2.0, 4.0])
    found = notations(loss(A @ x - b), A=A, x=x, b=b)
    assert found["x"] == rf"2\,A{T}\,\left(A\,x - b\right)"
    assert found["A"] == rf"2\,\left(A\,x - b\right)\,x{T}"


def test_of_the_mean_of_squares():
    A, x, b = square(), randn(3, seed=1), graphlab.tensor([1.0, 2.0, 4.0])
    found = notations(F.mse_loss(A @ x, b), A=A, x=x, b=b)
    assert found["x"] == rf"\frac{{2}}{{3}}\,A{T}\,\left(A\,x - b\right)"


def test_of_a_norm():
    A, x = square(), randn(3, seed=1)
    norm = r"\frac{1}{\lVert A\,x \rVert}"
    assert notations(graphlab.norm(A @ x), A=A, x=x)["x"] == rf"{norm}\,A{T}\,A\,x"


def test_a_long_fraction_before_a_matrix_is_a_decimal():
    x, y = leaf([1.0, 2.0]), graphlab.tensor([3.0, 1.0])
    row = check((x * y).sum() / (x.norm() * y.norm()), names={x: "x", y: "y"})[0]
    assert row.matrix.startswith(r"\frac{0.316228\ldots}{\lVert x \rVert}\,y - ")


def test_of_a_linear_layer_what_flows_in_is_called_by_its_name():
    X = graphlab.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
    W, c = randn(2, 3), randn(2, seed=1)
    Y = F.linear(X, W, c)
    loss = graphlab.softmax(Y, 1)[0, 1]
    report = graphlab.check(loss)
    upstream = r"\left(\frac{\partial \mathrm{loss}}{\partial Y}\right)"
    assert report["W"].matrix == rf"{upstream}{T}\,X"
    assert report["c"].matrix == rf"{upstream}{T}\,\mathbf{{1}}"


def test_of_a_function_of_each_entry():
    A, x = square(), randn(3, seed=1)
    slope = r"\left(1 - \tanh^{2}{\left(A\,x\right)}\right)"
    assert notations(graphlab.tanh(A @ x).sum(), A=A, x=x)["x"] == rf"A{T}\,{slope}"


def test_of_an_inverse_and_of_a_solution():
    P, b = leaf([[2.0, 0.1], [0.3, 1.5]]), graphlab.tensor([1.0, 2.0])
    ones = rf"\mathbf{{1}}\mathbf{{1}}{T}"
    found = notations(graphlab.inverse(P).sum(), P=P)
    assert found == {"P": rf"-P{INVERSE_T}\,{ones}\,P{INVERSE_T}"}
    found = notations(graphlab.linalg.solve(P, b).sum(), P=P, b=b)
    assert found == {"P": rf"-P{INVERSE_T}\,\mathbf{{1}}\,b{T}\,P{INVERSE_T}"}


def test_what_the_table_does_not_know_has_no_notation():
    x = randn(3)
    assert notations(graphlab.softmax(x, 0)[0], x=x) == {"x": ""}
    assert notations(randn(2, 2, 2).sum()) == {"x1": ""}
    assert notations((x * graphlab.tensor([1.0, 2.0, 3.0])).sum(), x=x) == {"x": ""}  # no name
    assert notations(leaf(2.0) ** 2) == {"x1": ""}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda a, b, *strides: matrix_rules.turned(matrix_rules.matmul(a, b)),
        lambda a, b, *strides: matrix_rules.times(matrix_rules.matmul(a, b), -1),
        lambda a, b, *strides: matrix_rules.times(matrix_rules.matmul(a, b), 2),
    ],
)
def test_a_wrong_primitive_is_never_shown(wrong, monkeypatch):
    A, B = square(), square(1)
    assert notations((A @ B).trace(), A=A, B=B)["A"]
    monkeypatch.setitem(matrix_rules.PRIMITIVES, "matmul", wrong)
    assert notations((A @ B).trace(), A=A, B=B) == {"A": "", "B": ""}


def test_terms_are_put_in_order():
    data = sympy.symarray("a", (2, 2))
    A, B, x = name("A", data), name("B", data), name("x", data[0])
    assert transpose(product(A, B)).tex == rf"B{T}\,A{T}"
    assert transpose(transpose(A)).tex == "A"
    assert add(A, A).tex == r"2\,A"
    assert add(A, scaled(A, -1)).tex == r"0\,\mathbf{1}\mathbf{1}^{\mathsf{T}}"
    assert add(product(A, x), product(B, x)).tex == r"\left(A + B\right)\,x"
    assert product(scaled(A, 2), scaled(B, 3)).tex == r"6\,A\,B"
    assert (product(transpose(x), x).entries() == data[0].dot(data[0])).all()


def test_the_notation_stands_beside_the_entries():
    A, x = square(), randn(3, seed=1)
    html = graphlab.check(x @ A @ x)._repr_html_()
    assert r"= \left(A + A^{\mathsf{T}}\right)\,x$" in html


@pytest.mark.parametrize(
    "call",
    [
        lambda A, B: graphlab.linalg.inv(graphlab.linalg.inv(A)).sum(),
        lambda A, B: (graphlab.linalg.inv(B) ** 2).sum() * (A * A).sum(),
        lambda A, B: (graphlab.linalg.inv(A) ** 3).sum(),
        lambda A, B: (1 / A.T).sum(),
    ],
)
def test_a_power_of_a_power_has_brackets(call):
    A, B = leaf([[2.0, 0.3], [0.1, 1.5]]), leaf([[1.7]])
    assert_shown(graphlab.check(call(A, B)))


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda b, c: 1 / (b @ b), rf"-\frac{{2}}{{\left(b{T}\,b\right)^{{2}}}}\,b"),
        (lambda b, c: 5 * graphlab.cos(b @ c), rf"-5\,\sin{{\left(b{T}\,c\right)}}\,c"),
        (lambda b, c: graphlab.cos(b).sum() * 3, r"-3\,\sin{\left(b \right)}"),
        (lambda b, c: -1 / (b @ c), rf"\frac{{1}}{{\left(b{T}\,c\right)^{{2}}}}\,c"),
        (lambda b, c: graphlab.sqrt(b @ b), rf"\frac{{1}}{{\sqrt{{b{T}\,b}}}}\,b"),
        (lambda b, c: (b @ c) ** 2, rf"2\,\left(b{T}\,c\right)\,c"),
    ],
)
def test_numbers_and_signs_stand_at_the_front(call, expected):
    b, c = leaf([1.0, 2.0]), leaf([3.0, -1.0])
    assert notations(call(b, c), b=b, c=c)["b"] == expected


def test_a_determinant_and_its_reciprocal_cancel():
    A = leaf([[2.0, 1.0], [1.0, 3.0]])
    assert notations(graphlab.log(graphlab.det(A)), A=A)["A"] == f"A{INVERSE_T}"
    shown = notations(5 / graphlab.det(A), A=A)["A"]
    assert shown == rf"-\frac{{5}}{{\det\left(A\right)}}\,A{INVERSE_T}"


@pytest.mark.parametrize("sums", ["ij,ij", "ij,kj"])
def test_a_gradient_is_never_written_by_itself(sums):
    A = leaf([[2.0, 1.0], [1.0, 3.0]])
    assert r"\partial A" not in notations(graphlab.einsum(sums, A, A).sum(), A=A)["A"]


def test_a_slope_that_is_one_number_is_written_before_a_vector_of_ones():
    b, c = leaf([1.0, 2.0]), leaf([3.0, -1.0])
    found = notations(graphlab.lerp(b, c, 0.5).sum(), b=b, c=c)
    assert found == {"b": r"\frac{1}{2}\,\mathbf{1}", "c": r"\frac{1}{2}\,\mathbf{1}"}
    assert notations(graphlab.rsub(b, 2, alpha=3).sum(), b=b)["b"] == r"-3\,\mathbf{1}"
