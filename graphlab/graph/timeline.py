"""A timeline is a graph and the events on it; the state at any event is a fold of patches.

Events never change. Going back means folding again from the nearest keyframe. The player folds the
same patches in TypeScript, so both always agree.

Read next: graph/document.py
"""

from __future__ import annotations

import operator
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, SupportsIndex, final

from graphlab.graph.document import read, write
from graphlab.graph.events import EVENTS, Event, State
from graphlab.graph.model import Graph
from graphlab.graph.presenters import present, registered
from graphlab.graph.scene import Pass, Scene, View

KEYFRAME_EVERY = 32  # events, at least
MOST_KEYFRAMES = 64  # states that a timeline keeps, at most
GRANULARITIES = {
    "story": ("story",),
    "node": ("story", "node"),
    "micro": ("story", "node", "micro"),
}


@final
@dataclass(frozen=True)
class Timeline:
    """What backward passes did: `timeline[k]` is an event, `state_at(k)` the state after it.

    graph: all nodes and tensors of the passes. events: in order. scenes: drawings of the graph.
    title: what the gradients are the gradients of. passes: the passes of a recording; the state is
    folded through all of them. notice: a sentence about the whole. live: the arrays themselves.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> timeline = graphlab.trace(x * x)
    >>> len(timeline), timeline[0].sentence
    (14, 'The backward pass starts at x * x with the gradient 1.0.')
    >>> timeline.state_at(-1)["leaves"]["t0"]["after"]["text"]
    '6.0'
    """

    graph: Graph
    events: tuple[Event, ...]
    # default factories leave no class attribute, so that __getattr__ is called for `later`
    scenes: tuple[Scene, ...] = field(default_factory=tuple)
    title: str = field(default_factory=str)
    passes: tuple[Pass, ...] = field(default_factory=tuple)
    notice: str = field(default_factory=str)  # that events were left out
    # "t5", "t5.grad" -> the array, held weakly, None if it is gone; never written to JSON
    live: Mapping[str, Callable[[], Any]] = field(default_factory=dict, repr=False, compare=False)
    _folded: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def later(cls, make: Callable[[], Timeline], draw: Callable[[Timeline], Timeline]) -> Timeline:
        """A timeline that is made on first use, and drawn when its scenes are used."""
        timeline = object.__new__(cls)
        timeline.__dict__.update(_make=make, _draw=draw)
        return timeline

    def __getattr__(self, name: str) -> Any:
        known = self.__dict__
        if name not in _PARTS or "_make" not in known:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if "graph" not in known:
            made = known["_make"]()
            known.update({part: getattr(made, part) for part in _PARTS if part not in _DRAWN})
            known["_made"] = made
        if name in _DRAWN:
            drawn = known["_draw"](known["_made"])
            known.update({part: getattr(drawn, part) for part in _DRAWN})
        return known[name]

    def _forget(self) -> None:
        """Drop what was made, because more has happened."""
        if "graph" in self.__dict__:
            for part in (*_PARTS, "_made"):
                self.__dict__.pop(part, None)

    def __len__(self) -> int:
        return len(self.events)

    def __bool__(self) -> bool:
        return True  # a timeline without events has a picture, too

    def __getitem__(self, k: SupportsIndex) -> Event:
        return self.events[self._place(k)]

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    @property
    def initial(self) -> State:
        """The state before the first event."""
        if any(event.kind == "PassBegan" for event in self.events):  # each says what it starts with
            return {"status": {}, "deps": {}, "queue": [], "held": 0, "total": 0}
        deps: dict[str, int] = {}
        for edge in self.graph.edges:
            deps[edge.target] = deps.get(edge.target, 0) + 1
        saved = [saved for node in self.graph.nodes for saved in node.saved]
        total = sum(one.nbytes for one in saved)
        held = sum(one.nbytes for one in saved if not one.freed)
        return {"status": {}, "deps": deps, "queue": [], "held": held, "total": total}

    def pass_at(self, k: SupportsIndex) -> int:
        """The number of the pass that event `k` belongs to, counted from 0; 0 without any.

        Raises: IndexError when there is no such event.
        """
        place = self._place(k)
        return max(0, bisect_right([one.first for one in self.passes], place) - 1)

    @property
    def patches(self) -> tuple[dict[str, Any], ...]:
        """The RFC 7396 merge patch of each event, in order."""
        return tuple(copied(patch) for patch in self._fold()[0])

    def state_at(self, k: SupportsIndex) -> State:
        """The state after event `k`; negative `k` counts from the end, as in a list.

        Raises: IndexError when there is no such event.
        """
        place = self._place(k)
        patches, keyframes = self._fold()
        every = keyframe_every(len(patches))
        nearest = place // every
        state = loosened(keyframes[nearest])
        for patch in patches[nearest * every : place + 1]:
            absorb(state, patch)
        return copied(state)

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
        """The whole timeline as plain JSON (docs/trace.md); `Timeline.from_json` reads it back."""
        return write(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any] | str | bytes | os.PathLike[str]) -> Timeline:
        """Read a trace: what `to_json` gave, its text, or the `Path` of a file with that text.

        A text is never taken for the name of a file. Nothing in a document is ever evaluated.
        Raises: TraceError when it is no trace (naming the place), TraceVersionError when it is
        newer than this GraphLab, OSError when the file cannot be read.
        """
        return cls(*read(document))

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        step: SupportsIndex | None = None,
        view: View | None = None,
        theme: str | None = None,
        scale: float | None = None,
        seconds: float | None = None,
        granularity: str | None = None,
    ) -> Path:
        """Write the form that `path` ends with, and return where it is.

        .html plays offline, .gif is an animation, .svg, .png and .pdf show one event, .json can be
        opened again, .mmd (Mermaid), .dot and .txt are text. step: an event's index, as in
        `timeline[17]`. view: "both", "backward" or "computation". theme: "light" or "dark". scale:
        pixels for each of the drawing's. seconds: how long a step of a GIF stands. granularity:
        the steps of a GIF, "story", "node" or "micro".
        Raises: ValueError if there is no such form, or it has no such option; IndexError if no such
        step exists; ImportError, with the command to run, if the form needs a library that is
        not installed; OSError if the file cannot be written, and then no part of it is left.
        """
        saver = registered("Timeline.save")
        if saver is None:
            raise RuntimeError("import graphlab, which knows how to draw, and save again")
        return saver(
            self,
            path,
            step=step,
            view=view,
            theme=theme,
            scale=scale,
            seconds=seconds,
            granularity=granularity,
        )

    def __repr__(self) -> str:
        if not self.graph.tensors:
            return f"<Timeline: {self.title or 'no graph'}>"
        title = f" of {self.title}" if self.title else ""
        count = len(self.graph.nodes)
        nodes = "1 node" if count == 1 else f"{count} nodes"
        return f"<Timeline{title}: {nodes}, {len(self.events)} events>"

    def _display_(self) -> Any:
        """Show the live player in marimo, which runs no scripts of an output's HTML."""
        live = registered("Timeline.live")
        return repr(self) if live is None else live(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any] | None:
        return present(self)

    def _place(self, k: SupportsIndex) -> int:
        count = len(self.events)
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

    def _fold(self) -> tuple[tuple[dict[str, Any], ...], list[State]]:
        """All patches, and the states at keyframes; made once, on first use."""
        if not self._folded:
            state = self.initial
            patches: list[dict[str, Any]] = []
            keyframes = [loosened(state)]
            every = keyframe_every(len(self.events))
            for event in self.events:
                patches.append(event.patch(state))
                absorb(state, patches[-1])
                if len(patches) % every == 0:
                    keyframes.append(loosened(state))
            self._folded.append((tuple(patches), keyframes))
        return self._folded[0]


_DRAWN = ("scenes", "passes")
_PARTS = ("graph", "events", "title", "notice", "live", "_folded", *_DRAWN)


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


def keyframe_every(events: int) -> int:
    """The number of events between two keyframes."""
    return max(KEYFRAME_EVERY, -(-events // MOST_KEYFRAMES))


def absorb(state: State, patch: dict[str, Any]) -> None:
    """Apply a merge patch to `state` in place.

    Only the maps of the state itself change; their entries are shared with patches, and replaced.
    """
    for key, change in patch.items():
        held = state.get(key)
        if change is None:
            state.pop(key, None)
        elif not isinstance(change, dict) or not isinstance(held, dict):
            state[key] = merge(held, change)
        else:
            for name, value in change.items():
                if value is None:
                    held.pop(name, None)
                else:
                    held[name] = merge(held.get(name), value)


def loosened(state: State) -> State:
    """A copy of a state that `absorb` may change; the entries of its maps are shared."""
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
            merged[key] = merge(merged.get(key), change)
    return merged
