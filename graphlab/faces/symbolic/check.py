"""`check(e)`: does autograd compute the derivative?

For every leaf a check compares three things: SymPy's derivative of the formula that the graph
computes, the formula that the rules give when the backward pass runs on symbols, and the number
that autograd computes. It changes neither `.grad`, nor saved tensors, nor the graph.

    proved      the two formulas are equal, and autograd's number is their value
    agrees      no proof was found, but the numbers agree to many digits at every point tried
    disagrees   at some point the gradient is not the derivative; both values are shown
    undecided   neither was found; the reason is shown

Read next: faces/symbolic/report.py
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphlab.common.errors import GraphFreedError, described
from graphlab.faces.symbolic.budget import DEFAULT, Allowance
from graphlab.faces.symbolic.comparison import Comparison
from graphlab.faces.symbolic.custom_functions import record_functions
from graphlab.faces.symbolic.diagnosis import diagnose
from graphlab.faces.symbolic.diagnosis_slopes import nan_origin
from graphlab.faces.symbolic.elsewhere import told, wrong_elsewhere
from graphlab.faces.symbolic.finite_differences import FLOAT_WORK
from graphlab.faces.symbolic.interpretation import check_masks, float_interpretation, forward
from graphlab.faces.symbolic.live_graph import (
    CannotRerun,
    Subgraph,
    Tensor,
    check_gradient,
    is_freed,
    key,
    key_of,
    require_tensor,
    rerun,
    walk,
    without_hooks,
)
from graphlab.faces.symbolic.problem import CheckedGraph, Problem, by_tensor, read_assumptions
from graphlab.faces.symbolic.report import Report
from graphlab.faces.symbolic.report_rows import after_hooks, report_rows, with_and_without_hooks
from graphlab.faces.symbolic.symbol_names import name_tensors, names_by_id, tensors_in

CHECK_FIRST = (
    " (A check reads the saved tensors too: run the formula again, and check it before its "
    "backward pass.)"
)
STEPS = "{} a rule that is proved by itself (docs/rules.md)"


def check(
    root: Tensor,
    wrt: Tensor | str | Sequence[Tensor | str] | None = None,
    at: Mapping[Any, Any] | None = None,
    names: Mapping[Any, Any] | None = None,
    assume: Mapping[Any, str] | None = None,
    budget: float | None = None,
    gradient: Tensor | None = None,
    yours: Mapping[Any, Any] | None = None,
    is_proved: Callable[[Any], bool] | None = None,
    conditions: Callable[[], Sequence[Any]] = tuple,
) -> Report:
    """Compare every gradient of `root` with its symbolic derivative, and give a verdict on each.

    Arguments and errors: as `graphlab.check`, which names the tensors. names: a name for each
    tensor, by the tensor or its id, or the tensor by its name. is_proved: whether the rule of a
    node is known to be proved; the report mentions it if the graph is too large for a formula.
    conditions: finds those that held when Python took a branch (adapters/native/numbers_read).
    yours: only its tensors are checked; `with_yours` compares its gradients.

    >>> import graphlab as torch
    >>> a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    >>> report = check(a * b, names={a: "a", b: "b"})
    >>> report.ok, report["a"].verdict, report["a"].formula
    (True, 'proved', b)
    """
    allowance = Allowance(DEFAULT if budget is None else checked_budget(budget))
    require_tensor(root, "check")
    entering = check_gradient(0, root, gradient)
    if not root.requires_grad:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    graph = walk(root)
    if is_freed(graph):
        raise GraphFreedError(CHECK_FIRST)
    check_masks(graph, forward, float_interpretation(), allowance.budget(FLOAT_WORK))
    called = names_by_id(names)
    inner = {called[id(t)]: t for t in tensors_in(names) if id(t) in called}
    if not isinstance(yours, Mapping | None):
        raise TypeError(
            "graphlab.check(), yours: expected a dict of tensors or names to your gradients, got "
            f"{described(yours)}"
        )
    asked_for = ("yours", list(yours)) if yours and wrt is None else ("wrt", wrt)
    wanted = targets_of(*asked_for, name_tensors(graph.leaves, called), inner)
    needing = [leaf for leaf in graph.leaves if leaf._needs]  # `detach_` may have changed that
    targets = in_the_order_of(called, needing) if wanted is None else wanted
    named = name_tensors([*graph.leaves, *(t for t in targets if t._node is not None)], called)
    detached = find_detached(graph, tensors_in(names), called)
    check_reached(graph.nodes, root, targets, detached)
    name, values = called.get(id(root), ""), ""
    checked, asked, first_named = CheckedGraph(root, entering, named, name, called), targets, named
    met, made = conditions(), {}
    if at is not None:
        made, targets, named, values = at_other_values(graph, targets, named, at, met)
        root = made[graph.root]
        graph = walk(root)
    record_functions(graph, graph.leaves)
    if at is None:
        checked.recorded = graph
    assumed = read_assumptions(assume, named)
    by_name = {named[tensor]: what for tensor, what in assumed.items()}
    checked.assumed = {t: by_name[n] for t, n in first_named.items() if n in by_name}
    found, plain, changes = with_and_without_hooks(root, entering, graph, targets, named)

    def comparison(part: Subgraph, given: Sequence[Tensor]) -> Comparison:
        problem = Problem(part, tuple(given), entering, assumed=assumed)
        return Comparison(problem, root, named, allowance, detached)

    with without_hooks(graph):
        whole = comparison(graph, graph.leaves)
        if is_proved is not None and all(map(is_proved, graph.nodes)):
            count = len(graph.nodes)
            each = f"each of its {count:,} steps uses" if count > 1 else "its one step uses"
            whole.steps = STEPS.format(each)
        rows = report_rows(whole, [t for t in targets if t._node is None], plain)
        comparisons = [whole]
        for tensor in (t for t in targets if t._node is not None):
            # an inner tensor counts as given: the graph ends there
            part = walk(root, stop=[tensor])
            part.copy_functions(graph)
            comparisons.append(comparison(part, (*part.leaves, tensor)))
            rows |= report_rows(comparisons[-1], [tensor], plain)
        floats = float_interpretation()
        given = {leaf: floats.constant(leaf) for leaf in graph.leaves}
        room = allowance.budget(FLOAT_WORK)
        other = wrong_elsewhere(graph, lambda: forward(graph, given, floats, room), floats)
        rows, diagnosis = told(rows, graph, other), tuple(other)
        if not other and any(row.verdict == "disagrees" for row in rows.values()):
            first = next((c for c in comparisons if c.wrong), whole)
            work = first.rounding.work if first.rounding else 0
            diagnosis = diagnose(first.problem, first.wrong, root, named, work, allowance)
        ran = [one for c in comparisons if c.rounding for one in c.rounding.ran]
        diagnosis = diagnosis or tuple(one.event for one in ran[:1] if one.event)
        numbers = (row.autograd_value for row in rows.values())
        diagnosis = diagnosis or tuple(nan_origin(numbers, graph, root, entering, room))
    rows = after_hooks(rows, found, plain)
    if branch := branch_note(met, made):
        rows = {
            t: replace(r, note="; ".join(filter(None, (branch, r.note)))) for t, r in rows.items()
        }
    pairs = zip(targets, asked, strict=True)
    return Report(
        tuple(replace(rows[tensor], checked=(checked, old)) for tensor, old in pairs),
        name,
        latex={symbol: text for c in comparisons for symbol, text in c.table.latex.items()},
        work=sum(c.work for c in comparisons),
        checked=checked,
        assumed=tuple(assumed[t].text(named[t]) for t in assumed),
        at=values,
        diagnosis=(*diagnosis, *changes),
    )


def in_the_order_of(called: Mapping[int, str], leaves: Sequence[Tensor]) -> list[Tensor]:
    """Return the leaves in the order of the caller's names, then the others."""
    listed = {key: place for place, key in enumerate(called)}
    return sorted(leaves, key=lambda leaf: listed.get(id(leaf), len(listed)))


