"""The calls of api.py when the tensors' names are known, for GraphLab's tensors and PyTorch's.

Read next: faces/argument_checks.py
"""

from collections.abc import Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

from graphlab.adapters.namespace import Variables, is_tensor
from graphlab.adapters.native.variable_names import Names, names_of, scopes_of
from graphlab.adapters.pytorch.accessors import is_tensor as is_pytorchs
from graphlab.common.output import captured
from graphlab.faces.argument_checks import check_gradient, check_tensor, roots_of
from graphlab.graph.timeline import Timeline
from graphlab.tensor.tensor import Tensor

if TYPE_CHECKING:
    from graphlab.faces.render.drawing import Drawing
    from graphlab.faces.render.two_graphs import Comparison
    from graphlab.graph.scene import View

WHO_CHANGED_IT = (
    "record() shows the line that changed it: run the formula and its backward() inside "
    "`with graphlab.record(expect=RuntimeError) as walk:`, then show `walk`."
)


def names_for(tensor: Any, frame: FrameType) -> Any:
    """Return the names of the tensors in a frame's variables, from the library of `tensor`."""
    return names_among(tensor, *scopes_of(frame))


def names_among(tensor: Any, *scopes: Mapping[str, Any]) -> Any:
    """Return the names of the tensors among variables, from the library of `tensor`."""
    if not is_pytorchs(tensor[0] if isinstance(tensor, list | tuple) and tensor else tensor):
        return names_of(*scopes)
    from graphlab.adapters.pytorch.module_calls import pytorch

    return Variables(pytorch(), *scopes)


def drawing_of(
    tensor: Any,
    names: Any,
    view: "View",
    depth: int | None,
    scope: str | None,
    width: float = 920,
) -> "Drawing":
    """`draw` with known names."""
    roots = roots_of(tensor)
    if is_pytorchs(roots[0]):
        from graphlab.adapters.pytorch.rehearsal import graph_of
    else:
        from graphlab.adapters.native.graph_copy import graph_of
    from graphlab.faces.render.drawing import Drawing

    graph = graph_of(roots[0], names, *roots[1:])
    return Drawing(graph, view=view, depth=depth, scope=scope, width=width)


def timeline_of(
    tensor: Any, gradient: Any, names: Any, call: str = "trace", place: str = ""
) -> Timeline:
    """`trace` with known names. The pictures are drawn when they are first used."""
    check_gradient(call, tensor, gradient, place)
    if is_pytorchs(tensor):
        from graphlab.adapters.pytorch.rehearsal import rehearse
    else:
        from graphlab.adapters.native.rehearsal import rehearse
    from graphlab.faces.render.bundle import with_scenes

    try:
        walk = rehearse(tensor, gradient, names)
    except RuntimeError as error:
        if "inplace operation" in str(error):
            error.add_note(WHO_CHANGED_IT)
        raise
    return Timeline.later(lambda: walk, with_scenes)


def staleness_of(tensor: Any, frame: FrameType) -> Any:
    """Return what tells a widget that its variable was reassigned; None for a PyTorch tensor."""
    if is_pytorchs(tensor):
        return None
    from graphlab.adapters.native.variable_names import watch

    return watch(tensor, frame)


def comparison_of(
    one: Any,
    other: Any,
    names_of_one: Any,
    names_of_other: Any,
    variables: Mapping[str, Any] | None = None,
) -> "Comparison":
    """`compare` with known names. variables: the caller's, among which the timelines may be."""
    from graphlab.adapters.native.unreached import detached_inputs
    from graphlab.faces.render.two_graphs import Comparison

    timelines: list[Timeline] = []
    known: list[dict[str, str]] = []
    pairs = ("first", one, names_of_one), ("second", other, names_of_other)
    for place, thing, names in pairs:
        if isinstance(thing, Timeline):
            timelines.append(thing)
            known.append({})
            continue
        check_tensor("compare", thing, place)
        timelines.append(timeline_of(thing, None, names, "compare", place))
        known.append({} if is_pytorchs(thing) else detached_inputs(thing, names))
    names = variable_of(one, variables or {}), variable_of(other, variables or {})
    return Comparison(timelines[0], timelines[1], (known[0], known[1]), names)


def variable_of(thing: Any, variables: Mapping[str, Any]) -> str:
    """Return the first of the user's variables that holds an object; "" if there is none."""
    held = (name for name, value in variables.items() if value is thing)
    own = (name for name in held if type(name) is str and not name.startswith(("_", "@")))
    return next(own, "")


def report_of(
    tensor: Any,
    wrt: Any,
    gradient: Any,
    names: Any,
    named: Mapping[Any, Any] | None = None,
    held: Sequence[Tensor] = (),
    **more: Any,
) -> Any:
    """`check` with known names.

    named: the names that the caller passed. held: the tensors in the caller's variables, among
    which detached ones are found.
    """
    check_gradient("check", tensor, gradient)
    quiet = captured("stdout")  # what the caller's Functions and hooks print
    if is_pytorchs(tensor):
        from graphlab.faces.pytorch_report import report_of_pytorch

        unused = [name for name in ("at", "assume", "yours") if more.get(name)]
        if unused := unused + ["names"] * bool(named):
            raise TypeError(
                f"graphlab.check of a PyTorch tensor takes no {unused[0]}=: it compares the "
                "numbers of this pass; compute the loss at other values, or with GraphLab, and "
                "check that"
            )
        with quiet:
            return report_of_pytorch(tensor, wrt, gradient, names, more.get("budget"))
    from graphlab.adapters.native.graph_copy import graph_of
    from graphlab.adapters.native.numbers_read import conditions_of
    from graphlab.adapters.proofs import PROVED, proof_of
    from graphlab.faces.symbolic.check import check as prove
    from graphlab.faces.symbolic.report_rows import with_yours
    from graphlab.faces.symbolic.symbol_names import names_by_id

    called: dict[Any, str] = {**variable_names(names, tensor), **names_by_id(named)}
    known = [*held, *(inner for _, inner in names.made_by.values())]
    called |= {t: called[id(t)] for t in known if id(t) in called}
    more["is_proved"] = lambda node: proof_of(node) == PROVED
    more["conditions"] = lambda: conditions_of(tensor, names)
    with quiet:
        report = prove(tensor, wrt=wrt, names=called, gradient=gradient, **more)
    report.checked.inner = {key: name for key, (name, _) in names.made_by.items()}
    report.checked.copy = lambda: graph_of(tensor, names)
    return with_yours(report, more.get("yours") or {})


def tensors_of(variables: Mapping[str, Any]) -> list[Tensor]:
    """Return the tensors among the values of variables."""
    return [value for value in list(variables.values()) if is_tensor(value)]


def variable_names(names: Names, root: Tensor) -> dict[int, str]:
    """Return the names of the tensors in the graph of `root`, by id.

    A leaf that no variable holds has the name by which the code calls it, as in pictures.
    """
    from graphlab.adapters.native.graph_copy import copy_of
    from graphlab.adapters.native.graph_walk import nodes_of, users_of_leaves

    found = {**names.of_leaf, **{id(tensor): name for name, tensor in names.made_by.values()}}
    if not {*map(id, users_of_leaves(nodes_of(root)))} <= found.keys():
        copied = copy_of(root, names, whole=False)
        for one, leaf in copied.tensors_by_id().items():
            if copied.infos[one].guessed:
                found.setdefault(id(leaf), copied.label(one))
    return found
