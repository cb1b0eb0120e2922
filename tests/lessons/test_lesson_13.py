"""The exercises of lesson 13: right answers in several forms, and the hint of each slip."""

from __future__ import annotations

import pytest

import graphlab
from graphlab import exercises
from graphlab.faces.exercises.lessons import lesson_13
from graphlab.nn.utils import clip_grad_norm_


@pytest.fixture(autouse=True)
def keep_nothing():
    exercises.keep_in(None)
    yield
    exercises.keep_in(None)


# -- numbers and choices ---------------------------------------------------------------------------


@pytest.mark.parametrize("given", [5, "5", "3 + 2*1", graphlab.tensor(5.0)])
def test_the_gradient_of_a_shared_weight_is_the_sum_over_the_steps(given):
    assert exercises.answer("13.1", given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (3, "share of the last step"),
        (4, "h_1 counts twice"),
        (7, "the value of h_3"),
        (12, "slope of w³"),
        (2, "share of step 2"),
    ],
)
def test_a_wrong_gradient_of_a_shared_weight_gets_its_hint(given, said):
    assert said in exercises.answer("13.1", given).text


def test_a_cut_leaves_the_share_of_the_last_step():
    assert exercises.answer("13.2", 3)


@pytest.mark.parametrize(
    ("given", "said"),
    [(5, "without the cut"), (2, "takes away"), (0, "comes after it"), (1, "1 arrives at h_3")],
)
def test_a_wrong_gradient_after_a_cut_gets_its_hint(given, said):
    assert said in exercises.answer("13.2", given).text


def test_the_recurrences_that_vanish_are_found_by_running_them():
    assert lesson_13.vanishing() == "a c e"
    assert exercises.answer("13.3", "e, a, c")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("a b c e", "A sum hands the whole gradient on"),
        ("a c d e", "about 45"),
        ("a e", "A sign does not keep"),
        ("a c", "0.36"),
        ("c e", "40 steps are many"),
    ],
)
def test_a_wrong_choice_of_what_vanishes_gets_its_hint(given, said):
    assert said in exercises.answer("13.3", given).text


def test_one_point_one_grows_to_45_in_40_steps():
    assert 44 < 1.1**40 < 46


def test_three_statements_are_true():
    assert exercises.answer("13.6", "b d f")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("a b d f", "shares are added"),
        ("b c d f", "by one factor"),
        ("b d e f", "keeps the numbers"),
        ("b d", "there is more"),
    ],
)
def test_a_false_statement_gets_its_hint(given, said):
    assert said in exercises.answer("13.6", given).text


# -- truncation ------------------------------------------------------------------------------------


def passes(cut, keep_loss=False, clear=False, **options):
    """The function of the exercise, with something done to the state after a step."""

    def truncated(w, inputs, targets, k):
        h, loss = graphlab.tensor(0.0), 0.0
        for t, (x, y) in enumerate(zip(inputs, targets, strict=True)):
            h = w * h + x
            loss = loss + (h - y) ** 2
            at_pass = (t + 1) % k == 0
            if at_pass:
                w.grad = None if clear else w.grad
                loss.backward(**options)
                loss = loss if keep_loss else 0.0
            h = cut(h, at_pass)
        return w.grad

    return truncated


def once_at_the_end(w, inputs, targets, k):
    passes(lambda h, at_pass: h)(w, inputs, targets, len(inputs))


def cut_where_a_pass_went(h, at_pass):
    return h.detach() if at_pass else h


def made_anew(h, at_pass):
    return graphlab.tensor(h.item()) if at_pass else h


@pytest.mark.parametrize("cut", [cut_where_a_pass_went, made_anew])
def test_the_state_may_be_cut_in_several_ways(cut):
    said = exercises.answer("13.4", passes(cut))
    assert said, said.text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (passes(lambda h, at_pass: h), "backward through the graph a second time"),
        (passes(lambda h, at_pass: h, retain_graph=True), "Nothing is cut"),
        (passes(lambda h, at_pass: h.detach()), "cut at every step"),
        (passes(cut_where_a_pass_went, keep_loss=True), "the old loss, or the state?"),
        (passes(cut_where_a_pass_went, clear=True), "the gradient of the last pass alone"),
        (once_at_the_end, "Nothing is cut: the gradient goes back through all earlier steps"),
        (
            passes(lambda h, at_pass: graphlab.tensor(0.0) if at_pass else h),
            "With k = 3, w.grad is",
        ),
        (lambda w, inputs, targets, k: None, "w.grad is None"),
    ],
)
def test_a_wrong_truncation_is_told_what_is_wrong(wrong, said):
    assert said in exercises.answer("13.4", wrong).text


# -- clipping --------------------------------------------------------------------------------------


def with_an_if(gradient, limit):
    norm = (gradient**2).sum().sqrt()
    return gradient * (limit / norm) if norm > limit else gradient


def with_a_smallest_factor(gradient, limit):
    return gradient * min(1.0, limit / gradient.norm().item())


def with_the_library(gradient, limit):
    weight = graphlab.zeros_like(gradient).requires_grad_()
    weight.grad = gradient
    clip_grad_norm_([weight], limit)
    return weight.grad


@pytest.mark.parametrize("right", [with_an_if, with_a_smallest_factor, with_the_library])
def test_a_gradient_may_be_clipped_in_several_ways(right):
    said = exercises.answer("13.5", right)
    assert said, said.text


def norm(gradient):
    return (gradient**2).sum().sqrt()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda g, c: ..., "returns nothing yet"),
        (lambda g, c: 1.0, "should return a tensor"),
        (lambda g, c: g.sum(), "It has the shape ()"),
        (lambda g, c: g, "the gradient is unchanged"),
        (lambda g, c: g.clamp(-c, c), "the direction has changed"),
        (lambda g, c: g * (c / norm(g)), "made it longer"),
        (lambda g, c: g * (c / norm(g) ** 2), "the square root is missing"),
        (lambda g, c: g / norm(g) if c > 1 else with_an_if(g, c), "The norm is 1 now"),
        (lambda g, c: g * (c / g.sum()), "That adds the entries"),
        (lambda g, c: [one * c for one in g if one > 0], "not list"),
        (lambda g, c: graphlab.stack([min(one, c) for one in g]), "for a matrix too"),
        (lambda g, c: g * (c / g.abs().sum()), "the root of the sum of squares"),
        (lambda g, c: -g, "it returns [-3.0, -4.0]"),
    ],
)
def test_a_wrong_clip_is_told_what_is_wrong(wrong, said):
    assert said in exercises.answer("13.5", wrong).text


def test_every_exercise_has_at_least_two_hints():
    assert all(len(exercise.hints) >= 2 for exercise in lesson_13.EXERCISES)
