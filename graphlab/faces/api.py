"""GraphLab's own eight calls: draw, trace, record, step, explore, compare, check, formula.

Most take a tensor, name tensors after the caller's variables, and import the module that does the
work. In a notebook, draw, trace, record and check are also cell magics.

Read next: faces/magics.py
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphlab.adapters.native.variable_names import caller, local_variables, names_in
from graphlab.common.output import captured
from graphlab.faces.argument_checks import check_flag, check_gradient, check_record, check_tensor
from graphlab.faces.named_calls import (
    comparison_of,
    drawing_of,
    names_for,
    report_of,
    staleness_of,
    tensors_of,
    timeline_of,
    variable_names,
)
from graphlab.graph.timeline import Timeline
from graphlab.tensor.tensor import Tensor

if TYPE_CHECKING:
    from graphlab.adapters.native.recording import Recording
    from graphlab.faces.render.drawing import Drawing
    from graphlab.faces.render.two_graphs import Comparison
    from graphlab.faces.symbolic.check import Report
    from graphlab.faces.widgets.explorer import Explorer
    from graphlab.faces.widgets.stepper import Stepper
    from graphlab.graph.scene import View


def draw(
    tensor: Tensor | Sequence[Tensor],
    view: "View" = "both",
    depth: int | None = None,
    scope: str | None = None,
    width: float = 920,
) -> "Drawing":
    """Draw the graph of a tensor as a still picture. Nothing is run, and nothing is changed.

    tensor: a tensor of any shape, or a list of them; their graph may be freed already.
    view: "both" (tensors, operations and gradients; the default), "computation" (the same without
        gradients) or "backward" (grad_fn nodes as PyTorch holds them).
    depth: int >= 1, the level of the scopes that are drawn as one card each; 1 is the outermost.
    scope: str, the name of one scope, such as "net.layer1", to draw its inside only.
        By default, a graph of more than 150 nodes, or whose picture would be higher than three
        windows, is drawn as cards, which open by a click.
    width: float >= 300, the pixels of a row, into which a wider picture is wrapped; `math.inf`: all
        in one row. The default fits a cell of JupyterLab in its first window.

    Returns: a Drawing. It shows itself in a notebook; `.svg`, `.dot`, `.mermaid`, `.text` and
        `.html` are texts, and `.save("g.png")` writes a file.
    Raises: TypeError if `tensor` is not a tensor; RuntimeError if it has no graph; ValueError for
        an unknown view, depth, scope or width, or if both a depth and a scope are given.

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
    return drawing_of(tensor, names_for(tensor, caller()), view, depth, scope, width)


def trace(tensor: Tensor, gradient: Tensor | None = None, *, forward: bool = False) -> Any:
    """Rehearse `tensor.backward(gradient)` step by step, without changing anything.

    Every `.grad`, the saved tensors and the graph stay as they are. Hooks that may change a
    gradient run, but only those on GraphLab's own tensors.

    A matrix without a graph has no backward pass: for it, `trace` returns the sum of its diagonal,
    as PyTorch's function of this name does. `matrix.trace()` returns that sum for any matrix.

    tensor: a tensor that requires a gradient; of one entry, unless `gradient` is given.
    gradient: a tensor of the shape of `tensor`, the gradient that enters; default 1.
    forward: bool, whether the walk begins with the forward pass: each operation in the order in
        which it ran, with its value, and what it saves and why. A player can add it later, too.

    Returns: a Timeline of events: `len(timeline)`, `timeline[k]`, `timeline.state_at(k)`. In a
        notebook it shows itself as a player that needs no kernel; `.save("walk.html")` writes the
        player to a file.
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
    walk = timeline_of(tensor, gradient, names_for(tensor, caller()))
    return walk.with_forward(check_flag(forward))


def step(
    tensor: "Tensor | Timeline", gradient: Tensor | None = None, *, forward: bool | None = None
) -> "Stepper":
    """Show a backward pass in a live widget, whose position Python can read and set.

    tensor: a tensor, whose backward pass is rehearsed as in `trace`, or a Timeline. For a tensor,
        the widget says after each cell whether its variable was reassigned or changed in place.
    gradient: a tensor of the shape of `tensor`, the gradient that enters; default 1. A Timeline
        takes none.
    forward: bool, whether the walk begins with the forward pass, as in `trace`. The button
        "Forward" changes it. Default: as the Timeline has it; for a tensor, False.

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
        walk, stale = tensor, None
    else:
        check_tensor("step", tensor)
        frame = caller()
        walk = timeline_of(tensor, gradient, names_for(tensor, frame), "step")
        stale = staleness_of(tensor, frame)
    return Stepper(walk if forward is None else walk.with_forward(check_flag(forward)), stale)


