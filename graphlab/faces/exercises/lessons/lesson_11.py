"""Lesson 11: where calculus gets delicate.

Read next: notebooks/11_where_calculus_gets_delicate.ipynb
"""

import warnings
from typing import Any

import numpy as np

import graphlab
from graphlab.faces.exercises.answers import Choice, Code, Entries, Exercise, Number, no_tensor


def tried_at(f: Any, values: list[float]) -> tuple[Any, Any]:
    """Return the results of a function and its gradients for some values, in float32."""
    x = graphlab.tensor(values, requires_grad=True)
    y = f(x)
    (grad,) = graphlab.autograd.grad(y.sum(), x)
    return y.detach().numpy(), grad.numpy()


def refused(f: Any, values: list[float]) -> str:
    """Say what is wrong with the kind of a function's result; "" if nothing is."""
    y = f(graphlab.tensor(values, requires_grad=True))
    if wrong := no_tensor(y):
        return wrong
    return "That is GraphLab's softplus. Write your own." * ("Softplus" in str(y.grad_fn))


def makes_nan(f: Any, values: list[float]) -> bool:
    """Return whether a node of the backward pass returns a NaN."""
    try:
        with warnings.catch_warnings(action="ignore"), graphlab.autograd.detect_anomaly():
            tried_at(f, values)
    except RuntimeError:
        return True
    return False


def entropy_term(f: Any) -> str:
    """Exercise 11.4: x·log x for positive entries, and 0 elsewhere, with finite gradients."""
    values = [0.0, -1.0, 0.5, 2.0]
    if wrong := refused(f, values):
        return wrong
    found, slopes = tried_at(f, values)
    if np.isnan(found).any():
        return "A value is NaN. Use where once more, after the logarithm."
    # float32; 1e-5 also accepts a clamp at 1e-6 or less
    if not np.allclose(found[:2], 0, atol=1e-5):
        return "For entries that are not positive, the value should be 0."
    if not np.allclose(found[2:], [0.5 * np.log(0.5), 2 * np.log(2)], 1e-4):
        return "For positive entries the value should be x·log x, as before."
    if np.isnan(slopes[:2]).any():
        return "The gradient is still NaN: the logarithm gets 0 or less as its input."
    if not np.allclose(slopes[2:], [np.log(0.5) + 1, np.log(2) + 1], 1e-4):
        return "For positive entries the gradient should be log x + 1: is the graph cut?"
    if not np.allclose(slopes[:2], 0, atol=1e-4):
        return "For other entries the function is the constant 0, so its gradient should be 0."
    if makes_nan(f, values):
        return "A NaN is still made on the way, and thrown away: the logarithm gets 0 or less."
    return ""


def softplus(f: Any) -> str:
    """Exercise 11.5: log(1 + exp(x)) without overflow, with the slope 1/2 at 0."""
    values = np.array([-100.0, -2.0, 0.0, 2.0, 100.0])
    if wrong := refused(f, values.tolist()):
        return wrong
    true, slopes = np.logaddexp(0, values), 1 / (1 + np.exp(-values))
    found, grads = tried_at(f, values.tolist())
    # 1e-5: float32, a few operations
    wrong = ~np.isclose(found, true, 1e-5, 1e-5)
    if wrong.any():
        at = int(np.argmax(wrong))
        return f"At x = {values[at]:g} the value is {found[at]:.6g}, not {true[at]:.6g}."
    if np.isnan(grads).any():
        at = values[int(np.argmax(np.isnan(grads)))]
        return f"The values are right, but the gradient at x = {at:g} is NaN: 0 · ∞ once more."
    wrong = ~np.isclose(grads, slopes, 1e-5, 1e-5)
    if wrong[2]:
        return (
            f"At x = 0 the gradient is {grads[2]:g}, not 0.5. Your function has no kink, but its "
            "parts have. A maximum shares the gradient at a tie."
        )
    if wrong.any():
        at = int(np.argmax(wrong))
        where = f"At x = {values[at]:g}"
        return f"{where} the gradient is {grads[at]:.4g}, not {slopes[at]:.4g}."
    return ""


def cancelled_kinks() -> float:
    """Return the gradient of relu(x) - relu(-x) at 0: exercise 11.2."""
    x = graphlab.tensor(0.0, requires_grad=True)
    (grad,) = graphlab.autograd.grad(graphlab.relu(x) - graphlab.relu(-x), x)
    return grad.item()


