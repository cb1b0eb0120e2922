"""GraphLab's own six calls: draw, trace, record, step, check, formula.

Each takes a tensor, reads the caller's variables for names, and imports the layer that does the
work. In a notebook they are also cell magics.

Read next: faces/magics.py
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphlab.adapters.variable_names import Names, caller, names_in
from graphlab.faces.argument_checks import check_gradient, check_tensor, shown
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
    """Draw the graph of a tensor as a still picture. Nothing is run, and nothing is changed.

    tensor: a tensor of any shape; its graph may be freed already.
    view: "both" (tensors, operations and gradients; the default), "computation" (the same without
        gradients) or "backward" (grad_fn nodes as PyTorch holds them).
    depth: int >= 1, the level of the scopes that are drawn as one card each; 1 is the outermost.
    scope: str, the name of one scope, such as "net.layer1", to draw its inside only.
        By default, everything is drawn up to 150 nodes; a larger graph is drawn collapsed.

    Returns: a Drawing. It shows itself in a notebook; `.svg`, `.dot`, `.mermaid`, `.text` and
        `.html` are texts, and `.save("g.png")` writes a file.
    Raises: TypeError if `tensor` is not a tensor; ValueError for an unknown view, depth or scope,
        or if both a depth and a scope are given.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> y = x * x
    >>> graphlab.draw(y)
    <Drawing of y: both view, 2 nodes>
    >>> print(graphlab.draw(y).text)
    y = 9.0  MulBackward0  saved self=3.0, other=3.0  [...]
    ├─ 0 x = 3.0  leaf
    └─ 1 x = 3.0  leaf
    """
    check_tensor("draw", tensor)
    return drawing_of(tensor, names_in(caller()), view, depth, scope)


def trace(tensor: Tensor, gradient: Tensor | None = None) -> Any:
    """Rehearse `tensor.backward(gradient)` step by step, without changing anything.

    Every `.grad`, the saved tensors and the graph stay as they are. Hooks that may change a
    gradient are run.

    A matrix without a graph has no backward pass: of it, `trace` returns the sum of the diagonal,
    as PyTorch's function of this name does. Of any matrix that sum is `matrix.trace()`.

    tensor: a tensor that requires a gradient; of one entry, unless `gradient` is given.
    gradient: a tensor of the shape of `tensor`, the gradient that enters; default 1.

    Returns: a Timeline of events: `len(timeline)`, `timeline[k]`, `timeline.state_at(k)`. In a
        notebook it shows itself as a player that needs no kernel; `.save("walk.html")` writes it.
    Raises: TypeError if an argument is not a tensor; otherwise what `backward` would raise, with
        PyTorch's message.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> timeline = graphlab.trace(x * x)
    >>> timeline[-1].kind, x.grad
    ('Finished', None)
    """
    check_tensor("trace", tensor)
    if tensor.ndim == 2 and tensor.grad_fn is None and gradient is None:
        return tensor.trace()
    return timeline_of(tensor, gradient, names_in(caller()))


def step(tensor: "Tensor | Timeline", gradient: Tensor | None = None) -> "Stepper":
    """Show a backward pass in a live widget, whose position Python can read and set.

    tensor: a tensor, whose backward pass is rehearsed as in `trace`, or a Timeline. For a tensor,
        the widget says after each cell whether its variable was reassigned or changed in place.
    gradient: a tensor of the shape of `tensor`, the gradient that enters; default 1. A Timeline
        takes none.

    Returns: a Stepper: `.step` is the index of the event shown.
    Raises: as `trace`; TypeError for a gradient with a Timeline.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> stepper = graphlab.step(x * x)
    >>> stepper.step = 4
    >>> stepper
    <Stepper of x * x: event 4 of 0 to 13: ...>
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

    It records backward passes, also those that fail, cleared gradients, changes in place and the
    steps of optimizers. The block runs as it would without it, and its errors are raised as usual.

    Takes no arguments, and is not a decorator.
    Returns: a context manager, whose `with` gives a Timeline. The Timeline can be looked at in the
        block or after it.
    Raises: TypeError if it is given an argument; RuntimeError if a recording of this thread is
        open, or if this one was used before.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> with graphlab.record() as timeline:
    ...     (x * x).backward()
    >>> timeline[-1].kind, x.grad
    ('Finished', tensor(6.))
    """
    from graphlab.adapters.recorded_timeline import timeline_of
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
    """Compare every gradient with the derivative that SymPy computes, with a verdict for each.

    Nothing is changed.

    tensor: a tensor that requires a gradient; of one entry, unless `gradient` is given.
    wrt: a tensor or a list of tensors to check; default every leaf.
    at: dict of tensors or names to the values to check at, such as {"x": 0.5}; default their
        present values.
    names: dict of tensors to names; default the names of the caller's variables.
    assume: dict of tensors or names to "positive", "negative", "nonnegative", "nonpositive",
        "nonzero" or "integer".
    budget: float, how much work the check may do, about in seconds of an ordinary computer; the
        work is counted, so the verdict is the same on every computer. Default 5.
    gradient: a tensor of the shape of `tensor`, the gradient that enters; default 1.

    Returns: a Report with a row for each gradient: symbolic, autograd, verdict.
    Raises: TypeError if an argument is of the wrong type; otherwise what `backward` would raise,
        with PyTorch's message.

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
        held=tensors_of(frame.f_locals),
        assume=assume,
        budget=budget,
    )


def formula(tensor: Tensor, form: str = "expression") -> Any:
    """Read the formula that the graph of a tensor computes, in the caller's variable names.

    tensor: a tensor that was computed from leaves.
    form: "expression" (the default), or the text of it: "latex", "sympy" or "numpy".

    Returns: a SymPy expression, an array of them for a tensor of several entries, or a str.
    Raises: TypeError if `tensor` is not a tensor; ValueError for an unknown form, or if the formula
        is too large or cannot be written.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> graphlab.formula(x * x + 1)
    x**2 + 1
    """
    check_tensor("formula", tensor)
    from graphlab.faces.symbolic.formula import formula as read

    return read(tensor, names=variable_names(names_in(caller())), form=form)


# -- the same for the magics, which know the names -----------------------------------------------


def drawing_of(
    tensor: Tensor, names: Names, view: "View", depth: int | None, scope: str | None
) -> "Drawing":
    """`draw` with known names."""
    from graphlab.adapters.native import graph_of
    from graphlab.faces.render.drawing import Drawing

    return Drawing(graph_of(tensor, names), view=view, depth=depth, scope=scope)


def timeline_of(
    tensor: Tensor, gradient: Tensor | None, names: Names, call: str = "trace"
) -> Timeline:
    """`trace` with known names. The pictures are drawn when they are first used."""
    check_gradient(call, tensor, gradient)
    from graphlab.adapters.rehearsal import rehearse
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
    """`check` with known names.

    named: the names that the caller passed. held: tensors of the caller's variables, among which
    detached ones are found.
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


def tensors_of(variables: Mapping[str, Any]) -> list[Tensor]:
    """The tensors that variables hold."""
    return [value for value in list(variables.values()) if isinstance(value, Tensor)]


def variable_names(names: Names) -> dict[int, str]:
    """The names of tensors, by id."""
    return {**names.of_leaf, **{id(tensor): name for name, tensor in names.made_by.values()}}
