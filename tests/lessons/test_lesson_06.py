"""Lesson 6: right answers in several forms, and the hint for each misconception.

Read next: graphlab/faces/exercises/lessons/lesson_06.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab import exercises
from graphlab.autograd import backward


@pytest.fixture(autouse=True)
def own_file(tmp_path):
    exercises.keep_in(tmp_path / "answers.json")
    yield
    exercises.keep_in(None)


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("6.1", 40),
        ("6.1", "4 * 10"),
        ("6.1", graphlab.tensor(40.0)),
        ("6.2", "zero, loss, backward, step"),
        ("6.2", ["loss", "zero", "backward", "step"]),
        ("6.2", "Loss, Backward, Step, Zero"),
        ("6.3", "b d"),
        ("6.3", ["d", "b"]),
        ("6.4", 8000),
        ("6.4", "2 * 1000 * 4"),
        ("6.5", 40.0),
        ("6.5", "8 + 8 + 24"),
    ],
)
def test_a_right_answer_is_accepted(id, given):
    assert exercises.answer(id, given)


@pytest.mark.parametrize(
    ("id", "given", "said"),
    [
        ("6.1", 10, "does not replace"),
        ("6.1", 20, "There are four"),
        ("6.1", 160, "adds the slope once"),
        ("6.1", 10000, "not multiplied"),
        ("6.2", "loss, backward, zero, step", "between backward and step"),
        ("6.2", "zero, loss, step, backward", "Which part writes it"),
        ("6.2", "zero, backward, loss, step", "backward starts at the loss"),
        ("6.2", "loss, backward, step", "zero is missing"),
        ("6.3", "a b c d e", "alone is not an error"),
        ("6.3", "a b d", "nothing can be missing"),
        ("6.3", "b", "one more"),
        ("6.4", 2000, "How many bytes"),
        ("6.4", 4000, "Two nodes"),
        ("6.4", 12000, "v would be needed for the gradient of u only"),
        ("6.4", 16000, "Not every result"),
        ("6.4", 0, "has not run yet"),
        ("6.5", 32, "There were two from loss1"),
        ("6.5", 24, "What was there before"),
        ("6.5", 16, "loss2 is missing"),
    ],
)
def test_a_misconception_gets_its_own_hint(id, given, said):
    feedback = exercises.answer(id, given)
    assert not feedback
    assert said in feedback.text


def losses(w, x, y):
    h = w * x
    return (h - y) ** 2, h**2


def of_the_sum(w, x, y):
    w.grad = None
    loss1, loss2 = losses(w, x, y)
    (loss1 + loss2).backward()
    return w.grad


def retained_once(w, x, y):
    if w.grad is not None:
        w.grad.zero_()
    loss1, loss2 = losses(w, x, y)
    loss1.backward(retain_graph=True)
    loss2.backward()


def of_two_graphs(w, x, y):
    w.grad = None
    losses(w, x, y)[0].backward()
    losses(w, x, y)[1].backward()


def of_both_roots(w, x, y):
    w.grad = None
    backward(losses(w, x, y))


def as_given(w, x, y):
    loss1, loss2 = losses(w, x, y)
    loss1.backward()
    loss2.backward()


def never_cleared(w, x, y):
    loss1, loss2 = losses(w, x, y)
    (loss1 + loss2).backward()


def one_loss(w, x, y):
    w.grad = None
    losses(w, x, y)[0].backward()


def cleared_between(w, x, y):
    loss1, loss2 = losses(w, x, y)
    loss1.backward(retain_graph=True)
    w.grad = None
    loss2.backward()


def cleared_at_the_end(w, x, y):
    of_the_sum(w, x, y)
    w.grad = None


@pytest.mark.parametrize("written", [of_the_sum, retained_once, of_two_graphs, of_both_roots])
def test_the_losses_may_be_joined_in_every_way_that_is_right(written):
    assert exercises.answer("6.6", written)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (as_given, "backward through the graph a second time"),
        (never_cleared, "2 times the gradient"),
        (one_loss, "Only one of the two losses"),
        (cleared_between, "Only one of the two losses"),
        (cleared_at_the_end, "w.grad is None"),
    ],
)
def test_what_is_left_to_repair_is_said(written, said):
    assert said in exercises.answer("6.6", written).text


def shown(w):
    (w**3).backward()
    first = w.grad.item()
    (w**3).backward()
    return first, w.grad.item()


def shown_by_a_loop(w):
    kept = []
    for _ in range(2):
        (w * w * w).backward()
        kept.append(float(w.grad))
    return kept


def shown_with_one_graph(w):
    loss = w**3
    loss.backward(retain_graph=True)
    first = w.grad.item()
    loss.backward()
    return first, w.grad.item()


def kept_as_tensors(w):
    (w**3).backward()
    first = w.grad
    (w**3).backward()
    return first, w.grad


def kept_as_clones(w):
    (w**3).backward()
    first = w.grad.clone()
    (w**3).backward()
    return first, w.grad


def cleared_after_all(w):
    first, _ = shown(w)
    w.grad = None
    (w**3).backward()
    return first, w.grad.item()


def walked_twice(w):
    loss = w**3
    loss.backward()
    first = w.grad.item()
    loss.backward()
    return first, w.grad.item()


@pytest.mark.parametrize("written", [shown, shown_by_a_loop, shown_with_one_graph])
def test_the_doubling_may_be_shown_in_several_ways(written):
    assert exercises.answer("6.7", written)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (kept_as_tensors, "the very same tensor"),
        (kept_as_clones, "plain numbers"),
        (cleared_after_all, "cleared between the passes"),
        (walked_twice, "backward through the graph a second time"),
        (lambda w: (3 * w.item() ** 2, 6 * w.item() ** 2), "no backward pass has run"),
        (lambda w: shown(w)[1], "two numbers"),
        (lambda w: (w.grad, w.grad), "the very same tensor"),
        (lambda w: (None, 1.0), "is None"),
        (lambda w: shown(w)[::-1], "the first number is 24"),
    ],
)
def test_what_does_not_show_the_doubling_is_said(written, said):
    assert said in exercises.answer("6.7", written).text
