"""Lesson 8: right answers in several forms, and the hint of each misconception.

Read next: graphlab/faces/exercises/lessons/lesson_08.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab import exercises


@pytest.fixture(autouse=True)
def in_memory():
    exercises.keep_in(None)


def in_a_block(w, rate):
    with graphlab.no_grad():
        w -= rate * w.grad


def by_a_method(w, rate):
    with graphlab.no_grad():
        w.sub_(rate * w.grad)


def through_a_detached_tensor(w, rate):
    w.detach().sub_(rate * w.grad)


def by_an_optimizer(w, rate):
    graphlab.optim.SGD([w], lr=rate).step()


def with_a_new_object(w, rate):
    w = w - rate * w.grad


def with_a_new_object_in_a_block(w, rate):
    with graphlab.no_grad():
        w = w - rate * w.grad


def recorded(w, rate):
    w -= rate * w.grad


def uphill(w, rate):
    with graphlab.no_grad():
        w += rate * w.grad


def without_gradient(w, rate):
    in_a_block(w, rate)
    w.requires_grad_(False)


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("8.1", 15),
        ("8.1", "9 + 6"),
        ("8.1", graphlab.tensor(15.0)),
        ("8.2", "a c e"),
        ("8.2", ["e", "C", "a"]),
        ("8.3", 0),
        ("8.3", "0"),
        ("8.4", "e"),
        ("8.4", "E"),
        ("8.5", "a c"),
        ("8.5", "ca"),
        ("8.6", in_a_block),
        ("8.6", by_a_method),
        ("8.6", through_a_detached_tensor),
        ("8.6", by_an_optimizer),
    ],
)
def test_a_right_answer_is_accepted(id, given):
    said = exercises.answer(id, given)
    assert said.right, said.text


@pytest.mark.parametrize(
    ("id", "given", "hint"),
    [
        ("8.1", 33, "without a cut"),
        ("8.1", 9, "leaves y as it is"),
        ("8.1", 6, "x itself is not cut off"),
        ("8.2", "a b c", "clone() copies"),
        ("8.2", "a c d", "detach() cuts the edge"),
        ("8.2", "a c", "there is more"),
        ("8.3", 2, "the version of the first h"),
        ("8.3", 3, "A clone counts for itself"),
        ("8.3", 1, "not a change in place"),
        ("8.4", "c", "That line is the cause"),
        ("8.4", "d", "A sum runs forward"),
        ("8.5", "a c e", "the name h moves"),
        ("8.5", "a b c", "saves its factors"),
        ("8.5", "a c d", "log saves its input"),
        ("8.6", with_a_new_object, "The tensor that was passed is unchanged"),
        ("8.6", with_a_new_object_in_a_block, "The tensor that was passed is unchanged"),
        ("8.6", recorded, "a leaf Variable that requires grad is being used in an in-place"),
        ("8.6", uphill, "now w is [3.0, -1.5]"),
        ("8.6", without_gradient, "no longer requires a gradient"),
    ],
)
def test_a_misconception_gets_its_own_hint(id, given, hint):
    said = exercises.answer(id, given)
    assert not said.right
    assert hint in said.text


def test_the_version_is_the_one_that_graphlab_counts():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    first = h = x * x
    d, k = h.detach(), h.clone()
    d += 1
    d *= 2
    k += 1
    h = h + 1
    assert (h._version, first._version) == (0, 2)


def test_the_sigmoid_stops_in_backward_and_not_before():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    h = graphlab.sigmoid(x)
    y = h * 3
    h *= 2
    z = y.sum()
    with pytest.raises(RuntimeError, match="output 0 of Sigmoid, is at version 1"):
        z.backward()
