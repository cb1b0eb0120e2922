"""A timeline is a graph and what happened on it; the state at any moment is a fold of patches.

Events are recorded once and never change. To go back is to fold again, from the nearest keyframe;
TypeScript folds the very same patches, so both sides always agree.

Read next: graph/document.py
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, SupportsIndex, final

from graphlab.graph.events import Event, State
from graphlab.graph.model import Graph
from graphlab.graph.present import present
from graphlab.graph.scene import Scene

KEYFRAME_EVERY = 32  # events
GRANULARITIES = {
    "story": ("story",),
    "node": ("story", "node"),
    "micro": ("story", "node", "micro"),
}


@final
@dataclass(frozen=True)
class Timeline:
    """What one backward pass did: `timeline[k]` is an event, `state_at(k)` the state after it."""

    graph: Graph
    events: tuple[Event, ...]
    scenes: tuple[Scene, ...] = ()
    title: str = ""
    _folded: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.events)

    def __bool__(self) -> bool:
        return True  # a timeline without events is still a picture

    def __getitem__(self, k: SupportsIndex) -> Event:
        return self.events[self._place(k)]

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    @property
    def initial(self) -> State:
        """The state before the first event."""
        deps: dict[str, int] = {}
        for edge in self.graph.edges:
            deps[edge.target] = deps.get(edge.target, 0) + 1
        saved = [saved for node in self.graph.nodes for saved in node.saved]
        total = sum(one.nbytes for one in saved)
        held = sum(one.nbytes for one in saved if not one.freed)
        return {"status": {}, "deps": deps, "queue": [], "held": held, "total": total}

    @property
    def patches(self) -> tuple[dict[str, Any], ...]:
        """The RFC 7396 merge patch of each event, in order."""
        return copy.deepcopy(self._fold()[0])

    def state_at(self, k: SupportsIndex) -> State:
        """The state after event `k`; negative `k` counts from the end, as in a list.

        Raises: IndexError when there is no such event.
        """
        place = self._place(k)
        patches, keyframes = self._fold()
        nearest = place // KEYFRAME_EVERY
        state = keyframes[nearest]
        for patch in patches[nearest * KEYFRAME_EVERY : place + 1]:
            state = merge(state, patch)
        return copy.deepcopy(state)

    def stops(self, granularity: str = "node") -> tuple[int, ...]:
        """The indexes of the events at which a player stops; each granularity holds the coarser.

        Raises: ValueError when `granularity` is not "story", "node" or "micro".
        """
        levels = GRANULARITIES.get(granularity)
        if levels is None:
            choices = list(GRANULARITIES)
            raise ValueError(f"unknown granularity {granularity!r} (must be one of {choices})")
        return tuple(k for k, event in enumerate(self.events) if event.level in levels)

    def to_json(self) -> dict[str, Any]:
        """The whole timeline as plain JSON; `Timeline.from_json` reads it back."""
        from graphlab.graph.document import write

        return write(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any] | str) -> Timeline:
        """Read what `to_json` wrote, as a dict or as text. Nothing in it is ever evaluated.

        Raises: TraceError when it is no trace (naming the place), TraceVersionError when it is
        newer than this GraphLab.
        """
        from graphlab.graph.document import read

        return read(document)

    def __repr__(self) -> str:
        title = f" of {self.title}" if self.title else ""
        count = len(self.graph.nodes)
        nodes = "1 node" if count == 1 else f"{count} nodes"
        return f"<Timeline{title}: {nodes}, {len(self.events)} events>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any] | None:
        return present(self)

    def _place(self, k: SupportsIndex) -> int:
        try:
            index = operator.index(k)
        except TypeError:
            raise TypeError(
                f"a step is one integer, got {type(k).__name__}; take several events with "
                "timeline.events[1:3]"
            ) from None
        place = index + len(self.events) if index < 0 else index
        if 0 <= place < len(self.events):
            return place
        if not self.events:
            raise IndexError(f"step {index} does not exist: this timeline has no events")
        raise IndexError(
            f"step {index} does not exist: this timeline has {len(self.events)} events, "
            f"0 to {len(self.events) - 1} (or -{len(self.events)} to -1 from the end)"
        )

    def _fold(self) -> tuple[tuple[dict[str, Any], ...], list[State]]:
        """All patches, and the state before every 32nd event; made once, on first use."""
        if not self._folded:
            state = self.initial
            patches: list[dict[str, Any]] = []
            keyframes = [state]
            for event in self.events:
                patches.append(event.patch(state))
                state = merge(state, patches[-1])
                if len(patches) % KEYFRAME_EVERY == 0:
                    keyframes.append(state)
            self._folded.append((tuple(patches), keyframes))
        return self._folded[0]


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
            merged[key] = merge(merged.get(key), change)
    return merged
