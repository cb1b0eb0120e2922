"""A Walk is one backward pass with its gradients, read from its events.

Read next: graph/comparing/differences.py
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphlab.graph.events import (
    Accumulated,
    ChangedInPlace,
    Event,
    Failed,
    GradReturned,
    LeafWritten,
    OptimizerStepped,
    PassBegan,
    Seeded,
)
from graphlab.graph.model import Graph, NodeInfo
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value


@dataclass
class Walk:
    """One backward pass: its part of the graph, and its gradients.

    first, end: the indexes of its first event and of the event after its last. Events between two
    passes belong to the earlier one.
    """

    graph: Graph
    first: int
    end: int
    events: Sequence[Event]
    arrived: dict[str, list[Value]] = field(default_factory=dict)  # by tensor, in order
    totals: dict[str, Value] = field(default_factory=dict)  # the sum of what arrived, by tensor
    written: dict[str, LeafWritten] = field(default_factory=dict)  # by leaf
    changed: dict[str, Value] = field(default_factory=dict)  # values changed before the pass
    failed: Failed | None = None
    senders: dict[str, list[NodeInfo]] = field(default_factory=dict)  # by tensor

    def value(self, tensor: str) -> Value | None:
        """The value of a tensor when the pass ran."""
        return self.changed.get(tensor) or self.graph.tensor(tensor).value

    def uses(self, tensor: str) -> list[NodeInfo]:
        """The nodes that send a gradient to a tensor, once for each use."""
        return self.senders.get(tensor, [])

    def gradient(self, tensor: str) -> Value | None:
        """What this pass adds to the gradient of a tensor, or None."""
        return self.totals.get(tensor)


def walks_of(timeline: Timeline) -> list[Walk]:
    """The backward passes of a timeline, in order; a rehearsal has one."""
    began = [(k, one) for k, one in enumerate(timeline.events) if isinstance(one, PassBegan)]
    end = len(timeline.events)
    if not began:
        return [_read(Walk(timeline.graph, 0, end, timeline.events))]
    walks: list[Walk] = []
    changed: dict[str, Value] = {}
    for number, (start, one) in enumerate(began):
        first = walks[-1].end if walks else 0
        last = began[number + 1][0] if number + 1 < len(began) else end
        for event in timeline.events[first:start]:
            _follow(event, changed)
        graph = timeline.graph.part(one.roots[0], (node for node, _ in one.waits))
        events = timeline.events[first:last]
        walks.append(_read(Walk(graph, first, last, events, changed=dict(changed))))
        for event in timeline.events[start:last]:
            _follow(event, changed)
    return walks


def _follow(event: Event, changed: dict[str, Value]) -> None:
    """Note the new values of tensors that an event changes."""
    if isinstance(event, OptimizerStepped):
        changed.update({one.tensor: one.after for one in event.changes})
    elif isinstance(event, ChangedInPlace) and not event.recorded:
        changed[event.tensor] = event.after


def _read(walk: Walk) -> Walk:
    for edge in reversed(walk.graph.edges):  # in the order of the forward pass
        walk.senders.setdefault(edge.tensor, []).append(walk.graph.node(edge.source))
    for event in walk.events:
        match event:
            case Seeded() | GradReturned():
                walk.totals[event.tensor] = event.value
            case Accumulated():
                walk.arrived.setdefault(event.tensor, []).append(event.added)
                walk.totals[event.tensor] = event.after
            case LeafWritten():
                walk.written[event.tensor] = event
                walk.totals[event.tensor] = event.added
            case Failed():
                walk.failed = event
            case _:
                pass
    return walk
