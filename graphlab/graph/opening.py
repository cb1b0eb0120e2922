"""An Opening tells a player where to begin: at which event, in which mode, with which drawing.

It is part of the trace, so that a saved notebook or page opens as its author wants.

Presenters show a Timeline. The graph layer may not import the layers above it, which draw. So the
package registers the name of a function, and the function is imported when it is first used.

Read next: graph/document.py
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, get_args

import numpy as np

from graphlab.common.errors import described, written
from graphlab.graph.codec import decode, fault
from graphlab.graph.events import Level
from graphlab.graph.forward_parts import ForwardPart, with_parts, without_parts
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


_presenters: dict[str, str] = {}


def register(class_name: str, where: str) -> None:
    """Let the function `where` ("package.module:function") present instances of `class_name`.

    "Timeline.save" is for saving a Timeline, "Timeline.slope" for drawing one of its slopes, and
    "Timeline.live" for showing it in marimo.
    """
    module, colon, function = where.partition(":")
    if not (module and colon and function):
        raise ValueError(f"a presenter must be 'module:function', got {where!r}")
    _presenters[class_name] = where


def present(thing: object) -> dict[str, Any] | None:
    """The MIME bundle of `thing`; None if nothing is registered, so that IPython shows its repr."""
    function = registered(type(thing).__name__)
    return None if function is None else function(thing)


def registered(name: str) -> Callable[..., Any] | None:
    """The function that is registered under `name`; None if there is none."""
    where = _presenters.get(name)
    if where is None:
        return None
    module, _, function = where.partition(":")
    return getattr(import_module(module), function)
