"""Lesson 7: right answers in several forms, and the hint for each misconception.

Read next: graphlab/faces/exercises/lessons/lesson_07.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab
from graphlab import exercises


@pytest.fixture(autouse=True)
def own_file(tmp_path):
    exercises.keep_in(tmp_path / "answers.json")
    yield
    exercises.keep_in(None)


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("7.1", [6, 3, -3]),
        ("7.1", graphlab.tensor([6.0, 3.0, -3.0])),
        ("7.1", np.array([6.0, 3.0, -3.0])),
        ("7.2", "a e"),
        ("7.2", ["e", "a"]),
        ("7.3", [4, 4, 4]),
        ("7.3", graphlab.full((3,), 4.0)),
        ("7.4", "C"),
    ],
)
def test_a_right_answer_is_accepted(id, given):
    assert exercises.answer(id, given)


@pytest.mark.parametrize(
    ("id", "given", "said"),
    [
        ("7.1", [3, 3, 3], "the sum of the rows"),
        ("7.1", [6, 4, 0], "the part of y1"),
        ("7.1", [0, -1, -3], "the part of y2 alone"),
        ("7.1", [6, 5, 3], "subtracted"),
        ("7.1", [[6, 4, 0], [0, -1, -3]], "they are added"),
        ("7.2", "a", "one more"),
        ("7.2", "a d", "a single number"),
        ("7.2", "a c", "gets a v"),
        ("7.2", "a b", "The sum is"),
        ("7.3", [1, 1, 1], "every row"),
        ("7.3", [3, 3, 3], "How many rows"),
        ("7.3", [3, 3, 3, 3], "for each column"),
        ("7.3", 12, "the shape of its tensor"),
        ("7.3", np.ones((4, 3)), "summed back"),
        ("7.4", "a", "the gradient of W"),
        ("7.4", "b", "does not exist"),
        ("7.4", "d", "on the right"),
    ],
)
def test_a_misconception_gets_its_own_hint(id, given, said):
    feedback = exercises.answer(id, given)
    assert not feedback
    assert said in feedback.text


def test_exactly_the_calls_of_the_second_exercise_are_errors():
    calls = {
        "a": lambda z: z.backward(),
        "b": lambda z: z.sum().backward(),
        "c": lambda z: z.backward(graphlab.ones(3)),
        "d": lambda z: z[0].backward(),
        "e": lambda z: z.backward(graphlab.ones(2)),
    }
    failing = []
    for letter, call in calls.items():
        try:
            call(graphlab.ones(3, requires_grad=True) * 2)
        except RuntimeError:
            failing.append(letter)
    assert exercises.answer("7.2", failing)


@pytest.mark.parametrize(
    "written",
    [
        lambda X, W, b, delta: (delta @ W.T, X.T @ delta, delta.sum(0)),
        lambda X, W, b, delta: [
            graphlab.matmul(delta, W.t()),
            (delta.T @ X).T,
            graphlab.ones(len(delta)) @ delta,
        ],
        lambda X, W, b, delta: (
            graphlab.einsum("nm,km->nk", delta, W),
            graphlab.einsum("nk,nm->km", X, delta),
            delta.sum(dim=0),
        ),
    ],
)
def test_the_backward_pass_may_be_written_in_several_ways(written):
    assert exercises.answer("7.5", written)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (lambda X, W, b, delta: (delta @ W.T, X.T @ delta, delta), "b was used in every row"),
        (lambda X, W, b, delta: (delta @ W.T, X.T @ delta, delta.sum()), "must be the same"),
        (lambda X, W, b, delta: (delta @ W.T, X.T @ delta, delta.sum(1)), "must be the same"),
        (lambda X, W, b, delta: (delta @ W.T, delta.T @ X, delta.sum(0)), "must be transposed"),
        (lambda X, W, b, delta: (delta @ W, X.T @ delta, delta.sum(0)), "raises an error"),
        (lambda X, W, b, delta: (delta @ W.T, X.T @ delta), "three gradients"),
        (lambda X, W, b, delta: (delta @ W.T, X.T @ delta, delta.mean(0)), "right entries"),
        (lambda X, W, b, delta: (X.T @ delta, delta @ W.T, delta.sum(0)), "in the wrong order"),
        (lambda X, W, b, delta: (..., ..., ...), "should be a tensor"),
    ],
)
def test_what_is_wrong_with_a_backward_pass_is_said(written, said):
    assert said in exercises.answer("7.5", written).text


def rows_of(y, x, clear=None, **options):
    """The function of the notebook, with what is to be repaired in it as options."""
    rows = []
    for k in range(len(y)):
        v = graphlab.zeros(len(y))
        v[k] = 1.0
        if clear is not None and x.grad is not None:
            clear(x)
        y.backward(v, **options)
        rows.append(x.grad)
    return graphlab.stack(rows)


def emptied(x):
    x.grad = None


def zeroed(x):
    x.grad.zero_()


def repaired(y, x):
    return rows_of(y, x, emptied, retain_graph=True)


def of_each_entry(y, x):
    rows = []
    for one in y:
        (row,) = graphlab.autograd.grad(one, x, retain_graph=True)
        rows.append(row)
    return graphlab.stack(rows)


def copied(y, x):
    rows = []
    for one in y:
        one.backward(retain_graph=True)
        rows.append(x.grad.clone())
        x.grad.zero_()
    return graphlab.stack(rows)


def cumulated(y, x):
    rows = []
    for one in y:
        one.backward(retain_graph=True)
        rows.append(x.grad.clone())
    return graphlab.stack(rows)


@pytest.mark.parametrize("written", [repaired, of_each_entry, copied])
def test_the_table_may_be_made_in_several_ways(written):
    assert exercises.answer("7.6", written)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (rows_of, "backward through the graph a second time"),
        (lambda y, x: rows_of(y, x, retain_graph=True), "one and the same tensor"),
        (lambda y, x: rows_of(y, x, zeroed, retain_graph=True), "one and the same tensor"),
        (cumulated, "The rows add up"),
        (lambda y, x: repaired(y, x).T, "(2, 3). One row belongs to each result."),
        (lambda y, x: repaired(y, x) * 2, "Some rows"),
        (lambda y, x: None, "Is `return` missing?"),
        (lambda y, x: [[3, 2, 0], [0, 1, 3]], "should return a tensor"),
    ],
)
def test_what_is_left_to_repair_in_the_table_is_said(written, said):
    assert said in exercises.answer("7.6", written).text
