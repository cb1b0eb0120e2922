"""Check the arguments of the calls in faces/api.py: each error says what to pass instead.

Read next: faces/panel.py
"""

from numbers import Number
from typing import Any

import numpy as np

from graphlab.adapters.pytorch.accessors import is_tensor as is_pytorchs
from graphlab.common.errors import described
from graphlab.graph.timeline import Timeline
from graphlab.tensor.tensor import Tensor

# the calls that take PyTorch's own tensors
PYTORCH = ("draw", "trace", "step", "compare", "check", "hello")


def check_tensor(call: str, tensor: Any, place: str = "") -> None:
    """Check a tensor argument; place: "first" or "second", if there are two.

    Raises: TypeError that says what was received, what was expected, and what to do.
    """
    if is_pytorchs(tensor) and call in PYTORCH:
        return
    if not isinstance(tensor, Tensor):
        what = "a tensor or a Timeline" if call in ("step", "compare") else "a tensor"
        what += f" as its {place} argument" if place else ""
        raise TypeError(
            f"graphlab.{call} expects {what}, got {described(tensor)}; {advice_for(call, tensor)}"
        )


def roots_of(drawn: Any) -> list[Any]:
    """Return the argument of `draw`, one tensor or a list of them, as a list.

    Raises: TypeError as `check_tensor`, for the first that is not a tensor; for two libraries.
        RuntimeError if one has no graph.
    """
    roots: list[Any] = list(drawn) if isinstance(drawn, list | tuple) and drawn else [drawn]
    for one in roots:
        check_tensor("draw", one)
    if len({is_pytorchs(one) for one in roots}) > 1:
        raise TypeError(
            "graphlab.draw expects tensors of one library, got PyTorch's and GraphLab's; draw each "
            "in a call of its own"
        )
    for one in roots:
        if not is_pytorchs(one):  # its adapter checks these
            check_graph("draw", one)
    return roots


def check_graph(call: str, tensor: Tensor, place: str = "") -> None:
    """Raises: RuntimeError if the tensor has no graph."""
    if not tensor.requires_grad:
        raise RuntimeError(
            "element 0 of tensors does not require grad and does not have a grad_fn: "
            + (f"the {place} tensor: " if place else "")
            + _no_graph(call, tensor)
        )


def check_gradient(call: str, tensor: Tensor, gradient: Any, place: str = "") -> None:
    """Check the arguments of a backward pass; place: "first" or "second", if there are two tensors.

    Raises: RuntimeError if the tensor has no graph, or has several entries and no gradient is
    given; TypeError if the gradient is not a tensor.
    """
    if is_pytorchs(tensor):
        from graphlab.adapters.pytorch.rehearsed_pass import check_pass

        check_pass(call, tensor, gradient)
        return
    check_graph(call, tensor, place)
    if gradient is None:
        if tensor.numel() != 1:
            shape = list(tensor.shape)
            said = (
                f"got a tensor of shape {shape}; pass gradient=, a tensor of that shape, or take a "
                "sum first"
            )
            if place:
                said = (
                    f"the {place} tensor has shape {shape}; compare the sums, or "
                    "graphlab.trace(e, gradient=...) of both"
                )
            elif call == "trace" and tensor.ndim == 2:
                said += " (the sum of its diagonal is tensor.trace())"
            raise RuntimeError(f"grad can be implicitly created only for scalar outputs: {said}")
    elif not isinstance(gradient, Tensor):
        raise TypeError(
            "gradients can be either Tensors or None, but got "
            f"{type(gradient).__name__}; write graphlab.{call}(e, gradient=graphlab.tensor(...))"
        )


def check_flag(forward: Any) -> bool:
    """Raises: TypeError if `forward` is neither True nor False."""
    if not isinstance(forward, bool | np.bool_):
        raise TypeError(
            f"forward must be True or False, got {described(forward)}; with forward=True the walk "
            "begins with the forward pass"
        )
    return bool(forward)


def check_record(
    received: tuple[Any, ...], forward: Any, expect: Any
) -> tuple[bool, tuple[type[Exception], ...]]:
    """Return whether a recording shows forward passes, and the classes of errors that it expects.

    Raises: TypeError if it is given anything else, such as a function.
    """
    if received:
        from graphlab.adapters.native.recording import NO_FUNCTION, WRITE

        if callable(received[0]):
            raise TypeError(NO_FUNCTION)
        raise TypeError(
            "graphlab.record() takes only forward=True and expect=RuntimeError, got "
            f"{described(received[0])}; {WRITE}"
        )
    return check_flag(forward), check_expected(expect)


def check_expected(expect: Any) -> tuple[type[Exception], ...]:
    """Return the classes of errors that a block may end with; () for None.

    Raises: TypeError if `expect` is neither a class of errors nor a tuple of such classes.
    """
    if expect is None:
        return ()
    classes = expect if isinstance(expect, tuple) else (expect,)
    if classes and all(isinstance(one, type) and issubclass(one, Exception) for one in classes):
        return classes
    advice = f"; write expect={type(expect).__name__}" if isinstance(expect, Exception) else ""
    raise TypeError(
        "expect is a class of errors, such as RuntimeError, or a tuple of them, got "
        f"{described(expect)}{advice}"
    )


def _no_graph(call: str, tensor: Tensor) -> str:
    if tensor._data.dtype.kind != "f":
        return (
            f"got a tensor of dtype {tensor.dtype}, and only floating-point tensors can require a "
            "gradient; write graphlab.tensor(3., requires_grad=True)"
        )
    return (
        "it was not recorded; create its inputs with requires_grad=True, compute it outside "
        f"no_grad() and without detach(), and call graphlab.{call} on the result"
    )


def advice_for(call: str, thing: Any) -> str:
    """Return the advice on what to pass instead of `thing`."""
    kind = type(thing)
    if thing is None:
        return "backward() returns None: pass the tensor that it is called on"
    if isinstance(thing, Number | np.number):
        return "a number has no graph: .item() and float() drop it; pass the tensor"
    if isinstance(thing, np.ndarray):
        return "an array has no graph: compute with graphlab.tensor(array, requires_grad=True)"
    if isinstance(thing, str):
        return "pass the tensor itself, without quotation marks"
    if isinstance(thing, list | tuple | dict):
        if call == "draw":
            values = "list(outputs.values())" if isinstance(thing, dict) else "[a, b]"
            return f"pass one tensor, or a list of them: {values}"
        return "pass one tensor at a time, or their sum; graphlab.record() shows a pass of several"
    if isinstance(thing, Timeline):
        return {
            "trace": "it is a walk already; show it, or pass it to graphlab.step for a live widget",
            "draw": "pass the tensor that was walked, or save the walk: timeline.save('walk.svg')",
        }.get(call, "pass the tensor that was walked")
    if kind.__module__.partition(".")[0] == "torch" and kind.__name__ in ("Tensor", "Parameter"):
        return (
            f"this is a PyTorch tensor, which only {', '.join(PYTORCH[:-1])} and {PYTORCH[-1]} "
            "take; here, compute with GraphLab's tensors: import graphlab as torch"
        )
    if kind.__name__ == "Recording":
        return "the with statement gives the Timeline: with graphlab.record() as timeline:"
    if hasattr(thing, "named_parameters"):
        return "a module is not a result: pass what it computes, as in loss = net(x).sum()"
    if hasattr(thing, "next_functions"):
        return "a node is not a result: pass the tensor that it made"
    if callable(thing):
        return "call it, and pass its result"
    return f"pass the result of a formula, as in e = a * b; graphlab.{call}(e)"
