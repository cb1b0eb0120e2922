"""Lesson 5: leaves, non-leaves, retain_grad.

Read next: notebooks/05_leaves_and_retain_grad.ipynb
"""

from typing import Any

import numpy as np

from graphlab.faces.exercises.answers import (
    Choice,
    Code,
    Exercise,
    Number,
    no_tensor,
    went_backward,
)
from graphlab.tensor.creation import tensor
from graphlab.tensor.tensor import Tensor


def leaves() -> str:
    """Return the letters of the tensors in 5.1 that are leaves."""
    w, x = tensor(3.0, requires_grad=True), tensor(2.0)
    asked = {"a": w, "b": x, "c": w * x, "d": x * x, "e": (x * x).requires_grad_()}
    return " ".join(letter for letter, one in asked.items() if one.is_leaf)


def kept() -> Tensor | None:
    """Return the gradient that u keeps in 5.2."""
    w, x = tensor(2.0, requires_grad=True), tensor(5.0)
    u = w * x
    u.retain_grad()
    (u * u + u).backward()
    return u.grad


def keeps_the_middle(middle: Any) -> str:
    """Say what is wrong with a function that should return the gradient of u = w·x."""
    for start, factor in ((3.0, 2.0), (1.0, -2.0)):
        w = tensor(start, requires_grad=True)
        given, ran = went_backward(middle, w, tensor(factor))
        if given is None:
            return "It still returns None. Is `return` there, and the bucket before backward()?"
        number = given.detach().item() if isinstance(given, Tensor) else given
        found, wanted = float(number), 2 * (start * factor + 1)
        if not abs(found - wanted) < 1e-3:
            if abs(found - wanted * factor) < 1e-3:
                return "That is the gradient of w, not of u."
            return f"For w = {start:g} and x = {factor:g} it returns {found:g}, not {wanted:g}."
        if not ran:
            return "The number is right, but no backward pass has run: keep the gradient of one."
    return ""


def is_a_weight(make_weight: Any) -> str:
    """Say what is wrong with a function that should make a leaf of 0.1 and 0.2."""
    weight = make_weight()
    if wrong := no_tensor(weight):
        return wrong
    if not weight.requires_grad:
        return "It is a leaf, but does not require a gradient: training would not change it."
    if not weight.is_leaf:
        bucket = " retain_grad() shows its gradient, but it stays a result." * weight.retains_grad
        return f"It is still a result: {weight.grad_fn.name()} made it.{bucket}"
    if weight.shape != (2,) or not np.allclose(weight.detach().numpy(), [0.1, 0.2]):
        return f"It is a leaf now, but its values are {weight.tolist()}."
    return ""


def reaches_the_weight(loss_of: Any) -> str:
    """Say what is wrong with a function that should return the loss (w·x - y)², with its graph."""
    for start in (3.0, -1.0):
        w = tensor(start, requires_grad=True)
        loss = loss_of(w, tensor(2.0), tensor(1.0))
        if wrong := no_tensor(loss):
            return wrong
        if loss.is_leaf and loss.requires_grad:
            return "The loss is a leaf, an island: no edge leads from it to w."
        if loss.is_leaf:
            return "backward() would fail: element 0 of tensors does not require grad."
        wanted = (2 * start - 1) ** 2
        if not abs(loss.item() - wanted) < 1e-3:
            return (
                f"For w = {start:g}, x = 2 and y = 1 the loss is {loss.item():g}, not {wanted:g}."
            )
        loss.backward()
        slope = 4 * (2 * start - 1)
        if w.grad is None:
            return "The loss has a graph now, but it does not lead to w: do not make a new leaf."
        if not abs(w.grad.item() - slope) < 1e-3:
            return f"w gets {w.grad.item():g}, but the slope is {slope:g}: one edge is still cut."
    return ""


EXERCISES = [
    Exercise(
        "5.1",
        "w requires a gradient, x does not. Which of these are leaves: (a) w, (b) x, (c) w * x, "
        "(d) x * x, (e) (x * x).requires_grad_()?",
        Choice(leaves),
        (
            "A leaf is a tensor that no recorded operation made. When is an operation recorded?",
            "An operation is recorded if one of its inputs requires a gradient. Look at the inputs "
            "of each product.",
        ),
        {
            lambda letters: "c" in letters: "w requires a gradient, so w * x was recorded.",
            "a b": "Not every operation is recorded. Does anything in x * x require a gradient?",
            "a e": (
                "These are the leaves that get a .grad. A tensor that requires no gradient is a "
                "leaf as well."
            ),
            "a": "x was made by you too: a leaf does not have to require a gradient.",
            "a b d": "requires_grad_() does not add an operation: what was a leaf stays one.",
        },
        "Only w * x was recorded. The others have no grad_fn.",
    ),
    Exercise(
        "5.2",
        "w = 2 and x = 5. u = w * x, u.retain_grad(), loss = u * u + u. What is u.grad after "
        "loss.backward()?",
        Number(kept),
        (
            "u is 10, and loss uses it three times. What arrives from each use?",
            "The product sends u twice, the sum sends 1. The bucket catches all of it.",
        ),
        {
            105.0: "That is the gradient of w: one slope too many, that of w * x.",
            20.0: "u is used once more: loss = u * u + u.",
            11.0: "u * u uses u twice: each of the two sends 10.",
            1.0: "That comes from the last use. The bucket catches what all uses send.",
            0.0: "A gradient that is kept is not 0: retain_grad() came before backward().",
        },
        "10 + 10 + 1: the bucket holds the sum over the uses, as .grad of a leaf would.",
    ),
    Exercise(
        "5.3",
        "After the pass of 5.2, whose .grad is None: (a) w, (b) x, (c) u, (d) loss?",
        Choice("b d"),
        (
            "Leaves that require a gradient have a .grad, and so do results with a bucket.",
            "Go through the four: leaf or result? If it is a leaf: does it require a gradient? If "
            "it is a result: was retain_grad() called?",
        ),
        {
            lambda letters: "a" in letters: "w is a leaf and requires a gradient: it has one.",
            lambda letters: "c" in letters: "u has a bucket: u.retain_grad() was called.",
            "b": (
                "One more. The pass starts at loss with the gradient 1, but loss is a result too: "
                "who keeps it?"
            ),
            "d": "One more: does every leaf require a gradient?",
        },
        "x requires no gradient; the gradient 1 of loss was used and dropped.",
    ),
    Exercise(
        "5.4",
        "Repair middle: it should return the gradient of u, and returns None.",
        Code(keeps_the_middle, "the function middle"),
        (
            "The lines are all there. Is their order right?",
            "The gradient passes during backward(). A bucket that is put there later stays empty.",
        ),
        {},
        "The bucket is there before the gradient comes.",
    ),
    Exercise(
        "5.5",
        "Repair make_weight: it should return a weight with the values 0.1 and 0.2 that training "
        "can change.",
        Code(is_a_weight, "the function make_weight"),
        (
            "Which operation comes after requires_grad=True?",
            "Section 5 has two ways: the right numbers from the start, or requires_grad_() as the "
            "last step.",
        ),
        {},
        "It is a leaf, so the gradient stays in it.",
    ),
    Exercise(
        "5.6",
        "Repair loss_of: its loss is an island, and w never gets a gradient.",
        Code(reaches_the_weight, "the function loss_of"),
        (
            "Print requires_grad of each value, from w to the loss. After which line is it False?",
            "item() returns a plain number. Use tensors up to the loss, and return the loss as it "
            "is.",
        ),
        {},
        "Every step is recorded, so edges lead from the loss to w.",
    ),
]
