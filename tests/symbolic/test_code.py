"""SymbolicGraph to copy: the code runs, and gives the same formula and the same numbers.

What is run here was made by this very test.

Read next: graphlab/faces/symbolic/formula.py
"""

from __future__ import annotations

import keyword

import mpmath
import numpy as np
import pytest
import sympy

import graphlab
from graphlab.faces.symbolic.check import check
from graphlab.faces.symbolic.formula import formula, identifier, numpy_code
from graphlab.faces.symbolic.report_table import named_parts, parts_latex
from tests.symbolic.conftest import Tags, leaf, randn
from tests.symbolic.test_display import ALLOWED, HOSTILE, KEYWORDS

EXACT = {"rtol": 1e-5, "atol": 1e-6}  # the formula runs in float64, autograd in float32


def run(code: str, name: str = "derivative"):
    """What the code calls `name`."""
    held: dict = {}
    exec(compile(code, "<copied>", "exec"), held)
    return held[name]


def given(function, tensors: dict) -> list:
    """The values for a function's parameters, by their names."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return [np.asarray(tensors[name]._data, np.float64) for name in names]


GRAPHS = {
    "of numbers": lambda x, y: x * y / 3 + graphlab.log(x) ** 2.5 * graphlab.sqrt(y),
    "a kink": lambda x, y: graphlab.relu(x - y) * graphlab.abs(y) + graphlab.maximum(x, y) ** 2,
    "an error function": lambda x, y: graphlab.erf(x) * graphlab.exp(-y) + graphlab.lgamma(y),
    "angles": lambda x, y: graphlab.atan2(x, y) + graphlab.tanh(x) * graphlab.cos(y) ** 2,
}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_the_code_for_numbers_gives_the_same(graph):
    x, y = leaf(2.5), leaf(1.5)
    report = graphlab.check(graph(x, y))
    for row in report:
        assert sympy.simplify(run(row.sympy_code()) - row.formula) == 0
        function = run(row.numpy_code())
        value = function(*given(function, {"x": x, "y": y}))
        np.testing.assert_allclose(value, row.autograd_value, **EXACT)


@pytest.mark.parametrize("value", [0.1, 2.5, 9.9, 50.0, -0.5, -3.7])
def test_the_code_for_a_digamma_function_gives_all_its_digits(value):
    row = graphlab.check(graphlab.lgamma(leaf(np.float64(value))))[0]
    found = run(row.numpy_code())(value)
    assert found == pytest.approx(float(mpmath.digamma(value)), rel=1e-14)  # the 7 terms give 1e-15


def test_a_polygamma_function_of_another_order_has_no_numpy_code():
    row = graphlab.check(graphlab.digamma(leaf(2.5)))[0]
    with pytest.raises(ValueError, match="there is no NumPy code for polygamma"):
        row.numpy_code()


def test_the_code_of_a_formula_names_what_it_imports():
    x, y = leaf(2.5), leaf(1.5)
    for tensor in (graphlab.maximum(x, y), graphlab.amin(graphlab.stack([x, y, x * y]))):
        text = graphlab.formula(tensor, "numpy")
        assert "functools" not in text
        assert run(text, "formula")(2.5, 1.5) == tensor.item()


def test_the_code_for_arrays_gives_the_same():
    A, x = randn(3, 3), randn(3, seed=1)
    report = graphlab.check(graphlab.softmax(graphlab.tanh(A @ x), 0)[1])
    for row in report:
        function = run(row.numpy_code())
        value = function(*given(function, {"A": A, "x": x}))
        np.testing.assert_allclose(value, row.autograd_value, **EXACT)
        again = run(row.sympy_code())
        assert again.shape == row.formula.shape
        assert again == row.formula


def test_what_comes_up_again_is_worked_out_once():
    x = leaf(2.0)
    u = graphlab.tanh(x * x)
    code = graphlab.check(u * graphlab.sin(u))["x"].numpy_code()
    assert code.count("numpy.tanh(") == 1
    assert "    u1 = " in code


@pytest.mark.parametrize("name", [*HOSTILE, *KEYWORDS, "σ", "fc1.weight", "derivative", "numpy"])
def test_any_name_becomes_an_identifier_and_nothing_else(name):
    x, y = leaf(2.0), leaf(3.0)
    row = check(x * x * y, names={x: name, y: "y"})[0]
    made = run(row.sympy_code()).free_symbols
    assert {s.name for s in made} == {s.name for s in row.formula.free_symbols}
    function = run(row.numpy_code())
    assert all(n.isidentifier() and not keyword.iskeyword(n) for n in function.__code__.co_varnames)
    names = function.__code__.co_varnames[:2]
    values = {n: 3.0 if n == "y" else 2.0 for n in names}
    assert function(*(values[n] for n in names)) == 12.0


def test_what_python_has_another_word_for_stays_sympys():
    x, y = leaf(2.5), leaf(1.5)
    t = graphlab.maximum(x, y) * graphlab.sign(x) + graphlab.minimum(x, y).abs() * graphlab.pi
    assert run(formula(t, {x: "x", y: "y"}, form="sympy"), "formula") == formula(
        t, {x: "x", y: "y"}
    )


def test_an_identifier_is_never_one_that_is_taken():
    assert identifier("x", ["x"]) == "x_"
    assert identifier("print") == "print_"
    assert identifier("") == "_"


@pytest.mark.parametrize("word", ["positive", "nonzero", "integer", "nonnegative"])
def test_what_was_assumed_of_a_value_is_in_the_code(word):
    x, y = leaf(2.0), leaf(3.0)
    row = graphlab.check(x * x * y, assume={"x": word})["y"]
    assert run(row.sympy_code()) == row.formula
    assert run(row.numpy_code())(2.0) == 4.0
    assert row.latex() == r"\frac{\partial f}{\partial y} = x^{2}"


def test_what_numpy_does_not_know_is_said():
    x = leaf(0.5)
    row = graphlab.check(graphlab.erfinv(x))[0]
    with pytest.raises(ValueError, match="there is no NumPy code for erfinv"):
        row.numpy_code()


def test_a_row_without_a_formula_says_why():
    class Double(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return graphlab.tensor(2 * x.item())

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad

    row = graphlab.check(Double.apply(leaf(1.0)))[0]
    if row.formula is None:
        with pytest.raises(ValueError, match="there is no formula for"):
            row.latex()


def test_the_latex_is_an_equation():
    d = leaf(10.0)
    e = graphlab.log(d)
    assert graphlab.check(e)["d"].latex() == r"\frac{\partial e}{\partial d} = \frac{1}{d}"


def test_a_formula_can_be_had_in_each_form():
    W, x = randn(2, 2), leaf(3.0)
    t = (W * x).sum() / 3
    names = {W: "W", x: "x"}
    assert formula(t, names, form="latex").startswith(r"\frac{W_{0,0} x}{3}")
    assert run(formula(t, names, form="sympy"), "formula") == formula(t, names)
    function = run(formula(t, names, form="numpy"), "formula")
    value = function(*given(function, {"W": W, "x": x}))
    np.testing.assert_allclose(value, t.item(), **EXACT)
    assert graphlab.formula(x * 2, "latex") == "2 x"
    with pytest.raises(ValueError, match=r"unknown form 'tex' \(must be one of"):
        graphlab.formula(x, "tex")


# -- common parts, and the page -----------------------------------------------------------------


def test_a_long_fraction_is_a_float_in_a_formula_and_in_numpy_code():
    s = leaf(2.0)
    t = graphlab.distributions.Normal(0.0, s).log_prob(graphlab.tensor(0.5))
    shown = "-log(s) - 0.9189385332046727 - 1/(8*s**2)"
    assert str(formula(t, {s: "s"})) == shown
    assert "0.9189385332046727" in formula(t, {s: "s"}, form="numpy")
    assert str(formula(s * 1e-5 + 0.75, {s: "s"})) == "1.0e-5*s + 3/4"
    exact = run(formula(t, {s: "s"}, form="sympy"), "formula")
    assert exact.has(sympy.Rational(-2069265617858477, 2251799813685248))


def test_common_parts_put_back_give_the_formula_again():
    x = randn(4)
    row = graphlab.check((graphlab.softmax(x, 0) ** 2).sum())[0]
    parts, body = named_parts(row.formula)
    for symbol, value in reversed(parts):
        body = body.subs(symbol, value)
    assert all(sympy.simplify(a - b) == 0 for a, b in zip(body, row.formula, strict=True))


def test_the_names_of_parts_are_not_those_of_tensors():
    u1 = leaf(2.0)
    w = graphlab.exp(u1 * u1) * u1 * u1
    parts, _ = named_parts(graphlab.check(w)["u1"].formula)
    assert [symbol.name for symbol, _ in parts] == ["v1"]


def test_the_names_of_parts_are_not_set_as_entries_are():
    u = randn(4)  # whose entry 1 is set as u_{1}
    row = graphlab.check((graphlab.softmax(u, 0) ** 2).sum())["u"]
    symbolic = row.checked[0].symbolic
    tex = parts_latex("L", row.formula, symbolic[1] if symbolic else {})
    assert "v_{1} &= e^{u_{0}}" in tex
    assert "u_{1} &=" not in tex


def test_a_notebook_holds_text_to_select():
    x = leaf(3.0)
    page = Tags(check(x * x, names={x: "x"})._repr_html_())
    assert page.tags <= ALLOWED
    assert "copy as LaTeX, SymPy or NumPy" in page.text
    assert "def derivative(x):" in page.text


def test_code_of_one_formula_with_no_entries_known():
    x = sympy.Symbol("x")
    assert run(numpy_code(sympy.sin(x), {}))(0.0) == 0.0
