"""Lesson 3: right answers, and the hints for wrong ones.

Read next: graphlab/faces/exercises/lessons/lesson_03.py
"""

from __future__ import annotations

from collections import Counter

import pytest

import graphlab
from graphlab import exercises


@pytest.fixture(autouse=True)
def own_file(tmp_path):
    exercises.keep_in(tmp_path / "answers.json")
    yield
    exercises.keep_in(None)


def by_hand(a, b):
    h = a * b
    p = h + a
    to_p = h
    to_h = p + to_p
    to_a = to_p + to_h * b
    to_b = to_h * a
    return to_a, to_b


def by_autograd(a, b):
    a, b = (graphlab.tensor(one, requires_grad=True) for one in (a, b))
    h = a * b
    (h * (h + a)).backward()
    return a.grad, b.grad


def by_calculus(a, b):  # e = a²b² + a²b
    return [2 * a * b**2 + 2 * a * b, 2 * a**2 * b + a**2]


def counted(made_from):
    counts = {}
    for result in made_from:
        for one in made_from[result]:
            counts[one] = counts.get(one, 0) + 1
    return counts


def with_the_root(made_from):
    every = [one for inputs in made_from.values() for one in inputs]
    return {name: every.count(name) for name in {*made_from, *every}}


def too_few(made_from):
    return {one: 1 for inputs in made_from.values() for one in inputs}


def each_user_once(made_from):
    return Counter(one for inputs in made_from.values() for one in set(inputs))


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("3.1", "e, z, v, u"),
        ("3.1", ["e", "z", "v", "u"]),
        ("3.1", "E,Z,V,U"),
        ("3.2", 2),
        ("3.2", "2"),
        ("3.3", 14),
        ("3.3", "8 + 6"),
        ("3.3", graphlab.tensor(14.0)),
        ("3.4", "m, k, g, f"),
        ("3.4", ("m", "k", "g", "f")),
        ("3.5", by_hand),
        ("3.5", by_autograd),
        ("3.5", by_calculus),
        ("3.6", counted),
        ("3.6", with_the_root),
        ("3.6", lambda graph: Counter(one for inputs in graph.values() for one in inputs)),
    ],
)
def test_a_right_answer_is_accepted_in_every_form(id, given):
    assert exercises.answer(id, given), exercises.answer(id, given).text


@pytest.mark.parametrize(
    ("id", "given", "said"),
    [
        ("3.1", "u, v, z, e", "order of the forward pass"),
        ("3.1", "e, z, u, v", "so it waits"),
        ("3.1", "e, z, v, u, a, b", "are leaves"),
        ("3.1", "e, z, v", "One is missing"),
        ("3.2", 1, "Another line uses u"),
        ("3.2", 3, "makes u"),
        ("3.2", 4, "the number of nodes"),
        ("3.3", 8, "from z alone"),
        ("3.3", 6, "from v alone"),
        ("3.3", 48, "added, not multiplied"),
        ("3.3", 12, "The product swaps"),
        ("3.3", 9, "does not run with 1"),
        ("3.4", "f, g, k, m", "order of the forward pass"),
        ("3.4", "m, f, k, g", "f was made first"),
        ("3.4", "m, k, f, g", "made after f"),
        ("3.4", "m, g, k, f", "waits for the node of k"),
        ("3.4", "m, k", "2 are missing"),
        ("3.5", lambda a, b: (a * b + (a * b + a) * b, (a * b + a) * a), "ran too early"),
        ("3.5", lambda a, b: ((2 * a * b + a) * b, (2 * a * b + a) * a), "a is used twice"),
        ("3.5", lambda a, b: ((a * b + a) * b, (a * b + a) * a), "used twice each"),
        ("3.5", lambda a, b: by_hand(a, b)[::-1], "in the wrong order"),
        ("3.5", lambda a, b: (0, by_hand(a, b)[1]), "to_b is right"),
        ("3.5", lambda a, b: (b, a), "it returns 3, 2"),
        ("3.5", lambda a, b: ..., "two numbers"),
        ("3.5", lambda a: a, "It raises an error: TypeError"),
        ("3.6", too_few, "says 1 for h, which is used twice"),
        ("3.6", each_user_once, "uses g twice, but your function says 1"),
        ("3.6", lambda graph: {**counted(graph), next(iter(graph)): 1}, "which nothing uses"),
        ("3.6", lambda graph: {}, "is used once"),
        ("3.6", lambda graph: None, "not NoneType"),
        ("3.6", counted({}), "Expected your function"),
    ],
)
def test_a_wrong_answer_gets_its_own_hint(id, given, said):
    found = exercises.answer(id, given)
    assert not found
    assert said in found.text


def test_the_counts_are_those_of_a_recorded_pass():
    a, b = (graphlab.tensor(one, requires_grad=True) for one in (2.0, 3.0))
    u = a * b
    v = u + a
    walk = graphlab.trace(u * v)
    arrived = [event for event in walk if event.kind == "Accumulated"]
    assert len(arrived) == sum(
        counted({"z": ["u", "v"], "v": ["u", "a"], "u": ["a", "b"]}).values()
    )


def test_the_order_of_two_branches_is_that_of_a_pass():
    a, b, c, d = (graphlab.tensor(one, requires_grad=True) for one in (2.0, 3.0, 4.0, 5.0))
    f = a * b
    g = c * d
    k = g * g
    m = f + k
    sentences = [event.sentence for event in graphlab.trace(m) if event.kind == "NodeEntered"]
    used = ["made m", "uses k", "uses g", "uses f"]
    assert len(sentences) == len(used)
    assert all(part in one for part, one in zip(used, sentences, strict=True))
