"""What the forms of text tell of one moment: which graph, where it stands, and the lines above it.

Read next: faces/render/text.py
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphlab.faces.render.metrics import shorten
from graphlab.faces.render.passes import graph_at, passes_of
from graphlab.faces.render.theme import grad_by_then
from graphlab.graph.events import Event, Failed, State
from graphlab.graph.model import Graph, Source, TensorInfo
from graphlab.graph.timeline import Timeline

USUAL = "there is nothing to draw: no backward pass was recorded"


@dataclass(frozen=True, slots=True)
class Telling:
    """A graph, the state of its timeline, and what is said above it, line by line."""

    graph: Graph
    state: State = field(default_factory=dict[str, Any])
    lines: tuple[str, ...] = ()


def tell(timeline: Timeline, step: Any = None) -> Telling:
    """What there is to tell of event `step`; left out, of the end, and of a pass that failed.

    Raises: IndexError when there is no such step.
    """
    if step is None and not timeline.events:
        lines = (sentence_of_nothing(timeline),) if is_nothing(timeline) else ()
        return Telling(timeline.graph, lines=lines)
    place = place_of(timeline, -1 if step is None else step)
    said = failed_at(timeline) if step is None else place
    lines = [] if said is None else lines_of(timeline[said])
    state = timeline.state_at(place)
    return Telling(graph_at(timeline, place), state, (*lines, *pass_at(timeline, place)))


def lines_of(event: Event) -> list[str]:
    """The sentence of an event and, of a failure, the line that made the node."""
    if isinstance(event, Failed) and event.source is not None:
        return [event.sentence, f"{event.name} was made here: {where(event.source)}"]
    return [event.sentence]


def is_nothing(timeline: Timeline) -> bool:
    """Whether there is nothing to draw."""
    return not timeline.graph.tensors


def sentence_of_nothing(timeline: Timeline) -> str:
    """Why there is nothing, and what to do.

    >>> from graphlab.graph.model import Graph
    >>> sentence_of_nothing(Timeline(Graph("", (), (), ()), (), title="nothing was recorded"))
    'Nothing was recorded.'
    """
    said = timeline.title or USUAL
    return said[:1].upper() + said[1:] + ("" if said.endswith(".") else ".")


def place_of(timeline: Timeline, step: Any) -> int:
    """The index of event `step`, which may count from the end.

    Raises: IndexError when there is no such event.
    """
    timeline[step]
    return range(len(timeline))[step]


def failed_at(timeline: Timeline, place: int = -1) -> int | None:
    """The index of the event in which the pass failed whose error stands at event `place`."""
    if not timeline.events or "error" not in timeline.state_at(place):
        return None
    before = range(place_of(timeline, place), -1, -1)
    return next((k for k in before if isinstance(timeline[k], Failed)), None)


def pass_at(timeline: Timeline, place: int) -> list[str]:
    """Which of several passes it is, on one line."""
    began = [event for k, event in passes_of(timeline) if k <= place]
    if not began or began[-1].count == 1:
        return []
    return [f"Pass {began[-1].number} of {began[-1].count}: {shorten(began[-1].title)}"]


def where(source: Source) -> str:
    """A line of the user's code and its place."""
    place = f"{shorten(source.label)}, line {source.line}"
    return f"{place}: {source.text}" if source.text else place


def value_text(tensor: TensorInfo, state: Mapping[str, Any] | None) -> str:
    """The value of a tensor by then: it may have been changed in place."""
    changed = (state or {}).get("values", {}).get(tensor.id)
    if changed is not None:
        return changed["text"]
    return tensor.value.text if tensor.value is not None else "no value"


def grad_text(tensor: TensorInfo, state: Mapping[str, Any] | None) -> str | None:
    """The gradient of a tensor by then; None when it has none."""
    if not tensor.requires_grad:
        return None
    found = grad_by_then(state or {}, tensor.id, tensor.is_leaf)
    if found is not None:
        return found
    return tensor.grad.text if tensor.grad is not None else None


def is_failed(node: str, state: Mapping[str, Any] | None) -> bool:
    """Whether the pass stopped at a node."""
    return (state or {}).get("status", {}).get(node) == "failed"
