"""The stepper: a timeline on the page, whose place Python can read and move.

The trace travels to the browser once; from then on only what a person chose is shared: the step,
the play button, the granularity, the breakpoints, and how well the learner predicts.

Read next: js/src/widget.ts, the other end of the traits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast, get_args

import anywidget
import traitlets

from graphlab.faces.widgets.array_entries import answer
from graphlab.faces.widgets.cell_events import forget, tell
from graphlab.graph.compression import compressed
from graphlab.graph.events import Level
from graphlab.graph.timeline import Timeline

MODULE = Path(__file__).parent / "static" / "widget.js"
SETTINGS = ["step", "playing", "granularity", "breakpoints", "predicting", "score"]
ONE_TIMELINE = "a Stepper shows one timeline, and keeps it; graphlab.step(timeline) makes another"
BUILD = "npm --prefix js ci && npm --prefix js run build"


def browser_module(path: Path = MODULE) -> Path:
    """The widget's JavaScript, which every wheel holds and a clone has to build.

    Raises: FileNotFoundError that names the command which builds it.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"the stepper's browser module is missing: {path}. A wheel of GraphLab brings it; "
            f"in a clone, build it with: {BUILD}"
        )
    return path


def numbered(timeline: Timeline) -> str:
    """How many events there are, and how they are counted."""
    count = len(timeline)
    return f"{count} events, 0 to {count - 1}" if count else "no events"


class Step(traitlets.Int):
    """The index of an event; `True` is an integer to Python, and not to us."""

    def validate(self, obj: Any, value: Any) -> Any:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise traitlets.TraitError(
                f"a step is one integer, got {type(value).__name__} {value!r}; this timeline has "
                f"{numbered(obj.timeline)}"
            )
        return super().validate(obj, operator.index(value))


class Stepper(anywidget.AnyWidget):
    """Walks a backward pass in the notebook, forwards and backwards, one event at a time.

    `step` is the index of the event shown, 0 <= step < len(timeline): set it and the picture
    follows, click and it follows the picture. `playing` starts and stops the play button.
    `granularity` is "story", "node" or "micro". `breakpoints` lists ids of nodes ("n2") and names
    of kinds of nodes ("MulBackward0"). While `predicting`, outcomes are hidden until the learner
    has said what they will be; `score` counts: {"right": at the first try, "asked": all}.

    `stale` says, after a cell has run, why the tensors are no longer those that were recorded: it
    is what `watch()` gives.

    Raises: TypeError when it is given anything but a Timeline; TraitError when a step, a
    granularity, a breakpoint or a score does not exist.
    """

    _esm = browser_module()

    trace = traitlets.Dict(help="the compressed timeline, for the browser").tag(sync=True)
    step = Step(0, help="index of the event shown").tag(sync=True)
    playing = traitlets.Bool(False, help="whether the steps follow one another").tag(sync=True)
    granularity = traitlets.Enum(get_args(Level), "node", help="how much happens in one step").tag(
        sync=True
    )
    breakpoints = traitlets.List(help="nodes at which playing halts, by id or by name").tag(
        sync=True
    )
    predicting = traitlets.Bool(False, help="whether outcomes are asked for").tag(sync=True)
    score = traitlets.Dict(
        {"right": 0, "asked": 0}, help="predictions: right at the first try, and all"
    ).tag(sync=True)

    stale = traitlets.Unicode("", help="why what is shown is no longer so").tag(sync=True)

    def __init__(
        self, timeline: Timeline, watch: Callable[[], str] | None = None, **traits: Any
    ) -> None:
        if not isinstance(timeline, Timeline):
            raise TypeError(
                f"Stepper shows a Timeline, but got {type(timeline).__name__}; "
                "graphlab.trace(tensor) makes one, and graphlab.step(tensor) does both"
            )
        for name in traits:
            self._must_be_known(name, TypeError)
        self._timeline, self._document = timeline, compressed(timeline.to_json())
        super().__init__(trace=self._document, **traits)
        self.on_msg(self._answer)
        if watch is not None:
            tell(self, watch)

    @property
    def timeline(self) -> Timeline:
        """What it shows."""
        return self._timeline

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "timeline":
            raise AttributeError(ONE_TIMELINE)
        if not name.startswith("_"):
            self._must_be_known(name, AttributeError)
        super().__setattr__(name, value)

    def _must_be_known(self, name: str, error: type[Exception]) -> None:
        """Raises: `error` for a name that would be set and never looked at."""
        if not hasattr(type(self), name):
            raise error(f"a Stepper has no {name!r} to set (must be one of {SETTINGS})")

    def close(self) -> None:
        """Take it off the page; nothing is watched for it any more."""
        forget(self)
        super().close()

    def _answer(self, _: Any, content: Any, buffers: Any) -> None:
        """The page asks for entries of an array that the trace holds only a corner of."""
        self.send(answer(self.timeline, content))

    @traitlets.validate("step")
    def _step_is_an_event(self, proposal: Any) -> int:
        step = cast(int, proposal["value"])
        if 0 <= step < max(len(self.timeline), 1):
            return step
        raise traitlets.TraitError(
            f"step {step} does not exist: this timeline has {numbered(self.timeline)}"
        )

    @traitlets.validate("trace")
    def _trace_stays(self, proposal: Any) -> dict[str, Any]:
        if proposal["value"] is not self._document:
            raise traitlets.TraitError(ONE_TIMELINE)
        return self._document

    @traitlets.validate("breakpoints")
    def _breakpoints_are_nodes(self, proposal: Any) -> list[str]:
        marks = cast(list[Any], proposal["value"])
        nodes = self.timeline.graph.nodes
        kinds = {node.name for node in nodes}
        known = kinds | {node.id for node in nodes}
        for mark in marks:
            if not isinstance(mark, str) or mark not in known:
                raise traitlets.TraitError(
                    f"no node is called {mark!r} (must be the id of a node, such as "
                    f"{nodes[0].id!r}, or one of {sorted(kinds)})"
                    if nodes
                    else f"no node is called {mark!r}: this timeline has no nodes"
                )
        return list(dict.fromkeys(marks))

    @traitlets.validate("score")
    def _score_counts(self, proposal: Any) -> dict[str, int]:
        score = cast(dict[str, Any], proposal["value"])
        right, asked = score.get("right"), score.get("asked")
        counts = type(right) is int and type(asked) is int and 0 <= right <= asked
        if not counts or len(score) != 2:
            raise traitlets.TraitError(
                f"the score {score!r} does not count: it should be "
                '{"right": r, "asked": a} with 0 <= r <= a'
            )
        return score

    def first(self) -> None:
        """Go to the first event."""
        self.step = 0

    def last(self) -> None:
        """Go to the last event."""
        self.step = max(len(self.timeline) - 1, 0)

    def forward(self) -> None:
        """Go to the next stop of this granularity."""
        stops = self.timeline.stops(self.granularity)
        self.step = next((k for k in stops if k > self.step), self.step)

    def back(self) -> None:
        """Go to the stop before this one."""
        stops = self.timeline.stops(self.granularity)
        earlier = (k for k in reversed(stops) if k < self.step)
        self.step = next(earlier, self.step)

    def __repr__(self) -> str:
        title = f" of {self.timeline.title}" if self.timeline.title else ""
        count = len(self.timeline)
        if not count:
            return f"<Stepper{title}: no events>"
        said = "".join(part if isinstance(part, str) else part[1] for part in self._event.caption)
        return f"<Stepper{title}: event {self.step} of 0 to {count - 1}: {said}>"

    @property
    def _event(self) -> Any:
        return self.timeline[self.step]
