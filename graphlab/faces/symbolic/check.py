"""`check(e)`: is what autograd computed the derivative, and why?

Three things are laid side by side for every leaf: SymPy's derivative of the formula that the graph
computes, the formula that the rules make when the backward pass runs on symbols, and the number
that autograd really gives. Nothing is changed: not `.grad`, not the saved tensors, not the graph.

    proved      the two formulas are the same, and autograd gives their value
    agrees      so it is at every point tried, to many digits; no proof was found
    disagrees   here is a point, and both values
    undecided   and why

Read next: faces/symbolic/report.py
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphlab.autograd.backward import check_gradient, key_of
from graphlab.autograd.node import edge_of
from graphlab.common.errors import GraphFreedError
from graphlab.faces.symbolic.assumptions import read_assumptions
from graphlab.faces.symbolic.budget import Clock
from graphlab.faces.symbolic.checked_graph import CheckedGraph
from graphlab.faces.symbolic.comparison import Comparison
from graphlab.faces.symbolic.custom_functions import record_functions
from graphlab.faces.symbolic.detached import MAYBE, cuts
from graphlab.faces.symbolic.diagnosis import diagnose
from graphlab.faces.symbolic.interpretation import key, walk
from graphlab.faces.symbolic.live_graph import captured
from graphlab.faces.symbolic.numeric_check import Problem
from graphlab.faces.symbolic.report import Report, Row
from graphlab.faces.symbolic.report_rows import rows
from graphlab.faces.symbolic.rerun import at_other_values
from graphlab.faces.symbolic.symbol_names import name_tensors, names_by_id, tensors_in
from graphlab.tensor.tensor import Tensor

CHECK_FIRST = (
    " (A check reads the saved tensors too: run the formula again, and check it before its "
    "backward pass.)"
)
STEPS = "each of its {} steps uses a rule that is proved by itself (docs/rules.md)"
BUDGET = 5.0  # seconds


def check(
    root: Tensor,
    wrt: Tensor | Sequence[Tensor] | None = None,
    at: Mapping[Any, Any] | None = None,
    names: Mapping[Any, Any] | None = None,
    assume: Mapping[Any, str] | None = None,
    budget: float | None = None,
    gradient: Tensor | None = None,
    is_proved: Callable[[Any], bool] | None = None,
) -> Report:
    """Every gradient of `root` beside its symbolic derivative, with a verdict for each.

    wrt: the tensors to look at; every leaf that needs a gradient when left out.
    at: values to check at in place of the current ones, by tensor or name; no tensor is changed.
    names: a name for each tensor, by the tensor or its id, or the tensor by its name.
    assume: what may be assumed of values, by tensor or name: "positive", "integer" (WORDS of
    symbolic/assumptions.py). budget: seconds that the search for a proof, and for points at which
    it fails, may take, > 0; BUDGET when left out.
    gradient: what flows in, for a root of several entries. is_proved: whether the rule of a node is
    known to be proved by itself, which is said of a graph that is too large for a formula.
    Raises: TypeError and ValueError for arguments that are none; RuntimeError, with PyTorch's
    sentence, for a root that needs no gradient or has several entries and no `gradient`;
    GraphFreedError.

    >>> import graphlab as torch
    >>> a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    >>> report = check(a * b, names={a: "a", b: "b"})
    >>> report.ok, report["a"].verdict, report["a"].formula
    (True, 'proved', b)
    """
    clock = Clock(BUDGET if budget is None else seconds(budget))
    require_tensor(root, "check")
    wanted = targets_of(wrt)
    entering = check_gradient(0, root, gradient)
    if not root.requires_grad:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    graph = walk(root)
    if any(node._saved is None for node in graph.nodes):
        raise GraphFreedError(CHECK_FIRST)
    called = names_by_id(names)
    listed = {key: place for place, key in enumerate(called)}  # leaves, as the caller lists them
    leaves_in_order = sorted(graph.leaves, key=lambda leaf: listed.get(id(leaf), len(listed)))
    targets = leaves_in_order if wanted is None else wanted
    named = name_tensors([*graph.leaves, *(t for t in targets if t._node is not None)], called)
    cut = cuts(graph, tensors_in(names), called)
    check_reached(graph.nodes, root, targets, cut)
    name, said = called.get(id(root), ""), ""
    checked, asked = CheckedGraph(root, entering, named, name, called), targets
    called_first = named
    if at is not None:
        root, targets, named, said = at_other_values(graph, root, targets, named, at)
        graph = walk(root)
    record_functions(graph, graph.leaves)
    if at is None:
        checked.read = graph
    assumed = read_assumptions(assume, named)
    by_name = {named[tensor]: what for tensor, what in assumed.items()}
    checked.assumed = {t: by_name[n] for t, n in called_first.items() if n in by_name}
    found = engine_gradients(root, entering, graph.nodes, targets)

    whole = Comparison(
        Problem(graph, tuple(graph.leaves), entering, assumed=assumed), root, named, clock, cut
    )
    if is_proved is not None and all(map(is_proved, graph.nodes)):
        whole.steps = STEPS.format(f"{len(graph.nodes):,}")
    made: dict[Tensor, Row] = {}
    made.update(rows(whole, [t for t in targets if t._node is None], found))
    comparisons = [whole]
    for tensor in (t for t in targets if t._node is not None):
        # an inner tensor counts as given: the graph is cut there
        part = walk(root, stop=[tensor])
        part.know(graph)
        problem = Problem(part, (*part.leaves, tensor), entering, assumed=assumed)
        comparisons.append(Comparison(problem, root, named, clock, cut))
        made.update(rows(comparisons[-1], [tensor], found))
    diagnosis = ()
    if any(row.verdict == "disagrees" for row in made.values()):
        first = next((c for c in comparisons if c.wrong), whole)
        work = first.rounding.work if first.rounding else 0
        diagnosis = diagnose(first.problem, first.wrong, root, named, work, clock.seconds)
    return Report(
        tuple(
            replace(made[t], checked=(checked, old)) for t, old in zip(targets, asked, strict=True)
        ),
        name,
        latex={symbol: text for c in comparisons for symbol, text in c.table.latex.items()},
        work=sum(c.work for c in comparisons),
        checked=checked,
        assumed=tuple(assumed[t].text(named[t]) for t in assumed),
        at=said,
        diagnosis=diagnosis,
    )


def seconds(budget: Any) -> float:
    """The budget. Raises: TypeError or ValueError when it is no number of seconds."""
    if isinstance(budget, bool) or not isinstance(budget, int | float | np.number):
        raise TypeError(
            f"graphlab.check(), budget: expected a number of seconds, got {type(budget).__name__}"
        )
    if not 0 < float(budget) < float("inf"):
        raise ValueError(
            f"graphlab.check(), budget: expected a number of seconds above 0, got {budget}"
        )
    return float(budget)


def targets_of(wrt: Any) -> list[Tensor] | None:
    """The tensors to look at; None: every leaf. Raises: TypeError, RuntimeError."""
    if wrt is not None and not isinstance(wrt, Tensor | list | tuple):
        raise TypeError(
            f"graphlab.check(), wrt: expected a tensor or a list of tensors, got "
            f"{type(wrt).__name__}; pass the leaves to look at, as in wrt=[a, b]"
        )
    wanted = None if wrt is None else [wrt] if isinstance(wrt, Tensor) else list(wrt)
    for i, tensor in enumerate(wanted or ()):
        require_tensor(tensor, "check", "wrt")
        if not tensor.requires_grad:
            advice = (
                "make it with requires_grad=True before it is used"
                if tensor.is_floating_point()
                else f"its dtype is {tensor.dtype}, and only floating-point tensors have gradients"
            )
            raise RuntimeError(
                f"One of the differentiated Tensors does not require grad: wrt[{i}] is a constant "
                f"of the formula; {advice}"
            )
    return wanted


def require_tensor(thing: Any, function: str, argument: str = "") -> None:
    """Raises: TypeError that says what was received and what to pass."""
    if isinstance(thing, Tensor):
        return
    advice = (
        "pass the tensors themselves, as in wrt=[a, b]"
        if argument
        else "pass a tensor that was computed from tensors with requires_grad=True, such as a loss"
    )
    where = f"graphlab.{function}()" + (f", {argument}" if argument else "")
    raise TypeError(f"{where}: expected a graphlab Tensor, got {type(thing).__name__}; {advice}")


def engine_gradients(
    root: Tensor, entering: Tensor, nodes: Sequence[Any], targets: Sequence[Tensor]
) -> dict[Tensor, Any]:
    """What autograd gives for each target: a real backward pass that leaves no trace."""
    capture = captured([(edge_of(root), entering._data)], [key_of(t) for t in targets], nodes)
    found = {}
    for tensor in targets:
        place = key_of(tensor)
        grad = capture[place]
        if isinstance(grad, tuple) and not isinstance(place, tuple):
            grad = grad[0]
        found[tensor] = np.array(np.zeros_like(tensor._data) if grad is None else grad)
    return found


def check_reached(
    nodes: Sequence[Any], root: Tensor, targets: Sequence[Tensor], cut: str = ""
) -> None:
    """Raises: RuntimeError when a target is not part of the graph. cut: where it was cut."""
    edges = (edge for node in nodes for edge in node._next if edge is not None)
    reached = {key_of(root), *nodes, *map(key, edges)}
    for i, tensor in enumerate(targets):
        if key_of(tensor) not in reached:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph: pass tensors that the checked one was computed from as wrt. "
                + (cut[0].upper() + cut[1:] if cut else MAYBE)
            )
