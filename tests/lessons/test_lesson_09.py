"""Lesson 9: right answers in several forms, and the hint of each misconception.

Read next: graphlab/faces/exercises/lessons/lesson_09.py
"""

from __future__ import annotations

import warnings

import pytest

import graphlab
from graphlab import exercises


@pytest.fixture(autouse=True)
def in_memory():
    exercises.keep_in(None)


def recorded(f, x):
    (g,) = graphlab.autograd.grad(f(x), x, create_graph=True)
    return (g**2).sum()


def as_a_product(f, x):
    g = graphlab.autograd.grad(f(x), [x], create_graph=True)[0]
    return graphlab.sum(g * g)


def by_func(f, x):
    return (graphlab.func.grad(f)(x) ** 2).sum()


def retained(f, x):
    (g,) = graphlab.autograd.grad(f(x), x, retain_graph=True)
    return (g**2).sum()


def by_backward(f, x):
    f(x).backward()
    return (x.grad**2).sum()


def adding(f, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # backward(create_graph=True) warns of a cycle
        f(x).backward(create_graph=True)
    return (x.grad**2).sum()


def without_square(f, x):
    (g,) = graphlab.autograd.grad(f(x), x, create_graph=True)
    return g.sum()


def not_summed(f, x):
    (g,) = graphlab.autograd.grad(f(x), x, create_graph=True)
    return g**2


def a_leaf_of_its_own(f, x):
    return retained(f, x).requires_grad_()


def a_number(f, x):
    return recorded(f, x).item()


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("9.1", 2000),
        ("9.1", "500 * 4"),
        ("9.2", "a c e"),
        ("9.2", ["E", "c", "a"]),
        ("9.3", 48),
        ("9.3", graphlab.tensor(48.0)),
        ("9.4", "12 * 4"),
        ("9.4", 48.0),
        ("9.5", "acd"),
        ("9.6", recorded),
        ("9.6", as_a_product),
        ("9.6", by_func),
    ],
)
def test_a_right_answer_is_accepted(id, given):
    said = exercises.answer(id, given)
    assert said.right, said.text


@pytest.mark.parametrize(
    ("id", "given", "hint"),
    [
        ("9.1", 4000, "You counted two tensors"),
        ("9.1", 6000, "An addition saves no tensor"),
        ("9.1", 8000, "Not every node saves a tensor"),
        ("9.1", 500, "A float32 has 4 bytes"),
        ("9.1", 0, "tanh and the square need one"),
        ("9.2", "a c d e", "1/x: it needs the input"),
        ("9.2", "a b c e", "its sign is not known"),
        ("9.2", "a c", "there is more"),
        ("9.3", 24, "without the hook"),
        ("9.3", 44, "the sum over both uses"),
        ("9.3", 12, "The slope of x * x is missing"),
        ("9.4", 32, "That is g, the first derivative"),
        ("9.4", 64, "the same gradient twice"),
        ("9.5", "a b c d", "retain_graph=True records nothing"),
        ("9.5", "a c d e", "Two passes give the same gradient twice"),
        ("9.6", retained, "retain_graph=True keeps the first graph and makes no second one"),
        ("9.6", by_backward, "it has no grad_fn"),
        ("9.6", adding, "The second call returns 612: backward() adds to .grad"),
        ("9.6", without_square, "the result is 9 + 144"),
        ("9.6", not_summed, "the result is 9 + 144"),
        ("9.6", a_leaf_of_its_own, "no path leads from it through g to x"),
        ("9.6", a_number, "It returns no tensor"),
    ],
)
def test_a_misconception_gets_its_own_hint(id, given, hint):
    said = exercises.answer(id, given)
    assert not said.right
    assert hint in said.text
