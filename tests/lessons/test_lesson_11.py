"""Lesson 11: right answers in several forms, and the remark that each usual mistake gets.

Read next: graphlab/faces/exercises/lessons/lesson_11.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab import exercises
from graphlab.faces.exercises.lessons.lesson_11 import entropy_term, softplus


@pytest.fixture(autouse=True)
def no_file():
    exercises.keep_in(None)


def where_twice(x):
    safe = graphlab.where(x > 0, x, 1.0)
    return graphlab.where(x > 0, safe * graphlab.log(safe), 0.0)


def nan_thrown_away(x):
    safe = graphlab.where(x > 0, x, 0.0)
    return graphlab.where(x > 0, safe * graphlab.log(safe), 0.0)


def x_outside(x):
    safe = graphlab.where(x > 0, x, 1.0)
    return graphlab.where(x > 0, x * graphlab.log(safe), 0.0)


def harmless_by_clamp(x):
    return graphlab.where(x > 0, x * graphlab.log(x.clamp(min=1e-6)), 0.0)


def harmless_alone(x):  # 1·log 1 is 0 already
    safe = graphlab.where(x > 0, x, 1.0)
    return safe * safe.log()


def largest_out(x):
    c = graphlab.maximum(x, graphlab.zeros_like(x))
    return c + graphlab.log(graphlab.exp(-c) + graphlab.exp(x - c))


def largest_out_detached(x):
    c = x.clamp(min=0.0).detach()
    return c + graphlab.log(graphlab.exp(-c) + graphlab.exp(x - c))


def by_absolute_value(x):
    return (x + x.abs()) / 2 + graphlab.log1p(graphlab.exp(-x.abs()))


def by_logsumexp(x):
    return graphlab.logsumexp(graphlab.stack([x, graphlab.zeros_like(x)]), 0)


def by_logaddexp(x):
    return graphlab.logaddexp(x, graphlab.zeros_like(x))


def by_relu(x):
    return graphlab.relu(x) + graphlab.log1p(graphlab.exp(-x.abs()))


def by_where(x):
    return graphlab.where(x > 20, x, graphlab.log(1 + graphlab.exp(x)))


def by_where_twice(x):
    safe = graphlab.where(x > 20, 0.0, x)
    return graphlab.where(x > 20, x, graphlab.log(1 + graphlab.exp(safe)))


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("11.1", "b c d"),
        ("11.1", ["d", "b", "c"]),
        ("11.1", "BCD"),
        ("11.2", 0),
        ("11.2", "0.0"),
        ("11.2", graphlab.tensor(0.0)),
        ("11.3", [0, 0.5, 1]),
        ("11.3", graphlab.tensor([0.0, 0.5, 1.0])),
        ("11.4", where_twice),
        ("11.4", x_outside),
        ("11.4", harmless_by_clamp),
        ("11.4", harmless_alone),
        ("11.5", largest_out),
        ("11.5", largest_out_detached),
        ("11.5", by_absolute_value),
        ("11.5", by_logsumexp),
        ("11.5", by_logaddexp),
        ("11.5", by_where_twice),
        ("11.6", "d"),
        ("11.6", ["D"]),
    ],
)
def test_right_answers_are_accepted(id, given):
    said = exercises.answer(id, given)
    assert said, said.text


@pytest.mark.parametrize(
    ("id", "given", "hint"),
    [
        ("11.1", "b d", "Those between them"),
        ("11.1", "c", "PyTorch's choice"),
        ("11.1", "a b c d e", "above the curve"),
        ("11.2", 1, "derivative of x"),
        ("11.2", 0.5, "does not take the middle"),
        ("11.2", 2, "the other end"),
        ("11.3", [0, 1, 1], "choice of clamp"),
        ("11.3", [0, 0, 1], "It gets a share"),
        ("11.3", [1, 0.5, 0], "minimum"),
        ("11.6", "c", "not NaN yet"),
        ("11.6", "b", "Nothing is infinite there"),
        ("11.6", "a", "passes on what arrives"),
    ],
)
def test_a_misconception_gets_its_own_hint(id, given, hint):
    assert hint in exercises.answer(id, given).text


@pytest.mark.parametrize(
    ("given", "remark"),
    [
        (lambda x: None, "Is `return` missing?"),
        (nan_thrown_away, "A NaN is still made on the way"),
        (lambda x: graphlab.where(x > 0, x * graphlab.log(x), 0.0), "The gradient is still NaN"),
        (lambda x: x * graphlab.log(x), "A value is NaN"),
        (lambda x: (x * graphlab.log(x)).nan_to_num(), "The gradient is still NaN"),
        (lambda x: graphlab.log(graphlab.where(x > 0, x, 1.0)), "the value should be x·log x"),
        (lambda x: graphlab.where(x > 0, where_twice(x), 1.0), "the value should be 0"),
        (lambda x: where_twice(x.detach()) + 0 * x, "is the graph cut?"),
        (lambda x: where_twice(x) + graphlab.relu(-x) - graphlab.relu(-x.detach()),
         "its gradient should be 0"),
    ],
)  # fmt: skip
def test_a_wrong_repair_gets_a_remark(given, remark):
    assert remark in entropy_term(given)


@pytest.mark.parametrize(
    ("given", "remark"),
    [
        (lambda x: graphlab.log(1 + graphlab.exp(x)), "At x = 100 the value is inf"),
        (graphlab.relu, "At x = -2 the value is 0"),
        (by_where, "the gradient at x = 100 is NaN"),
        (by_relu, "At x = 0 the gradient is 0, not 0.5"),
        (lambda x: largest_out(x.detach()) + 0 * x, "At x = 0 the gradient is 0"),
        (graphlab.nn.functional.softplus, "GraphLab's softplus"),
        (lambda x: graphlab.nn.functional.softplus(x), "GraphLab's softplus"),
        (lambda x: None, "Is `return` missing?"),
    ],
)
def test_a_wrong_softplus_gets_a_remark(given, remark):
    assert remark in softplus(given)


def test_an_error_in_the_code_is_named():
    said = exercises.answer("11.5", lambda x: x.no_such_thing()).text
    assert "It raises an error: AttributeError" in said
