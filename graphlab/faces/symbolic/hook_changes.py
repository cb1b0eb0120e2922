"""Gradients that a hook changes are not compared with the derivative: nobody knows what is meant.

So the check compares what autograd gives without hooks, which tests the rules, and says what each
hook changes, from what to what.

Read next: faces/symbolic/report_rows.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphlab.faces.symbolic.diagnosis_slopes import Diagnosis
from graphlab.faces.symbolic.live_graph import (
    Subgraph,
    Tensor,
    edge_of,
    engine_gradients,
    key_of,
    watched_hooks,
    without_hooks,
)
from graphlab.faces.symbolic.report import Row
from graphlab.graph.comparing.wording import listed

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
        if row.ok:
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
            verdict="undecided" if row.ok else row.verdict,
            autograd_value=numbers.item() if tensor.numel() == 1 else numbers,
            note="; ".join(text for text in (note, row.note) if text),
            settled_by="" if row.ok else row.settled_by,
            ulps=None,
            points=0,
            hooked=True,
        )
    return made
