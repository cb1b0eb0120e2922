"""The longest text that will be written in each place, for which a picture leaves room.

A timeline is complete before its picture is drawn, so these texts are known.

Read next: faces/render/glyphs.py
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from graphlab.faces.render.metrics import brief
from graphlab.graph import events as told
from graphlab.graph.events import Event
from graphlab.graph.events.event import shape_text
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value

# most of the events of a pass; they write no value
SILENT = told.NodeEntered, told.SavedUnpacked, told.DependencyMet, told.Readied, told.SavedFreed


@dataclass(frozen=True, slots=True)
class LongestTexts:
    """The longest text of each place, by the id of the tensor or edge that it belongs to."""

    grads: dict[str, str] = field(default_factory=dict[str, str])  # of tensors and edges
    values: dict[str, str] = field(default_factory=dict[str, str])  # that change in place
    sums: dict[str, str] = field(default_factory=dict[str, str])  # edges: a broadcast undone
    saved: dict[str, str] = field(default_factory=dict[str, str])  # chips, by "s:n2.other"


def longest_texts(timeline: Timeline) -> LongestTexts | None:
    """Return the longest texts that the events of `timeline` write; None without events."""
    if not timeline.events:
        return None
    found = LongestTexts()
    for event in timeline.events:
        if type(event) in SILENT:
            continue
        for id, value in _grads_of(event):
            _keep_longest(found.grads, id, value)
        for id, value in _values_of(event):
            _keep_longest(found.values, id, value)
        if type(event) is told.Reduced:
            before, after = shape_text(event.shape_before), shape_text(event.value.shape)
            found.sums[event.edge] = f"Σ {before} → {after}".replace("one number", "()")
    return found


def _keep_longest(texts: dict[str, str], id: str, value: Value | None) -> None:
    if value is not None and len(text := brief(value.text)) > len(texts.get(id, "")):
        texts[id] = text


def _grads_of(event: Event) -> Iterable[tuple[str, Value | None]]:
    """Return the gradients that an event writes, with the tensor or edge of each."""
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


def _values_of(event: Event) -> Iterable[tuple[str, Value]]:
    """Return the values that an event overwrites, with the tensor of each."""
    if isinstance(event, told.ChangedInPlace):
        return [(event.tensor, event.after)]
    if isinstance(event, told.OptimizerStepped):
        return [(one.tensor, one.after) for one in event.changes]
    return []