def checked_budget(budget: Any) -> float:
    """Return the budget. Raises: TypeError or ValueError unless it is a positive, finite number."""
    if isinstance(budget, bool) or not isinstance(budget, int | float | np.number):
        raise TypeError(
            f"graphlab.check(), budget: expected a number of seconds, got {type(budget).__name__}"
        )
    if not 0 < budget < 1e9:
        raise ValueError(
            "graphlab.check(), budget: expected a number of seconds above 0 and below 1e9, got "
            f"{described(budget)}"
        )
    return float(budget)


def targets_of(
    argument: str, wrt: Any, leaves: Mapping[Tensor, str], inner: Mapping[str, Tensor]
) -> list[Tensor] | None:
    """Return the tensors to check; None for every leaf. leaves, inner: those that have names.

    argument: the name of the argument that they were passed as.
    Raises: TypeError, RuntimeError, ValueError.
    """
    if wrt is None:
        return None
    wanted: list[Tensor] = []
    for one in wrt if isinstance(wrt, list | tuple) else [wrt]:
        if not isinstance(one, Tensor | str):
            raise TypeError(
                f"graphlab.check(), {argument}: expected a tensor, its name, or a list of them, "
                f"got {type(one).__name__}; pass the leaves to check, as in wrt=[a, b]"
            )
        if isinstance(one, str) and one not in inner:
            wanted += [tensor for tensor, _ in by_tensor({one: 0}, leaves, argument)]
        else:
            wanted.append(inner[one] if isinstance(one, str) else one)
    for i, tensor in enumerate(wanted):
        if not tensor.requires_grad:
            advice = (
                "make it with requires_grad=True before it is used"
                if tensor.is_floating_point()
                else f"its dtype is {tensor.dtype}, and only floating-point tensors have gradients"
            )
            raise RuntimeError(
                f"One of the differentiated Tensors does not require grad: {argument}[{i}] is a "
                f"constant of the formula; {advice}"
            )
    return wanted


