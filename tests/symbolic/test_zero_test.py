"""The traps: what looks like zero and is not, and what is zero although nobody sees it.

Read next: tests/symbolic/test_display.py
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy

import graphlab
from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.check import check
from graphlab.faces.symbolic.finite_differences import sides_in_floats
from graphlab.faces.symbolic.interpretation import forward
from graphlab.faces.symbolic.live_graph import walk
from graphlab.faces.symbolic.mp_arithmetic import ExactConstants, OutsideDomain, context, evaluate
from graphlab.faces.symbolic.numeric_check import compare_at_random_points
from graphlab.faces.symbolic.problem import Problem
from graphlab.faces.symbolic.symbolic_graph import derivative_of
from graphlab.faces.symbolic.sympy_arithmetic import SymPyArithmetic
from graphlab.faces.symbolic.zero_test import is_nonzero, prove_smooth, prove_zero
from graphlab.ops import load_all, registry
from graphlab.primitives import rebind
from graphlab.primitives.sympy_reading import exact_primitives
from graphlab.primitives.table import numpy_primitives
from tests.symbolic.conftest import leaf
from tests.symbolic.mutants import planted

x, y = sympy.symbols("x y", real=True)


@pytest.mark.parametrize(
    ("expression", "method"),
    [
        (x - x, "identical"),
        ((x + y) ** 2 - x**2 - 2 * x * y - y**2, "expand"),
        (y * x ** (y - 1) - x**y * y / x, "expand"),
        (1 / x + 1 / y - (x + y) / (x * y), "expand"),
        (1 / (1 + x / y) - y / (x + y), "together"),
        (sympy.exp(x) / (1 + sympy.exp(x)) - 1 / (1 + sympy.exp(-x)), "together"),
    ],
)
def test_a_zero_is_proved_by_the_cheapest_method_that_sees_it(expression, method):
    assert prove_smooth(expression) == method


@pytest.mark.parametrize(
    "expression",
    [
        sympy.sqrt(x**2) - x,  # 0 for positive x alone
        sympy.Rational(1, 10**60) * sympy.exp(-(x**2)),  # small, and not 0
        sympy.log(x**2) - 2 * sympy.log(x),  # 0 for positive x, and complex elsewhere
        sympy.sin(x) ** 2 + sympy.cos(x) ** 2 - 1,  # 0, but no method shows it: never "not zero"
        x * 10**-9,
    ],
)
def test_what_is_not_shown_to_be_zero_is_not_proved(expression):
    assert prove_smooth(expression) is None


def test_an_expression_that_would_explode_is_not_expanded():
    assert prove_smooth((x + y + 1) ** 200 - (x + y + 1) ** 199) is None
    assert prove_smooth(sympy.Mul(*[(x + n) for n in range(60)]) - 1) is None


SLOPES = [
    sympy.Integer(3), x, y, sympy.exp(x * y) * x**2 / (x + y), x**y, x ** (y * x),
    2 * sympy.tanh(x) / sympy.log(x**2 + 1) ** 3, 3 * (x + y) ** 2, sympy.Abs(x) * x,
    sympy.polygamma(0, x * x), sympy.erf(x) * sympy.sqrt(x + 1), sympy.atan2(x, y),
    sympy.Piecewise((x**2, x > 0), (x, True)), sympy.uppergamma(2, x), sympy.loggamma(x) / x,
    (x * y + 1) * (x - y) * sympy.sin(x * (y + 1)) ** 2,
]  # fmt: skip


@pytest.mark.parametrize("expression", SLOPES, ids=str)
def test_a_derivative_is_the_expression_that_sympy_gives(expression):
    assert derivative_of(expression, x) == sympy.diff(expression, x)


def test_the_parts_of_a_sum_of_products_are_differentiated_once(monkeypatch):
    monkeypatch.setattr(sympy, "diff", None)  # it differentiates every factor of every product
    inside = x * y + 1
    found = derivative_of(sympy.sin(inside) * inside**2 + y * inside, x)
    expected = y * inside**2 * sympy.cos(inside) + 2 * y * inside * sympy.sin(inside) + y**2
    assert sympy.expand(found - expected) == 0


def test_a_kink_is_zero_only_when_it_is_on_both_sides():
    symbols = SymPyArithmetic({x: context().mpf(2)})
    step = symbols.above(x, sympy.S.Zero)
    assert prove_zero(step**2 - step, symbols.switches, symbols.point) == ("identical", True)
    assert prove_zero(step * x - x, symbols.switches, symbols.point) is None


def test_a_sum_that_one_point_shows_to_be_nonzero_is_not_expanded(monkeypatch):
    symbols = SymPyArithmetic({x: context().mpf(2)})
    step = symbols.above(x, sympy.S.Zero)
    difference = step * (x + y) ** 2 - step * (x**2 + 2 * x * y + y**2) * step
    tried = []
    monkeypatch.setattr(sympy, "expand", lambda one, expand=sympy.expand, **hints: (
        tried.append(one), expand(one, **hints))[1])  # fmt: skip
    assert prove_zero(difference, symbols.switches, symbols.point) == ("expand", True)
    assert len(tried) == 1  # on the side where the step is 1; on the other one nothing is left


@pytest.mark.parametrize(
    ("total", "found"),
    [
        (sympy.exp(x) - x, True),
        (x**y - sympy.erf(x), True),
        (sympy.log(-x) + x, False),  # not real
        ((x + 1) ** 2 - x**2 - 2 * x - 1, False),
        (sympy.exp(sympy.exp(sympy.exp(1000 * x))) - x, False),  # too large
        (sympy.gamma(sympy.exp(sympy.exp(10 * x))) - x, False),  # too large, too
        (sympy.uppergamma(100 * x, x) - y, False),  # mpmath's series would be too long
        (x + sympy.zoo * y, False),
        (x * y, False),  # a product: its factors can be sums that cancel
    ],
    ids=str,
)
def test_one_point_shows_that_a_sum_is_nonzero(total, found):
    assert is_nonzero(total) is found


# -- the traps in whole graphs ------------------------------------------------------------------


def wrong_mul(grad, other):
    return grad * other + grad * 1e-9


def wrong_exp(grad, result):
    return grad * result * (1 + 1e-12)


def absolute_sqrt(grad, self):
    return grad * self / self


def test_an_error_below_every_numeric_tolerance_is_found():
    with planted(registry["mul"], "self", wrong_mul):
        a = leaf(2.0)
        row = check(a * leaf(3.0), wrt=a)[0]
    assert row.verdict == "disagrees"
    with planted(registry["exp"], "self", wrong_exp):
        assert check(graphlab.exp(leaf(2.0)))[0].verdict == "disagrees"


def test_a_rule_that_is_right_for_positive_numbers_alone_is_found_out():
    def scaled_abs(grad, self):  # what a rule asks for is saved, and written down on the first call
        return grad

    with planted(registry["abs"], "self", scaled_abs):
        assert check(graphlab.abs(leaf(2.0)))[0].verdict == "disagrees"


def test_a_tiny_gradient_is_compared_by_its_own_size():
    a = leaf(np.float64(0.5))
    tiny = graphlab.exp(-a * a) * 1e-60
    assert check(tiny)[0].verdict == "proved"

    def nothing(grad, result):
        return grad * 0

    with planted(registry["exp"], "self", nothing):
        row = check(graphlab.exp(-a * a) * 1e-60)[0]
    assert row.verdict == "disagrees"


def test_numeric_agreement_is_never_called_a_proof():
    # sin² + cos² is 1, which no method knows
    a = leaf(0.5)
    row = check(graphlab.exp(graphlab.sin(a) ** 2 + graphlab.cos(a) ** 2), names={a: "a"})["a"]
    assert row.verdict in ("proved", "agrees")
    if row.verdict == "agrees":
        assert "50 digits" in row.settled_by

    def double_angle(grad, self):
        return grad * (1 - 2 * sin(self / 2) ** 2)  # noqa: F821  (cos, written otherwise)

    with planted(registry["sin"], "self", rebind(double_angle, numpy_primitives())):
        row = check(graphlab.sin(a), names={a: "a"})["a"]
    assert (row.verdict, row.settled_by) == ("agrees", "50 digits at 5 points")
    assert "no proof was found" in row.note


def test_points_are_drawn_on_both_sides_of_zero():
    a = leaf(0.5)
    seen: list[float] = []

    class Spy(Problem):
        def run(self, entries, point, budget):
            seen.append(float(point[a]))
            return super().run(entries, point, budget)

    root = a * a
    compare_at_random_points(Spy(walk(root), (a,), graphlab.tensor(1.0)), [(a, ())], Budget(10_000))
    assert min(seen) < 0 < max(seen)


def test_work_beyond_the_budget_ends_with_a_reason():
    a = leaf(0.5)
    graph = walk(a * a * a)
    problem = Problem(graph, (a,), graphlab.tensor(1.0))
    with pytest.raises(Unsupported, match="too large for the work that a check may do"):
        compare_at_random_points(problem, [(a, ())], Budget(5))


# -- many digits --------------------------------------------------------------------------------


def test_an_expression_is_evaluated_to_50_digits():
    value = evaluate(sympy.exp(x) + sympy.sqrt(y) / 3, {x: context().mpf(1), y: context().mpf(2)})
    assert abs(value - (context().e + context().sqrt(2) / 3)) < context().mpf(10) ** -48


@pytest.mark.parametrize("expression", [sympy.log(x), sympy.sqrt(x), 1 / (x + 1), x**y])
def test_outside_the_domain_there_is_no_value(expression):
    point = {x: context().mpf(-1), y: context().mpf(1) / 2}
    with pytest.raises(OutsideDomain):
        evaluate(expression, point)


def test_a_huge_exponential_is_refused_and_not_waited_for():
    with pytest.raises(OutsideDomain):
        evaluate(sympy.exp(sympy.exp(sympy.exp(x))), {x: context().mpf(10)})


# -- primitives and constants ------------------------------------------------------------------


def test_symbols_have_every_primitive():
    reading = set(exact_primitives(SymPyArithmetic())) - {"__builtins__"}  # for a debugger
    assert set(numpy_primitives()) == reading


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_the_shift_that_avoids_overflow_changes_no_result(name):
    # the maximum is read as 0; with any other number m in its place the result is the same
    op, m = load_all()[name], sympy.Symbol("m", real=True)
    symbols = np.array(sympy.symbols("x0:3", real=True), object)
    plain, moved = (
        dict(exact_primitives(SymPyArithmetic(), shifted=True)),
        dict(exact_primitives(SymPyArithmetic(), shifted=True)),
    )

    def amax(x, dim=None, keepdim=False):
        narrow = plain["amax"](x, dim, keepdim)
        return narrow if np.size(x) == 1 else narrow + m

    moved["amax"] = amax
    options = {"dim": (0,) if name == "logsumexp" else 0}
    difference = rebind(op.forward, moved)(symbols, **options) - rebind(op.forward, plain)(
        symbols, **options
    )
    for entry in np.atleast_1d(difference):
        # the logarithm of a product of positive numbers is the sum of their logarithms
        entry = sympy.logcombine(entry, force=True).replace(
            lambda e: isinstance(e, sympy.log), lambda e: sympy.log(sympy.simplify(e.args[0]))
        )
        assert sympy.simplify(entry) == 0


@pytest.mark.parametrize(
    ("stored", "exact"),
    [
        (np.float32(0.1), Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (2.0, 2),
        (np.float32(1e20), Fraction(10**20)),
        (np.float32(0.12345678), Fraction(float(np.float32(0.12345678)))),
        (np.float64(1 / 3), Fraction(1, 3)),
        (np.float64(np.sqrt(2)), Fraction(np.sqrt(2))),
        (np.pi, sympy.pi),
        (-2 * np.pi, -2 * sympy.pi),
        (np.float32(np.pi), Fraction(float(np.float32(np.pi)))),
        (np.int64(7), 7),
        (True, True),
        (-0.25, Fraction(-1, 4)),
    ],
)
def test_a_constant_is_read_exactly(stored, exact):
    assert ExactConstants().number(stored) == exact


def test_only_a_decimal_that_is_stored_as_another_number_is_mentioned():
    reading = ExactConstants()
    reading.data(graphlab.tensor([0.5, 0.25, 3.0]))
    assert reading.sentence == ""
    reading.number(np.float32(0.1))
    assert "0.1 as 1/10 (stored as 0.10000000149011612)" in reading.sentence
    reading.number(0.001)  # 17 digits would be 0.001 again
    assert "0.001 as 1/1000 (stored as 0.00100000000000000002)" in reading.sentence


def test_each_node_is_run_once():
    a = leaf(1.0)
    b = a
    for _ in range(30):
        b = b + b  # 2³⁰ paths
    graph, budget = walk(b), Budget(100)
    assert len(graph.nodes) == 30
    from graphlab.faces.symbolic.interpretation import float_interpretation

    values = forward(graph, {a: 1.0}, float_interpretation(), budget)
    assert values[graph.root] == 2.0**30
    assert budget.spent == 30


def test_a_smooth_slope_in_float64_takes_five_runs_of_the_graph(monkeypatch):
    runs = []
    usual = Problem.run
    monkeypatch.setattr(Problem, "run", lambda *given: (runs.append(1), usual(*given))[1])
    a = leaf(2.0)
    problem = Problem(walk(a.exp() * a), (a,), graphlab.tensor(1.0))
    sides = sides_in_floats(problem, (a, ()), Budget(10**9))
    assert sides.smooth
    assert abs(sides.left - 3 * np.exp(2.0)) < 1e-6
    assert len(runs) == 5  # at the point, and on both sides at two distances
