"""What `check` may be told: other values, names, assumptions, a budget; and what a row then holds.

Read next: tests/symbolic/test_graphs.py
"""

from __future__ import annotations

import time

import numpy as np
import pytest
import sympy

import graphlab
from graphlab.faces.symbolic import budget
from graphlab.faces.symbolic.check import check
from tests.symbolic.conftest import leaf, randn

# -- other values -------------------------------------------------------------------------------


def test_a_graph_is_checked_at_other_values_and_no_tensor_changes(lesson):
    report = check(lesson.e, at={"a": 7.0, lesson.d: 2.0}, names=lesson.names)
    assert report.summary == "4 of 4 gradients proved, at a = 7, d = 2"
    assert [row.symbolic_value for row in report] == [3.0, 7.0, pytest.approx(np.log(2)), 2.5]
    assert [row.autograd_value for row in report] == [3.0, 7.0, np.float32(np.log(2)), 2.5]
    assert (lesson.a.item(), lesson.d.item(), lesson.a.grad) == (2.0, 10.0, None)
    assert check(lesson.e, names=lesson.names)["b"].autograd_value == 2.0


def test_the_caller_names_the_values_as_the_variables_are_called():
    x, w = graphlab.tensor([1.0, 2.0], requires_grad=True), leaf(3.0)
    y = (w * x).sum()
    assert graphlab.check(y, at={"x": [5.0, 7.0]})["w"].autograd_value == 12.0
    assert graphlab.check(y, at={x: graphlab.tensor([5.0, 7.0])})["w"].autograd_value == 12.0
    assert graphlab.check(y, at={"x": 1}).at == "at other values of x"


def test_an_inner_tensor_is_looked_at_where_other_values_put_it():
    x = leaf(3.0)
    t = x * x
    row = check(t * t, wrt=t, at={x: 2.0})[0]
    assert (row.verdict, row.autograd_value) == ("proved", 8.0)


def test_the_tensors_to_check_are_given_as_they_are_or_by_their_names():
    x, w = leaf(3.0), leaf(2.0)
    h = x * w
    e = h * h
    for wrt in ("x", x, ["x"], [x]):
        assert [row.name for row in graphlab.check(e, wrt=wrt)] == ["x"]
    assert [row.name for row in graphlab.check(e, wrt=["h", w])] == ["h", "w"]
    report = graphlab.check(e)
    for by_name, by_tensor in (("x", x), (["w", "x"], [w, x])):
        assert str(report.jacobian(by_name)) == str(report.jacobian(by_tensor))
        assert str(report.hessian(by_name)) == str(report.hessian(by_tensor))
    with pytest.raises(ValueError, match=r"wrt: 'z' is not a leaf .* one of \['x', 'w'\]"):
        graphlab.check(e, wrt="z")
    with pytest.raises(ValueError, match=r"a list of \['x', 'w'\], got str 'z'"):
        report.jacobian("z")


def test_kinks_parts_and_changes_in_place_are_run_again_at_other_values():
    x = leaf([1.0, -2.0, 3.0])
    y = x * 2
    y[0] = 5.0
    y[1:].mul_(3.0)
    loss = (graphlab.relu(y) * x).sum() + x.max()
    row = check(loss, at={x: [1.0, 2.0, -3.0]}, names={x: "x"})["x"]
    again = leaf([1.0, 2.0, -3.0])
    z = again * 2
    z[0] = 5.0
    z[1:].mul_(3.0)
    ((graphlab.relu(z) * again).sum() + again.max()).backward()
    assert row.verdict == "proved"
    assert row.autograd_value.tolist() == again.grad.tolist()


@pytest.mark.parametrize(
    ("at", "error", "words"),
    [
        ([1.0], TypeError, "at: expected a dict by tensor or name, got list"),
        ({"z": 1.0}, ValueError, r"at: 'z' is not a leaf of this graph \(must be one of \['x'\]\)"),
        ({"x": "1 + 1"}, TypeError, "at: expected numbers for x, got str"),
        ({"x": [1.0, 2.0, 3.0]}, ValueError, r"x has shape \[2\], but its value has \[3\]"),
    ],
)
def test_values_that_are_none_are_refused(at, error, words):
    x = leaf([1.0, 2.0])
    with pytest.raises(error, match=words):
        check((x * x).sum(), at=at, names={x: "x"})


# -- names --------------------------------------------------------------------------------------


