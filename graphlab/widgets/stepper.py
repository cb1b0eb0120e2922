"""The stepper: a timeline on the page, whose place Python can read and move.

The trace travels to the browser once; from then on only the step and the play button are shared.

Read next: js/src/widget.ts, the other end of the traits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import anywidget
import traitlets

from graphlab.graph.timeline import Timeline

MODULE = Path(__file__).parent / "static" / "widget.js"
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


class Stepper(anywidget.AnyWidget):
    """Walks a backward pass in the notebook, forwards and backwards, one event at a time.

    `step` is the index of the event shown, 0 <= step < len(timeline): set it and the picture
    follows, click and it follows the picture. `playing` starts and stops the play button.

    Raises: TypeError when it is given anything but a Timeline.
    """

    _esm = browser_module()

    trace = traitlets.Dict(help="the timeline as JSON, for the browser").tag(sync=True)
    step = traitlets.Int(0, help="index of the event shown").tag(sync=True)
    playing = traitlets.Bool(False, help="whether the steps follow one another").tag(sync=True)

    def __init__(self, timeline: Timeline, **traits: Any) -> None:
        if not isinstance(timeline, Timeline):
            raise TypeError(
                f"Stepper shows a Timeline, but got {type(timeline).__name__}; "
                "graphlab.trace(tensor) makes one, and graphlab.step(tensor) does both"
            )
        self.timeline = timeline
        super().__init__(trace=timeline.to_json(), **traits)

    @traitlets.validate("step")
    def _step_is_an_event(self, proposal: Any) -> int:
        step = cast(int, proposal["value"])
        count = len(self.timeline)
        if 0 <= step < max(count, 1):
            return step
        if not count:
            raise traitlets.TraitError(f"step {step} does not exist: this timeline has no events")
        raise traitlets.TraitError(
            f"step {step} does not exist: this timeline has {count} events, 0 to {count - 1}"
        )

    def first(self) -> None:
        """Go to the first event."""
        self.step = 0

    def last(self) -> None:
        """Go to the last event."""
        self.step = max(len(self.timeline) - 1, 0)

    def forward(self) -> None:
        """Go to the next rule or leaf: the next stop of granularity "node"."""
        self.step = next((k for k in self.timeline.stops() if k > self.step), self.step)

    def back(self) -> None:
        """Go to the rule or leaf before this one."""
        earlier = (k for k in reversed(self.timeline.stops()) if k < self.step)
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
