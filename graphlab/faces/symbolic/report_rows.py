"""Make the rows of a report from the findings about the entries of each tensor.

Read next: faces/symbolic/report.py
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from graphlab.faces.symbolic.comparison import Comparison
from graphlab.faces.symbolic.live_graph import Tensor, picking_masks
from graphlab.faces.symbolic.report import Row, worst
from graphlab.faces.symbolic.rounding_error import ulps
from graphlab.faces.symbolic.verdict import Finding
from graphlab.faces.symbolic.zero_test import METHODS

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
    notes += [f.note for f in comparison.problem.graph.functions.values()]
    if any(map(picking_masks, comparison.problem.graph.order)):
        notes.append("which entries an index takes depends on the current values")
    if formulas is not None and mine:
        pairs = [e for f in mine.values() for e in (f.derivative, f.rule) if e is not None]
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
