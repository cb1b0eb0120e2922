"""Lesson 15: gradients of gradients, Hessian-vector products, the best step, a penalty.

Read next: notebooks/15_double_backward.ipynb
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import graphlab
from graphlab.faces.exercises.answers import Choice, Code, Entries, Exercise, Number, has, no_tensor

Formula = Callable[[Any], Any]
CLOSE = 1e-6  # float64, in which the learners' functions are tested


def second_of_log() -> Any:
    """Return the second derivative of log x at 0.5."""
    x = graphlab.tensor(0.5, requires_grad=True)
    (first,) = graphlab.autograd.grad(graphlab.log(x), x, create_graph=True)
    return graphlab.autograd.grad(first, x)[0]


def a_b_squared(x: Any) -> Any:
    """Compute a b², for the x of two entries."""
    return x[0] * x[1] ** 2


def mixed(x: Any) -> Any:
    """Compute a function of three entries with a full Hessian."""
    return x[0] ** 2 * x[1] + (x[1] * x[2]).sin() + (x**4).sum() / 2


def square(x: Any) -> Any:
    """Compute a function of a 2 by 2 matrix."""
    return (x**3).sum() + (x[0] * x[1]).sum() * 2


def leaf(entries: Any) -> Any:
    """Return a leaf of float64 that requires a gradient."""
    return graphlab.tensor(entries, dtype=graphlab.float64, requires_grad=True)


def first_and_hessian(f: Formula, x: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the gradient of f at x, and the Hessian times v."""
    (g,) = graphlab.autograd.grad(f(x), x, create_graph=True)
    (product,) = graphlab.autograd.grad((g * v).sum(), x)
    return g.detach().numpy(), product.numpy()


def product_at_two_and_one() -> np.ndarray:
    """Return H v of a b² at (2, 1), for v = (1, 3)."""
    return first_and_hessian(a_b_squared, leaf([2.0, 1.0]), graphlab.tensor([1.0, 3.0]))[1]


def unlike(given: Any, x: Any) -> str:
    """Say what is wrong with the type or shape of a result; "" if nothing is."""
    if given is ... or given is None:
        return "It returns nothing yet. Begin with the gradient, with create_graph=True."
    if isinstance(given, tuple | list) and len(given) == 1:
        return "It returns a tuple of one. Unpack it: (product,) = graphlab.autograd.grad(...)."
    shape = getattr(given, "shape", ())
    if (wrong := no_tensor(given)) or shape == x.shape:
        return wrong
    return f"Its shape is {tuple(shape)}, but that of x is {tuple(x.shape)}."


def multiplies(hessian_times: Callable[..., Any]) -> str:
    """Say what is wrong with a Hessian-vector product; "" if it is right."""
    cases: list[tuple[Formula, Any, Any]] = [
        (mixed, [1.0, 2.0, 0.5], [1.0, -1.0, 2.0]),
        (square, [[1.0, 2.0], [0.5, -1.0]], [[0.0, 1.0], [3.0, -1.0]]),
    ]
    for f, at, direction in cases:
        x, v = leaf(at), leaf(direction).detach()
        given = hessian_times(f, x, v)
        wrong = unlike(given, x)
        if wrong:
            return wrong
        g, wanted = first_and_hessian(f, x, v)
        found = given.detach().numpy()
        if np.allclose(found, wanted, CLOSE):
            continue
        if np.allclose(found, g * v.numpy(), CLOSE):
            return "That is v times the gradient, entry by entry. Differentiate the sum of it."
        if np.allclose(found, g, CLOSE):
            return "That is the gradient. Multiply it by v, sum, and differentiate once more."
        ones = first_and_hessian(f, x, graphlab.ones_like(v))[1]
        if np.allclose(found, ones, CLOSE):
            return "v is missing: those are the sums of the rows. Differentiate (g * v).sum()."
        if np.allclose(found, ones * v.numpy(), CLOSE):
            return "Multiply by v before the second pass, not after it."
        return f"For v = {v.tolist()} it returns {found.tolist()}, not {wanted.tolist()}"
    return ""


