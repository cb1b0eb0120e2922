"""Lesson 6: accumulate, zero, free, retain.

Read next: notebooks/06_accumulate_zero_free_retain.ipynb
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import graphlab
from graphlab.faces.exercises.answers import Choice, Code, Exercise, Number, Order, went_backward


def four_passes() -> Any:
    """Return `w.grad` after four passes of w² at w = 5, never cleared."""
    w = graphlab.tensor(5.0, requires_grad=True)
    for _ in range(4):
        (w**2).backward()
    return w.grad


def bytes_held() -> int:
    """Return the bytes that the graph of ((v * u - t) ** 2).sum() holds, for 1000 entries each."""
    u = t = graphlab.ones(1000)
    v = graphlab.ones(1000, requires_grad=True)
    return graphlab.trace(((v * u - t) ** 2).sum()).state_at(0)["held"]


def three_retained() -> Any:
    """Return `w.grad` after two passes from loss1 and one from loss2."""
    w = graphlab.tensor(3.0, requires_grad=True)
    h = w * 2.0
    loss1, loss2 = (h - 4.0) ** 2, h**2
    loss1.backward(retain_graph=True)
    loss1.backward(retain_graph=True)
    loss2.backward()
    return w.grad


def comes_after(first: str, later: str) -> Callable[[Sequence[str]], bool]:
    """Return a function that says whether `later` comes somewhere after `first`."""

    def holds(names: Sequence[str]) -> bool:
        both = first in names and later in names
        return both and names.index(first) < names.index(later)

    return holds


def cleared_before_its_step(names: Sequence[str]) -> bool:
    """Return whether `zero` stands between `backward` and `step`."""
    return comes_after("backward", "zero")(names) and comes_after("zero", "step")(names)


def leaves_the_gradient_of_both(function: Callable[..., Any]) -> str:
    """Call the function three times with each of two leaves, and say what is wrong with it."""
    for start, one, wanted in ((3.0, 2.0, 4.0), (-1.0, 3.0, 0.5)):
        w = graphlab.tensor(start, requires_grad=True)
        x, y = graphlab.tensor(one), graphlab.tensor(wanted)
        first, second = 2 * (start * one - wanted) * one, 2 * start * one * one
        for call in (1, 2, 3):
            function(w, x, y)
            if w.grad is None:
                return "Afterwards w.grad is None: it should hold the gradient."
            got = w.grad.item()
            if near(got, first + second):
                continue
            if near(got, call * (first + second)):
                return (
                    f"Call {call} leaves {got:g}, {call} times the gradient: "
                    "w.grad was not empty when it began."
                )
            if near(got, first) or near(got, second):
                return "Only one of the two losses has reached w.grad."
            return f"At w = {start:g} call {call} leaves {got:g}, not {first + second:g}"
    return ""


def shows_the_doubling(function: Callable[..., Any]) -> str:
    """Call the function with two leaves; it must return g and 2 g. Say what is wrong with it."""
    for start in (2.0, -1.5):
        w = graphlab.tensor(start, requires_grad=True)
        slope = 3 * start**2
        got, ran = went_backward(function, w)
        if not isinstance(got, tuple | list) or len(got) != 2:
            return "It should return two numbers: return first, second."
        if got[0] is got[1] and got[0] is w.grad:
            return (
                "Both are the very same tensor, w.grad, and the second pass has added to it. "
                "Keep the number: w.grad.item()."
            )
        if any(isinstance(one, graphlab.Tensor) for one in got):
            return "It should return plain numbers: .item() makes one of a tensor."
        first, second = got
        if first is None or second is None:
            return "One of the two is None: was backward() called before w.grad was read?"
        if near(first, slope) and near(second, slope):
            return "The two are equal. Was w.grad cleared between the passes?"
        if not near(first, slope):
            return f"At w = {start:g} the first number is {first:g}, not {slope:g}."
        if not near(second, 2 * slope):
            return f"At w = {start:g} the second number is {second:g}, not {2 * slope:g}."
        if not ran:
            return "The numbers are right, but no backward pass has run: read them from w.grad."
    return ""


def near(one: Any, other: float) -> bool:
    """Return whether two numbers are equal up to the rounding of float32."""
    return math.isclose(float(one), other, rel_tol=1e-4, abs_tol=1e-6)


EXERCISES = [
    Exercise(
        "6.1",
        "At w = 5 you compute L = w² and call backward(), four times, and never clear. What does "
        "w.grad hold?",
        Number(four_passes),
        (
            "What is the slope of w² at 5? How often does it arrive at w?",
            "Each pass adds 2 · 5 to what is there. How many passes are there?",
        ),
        {
            10.0: "That is the slope. But a pass does not replace what .grad holds.",
            20.0: "That would be two passes. There are four.",
            160.0: "A pass does not double what is there: it adds the slope once.",
            10000.0: "The gradients of several passes are added, not multiplied.",
        },
        "Each of the four passes adds the slope, 10.",
    ),
    Exercise(
        "6.2",
        "Put the parts of a training loop in an order that works: loss (compute it), backward, "
        "step, zero.",
        Order(
            [
                ["zero", "loss", "backward", "step"],
                ["loss", "zero", "backward", "step"],
                ["loss", "backward", "step", "zero"],
            ]
        ),
        (
            "backward needs a loss, and step needs what backward has written.",
            "zero may stand in three places. In one it throws away what is about to be used.",
        ),
        {
            cleared_before_its_step: (
                "zero stands between backward and step: it throws the gradient away before step "
                "has used it."
            ),
            comes_after("step", "backward"): "step uses what .grad holds. Which part writes it?",
            comes_after("backward", "loss"): "backward starts at the loss: it must be there.",
            lambda names: "zero" not in names: (
                "zero is missing: the old gradients would stay in .grad."
            ),
        },
        "zero may stand anywhere but between backward and step.",
    ),
    Exercise(
        "6.3",
        "backward() is called twice on each result. Where is the second call an error? (a) p + q. "
        "(b) p * q. (c) p - q + 7. (d) graphlab.exp(p). (e) -p.",
        Choice("b d"),
        (
            "PyTorch does not count passes. What does it notice?",
            "A node that needs no value for its slope has saved nothing. Which slopes are fixed "
            "numbers?",
        ),
        {
            lambda letters: letters == frozenset("abcde"): (
                "A second pass alone is not an error. It is one where a saved value is missing."
            ),
            lambda letters: bool(letters & frozenset("ace")): (
                "The slopes of a sum, a difference and a minus sign are 1 or −1, whatever p and q "
                "are. So nothing is saved there, and nothing can be missing."
            ),
            "b": "There is one more. The slope of exp at p is exp(p) itself: it is saved.",
        },
        "A product saves its factors and exp its result. The others save nothing, and the second "
        "pass doubles their gradients without an error.",
    ),
    Exercise(
        "6.4",
        "v, u and t have 1000 entries each, in float32, and only v requires a gradient. How many "
        "bytes does the graph of ((v * u - t) ** 2).sum() hold before the backward pass?",
        Number(bytes_held),
        (
            "Which nodes save something? Only what a slope needs is saved.",
            "The product saves u, for the slope of v. The square saves its base. An entry has 4 "
            "bytes.",
        ),
        {
            2000.0: "That is how many numbers are saved. How many bytes does each take?",
            4000.0: "Two nodes save something, the product and the square.",
            12000.0: (
                "The product saves u alone: v would be needed for the gradient of u only. And a "
                "difference saves nothing."
            ),
            16000.0: "Not every result is saved. The difference and the sum save nothing.",
            0.0: "They are freed by the backward pass, and it has not run yet.",
        },
        "u and the base of the square: two arrays of 4000 bytes.",
    ),
    Exercise(
        "6.5",
        "h = w x, L1 = (h - y)², L2 = h² with w = 3, x = 2, y = 4 and an empty w.grad. What does "
        "w.grad hold after backward() on loss1, loss1 again and loss2, the first two with "
        "retain_graph=True?",
        Number(three_retained),
        (
            "How many passes reach w, and what does each of them add?",
            "A pass from loss1 adds 8, a pass from loss2 adds 24.",
        ),
        {
            32.0: "That is right for one pass from each. There were two from loss1.",
            24.0: "That is what the last pass adds. What was there before?",
            16.0: "loss2 is missing. retain_graph=True keeps the shared product alive for it.",
        },
        "8 + 8 + 24: retain_graph=True allows another pass, and each pass adds to w.grad.",
    ),
    Exercise(
        "6.6",
        "Repair gradient_of_both(w, x, y): w.grad should hold the gradient of loss1 + loss2 "
        "afterwards, however often it is called.",
        Code(leaves_the_gradient_of_both, "the repaired function"),
        (
            "One mistake raises an error at the second backward(). The other one shows when the "
            "function is called twice.",
            "One pass from the sum of the losses is enough. And what is in w.grad before it?",
        ),
        {},
        "A cleared .grad, to which both losses add their gradients.",
    ),
    Exercise(
        "6.7",
        "Write a function of a leaf w that makes the loss w³ and goes backward, does both again "
        "without clearing, and returns two plain numbers: w.grad after the first pass and after "
        "the second.",
        Code(shows_the_doubling, "a function"),
        (
            "Compute the loss twice: the first pass frees what the first loss had saved.",
            "Between the two passes, keep the number that w.grad holds, with .item().",
        ),
        {},
        "The second pass added its gradient to the first one's.",
    ),
]
