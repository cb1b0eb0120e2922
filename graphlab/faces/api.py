"""The six calls of GraphLab's own: draw, trace, record, step, check, formula.

Each takes a tensor, looks at the caller's variables for names, and hands over to the part of the
house that does the work, which is loaded only then. In a notebook they are cell magics, too.

Read next: faces/magics.py
"""

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlab.adapters.names import Names, caller, names_in
from graphlab.graph.timeline import Timeline
from graphlab.tensor.tensor import Tensor

if TYPE_CHECKING:
    from graphlab.adapters.recording import Recording
    from graphlab.faces.render.drawing import Drawing
    from graphlab.faces.symbolic.check import Report
    from graphlab.faces.widgets.stepper import Stepper
    from graphlab.graph.scene import View


def draw(
    tensor: Tensor, view: "View" = "both", depth: int | None = None, scope: str | None = None
) -> "Drawing":
    """The graph behind a tensor as a picture; nothing is run, nothing is changed.

    view: "both" (tensors and operations, with gradients), "computation" (without gradients),
    "backward" (grad_fn nodes as PyTorch holds them). The result shows itself in a notebook and
    has `.svg`, `.dot`, `.text` and `.save("g.svg")`. A freed graph can still be drawn.
    depth: scopes of that level are one card each: 1, the outermost. scope: the inside of one,
    "net.layer1". Else all is drawn up to 150 nodes, and more than that collapsed.
    Raises: TypeError when it is no tensor, ValueError for an unknown view, depth or scope.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> y = x * x
    >>> "MulBackward0" in graphlab.draw(y).svg
    True
    """
    check_tensor("draw", tensor)
    return drawing_of(tensor, names_in(caller()), view, depth, scope)


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
    return timeline_of(tensor, gradient, names_in(caller()))


def step(tensor: "Tensor | Timeline", gradient: Tensor | None = None) -> "Stepper":
    """The live widget that walks a backward pass: its `step` follows the player, and leads it.

    tensor: a tensor, or a Timeline that `trace` gave. Of a tensor the widget says, after a cell has
    run, when a variable holds another one, or it was changed in place.
    """
    from graphlab.faces.widgets.stepper import Stepper

    if isinstance(tensor, Timeline):
        if gradient is not None:
            raise TypeError(
                f"graphlab.step(timeline) takes no gradient=, got {type(gradient).__name__}: the "
                "timeline was recorded with its own; give it to graphlab.trace(e, gradient=...)"
            )
        return Stepper(tensor)
    check_tensor("step", tensor)
    from graphlab.adapters.staleness import watch

    frame = caller()
    return Stepper(timeline_of(tensor, gradient, names_in(frame), "step"), watch(tensor, frame))


def record(*received: Any) -> "Recording":
    """Record what really happens in a block: `with graphlab.record() as timeline:`.

    Backward passes (several, also failing ones), cleared gradients, changes in place, steps of an
    optimizer. Nothing is rehearsed, and nothing is different for the program. The Timeline can be
    looked at after the block, or in it; a failing pass ends it, and its error goes on to you. It
    takes nothing, and is no decorator: a function has nowhere to put the Timeline.
    Raises: TypeError when it is given something; RuntimeError when a recording of this thread is
    open already, or was used before.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> with graphlab.record() as timeline:
    ...     (x * x).backward()
    >>> timeline[-1].kind, x.grad
    ('Finished', tensor(6.))
    """
    from graphlab.adapters.chapters import timeline_of
    from graphlab.adapters.recording import NO_FUNCTION, WRITE, Recording

    if received:
        only = received[0]
        if callable(only):
            raise TypeError(NO_FUNCTION)
        raise TypeError(f"graphlab.record() takes nothing, got {shown(only)}; {WRITE}")

    def draw(timeline: Timeline) -> Timeline:
        from graphlab.faces.render.bundle import with_scenes

        return with_scenes(timeline)

    return Recording(timeline_of, draw)


def check(
    tensor: Tensor,
    wrt: "list[Tensor] | Tensor | None" = None,
    at: Mapping[Any, Any] | None = None,
    names: Mapping[Any, Any] | None = None,
    assume: Mapping[Any, str] | None = None,
    budget: float | None = None,
    gradient: Tensor | None = None,
) -> "Report":
    """Every gradient beside the derivative that SymPy finds, with a verdict for each.

    wrt: the tensors to check; every leaf when left out. at: values to check at in place of the
    current ones, by tensor or name: {"x": 0.5}. names: what tensors are called, where that is not
    the name of their variable. assume: what holds of values, {"x": "positive"}; also "negative",
    "nonnegative", "nonpositive", "nonzero", "integer". budget: seconds, 5 when left out, after
    which the verdict is what is known by then. gradient: what flows in, for several entries.
    Nothing is changed. Raises: what `backward` would raise, in PyTorch's words.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> print(graphlab.check(x * x, at={"x": 5.0}))
    1 of 1 gradient proved, at x = 5
    <BLANKLINE>
       ∂f/∂  symbolic  autograd  verdict
    x  2*x   10        10        ✓ proved
    """
    check_tensor("check", tensor)
    frame = caller()
    return report_of(
        tensor,
        wrt,
        gradient,
        names_in(frame),
        at=at,
        named=names,
        held=held_by(frame.f_locals),
        assume=assume,
        budget=budget,
    )


def formula(tensor: Tensor, form: str = "expression") -> Any:
    """The SymPy expression that the graph of a tensor computes, in the caller's variable names.

    form: "latex", "sympy" or "numpy" for text to copy instead.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> graphlab.formula(x * x + 1)
    x**2 + 1
    """
    check_tensor("formula", tensor)
    from graphlab.faces.symbolic.formula import formula as read

    return read(tensor, names=variable_names(names_in(caller())), form=form)