def explore(
    function: Callable[..., Tensor], /, *, gradient: Tensor | None = None, **values: Any
) -> "Explorer":
    """Vary the arguments of a function with sliders, and see its graph and every gradient follow.

    The function runs again at each change, so its graph may change: an `if` takes the other branch,
    a loop runs once more. Nodes that remain in the graph keep their places.

    function: takes the values as keyword arguments, and returns the tensor to walk; of one entry,
        unless `gradient` is given. What it prints is shown. If it fails, its error is shown and the
        last picture stays.
    gradient: a tensor of the shape of the result, the gradient that enters; default 1.
    values: the first values, by name. A float becomes a leaf of this name, with a slider; (2.0, -5,
        5) sets its range, (2.0, -5, 5, 0.5) its step too. An array, a list or a tensor becomes a
        leaf with a slider for each entry, up to 6; a tensor that requires no gradient stays a
        constant. An int stays an int, for a loop; True or False becomes a checkbox. If none is
        given, the defaults of the function's arguments are the first values; a default that cannot
        vary, such as "mean" or the kernel size (3, 3), stays as it is.

    Returns: an Explorer, which shows itself in a notebook. `.values` can be set and observed;
        `.result` is the latest tensor, `.timeline` its Timeline, `.problem` says why there is none.
    Raises: TypeError if `function` is not a function or cannot be called with these values, or if a
        value cannot vary; ValueError for a range that does not contain its value.

    >>> import graphlab
    >>> def f(a, b):
    ...     return a * b if a > 0 else -b
    >>> explorer = graphlab.explore(f, a=2.0, b=3.0)
    >>> explorer
    <Explorer of f: a = 2.0, b = 3.0; result 6.0>
    >>> explorer.values = {"a": -1.0}
    >>> explorer.result
    tensor(-3., grad_fn=<NegBackward0>)
    """
    from graphlab.faces.exploring import explorer_of

    return explorer_of(function, gradient, values)


def record(
    *received: Any,
    forward: bool = False,
    expect: type[Exception] | tuple[type[Exception], ...] | None = None,
) -> "Recording":
    """Record what really happens in a block: `with graphlab.record() as timeline:`.

    It records backward passes, also those that fail, cleared gradients, changes in place and the
    steps of optimizers. The block runs as it would without it, and its errors are raised as usual.

    forward: bool, whether each backward pass is shown after its forward pass: the operations that
        it visits and that no earlier pass visited, with the values that they had then. Operations
        that no backward pass visits are not shown. A player can add it later, too.
    expect: a class of errors, such as RuntimeError, or a tuple of them: the block is meant to end
        with one. It is not raised, and `timeline.error` is that error; another error is raised as
        usual. If there is none, the block fails with an AssertionError, as a test does.

    received: must be empty: `record` takes no function, and is not a decorator.
    Returns: a context manager, whose `with` gives a Timeline. The Timeline can be read in the block
        or after it.
    Raises: TypeError if it is given an argument, or `expect` is not a class of errors; RuntimeError
        if a recording of this thread is open, or if this one was used before; AssertionError if the
        block ends without the expected error.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> with graphlab.record() as timeline:
    ...     (x * x).backward()
    >>> timeline[-1].kind, x.grad
    ('Finished', tensor(6.))
    >>> y = x * x
    >>> with graphlab.record(expect=RuntimeError) as timeline:
    ...     y.backward()
    ...     y.backward()
    >>> str(timeline.error)[:56]
    'Trying to backward through the graph a second time (or d'
    """
    from graphlab.adapters.native.recording import Recording
    from graphlab.adapters.recorded_timeline import timeline_of

    on, expected = check_record(received, forward, expect)

    def draw(timeline: Timeline) -> Timeline:
        from graphlab.faces.render.bundle import with_scenes

        return with_scenes(timeline)

    return Recording(lambda noted: timeline_of(noted).with_forward(on), draw, expected)


