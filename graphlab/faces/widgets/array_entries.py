"""Entries of large arrays for a player with a running kernel; a trace holds only a corner of each.

The player requests one window at a time. It is read from the tensor itself, if that still exists
and has not changed since it was recorded.

Read next: js/src/cards/arrays.ts
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.graph.array_sample import quick_sample, sample
from graphlab.graph.codec import decode, encode
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import number_text, summarise

MOST_ENTRIES = 400  # in one answer
GONE = "The kernel no longer holds this array: only the recorded entries can be shown."
CHANGED = "This array has changed since it was recorded: only the recorded entries can be shown."


def answer(timeline: Timeline, ask: Any) -> dict[str, Any]:
    """Return the requested entries, {"ask": n, "entries": [...]}, or {"ask": n, "why": "..."}.

    ask: {"ask": n, "value": "t5" or "t5.grad", "like": the value as recorded, "at": [...],
        "rows": [from, to], "cols": [from, to]}. It comes from a page and is not trusted.
    """
    number = ask.get("ask") if isinstance(ask, Mapping) else None
    try:
        return {"ask": number, "entries": _window(timeline, ask)}
    except (LookupError, ValueError, TypeError) as error:
        known = isinstance(error, LookupError) and error.args[:1] in ((GONE,), (CHANGED,))
        return {
            "ask": number,
            "why": error.args[0] if known else f"There is no such part: {error}.",
        }


def _window(timeline: Timeline, ask: Any) -> list[str]:
    held = timeline.live.get(decode(str, ask["value"], "value"))
    array = held() if held is not None else None
    if array is None:
        raise LookupError(GONE)
    like = _listed(ask["like"])
    # If a large array was recorded without statistics, only its corner is compared.
    bare = isinstance(like, dict) and like["statistics"] is None
    look = quick_sample if bare else sample
    if encode(summarise(look(array))) != like:
        raise LookupError(CHANGED)
    at = decode(tuple[int, ...], ask["at"], "at")
    rows = decode(tuple[int, int], ask["rows"], "rows")
    cols = decode(tuple[int, int], ask["cols"], "cols")
    matrix = np.asarray(array)
    matrix = matrix if matrix.ndim > 1 else matrix.reshape(1, -1)
    if len(at) != matrix.ndim - 2:
        raise ValueError(f"{len(at)} indexes before rows and columns, for {matrix.ndim} dimensions")
    spans = [(k, k + 1) for k in at] + [rows, cols]
    for (start, stop), length in zip(spans, matrix.shape, strict=True):
        if not 0 <= start < stop <= length:
            raise ValueError(f"{start} to {stop} of {length}")
    part = matrix[tuple(slice(start, stop) for start, stop in spans)]
    if part.size > MOST_ENTRIES:
        raise ValueError(f"{part.size} entries at once, more than {MOST_ENTRIES}")
    return [number_text(entry) for entry in part.reshape(-1).tolist()]


def _listed(value: Any) -> Any:
    """Return a value as it was recorded: a page may omit what is null."""
    return {"statistics": None, **value} if isinstance(value, dict) else value
