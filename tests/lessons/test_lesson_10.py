"""Lesson 10: right answers in several forms, and the remark that each usual mistake gets.

Read next: graphlab/faces/exercises/lessons/lesson_10.py
"""

from __future__ import annotations

from typing import Any

import pytest

import graphlab
from graphlab import exercises
from graphlab.faces.exercises.lessons.lesson_10 import bell, reciprocal, sine, weighted


@pytest.fixture(autouse=True)
def no_file():
    exercises.keep_in(None)


def operation(forward: Any, backward: Any, name: str = "Own") -> Any:
    """The apply of a Function with these two halves."""
    halves = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(name, (graphlab.autograd.Function,), halves).apply


def saving(f: Any) -> Any:
    """A forward that saves its inputs."""

    def forward(ctx: Any, *inputs: Any) -> Any:
        ctx.save_for_backward(*inputs)
        return f(*inputs)

    return forward


def saving_result(f: Any) -> Any:
    """A forward that saves its result."""

    def forward(ctx: Any, x: Any) -> Any:
        y = f(x)
        ctx.save_for_backward(y)
        return y

    return forward


def slope_of_saved(slope: Any) -> Any:
    """A backward: what arrives, times a slope of what was saved."""
    return lambda ctx, grad: grad * slope(*ctx.saved_tensors)


def inverse(x: Any) -> Any:
    return 1 / x


def product(x: Any, w: Any) -> Any:
    return x * w**2


def bell_of(x: Any) -> Any:
    return 1 / (1 + x**2)


def two(grad_x: Any, grad_w: Any) -> Any:
    """A backward with two gradients."""

    def backward(ctx: Any, grad: Any) -> Any:
        x, w = ctx.saved_tensors
        return grad_x(grad, x, w), grad_w(grad, x, w)

    return backward


@pytest.mark.parametrize(
    ("id", "given"),
    [
        ("10.1", 0.5),
        ("10.1", "1/2"),
        ("10.1", graphlab.tensor([0.5])),
        ("10.2", 4),
        ("10.2", "4"),
        ("10.3", operation(saving_result(inverse), slope_of_saved(lambda y: -y * y))),
        ("10.3", operation(saving_result(inverse), slope_of_saved(lambda y: -(y**2)))),
        ("10.3", operation(saving(inverse), slope_of_saved(lambda x: -1 / x**2))),
        ("10.4", operation(saving(product), two(lambda g, x, w: g * w**2,
                                                lambda g, x, w: g * 2 * x * w))),
        ("10.4", operation(saving(product), two(lambda g, x, w: w * w * g,
                                                lambda g, x, w: (x + x) * w * g))),
        ("10.4", operation(saving(product), two(lambda g, x, w: g * w.square(),
                                                lambda g, x, w: g * x * w + g * w * x))),
        ("10.5", operation(saving(graphlab.sin), slope_of_saved(graphlab.cos))),
        ("10.5", operation(saving(graphlab.sin), slope_of_saved(lambda x: x.cos()))),
        ("10.5", operation(saving(lambda x: x.sin()),
                           slope_of_saved(lambda x: graphlab.sin(x + graphlab.pi / 2)))),
        ("10.6", operation(saving(bell_of), slope_of_saved(lambda x: -2 * x / (1 + x**2) ** 2))),
        ("10.6", operation(saving(bell_of), slope_of_saved(lambda x: -2 * x * bell_of(x) ** 2))),
        ("10.6", operation(saving(lambda x: (x * x + 1) ** -1),
                           slope_of_saved(lambda x: -((x * x + 1) ** -2) * 2 * x))),
    ],
)  # fmt: skip
def test_right_answers_are_accepted(id, given):
    said = exercises.answer(id, given)
    assert said, said.text


def test_the_result_may_be_saved_beside_the_input():
    def forward(ctx, x):
        y = bell_of(x)
        ctx.save_for_backward(x, y)
        return y

    assert bell(operation(forward, slope_of_saved(lambda x, y: -2 * x * y**2))) == ""