def tie_with_a_constant() -> Any:
    """Return the gradient of maximum(v, 2): exercise 11.3."""
    v = graphlab.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (grad,) = graphlab.autograd.grad(graphlab.maximum(v, graphlab.tensor(2.0)).sum(), v)
    return grad


EXERCISES = [
    Exercise(
        "11.1",
        "f(x) = max(x, 3x). Which are valid slopes at x = 0? (a) 0. (b) 1. (c) 2. (d) 3. (e) 4.",
        Choice("b c d"),
        (
            "Which of the two is larger on the left of 0, and which on the right?",
            "The slopes on both sides are the ends of the interval, and the ends belong to it.",
        ),
        {
            "b d": "These are the slopes of both sides. Those between them are valid too.",
            "c": "That is PyTorch's choice. Which other choices would have been valid?",
            lambda letters: bool(letters & {"a", "e"}): (
                "A line with slope 0 or 4 through the kink is above the curve on one side."
            ),
        },
        "On the left 3x is smaller, so the slope is 1; on the right it is 3. PyTorch takes 2.",
    ),
    Exercise(
        "11.2",
        "y = relu(x) - relu(-x) is x on paper. Which number does autograd give for x.grad at "
        "x = 0?",
        Number(cancelled_kinks),
        (
            "Autograd does not see that the formula is x. It goes through both kinks.",
            "What does PyTorch take as the slope of relu at 0? Use it twice.",
        ),
        {
            1: "That is the derivative of x. Autograd adds its choices at the two kinks.",
            0.5: "PyTorch does not take the middle at the kink of relu.",
            2: "That would be the slope 1 at both kinks. PyTorch takes the other end.",
        },
        "0 from each relu. Here the sum of the choices is not a valid slope: x has no kink at all.",
    ),
    Exercise(
        "11.3",
        "v = (1, 2, 3). What is v.grad after maximum(v, tensor(2.0)).sum().backward()?",
        Entries(tie_with_a_constant),
        (
            "An entry gets a gradient where it is the larger one. Where is there a tie?",
            "At a tie both sides share evenly. What the constant gets is dropped.",
        ),
        {
            (0.0, 1.0, 1.0): (
                "That is the choice of clamp. At a tie maximum shares between its two inputs."
            ),
            (0.0, 0.0, 1.0): "The middle entry ties with the 2. It gets a share.",
            (1.0, 0.5, 0.0): "That is the gradient of minimum.",
        },
        "The entry 2 ties with the constant 2, and each gets one half.",
    ),
    Exercise(
        "11.4",
        "entropy_term(x) = where(x > 0, x·log(x), 0) has a NaN in its gradient at 0. Repair it.",
        Code(entropy_term, "a function"),
        (
            "The value at 0 is right. Which operation has an infinite slope there?",
            "Give the logarithm a harmless input where x is not positive; choose as before.",
        ),
        {},
        "The logarithm gets a harmless input where its result is not used, so no infinity is made.",
    ),
    Exercise(
        "11.5",
        "Write softplus(x) = log(1 + exp(x)) so that value and gradient are right from -100 to "
        "100, also at 0.",
        Code(softplus, "a function"),
        (
            "It is the log-sum-exp of 0 and x. Which c keeps both exponents at 0 or below?",
            "c is the maximum of 0 and x, with or without detach: c + log(e^(0 - c) + e^(x - c)).",
        ),
        {},
        "The largest exponent is 0 now, so nothing overflows, and the parts add up to the slope.",
    ),
    Exercise(
        "11.6",
        "square = x·x, root = sqrt(square), loss = 3·root + 1, at x = 0. Which backward is the "
        "first to return nan? (a) That of +. (b) That of 3·. (c) That of the root. (d) That of "
        "x·x.",
        Choice("d"),
        (
            "Walk back from the loss and write down what each node returns.",
            "3 arrives at the root, and its slope at 0 is infinite. Is 3 times infinity NaN?",
        ),
        {
            "c": "3 · ∞ is ∞, and not NaN yet. Where is the infinity multiplied by zero?",
            "b": "This node passes 3 on. Nothing is infinite there.",
            "a": "An addition passes on what arrives: 1.",
        },
        "The root returns inf, and x·x multiplies it by x = 0: that is the first NaN.",
    ),
]
