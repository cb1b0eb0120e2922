"""Make the rows of a report from the findings about the entries of each tensor.

A gradient that a hook changes is not compared: nobody knows what is meant. So the check compares
what autograd gives without hooks, which tests the rules, and says what each hook changes.

Read next: faces/symbolic/report.py
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from graphlab.common.errors import described
from graphlab.faces.symbolic.budget import flat
from graphlab.faces.symbolic.comparison import Comparison
from graphlab.faces.symbolic.diagnosis_slopes import Diagnosis
from graphlab.faces.symbolic.live_graph import (
    Subgraph,
    Tensor,
    edge_of,
    engine_gradients,
    key_of,
    options_of,
    picking_masks,
    watched_hooks,
    without_hooks,
)
from graphlab.faces.symbolic.mp_arithmetic import evaluate
from graphlab.faces.symbolic.report import Report, Row, worst
from graphlab.faces.symbolic.rounding_error import ulps
from graphlab.faces.symbolic.verdict import Finding, largest_of
from graphlab.faces.symbolic.zero_test import METHODS
from graphlab.graph.comparing.wording import listed
from graphlab.primitives.numpy_reading.shapes import sum_to

Entries = Mapping[Any, Finding]  # by index


def report_rows(
    comparison: Comparison, targets: Sequence[Tensor], found: Mapping[Tensor, Any]
) -> dict[Tensor, Row]:
    """Return a row for each target. found: autograd's gradient of each."""
    if not targets:
        return {}
    with np.errstate(all="ignore"):
        findings = comparison.findings(targets, found)
        made = {}
        for tensor in targets:
            grad = found[tensor]
            if grad.shape != tuple(tensor.shape):
                made[tensor] = misshapen(comparison, tensor, grad)
                continue
            mine = {index: f for (of, index), f in findings.items() if of is tensor}
            made[tensor] = row(comparison, tensor, mine, grad)
        return made


def row(comparison: Comparison, tensor: Tensor, mine: Entries, found: Any) -> Row:
    """Return the row of one tensor. mine: the findings about its entries."""
    formulas, problem = comparison.formulas, comparison.problem
    verdict = worst([f.verdict for f in mine.values()])
    if comparison.stale:
        verdict = "undecided" if verdict != "disagrees" else verdict
    single = tensor.numel() == 1
    values, slopes = (np.full(tuple(tensor.shape), np.nan) for _ in range(2))
    for index, finding in mine.items():
        values[index], slopes[index] = finding.value, finding.central
    shown, measured = (x.item() if single else x for x in (values, slopes))
    grad = np.asarray(found, np.float64)
    apart = [ulps(found[i], f.value, found.dtype) for i, f in mine.items()]
    methods = [f.settled_by for f in mine.values() if f.settled_by]
    counterexamples = [f.counterexample for f in mine.values() if f.counterexample]
    assumed = problem.assumed.get(tensor)
    return Row(
        name=comparison.named[tensor],
        verdict=verdict,
        formula=gather(comparison, tensor, mine, "derivative"),
        backward_formula=gather(comparison, tensor, mine, "rule"),
        symbolic_value=shown if formulas is not None else None,
        autograd_value=grad.item() if single else grad,
        note="; ".join(notes_on(comparison, mine, verdict)),
        settled_by=max(methods, key=lambda m: METHODS.index(m) if m in METHODS else 9, default=""),
        counterexample=counterexamples[0] if counterexamples else None,
        numeric_value=shown if formulas is None else None,
        shape=tuple(tensor.shape),
        central_difference=None if np.all(np.isnan(slopes)) else measured,
        ulps=None if np.all(np.isnan(apart)) else float(np.nanmax(apart)),
        sampled=tuple(mine) if len(mine) < tensor.numel() else (),
        points=min((f.points for f in mine.values() if f.verdict == "agrees"), default=0),
        defined=all(f.defined for f in mine.values()),
        lost=str(comparison.kind) if any(f.lost for f in mine.values()) else "",
        assumed="" if assumed is None else assumed.text(comparison.named[tensor]),
    )


