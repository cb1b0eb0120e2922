"""The exercises of lesson 16: right answers in several forms, and the hint of each slip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphlab import exercises
from graphlab.faces.exercises.lessons import lesson_16

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "16_how_graphlab_works_inside.ipynb"


@pytest.fixture(autouse=True)
def keep_nothing():
    exercises.keep_in(None)
    yield
    exercises.keep_in(None)


def engine() -> dict[str, Any]:
    """The engine of section 4, as the lesson has it."""
    cells = ["".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]]
    names: dict[str, Any] = {}
    exec(next(cell for cell in cells if cell.startswith("class Value")), names)
    return names


def test_the_engine_of_the_lesson_has_about_40_lines_and_adds_both_uses():
    names = engine()
    a = names["Value"](1.0)
    b = a + a
    y = b * b
    y.backward()
    assert (y.data, b.grad, a.grad) == (4.0, 4.0, 8.0)
    source = next(
        "".join(cell["source"])
        for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
        if "".join(cell["source"]).startswith("class Value")
    )
    assert len(source.splitlines()) <= 42


Value = engine()["Value"]  # beside the functions below, as in the lesson


# -- order, choice and number ----------------------------------------------------------------------

RIGHT = "forward, walk, grad_self, grad_other, add_to_grad"


@pytest.mark.parametrize("given", [RIGHT, RIGHT.split(", ")])
def test_the_calls_of_a_pass_have_one_order(given):
    assert exercises.answer("16.1", given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("walk, forward, grad_self, grad_other, add_to_grad", "forward computes c"),
        ("forward, grad_self, walk, grad_other, add_to_grad", "called by the loop"),
        ("forward, walk, grad_self, add_to_grad, grad_other", "when all nodes have run"),
        ("forward, walk, grad_other, grad_self, add_to_grad", "order of the inputs"),
    ],
)
def test_a_wrong_order_of_calls_gets_its_hint(given, said):
    assert said in exercises.answer("16.1", given).text


def test_a_node_saves_what_its_rule_names():
    assert exercises.answer("16.2", "b")


@pytest.mark.parametrize(
    ("given", "said"), [("a", "for the input"), ("c", "name self"), ("d", "could not know")]
)
def test_a_wrong_choice_of_what_is_saved_gets_its_hint(given, said):
    assert said in exercises.answer("16.2", given).text


def test_an_impatient_program_finds_twelve():
    sent, arrived = 0, 0
    for gradient in (1, 1, 1):
        arrived += gradient
        sent += 2 * arrived
    assert exercises.answer("16.3", sent)


@pytest.mark.parametrize(
    ("given", "said"),
    [(6, "right gradient"), (3, "in the end"), (2, "two more"), (8, "Three arrivals")],
)
def test_a_wrong_gradient_of_the_impatient_gets_its_hint(given, said):
    assert said in exercises.answer("16.3", given).text


# -- an order --------------------------------------------------------------------------------------


def found(result):
    values = [result]
    for value in values:
        values += [one for one in value.inputs if one not in values]
    return values


def repeated(result):
    return [result, *(value for one in result.inputs for value in repeated(one))]


def by_a_set(result):
    """Every value once, by way of a set."""
    return sorted(set(repeated(result)), key=lambda value: -value.number)


def by_data(result):
    return sorted(found(result), key=lambda value: value.data)


def depth_first(result):
    """The order of an engine without numbers: each value after all that it sends a gradient to."""
    order: list[Any] = []

    def visit(value):
        for one in value.inputs:
            visit(one)
        if value not in order:
            order.append(value)

    visit(result)
    return order[::-1]


@pytest.mark.parametrize("right", [engine()["in_order"], by_a_set])
def test_the_order_may_be_repaired_in_several_ways(right):
    said = exercises.answer("16.4", right)
    assert said, said.text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (found, "A value runs before another one that still sends it a gradient."),
        (by_data, "A value runs before another one that still sends it a gradient."),
        (depth_first, "The gradients would be right"),
        (lambda y: sorted(found(y), key=lambda value: value.number), "order of the forward pass"),
        (repeated, "more than once"),
        (lambda y: [y], "There are 6 values behind the result, but it returns 1"),
        (lambda y: None, "should return a list"),
    ],
)
def test_a_wrong_order_is_told_what_is_wrong(wrong, said):
    assert said in exercises.answer("16.4", wrong).text


# -- two operations --------------------------------------------------------------------------------


def minus(a, b):
    return engine()["Value"](a.data - b.data, (a, b), (1.0, -1.0))


def square(a):
    return engine()["Value"](a.data**2, (a,), (2 * a.data,))


def typed(code: str, *names: str) -> Any:
    """Functions that a learner types below the engine of the lesson."""
    beside = engine()
    exec(code, beside)
    return [beside[name] for name in names]


def made(data, inputs, slopes):
    return engine()["Value"](data, inputs, slopes)


def test_two_operations_are_added_to_the_engine():
    said = exercises.answer("16.5", (minus, square))
    assert said, said.text


@pytest.mark.parametrize(
    ("of_difference", "of_square"),
    [
        ("a + Value(-1.0) * b", "a * a"),
        ("Value(a.data - b.data, (b, a), (-1, 1))", "Value(a.data**2, (a, a), (a.data, a.data))"),
    ],
)
def test_operations_may_use_the_learners_own_engine(of_difference, of_square):
    code = f"minus = lambda a, b: {of_difference}\nsquare = lambda a: {of_square}"
    said = exercises.answer("16.5", typed(code, "minus", "square"))
    assert said, said.text


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ((lambda a, b: made(a.data - b.data, (a, b), (..., ...)), square), "not filled in yet"),
        ((lambda a, b: made(a.data - b.data, (a, b), (1.0, 1.0)), square), "slopes of a sum"),
        ((lambda a, b: made(a.data + b.data, (a, b), (1.0, -1.0)), square), "not -2.0"),
        ((minus, lambda a: made(a.data**2, (), ())), "square needs its inputs"),
        ((minus, lambda a: made(a.data**2, (a,), (2.0, a.data))), "a slope for each"),
        ((minus, lambda a: made(a.data**2, a, 2 * a.data)), "(a,) has a comma"),
        ((minus, lambda a: made(a.data**2, (a,), (a.data,))), "product with a constant"),
        ((minus, lambda a: made(a.data**2, (a,), (2.0,))), "square sends 2.0 back when 1 arrives"),
        ((minus, lambda a: a.data**2), "should return a Value, got float"),
        (minus, "two functions in parentheses"),
    ],
)
def test_a_wrong_operation_is_told_what_is_wrong(wrong, said):
    assert said in exercises.answer("16.5", wrong).text


def test_every_exercise_has_at_least_two_hints():
    assert all(len(exercise.hints) >= 2 for exercise in lesson_16.EXERCISES)
