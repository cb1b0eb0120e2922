"""Lesson 7: vectors and matrices.

Read next: notebooks/07_vectors_and_matrices.ipynb
"""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np

import graphlab
from graphlab.faces.exercises.answers import Choice, Code, Entries, Exercise, no_tensor


def weighed_rows() -> Any:
    """Return `x.grad` after y.backward(v) with v = (2, -1), for the y of section 2."""
    x = graphlab.tensor([2.0, 3.0, 1.0], requires_grad=True)
    y = graphlab.stack([x[0] * x[1], x[1] + 3 * x[2]])
    y.backward(graphlab.tensor([2.0, -1.0]))
    return x.grad


def gradient_of_the_bias() -> Any:
    """Return `b.grad` of (M + b).sum() with M of four rows and three columns."""
    b = graphlab.zeros(3, requires_grad=True)
    (graphlab.zeros(4, 3) + b).sum().backward()
    return b.grad


def is_the_backward_pass(function: Callable[..., Any]) -> str:
    """Compare the three gradients with autograd's for several shapes; say what is wrong."""
    rng = np.random.default_rng(7)
    for n, k, m in ((4, 3, 2), (2, 5, 3), (3, 3, 3)):
        X, W, b, delta = (
            graphlab.tensor(rng.integers(-4, 5, shape).astype(np.float32))
            for shape in ((n, k), (k, m), (m,), (n, m))
        )
        got = function(X, W, b, delta)
        if not isinstance(got, tuple | list) or len(got) != 3:
            return "It should return three gradients: return dX, dW, db."
        leaves = [one.clone().requires_grad_() for one in (X, W, b)]
        (leaves[0] @ leaves[1] + leaves[2]).backward(delta)
        said = [differs(*one) for one in zip("XWb", leaves, got, strict=True)]
        if any(said):
            if any(not any(map(differs, "XWb", leaves, other)) for other in permutations(got)):
                return "All three are right, but in the wrong order: first X, then W, then b."
            return next(filter(None, said))
    return ""


def differs(name: str, leaf: Any, got: Any) -> str:
    """Say what is wrong with one gradient of the linear layer; "" if nothing is."""
    if not isinstance(got, graphlab.Tensor):
        return f"The gradient of {name} should be a tensor, got {type(got).__name__}."
    if tuple(got.shape) != tuple(leaf.shape):
        more = " b was used in every row." if name == "b" else " Which factor must be transposed?"
        return (
            f"The gradient of {name} has the shape {tuple(got.shape)}, but {name} has "
            f"{tuple(leaf.shape)}: they must be the same.{more}"
        )
    if not np.allclose(got.detach().numpy(), leaf.grad.numpy(), 1e-4, 1e-5):
        return f"The gradient of {name} has the right shape, but not the right entries"
    return ""


def first_case(x: Any) -> Any:
    """Two results from three entries."""
    return graphlab.stack([x[0] * x[1], x[1] + 3 * x[2]])


def second_case(x: Any) -> Any:
    """Three results from three entries."""
    return x**2


def is_the_table(function: Callable[..., Any]) -> str:
    """Compare the Jacobian that the function returns with the right one; say what is wrong."""
    for case in (first_case, second_case):
        x = graphlab.tensor([2.0, 3.0, 1.0], requires_grad=True)
        wanted = graphlab.autograd.functional.jacobian(case, x.detach()).numpy()
        got = function(case(x), x)
        if wrong := no_tensor(got):
            return wrong
        table = got.detach().numpy()
        if table.shape != wanted.shape:
            columns = " One row belongs to each result." * (table.ndim == 2)
            return f"The table has the shape {table.shape}, not {wanted.shape}.{columns}"
        if np.allclose(table, wanted):
            continue
        if np.allclose(table, np.cumsum(wanted, 0)):
            return "The rows add up: each one still holds the rows before it."
        if np.allclose(table, table[:1]):
            return (
                "All rows are equal: they are one and the same tensor, x.grad, and later passes "
                "changed it. Begin each pass with x.grad = None, which makes a new one."
            )
        return "Some rows are not those of the Jacobian matrix."
    return ""


