"""One step of a timeline for the text formats: the part of the graph, its state, and sentences.

Read next: faces/render/text.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphlab.faces.render.metrics import brief, shorten
from graphlab.faces.render.theme import grad_by_then
from graphlab.graph.events import Event, Failed, ForwardBegan, PassBegan, State
from graphlab.graph.model import Graph, NodeInfo, Saved, Source, TensorInfo
from graphlab.graph.timeline import Timeline

NO_PASS = "there is nothing to draw: no backward pass was recorded"


@dataclass(frozen=True, slots=True)
class StepText:
    """What a text format shows at a step: a graph, its state, and the lines above it."""

    graph: Graph
    state: State = field(default_factory=dict[str, Any])
    lines: tuple[str, ...] = ()


def text_at(timeline: Timeline, step: Any = None) -> StepText:
    """Return what a text format shows at event `step`; by default the end, or the failure.

    Raises: IndexError if there is no such step.
    """
    if step is None and not timeline.events:
        lines = (empty_sentence(timeline),) if is_empty(timeline) else ()
        return StepText(timeline.graph, lines=lines)
    place = place_of(timeline, -1 if step is None else step)
    said = failed_at(timeline) if step is None else place
    lines = [] if said is None else _lines_of(timeline[said])
    began = [event for k, event in passes_of(timeline) if k <= place]
    if began and began[-1].count > 1:
        lines.append(f"Pass {began[-1].number} of {began[-1].count}: {shorten(began[-1].title)}")
    return StepText(graph_at(timeline, place), timeline.state_at(place), tuple(lines))


def _lines_of(event: Event) -> list[str]:
    """Return the sentence of an event and, for a failure, the line of code that made the node."""
    if not isinstance(event, Failed) or event.source is None:
        return [event.sentence]
    lines = [event.sentence, f"{event.name} was made here: {_where(event.source)}"]
    return [*lines, f"{event.why}: {_where(event.cause)}"] if event.cause is not None else lines


def _where(source: Source) -> str:
    place = f"{shorten(source.label)}, line {source.line}"
    return f"{place}: {source.text}" if source.text else place


def place_of(timeline: Timeline, step: Any) -> int:
    """Return the index of event `step`, which may count from the end.

    Raises: IndexError if there is no such event.
    """
    timeline[step]
    return range(len(timeline))[step]


# -- timelines without a graph, and failures ----------------------------------------------------


def is_empty(timeline: Timeline) -> bool:
    """Return whether there is no graph to draw."""
    return not timeline.graph.tensors


def empty_sentence(timeline: Timeline) -> str:
    """Say why there is nothing to draw, and what to do.

    >>> empty_sentence(Timeline(Graph("", (), (), ()), (), title="nothing was recorded"))
    'Nothing was recorded.'
    """
    said = timeline.title or NO_PASS
    return said[:1].upper() + said[1:] + ("" if said.endswith(".") else ".")


def failed_at(timeline: Timeline) -> int | None:
    """Return the index of the failure with which the timeline ends; None without one."""
    failures = [k for k, event in enumerate(timeline.events) if isinstance(event, Failed)]
    return failures[-1] if failures and "error" in timeline.state_at(-1) else None


# -- recordings of several passes ---------------------------------------------------------------


def passes_of(timeline: Timeline) -> list[tuple[int, PassBegan]]:
    """Return the index at which each pass of a recording begins, and its PassBegan event.

    A pass whose forward pass is shown begins with that. For a result of `trace`: [].
    """
    found, start = [], None
    for k, event in enumerate(timeline.events):
        if isinstance(event, ForwardBegan):
            start = k
        elif isinstance(event, PassBegan):
            found.append((k if start is None else start, event))
            start = None
    return found


def is_forward(timeline: Timeline, place: int) -> bool:
    """Return whether event `place` belongs to a forward pass."""
    return timeline[place].kind in ("ForwardBegan", "Computed", "SavedKept", "ForwardFinished")


def graph_at(timeline: Timeline, place: int) -> Graph:
    """Return the part of the graph that the pass of event `place` visits."""
    passes = passes_of(timeline)
    if not passes:
        return timeline.graph
    begun = [event for k, event in passes if k <= place]
    events = [event for _, event in passes]
    return graph_of_pass(timeline.graph, begun[-1] if begun else events[0], events)


def graph_of_pass(graph: Graph, began: PassBegan, passes: Sequence[PassBegan]) -> Graph:
    """Return the part of the graph that a pass, one of all `passes`, visits.

    If an earlier pass made nodes of it, what that pass visited is included: in double backward, the
    second layer of nodes is drawn above the first.
    """
    return graph.part(began.roots[0], _walked(graph, began, passes))


def _walked(graph: Graph, began: PassBegan, passes: Sequence[PassBegan]) -> dict[str, None]:
    nodes = dict.fromkeys(node for node, _ in began.waits)
    for node in list(nodes):
        maker = graph.node(node).made_by
        if maker is not None and maker not in nodes:
            first = next((one for one in passes if maker in dict(one.waits)), None)
            nodes.update(_walked(graph, first, passes) if first is not None else {})
    return nodes


# -- texts of tensors and nodes -----------------------------------------------------------------


def value_text(tensor: TensorInfo, state: Mapping[str, Any] | None) -> str:
    """Return the value of a tensor in `state`, in which it may have been changed in place."""
    if state and tensor.id not in state.get("computed", {tensor.id}):
        return "not computed"
    changed = (state or {}).get("values", {}).get(tensor.id)
    if changed is not None:
        return changed["text"]
    return tensor.value.text if tensor.value is not None else "no value"


def grad_text(tensor: TensorInfo, state: Mapping[str, Any] | None) -> str | None:
    """Return the gradient of a tensor in `state`; None if it has none."""
    if not tensor.requires_grad:
        return None
    found = grad_by_then(state or {}, tensor.id, tensor.is_leaf)
    if found is not None:
        return found
    return tensor.grad.text if tensor.grad is not None else None


def tensor_lines(
    tensor: TensorInfo, state: Mapping[str, Any] | None, longest: int | None = None
) -> list[str]:
    """Return a tensor's name, value and, with a `state`, gradient. longest: of the name."""
    value, grad = brief(value_text(tensor, state)), grad_text(tensor, state)
    name = tensor.name and (tensor.name if longest is None else shorten(tensor.name, longest))
    lines = [f"{name} = {value}" if name else value]
    return [*lines, f"grad {brief(grad)}"] if grad is not None and state else lines


def saved_by_then(node: NodeInfo, state: Mapping[str, Any] | None) -> list[Saved]:
    """Return what a node has saved in `state`: in a forward pass, perhaps not everything yet."""
    kept = (state or {}).get("kept")
    return [one for one in node.saved if kept is None or f"{node.id}.{one.name}" in kept]


def is_failed(node: str, state: Mapping[str, Any] | None) -> bool:
    """Return whether the pass failed at a node."""
    return (state or {}).get("status", {}).get(node) == "failed"


def drawn_tensors(graph: Graph) -> list[TensorInfo]:
    """Return the tensors that nodes use or make, and the result."""
    used = {id for node in graph.nodes for id in (*node.inputs, *node.outputs)} | {graph.root}
    return [tensor for tensor in graph.tensors if tensor.id in used]