def test_names_may_be_given_by_tensor_by_id_or_the_other_way_round():
    a, b, c = leaf(2.0), leaf(3.0), leaf(4.0)
    report = check(a * b * c, names={a: "p", id(b): "q", "r": c})
    assert [row.name for row in report] == ["p", "q", "r"]
    assert [row.name for row in graphlab.check(a * b, names={"first": a})] == ["first", "b"]


@pytest.mark.parametrize("names", [["a"], {"a": "b"}, {2.0: "b"}])
def test_names_that_are_none_are_refused(names):
    with pytest.raises(TypeError, match="names: expected a"):
        check(leaf(2.0) * 2, names=names)


# -- assumptions --------------------------------------------------------------------------------


def test_an_assumption_settles_what_is_not_true_everywhere_and_is_shown():
    x = leaf(2.0)
    y = graphlab.abs(x) * graphlab.relu(x)
    row = check(y, names={x: "x"}, assume={"x": "positive"})["x"]
    assert (row.verdict, row.formula) == ("proved", 2 * sympy.Symbol("x", positive=True))
    assert row.assumed == "x > 0"
    report = check(y, names={x: "x"}, assume={x: "positive"})
    assert report.assumptions == "every symbol stands for a real number; x > 0"
    assert "assuming x > 0" in repr(report)
    assert "x > 0" in report._repr_html_().replace("&gt;", ">")


def test_points_are_drawn_where_the_assumption_holds():
    x = leaf(-2.0)
    root = graphlab.sin(graphlab.cos(graphlab.log(-x)) ** 2 + graphlab.sin(graphlab.log(-x)) ** 2)
    assert check(root, assume={x: "negative"}).ok
    n = leaf(3.0)
    row = check(n * graphlab.sin(n * 3), assume={n: "integer positive"}, names={n: "n"})["n"]
    assert (row.verdict, row.assumed) == ("proved", "n > 0, an integer")
    assert row.formula.free_symbols.pop().is_integer


def test_a_whole_number_is_differentiated_before_it_is_one():
    n = leaf(3.0)  # sin(πn) is 0 for every whole n, and its slope is not
    row = check(graphlab.special.sinc(n) * n, assume={n: "integer"})[0]
    assert row.verdict in ("proved", "agrees")
    assert row.symbolic_value == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("assume", "error", "words"),
    [
        ("positive", TypeError, "assume: expected a dict by tensor or name, got str"),
        ({"x": "small"}, ValueError, r"unknown assumption 'small' for x \(must be one of \['pos"),
        ({"x": ""}, ValueError, "unknown assumption ''"),
        ({"x": 3}, ValueError, "unknown assumption 3"),
        ({"y": "positive"}, ValueError, "'y' is not a leaf of this graph"),
        ({"x": "positive"}, ValueError, r"x > 0 is assumed, but it is -2; pass other values"),
        ({"x": "positive negative"}, ValueError, "is assumed, but it is -2"),
    ],
)
def test_an_assumption_that_is_none_or_does_not_hold_is_refused(assume, error, words):
    x = leaf(-2.0)
    with pytest.raises(error, match=words):
        check(x * x, assume=assume, names={x: "x"})
    assert check(x * x, assume={"x": "positive"}, at={"x": 2.0}, names={x: "x"}).ok


# -- the budget ---------------------------------------------------------------------------------


def sines(n):
    y = leaf(0.7)
    for _ in range(n):
        y = graphlab.sin(y) * y
    return y


def test_when_the_budget_is_used_up_the_verdict_says_no_more_than_is_known():
    row = check(sines(400), budget=0.01)[0]
    assert row.verdict == "undecided"
    assert "too large for the work that a check may do with the budget 0.01" in row.note
    assert check(sines(400))[0].verdict == "agrees"


class SlowClock:
    """A clock on which `seconds` pass between two looks."""

    def __init__(self, seconds):
        self.seconds, self.now = seconds, 0.0

    def __call__(self):
        self.now += self.seconds
        return self.now


def test_a_report_is_the_same_on_a_slow_computer(monkeypatch):
    makes = [lambda: sines(2), lambda: sines(100), lambda: graphlab.relu(randn(3, 3) @ randn(3))[0]]
    quick = [repr(check(make())) for make in makes]
    monkeypatch.setattr(budget, "cpu_time", SlowClock(1e-4))
    assert [repr(check(make())) for make in makes] == quick


def test_the_clock_only_ends_a_check_that_takes_far_too_long(monkeypatch):
    monkeypatch.setattr(budget, "cpu_time", SlowClock(1.0))
    row = check(sines(400))[0]
    assert row.verdict == "undecided"
    assert "the check took too long and was stopped by the clock" in row.note


