"""The exercises of lesson 14: right answers in several forms, and the hint of each slip."""

from __future__ import annotations

import math

import pytest

import graphlab
from graphlab import exercises
from graphlab.faces.exercises.lessons import lesson_14


@pytest.fixture(autouse=True)
def keep_nothing():
    exercises.keep_in(None)
    yield
    exercises.keep_in(None)


# -- numbers and choices ---------------------------------------------------------------------------


@pytest.mark.parametrize("given", [[6, 9], (6.0, 9.0), graphlab.tensor([6.0, 9.0])])
def test_the_gradient_of_a_kernel_is_the_sum_over_its_places(given):
    assert exercises.answer("14.1", given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([3, 5, 7], "one number for each place"),
        ([10, 10], "Neither weight meets all four"),
        ([3, 3], "counts the places"),
        ([9, 6], "swapped"),
        ([1, 2], "share of place 0"),
        ([3, 4], "share of the last place"),
    ],
)
def test_a_wrong_gradient_of_a_kernel_gets_its_hint(given, said):
    assert said in exercises.answer("14.1", given).text


def test_five_places_are_left_with_a_padding_of_1_and_a_stride_of_2():
    assert exercises.answer("14.2", 5)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (4, "without padding"),
        (5.5, "round down"),
        (10, "stride 1"),
        (6, "only two entries are left"),
        (8, "without padding and with stride 1"),
    ],
)
def test_a_wrong_number_of_places_gets_its_hint(given, said):
    assert said in exercises.answer("14.2", given).text


def test_the_gradient_of_softmax_is_the_share_times_what_is_above_the_average():
    assert exercises.answer("14.3", [-1, 1.5, -0.5])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([0, 2, 0], "s times g"),
        ([0, 1.5, 0], "depends on every score"),
        ([-2, 6, -2], "by s as well"),
        ([1, 1, 1], "must add up to 0"),
    ],
)
def test_a_wrong_gradient_of_softmax_gets_its_hint(given, said):
    assert said in exercises.answer("14.3", given).text


def test_three_statements_are_true():
    assert exercises.answer("14.6", "b c e")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("a b c e", "The 100 shares are added"),
        ("b c d e", "softmax is flat"),
        ("b c e f", "times 0"),
    ],
)
def test_a_false_statement_gets_its_hint(given, said):
    assert said in exercises.answer("14.6", given).text


# -- the gradient of a kernel ----------------------------------------------------------------------


def slid(x, delta):
    """delta slides along x; the list of the sums of products."""
    places = range(len(x) - len(delta) + 1)
    return [(delta * x[k : k + len(delta)]).sum() for k in places]


def with_autograd(x, delta):
    w = graphlab.zeros(len(x) - len(delta) + 1, requires_grad=True)
    y = graphlab.nn.functional.conv1d(x.reshape(1, 1, -1), w.reshape(1, 1, -1))
    y.backward(delta.reshape(1, 1, -1))
    return w.grad


@pytest.mark.parametrize("right", [lambda x, d: graphlab.stack(slid(x, d)), with_autograd])
def test_the_gradient_of_a_kernel_may_be_computed_in_several_ways(right):
    said = exercises.answer("14.4", right)
    assert said, said.text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda x, d: ..., "It returns nothing yet. With n entries and m places"),
        (lambda x, d: 1.0, "should return a tensor"),
        (lambda x, d: graphlab.stack(slid(x, d))[:1], "a kernel of 5 - 3 + 1 = 3 weights"),
        (lambda x, d: graphlab.stack(slid(x, d)[::-1]), "opposite order"),
        (lambda x, d: graphlab.stack(slid(x, d.flip(0))), "delta was reversed"),
        (lambda x, d: graphlab.stack(slid(x, graphlab.ones_like(d))), "not used"),
        (lambda x, d: 2 * graphlab.stack(slid(x, d)), "it returns"),
        (lambda x, d: x.nonsense, "It raises an error: AttributeError"),
    ],
)
def test_a_wrong_gradient_of_a_kernel_is_told_what_is_wrong(wrong, said):
    assert said in exercises.answer("14.4", wrong).text


# -- attention -------------------------------------------------------------------------------------


def attention(Q, K, V, allowed, scale=None, late=False, hidden=-math.inf, dim=1):
    scores = Q @ K.T / (math.sqrt(Q.shape[1]) if scale is None else scale)
    if late:
        return graphlab.where(allowed, graphlab.softmax(scores, 1), 0.0) @ V
    return graphlab.softmax(graphlab.where(allowed, scores, hidden), dim) @ V


def with_masked_fill(Q, K, V, allowed):
    scores = (Q / math.sqrt(Q.shape[1])) @ K.T
    return scores.masked_fill(~allowed, -math.inf).softmax(-1) @ V


def with_the_library(Q, K, V, allowed):
    return graphlab.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=allowed)


@pytest.mark.parametrize("right", [attention, with_masked_fill, with_the_library])
def test_causal_attention_may_be_written_in_several_ways(right):
    said = exercises.answer("14.5", right)
    assert said, said.text


def variant(**options):
    return lambda Q, K, V, allowed: attention(Q, K, V, allowed, **options)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (variant(late=True, scale=1.0), "comes too late"),
        (variant(late=True), "The division is right"),
        (variant(scale=1.0), "not divided by the root of d yet"),
        (variant(scale=4.0), "divided by d, not by its root"),
        (variant(scale=2.0), "math.sqrt(4) is right for d = 4 alone"),
        (variant(hidden=0.0), "A hidden score of 0 still gets a share"),
        (lambda Q, K, V, a: 2 * attention(Q, K, V, a), "The output differs from that of section 6"),
        (variant(scale=math.sqrt(3)), "of a query, not of tokens"),
        (lambda Q, K, V, a: attention(Q, K, V, graphlab.ones_like(a)), "where do you use allowed"),
        (lambda Q, K, V, a: attention(Q, K, V, a).detach(), "no path leads back"),
        (variant(dim=0), "along the wrong dimension"),
        (lambda Q, K, V, a: Q @ K.T, "The output has the shape (3, 3)"),
        (lambda Q, K, V, a: attention(Q, K, V, a) * math.nan, "There is a NaN"),
        (lambda Q, K, V, a: 1.0, "should return a tensor"),
    ],
)
def test_a_wrong_attention_is_told_what_is_wrong(wrong, said):
    assert said in exercises.answer("14.5", wrong).text


def test_every_exercise_has_at_least_two_hints():
    assert all(len(exercise.hints) >= 2 for exercise in lesson_14.EXERCISES)