def check_reached(
    nodes: Sequence[Any], root: Tensor, targets: Sequence[Tensor], detached: str = ""
) -> None:
    """Raise a RuntimeError if a target is not in the graph. detached: where the graph was cut."""
    edges = (edge for node in nodes for edge in node._next if edge is not None)
    reached = {key_of(root), *nodes, *map(key, edges)}
    for i, tensor in enumerate(targets):
        if key_of(tensor) not in reached:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph: the tensors in wrt must be those that the checked one was computed from. "
                + (detached[0].upper() + detached[1:] if detached else MAYBE)
            )


# -- at other values: `check(loss, at={x: 0.5})` -------------------------------------------------


def at_other_values(
    graph: Subgraph,
    targets: Sequence[Tensor],
    named: Mapping[Tensor, str],
    at: Mapping[Any, Any],
    conditions: Sequence[Any],
) -> tuple[dict[Any, Tensor], list[Tensor], dict[Tensor, str], str]:
    """Run the graph at other values; return its tensors, targets, names, and the values as text.

    conditions: the branches that Python took; at other values it must take the same ones.
    Raises: TypeError or ValueError.
    """
    leaves = {leaf: named[leaf] for leaf in graph.leaves}
    values = {leaf: value_for(leaf, v, named[leaf]) for leaf, v in by_tensor(at, leaves, "at")}
    try:
        made = rerun(graph, values)
        for one in conditions:
            if not one.holds(made):
                raise CannotRerun(
                    f"it was made on the branch where {one.said}, and there the program takes "
                    "another; run the program at these values, and check its result"
                )
    except CannotRerun as reason:
        raise ValueError(
            f"graphlab.check(), at: the graph cannot run again at other values: {reason}"
        ) from None
    new = {tensor: made[key_of(tensor)] for tensor in named}
    shown = [
        f"{named[leaf]} = {np.asarray(value).item():.6g}"
        for leaf, value in values.items()
        if np.size(value) == 1
    ]
    rest = [f"other values of {named[leaf]}" for leaf, v in values.items() if np.size(v) != 1]
    return (
        made,
        [new[tensor] for tensor in targets],
        {new[tensor]: name for tensor, name in named.items()},
        "at " + ", ".join([*shown, *rest]) if values else "",
    )


