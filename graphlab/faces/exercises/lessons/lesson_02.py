"""Lesson 2: local slopes and gates.

Read next: notebooks/02_local_slopes_and_gates.ipynb
"""

from collections.abc import Callable
from typing import Any

import graphlab
from graphlab import Tensor
from graphlab.faces.exercises.answers import Choice, Code, Entries, Exercise, Number, agree


def leaf(value: float) -> Tensor:
    """Return a leaf of one number."""
    return graphlab.tensor(value, requires_grad=True)


def gradient_of_a_logarithm() -> Any:
    """Return the gradient of log(a * b) with respect to a."""
    a, b = leaf(2.0), leaf(4.0)
    graphlab.log(a * b).backward()
    return a.grad


def gradient_behind_a_maximum() -> Any:
    """Return the gradient of c * max(a * b, d) with respect to a."""
    a, b, c, d = leaf(2.0), leaf(3.0), leaf(5.0), leaf(4.0)
    (c * graphlab.maximum(a * b, d)).backward()
    return a.grad


def of_a_formula(formula: Callable[[Tensor, Tensor], Any]) -> str:
    """Say what is wrong with a function whose gradients should be 5 and 3; "" if nothing is."""
    a, b = leaf(2.0), leaf(5.0)
    result = formula(a, b)
    if not isinstance(result, Tensor):
        return f"It returns {type(result).__name__}, not a tensor made from a and b."
    if result.grad_fn is None:
        return "Nothing was recorded: compute the result from a and b themselves."
    result.backward()
    for name, x, wanted in (("a", a, 5.0), ("b", b, 3.0)):
        if x.grad is None:
            return f"No gradient arrives at {name}: {name} takes no part in the formula."
        if not abs(x.grad.item() - wanted) < 1e-4 * wanted:
            return f"{name} gets the gradient {x.grad.item():g}, not {wanted:g}"
    return ""


def of_a_product(swap: Callable[[float, float, float], Any]) -> str:
    """Say what is wrong with the backward rule of a product; "" if nothing is."""
    for gradient, a, b in ((5.0, 3.0, -2.0), (1.0, 3.0, 4.0), (0.0, 2.0, 7.0), (-0.5, 8.0, 0.25)):
        found = swap(gradient, a, b)
        if not isinstance(found, tuple | list) or len(found) != 2:
            return "It should return two numbers: return to_a, to_b."
        to_a, to_b = map(float, found)
        if agree((to_a, to_b), (gradient * b, gradient * a)):
            continue
        if agree((to_a, to_b), (b, a)):
            return "Those are the local slopes. The incoming gradient is missing."
        if agree((to_a, to_b), (a, b)):
            return "Swap the two, and multiply each by the incoming gradient."
        if agree((to_a, to_b), (gradient * a, gradient * b)):
            return "Each input gets its own value here. A product swaps them."
        if agree((to_a, to_b), (gradient + b, gradient + a)):
            return "Slopes in a row are multiplied, not added."
        return (
            f"For the gradient {gradient:g}, a = {a:g} and b = {b:g} it returns "
            f"{to_a:g} and {to_b:g}"
        )
    return ""


EXERCISES = [
    Exercise(
        "2.1",
        "A product p = a * b with a = 3 and b = -2 gets the gradient 5. What does it pass on, to a "
        "and to b?",
        Entries([-10.0, 15.0]),
        (
            "What is passed on is what comes in, times the local slope.",
            "Move a by 0.001 and hold b: by how much does a * b move?",
            "The local slope for a is the value of b, and the other way round.",
        ),
        {
            (15.0, -10.0): "Each input got its own value as its slope. A product swaps them.",
            (-2.0, 3.0): "Those are the local slopes. Each is multiplied by what comes in.",
            (3.0, -2.0): "Swap the two, and multiply each by the gradient that comes in.",
            (5.0, 5.0): "A sum would do that. The slopes of a product depend on its inputs.",
            (10.0, 15.0): "Look at the sign: b is negative.",
        },
        "a gets 5 times b, and b gets 5 times a.",
    ),
    Exercise(
        "2.2",
        "Which are true? (a) A sum divides the incoming gradient between its inputs. (b) A "
        "product has to save its inputs. (c) The smaller input of a maximum has None in .grad. (d) "
        "A maximum of two different numbers passes the incoming gradient to one of them only.",
        Choice("b d"),
        (
            "Take each gate of section 2, and read what reached its leaves.",
            "A gate saves what its local slopes depend on.",
            "Two of the four are true.",
        ),
        {
            lambda letters: "a" in letters: (
                "Not (a): each input of a sum has the slope 1, so each gets the whole gradient."
            ),
            lambda letters: "c" in letters: (
                "Not (c): the gradient 0 arrives at it. None would say that nothing arrived."
            ),
        },
        "The sum distributes, the product swaps its saved inputs, and the maximum routes.",
    ),
    Exercise(
        "2.3",
        "What is the gradient of y = log(a * b) with respect to a, at a = 2 and b = 4?",
        Number(gradient_of_a_logarithm),
        (
            "Two nodes lie on the path from y to a. What is the local slope of each?",
            "The slope of the logarithm is taken at its input, 8. The product swaps.",
            "Multiply the two slopes.",
        ),
        {
            "1/8": "That is the slope of the logarithm alone. The product has one as well.",
            4.0: "That is the slope of the product alone. The logarithm has one as well.",
            4.125: "Slopes in a row are multiplied, not added.",
            0.25: "That is the gradient of b: the product gave a its own value.",
            32.0: "The slope of log v is 1/v, not v.",
        },
        "1/8 times 4 is 1/2. Indeed log(a * b) is log a + log b, whose slope at a = 2 is 1/2.",
    ),
    Exercise(
        "2.4",
        "e = c * max(a * b, d) with a = 2, b = 3, c = 5, d = 4. What is the gradient of e with "
        "respect to a?",
        Number(gradient_behind_a_maximum),
        (
            "Go from e to a, and write down what each of the three nodes passes on.",
            "What comes in at the maximum is c. Which of a * b and d is the larger one?",
            "The maximum passes everything to a * b, and the product swaps.",
        ),
        {
            0.0: "a * b is 6, which is larger than d: the gradient is routed to it.",
            3.0: "That is the slope of a * b alone. The gradient that comes in there is c.",
            5.0: "That arrives at a * b. One more slope is missing, that of the product.",
            10.0: "The product swaps: a gets what comes in times b, not times a.",
            7.5: "A maximum does not divide: the larger input gets everything.",
        },
        "5 is routed through the maximum unchanged, and the product passes 5 times 3 to a.",
    ),
    Exercise(
        "2.5",
        "Write a function of two tensors whose result has the gradient 5 for a and 3 for b, "
        "at a = 2 and b = 5.",
        Code(of_a_formula, "your function"),
        (
            "Begin with a product of a and b. What do a and b get, and what is still missing?",
            "A sum hands the whole gradient to each part. So add a term that gives b the rest.",
        ),
        {},
        "Gradients that meet at a tensor are added, so each term of a sum can be chosen alone.",
    ),
    Exercise(
        "2.6",
        "Repair swap(gradient, a, b): it should return what a product passes on to a and to b.",
        Code(of_a_product, "your function"),
        (
            "What is passed on is the incoming gradient times the local slope.",
            "The local slope for a is the other input.",
        ),
        {},
        "This is all that the backward rule of a product does.",
    ),
]
