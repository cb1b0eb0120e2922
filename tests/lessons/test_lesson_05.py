"""Lesson 5: leaves and buckets, and functions that are repaired in several ways.

Read next: graphlab/faces/exercises/lessons/lesson_05.py
"""

from __future__ import annotations

import warnings

import pytest

import graphlab
from graphlab import exercises


@pytest.fixture(autouse=True)
def no_file():
    exercises.keep_in(None)


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("5.1", "a b d e"),
        ("5.1", ["E", "d", "b", "a"]),
        ("5.2", 21),
        ("5.2", graphlab.tensor(21.0)),
        ("5.2", "10 + 10 + 1"),
        ("5.3", "b d"),
        ("5.3", "D, B"),
    ],
)
def test_right_answers_are_accepted_in_several_forms(id, given):
    assert exercises.answer(id, given)


@pytest.mark.parametrize(
    ("id", "given", "said"),
    [
        ("5.1", "a b c d e", "so w * x was recorded"),
        ("5.1", "a b", "Not every operation is recorded"),
        ("5.1", "a e", "get a .grad"),
        ("5.1", "a", "made by you too"),
        ("5.1", "a b d", "stays one"),
        ("5.2", 105, "the gradient of w"),
        ("5.2", 20, "used once more"),
        ("5.2", 11, "uses u twice"),
        ("5.2", 1, "the last use"),
        ("5.2", None, "None is not a number"),
        ("5.3", "b", "starts at loss with the gradient 1"),
        ("5.3", "b c d", "has a bucket"),
        ("5.3", "a b d", "w is a leaf"),
        ("5.3", "d", "does every leaf"),
    ],
)
def test_a_misconception_gets_a_hint_of_its_own(id, given, said):
    told = exercises.answer(id, given)
    assert not told
    assert said in told.text


def bucket_after_the_product(w, x):
    u = w * x
    u.retain_grad()
    loss = (u + 1) ** 2
    loss.backward()
    return u.grad


def bucket_just_before(w, x):
    u = w * x
    loss = (u + 1) ** 2
    u.retain_grad()
    loss.backward()
    return u.grad


def asked_for_directly(w, x):
    u = w * x
    return graphlab.autograd.grad((u + 1) ** 2, u)[0]


def bucket_without_return(w, x):
    bucket_after_the_product(w, x)


def bucket_too_late(w, x):
    u = w * x
    loss = (u + 1) ** 2
    loss.backward()
    u.retain_grad()
    return u.grad


def no_bucket(w, x):
    u = w * x
    ((u + 1) ** 2).backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return u.grad


def gradient_of_the_leaf(w, x):
    ((w * x + 1) ** 2).backward()
    return w.grad


@pytest.mark.parametrize(
    "middle", [bucket_after_the_product, bucket_just_before, asked_for_directly]
)
def test_the_gradient_in_the_middle_may_be_kept_in_several_ways(middle):
    assert exercises.answer("5.4", middle)


@pytest.mark.parametrize(
    ("middle", "said"),
    [
        (bucket_without_return, "Is `return` there"),
        (lambda w, x: 2 * (w * x + 1), "no backward pass has run"),
        (lambda w, x: (2 * (w * x + 1)).item(), "no backward pass has run"),
        (bucket_too_late, "still returns None"),
        (no_bucket, "still returns None"),
        (gradient_of_the_leaf, "That is the gradient of w"),
        (lambda w, x: 5.0, "it returns 5, not 14"),
        (lambda w, x: x.retain_grad(), "It raises an error: RuntimeError: can't retain_grad"),
    ],
)
def test_a_middle_that_loses_the_gradient_is_told_why(middle, said):
    assert said in exercises.answer("5.4", middle).text


def as_given():
    return graphlab.tensor([1.0, 2.0], requires_grad=True) * 0.1


def with_a_bucket():
    weight = as_given()
    weight.retain_grad()
    return weight


@pytest.mark.parametrize(
    "make_weight",
    [
        lambda: graphlab.tensor([0.1, 0.2], requires_grad=True),
        lambda: (graphlab.tensor([1.0, 2.0]) * 0.1).requires_grad_(),
        lambda: as_given().detach().requires_grad_(),
    ],
)
def test_a_weight_may_become_a_leaf_in_several_ways(make_weight):
    assert exercises.answer("5.5", make_weight)


@pytest.mark.parametrize(
    ("make_weight", "said"),
    [
        (as_given, "still a result: MulBackward0 made it"),
        (with_a_bucket, "but it stays a result"),
        (lambda: graphlab.tensor([0.1, 0.2]), "does not require a gradient"),
        (lambda: graphlab.tensor([1.0, 2.0], requires_grad=True), "its values are [1.0, 2.0]"),
        (lambda: 0.1, "not float"),
    ],
)
def test_what_is_no_weight_is_told_why(make_weight, said):
    assert said in exercises.answer("5.5", make_weight).text


def an_island(w, x, y):
    loss = graphlab.tensor((w * x - y).item() ** 2)
    loss.requires_grad = True
    return loss


def through_a_new_leaf(w, x, y):
    error = graphlab.tensor((w * x - y).item(), requires_grad=True)
    return error**2


@pytest.mark.parametrize(
    "loss_of",
    [
        lambda w, x, y: (w * x - y) ** 2,
        lambda w, x, y: (w * x - y) * (w * x - y),
        lambda w, x, y: (y - w * x).square(),
    ],
)
def test_a_loss_may_be_repaired_in_several_ways(loss_of):
    assert exercises.answer("5.6", loss_of)


@pytest.mark.parametrize(
    ("loss_of", "said"),
    [
        (an_island, "an island"),
        (lambda w, x, y: graphlab.tensor(25.0), "element 0 of tensors does not require grad"),
        (through_a_new_leaf, "it does not lead to w"),
        (lambda w, x, y: w * x - y, "the loss is 5, not 25"),
        (lambda w, x, y: (w * x - y) * (w * x - y).item(), "one edge is still cut"),
        (lambda w, x, y: 25.0, "not float"),
    ],
)
def test_a_loss_that_does_not_reach_the_weight_is_told_why(loss_of, said):
    assert said in exercises.answer("5.6", loss_of).text
