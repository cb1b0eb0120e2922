"""Lesson 12: train a network, then be the backward pass.

Read next: notebooks/12_be_the_backward_pass.ipynb
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.faces.exercises.answers import Choice, Code, Entries, Exercise, Number

NAMES = ("z", "W2", "b2", "h", "pre", "W1", "b1")  # in the order of the backward pass
CLOSE = 1e-5  # float32: the sums of some ten products, in another order


def true_logit_gradient() -> Any:
    """Return the gradient at z = -log 4 with the label 1."""
    import graphlab

    z = graphlab.tensor(-math.log(4.0), requires_grad=True)
    loss = -z.sigmoid().log()
    return graphlab.autograd.grad(loss, z)[0]


def batch_of_the_lesson() -> dict[str, Any]:
    """Return the points, labels and weights of section 2."""
    import graphlab

    return {
        "X": graphlab.tensor([[1.0, 0.5], [-0.5, 1.0], [0.0, -1.0], [2.0, 0.5]]),
        "y": graphlab.tensor([[1.0], [0.0], [1.0], [0.0]]),
        "W1": graphlab.tensor([[0.5, -1.0, 1.0], [1.0, 0.5, -0.5]]),
        "b1": graphlab.tensor([0.1, 0.0, -0.2]),
        "W2": graphlab.tensor([[1.0], [-1.0], [0.5]]),
        "b2": graphlab.tensor([0.2]),
    }


def another_batch() -> dict[str, Any]:
    """Return a batch of other sizes: 5 points of 3 numbers, 4 hidden entries."""
    import graphlab

    def spread(*shape: int) -> Any:
        entries = np.sin(1.7 * np.arange(1, math.prod(shape) + 1)).reshape(shape)
        return graphlab.tensor(entries, dtype=graphlab.float32)

    labels = graphlab.tensor([[1.0], [1.0], [0.0], [1.0], [0.0]])
    shapes = {"X": (5, 3), "W1": (3, 4), "b1": (4,), "W2": (4, 1), "b2": (1,)}
    return {"y": labels} | {name: spread(*shape) for name, shape in shapes.items()}


def true_gradients(batch: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the gradient of every tensor of the network."""
    import graphlab
    from graphlab.nn import functional

    leaf = {name: value.clone().requires_grad_() for name, value in batch.items()}
    pre = batch["X"] @ leaf["W1"] + leaf["b1"]
    h = pre.tanh()
    z = h @ leaf["W2"] + leaf["b2"]
    loss = functional.binary_cross_entropy_with_logits(z, batch["y"])
    tensors = leaf | {"pre": pre, "h": h, "z": z}
    found = graphlab.autograd.grad(loss, [tensors[name] for name in NAMES])
    return dict(zip(NAMES, (one.numpy() for one in found), strict=True))


def true(name: str) -> Callable[[], np.ndarray]:
    """Return a function that computes the gradient of one tensor of section 2."""
    return lambda: true_gradients(batch_of_the_lesson())[name]


def same(given: Any, wanted: Any) -> bool:
    """Return whether two arrays have the same shape and the same entries, up to rounding."""
    given, wanted = np.asarray(given), np.asarray(wanted)
    return given.shape == wanted.shape and np.allclose(given, wanted, 1e-3, CLOSE)


def unmultiplied_by_tanh(read: np.ndarray) -> bool:
    """Return whether an answer is the gradient of h instead of pre, or that of W1 made from it."""
    at_h = true("h")()
    points = batch_of_the_lesson()["X"].numpy()
    return same(read, at_h) or same(read, points.T @ at_h)


def with_slope_at_h(read: np.ndarray) -> bool:
    """Return whether an answer uses 1 - tanh(h)² instead of 1 - h²."""
    batch = batch_of_the_lesson()
    h = np.tanh((batch["X"] @ batch["W1"] + batch["b1"]).numpy())
    return same(read, true("h")() * (1 - np.tanh(h) ** 2))


def without_mean(name: str) -> Callable[[np.ndarray], bool]:
    """Return a function that says whether an answer is n = 4 times too large."""
    return lambda read: same(read, 4 * true(name)())


NO_MEAN = "All entries are 4 times too large. The loss is a mean: where did its 1/n go?"
SLOPES = {
    "z": "It is (p - y) / n: the loss is a mean over the n points.",
    "W2": "z = h @ W2 + b2: the gradient of the second factor is h transposed, times that of z.",
    "b2": "b2 was added to every row, so its gradient is the sum over the rows.",
    "h": "z = h @ W2 + b2: the gradient of the first factor is that of z, times W2 transposed.",
    "pre": "Multiply the gradient of h by the slope of tanh, 1 - h², entry by entry.",
    "W1": "pre = X @ W1 + b1: it is X transposed, times the gradient of pre.",
    "b1": "b1 was added to every row, so its gradient is the sum over the rows.",
}


