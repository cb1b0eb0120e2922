"""An Opening tells a player where to begin: at which event, in which mode, with which drawing.

It is part of the trace, so that a saved notebook or page opens as its author wants.

Read next: graph/document.py
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from graphlab.common.errors import described, written
from graphlab.graph.codec import decode, fault
from graphlab.graph.event_log import ForwardPart, with_parts, without_parts
from graphlab.graph.events import Level
from graphlab.graph.scene import View


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
