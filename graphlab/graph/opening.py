"""How a player opens: at which event, in which mode, with which steps and which drawing.

It travels with the trace, so that a saved notebook and a saved page open as their author wants.

Read next: graph/document.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from graphlab.graph.codec import decode, fault
from graphlab.graph.events import Level
from graphlab.graph.forward_parts import ForwardPart, with_parts, without_parts
from graphlab.graph.scene import View


@dataclass(frozen=True, slots=True)
class Opening:
    """What a player shows at first. None: as the player opens by itself."""

    step: int  # index of the event, in the walk as it is shown
    predicting: bool = False  # whether later outcomes are hidden until they are predicted
    granularity: Level | None = None
    view: View | None = None


def opening_of(step: int, predicting: Any, granularity: Any, view: Any) -> Opening:
    """The opening at event `step`, which exists.

    Raises: TypeError if `predicting` is neither True nor False; ValueError for an unknown
    granularity or view.
    """
    if not isinstance(predicting, bool | np.bool_):
        raise TypeError(
            f"predicting is True or False, got {type(predicting).__name__} {predicting!r:.40}; "
            "with predicting=True the player asks for each outcome after this event"
        )
    for what, choice, known in (("granularity", granularity, Level), ("view", view, View)):
        choices = [*get_args(known)]
        if choice is not None and choice not in choices:
            raise ValueError(f"unknown {what} {choice!r} (must be one of {choices})")
    return Opening(step, bool(predicting), granularity, view)


def moved_opening(
    opening: Opening | None, parts: Sequence[ForwardPart], joins: bool
) -> Opening | None:
    """The opening at the same event, in the walk with forward parts or without them.

    The beginning stays the beginning, as in a player.
    """
    if opening is None or not opening.step:
        return opening
    return replace(opening, step=(with_parts if joins else without_parts)(opening.step, parts))


def read_opening(data: Any, count: int, cut: bool) -> Opening | None:
    """The opening in a document of `count` events; cut: whether more events were left out.

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
