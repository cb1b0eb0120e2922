"""Lesson 2: right answers, and the hints for wrong ones.

Read next: graphlab/faces/exercises/lessons/lesson_02.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab import exercises


@pytest.fixture(autouse=True)
def own_file(tmp_path):
    exercises.keep_in(tmp_path / "answers.json")
    yield
    exercises.keep_in(None)


def swapped(gradient, a, b):
    return gradient * b, gradient * a


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("2.1", [-10, 15]),
        ("2.1", (-10.0, 15.0)),
        ("2.1", graphlab.tensor([-10.0, 15.0])),
        ("2.2", "b d"),
        ("2.2", ["d", "b"]),
        ("2.3", "1/2"),
        ("2.3", 0.5),
        ("2.4", 15),
        ("2.4", graphlab.tensor(15.0)),
        ("2.5", lambda a, b: a * b + b),
        ("2.5", lambda a, b: (a + 1) * b),
        ("2.5", lambda a, b: 5 * a + 3 * b),
        ("2.5", lambda a, b: graphlab.maximum(5 * a, b) + 3 * b),
        ("2.6", swapped),
        ("2.6", lambda gradient, a, b: [b * gradient, a * gradient]),
        ("2.6", lambda g, x, y: tuple(g * other for other in (y, x))),
    ],
)
def test_a_right_answer_is_accepted_in_every_form(id, given):
    assert exercises.answer(id, given), exercises.answer(id, given).text


@pytest.mark.parametrize(
    ("id", "given", "said"),
    [
        ("2.1", [15, -10], "A product swaps"),
        ("2.1", [-2, 3], "multiplied by what comes in"),
        ("2.1", [3, -2], "Swap the two"),
        ("2.1", [5, 5], "A sum would do that"),
        ("2.1", [10, 15], "Look at the sign"),
        ("2.1", -10, "shape"),
        ("2.2", "a b d", "each gets the whole gradient"),
        ("2.2", "b c d", "None would say"),
        ("2.2", "b", "there is more"),
        ("2.3", 0.125, "logarithm alone"),
        ("2.3", 4, "product alone"),
        ("2.3", 4.125, "multiplied, not added"),
        ("2.3", "1/4", "the gradient of b"),
        ("2.3", 32, "1/v, not v"),
        ("2.4", 0, "is routed to it"),
        ("2.4", 3, "a * b alone"),
        ("2.4", 5, "One more slope"),
        ("2.4", 10, "The product swaps"),
        ("2.4", 7.5, "does not divide"),
        ("2.5", lambda a, b: a * b, "b gets the gradient 2, not 3"),
        ("2.5", lambda a, b: 3 * a + 5 * b, "a gets the gradient 3, not 5"),
        ("2.5", lambda a, b: 5 * a, "No gradient arrives at b"),
        ("2.5", lambda a, b: 8.0, "It returns float"),
        ("2.5", lambda a, b: graphlab.tensor(8.0), "Nothing was recorded"),
        ("2.5", lambda a, b: a.grad * b, "It raises an error: TypeError"),
        ("2.6", lambda gradient, a, b: (a, b), "Swap the two"),
        ("2.6", lambda gradient, a, b: (b, a), "The incoming gradient is missing"),
        ("2.6", lambda gradient, a, b: (gradient * a, gradient * b), "A product swaps them"),
        ("2.6", lambda gradient, a, b: (gradient + b, gradient + a), "multiplied, not added"),
        ("2.6", lambda gradient, a, b: (a, gradient), "it returns 3 and 5"),
        ("2.6", lambda gradient, a, b: gradient * b, "two numbers"),
        ("2.6", lambda gradient, a, b: None, "two numbers"),
        ("2.6", 3, "Expected your function"),
    ],
)
def test_a_wrong_answer_gets_its_own_hint(id, given, said):
    found = exercises.answer(id, given)
    assert not found
    assert said in found.text
