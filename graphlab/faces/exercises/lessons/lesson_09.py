"""Lesson 9: what nodes save, the bytes that a graph holds, hooks, and a second graph.

Read next: notebooks/09_saved_tensors_hooks_memory.ipynb
"""

from typing import Any

import graphlab
from graphlab.faces.exercises.answers import Choice, Code, Exercise, Number


def bytes_held() -> int:
    """Return the bytes that the graph of (tanh(x + 3) ** 2).sum() holds, for 500 entries."""
    kept: dict[int, int] = {}

    def pack(t: Any) -> Any:
        kept[t.data_ptr()] = t.nbytes
        return t

    x = graphlab.zeros(500, requires_grad=True)
    with graphlab.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        result = (graphlab.tanh(x + 3) ** 2).sum()
    assert result.requires_grad  # the graph is alive while its bytes are counted
    return sum(kept.values())


def savers_of_outputs() -> str:
    """Return the letters of the functions whose nodes save their results."""
    x = graphlab.tensor(2.0, requires_grad=True)
    functions = {
        "a": graphlab.sigmoid,
        "b": graphlab.cos,
        "c": graphlab.exp,
        "d": graphlab.log,
        "e": graphlab.sqrt,
    }
    return " ".join(one for one, f in functions.items() if hasattr(f(x).grad_fn, "_saved_result"))


def gradient_through_a_hook() -> Any:
    """Return the gradient of 5 h + h with h = x * x at 2, where a hook of h doubles it."""
    x = graphlab.tensor(2.0, requires_grad=True)
    h = x * x
    h.register_hook(lambda gradient: 2 * gradient)
    return graphlab.autograd.grad(5 * h + h, x)[0]


def second_derivative() -> Any:
    """Return the second derivative of x⁴ at 2."""
    x = graphlab.tensor(2.0, requires_grad=True)
    (slope,) = graphlab.autograd.grad(x**4, x, create_graph=True)
    return graphlab.autograd.grad(slope, x)[0]


def squared_slope(penalty: Any) -> str:
    """Say what is wrong with a penalty on the slope of a function; "" if it is right."""
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    result, again = (penalty(lambda t: (t**3).sum(), x) for _ in range(2))
    if not isinstance(result, graphlab.Tensor):
        return "It returns no tensor. Return the sum of the squares of the gradient's entries."
    if result.shape != () or not abs(result.item() - 153) < 1e-3:
        return f"For t³ at [1, 2] the gradient is [3, 12]; the result is 9 + 144, not {result}."
    if not result.requires_grad:
        return (
            "The value is right, but it has no grad_fn: the backward pass was not recorded. "
            "retain_graph=True keeps the first graph and makes no second one."
        )
    if again.item() != result.item():
        return (
            f"The second call returns {again.item():g}: backward() adds to .grad. "
            "autograd.grad returns the gradient alone."
        )
    (slope,) = graphlab.autograd.grad(result, x, allow_unused=True)
    if slope is None or not (slope - graphlab.tensor([36.0, 288.0])).abs().max().item() < 1e-2:
        return "The value is right, but its gradient is not: no path leads from it through g to x."
    return ""


EXERCISES = [
    Exercise(
        "9.1",
        "x has 500 entries of float32. How many bytes of tensors does the graph of "
        "(tanh(x + 3) ** 2).sum() hold, each storage counted once?",
        Number(bytes_held),
        (
            "Go through the four nodes: does each save its input, its output, or no tensor?",
            "tanh saves its output, and pow its input. Are these two storages or one?",
        ),
        {
            4000: "You counted two tensors. The output of tanh is the input of the power.",
            6000: "An addition saves no tensor, and tanh and the power save the same one.",
            8000: "Not every node saves a tensor: an addition and a sum save none.",
            500: "That is the number of entries. A float32 has 4 bytes.",
            0: "An addition saves no tensor, but tanh and the square need one for their slopes.",
        },
        "One storage of 500 · 4 bytes: the output of tanh, which is the input of the power.",
    ),
    Exercise(
        "9.2",
        "Which save their output? (a) sigmoid, (b) cos, (c) exp, (d) log, (e) sqrt.",
        Choice(savers_of_outputs),
        (
            "Write each slope. Can it be written with the result alone?",
            "The slope of cos x is -sin x, that of log x is 1/x: both need x.",
        ),
        {
            lambda letters: "d" in letters: "The slope of log x is 1/x: it needs the input.",
            lambda letters: "b" in letters: (
                "The slope of cos x is -sin x. From cos x alone its sign is not known."
            ),
        },
        "s(1 - s), e^x and 1/(2√x) are written with the result, so the input is not needed.",
    ),
    Exercise(
        "9.3",
        "x is 2, h = x * x, a hook of h doubles the gradient, y = 5 * h + h. What is x.grad after "
        "y.backward()?",
        Number(gradient_through_a_hook),
        (
            "How often is the hook called, and with what?",
            "h gets 5 and 1. The hook sees their sum, and what it returns goes on to x * x.",
        ),
        {
            24: "That is the gradient without the hook: what a hook returns goes on.",
            44: "The hook sees not only the gradient of 5 * h, but the sum over both uses.",
            28: "The hook sees not only the gradient of the second use, but the sum of both.",
            12: "That is what goes on from h. The slope of x * x is missing.",
            96: "The hook is called once, with the sum.",
        },
        "h gets 5 + 1 = 6, the hook makes 12 of it, and 12 · 2x = 48.",
    ),
    Exercise(
        "9.4",
        "y = x⁴ at x = 2, and g is the gradient with create_graph=True. What is the gradient of g "
        "with respect to x?",
        Number(second_derivative),
        (
            "g is a formula in x. Which one?",
            "g = 4x³. Differentiate once more, and substitute 2 for x.",
        ),
        {
            32: "That is g, the first derivative. Its own derivative is wanted.",
            64: (
                "That is 32 + 32, the same gradient twice: what two passes with retain_graph add "
                "up to."
            ),
            1024: "That is the square of g. The derivative of g is wanted.",
        },
        "g = 4x³, and its derivative 12x² is 48 at 2.",
    ),
    Exercise(
        "9.5",
        "Which are true? (a) retain_graph=True keeps the saved values. (b) After grad(y, x, "
        "retain_graph=True) the gradient has a grad_fn. (c) create_graph=True records the backward "
        "pass as a second graph. (d) create_graph=True keeps the saved values of the first graph "
        "too. (e) Two passes with retain_graph=True give the second derivative.",
        Choice("a c d"),
        (
            "How many graphs are there after each of the two options?",
            "Look at the table at the end of section 4, and at the nodes that freed something.",
        ),
        {
            lambda letters: "b" in letters: (
                "retain_graph=True records nothing: the gradient is a plain number."
            ),
            lambda letters: "e" in letters: (
                "Two passes give the same gradient twice, and .grad adds them up."
            ),
        },
        "retain_graph keeps one graph; create_graph keeps it and records a second one.",
    ),
    Exercise(
        "9.6",
        "Repair penalty(f, x): the sum of the squares of the gradient of f(x), from which a "
        "backward pass can start.",
        Code(squared_slope, "your function penalty"),
        (
            "The result needs a grad_fn. When does a gradient have one?",
            "One of the two options of autograd.grad records the backward pass.",
        ),
        {},
        "The gradient is now the result of a second graph, so its square can be differentiated.",
    ),
]