def far_enough(how_far: Callable[..., Any]) -> str:
    """Say what is wrong with the factor of a step, g·g / g·Hg; "" if it is right."""
    for f, at in ((mixed, [1.0, 2.0, 0.5]), (square, [[1.0, 2.0], [0.5, -1.0]])):
        x = leaf(at)
        given = how_far(f, x)
        if given is ... or given is None:
            return "It returns nothing yet. Begin with the gradient, with create_graph=True."
        if isinstance(given, tuple | list) or np.size(np.asarray(plain(given))) != 1:
            return "It should return one number, t. A dot product is (g * other).sum()."
        (g,) = graphlab.autograd.grad(f(x), x)
        _, along = first_and_hessian(f, x, g)
        found = float(np.asarray(plain(given)).reshape(()))
        numbers = g.numpy()
        wanted = (numbers**2).sum() / (numbers * along).sum()
        if np.isclose(found, wanted, CLOSE):
            continue
        if np.isclose(found, wanted / 2, CLOSE):
            return (
                "That is half of it: you differentiated (g * g).sum(), whose gradient is 2 H g. "
                "One of the two factors must be a constant: g.detach()."
            )
        if np.isclose(found, 1 / wanted, CLOSE):
            return "That is upside down: where the curve bends strongly, the step is short."
        if np.isclose(found, -wanted, CLOSE):
            return "The sign: the minus is in x - t g already."
        if np.isclose(found, (numbers**2).sum() / np.abs(along).sum(), CLOSE):
            return "H g still has to be multiplied by g, entry by entry, before the sum."
        return f"It returns {found:.6g}, not {wanted:.6g}"
    return ""


def plain(value: Any) -> Any:
    """Return a tensor as an array; anything else as it is."""
    return value.detach().numpy() if isinstance(value, graphlab.Tensor) else value


def trains(penalised: Callable[..., Any]) -> str:
    """Say what is wrong with a loss that has a penalty on the slope; "" if w learns from it."""
    for values in ((0.5, 1.0, 0.2), (-1.0, 0.4, 0.5)):
        w, x = leaf(values[0]), leaf(values[1])
        y = leaf(values[2]).detach()
        loss = penalised(w, x, y)
        if wrong := no_tensor(loss):
            return wrong
        f = (w * x).tanh()
        (slope,) = graphlab.autograd.grad(f, x, create_graph=True)
        true = (f - y) ** 2 + slope**2
        if not np.isclose(loss.item(), true.item(), CLOSE):
            return f"Its value is {loss.item():.6g}, not {true.item():.6g}."
        if loss.grad_fn is None:
            return "The result has no grad_fn: nothing leads from it to w."
        (given,) = graphlab.autograd.grad(loss, w, retain_graph=True)
        (wanted,) = graphlab.autograd.grad(true, w, retain_graph=True)
        (fit,) = graphlab.autograd.grad((f - y) ** 2, w)
        if np.isclose(given.item(), fit.item(), CLOSE):
            return (
                "The gradient is that of the first term alone: what the last line squares has no "
                "grad_fn. The slope was not recorded, or it is cut off there: look for both."
            )
        if not np.isclose(given.item(), wanted.item(), CLOSE):
            return f"The gradient of w is {given.item():.6g}, not {wanted.item():.6g}"
    return ""


def same(entries: Sequence[float]) -> Callable[[np.ndarray], bool]:
    """Return a function that says whether an answer has these entries."""
    return lambda read: read.shape == (len(entries),) and np.allclose(read, entries)


