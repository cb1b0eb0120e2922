"""The first lesson's graph: every gradient proved, and nothing changed by looking.

Read next: tests/symbolic/test_graphs.py
"""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy

import graphlab
from graphlab.common.errors import GraphFreedError
from graphlab.faces.symbolic.check import check
from graphlab.faces.symbolic.formula import formula
from tests.symbolic.conftest import leaf

a, b, c, d = sympy.symbols("a b c d", real=True)


def test_every_gradient_of_the_lesson_is_proved(lesson):
    report = check(lesson.e, names=lesson.names)
    assert report.ok
    assert report.summary == "4 of 4 gradients proved"
    assert [row.name for row in report] == ["a", "b", "c", "d"]
    assert {row.verdict for row in report} == {"proved"}
    assert [row.formula for row in report] == [b, a, sympy.log(d), c / d]
    assert [row.backward_formula for row in report] == [b, a, sympy.log(d), c / d]
    assert [row.symbolic_value for row in report] == [3.0, 2.0, pytest.approx(np.log(10)), 0.5]
    assert [row.autograd_value for row in report] == [3.0, 2.0, float(np.float32(np.log(10))), 0.5]


def test_a_row_is_found_by_name_or_position_and_a_wrong_name_lists_the_right_ones(lesson):
    report = check(lesson.e, names=lesson.names)
    assert len(report) == 4
    assert report["c"] is report[2]
    with pytest.raises(KeyError, match=re.escape("'z' (must be one of ['a', 'b', 'c', 'd'])")):
        report["z"]


def test_names_are_keyed_by_id_too_and_unnamed_leaves_are_numbered(lesson):
    report = check(lesson.e, names={id(lesson.a): "a", id(lesson.b): "x1"})
    assert [row.name for row in report] == ["a", "x1", "x2", "x3"]


def test_a_check_leaves_everything_as_it_was(lesson):
    lesson.t.retain_grad()
    nodes = [lesson.e.grad_fn, lesson.t.grad_fn]
    before = [(node._saved, node._extra, node._next) for node in nodes]
    check(lesson.e, names=lesson.names)
    check(lesson.e, wrt=[lesson.a, lesson.t])
    assert all(t.grad is None for t in (lesson.a, lesson.b, lesson.c, lesson.d, lesson.t))
    assert [(node._saved, node._extra, node._next) for node in nodes] == before
    lesson.e.backward()
    assert lesson.t.grad.item() == 1.0
    assert lesson.a.grad.item() == 3.0


def test_a_gradient_that_was_retained_before_stays(lesson):
    lesson.t.retain_grad()
    lesson.e.backward(retain_graph=True)
    lesson.t.grad.zero_()
    check(lesson.e)
    assert lesson.t.grad.item() == 0.0


def test_the_formula_is_in_the_names_of_the_leaves(lesson):
    assert formula(lesson.e, lesson.names) == a * b + c * sympy.log(d)
    assert formula(lesson.a, lesson.names) == a
    with pytest.raises(RuntimeError, match="it was not recorded; create its inputs with requires_"):
        graphlab.formula(graphlab.tensor([0.5, 2.0]))


def test_an_inner_tensor_that_is_asked_for_counts_as_given(lesson):
    names = lesson.names | {lesson.t: "t"}
    x = lesson.t * lesson.t + lesson.a
    report = check(x, wrt=[lesson.t, lesson.a], names=names)
    assert report["t"].formula == 2 * sympy.Symbol("t", real=True)
    assert report["a"].formula == 2 * a * b**2 + 1
    assert report["t"].symbolic_value == report["t"].autograd_value == 12.0


def test_the_root_may_be_a_leaf():
    x = leaf(3.0)
    row = check(x)[0]
    assert (row.verdict, row.formula, row.autograd_value) == ("proved", 1, 1.0)


# -- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [check, formula])
def test_what_is_not_a_tensor_is_named_in_the_error(function):
    with pytest.raises(TypeError, match="expected a graphlab Tensor, got int; pass a tensor"):
        function(3)


def test_a_root_that_needs_no_gradient_is_refused_in_pytorchs_words():
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does"):
        check(graphlab.tensor(1.0) * 2)


def test_a_root_of_several_entries_needs_a_gradient():
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar"):
        check(x * x)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        check(x * x, gradient=graphlab.tensor(1.0))
    row = check(x * x, names={x: "x"}, gradient=graphlab.tensor([1.0, 0.5]))["x"]
    x0, x1 = sympy.symbols("x_0 x_1", real=True)
    assert (row.verdict, row.formula) == ("proved", sympy.Array([2 * x0, x1]))
    assert row.autograd_value.tolist() == [2.0, 2.0]


def test_a_freed_graph_is_refused_in_pytorchs_words(lesson):
    lesson.e.backward()
    with pytest.raises(GraphFreedError, match="Trying to backward through the graph a second"):
        check(lesson.e)
    assert lesson.a.grad.item() == 3.0


def test_a_tensor_that_has_no_part_in_the_graph_is_refused(lesson):
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        check(lesson.e, wrt=leaf(1.0))
    with pytest.raises(RuntimeError, match="does not require grad"):
        check(lesson.e, wrt=graphlab.tensor(1.0))
    with pytest.raises(ValueError, match="wrt: 'a' is not a leaf of this graph"):
        check(lesson.e, wrt=["a"])


def test_rows_stand_as_the_caller_lists_the_leaves_and_name_the_root() -> None:
    a = graphlab.tensor([2.0], requires_grad=True)
    c = graphlab.tensor([5.0], requires_grad=True)
    d = graphlab.tensor([10.0], requires_grad=True)
    e = graphlab.log(d) * c + a
    report = graphlab.check(e)
    assert [row.name for row in report.rows] == ["a", "c", "d"]
    assert "∂e/∂" in repr(report)
