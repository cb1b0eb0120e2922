"""An event log is a list of events that keeps the first 100,000 and counts the others.

A trace that is too long is cut, not refused. A loop of a million operations must not fill the
memory of the kernel or of the browser.

Read next: graph/timeline.py
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from graphlab.graph.events import Event

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

    def __iadd__(self, events: Iterable[Event]) -> EventLog:  # type: ignore[override]
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
