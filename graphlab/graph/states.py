"""The states of a timeline: what holds after each event, computed from the patches of the events.

To go back, the patches are applied again from the nearest keyframe. The player applies the same
patches in TypeScript, so both always agree. An Opening says at which of them a player begins.

Read next: graph/timeline.py
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, SupportsIndex, get_args

import numpy as np

from graphlab.common.errors import described, written
from graphlab.graph.codec import decode, fault
from graphlab.graph.event_log import (
    ForwardPart,
    absorb,
    copied,
    keyframe_every,
    loosened,
    state_after,
    step_index,
    with_parts,
    without_parts,
)
from graphlab.graph.events import Event, Level, PassBegan, State
from graphlab.graph.model import Graph
from graphlab.graph.scene import Pass, View

GRANULARITIES = {
    "story": ("story",),
    "node": ("story", "node"),
    "micro": ("story", "node", "micro"),
}


class States:
    """The methods of a Timeline that take steps and give states."""

    graph: Graph
    events: tuple[Event, ...]
    passes: tuple[Pass, ...]
    forward: tuple[ForwardPart, ...]
    _folded: list[Any]

    def with_forward(self, on: bool = True) -> Any:
        raise NotImplementedError  # implemented by Timeline

    @property
    def initial(self) -> State:
        """The state before the first event.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> graphlab.trace(x * x).initial["held"]  # bytes of saved tensors
        8
        """
        if PassBegan in set(map(type, self.events)):  # whose patches set all of it
            return {"status": {}, "deps": {}, "queue": [], "held": 0, "total": 0}
        deps: dict[str, int] = {}
        for edge in self.graph.edges:
            deps[edge.target] = deps.get(edge.target, 0) + 1
        saved = [saved for node in self.graph.nodes for saved in node.saved]
        total = sum(one.nbytes for one in saved)
        held = sum(one.nbytes for one in saved if not one.freed)
        return {"status": {}, "deps": deps, "queue": [], "held": held, "total": total}

    def pass_at(self, k: SupportsIndex) -> int:
        """The number of the pass that event `k` belongs to, counted from 0.

        Raises: IndexError when there is no such event.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> with graphlab.record() as timeline:
        ...     (x * x).backward()
        ...     (x * x).backward()
        >>> timeline.pass_at(0), timeline.pass_at(-1)
        (0, 1)
        """
        place = self._place(k)
        return max(0, bisect_right([one.first for one in self.passes], place) - 1)

    @property
    def patches(self) -> tuple[dict[str, Any], ...]:
        """The RFC 7396 merge patch of each event, in order.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> timeline = graphlab.trace(x * x)
        >>> timeline.patches[timeline.find("SavedFreed")[0]]
        {'freed': {'n0': True}, 'held': 0}
        """
        return tuple(copied(patch) for patch in self._fold()[0])

    @property
    def shared_patches(self) -> tuple[list[Any], list[Any]]:
        """The patches, and those of each forward part; do not change them, as they are shared.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> own, forward = graphlab.trace(x * x).shared_patches
        >>> len(own), len(forward[0])
        (14, 5)
        """
        base, found = self.with_forward(False), []
        for part in self.forward:
            before, folded = part.before, base._fold()
            state = state_after(before - 1, *folded) if before else base.initial
            found.append([])
            for event in part.events:
                found[-1].append(event.patch(state))
                absorb(state, found[-1][-1])
        return list(self._fold()[0]), found

    def state_at(self, k: SupportsIndex) -> State:
        """The state after event `k`; negative `k` counts from the end, as in a list.

        Raises: IndexError when there is no such event.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> state = graphlab.trace(x * x).state_at(-1)
        >>> state["leaves"]["t0"]["after"]["text"], state["held"]
        ('6.0', 0)
        """
        return copied(state_after(self._place(k), *self._fold()))

    def stops(self, granularity: str = "node") -> tuple[int, ...]:
        """The indexes of the events at which a player stops.

        granularity: "story" (fewest stops), "node" or "micro" (every event).
        Raises: ValueError for any other granularity.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> graphlab.trace(x * x).stops("story")
        (0, 12, 13)
        """
        levels = GRANULARITIES.get(granularity)
        if levels is None:
            choices = list(GRANULARITIES)
            raise ValueError(f"unknown granularity {granularity!r} (must be one of {choices})")
        return tuple(k for k, event in enumerate(self.events) if event.level in levels)

    def _place(self, k: SupportsIndex) -> int:
        return step_index(k, len(self.events))

    def _fold(self) -> tuple[tuple[dict[str, Any], ...], list[State]]:
        """All patches, and the states at keyframes; computed once, on first use."""
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


@dataclass(frozen=True, slots=True)
class Opening:
    """What a player shows first. None: the player's own choice."""

    step: int  # index of the event, in the walk that is shown
    predicting: bool = False  # whether outcomes are hidden until a student has predicted them
    granularity: Level | None = None
    view: View | None = None


def opening_of(step: int, predicting: Any, granularity: Any, view: Any) -> Opening:
    """The opening at event `step`, which must exist.

    Raises: TypeError if `predicting` is neither True nor False; ValueError for an unknown
    granularity or view.
    """
    if not isinstance(predicting, bool | np.bool_):
        raise TypeError(
            f"predicting must be True or False, got {described(predicting)}; "
            "with predicting=True the player asks for each outcome after this event"
        )
    for what, choice, known in (("granularity", granularity, Level), ("view", view, View)):
        choices = [*get_args(known)]
        if choice is not None and choice not in choices:
            raise ValueError(f"unknown {what} {written(choice)} (must be one of {choices})")
    return Opening(step, bool(predicting), granularity, view)


def moved_opening(
    opening: Opening | None, parts: Sequence[ForwardPart], joins: bool
) -> Opening | None:
    """The opening at the same event in the walk with forward parts (joins) or without them.

    An opening at the first event stays there.
    """
    if opening is None or not opening.step:
        return opening
    return replace(opening, step=(with_parts if joins else without_parts)(opening.step, parts))


def read_opening(data: Any, count: int, cut: bool) -> Opening | None:
    """The opening in a document of `count` events. cut: whether events were left out.

    Raises: TraceError that says what is damaged.
    """
    if data is None:
        return None
    opening: Opening = decode(Opening, data, "opening")
    if cut and opening.step >= count > 0:
        return replace(opening, step=count - 1)
    if 0 <= opening.step < count:
        return opening
    wanted = f"the index of an event, 0 to {count - 1}" if count else "nothing: it has no events"
    raise fault("opening.step", opening.step, wanted)
