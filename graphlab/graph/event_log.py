"""An event log is a list of events that keeps the first 100,000 and counts the others.

A trace that is too long is cut, not refused: a loop of a million operations must not fill the
memory of kernel or browser.

A step is the index of an event: one integer, which may be negative to count from the end. The state
follows from applying merge patches (RFC 7396), one for each event, as in js/src/merge.ts.

Forward parts, the events of forward passes, stand beside the backward events, so that a player can
show them at the press of a key. They leave nothing in the state that later events use: the patches
of backward events are right in both walks.

Read next: graph/timeline.py
"""

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, SupportsIndex, final

from graphlab.common.errors import described, written
from graphlab.graph.events import EVENTS, Event, State
from graphlab.graph.scene import Pass

# A graph of 5,000 operations has half as many events; a browser can still hold them all.
MOST_EVENTS = 100_000


@final
class EventLog(list[Event]):
    """A list of events that grows to at most `most` of them."""

    def __init__(self, most: int = MOST_EVENTS) -> None:
        super().__init__()
        self.most = most
        self.seen = 0  # how many events were appended

    def append(self, event: Event) -> None:
        """Keep `event` while there is room."""
        self.seen += 1
        if len(self) < self.most:
            super().append(event)

    def extend(self, events: Iterable[Event]) -> None:
        """Append each of `events`."""
        for event in events:
            self.append(event)

    def __iadd__(self, events: Iterable[Event]) -> "EventLog":
        self.extend(events)
        return self

    @property
    def notice(self) -> str:
        """The sentence about the events that were left out; "" if none was."""
        return capped(self.seen, self.most) if self.seen > self.most else ""


def capped(count: int, most: int = MOST_EVENTS) -> str:
    """The notice of a timeline that holds only the first of `count` events.

    >>> capped(1_000_000)[:71]
    'This walk has 1,000,000 events; only the first 100,000 are kept. To see'
    """
    return (
        f"This walk has {count:,} events; only the first {most:,} are kept. "
        "To see the others, walk a smaller part."
    )


def step_index(k: SupportsIndex, count: int) -> int:
    """The index, from 0, of event `k` in a timeline of `count` events.

    Raises: TypeError if it is not an integer, IndexError if there is no such event.

    >>> step_index(-1, 14)
    13
    """
    there = f"{count} events, 0 to {count - 1}" if count else "no events"
    try:
        if isinstance(k, bool):
            raise TypeError
        index = operator.index(k)
    except TypeError:
        raise TypeError(f"a step must be one integer, {_received(k, there)}") from None
    place = index + count if index < 0 else index
    if 0 <= place < count:
        return place
    back = f" (or -{count} to -1 from the end)" if count else ""
    raise IndexError(f"step {written(index)} does not exist: this timeline has {there}{back}")


def _received(k: Any, there: str) -> str:
    """The end of an error: what was received as a step, and what to write instead."""
    if isinstance(k, slice):
        parts = (k.start, k.stop) if k.step is None else (k.start, k.stop, k.step)
        shown = ":".join("" if part is None else str(part) for part in parts)
        return f"got slice {shown}; for several events write timeline.events[{shown}]"
    advice = f"; this timeline has {there}"
    if isinstance(k, str) and k in EVENTS:
        advice = f"; for the indexes of all such events write timeline.find({k!r})"
    return f"got {described(k)}{advice}"


KEYFRAME_EVERY = 32  # events, at least
MOST_KEYFRAMES = 64  # states that a timeline keeps, at most


def keyframe_every(events: int) -> int:
    """The number of events between two keyframes."""
    return max(KEYFRAME_EVERY, -(-events // MOST_KEYFRAMES))


def absorb(state: State, patch: dict[str, Any]) -> None:
    """Apply a merge patch to `state` in place.

    Only the maps of the state itself are changed. Their entries are shared with patches, so they
    are replaced, not changed.
    """
    for key, change in patch.items():
        old = state.get(key)
        if change is None:
            state.pop(key, None)
        elif not isinstance(change, dict) or not isinstance(old, dict):
            state[key] = merge(old, change)
        else:
            for name, value in change.items():
                if value is None:
                    old.pop(name, None)
                else:
                    old[name] = merge(old.get(name), value) if type(value) is dict else value


def state_after(place: int, patches: Sequence[dict[str, Any]], keyframes: list[State]) -> State:
    """The state after event `place`, as `loosened` makes it: its entries are shared."""
    nearest, after = divmod(place, keyframe_every(len(patches)))
    state = loosened(keyframes[nearest])
    for patch in patches[place - after : place + 1]:
        absorb(state, patch)
    return state


def loosened(state: State) -> State:
    """A copy of a state that `absorb` may change; it shares the entries of the maps."""
    return {key: dict(value) if isinstance(value, dict) else value for key, value in state.items()}


def copied(data: Any) -> Any:
    """A deep copy of plain JSON."""
    if isinstance(data, dict):
        return {key: copied(value) for key, value in data.items()}
    return [copied(value) for value in data] if isinstance(data, list) else data


def merge(state: Any, patch: Any) -> Any:
    """Apply a merge patch to `state` without changing it: null deletes, objects merge.

    >>> merge({"a": 1, "b": {"c": 2}}, {"a": None, "b": {"d": 3}})
    {'b': {'c': 2, 'd': 3}}

    Source: RFC 7396, section 2.
    """
    if not isinstance(patch, dict):
        return patch
    merged = dict(state) if isinstance(state, dict) else {}
    for key, change in patch.items():
        if change is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), change) if type(change) is dict else change
    return merged


# -- forward passes, which a walk shows or leaves out -------------------------------------------


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
