"""The faces of a random program: its picture, its walk, its report and its formula.

Nothing that a program can do may end in an error from inside, and what a walk writes to the leaves
are the gradients of `autograd.grad`.

Read next: tests/fuzz/programs.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

import graphlab
from graphlab.graph.value import summarise
from tests.fuzz.outcomes import is_raw, said
from tests.fuzz.programs import program_of, source_of, state_of, tried, weighted

__all__ = ["difference_of", "source_of"]


def root_of(seed: int) -> tuple[Any, list[Any]] | None:
    """The sum of the last result that needs a gradient, and what keeps one; None without a root."""
    leaves, steps = program_of(seed)
    pool = [graphlab.tensor(entries.copy()).requires_grad_(grad) for entries, grad in leaves]
    for name, a, b, n in steps:
        made = tried(graphlab, pool, name, a, b, n)
        if made is not None and not isinstance(made, Exception):
            pool.append(made)
    roots = [x for x in pool if state_of(x)[:2] == (True, False)]
    if not roots:
        return None
    kept = [x for x in pool if state_of(x)[0] is True and (state_of(x)[1] or x.retains_grad)]
    return weighted(graphlab, roots[-1]), list({id(x): x for x in kept}.values())


def raw(what: str, call: Callable[[], Any]) -> tuple[Any, tuple[str, str] | None]:
    """What a call gives, or None where it refuses; and the error from inside, if there is one."""
    try:
        return call(), None
    except Exception as error:
        return None, ("raw error", f"{what}: {said(error)}") if is_raw(error) else None


def written(timeline: Any) -> Counter[Any]:
    """The gradients that a walk writes to leaves."""
    leaves = timeline.state_at(-1).get("leaves", {}).values()
    return Counter((entry["after"]["text"], entry["after"]["entries"]) for entry in leaves)


def difference_of(torch: ModuleType, seed: int) -> tuple[str, str] | None:
    """What is wrong in the faces of a program; None when nothing is. PyTorch is not asked."""
    made = root_of(seed)
    if made is None:
        return None
    changed = any(name == "data" for name, *_ in program_of(seed)[1])  # behind autograd's back
    return wrong_in_faces(*made, forward=bool(seed % 2), may_disagree=changed)


def wrong_in_faces(
    root: Any, leaves: list[Any], *, forward: bool = False, may_disagree: bool = False
) -> tuple[str, str] | None:
    """What is wrong in the faces of one number. leaves: what keeps a gradient."""
    for view in ("both", "computation", "backward"):
        _, wrong = raw(f"draw, {view}", lambda view=view: graphlab.draw(root, view=view).svg)
        if wrong:
            return wrong
    timeline, wrong = raw("trace", lambda: graphlab.trace(root, forward=forward))
    if wrong:
        return wrong
    grads, refused = raw(
        "grad",
        lambda: (
            graphlab.autograd.grad(root, leaves, retain_graph=True, allow_unused=True)
            if leaves
            else ()
        ),
    )
    if timeline is not None and grads is not None:
        found = written(timeline)
        truth = Counter(
            (value.text, value.entries)
            for g in grads
            if g is not None
            for value in [summarise(g._data)]
        )
        if truth - found:  # a walk also writes to a leaf that was detached since
            return "wrong gradient", f"the walk writes {found}, not {truth}"
        text = timeline.to_json()
        if type(timeline).from_json(text).to_json() != text:
            return "other document", "to_json, from_json"
    elif (timeline is None) != (grads is None):
        return "other error", f"trace gives {timeline}, grad {grads} {refused}"
    report, wrong = raw("check", lambda: graphlab.check(root))
    if wrong:
        return wrong
    if report is not None:
        _, wrong = raw("report", lambda: (str(report), report._repr_html_()))
        if wrong:
            return wrong
        verdicts = {row.name: row.verdict for row in report.rows}
        if "disagrees" in verdicts.values() and not may_disagree:
            return "called wrong", f"{verdicts}"
    return raw("formula", lambda: graphlab.formula(root))[1]