def notes_on(comparison: Comparison, mine: Entries, verdict: str) -> list[str]:
    """Return the notes of a row, each once: those of the entries that decided its verdict."""
    formulas = comparison.formulas
    proved = sum(f.verdict == "proved" for f in mine.values())
    only_some = verdict != "proved" and proved > 0
    notes = [f"{proved} of {len(mine)} entries proved"] if only_some else []
    told = [f for f in mine.values() if not (only_some and f.verdict == "proved")]
    notes += [note for f in told for note in f.notes]
    off = sorted((f.off for f in told if f.off), key=abs)
    if off:
        by = f"{'up to ' * (len(off) > 1)}{off[-1]:.2g}"
        notes.append(f"{comparison.kind} rounds here: autograd is off by {by}")
    if not mine:
        notes.append("it has no entries")
    notes.append(comparison.sampling)
    if mine and formulas is None and all(f.verdict == "agrees" for f in mine.values()):
        notes.append(comparison.steps)
    graph = comparison.problem.graph
    notes += [f.note for f in graph.functions.values()]
    for node in graph.order:
        if node.op.name in ("linalg_cholesky_ex", "linalg_eigh"):
            half = "upper" if options_of(node)["upper"] else "lower"
            read = f"only the {half} triangle is read"
            notes.append(f"{read}; the gradient is that for a symmetric matrix")
    if any(map(picking_masks, graph.order)):
        notes.append("which entries an index takes depends on the current values")
    if formulas is not None and mine:
        pairs = [(f.derivative, f.rule) for f in mine.values() if f.rule is not None]
        domain = formulas.domain()
        if domain and not all(f.defined for f in mine.values()):
            domain = f"the derivative exists {domain}"
        notes = [formulas.kink_note(pairs), *notes, *formulas.arithmetic.notes, domain]
    notes.append(comparison.problem.constants.sentence)
    return list(
        dict.fromkeys(note for note in (comparison.stale, *notes, comparison.detached) if note)
    )


def misshapen(comparison: Comparison, tensor: Tensor, grad: Any) -> Row:
    """Return the row of a tensor whose gradient does not have its shape."""
    note = f"the gradient has the shape {grad.shape}, the tensor {tuple(tensor.shape)}"
    return Row(comparison.named[tensor], "disagrees", None, None, None, grad, note)


def gather(comparison: Comparison, tensor: Tensor, mine: Entries, what: str) -> Any:
    """Return the formulas of all entries, one expression or an array; None if one is missing."""
    formulas = comparison.formulas
    if formulas is None or not mine or len(mine) < tensor.numel():
        return None
    if any(getattr(f, what) is None for f in mine.values()):
        return None
    shown = [formulas.shown(getattr(f, what)) for f in mine.values()]
    return shown[0] if tensor.numel() == 1 else sympy.Array(shown, tuple(tensor.shape))


# -- gradients that hooks change ----------------------------------------------------------------

MOST = 8  # the most hooks that are named
CLOSE = 8  # units of rounding: so close, two gradients are the same
PURPOSE = (
    "by mistake or on purpose (to clip it, or to differentiate through a solver without a graph)"
)

Gradients = dict[Tensor, Any]


def with_and_without_hooks(
    root: Tensor,
    entering: Tensor,
    graph: Subgraph,
    targets: Sequence[Tensor],
    named: Mapping[Tensor, str],
) -> tuple[Gradients, Gradients, list[Diagnosis]]:
    """Return the gradients of the targets, those without hooks, and what the hooks change."""
    with watched_hooks(graph) as seen:
        found = engine_gradients(root, entering, graph.nodes, targets)
    if not seen:
        return found, found, []
    with without_hooks(graph):
        plain = engine_gradients(root, entering, graph.nodes, targets)
    changed = [t for t in targets if differ(found[t], plain[t])]
    if not changed:
        return found, found, []
    told = []
    for item, of_inputs, pair in seen:
        behind = graph.behind(item)
        reached = [named[t] for t in changed if key_of(t) in behind or edge_of(t) is item]
        for index, (before, after) in enumerate(zip(*pair, strict=True) if reached else ()):
            if before is None or not differ(before, zeros_for(after, before)):
                continue
            after = zeros_for(after, before)
            off = np.where(before == after, 0, np.abs(before - after))
            entry = tuple(map(int, np.unravel_index(int(np.argmax(off)), off.shape)))
            place = None if isinstance(item, Tensor) else graph.nodes.index(item)
            name = named.get(item, "a leaf") if isinstance(item, Tensor) else item.name()
            values = float(after[entry]), float(before[entry])
            at = index if of_inputs else None
            told.append(Diagnosis(place, name, at, entry, *values, hook=True, at=listed(reached)))
    return found, {**found, **{t: plain[t] for t in changed}}, told[:MOST]


def zeros_for(after: Any, before: Any) -> Any:
    """Return a gradient; zeros if a hook returned None for it."""
    return np.zeros_like(before) if after is None else after


def differ(one: Any, other: Any) -> bool:
    """Return whether two gradients differ by more than the last digits."""
    a, b = np.asarray(one), np.asarray(other)
    unit = CLOSE * float(np.finfo(a.dtype).eps)
    return a.shape != b.shape or not np.allclose(a, b, rtol=unit, atol=0, equal_nan=True)


def after_hooks(
    rows: Mapping[Tensor, Row], found: Gradients, plain: Gradients
) -> dict[Tensor, Row]:
    """Return the rows with autograd's numbers; those that hooks change are undecided."""
    made = dict(rows)
    for tensor, row in rows.items():
        if found[tensor] is plain[tensor]:
            continue
        note = "a hook changes this gradient"
        if row.right:
            is_proved = row.verdict == "proved"
            rules = "the rules are right: without the hook it is" if is_proved else "without it, it"
            note = (
                f"{note}, {PURPOSE}, so it is not compared with the derivative; {rules} {row.word}"
            )
        elif row.verdict == "disagrees":
            note += ", and it is wrong without the hook, too"
        numbers = np.asarray(found[tensor], np.float64)
        made[tensor] = replace(
            row,
            verdict="undecided" if row.right else row.verdict,
            autograd_value=numbers.item() if tensor.numel() == 1 else numbers,
            note="; ".join(text for text in (note, row.note) if text),
            settled_by="" if row.right else row.settled_by,
            ulps=None,
            points=0,
            hooked=True,
        )
    return made


