"""Forward parts are the events of forward passes, which a walk shows or leaves out.

A trace keeps them beside the backward events, so that a player can show them at the press of a key.
They leave nothing in the state that later events use: the patches of backward events are right in
both walks.

Read next: graph/document.py
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from graphlab.graph.events import Event
from graphlab.graph.scene import Pass


@dataclass(frozen=True, slots=True)
class ForwardPart:
    """The events of the forward pass before one backward pass."""

    before: int  # index of the event that it precedes, in a walk without forward parts
    events: tuple[Event, ...]


def places(parts: Sequence[ForwardPart]) -> Iterator[tuple[int, ForwardPart]]:
    """Each part with the index of its first event in the walk with all parts."""
    more = 0
    for part in parts:
        yield part.before + more, part
        more += len(part.events)


def joined(events: tuple[Event, ...], parts: Sequence[ForwardPart]) -> tuple[Event, ...]:
    """The events of a walk with its forward parts."""
    whole: list[Event] = []
    done = 0
    for part in parts:
        whole += events[done : part.before] + part.events
        done = part.before
    return (*whole, *events[done:])


def separated(events: tuple[Event, ...], parts: Sequence[ForwardPart]) -> tuple[Event, ...]:
    """The events of a joined walk without its forward parts."""
    left: list[Event] = []
    done = 0
    for start, part in places(parts):
        left += events[done:start]
        done = start + len(part.events)
    return (*left, *events[done:])


def with_parts(k: int, parts: Sequence[ForwardPart]) -> int:
    """The index, in the walk with forward parts, of event `k` of the walk without them.

    >>> with_parts(3, [ForwardPart(0, (None, None)), ForwardPart(4, (None,))])
    5
    """
    return k + sum(len(part.events) for part in parts if part.before <= k)


def without_parts(k: int, parts: Sequence[ForwardPart]) -> int:
    """The index, in the walk without forward parts, of event `k` of the walk with them.

    For an event of a forward part: the index of the event after the part.

    >>> without_parts(5, [ForwardPart(0, (None, None)), ForwardPart(4, (None,))])
    3
    >>> without_parts(1, [ForwardPart(0, (None, None))])
    0
    """
    gone = 0
    for start, part in places(parts):
        gone += max(0, min(k - start, len(part.events)))
    return k - gone


def moved(passes: tuple[Pass, ...], parts: Sequence[ForwardPart], joins: bool) -> tuple[Pass, ...]:
    """The passes of a recording, counted with forward parts (joins) or without them."""
    if joins:
        lengths = [(part.before, len(part.events)) for part in parts]
        return tuple(
            replace(one, first=one.first + sum(n for k, n in lengths if k < one.first))
            for one in passes
        )
    return tuple(replace(one, first=without_parts(one.first, parts)) for one in passes)