def by_name(backward: Callable[..., Any]) -> str:
    """Compare with autograd, beginning at the loss, and name the first gradient that differs."""
    import graphlab

    for batch in (batch_of_the_lesson(), another_batch()):
        with graphlab.no_grad():
            mine = backward(**batch)
        if not isinstance(mine, dict):
            return f"It should return a dictionary of gradients, not {kind(mine)}."
        for name, wanted in true_gradients(batch).items():
            given = mine.get(name, ...)
            if given is ... or given is None:
                return f"{name} is still missing. {SLOPES[name]}"
            if not hasattr(given, "detach"):
                return f"{name} should be a tensor, not {kind(given)}."
            array = given.detach().numpy()
            if array.shape != wanted.shape:
                return f"{name} has the shape {array.shape}, not {wanted.shape}. {SLOPES[name]}"
            if not same(array, wanted):
                return f"{name} differs from autograd's. {SLOPES[name]}"
    return ""


def batch_norm_in_one_go(backward: Callable[..., Any]) -> str:
    """Compare the learner's batch norm with autograd's; name the part that is missing."""
    import graphlab

    for batch in (batch_of_the_lesson(), another_batch()):
        x = (batch["X"] @ batch["W1"] + batch["b1"]).requires_grad_()
        gamma = 1 + 0.5 * batch["b1"]
        scale = 1 / (((x - x.mean(0)) ** 2).mean(0) + 1e-5).sqrt()
        xhat = (x - x.mean(0)) * scale
        g = (batch["X"] @ batch["W1"]).cos() + batch["y"]
        (wanted,) = graphlab.autograd.grad(gamma * xhat, x, g)
        xhat, scale = xhat.detach(), scale.detach()
        with graphlab.no_grad():
            given = backward(g, xhat, gamma, scale)
        if given is ... or given is None:
            return "It returns nothing yet. Begin with what arrives at xhat: g * gamma."
        if not hasattr(given, "detach"):
            return f"It should return a tensor, not {kind(given)}."
        if given.shape != wanted.shape:
            return f"Its shape is {tuple(given.shape)}, but that of x is {tuple(wanted.shape)}."
        if not same(given.detach().numpy(), wanted.numpy()):
            return missing_part(given, g, xhat, gamma, scale)
    return ""


def missing_part(given: Any, g: Any, xhat: Any, gamma: Any, scale: Any) -> str:
    """Say what a wrong gradient of batch norm left out."""
    arrives = g * gamma
    shift = arrives.mean(0)
    along = xhat * (arrives * xhat).mean(0)
    n = len(g)
    wrong = {
        "It has the direct path only. The paths through the mean and the variance are missing.": (
            arrives * scale
        ),
        "The path through the variance is missing: the part along xhat.": (
            (arrives - shift) * scale
        ),
        "The path through the mean is missing: the part along (1, ..., 1).": (
            (arrives - along) * scale
        ),
        "The part along xhat is subtracted too: its sign is wrong.": (
            (arrives - shift + along) * scale
        ),
        "The last part is xhat times a mean: the factor xhat is missing.": (
            (arrives - shift - (arrives * xhat).mean(0)) * scale
        ),
        "Each column has its own mean over the batch: mean(0).": (
            (arrives - arrives.mean() - xhat * (arrives * xhat).mean()) * scale
        ),
        "A mean over the batch is mean(0), not mean(1).": (
            (arrives - arrives.mean(1, True) - xhat * (arrives * xhat).mean(1, True)) * scale
        ),
        "gamma is missing: what arrives at xhat is g * gamma.": (
            (g - g.mean(0) - xhat * (g * xhat).mean(0)) * scale
        ),
        "scale is missing: it multiplies all three parts.": arrives - shift - along,
        "The two parts that are subtracted are means over the batch, not sums.": (
            (arrives - n * shift - n * along) * scale
        ),
    }
    found = given.detach().numpy()
    return next(
        (said for said, entries in wrong.items() if same(found, entries.numpy())),
        "It differs from autograd's gradient",
    )


def kind(value: Any) -> str:
    """Name the kind of a value, for a sentence."""
    return "None" if value is None else f"a value of type {type(value).__name__}"