def test_the_clock_stands_still_while_other_programs_have_the_processor():
    assert budget.cpu_time in (time.thread_time, time.process_time)


def test_work_is_counted_and_refused_beyond_the_budget():
    some = budget.Allowance(2.5).budget(100, overhead=1)
    some.take(40)
    assert (some.left, some.spent) == (9, 40)
    with pytest.raises(budget.Unsupported, match=r"with the budget 2\.5"):
        some.take(10)
    assert budget.Allowance(0.5).budget(100, least=1.0).left == 100


@pytest.mark.parametrize(
    ("amount", "error"),
    [
        ("5", TypeError),
        ([], TypeError),
        (True, TypeError),
        (0, ValueError),
        (-1.0, ValueError),
        (1e308, ValueError),
        (10**400, ValueError),
    ],
)
def test_a_budget_that_is_none_is_refused(amount, error):
    with pytest.raises(error, match="budget: expected a number of seconds"):
        check(leaf(2.0) * 2, budget=amount)


# -- rules that are proved by themselves ---------------------------------------------------------


def test_of_a_graph_that_is_too_large_it_is_said_that_every_rule_is_proved():
    x = leaf(0.7)
    y = x
    for _ in range(300):
        y = graphlab.tanh(y)
    row = graphlab.check(y)["x"]
    assert row.verdict == "agrees"
    assert "each of its 300 steps uses a rule that is proved by itself (docs/rules.md)" in row.note
    assert "steps" not in check(y)[0].note  # nobody said so
    small = graphlab.check(graphlab.tanh(x))["x"]
    assert (small.verdict, "steps" in small.note) == ("proved", False)


@pytest.mark.parametrize("other", ["round", "acosh"])
def test_it_is_not_said_where_one_rule_is_not(other):
    y = leaf(0.7)
    for _ in range(300):
        y = graphlab.tanh(y)
    row = graphlab.check(getattr(graphlab, other)(y + 2.2))[0]
    assert (row.verdict, "steps" in row.note) == ("agrees", False)


# -- what a row holds ---------------------------------------------------------------------------


def test_a_row_has_a_third_witness_and_the_distance_in_units_of_the_last_place(lesson):
    row = check(lesson.e, names=lesson.names)["c"]
    assert row.central_difference == pytest.approx(np.log(10), abs=1e-8)
    assert 0 < row.ulps < 1  # rounded once to float32
    assert check(leaf(np.float64(3.0)) * 2)[0].ulps == 0
    x = randn(3)
    row = check((x * x).sum())[0]
    assert row.central_difference == pytest.approx(2 * x._data, abs=1e-6)


def test_the_central_difference_is_the_one_of_gradcheck():
    row = check(leaf(np.float64(2.0)) ** 3)[0]
    h, above, below = 1e-6, 2 + 1e-6, 2 - 1e-6
    cubes = above * above * above, below * below * below  # as PyTorch computes them
    assert row.central_difference == (cubes[0] - cubes[1]) / (2 * h)


def test_a_row_says_which_entries_were_looked_at_and_at_how_many_points():
    a = randn(40, 40)
    row = check(graphlab.tanh(a @ a).sum())[0]
    assert len(row.sampled) == 4
    assert np.isfinite([row.central_difference[i] for i in row.sampled]).all()
    assert row.word == f"agrees at {row.points} point" + "s" * (row.points > 1)
    assert check(a.sum() * 0 + leaf(1.0), wrt=a)[0].sampled != ()
    small = check((leaf([1.0, 2.0]) ** 2).sum())[0]
    assert (small.sampled, small.points, small.word) == ((), 0, "proved")


def test_entries_of_very_different_sizes_are_compared_each_by_its_own():
    x = leaf(np.array([1.0, 1e-30, 2.0, 1e-40]))
    scale = graphlab.tensor(np.array([1.0, 1e-30, 1e20, 1e-45]))
    loss = (graphlab.sin(x) * scale + graphlab.cos(x) * scale).sum() ** 2
    from tests.symbolic.mutants import planted

    def off(grad, self):
        return grad * (cos(self) + where(gt(self, 0.5), 0, 1e-12))  # noqa: F821

    from graphlab.ops import registry
    from graphlab.primitives import rebind
    from graphlab.primitives.table import numpy_primitives

    assert check(loss).ok
    with planted(registry["sin"], "self", rebind(off, numpy_primitives())):
        assert check(loss)[0].verdict == "disagrees"
