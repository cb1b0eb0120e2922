"""The chain rule, edge by edge: every path, its product, and the sum.

Read next: graphlab/faces/symbolic/chain_rule.py
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import graphlab
from graphlab.faces.symbolic.chain_rule import MOST
from graphlab.faces.symbolic.check import check
from tests.symbolic.conftest import Tags, leaf, randn
from tests.symbolic.test_display import ALLOWED, HOSTILE


def three_ways():
    """w = 3 x + x² + x."""
    x = leaf(3.0)
    y = 3 * x
    z = x**2
    w = y + z + x
    return graphlab.check(w)["x"].chain


def test_each_way_has_its_names_and_its_product():
    chain = three_ways()
    assert chain.count == len(chain.paths) == 3
    assert [str(path) for path in chain] == [
        "w <- y + z <- y <- x",
        "w <- y + z <- z <- x",
        "w <- x",
    ]
    assert [str(path.product) for path in chain] == ["3", "2*x", "1"]
    assert str(chain.total) == "2*x + 4"


def test_each_step_has_its_derivative_in_the_names_of_its_neighbours():
    a, d = leaf(2.0), leaf(10.0)
    t = a * d
    e = t * graphlab.log(d)
    chain = graphlab.check(e)["d"].chain
    locals_ = [[str(step.local) for step in path.steps] for path in chain]
    assert [path.names for path in chain] == [("e", "t", "d"), ("e", "log(d)", "d")]
    assert locals_ == [["log(d)", "a"], ["t", "1/d"]]


def test_a_tensor_that_is_used_twice_by_one_operation_has_two_ways():
    x = leaf(3.0)
    chain = graphlab.check(x * x)["x"].chain
    assert chain.count == 2
    assert {path.edges[0][1] for path in chain} == {0, 1}
    assert str(chain.total) == "2*x"


def test_what_comes_along_the_text():
    assert repr(three_ways()).splitlines() == [
        "∂w/∂x along 3 paths",
        "  w <- y + z <- y <- x  3",
        "  w <- y + z <- z <- x  2*x",
        "  w <- x                1",
        "  sum over all 3        2*x + 4",
    ]


def test_the_latex_goes_from_symbols_to_factors_to_the_sum():
    tex = three_ways().latex()
    assert tex.startswith(r"\begin{aligned} \frac{\partial w}{\partial x} &= \frac{\partial w}")
    assert r"1 \cdot 1 \cdot 3 + 1 \cdot 1 \cdot 2 x + 1" in tex
    assert tex.endswith(r"&= 2 x + 4 \end{aligned}")


def test_forty_diamonds_are_counted_and_a_dozen_listed():
    v = x = leaf(1.0)
    for _ in range(40):
        v = v + v
    report = graphlab.check(v, wrt=x)
    chain = report[0].chain  # this would take years if all were listed
    text = repr(chain)
    assert chain.count == 2**40
    assert len(chain.paths) == MOST
    assert "along 1,099,511,627,776 paths" in text
    assert "and 1,099,511,627,764 more" in text
    assert "(33 more)" in text.splitlines()[1]
    assert str(chain.total) == str(2**40)


def test_a_deep_graph_is_counted_without_recursion():
    v = x = leaf(1.0)
    for _ in range(3000):
        v = v * 1.001
    chain = graphlab.check(v, wrt=x)[0].chain
    assert chain.count == 1
    assert len(chain.paths[0].steps) == 3000
    assert "too much for a formula" in chain.note
    assert "no products" in repr(chain)


def softmax(x):
    return (graphlab.softmax(x, 1) * graphlab.softmax(x, 1)).sum()


def largest(x):
    return (graphlab.max(x, 1).values * x.sum(1)).sum()


def parts(x):
    one, two = x.unbind(0)
    return (one * two).sum() + (one**2).sum()


def written(x):
    y = x * 2
    y[0] = x[1] * x[0]
    return (y * x).sum()


def broadcast(x):
    return (x * x.sum(0) + x.mean()).sum()


@pytest.mark.parametrize("function", [softmax, largest, parts, written, broadcast])
def test_the_products_of_all_ways_add_up_to_what_the_rules_make(function):
    x = randn(2, 3)
    row = graphlab.check(function(x), wrt=x)[0]
    chain = row.chain
    assert chain.count == len(chain.paths) > 1
    total = np.sum([np.array(path.product.tolist(), object) for path in chain], 0)
    point = {
        sympy.Symbol(f"x_{i}_{j}", real=True): float(x[i, j].item())
        for i in range(2)
        for j in range(3)
    }
    value = np.array([sympy.N(entry.subs(point)) for entry in total.flat], float)
    # the formulas are evaluated in float64, autograd works in float32
    np.testing.assert_allclose(value, np.ravel(row.autograd_value), rtol=1e-5, atol=1e-6)


def test_the_derivatives_of_a_way_multiply_to_its_product():
    a, x = leaf(2.0), leaf(3.0)
    u = graphlab.sin(x * a)
    w = u * graphlab.exp(x) / (u + a)
    for name in ("a", "x"):
        chain = graphlab.check(w)[name].chain
        A, X = (sympy.Symbol(one, real=True) for one in ("a", "x"))
        U = sympy.Symbol("u", real=True)
        for path in chain:
            product = sympy.Mul(*[step.local for step in path.steps])
            assert sympy.simplify(product.subs(U, sympy.sin(X * A)) - path.product) == 0


def test_a_kink_is_written_out():
    x = leaf(-3.0)
    y = graphlab.relu(x)
    w = y * x
    steps = graphlab.check(w)["x"].chain.paths[0].steps
    X = sympy.Symbol("x", real=True)
    assert steps[1].local == sympy.Piecewise((1, X > 0), (0, True))


def test_between_tensors_the_derivative_of_entries_is_a_diagonal():
    x = leaf([1.0, 2.0])
    h = graphlab.tanh(x)
    w = h.sum()
    (path,) = graphlab.check(w)["x"].chain.paths
    assert path.steps[0].local is None
    assert path.steps[1].entrywise
    assert str(path.steps[1].local) == "1 - tanh(x)**2"
    assert r"\operatorname{diag}" not in graphlab.check(w)["x"].chain.latex()


def test_the_ways_to_an_inner_tensor_end_there():
    x = leaf(2.0)
    y = x * x
    w = y * 3 + y * y
    chain = graphlab.check(w, wrt=y)["y"].chain
    assert [path.names[-1] for path in chain] == ["y"] * 3
    assert str(chain.total) == "2*y + 3"
    root = graphlab.check(w, wrt=w)["w"].chain
    assert (root.count, str(root.total)) == (1, "1")


def test_where_nothing_flows_there_is_no_way():
    x, y = leaf(2.0), leaf(3.0)
    report = graphlab.check(x * y.detach() + y)
    assert report["x"].chain.count == 1
    assert report["y"].chain.count == 1


def test_a_function_of_your_own_has_ways_without_derivatives():
    class Double(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad

    x = leaf(3.0)
    y = Double.apply(x)
    w = y * y
    chain = graphlab.check(w)["x"].chain
    assert [path.names for path in chain] == [("w", "y", "x")] * 2
    assert chain.paths[0].steps[1].local is None


def test_the_ways_are_there_when_the_graph_was_freed_since():
    x = leaf(3.0)
    w = x * x * 2
    report = graphlab.check(w)
    w.backward()
    assert str(report["x"].chain.total) == "4*x"


# -- for a notebook -----------------------------------------------------------------------------

SHOWN = ALLOWED | {"img"}


def test_a_notebook_shows_each_way_with_its_picture():
    page = Tags(three_ways()._repr_html_())
    assert page.tags <= SHOWN
    assert page.text.count("in the graph") == 3
    assert r"= 1 \cdot 1 \cdot 3 = 3$" in page.text
    assert "their sum: $" in page.text


def test_a_report_folds_the_chain_rule_up():
    x = leaf(3.0)
    w = x * x
    html = graphlab.check(w)._repr_html_()
    page = Tags(html)
    assert page.tags <= SHOWN
    assert "chain rule: 2 paths" in page.text
    assert "<details open" not in html


def test_a_table_shows_only_so_much_beside_the_formulas(monkeypatch):
    x = leaf(3.0)
    report = graphlab.check(x * x)
    monkeypatch.setattr("graphlab.faces.symbolic.report_table.DETAIL_WORK", 0)
    page = Tags(report._repr_html_())
    assert "✓ proved" in page.text
    assert "chain rule" not in page.text


def test_a_report_of_many_leaves_shows_some_pictures():
    leaves = [leaf(float(k)) for k in range(1, 31)]
    report = graphlab.check(graphlab.stack(leaves).prod(), wrt=leaves)
    html = report._repr_html_()
    assert html.count("chain rule: 1 path") == 30
    assert html.count("<img") <= 12
    assert html == report._repr_html_()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_a_name(name):
    x = leaf(3.0)
    exec_names = {"x": x}
    report = check(x * x, names={exec_names["x"]: name})
    chain = report[0].chain
    page = Tags(chain._repr_html_())
    assert page.tags <= SHOWN
    assert "\x1b" not in repr(chain)
    assert "\\href" not in chain.latex()


def test_a_named_result_of_where_is_used_twice_and_nested():
    x = graphlab.tensor(2.0, requires_grad=True)
    s = graphlab.where(x > 0, x, 1.0)
    nested = graphlab.where(s > 1, s * x, graphlab.where(x < 0, x, s))
    for result in (s * s, graphlab.where(x > 0, s.log(), 0.0), nested):
        report = graphlab.check(result)
        assert report.ok
        assert "proved" in report._repr_html_()
