"""Lesson 8: cutting the graph with detach, no_grad and clone; changes in place and versions.

Read next: notebooks/08_cutting_the_graph.ipynb
"""

from collections.abc import Callable
from typing import Any

import graphlab
from graphlab.faces.exercises.answers import Choice, Code, Exercise, Number


def gradient_of_the_cut_sum() -> Any:
    """Return the gradient of x * (x * x).detach() + x * x at 3."""
    x = graphlab.tensor(3.0, requires_grad=True)
    y = x * x
    return graphlab.autograd.grad(x * y.detach() + y, x)[0]


def programs_that_fail() -> str:
    """Return the letters of the changes in place that break their backward pass."""
    x, w = (graphlab.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    programs: dict[str, Callable[[], Any]] = {
        "a": lambda: graphlab.exp(x).mul_(2),
        "b": lambda: (x * w).add_(1),
        "c": lambda: graphlab.tanh(x).add_(1),
        "d": lambda: graphlab.log(x).add_(1),
        "e": lambda: graphlab.exp(x) * 2,
    }
    return " ".join(letter for letter, program in programs.items() if fails(program))


def fails(program: Callable[[], Any]) -> bool:
    """Return whether the backward pass of a program's result raises an error."""
    try:
        program().sum().backward()
    except RuntimeError:
        return True
    return False


def one_step(descend: Any) -> str:
    """Say what is wrong with a function that takes one step of descent; "" if it is right."""
    w = graphlab.tensor([2.0, -1.0], requires_grad=True)
    (w * w).sum().backward()
    descend(w, 0.25)
    if w.tolist() == [2.0, -1.0]:
        return (
            "The tensor that was passed is unchanged. `w = ...` gives the name w to a new object; "
            "change the old one in place."
        )
    if not w.is_leaf:
        return "The step was recorded, so w is no longer a leaf."
    if not w.requires_grad:
        return "w no longer requires a gradient, so the next step could not be computed."
    if w.tolist() != [1.0, -0.5]:
        return f"w was [2, -1], its gradient [4, -2] and the rate 0.25; now w is {w.tolist()}."
    return ""


EXERCISES = [
    Exercise(
        "8.1",
        "At x = 3: y = x * x, then z = x * y.detach() + y. What is the gradient of z with respect "
        "to x?",
        Number(gradient_of_the_cut_sum),
        (
            "Write z with a letter k for the value that was cut off, and differentiate.",
            "z = k x + x² with k = 9, a constant. Differentiate both summands at x = 3.",
        ),
        {
            33.0: "That is the gradient without a cut: 3x² + 2x. y.detach() is a constant.",
            9.0: (
                "That is what comes through the product. detach() gives a new tensor and leaves y "
                "as it is: y in the second summand still leads to x."
            ),
            6.0: "That is what comes through y. In the product, x itself is not cut off.",
        },
        "The product passes on the constant 9, and y, which is not cut itself, passes on 2x = 6.",
    ),
    Exercise(
        "8.2",
        "Which are true? (a) h.detach() shares its numbers with h. (b) h.clone() shares its "
        "numbers with h. (c) A gradient can flow through h.clone() to h. (d) A gradient can flow "
        "through h.detach() to h. (e) A change in place of h.detach() raises the version of h.",
        Choice("a c e"),
        (
            "Ask two questions of each: is its storage that of h, and does it have a grad_fn?",
            "One of the two copies the numbers and keeps the edge; the other does the opposite.",
        ),
        {
            lambda letters: "b" in letters: (
                "clone() copies the numbers: look at the column `storage` in section 3."
            ),
            lambda letters: "d" in letters: (
                "detach() cuts the edge: its result has no grad_fn to go on to."
            ),
        },
        "detach() cuts the edge and shares storage and version; clone() keeps the edge and copies.",
    ),
    Exercise(
        "8.3",
        "h = x * x; d = h.detach(); k = h.clone(); d += 1; d *= 2; k += 1; h = h + 1. What is "
        "h._version?",
        Number(0),
        (
            "Which tensor does the name h stand for after the last line?",
            "h + 1 is a new object. How often was that one changed in place?",
        ),
        {
            2: (
                "That is the version of the first h, which d shares. The last line gives the name "
                "h to a new object."
            ),
            3: "A clone counts for itself, and `h = h + 1` is not a change in place.",
            1: "`h = h + 1` is not a change in place: it makes a new object.",
            4: "A clone counts for itself, and `h = h + 1` is not a change in place.",
        },
        "The name h moved to a new tensor, which was never changed. The first h is at version 2.",
    ),
    Exercise(
        "8.4",
        "x is a leaf. (a) h = graphlab.sigmoid(x). (b) y = h * 3. (c) h *= 2. (d) z = y.sum(). "
        "(e) z.backward(). At which line does Python stop?",
        Choice("e"),
        (
            "When is a saved value compared with the version that was written down for it?",
            "No error is raised before a node uses its saved value.",
        ),
        {
            "c": (
                "That line is the cause, but it runs: h is a result, and no node has used the "
                "saved value yet."
            ),
            "b": "A product with the number 3 runs; at that time h was not changed yet.",
            "d": "A sum runs forward; it reads y, which was not changed.",
        },
        "Line c is the cause; in line e the node of sigmoid needs its saved output.",
    ),
    Exercise(
        "8.5",
        "Which fail at h.sum().backward()? (a) h = exp(x), h *= 2. (b) h = x * w, h += 1. "
        "(c) h = tanh(x), h += 1. (d) h = log(x), h += 1. (e) h = exp(x), h = h * 2.",
        Choice(programs_that_fail),
        (
            "Write down the slope of each operation. Does it need the input or the output?",
            "The slope of tanh is 1 - tanh², which is written with the output.",
        ),
        {
            lambda letters: "e" in letters: (
                "In e nothing is changed in place: the name h moves to a new tensor."
            ),
            lambda letters: "b" in letters: (
                "A product saves its factors, x and w. Its result may be changed."
            ),
            lambda letters: "d" in letters: (
                "The slope of log x is 1/x: log saves its input, which is not changed."
            ),
        },
        "exp and tanh saved their outputs; the product and log saved their inputs.",
    ),
    Exercise(
        "8.6",
        "Repair descend(w, rate): it changes w itself by one step of descent, and w stays a leaf "
        "that requires a gradient.",
        Code(one_step, "your function descend"),
        (
            "The step has to change the object that was passed, and must not be recorded.",
            "A leaf may be changed in place where nothing is recorded. In which block is that so?",
        ),
        {},
        "The object is changed and nothing is recorded: this is what an optimizer's step does.",
    ),
]