EXERCISES = [
    Exercise(
        "15.1",
        "y = log x at x = 0.5. Which number is the gradient of its gradient?",
        Number(second_of_log),
        (
            "The first derivative is 1/x. Write it as a power.",
            "The derivative of x to the power -1 is -1 times x to the power -2.",
        ),
        {
            2: "That is the first derivative, 1/x. Differentiate it once more.",
            4: "The sign is wrong: 1/x falls when x grows.",
            -2: "That is -1/x. The exponent goes down by one: -1/x².",
            -0.25: "That is -x². The exponent is -2, so x² is the denominator.",
            0: "The slope of log is not a constant: it is 1/x.",
        },
        "-1/x² = -4: the curve bends downwards, strongly so near 0.",
    ),
    Exercise(
        "15.2",
        "Which are true? (a) create_graph=True keeps the saved values of the graph that it walks. "
        "(b) With retain_graph=True a gradient can be differentiated. (c) With "
        "create_graph=True, a path leads from the gradient of x³ back to the leaf x. "
        "(d) A Hessian-vector product needs one pass for each row. "
        "(e) A loss that contains a bare gradient always ends in an error.",
        Choice("a c"),
        (
            "Look at the programs a) to e) of section 2, and at the penalty of section 6.",
            "Two are true.",
        ),
        {
            has("b"): "It keeps the first graph and records no second: the gradient is bare.",
            has("d"): "It needs one pass through the second graph, for all entries at once.",
            has("e"): "Only if no other path is left. In section 6 there was one, and no error.",
        },
        "The second graph leads back to x through what the first one saved, so that is kept.",
    ),
    Exercise(
        "15.3",
        "f(a, b) = a b² at a = 2, b = 1. What is H v for v = (1, 3)?",
        Entries(product_at_two_and_one),
        (
            "The gradient is (b², 2ab). Multiply it by v and add: b² + 6ab.",
            "Differentiate b² + 6ab with respect to a, and with respect to b.",
        ),
        {
            same([1, 12]): (
                "That is v times the gradient, entry by entry. Add, then differentiate."
            ),
            same([1, 4]): "That is the gradient. H v is how it changes along v.",
            same([2, 6]): "Those are the sums of the rows: v = (1, 1). Here v is (1, 3).",
            same([2, 18]): (
                "That is each row's sum times an entry of v. Each entry of the "
                "row has its own factor."
            ),
            same([0, 12]): "That is the diagonal alone. f also has the mixed derivative 2b.",
            lambda read: read.shape == (2, 2): "That is a table. H v is a vector: two numbers.",
        },
        "H is ((0, 2), (2, 4)), and 0·1 + 2·3 = 6, 2·1 + 4·3 = 14.",
    ),
    Exercise(
        "15.4",
        "Write hessian_times(f, x, v): the Hessian of f at x, times v.",
        Code(multiplies, "your function hessian_times"),
        (
            "Two passes, and the first is recorded. x may be a matrix: its v · g is (g * v).sum().",
            "After (g,) = graphlab.autograd.grad(f(x), x, create_graph=True), differentiate "
            "(g * v).sum().",
        ),
        {},
        "Optimizers that use second derivatives do this for millions of weights.",
    ),
    Exercise(
        "15.5",
        "Write how_far(f, x): the factor t = g·g / g·Hg of the best step, x - t g.",
        Code(far_enough, "your function how_far"),
        (
            "H g is a Hessian-vector product in which v is the gradient itself.",
            "Take v = g.detach(). Then t is (v * v).sum() / (v * Hv).sum().",
        ),
        {},
        "If f is a parabola, this step goes exactly to the lowest point along the gradient.",
    ),
    Exercise(
        "15.6",
        "Repair penalised(w, x, y): w should learn from the penalty, too.",
        Code(trains, "your function penalised"),
        (
            "Print the slope, and what is squared in the last line: does each have a grad_fn?",
            "Two things remove it: the option of autograd.grad, and a method in the last line.",
        ),
        {},
        "create_graph=True records the slope, and without detach() the path stays.",
    ),
]
