"""Lesson 10: write your own operation.

Read next: notebooks/10_write_your_own_operation.ipynb
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import graphlab
from graphlab.faces.exercises.answers import Code, Exercise, Number

CLOSE = 1e-6  # relative: both sides are float64, and the formulas are short


def leaf(value: float) -> Any:
    """Return a number that needs a gradient, in float64."""
    return graphlab.tensor(value, dtype=graphlab.float64, requires_grad=True)


def own_operation(
    f: Callable[..., Any],
    points: Sequence[tuple[float, ...]],
    true: Callable[..., float],
    second: Callable[[float], float] | None = None,
) -> str:
    """Say what is wrong with an operation that the learner wrote; "" if nothing is.

    points: the inputs that it is tested with. true: the forward for plain numbers. second: its
    second derivative, for an operation with one input.
    """
    if isinstance(f, type):
        return f"{f.__name__} is the class. Answer with {f.__name__}.apply."
    for point in points:
        found = f(*map(leaf, point))
        if not isinstance(found, graphlab.Tensor):
            return "Its forward returns no tensor: does it end with return?"
        if not np.isclose(found.item(), true(*point), CLOSE):
            return (
                f"Its forward returns {found.item():.6g} for {shown(point)}, not "
                f"{true(*point):.6g}."
            )
        if found.grad_fn is None:
            return "Its result has no grad_fn. Answer with the name of your class and .apply."
        if not isinstance(found.grad_fn, graphlab.autograd.function.FunctionCtx):
            return (
                "GraphLab's own rules made this result. Write a class with a backward of its own, "
                "and answer with its .apply."
            )
    told = first_derivatives(f, points[0])
    if told:
        return told
    told = disagreement(f, points, 5)
    if told:  # the numbers for a factor of 1 are those on the learner's paper
        told = disagreement(f, points, 1) or told
    if told or second is None:
        return told
    return next((said for point in points if (said := wrong_second(f, point[0], second))), "")


def first_derivatives(f: Callable[..., Any], point: tuple[float, ...]) -> str:
    """Say which common mistake makes the gradients at a point wrong; "" if none does."""
    alone, later = list(map(leaf, point)), list(map(leaf, point))
    f(*alone).backward()
    (5 * f(*later)).backward()
    names = "the input" if len(point) == 1 else "an input"
    if any(x.grad is None for x in alone):
        return f"Its backward returns None for {names} that needs a gradient."
    if all(np.isclose(x.grad.item(), y.grad.item()) for x, y in zip(alone, later, strict=True)):
        return (
            "It returns the same gradient when 5 arrives instead of 1. Where does your backward "
            "use what arrives?"
        )
    return ""


def disagreement(f: Callable[..., Any], points: Sequence[tuple[float, ...]], factor: int) -> str:
    """Say where `check` finds a wrong gradient of factor * f; "" if it proves all of them."""
    from graphlab.faces.symbolic.check import check

    for point in points:
        inputs = dict(zip("xw", map(leaf, point), strict=False))
        report = check(factor * f(*inputs.values()), names=inputs)
        for row in report.rows:
            if row.verdict == "disagrees":
                of = f"{factor} times " * (factor > 1)
                return (
                    f"graphlab.check disagrees with the gradient of {of}its result: "
                    f"{row.counterexample}"
                )
        if not report.ok:
            return f"graphlab.check cannot prove it: {report.rows[0].note}"
    return ""


def wrong_second(f: Callable[..., Any], value: float, second: Callable[[float], float]) -> str:
    """Say what is wrong with the second derivative at a value; "" if nothing is."""
    x = leaf(value)
    (slope,) = graphlab.autograd.grad(f(x) + 0 * x**2, x, create_graph=True)
    (found,) = graphlab.autograd.grad(slope, x)
    if np.isclose(found.item(), second(value), 1e-5, 1e-9):
        return ""
    return (
        f"The first derivative is right. At x = {value:g} the second one is {found.item():.4g}, "
        f"not {second(value):.4g}: an edge of the second graph is missing."
    )


def shown(point: tuple[float, ...]) -> str:
    """Return the numbers of a point as text."""
    return ", ".join(f"{value:g}" for value in point)


def reciprocal(f: Any) -> str:
    """Exercise 10.3: 1/x, from the result."""
    return own_operation(f, [(2.0,), (-0.5,)], lambda x: 1 / x, lambda x: 2 / x**3)


def weighted(f: Any) -> str:
    """Exercise 10.4: x·w², with a gradient for both."""
    told = own_operation(f, [(2.0, 3.0), (-1.5, 0.5)], lambda x, w: x * w**2)
    if "disagrees" in told:
        x, w = leaf(2.0), leaf(3.0)
        f(x, w).backward()
        if (x.grad, w.grad) == (12.0, 9.0):
            return "The two gradients are swapped: the first one belongs to x, the first input."
    return told


def sine(f: Any) -> str:
    """Exercise 10.5: sin x, whose second derivative was wrong."""
    return own_operation(f, [(0.5,), (-2.0,)], np.sin, lambda x: -np.sin(x))


def bell(f: Any) -> str:
    """Exercise 10.6: 1/(1 + x²)."""
    return own_operation(
        f, [(0.5,), (-2.0,)], lambda x: 1 / (1 + x**2), lambda x: (6 * x**2 - 2) / (1 + x**2) ** 3
    )


def forgotten_grad() -> float:
    """Return the gradient from a backward that ignores its `grad`: exercise 10.1."""

    class Half(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x / 2

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return graphlab.tensor(0.5)

    x = graphlab.tensor(3.0, requires_grad=True)
    (Half.apply(x) ** 2).backward()
    assert x.grad is not None
    return x.grad.item()


EXERCISES = [
    Exercise(
        "10.1",
        "Half computes x/2, and its backward is: return graphlab.tensor(0.5). With x = 3 and "
        "z = y², y = Half.apply(x), which number will z.backward() write to x.grad?",
        Number(forgotten_grad),
        (
            "The question is what this backward returns, not what the derivative is.",
            "What arrives at y is 2y. Where in this backward is it used?",
        ),
        {
            1.5: (
                "That is the derivative, x/2. But this backward does not multiply by what arrives."
            ),
            3.0: "That is what arrives, 2y. What does this backward do with it?",
        },
        "3 arrives, and the backward ignores it. The derivative would be 3 · 0.5 = 1.5.",
    ),
    Exercise(
        "10.2",
        "forward(ctx, x, w, b, power) takes three tensors and the number power. Only w and b need "
        "gradients. How many values must backward return?",
        Number(4),
        (
            "The backward mirrors the forward: it returns one value for each input of the forward.",
            "Count everything that forward takes after ctx. Some of the values may be None.",
        ),
        {
            2: "An input that needs no gradient has a place too: return None there.",
            3: "An input that is not a tensor has a place too: return None there.",
            5: "ctx is not an input: apply puts it there.",
            1: "There is one for each input, not one for each result.",
        },
        "None for x, a gradient for w, a gradient for b, and None for power.",
    ),
    Exercise(
        "10.3",
        "Repair the last line of Reciprocal, y = 1/x, which saves its result y. Answer with "
        "Reciprocal.apply.",
        Code(reciprocal, "Reciprocal.apply"),
        (
            "Return what arrives, times the slope. What is the derivative of 1/x?",
            "The slope is -1/x². You have y, not x: what is 1/x² in terms of y?",
        ),
        {},
        "The slope -1/x² is -y², so the result is all that has to be saved.",
    ),
    Exercise(
        "10.4",
        "Complete the backward of Weighted, y = x·w², and answer with Weighted.apply.",
        Code(weighted, "Weighted.apply"),
        (
            "Take out both saved tensors, then return two gradients, in the order of the inputs.",
            "The slope with respect to x is w². With respect to w, x is a constant factor.",
        ),
        {},
        "Two inputs, two gradients: what arrives times w², and what arrives times 2xw.",
    ),
    Exercise(
        "10.5",
        "Sine saves a slope that its forward computed, so its second derivative is wrong. Repair "
        "it, and answer with Sine.apply.",
        Code(sine, "Sine.apply"),
        (
            "Only inputs and outputs are part of the graph. Which of them does the slope need?",
            "Save x, and compute the cosine where the second graph can see it: in backward.",
        ),
        {},
        "The slope is computed from x in the backward now, so the second graph has its edge.",
    ),
    Exercise(
        "10.6",
        "Write Bell, y = 1/(1 + x²), whose backward is proved, also for the second derivative. "
        "Answer with Bell.apply.",
        Code(bell, "Bell.apply"),
        (
            "Copy the class Cube and go through its four steps: compute, save, take out, multiply.",
            "By the chain rule the slope of 1/u is -1/u², times the slope of u = 1 + x².",
        ),
        {},
        "The slope is -2x/(1 + x²)², or -2xy² if the result is saved as well.",
    ),
]
