"""The exercises of lesson 15: right answers in several forms, and the hint of each slip."""

from __future__ import annotations

import pytest

import graphlab
from graphlab import exercises
from graphlab.autograd import grad
from graphlab.faces.exercises.lessons import lesson_15


@pytest.fixture(autouse=True)
def keep_nothing():
    exercises.keep_in(None)
    yield
    exercises.keep_in(None)


# -- numbers and choices ---------------------------------------------------------------------------


@pytest.mark.parametrize("given", [-4, "-1/0.25", graphlab.tensor(-4.0)])
def test_the_second_derivative_of_log_is_minus_one_over_x_squared(given):
    assert exercises.answer("15.1", given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (2, "the first derivative"),
        (4, "The sign is wrong"),
        (-2, "-1/x²"),
        (-0.25, "-x²"),
        (0, "1/x"),
    ],
)
def test_a_wrong_second_derivative_gets_its_hint(given, said):
    assert said in exercises.answer("15.1", given).text


def test_two_statements_are_true():
    assert exercises.answer("15.2", "c a")


@pytest.mark.parametrize(
    ("given", "said"),
    [("a b c", "records no second"), ("a c d", "one pass"), ("a c e", "no error"), ("a", "more")],
)
def test_a_false_statement_gets_its_hint(given, said):
    assert said in exercises.answer("15.2", given).text


@pytest.mark.parametrize("given", [[6, 14], (6.0, 14.0), graphlab.tensor([6.0, 14.0])])
def test_the_hessian_of_a_b_squared_times_a_vector(given):
    assert exercises.answer("15.3", given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([1, 12], "v times the gradient"),
        ([1, 4], "That is the gradient"),
        ([2, 6], "sums of the rows"),
        ([2, 18], "each row's sum"),
        ([0, 12], "the diagonal alone"),
        ([[0, 2], [2, 4]], "That is a table"),
    ],
)
def test_a_wrong_product_gets_its_hint(given, said):
    assert said in exercises.answer("15.3", given).text


# -- Hessian-vector products -----------------------------------------------------------------------


def in_two_passes(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    (product,) = grad((g * v).sum(), x)
    return product


def with_a_given_gradient(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    return grad(g, x, v)[0]


def from_the_table(f, x, v):
    (g,) = grad(f(x), x, create_graph=True)
    rows = [grad(one, x, retain_graph=True)[0] for one in g.flatten()]
    entries = [(row * v).sum() for row in rows]
    return graphlab.stack(entries).reshape(x.shape)


@pytest.mark.parametrize("right", [in_two_passes, with_a_given_gradient, from_the_table])
def test_a_hessian_vector_product_may_be_written_in_several_ways(right):
    said = exercises.answer("15.4", right)
    assert said, said.text


def gradient(f, x, **options):
    return grad(f(x), x, **options)[0]


def unsummed(f, x, v):
    return gradient(f, x, create_graph=True) * v


def unrecorded(f, x, v):
    return grad((gradient(f, x, retain_graph=True) * v).sum(), x)[0]


def row_sums(f, x, v):
    return grad(gradient(f, x, create_graph=True).sum(), x)[0]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda f, x, v: ..., "returns nothing yet"),
        (lambda f, x, v: grad(f(x), x), "Unpack it"),
        (lambda f, x, v: 1.0, "should return a tensor"),
        (lambda f, x, v: f(x), "Its shape is ()"),
        (unsummed, "Differentiate the sum"),
        (lambda f, x, v: gradient(f, x), "That is the gradient"),
        (lambda f, x, v: grad(gradient(f, x, create_graph=True) @ v, x)[0], "x may be a matrix"),
        (unrecorded, "does not require grad"),
        (row_sums, "v is missing"),
        (lambda f, x, v: row_sums(f, x, v) * v, "not after it"),
        (lambda f, x, v: -in_two_passes(f, x, v), "it returns"),
    ],
)
def test_a_wrong_hessian_vector_product_is_told_what_is_wrong(wrong, said):
    assert said in exercises.answer("15.4", wrong).text


# -- the length of a step --------------------------------------------------------------------------


def with_a_constant(f, x):
    g = gradient(f, x, create_graph=True)
    v = g.detach()
    (along,) = grad((g * v).sum(), x)
    return (v * v).sum() / (v * along).sum()


def with_half_the_double(f, x):
    g = gradient(f, x, create_graph=True)
    (twice,) = grad((g * g).sum(), x)
    return (2 * (g * g).sum() / (g * twice).sum()).item()


@pytest.mark.parametrize("right", [with_a_constant, with_half_the_double])
def test_the_length_of_a_step_may_be_written_in_several_ways(right):
    said = exercises.answer("15.5", right)
    assert said, said.text


def without_a_constant(f, x):
    g = gradient(f, x, create_graph=True)
    (twice,) = grad((g * g).sum(), x)
    return (g * g).sum() / (g * twice).sum()


def summed_too_early(f, x):
    g = gradient(f, x)
    return (g * g).sum() / in_two_passes(f, x, g).abs().sum()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda f, x: ..., "returns nothing yet"),
        (lambda f, x: gradient(f, x), "one number"),
        (without_a_constant, "That is half of it"),
        (lambda f, x: 1 / with_a_constant(f, x), "upside down"),
        (lambda f, x: -with_a_constant(f, x), "The sign"),
        (summed_too_early, "still has to be multiplied by g"),
        (lambda f, x: 3 * with_a_constant(f, x), "It returns"),
    ],
)
def test_a_wrong_length_is_told_what_is_wrong(wrong, said):
    assert said in exercises.answer("15.5", wrong).text


def test_the_step_of_a_parabola_arrives_in_one_dimension():
    x = lesson_15.leaf([0.5])
    t = with_a_constant(lambda x: (3 * (x - 2) ** 2).sum(), x)
    arrived = x - t * gradient(lambda x: (3 * (x - 2) ** 2).sum(), x)
    assert arrived.item() == pytest.approx(2.0)


# -- the penalty -----------------------------------------------------------------------------------


def loss_of(options, keep):
    def penalised(w, x, y):
        f = (w * x).tanh()
        (slope,) = grad(f, x, **options)
        return (f - y) ** 2 + keep(slope) ** 2

    return penalised


def by_formula(w, x, y):
    f = (w * x).tanh()
    return (f - y) ** 2 + (w * (1 - f**2)) ** 2


@pytest.mark.parametrize("right", [loss_of({"create_graph": True}, lambda s: s), by_formula])
def test_a_penalty_may_be_written_in_several_ways(right):
    said = exercises.answer("15.6", right)
    assert said, said.text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (loss_of({"retain_graph": True}, lambda s: s), "look for both"),
        (loss_of({"create_graph": True}, lambda s: s.detach()), "or it is cut off there"),
        (loss_of({"create_graph": True}, lambda s: 2 * s), "Its value is"),
        (lambda w, x, y: by_formula(w, x, y).detach(), "no grad_fn"),
        (lambda w, x, y: by_formula(w, x, y).item(), "should return a tensor"),
        (
            lambda w, x, y: by_formula(w, x, y) * 2 - by_formula(w, x, y).detach(),
            "The gradient of w is",
        ),
        (loss_of({}, lambda s: s), "freed"),
    ],
)
def test_a_wrong_penalty_is_told_what_is_wrong(wrong, said):
    assert said in exercises.answer("15.6", wrong).text


def test_every_exercise_has_at_least_two_hints():
    assert all(len(exercise.hints) >= 2 for exercise in lesson_15.EXERCISES)
