"""Lesson 1: right answers in several forms, and the hint that each wrong one gets."""

from __future__ import annotations

import pytest

import graphlab
from graphlab import exercises


@pytest.fixture(autouse=True)
def own_file():
    exercises.keep_in(None)


def leaf(value: float) -> graphlab.Tensor:
    return graphlab.tensor([value], requires_grad=True)


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("1.1", "u, t, v, e"),
        ("1.1", ["u", "t", "v", "e"]),
        ("1.2", "a d"),
        ("1.2", ["d", "a"]),
        ("1.3", 0.5),
        ("1.3", "5/10"),
        ("1.3", graphlab.tensor([0.5])),
        ("1.4", 4),
    ],
)
def test_a_right_answer_is_taken_in_several_forms(id, given):
    assert exercises.answer(id, given)


@pytest.mark.parametrize(
    ("id", "given", "said"),
    [
        ("1.1", "e, v, t, u", "order of the backward pass"),
        ("1.1", "a, b, c, d, u, t, v, e", "are leaves"),
        ("1.2", "a c d", "the other way round"),
        ("1.3", 5, "One more slope is missing"),
        ("1.3", "1/10", "not 1 but c = 5"),
        ("1.4", 2, "Gradients that meet are added"),
        ("1.4", None, "did a backward pass write this gradient?"),
    ],
)
def test_a_wrong_answer_gets_its_own_hint(id, given, said):
    feedback = exercises.answer(id, given)
    assert not feedback
    assert said in feedback.text


@pytest.mark.parametrize(
    "build",
    [
        lambda x, y: (x + y) * graphlab.log(x),
        lambda x, y: x.log() * (x + y),
        lambda x, y: graphlab.mul(y + x, y.log()),
    ],
)
def test_a_graph_is_taken_however_it_is_written(build):
    assert exercises.answer("1.5", build(leaf(2.0), leaf(7.0)))


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda x, y: (x + y) * leaf(2.0).log(), "more than two leaves"),
        (lambda x, y: (x + x) * x.log(), "Fewer than two leaves"),
        (lambda x, y: (x + y) + x.log(), "must be the product"),
        (lambda x, y: (x * y) * x.log(), "AddBackward0 does not occur"),
        (lambda x, y: (x + y) * (x + y).log(), "AddBackward0 occurs twice"),
        (lambda x, y: leaf(1.0), "has no graph"),
    ],
)
def test_another_graph_is_told_apart(build, said):
    feedback = exercises.answer("1.5", build(leaf(2.0), leaf(3.0)))
    assert not feedback
    assert said in feedback.text
