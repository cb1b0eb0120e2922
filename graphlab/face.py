"""The five calls of GraphLab's own: draw, trace, step, check, formula.

Each takes a tensor, looks at the caller's variables for names, and hands over to the part of the
house that does the work, which is loaded only then.

Read next: adapters/native.py
"""

from typing import TYPE_CHECKING, Any

from graphlab.adapters.names import caller, names_in
from graphlab.graph.present import register
from graphlab.graph.timeline import Timeline
from graphlab.tensor import Tensor

if TYPE_CHECKING:
    from graphlab.graph.scene import View
    from graphlab.render.drawing import Drawing
    from graphlab.symbolic.check import Report
    from graphlab.widgets.stepper import Stepper

register("Timeline", "graphlab.render.bundle:timeline_bundle")


def draw(tensor: Tensor, view: "View" = "both") -> "Drawing":
    """The graph behind a tensor as a picture; nothing is run, nothing is changed.

    view: "both" (tensors and operations, with gradients), "computation" (without gradients),
    "backward" (grad_fn nodes as PyTorch holds them). The result shows itself in a notebook and
    has `.svg`, `.dot`, `.text` and `.save("g.svg")`. A freed graph can still be drawn.
    Raises: TypeError when it is no tensor, ValueError for an unknown view.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> y = x * x
    >>> "MulBackward0" in graphlab.draw(y).svg
    True
    """
    check_tensor("draw", tensor)
    from graphlab.adapters.native import graph_of
    from graphlab.render.drawing import Drawing

    return Drawing(graph_of(tensor, names_in(caller())), view=view)


def trace(tensor: Tensor, gradient: Tensor | None = None) -> Timeline:
    """A rehearsal of `tensor.backward(gradient)`, step by step; `.grad` and graph stay as they are.

    The result is a Timeline: `len(timeline)`, `timeline[k]`, `timeline.state_at(k)`. In a notebook
    it shows itself as a player that needs no kernel. Hooks that may change a gradient are run.
    Raises: what `backward` would raise, in PyTorch's words.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> timeline = graphlab.trace(x * x)
    >>> timeline[-1].kind, x.grad
    ('Finished', None)
    """
    check_tensor("trace", tensor)
    check_gradient("trace", tensor, gradient)
    return _timeline(tensor, gradient, caller())


def step(tensor: "Tensor | Timeline", gradient: Tensor | None = None) -> "Stepper":
    """The live widget that walks a backward pass: its `step` follows the player, and leads it.

    tensor: a tensor, or a Timeline that `trace` gave.
    """
    from graphlab.widgets.stepper import Stepper

    if isinstance(tensor, Timeline):
        return Stepper(tensor)
    check_tensor("step", tensor)
    check_gradient("step", tensor, gradient)
    return Stepper(_timeline(tensor, gradient, caller()))


def check(
    tensor: Tensor, wrt: "list[Tensor] | Tensor | None" = None, gradient: Tensor | None = None
) -> "Report":
    """Every gradient beside the derivative that SymPy finds, with a verdict for each.

    wrt: the tensors to check; every leaf when left out. Nothing is changed.
    Raises: what `backward` would raise, in PyTorch's words.
    """
    check_tensor("check", tensor)
    check_gradient("check", tensor, gradient)
    from graphlab.symbolic.check import check as prove

    return prove(tensor, wrt=wrt, names=variable_names(caller()), gradient=gradient)


def formula(tensor: Tensor) -> Any:
    """The SymPy expression that the graph of a tensor computes, in the caller's variable names.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> graphlab.formula(x * x + 1)
    x**2 + 1
    """
    check_tensor("formula", tensor)
    from graphlab.symbolic.formula import formula as read

    return read(tensor, names=variable_names(caller()))


def _timeline(tensor: Tensor, gradient: Tensor | None, frame: Any) -> Timeline:
    from graphlab.adapters.recorder import rehearse
    from graphlab.render.bundle import with_scenes

    return with_scenes(rehearse(tensor, gradient, names_in(frame)))


def variable_names(frame: Any) -> dict[int, str]:
    """The caller's names of tensors, by the id of the tensor."""
    names = names_in(frame)
    return {**names.of_leaf, **{id(tensor): name for name, tensor in names.made_by.values()}}


def check_gradient(call: str, tensor: Tensor, gradient: Any) -> None:
    """Raises: TypeError for a gradient that is no tensor, RuntimeError where one is missing."""
    if gradient is None:
        if tensor.requires_grad and tensor.numel() != 1:
            diagonal = call == "trace" and tensor.ndim == 2
            raise RuntimeError(
                "grad can be implicitly created only for scalar outputs: got a tensor of shape "
                f"{list(tensor.shape)}; pass gradient=, a tensor of that shape, or take a sum first"
                + diagonal
                * " (the sum of its diagonal is tensor.trace())"
            )
    elif not isinstance(gradient, Tensor):
        raise TypeError(
            "gradients can be either Tensors or None, but got "
            f"{type(gradient).__name__}; pass graphlab.{call}(e, gradient=graphlab.tensor(...))"
        )


def check_tensor(call: str, tensor: Any) -> None:
    """Raises: TypeError, saying what was received, what was expected, and what to do."""
    if not isinstance(tensor, Tensor):
        shown = repr(tensor)
        shown = shown if len(shown) <= 40 else shown[:39] + "…"
        what = "a tensor or a Timeline" if call == "step" else "a tensor"
        raise TypeError(
            f"graphlab.{call} expects {what}, got {type(tensor).__name__} {shown}; "
            f"pass the result of a formula, as in e = a * b; graphlab.{call}(e)"
        )