EXERCISES = [
    Exercise(
        "7.1",
        "y1 = x1 x2 and y2 = x2 + 3 x3 at x = (2, 3, 1). What is x.grad after y.backward(v) with "
        "v = (2, -1)?",
        Entries(weighed_rows),
        (
            "Each entry of v is a weight for one row of the Jacobian matrix.",
            "The rows are (3, 2, 0) and (0, 1, 3). Take 2 times the first and −1 times the second, "
            "and add them.",
        ),
        {
            (3, 3, 3): "That is the sum of the rows, for v = (1, 1).",
            (6, 4, 0): "That is the part of y1. Add the part of y2, which has the weight −1.",
            (0, -1, -3): "That is the part of y2 alone. y1 has the weight 2.",
            (6, 5, 3): "The second weight is −1: the second row is subtracted.",
            ((6, 4, 0), (0, -1, -3)): (
                "These are the two rows with their weights. x.grad has the shape of x: they are "
                "added."
            ),
        },
        "2 · (3, 2, 0) − (0, 1, 3).",
    ),
    Exercise(
        "7.2",
        "z has three entries and a fresh graph each time. Which calls are errors? "
        "(a) z.backward(). (b) z.sum().backward(). (c) z.backward(graphlab.ones(3)). "
        "(d) z[0].backward(). (e) z.backward(graphlab.ones(2)).",
        Choice("a e"),
        (
            "backward() without v needs one number. With v, which shape must v have?",
            "z[0] and z.sum() are one number each. ones(3) has as many entries as z.",
        ),
        {
            "a": "There is one more: v needs one number for each result.",
            lambda letters: "d" in letters: (
                "z[0] is a single number, so its pass may begin with v = 1."
            ),
            lambda letters: "c" in letters: (
                "backward takes a result with several entries if it gets a v for them."
            ),
            lambda letters: "b" in letters: "The sum is a single number.",
        },
        "The pass starts at one number, or it needs a v of the shape of z.",
    ),
    Exercise(
        "7.3",
        "M has 4 rows and 3 columns, b has 3 entries. What is b.grad after "
        "(M + b).sum().backward()?",
        Entries(gradient_of_the_bias),
        (
            "A gradient has the shape of its tensor. How often is each entry of b used?",
            "Each entry of b is used once in each row, and each use brings a 1 back.",
        ),
        {
            (1, 1, 1): "That is what one row brings. b was used in every row.",
            (3, 3, 3): "Each entry of b is used once in each row. How many rows are there?",
            (3, 3, 3, 3): "There is one entry for each entry of b, that is, for each column.",
            12.0: "A gradient has the shape of its tensor, and b has 3 entries.",
            lambda read: read.shape == (4, 3): (
                "This arrives at M + b. b has 3 entries: the gradient is summed back to it."
            ),
        },
        "Four uses of each entry, and each brings a 1.",
    ),
    Exercise(
        "7.4",
        "H = X W, and δ arrives at H. Which is the gradient of X? (a) Xᵀ δ. (b) δ W. (c) δ Wᵀ. "
        "(d) Wᵀ δ.",
        Choice("c"),
        (
            "Let X be 3 × 4 and W 4 × 2. Which shape has δ, and which must the gradient have?",
            "Only one of the four products has the shape of X. On which side of δ does W stand in "
            "H = X W?",
        ),
        {
            "a": "That is the gradient of W. What is the slope of H with respect to X?",
            "b": "Try the shapes: X 3 × 4, W 4 × 2, δ 3 × 2. 3 × 2 times 4 × 2 does not exist.",
            "d": "The shapes do not fit: Wᵀ is 2 × 4 and δ is 3 × 2. W stands on the right.",
        },
        "The other factor, transposed, on the side where it stood.",
    ),
    Exercise(
        "7.5",
        "Write the backward pass of H = X W + b: a function of X, W, b and delta that returns the "
        "gradients of X, W and b.",
        Code(is_the_backward_pass, "the function"),
        (
            "Write the shapes on paper: each gradient has the shape of its tensor.",
            "Section 4 has the three formulas. The last one is a sum over the rows of delta.",
        ),
        {},
        "These three formulas are most of the backward pass of a network.",
    ),
    Exercise(
        "7.6",
        "Repair jacobian(y, x): it should return the table of slopes of y with respect to the leaf "
        "x.",
        Code(is_the_table, "the repaired function"),
        (
            "There are several passes through one graph. What does the first one free?",
            "Keep the graph for the next pass, and begin each pass with an empty x.grad.",
        ),
        {},
        "One pass for each row: the graph is kept, and .grad is cleared before each.",
    ),
]
