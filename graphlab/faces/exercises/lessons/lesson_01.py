"""Lesson 1: a formula is a graph.

Read next: notebooks/01_a_formula_is_a_graph.ipynb
"""

from graphlab.faces.exercises.answers import Choice, Exercise, Number, Order, SameGraph
from graphlab.tensor.creation import tensor
from graphlab.tensor.tensor import Tensor


def product_of_sum_and_log() -> Tensor:
    """Return a result with the graph of exercise 1.5."""
    x, y = tensor(2.0, requires_grad=True), tensor(3.0, requires_grad=True)
    return (x + y) * x.log()


EXERCISES = [
    Exercise(
        "1.1",
        "In which order are the results of section 1 made? Name them, the first one first.",
        Order("u, t, v, e"),
        (
            "Read the order of the lines again: which tensor was made last?",
            "Each line makes one tensor: the one on the left of its `=`.",
        ),
        {
            "e, v, t, u": (
                "That is the order of the backward pass. The forward pass runs your lines from top "
                "to bottom."
            ),
            lambda names: not {"a", "b", "c", "d"}.isdisjoint(names): (
                "a, b, c and d are leaves: no recorded operation made them."
            ),
        },
        "The graph grows with each line that runs.",
    ),
    Exercise(
        "1.2",
        "Which statements are true? (a) a is a leaf. (b) u is a leaf. (c) Every tensor with a "
        "grad_fn is a leaf. (d) e has a grad_fn.",
        Choice("a d"),
        (
            "A leaf is a tensor that no recorded operation made.",
            "u = a * b: a product made u. What made a?",
        ),
        {
            lambda letters: "c" in letters: (
                "It is the other way round: a grad_fn is the operation that made a result."
            )
        },
        "Leaves come from you; results come from operations.",
    ),
    Exercise(
        "1.3",
        "What is the gradient of e with respect to d at d = 10, if c is 5?",
        Number(0.5),
        (
            "Two nodes lie between e and d: a product and a logarithm. Multiply their slopes.",
            "The product hands 5 to t. The slope of log d is 1/d.",
        ),
        {
            5.0: "That is what arrives at t = log d. One more slope is missing, that of log.",
            0.1: "That is the slope of log d alone. What arrives at t is not 1 but c = 5.",
            50.0: "The slope of log d is 1/d, not d.",
        },
        "5 arrives at t, and the slope of log d at 10 is 1/10.",
    ),
    Exercise(
        "1.4",
        "You replace u = a * b by u = a * a, with a = 2. What is the gradient of e with respect "
        "to a?",
        Number(4.0),
        (
            "a is used twice. Each use sends a gradient to a.",
            "Each use sends 1 · 2. What does a do with two gradients?",
        ),
        {
            2.0: "That is the gradient from one of the two uses. Gradients that meet are added.",
            3.0: "b no longer takes part: both factors are a.",
        },
        "Two arrows leave a; each brings 2 back, and their sum is the derivative of a², 2a.",
    ),
    Exercise(
        "1.5",
        "Build a graph whose result is a product: of the sum of two leaves, and the logarithm of "
        "the first leaf.",
        SameGraph(product_of_sum_and_log),
        (
            "Make two leaves with requires_grad=True first, then a sum, a logarithm and a product.",
            "The first leaf is used twice: in the sum and in the logarithm. Draw yours with "
            "graphlab.draw and count the arrows that leave it.",
        ),
        {
            lambda graph: sum(node.name == "AccumulateGrad" for node in graph.nodes) > 2: (
                "Your graph has more than two leaves. The logarithm uses the same tensor as the "
                "sum, not a new one."
            ),
            lambda graph: sum(node.name == "AccumulateGrad" for node in graph.nodes) < 2: (
                "Fewer than two leaves take part. Do both have requires_grad=True, and is none of "
                "them detached?"
            ),
            lambda graph: graph.nodes[0].name != "MulBackward0": (
                "The last operation must be the product."
            ),
        },
        "Your names and numbers may be different; the graph is the same.",
    ),
]