def compare(one: "Tensor | Timeline", other: "Tensor | Timeline") -> "Comparison":
    """Show two backward passes side by side, and what differs between them.

    It answers: why does my gradient differ from the solution's? Nodes are matched by structure, and
    leaves by name, or else by use and value. Both passes are rehearsed as in `trace`: only hooks
    on GraphLab's tensors run, and nothing else is changed. Floats agree within 1e-4 of their size
    (float16: 2e-3).

    one, other: tensors whose backward passes are compared, or Timelines. If recordings have several
        passes, the first pass that differs is shown.

    Returns: a Comparison. It shows itself in a notebook; `.same` says whether nothing differs,
        `.differences` are records with a sentence each, and `.save("two.html")` writes a page.
    Raises: TypeError if one of them is neither a tensor nor a Timeline; ValueError if nothing was
        recorded in a Timeline; otherwise what `backward` would raise, with PyTorch's message.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> comparison = graphlab.compare(x * x, x.detach() * x)
    >>> comparison.same, len(comparison)
    (False, 1)
    >>> print(comparison[0])
    In the first graph, 2 gradients arrive at x and are summed (3.0 + 3.0); in the second, the use
    in line 1 was cut off by detach(), so only 3.0 arrives.
    """
    frame = caller()
    variables = {**frame.f_globals, **frame.f_locals}
    return comparison_of(one, other, names_for(one, frame), names_for(other, frame), variables)


def check(
    tensor: Tensor,
    wrt: "list[Tensor | str] | Tensor | str | None" = None,
    at: Mapping[Any, Any] | None = None,
    names: Mapping[Any, Any] | None = None,
    assume: Mapping[Any, str] | None = None,
    budget: float | None = None,
    gradient: Tensor | None = None,
    yours: Mapping[Any, Any] | None = None,
) -> "Report":
    """Compare every gradient with the derivative that SymPy computes, and give a verdict on each.

    Nothing is changed, but hooks on GraphLab's tensors run as in a backward pass.

    tensor: a tensor that requires a gradient; of one entry, unless `gradient` is given.
    wrt: a tensor, its name, or a list of them to check; default every leaf.
    at: dict of tensors or names to the values to check at, such as {"x": 0.5}; default their
        current values.
    names: dict of tensors to names; default the names of the caller's variables.
    assume: dict of tensors or names to "positive", "negative", "nonnegative", "nonpositive",
        "nonzero" or "integer".
    budget: float, how much work the check may do, roughly in seconds on an ordinary computer; the
        work is counted, so the verdict is the same on every computer. Default 5.
    gradient: a tensor of the shape of `tensor`, the gradient that enters; default 1.
    yours: dict of tensors or names to the gradients that you derived by hand, as tensors, arrays or
        numbers: the report says which are right, and what is wrong with the others. Default none.

    If `tensor` is PyTorch's, each step of the pass is compared with GraphLab's rule for the same
    operation, applied to what PyTorch saved; a small formula is also checked as a whole. `at`,
    `names`, `assume` and `yours` cannot be given then.

    Returns: a Report with a row for each gradient: symbolic, autograd, verdict; for a PyTorch
        tensor a PyTorchReport.
    Raises: TypeError if an argument is of the wrong type; otherwise what `backward` would raise,
        with PyTorch's message.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> graphlab.check(x * x, at={"x": 5.0}).rows[0]
    x: ✓ proved
      ∂f/∂x     2*x
      symbolic  10
      autograd  10
    """
    check_tensor("check", tensor)
    frame = caller()
    return report_of(
        tensor,
        wrt,
        gradient,
        names_for(tensor, frame),
        at=at,
        named=names,
        held=tensors_of(local_variables(frame)),
        assume=assume,
        budget=budget,
        yours=yours,
    )


def formula(tensor: Tensor, form: str = "expression") -> Any:
    """Return the formula that the graph of a tensor computes, in the caller's variable names.

    tensor: a tensor that was computed from leaves.
    form: "expression" (the default), or "latex", "sympy" or "numpy" for its text.

    Returns: a SymPy expression, an array of them for a tensor of several entries, or a str.
    Raises: TypeError if `tensor` is not a tensor; RuntimeError if it has no graph; ValueError for
        an unknown form, or if the formula is too large or cannot be written.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> graphlab.formula(x * x + 1)
    x**2 + 1
    """
    check_tensor("formula", tensor)
    if not tensor.requires_grad:
        check_gradient("formula", tensor, None)  # raises: there is no graph
    from graphlab.faces.symbolic.formula import formula as read

    names = variable_names(names_in(caller()), tensor)
    with captured("stdout"):  # what the caller's Functions print
        return read(tensor, names=names, form=form)
