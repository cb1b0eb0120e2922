"""The same mistakes in three libraries: who finds them?

Each mistake is a custom backward pass that is wrong in one way, beside the right one. The code is
written once, because GraphLab, PyTorch and HIPS autograd use the same names.

Read next: benchmarks/check.py
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Backward = Callable[..., Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Bug:
    """A formula, its gradients, and the wrong ones. m: the library; g: what comes in."""

    name: str
    inputs: tuple[Any, ...]  # values to check at
    forward: Callable[..., Any]
    right: Backward
    wrong: Backward


X = np.array([0.5, 1.25, 2.0])
Y = np.array([1.5, 0.75, -1.0])
A = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75], [0.1, 0.9, -0.4]])
B = np.array([[1.0, 0.5, -0.25], [-0.5, 2.0, 0.75], [0.3, -1.2, 0.8]])


def softmax(m: Any, x: Any) -> Any:
    e = m.exp(x)
    return e / e.sum(1)[:, None]


def softmax_back(m: Any, g: Any, x: Any, axis: int) -> tuple[Any]:
    y = softmax(m, x)
    inner = (g * y).sum(axis)
    return (y * (g - (inner[:, None] if axis == 1 else inner[None, :])),)


def sine(name: str, wrong: Backward, at: Any = X) -> Bug:
    right = lambda m, g, x: (g * m.cos(x),)  # noqa: E731
    return Bug(name, (at,), lambda m, x: m.sin(x), right, wrong)


BUGS = [
    sine("sign", lambda m, g, x: (-g * m.cos(x),)),
    sine("factor 2", lambda m, g, x: (2 * g * m.cos(x),)),
    Bug(
        "swapped input", (X, Y), lambda m, x, y: x * y,
        lambda m, g, x, y: (g * y, g * x), lambda m, g, x, y: (g * x, g * y),
    ),
    Bug(
        "dropped term", (X,), lambda m, x: x * m.sin(x),
        lambda m, g, x: (g * (m.sin(x) + x * m.cos(x)),), lambda m, g, x: (g * m.sin(x),),
    ),
    Bug(
        "wrong axis", (A,), lambda m, x: softmax(m, x),
        lambda m, g, x: softmax_back(m, g, x, 1), lambda m, g, x: softmax_back(m, g, x, 0),
    ),
    Bug(
        "no transpose", (A, B), lambda m, x, y: x @ y,
        lambda m, g, x, y: (g @ y.T, x.T @ g), lambda m, g, x, y: (g @ y, x.T @ g),
    ),
    sine("a factor of 1 + 1e-4", lambda m, g, x: (g * m.cos(x) * (1 + 1e-4),)),
    sine("a term of 1e-5", lambda m, g, x: (g * (m.cos(x) + 1e-5),)),
    sine("a term of 1e-6", lambda m, g, x: (g * (m.cos(x) + 1e-6),)),
    sine("a term of 1e-7", lambda m, g, x: (g * (m.cos(x) + 1e-7),)),
    Bug(
        "wrong for x < 0, at x > 0", (X,), lambda m, x: x * m.abs(x),
        lambda m, g, x: (2 * g * m.abs(x),), lambda m, g, x: (2 * g * x,),
    ),
]  # fmt: skip


# -- who finds it -------------------------------------------------------------------------------


def function_of(torch: Any, forward: Callable[..., Any], backward: Backward) -> Any:
    """A Function with this backward pass, for PyTorch and for GraphLab."""

    class Planted(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            ctx.save_for_backward(*inputs)
            return forward(torch, *inputs)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return tuple(backward(torch, grad, *ctx.saved_tensors))

    return Planted.apply


def check(torch: Any, bug: Bug, backward: Backward) -> bool:
    """Whether `graphlab.check` says that it disagrees."""
    inputs = [torch.tensor(x, requires_grad=True) for x in bug.inputs]
    result = function_of(torch, bug.forward, backward)(*inputs)
    weights = np.random.default_rng(0).uniform(0.5, 1.5, tuple(result.shape))
    report = torch.check(result, gradient=torch.tensor(weights))
    return any(row.verdict == "disagrees" for row in report)


def gradcheck(torch: Any, bug: Bug, backward: Backward) -> bool:
    """Whether `torch.autograd.gradcheck` refuses it, as it is called without options."""
    inputs = [torch.tensor(x, requires_grad=True) for x in bug.inputs]
    apply = function_of(torch, bug.forward, backward)
    return not torch.autograd.gradcheck(apply, inputs, raise_exception=False)


def check_grads(numpy: Any, bug: Bug, backward: Backward) -> bool:
    """Whether HIPS autograd's `check_grads` refuses it, in reverse mode."""
    from autograd.extend import defvjp, primitive
    from autograd.test_util import check_grads as compare

    function = primitive(lambda *inputs: bug.forward(numpy, *inputs))

    def vjp(place: int) -> Callable[..., Any]:
        return lambda _, *inputs: lambda grad: backward(numpy, grad, *inputs)[place]

    defvjp(function, *map(vjp, range(len(bug.inputs))))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            compare(function, modes=["rev"], order=1)(*bug.inputs)
    except AssertionError:
        return True
    return False


def peers() -> dict[str, tuple[Any, Callable[[Any, Bug, Backward], bool]]]:
    """Those that are installed: a title, the library, and how it is asked."""
    import graphlab

    found: dict[str, Any] = {"graphlab.check": (graphlab, check)}
    with warnings.catch_warnings(), contextlib.suppress(ImportError):
        warnings.simplefilter("ignore")
        import torch

        found["torch gradcheck"] = (torch, gradcheck)
    with contextlib.suppress(ImportError):
        import autograd.numpy

        found["HIPS check_grads"] = (autograd.numpy, check_grads)
    return found


def verdicts() -> list[tuple[str, dict[str, tuple[bool, bool]]]]:
    """For each bug and library: whether the wrong pass is refused, and whether the right one is."""
    asked = peers()
    return [
        (
            bug.name,
            {
                title: (ask(library, bug, bug.wrong), ask(library, bug, bug.right))
                for title, (library, ask) in asked.items()
            },
        )
        for bug in BUGS
    ]