@pytest.mark.parametrize(
    ("id", "given", "hint"),
    [
        ("10.1", 1.5, "That is the derivative"),
        ("10.1", 3, "That is what arrives"),
        ("10.2", 2, "An input that needs no gradient"),
        ("10.2", 3, "An input that is not a tensor"),
        ("10.2", 5, "ctx is not an input"),
        ("10.2", 1, "one for each input, not one for each result"),
    ],
)
def test_a_misconception_gets_its_own_hint(id, given, hint):
    assert hint in exercises.answer(id, given).text


@pytest.mark.parametrize(
    ("slope", "remark"),
    [
        (lambda y: y * y, "graphlab.check disagrees"),
        (lambda y: graphlab.log(1 / y), "graphlab.check disagrees"),
        (lambda y: ..., "It raises an error"),
    ],
)
def test_a_wrong_reciprocal_gets_a_remark(slope, remark):
    given = operation(saving_result(inverse), slope_of_saved(slope))
    assert remark in exercises.answer("10.3", given).text


def test_the_numbers_of_a_wrong_gradient_are_those_of_the_operation_alone():
    given = operation(saving_result(inverse), slope_of_saved(lambda y: y))
    assert reciprocal(given).endswith(
        "the gradient of its result: for x at x = 2: the gradient is 0.5, the derivative -0.25"
    )
    half = operation(saving(product), two(lambda g, x, w: g * w**2, lambda g, x, w: g * x * w))
    assert weighted(half).endswith("for w at x = 2, w = 3: the gradient is 6, the derivative 12")


def test_a_gradient_that_is_right_only_where_1_arrives_is_told_with_the_factor():
    given = operation(
        saving_result(inverse), lambda ctx, grad: -(grad**2) * ctx.saved_tensors[0] ** 2
    )
    assert reciprocal(given).endswith(
        "the gradient of 5 times its result: for x at x = 2: the gradient is -6.25, the "
        "derivative -1.25"
    )


def test_a_backward_without_grad_is_told():
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return -y * y

    assert "5 arrives instead of 1" in reciprocal(operation(saving_result(inverse), backward))


def test_an_operation_must_have_a_backward_of_its_own():
    assert "GraphLab's own rules" in reciprocal(inverse)
    assert "no grad_fn" in reciprocal(lambda x: inverse(x.detach()))
    assert "no tensor" in reciprocal(lambda x: None)


def test_the_class_itself_is_not_its_operation():
    class Bell(graphlab.autograd.Function):
        forward = saving(bell_of)

    assert exercises.answer("10.6", Bell).text.startswith(
        "Not yet. Bell is the class. Answer with Bell.apply."
    )


def test_a_wrong_forward_is_told_with_both_numbers():
    given = operation(saving(lambda x: 1 / (1 + x)), slope_of_saved(lambda x: -1 / (1 + x) ** 2))
    assert bell(given) == "Its forward returns 0.666667 for 0.5, not 0.8."


def test_swapped_gradients_and_a_missing_one_are_told():
    swapped = two(lambda g, x, w: 2 * g * x * w, lambda g, x, w: g * w**2)
    assert "swapped" in weighted(operation(saving(product), swapped))
    alone = slope_of_saved(lambda x, w: w**2)
    said = exercises.answer("10.4", operation(saving(product), alone)).text
    assert "returned an incorrect number of gradients (expected 2, got 1)" in said
    half = two(lambda g, x, w: g * w**2, lambda g, x, w: None)
    assert "None for an input" in weighted(operation(saving(product), half))
    no_factor = two(lambda g, x, w: g * w**2, lambda g, x, w: g * x * w)
    assert "disagrees" in weighted(operation(saving(product), no_factor))


def test_a_saved_slope_has_no_second_derivative():
    def forward(ctx, x):
        ctx.save_for_backward(graphlab.cos(x))
        return graphlab.sin(x)

    given = operation(forward, slope_of_saved(lambda slope: slope))
    assert "At x = 0.5 the second one is 0, not -0.4794" in sine(given)


def test_a_bell_without_the_inner_slope_is_told():
    given = operation(saving(bell_of), slope_of_saved(lambda x: -1 / (1 + x**2) ** 2))
    assert "disagrees" in bell(given)