def value_for(leaf: Tensor, value: Any, name: str) -> Any:
    """Return a value with the shape and dtype of the leaf. Raises: TypeError, ValueError."""
    data = np.asarray(value._data if isinstance(value, Tensor) else value)
    if data.dtype.kind not in "fiu":
        raise TypeError(
            f"graphlab.check(), at: expected numbers for {name}, got {type(value).__name__}"
        )
    if data.ndim and data.shape != tuple(leaf.shape):
        raise ValueError(
            f"graphlab.check(), at: {name} has shape {list(leaf.shape)}, but its value has "
            f"{list(data.shape)}; pass a value of the same shape, or one number for all entries"
        )
    return np.array(np.broadcast_to(data, tuple(leaf.shape)).astype(leaf._data.dtype))[()]


MOST_CONDITIONS = 3  # that a note names; the others are counted


def branch_note(conditions: Sequence[Any], made: Mapping[Any, Tensor]) -> str:
    """Return a note about the branches that Python took; "" without one. made: other values."""
    if not conditions:
        return ""
    said = [one.said for one in conditions[:MOST_CONDITIONS]]
    if more := len(conditions) - len(said):
        said.append(f"{more} more condition{'s' * (more > 1)} held")
    note = f"Python took the branch where {' and '.join(said)}, and only that branch is checked"
    if any(one.on_edge(made) for one in conditions):
        note += " (the current values lie on its edge, where the slope of the program may jump)"
    return note


# -- where a graph was cut -----------------------------------------------------------------------

# A constant that shares memory with a tensor that needs a gradient was cut off, or is marked as the
# result of detach(). What was calculated under no_grad() or from .item() cannot be found.

SHOWN = 3  # cuts that are named; the others are counted
MAYBE = (
    "If you did use it: detach(), .data, .item(), numpy() and no_grad() cut a graph, so that no "
    "gradient flows through their results"
)


def owner(data: Any) -> int | None:
    """Return the id of the array that owns the memory; None for a scalar, which shares none."""
    if not isinstance(data, np.ndarray):
        return None
    while isinstance(data.base, np.ndarray):
        data = data.base
    return id(data)


def find_detached(graph: Subgraph, known: Iterable[Tensor], called: Mapping[int, str]) -> str:
    """Return a note about the cuts of a graph; "" if none is found.

    known: the caller's tensors, in the graph or not. called: names, by the id of the tensor.
    """
    sources: dict[int | None, str] = {}
    for tensor in (*graph.leaves, *known):
        place = owner(tensor._data) if tensor._needs else None
        if place is not None:
            sources.setdefault(place, called.get(id(tensor), ""))
    found: dict[str, None] = {}  # used as an ordered set
    for node in graph.nodes:
        for constant in node._constants or ():
            if not isinstance(constant, Tensor):
                continue
            if constant.requires_grad:
                name = called.get(id(constant), "a tensor")
                why = f"{name} did not need a gradient yet when {node.name()} was made"
                if constant._more is not None and constant._more.base_needs:
                    why = f"{node.name()} uses {name}, a view that was made without a graph"
                found[why] = None
            elif (name := sources.get(owner(constant._data))) is not None:
                what = name or "a tensor that needs a gradient"
                how = f"{name}.detach() or {name}.data" if name else "detach() or .data"
                note = f"{node.name()} uses the values of {what} as a constant, as {how} gives them"
                found[note] = None
            elif constant._more is not None and constant._more.cut:
                name = called.get(id(constant), "a tensor")
                found[f"{node.name()} uses {name} as a constant, the result of detach()"] = None
    if not found:
        return ""
    shown = list(found)[:SHOWN]
    more = f", and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"the graph is cut here, and no gradient flows: {', '.join(shown)}{more}"
