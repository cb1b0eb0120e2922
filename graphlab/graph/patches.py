"""The state of a timeline follows from applying merge patches (RFC 7396), one for each event.

The player applies the same patches in js/src/merge.ts.

Read next: graph/timeline.py
"""

from collections.abc import Sequence
from typing import Any

from graphlab.graph.events import State

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
