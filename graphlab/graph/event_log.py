"""An event log is a list of events that keeps the first 100,000 and counts the others.

A trace that is too long is cut, not refused. A loop of a million operations must not fill the
memory of the kernel or of the browser.

A step is the index of an event: one integer, which may be negative to count from the end.

Read next: graph/timeline.py
"""

import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex, final

from graphlab.common.errors import described, written
from graphlab.graph.events import EVENTS, Event

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