# -- gradients that the caller derived by hand ----------------------------------------------------

DIGITS = 1e-3  # relative: so close, two gradients are the same; finite differences know no more


def with_yours(report: Report, yours: Mapping[Any, Any]) -> Report:
    """Return the report with the caller's own gradients, by tensor or name, beside autograd's.

    Raises: TypeError for what is not numbers; ValueError for a tensor that the report leaves out.
    """
    rows, left = [], list(yours)
    for row in report.rows:
        for key in left:
            if is_of(key, row):
                own = own_numbers(row.name, yours[key])
                shown = own.item() if own.size == 1 else own
                row = replace(row, yours=shown, slip=slip_in(row, own))
        left = [key for key in left if not is_of(key, row)]
        rows.append(row)
    if left:
        raise ValueError(
            f"graphlab.check(), yours: the report has no row for {described(left[0])}; leave out "
            "wrt, or name it there, too"
        )
    return replace(report, rows=tuple(rows))


def is_of(key: Any, row: Row) -> bool:
    """Return whether a key is the tensor of a row, or its name."""
    return key is row.checked[1] or (isinstance(key, str) and key == row.name)


def own_numbers(name: str, given: Any) -> Any:
    """Return the caller's gradient as an array. Raises: TypeError unless it is numbers."""
    data = given.detach().numpy() if hasattr(given, "detach") else given  # also PyTorch's
    with suppress(TypeError, ValueError):
        if data is not None and not isinstance(data, str):
            return np.asarray(data, np.float64)
    raise TypeError(
        f"graphlab.check(), yours: expected your gradient of {name} as a tensor, an array or "
        f"numbers, got {described(given)}"
    )


def slip_in(row: Row, own: Any) -> str:
    """Return what is wrong with a gradient derived by hand, as a sentence; "" if it is right."""
    exact = row.symbolic_value is not None and not row.sampled and (row.hooked or not row.right)
    right = np.asarray(row.symbolic_value if exact else row.autograd_value, np.float64)
    scale = DIGITS * largest_of(right)

    def same(one: Any) -> bool:
        fits = np.shape(one) == right.shape or np.size(one) == right.size == 1
        return fits and np.allclose(one, right, DIGITS, DIGITS * scale, equal_nan=True)

    if same(own):
        return ""
    if own.shape != right.shape and own.size * right.size != 1:
        shapes = f"yours has the shape {own.shape} instead of {right.shape}"
        if same(own.T):
            return f"{shapes}: its transpose is right"
        with suppress(ValueError):
            whole = np.broadcast_shapes(own.shape, right.shape) == own.shape
            if whole and same(sum_to(own, right.shape)):
                return f"{shapes}: {row.name} was broadcast, so the gradients of its copies add up"
        return shapes
    if same(own.T):
        return "the transpose of yours is right"
    for path, value in zip(*values_along_paths(row), strict=True):
        if np.allclose(own, value, DIGITS, DIGITS * scale):
            every = f"those along all {row.chain.count} paths add up"
            return f"yours is the gradient along the path {path} alone; {every}"
    with np.errstate(all="ignore"):
        times = next(iter((own.reshape(right.shape) / right)[right != 0]), 0)
        if own.size == 1:  # two numbers always have a ratio; 2/3 may mean something, 1/23 does not
            times = float(Fraction(times if abs(times) < 10 else 0).limit_denominator(10))
        scaled = np.isfinite(times) and times and same(own / times)
    if scaled and abs(times + 1) < DIGITS:
        return "yours has the wrong sign"
    if scaled:
        return f"yours is {times:.4g} times the gradient"
    if own.size == 1:
        return "yours is another number"
    wrong = ~np.isclose(own, right, DIGITS, DIGITS * scale, equal_nan=True)
    first = tuple(map(int, np.argwhere(wrong)[0]))
    return (
        f"{np.count_nonzero(wrong)} of {own.size} entries differ; the first, at {list(first)}, is "
        f"{own[first]:.6g} instead of {right[first]:.6g}"
    )


def values_along_paths(row: Row) -> tuple[list[str], list[Any]]:
    """Return the paths of the chain rule and the gradient along each; none of a single path."""
    chain = row.chain
    if not 1 < chain.count == len(chain.paths) or any(p.product is None for p in chain):
        return [], []
    point = row._symbols()[2]
    entries = [[evaluate(entry, point) for entry in flat(path.product)] for path in chain]
    values = [np.asarray(one, np.float64).reshape(row.shape) for one in entries]
    return list(map(str, chain)), values
