"""Lesson 4: right answers in several forms, and a hint for each answer of a tree-minded reader.

Read next: graphlab/faces/exercises/lessons/lesson_04.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab import exercises


@pytest.fixture(autouse=True)
def no_file():
    exercises.keep_in(None)


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("4.1", 5),
        ("4.1", "5"),
        ("4.2", 44),
        ("4.2", graphlab.tensor(44.0)),
        ("4.2", "24 + 16 + 4"),
        ("4.3", 4.0),
        ("4.4", "b d"),
        ("4.4", ["D", "b"]),
        ("4.5", "y, q, p, b"),
        ("4.5", ["Y", "q", "p", "b"]),
    ],
)
def test_right_answers_are_accepted_in_several_forms(id, given):
    assert exercises.answer(id, given)


@pytest.mark.parametrize(
    ("id", "given", "said"),
    [
        ("4.1", 3, "uses x twice"),
        ("4.1", 4, "One path does not touch u"),
        ("4.2", 68, "waits for both gradients"),
        ("4.2", 24, "all five paths"),
        ("4.2", 28, "One use of u is missing"),
        ("4.2", 40, "One path is missing"),
        ("4.2", 12, "along one path"),
        ("4.3", 6, "counted twice"),
        ("4.3", 2, "That is one path"),
        ("4.3", 1, "what one use sends"),
        ("4.4", "a b d", "waits until every use"),
        ("4.4", "b c d", "one tensor"),
        ("4.4", "b d e", "3 and −3"),
        ("4.4", "b", "there is more"),
        ("4.5", "y, p, q, b", "made last runs first"),
        ("4.5", "y, p, b, q", "b has to wait"),
        ("4.5", "y, p, b, q, b", "b runs once"),
        ("4.5", "b, p, q, y", "forward pass"),
        ("4.5", "y, p, q, b, a", "a is a leaf"),
    ],
)
def test_a_misconception_gets_a_hint_of_its_own(id, given, said):
    told = exercises.answer(id, given)
    assert not told
    assert said in told.text


@pytest.mark.parametrize(
    "f", [lambda a: a * a * a, lambda a: 3 * a + 4 * a + 5 * a, lambda a: a * a + 8 * a]
)
def test_every_graph_with_three_paths_and_a_gradient_of_12_is_accepted(f):
    assert exercises.answer("4.6", f)


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (lambda a: 12 * a, "1 path leads to a, but there should be 3"),
        (lambda a: a**3, "A power is one operation"),
        (lambda a: a * a * a * a, "4 paths lead to a"),
        (lambda a: a + a + a, "their sum at a = 2 is 3"),
        (lambda a: a, "no path to a"),
        (lambda a: graphlab.tensor(12.0), "no path to a"),
        (lambda a: 12.0, "not float"),
        (lambda a: a * a * q, "It raises an error: NameError"),  # noqa: F821
    ],
)
def test_other_graphs_are_told_what_they_lack(f, said):
    assert said in exercises.answer("4.6", f).text
