"""Step alignment merges the events of two timelines into rows that a player shows side by side.

Two events correspond if they have the same kind and are about corresponding nodes and tensors. As
many of these pairs as possible become rows, in order: a longest increasing subsequence, found in
O(n log n). In any other row only one graph goes on; the other waits, and a sentence says why.

Read next: faces/render/two_graphs.py
"""

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from graphlab.graph.comparing.node_matching import Matching
from graphlab.graph.comparing.wording import SIDES, op
from graphlab.graph.events import Event
from graphlab.graph.model import Graph
from graphlab.graph.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Row:
    """One step: the indexes of two events, or one index and why the other graph waits."""

    first: int | None
    second: int | None
    why: str = ""


def align(one: Timeline, other: Timeline, matching: Matching) -> tuple[Row, ...]:
    """The rows of two timelines.

    >>> from graphlab.graph.model import Graph
    >>> empty = Timeline(Graph("", (), (), ()), ())
    >>> align(empty, empty, Matching())
    ()
    """
    mine = _keys(one, matching.nodes, matching.tensors, matching.crossed)
    theirs = _keys(other)
    place = {key: k for k, key in enumerate(theirs)}
    pairs = [(i, place[key]) for i, key in enumerate(mine) if key in place]
    kept = [pairs[k] for k in _longest_increasing([k for _, k in pairs])]
    beside = (dict(pairs), {k: i for i, k in pairs})
    rows: list[Row] = []
    before = (-1, -1)
    for i, k in [*kept, (len(mine), len(theirs))]:
        for at in range(before[0] + 1, i):
            why = _why(one, other, 1, at, beside[0].get(at), k, matching.nodes)
            rows.append(Row(at, None, why))
        nodes = {b: a for a, b in matching.nodes.items()} if before[1] + 1 < k else {}
        for at in range(before[1] + 1, k):
            rows.append(Row(None, at, _why(other, one, 0, at, beside[1].get(at), i, nodes)))
        if i < len(mine):
            rows.append(Row(i, k))
        before = (i, k)
    return tuple(rows)


def _keys(
    timeline: Timeline, nodes: Any = None, tensors: Any = None, crossed: Collection[str] = ()
) -> list[tuple[Any, ...]]:
    """What each event is about, in ids of the second graph; equal keys are numbered."""
    graph, seen = timeline.graph, {}
    found: list[tuple[Any, ...]] = []
    for event in timeline.events:
        key = (event.kind, *_about(event, graph, nodes, tensors, crossed))
        seen[key] = seen.get(key, 0) + 1
        found.append((*key, seen[key]))
    return found


def _about(
    event: Event, graph: Graph, nodes: Any, tensors: Any, crossed: Collection[str]
) -> list[Any]:
    """The nodes and tensors of an event; a star marks those without a partner."""

    def of(ids: Any, id: str | None) -> str | None:
        return id if ids is None or id is None else ids.get(id, f"* {id}")

    node, tensor = getattr(event, "node", None), getattr(event, "tensor", None)
    edge = getattr(event, "edge", None)
    if edge is not None:  # gradients of the same input correspond, even if the input differs
        sent = graph.edge(edge)
        return [of(nodes, sent.source), 1 - sent.index if sent.source in crossed else sent.index]
    found: list[Any] = [of(nodes, node), of(tensors, tensor)]
    saved = getattr(event, "saved", None)
    return [*found, saved] if isinstance(saved, str) else found


def _longest_increasing(numbers: list[int]) -> list[int]:
    """The indexes of a longest increasing subsequence (patience sorting).

    >>> _longest_increasing([3, 1, 2, 5, 4])
    [1, 2, 4]
    """
    ends: list[int] = []  # the smallest last number of a sequence of each length
    places: list[int] = []
    before: list[int] = []
    for k, one in enumerate(numbers):
        at = bisect_left(ends, one)
        before.append(places[at - 1] if at else -1)
        if at == len(ends):
            ends.append(one)
            places.append(k)
        else:
            ends[at], places[at] = one, k
    found: list[int] = []
    k = places[-1] if places else -1
    while k >= 0:
        found.append(k)
        k = before[k]
    return found[::-1]


def _why(
    going: Timeline,
    waiting: Timeline,
    side: int,  # that waits
    at: int,
    beside: int | None,
    reached: int,
    partners: dict[str, str],
) -> str:
    """Why one graph waits at a step of the other. beside: where the same event happens there."""
    begun = f"The {SIDES[side]} graph waits: "
    if beside is not None:
        return f"{begun}there, this happen{'s later' if beside >= reached else 'ed earlier'}."
    event = going.events[at]
    id = getattr(event, "node", None)
    if id is None or not going.graph.has("node", id):
        return f"{begun}nothing like this happens there."
    node = going.graph.node(id)
    if node.variable is not None:
        name = going.graph.tensor(node.variable).label
        return f"{begun}no such gradient arrives at {name} there."
    if id in partners:
        its = f"its {op(waiting.graph.node(partners[id]))}"
        to = getattr(event, "to", "") if event.kind == "RuleApplied" else ""
        return f"{begun}{its} {f'sends no gradient to {to}' if to else 'does not do this'}."
    return f"{begun}it has no operation that corresponds to {op(node)}."
