"""The index of an event, as a person gives it: one integer, which may count from the end.

Read next: graph/timeline.py
"""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex

from graphlab.graph.events import EVENTS


def step_index(k: SupportsIndex, count: int) -> int:
    """The index of event `k` of a timeline that has `count` of them.

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
        raise TypeError(f"a step is one integer, {_received(k, there)}") from None
    place = index + count if index < 0 else index
    if 0 <= place < count:
        return place
    back = f" (or -{count} to -1 from the end)" if count else ""
    raise IndexError(f"step {index} does not exist: this timeline has {there}{back}")


def _received(k: Any, there: str) -> str:
    """What was received for a step, and what to write instead."""
    if isinstance(k, slice):
        parts = (k.start, k.stop) if k.step is None else (k.start, k.stop, k.step)
        shown = ":".join("" if part is None else str(part) for part in parts)
        return f"got slice {shown}; several events are timeline.events[{shown}]"
    advice = f"; this timeline has {there}"
    if isinstance(k, str) and k in EVENTS:
        advice = f"; for all of a kind write [event for event in timeline if event.kind == {k!r}]"
    return f"got {type(k).__name__} {k!r}{advice}"