# -- the same, for names that are at hand ----------------------------------------------------------


def drawing_of(
    tensor: Tensor, names: Names, view: "View", depth: int | None, scope: str | None
) -> "Drawing":
    """The graph behind a tensor as a picture."""
    from graphlab.adapters.native import graph_of
    from graphlab.faces.render.drawing import Drawing

    return Drawing(graph_of(tensor, names), view=view, depth=depth, scope=scope)


def timeline_of(
    tensor: Tensor, gradient: Tensor | None, names: Names, call: str = "trace"
) -> Timeline:
    """A rehearsal of a backward pass; its pictures are drawn when they are looked at."""
    check_gradient(call, tensor, gradient)
    from graphlab.adapters.recorder import rehearse
    from graphlab.faces.render.bundle import with_scenes

    walk = rehearse(tensor, gradient, names)
    return Timeline.later(lambda: walk, with_scenes)


def report_of(
    tensor: Tensor,
    wrt: "list[Tensor] | Tensor | None",
    gradient: Tensor | None,
    names: Names,
    named: Mapping[Any, Any] | None = None,
    held: Sequence[Tensor] = (),
    **more: Any,
) -> "Report":
    """Every gradient beside its derivative. named: the names that the caller gives besides.

    held: tensors of the caller's; what was detached from them is found.
    """
    check_gradient("check", tensor, gradient)
    from graphlab.adapters.native import graph_of
    from graphlab.adapters.proofs import PROVED, proof_of
    from graphlab.faces.symbolic.check import check as prove
    from graphlab.faces.symbolic.symbol_names import names_by_id

    called: dict[Any, str] = {**variable_names(names), **names_by_id(named)}
    known = [*held, *(inner for _, inner in names.made_by.values())]
    called |= {t: called[id(t)] for t in known if id(t) in called}
    more["is_proved"] = lambda node: proof_of(node) == PROVED
    report = prove(tensor, wrt=wrt, names=called, gradient=gradient, **more)
    report.checked.inner = {key: name for key, (name, _) in names.made_by.items()}
    report.checked.copy = lambda: graph_of(tensor, names)
    return report


def held_by(scope: Mapping[str, Any]) -> list[Tensor]:
    """The tensors that variables hold."""
    return [value for value in list(scope.values()) if isinstance(value, Tensor)]


def variable_names(names: Names) -> dict[int, str]:
    """The names of tensors, by the id of the tensor."""
    return {**names.of_leaf, **{id(tensor): name for name, tensor in names.made_by.values()}}


def check_gradient(call: str, tensor: Tensor, gradient: Any) -> None:
    """Raises: TypeError for a gradient that is no tensor, RuntimeError where there is none."""
    check_graph(call, tensor)
    if gradient is None:
        if tensor.numel() != 1:
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


def check_graph(call: str, tensor: Tensor) -> None:
    """Raises: RuntimeError, with PyTorch's sentence, when no gradient can flow back from it."""
    if tensor.requires_grad:
        return
    if tensor._data.dtype.kind != "f":
        advice = (
            f"got a tensor of dtype {tensor.dtype}, and only floating-point tensors can require a "
            "gradient; write graphlab.tensor(3., requires_grad=True)"
        )
    else:
        advice = (
            "nothing was recorded that leads to it; make what it is computed from with "
            "requires_grad=True, outside no_grad() and without detach(), and graphlab."
            f"{call} the result"
        )
    raise RuntimeError(
        f"element 0 of tensors does not require grad and does not have a grad_fn: {advice}"
    )


def check_tensor(call: str, tensor: Any) -> None:
    """Raises: TypeError, saying what was received, what was expected, and what to do."""
    if not isinstance(tensor, Tensor):
        what = "a tensor or a Timeline" if call == "step" else "a tensor"
        raise TypeError(
            f"graphlab.{call} expects {what}, got {shown(tensor)}; {advice_for(call, tensor)}"
        )


def shown(thing: Any) -> str:
    """The type of what was received, and the beginning of what it says of itself."""
    text = " ".join(repr(thing).split())
    return f"{type(thing).__name__} {text if len(text) <= 40 else text[:39] + '…'}"


def advice_for(call: str, thing: Any) -> str:
    """What to pass in the place of `thing`."""
    kind = type(thing)
    if thing is None:
        return "backward() gives None: pass the tensor that it is called on"
    if isinstance(thing, Number | np.number):
        return "a number has no graph: .item() and float() leave it behind; pass the tensor"
    if isinstance(thing, np.ndarray):
        return "an array has no graph: compute with graphlab.tensor(array, requires_grad=True)"
    if isinstance(thing, str):
        return "pass the tensor itself, without quotation marks"
    if isinstance(thing, list | tuple | dict):
        return "pass one tensor at a time, or their sum"
    if isinstance(thing, Timeline):
        return {
            "trace": "it is a walk already, and shows itself; graphlab.step(timeline) is live",
            "draw": "pass the tensor that was walked, or save the walk: timeline.save('walk.svg')",
        }.get(call, "pass the tensor that was walked")
    if kind.__module__.partition(".")[0] == "torch":
        return "this is PyTorch's own tensor; compute with GraphLab's: import graphlab as torch"
    if kind.__name__ == "Recording":
        return "the block gives the Timeline: with graphlab.record() as timeline:"
    if hasattr(thing, "named_parameters"):
        return "a module is no result: pass what it computes, as in loss = net(x).sum()"
    if hasattr(thing, "next_functions"):
        return "a node is no result: pass the tensor that it made"
    if callable(thing):
        return "call it, and pass what it gives"
    return f"pass the result of a formula, as in e = a * b; graphlab.{call}(e)"