EXERCISES = [
    Exercise(
        "12.1",
        "One point has z = -log 4, so p = 1/5, and the label y = 1. What is the gradient of its "
        "loss with respect to z?",
        Number(true_logit_gradient),
        (
            "Sigmoid and cross-entropy together have a very short gradient.",
            "It is the probability p minus the label y. Which of the two is larger?",
        ),
        {
            0.8: "That is y - p. A point of label 1 needs a larger z: the sign is negative.",
            0.2: "That is for the label 0. Here y is 1.",
            -5.0: "That is the gradient at p, -1/p. The slope of the sigmoid is still to come.",
            lambda read: math.isclose(abs(read), 0.8 * 0.16, rel_tol=1e-3): (
                "p - y already contains the slope of the sigmoid: do not multiply by p(1 - p)."
            ),
            0.16: "That is the slope of the sigmoid alone. What arrives at p is -1/p.",
        },
        "p - y = 1/5 - 1: the probability of the true label is too small, and a step against the "
        "gradient makes z larger.",
    ),
    Exercise(
        "12.2",
        "In section 2 all entries of W2 are replaced by zeros. Which gradients are exactly 0 in "
        "the first backward pass? (a) W1, (b) b1, (c) W2, (d) b2.",
        Choice("a b"),
        (
            "Go backward from z. Which of the two gradients of the product h @ W2 uses W2?",
            "The gradient of h is that of z times W2 transposed. What is made from it?",
        ),
        {
            lambda letters: "c" in letters: (
                "A weight of 0 need not have a gradient of 0: that of W2 is made from h, not "
                "from W2."
            ),
            lambda letters: "d" in letters: (
                "b2 gets the sum of (p - y) / n. W2 changes it only through p, which is then the "
                "same for all points."
            ),
            "a": "Right for W1. Is the gradient of b1 made from anything else?",
            "b": "Right for b1. Is the gradient of W1 made from anything else?",
        },
        "The gradient has to pass through W2 on its way to the first layer. After one step W2 is "
        "no longer 0, and the first layer learns too.",
    ),
    Exercise(
        "12.3",
        "For the batch of section 2: the gradient of pre.",
        Entries(true("pre")),
        (
            "pre has the shape of h. What does a function do to a gradient, entry by entry?",
            "The slope of tanh at pre is 1 - tanh²(pre). You have tanh(pre) already.",
        ),
        {
            unmultiplied_by_tanh: "That is the gradient of h. The slope of tanh is missing.",
            without_mean("pre"): (NO_MEAN),
            with_slope_at_h: (
                "tanh was applied twice: h is tanh(pre) already, so the slope is 1 - h²."
            ),
        },
        "Where h is near 1 or -1, the slope is near 0, so the gradient becomes small.",
    ),
    Exercise(
        "12.4",
        "For the batch of section 2: the gradient of W1.",
        Entries(true("W1")),
        (
            "W1 is to X and pre what W2 is to h and z.",
            "It has the shape (2, 3). Which product of X (4, 2) and the gradient of pre (4, 3), "
            "one of them transposed, has that shape?",
        ),
        {
            lambda read: same(read, true("W1")().T): (
                "All numbers are right, but it is transposed: a gradient has the shape of its "
                "tensor, (2, 3)."
            ),
            unmultiplied_by_tanh: "The slope of tanh is missing: use the gradient of pre.",
            without_mean("W1"): (NO_MEAN),
        },
        "Each entry is a sum over the batch: one product for each point.",
    ),
    Exercise(
        "12.5",
        "Write the whole pass: backward(X, y, W1, b1, W2, b2) returns the gradients by name.",
        Code(by_name, "a function that returns a dictionary of gradients"),
        (
            "No autograd here: write formulas. Begin at the loss, and go on when one agrees.",
            "The seven lines of sections 4 and 5 are what you need; n is len(X).",
        ),
        {},
        "That is what loss.backward() does, line by line.",
    ),
    Exercise(
        "12.6",
        "Batch norm in one go: batch_norm_backward(g, xhat, gamma, scale) returns the gradient "
        "of x.",
        Code(batch_norm_in_one_go, "a function that returns the gradient of x"),
        (
            "Three parts: what arrives, minus its part along (1, ..., 1), minus that along xhat.",
            "These parts are a mean over the rows, mean(0), and xhat times another such mean.",
        ),
        {},
        "One line instead of the ten nodes from x to xhat. Libraries compute it this way, too.",
    ),
]
