"""A step is the index of an event: one integer, which may be negative to count from the end.

Read next: graph/timeline.py
"""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex

from graphlab.graph.events import EVENTS


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
    raise IndexError(f"step {index} does not exist: this timeline has {there}{back}")


def _received(k: Any, there: str) -> str:
    """The end of an error: what was received as a step, and what to write instead."""
    if isinstance(k, slice):
        parts = (k.start, k.stop) if k.step is None else (k.start, k.stop, k.step)
        shown = ":".join("" if part is None else str(part) for part in parts)
        return f"got slice {shown}; for several events write timeline.events[{shown}]"
    advice = f"; this timeline has {there}"
    if isinstance(k, str) and k in EVENTS:
        advice = f"; for the indexes of all such events write timeline.find({k!r})"
    return f"got {type(k).__name__} {k!r}{advice}"
