"""What will be written where: the walk is over when its picture is made, so the room is known.

Read next: faces/render/glyphs.py
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from graphlab.faces.render.metrics import brief
from graphlab.graph import events as told
from graphlab.graph.events import Event
from graphlab.graph.events.base import shape_text
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value


@dataclass(frozen=True, slots=True)
class Expected:
    """The longest text that will stand in each place, by the id of what it belongs to."""

    grads: dict[str, str] = field(default_factory=dict[str, str])  # of tensors, and along edges
    values: dict[str, str] = field(default_factory=dict[str, str])  # that change in place
    sums: dict[str, str] = field(default_factory=dict[str, str])  # edges: a broadcast undone


def expected(timeline: Timeline) -> Expected | None:
    """What the events of `timeline` will write; None when there are none, and all may come."""
    if not timeline.events:
        return None
    found = Expected()
    for event in timeline.events:
        for id, value in grads_of(event):
            keep_longest(found.grads, id, value)
        for id, value in values_of(event):
            keep_longest(found.values, id, value)
        if isinstance(event, told.Reduced):
            before, after = shape_text(event.shape_before), shape_text(event.value.shape)
            found.sums[event.edge] = f"Σ {before} → {after}".replace("one number", "()")
    return found


def keep_longest(texts: dict[str, str], id: str, value: Value | None) -> None:
    """Remember what a value is written as, where nothing longer stands in its place."""
    if value is not None and len(text := brief(value.text)) > len(texts.get(id, "")):
        texts[id] = text


def grads_of(event: Event) -> Iterable[tuple[str, Value | None]]:
    """The gradients that an event writes, and where."""
    match event:
        case told.RuleApplied():
            return [(event.edge, event.contribution)]
        case told.Reduced():
            return [(event.edge, event.value)]
        case told.Seeded() | told.GradReturned():
            return [(event.tensor, event.value)]
        case told.Accumulated() | told.LeafWritten() | told.HookRan() | told.GradReplaced():
            return [(event.tensor, event.after)]
        case told.GradRetained():
            return [(event.tensor, event.after or event.value)]
        case told.GradCleared():
            return list(zip(event.tensors, event.zeros, strict=False))
        case told.PassBegan():
            return event.holding
        case told.Failed():
            return event.undone
        case _:
            return []


def values_of(event: Event) -> Iterable[tuple[str, Value]]:
    """The values that an event writes over, and where."""
    if isinstance(event, told.ChangedInPlace):
        return [(event.tensor, event.after)]
    if isinstance(event, told.OptimizerStepped):
        return [(one.tensor, one.after) for one in event.changes]
    return []
