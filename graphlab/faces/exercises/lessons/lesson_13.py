"""Lesson 13: one weight at every step, products of slopes, truncation and clipping.

Read next: notebooks/13_through_time.ipynb
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import graphlab
from graphlab.faces.exercises.answers import Choice, Code, Exercise, Number, has, no_tensor

INPUTS = (1.0, -1.0, 0.5, 2.0, -0.5, 1.0)
TARGETS = (0.5, 0.0, 1.0, 1.5, 2.0, -1.0)
CLOSE = 1e-4  # float32: sums of some ten products, in another order


def gradient_of_three_steps(cut_after: int | None = None) -> Any:
    """Return the gradient of w = 2 after three inputs of 1; cut_after: a step to cut after."""
    w = graphlab.tensor(2.0, requires_grad=True)
    h = graphlab.tensor(0.0)
    for step in range(3):
        if step == cut_after:
            h = h.detach()
        h = w * h + 1.0
    return graphlab.autograd.grad(h, w)[0]


def vanishing() -> str:
    """Return the letters of the recurrences with a gradient below 0.001 after 40 steps."""

    def flat(h: Any) -> Any:  # with this input, a state of 0.8 stays 0.8
        return (h + (math.atanh(0.8) - 0.8)).tanh()

    steps: dict[str, Callable[[Any], Any]] = {
        "a": lambda h: 0.8 * h,
        "b": lambda h: h + 0.5,
        "c": lambda h: -0.5 * h,
        "d": lambda h: 1.1 * h,
        "e": flat,
    }
    found = []
    for letter, step in steps.items():
        h = first = graphlab.tensor(0.8, dtype=graphlab.float64, requires_grad=True)
        for _ in range(40):
            h = step(h)
        if abs(graphlab.autograd.grad(h, first)[0].item()) < 0.001:
            found.append(letter)
    return " ".join(found)


def truncated_gradient(k: int, cut_every: int, clear: bool = False) -> float:
    """Return w.grad after a pass every k steps, with the state cut every `cut_every` steps.

    clear: whether each pass begins with an empty w.grad.
    """
    w = graphlab.tensor(0.5, requires_grad=True)
    h = graphlab.tensor(0.0)
    loss: Any = 0.0
    for t, (x, y) in enumerate(zip(INPUTS, TARGETS, strict=True), start=1):
        h = w * h + x
        loss = loss + (h - y) ** 2
        if t % k == 0:
            w.grad = None if clear else w.grad
            loss.backward(retain_graph=True)
            loss = 0.0
        if cut_every and t % cut_every == 0:
            h = h.detach()
    assert w.grad is not None
    return w.grad.item()


def cut_in_the_right_place(truncated: Callable[..., Any]) -> str:
    """Say what is wrong with a truncated pass; "" if it goes back to the previous pass only."""
    for k in (3, 2, 1):
        w = graphlab.tensor(0.5, requires_grad=True)
        truncated(w, list(INPUTS), list(TARGETS), k)
        if w.grad is None:
            return "w.grad is None: no backward pass has reached w."
        found = w.grad.item()
        if math.isclose(found, truncated_gradient(k, k), rel_tol=CLOSE):
            continue
        if math.isclose(found, truncated_gradient(k, 1), rel_tol=CLOSE):
            return (
                f"With k = {k} the state is cut at every step. Cut it only after a backward pass."
            )
        if math.isclose(found, truncated_gradient(k, 0), rel_tol=CLOSE):
            return (
                "Nothing is cut: the gradient goes back through all earlier steps. Go backward "
                "after every k steps, and cut the state off there. retain_graph=True cuts nothing."
            )
        if math.isclose(found, truncated_gradient(k, k, True), rel_tol=CLOSE):
            return "w.grad holds the gradient of the last pass alone. Let the passes add up."
        wanted = truncated_gradient(k, k)
        return f"With k = {k}, w.grad is {found:.4f}, not {wanted:.4f}"
    return ""


def shortened(clip: Callable[..., Any]) -> str:
    """Say what is wrong with a function that clips a gradient by its norm; "" if it is right."""
    for entries, limit in (([3.0, 4.0], 1.0), ([[6.0, -2.0], [3.0, 0.0]], 3.5), ([0.3, 0.4], 1.0)):
        gradient = graphlab.tensor(entries)
        given = clip(gradient.clone(), limit)
        if given is ... or given is None:
            return "It returns nothing yet. Begin with the norm: (gradient**2).sum().sqrt()."
        if wrong := no_tensor(given):
            return wrong
        if given.shape != gradient.shape:
            return f"It has the shape {tuple(given.shape)}, not {tuple(gradient.shape)}."
        wrong = not_clipped(given.detach().numpy(), gradient.numpy(), limit)
        if wrong:
            return wrong
    return ""


def not_clipped(given: np.ndarray, gradient: np.ndarray, limit: float) -> str:
    """Say what is wrong with one clipped gradient; "" if it is right."""
    norm = float(np.sqrt((gradient**2).sum()))
    scaled = gradient * (limit / norm)
    wanted = scaled if norm > limit else gradient
    if np.allclose(given, wanted, CLOSE):
        return ""
    if np.allclose(given, scaled, CLOSE):
        return (
            f"The norm is {norm:g} and the limit {limit:g}: this gradient is short enough, but "
            f"your function made it longer."
        )
    if np.allclose(given, gradient):
        return f"The norm is {norm:g} and the limit {limit:g}, but the gradient is unchanged."
    if np.allclose(given, np.clip(gradient, -limit, limit)):
        return "Each entry was clipped alone: the direction has changed. Scale all by one factor."
    if np.allclose(given, gradient * (limit / norm**2), CLOSE):
        return "That divides by the square of the norm: the square root is missing."
    if np.allclose(given, gradient / norm, CLOSE):
        return "The norm is 1 now, whatever the limit is. Multiply by the limit as well."
    if np.allclose(given, gradient * (limit / np.abs(gradient).sum()), CLOSE):
        return "That adds the entries. The norm is the root of the sum of squares."
    return (
        f"For the gradient {gradient.tolist()} and the limit {limit:g} it returns {given.tolist()}"
    )


EXERCISES = [
    Exercise(
        "13.1",
        "h_t = w h_(t-1) + x_t with h_0 = 0, w = 2 and the inputs 1, 1, 1. What is the gradient "
        "of h_3 with respect to w?",
        Number(gradient_of_three_steps),
        (
            "First compute the states h_1, h_2 and h_3, then the gradient that arrives at each.",
            "The share of a step is the gradient at h_t times h_(t-1). Step 3 brings 1 times h_2.",
        ),
        {
            3: "That is the share of the last step. w is used at two more steps.",
            4: (
                "The states h_2 and h_1 were added as they are. At h_2 only the gradient "
                "w = 2 arrives, so h_1 counts twice."
            ),
            7: "That is the value of h_3. What is asked is its slope with respect to w.",
            12: "That is the slope of w³. Here an input is added at every step.",
            2: "That is the share of step 2. Add that of step 3.",
        },
        "1 times 3, 2 times 1 and 4 times 0: the sum over the steps.",
    ),
    Exercise(
        "13.2",
        "The same, but after step 2 stands h = h.detach(). What is the gradient of h_3 with "
        "respect to w?",
        Number(lambda: gradient_of_three_steps(2)),
        (
            "Which of the three products can the pass still reach?",
            "Only the product of step 3. Its slope with respect to w is the number h_2.",
        ),
        {
            5: "That is the gradient without the cut. Which shares lie behind it?",
            2: "That is what the cut takes away. What is left?",
            0: (
                "The cut is behind h_2. The product of step 3 comes after it, and w is used there."
            ),
            1: "1 arrives at h_3. The slope of its product with respect to w is h_2.",
        },
        "h_2 keeps its number, 3, and has no path to the earlier steps.",
    ),
    Exercise(
        "13.3",
        "A gradient of 1 goes back through 40 steps. Where is less than 0.001 of it left, in "
        "absolute value? (a) 0.8 h, (b) h + x, (c) -0.5 h, (d) 1.1 h, (e) tanh(h + x), where all "
        "states are 0.8.",
        Choice(vanishing),
        (
            "Write the slope of one step, and think of its 40th power.",
            "0.8 to the power 10 is about 0.1. The slope of tanh is 1 - h².",
        ),
        {
            has("b"): "A sum hands the whole gradient on: its slope is 1, at every step.",
            has("d"): "1.1 is above 1: that gradient grows, to about 45.",
            frozenset("ae"): (
                "A sign does not keep a product large: (-0.5) to the power 40 is tiny."
            ),
            frozenset("ac"): "At a state of 0.8 the slope of tanh is 1 - 0.64 = 0.36.",
            frozenset("ce"): (
                "0.8 is close to 1, but 40 steps are many: 0.1 · 0.1 · 0.1 · 0.1 is left."
            ),
        },
        "What counts is the absolute value of the slope of one step: if it is below 1, the "
        "gradient vanishes over many steps.",
    ),
    Exercise(
        "13.4",
        "Repair truncated(w, inputs, targets, k): it goes backward after every k steps and sees "
        "no further back than to the previous pass.",
        Code(cut_in_the_right_place, "your function truncated"),
        (
            "No pass may walk into the graph of the one before. What leads it there: the old loss, "
            "or the state?",
            "Both can. After loss.backward(), begin the loss at 0, keep the number of the state, "
            "and drop its path.",
        ),
        {},
        "One line, in the if: h = h.detach().",
    ),
    Exercise(
        "13.5",
        "Write clip(gradient, limit): the same direction, and a norm of at most the limit.",
        Code(shortened, "your function clip"),
        (
            "The norm is (gradient**2).sum().sqrt(), for a matrix too. Compare it with the limit.",
            "If it is larger, return gradient * (limit / norm), and otherwise gradient.",
        ),
        {},
        "clip_grad_norm_ does this, with one norm for the gradients of all weights together.",
    ),
    Exercise(
        "13.6",
        "Which are true? (a) A weight used at 50 steps has 50 gradients in .grad. (b) Clipping by "
        "the norm keeps the direction. (c) Clipping repairs a gradient that vanishes. (d) Clipping "
        "belongs between backward() and the step. (e) h.detach() changes the value of the state. "
        "(f) With a cut after each 5 steps, the gradient of a loss never reaches an operation 20 "
        "steps before it.",
        Choice("b d f"),
        (
            "Sections 2, 4 and 5 have the answers: shares are added, a cut, one factor.",
            "Three are true.",
        ),
        {
            has("a"): "The 50 shares are added. .grad has the shape of the weight.",
            has("c"): (
                "Clipping multiplies the whole sum by one factor. A share that is tiny beside the "
                "others stays so."
            ),
            has("e"): "detach() keeps the numbers. It drops the path to what made them.",
        },
        "Shares are added, a cut removes all earlier operations, and scaling by one factor keeps "
        "the direction.",
    ),
]
