"""A timeline is a graph and its events; applying the patches of the events gives every state.

Events never change. To go back, the patches are applied again from the nearest keyframe. The player
applies the same patches in TypeScript, so both always agree.

Read next: graph/event_log.py
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, SupportsIndex, final

from graphlab.common.notebook import present, registered
from graphlab.graph.document import read, write
from graphlab.graph.event_log import ForwardPart, joined, moved, separated
from graphlab.graph.events import Event, Level
from graphlab.graph.formulas import Replay
from graphlab.graph.gradient_health import Diagnosis, failure_in
from graphlab.graph.model import Graph
from graphlab.graph.questions import (
    Question,
    Questions,
    in_order,
    questions_of,
    with_forward_parts,
    without_forward_parts,
)
from graphlab.graph.readings import Readings
from graphlab.graph.scene import Pass, Scene, View
from graphlab.graph.states import Opening, States, moved_opening, opening_of


@final
@dataclass(frozen=True)
class Timeline(States, Diagnosis, Readings):
    """What backward passes did: `timeline[k]` is an event, `state_at(k)` the state after it.

    graph: all nodes and tensors of the passes. events: in order. scenes: drawings of the graph.
    title: the expression whose gradients are computed. passes: the passes of a recording; the state
    goes on from one to the next. notice: a sentence about the whole. live: the arrays themselves.
    replay: the formulas with which a player runs the graph with other values. again: runs it with
    other values in Python, while its tensors exist.
    forward: the forward pass of each backward pass; walks_forward: whether `events` hold them.
    opening: how a player opens; see `at`. asked: the questions of `ask`, with indexes that count
    forward parts. error: the expected error that ended the block.

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
    # what is needed to run the graph with other values; None if it is not known
    replay: Replay | None = field(default_factory=lambda: None, repr=False)
    # takes {leaf: entries}; returns a timeline, or why there is none; never written to JSON
    again: "Callable[[Mapping[str, Any]], Timeline | str] | None" = field(
        default_factory=lambda: None, repr=False, compare=False
    )
    forward: tuple[ForwardPart, ...] = field(default_factory=tuple, repr=False)
    walks_forward: bool = field(default_factory=bool)  # whether `events` hold the forward parts
    opening: Opening | None = field(default_factory=lambda: None)  # None: at the first event
    asked: Questions = field(default_factory=tuple, repr=False)  # in order
    # the error of record(expect=...), without its traceback; never written to JSON
    error: Exception | None = field(default_factory=lambda: None, repr=False, compare=False)
    _folded: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def later(
        cls, make: "Callable[[], Timeline]", draw: "Callable[[Timeline], Timeline]"
    ) -> "Timeline":
        """A timeline that is made when it is first used, and drawn when its scenes are used.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> make = lambda: graphlab.trace(x * x)
        >>> len(graphlab.Timeline.later(make, lambda timeline: timeline))
        14
        """
        timeline = object.__new__(cls)
        timeline.__dict__.update(_make=make, _draw=draw)
        return timeline

    def __getattr__(self, name: str) -> Any:
        known = self.__dict__
        if name not in _PARTS or "_make" not in known:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if "graph" not in known:
            made = known["_make"]()
            known["_made"] = made  # before its parts, by which another thread sees that it is made
            known.update({part: getattr(made, part) for part in _MADE})
        if name in _DRAWN:
            drawn = known["_draw"](known["_made"])
            known.update({part: getattr(drawn, part) for part in _DRAWN})
        return known[name]

    def with_forward(self, on: bool = True) -> "Timeline":
        """The same walk with its forward passes, or without them.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> timeline = graphlab.trace(x * x).with_forward()
        >>> timeline[1].sentence
        'x * x is computed: 3.0 × 3.0 = 9.0.'
        """
        if bool(on) == self.walks_forward:
            return self
        if "_made" in self.__dict__:  # draw only when used; both walks have the same drawings
            made = self.__dict__["_made"]

            def draw(_: Timeline) -> Timeline:
                drawn = replace(made, scenes=self.scenes, passes=self.passes)
                return drawn.with_forward(on)

            return Timeline.later(lambda: made.with_forward(on), draw)
        parts = self.forward
        events = joined(self.events, parts) if on else separated(self.events, parts)
        passes = moved(self.passes, parts, on)
        return replace(
            self,
            events=events,
            passes=passes,
            walks_forward=bool(on),
            opening=moved_opening(self.opening, parts, on),
        )

    def at(
        self,
        k: SupportsIndex,
        *,
        predicting: bool | None = None,
        granularity: Level | None = None,
        view: View | None = None,
    ) -> "Timeline":
        """A copy whose player opens at event `k`: in a notebook, as a saved page, and in `step()`.

        k: the index of an event, as in `timeline[k]`. predicting: whether the player asks for each
        outcome after this event; by default it does if it has questions from `ask`. granularity:
        "story", "node" or "micro". view: "both", "backward" or "computation". The picture that is
        shown without scripts also shows this event, and nothing after it.
        Raises: IndexError or TypeError when there is no such event, TypeError when `predicting` is
        neither True nor False, ValueError for an unknown granularity or view.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> graphlab.trace(x * x).at(6, predicting=True, granularity="story").opening
        Opening(step=6, predicting=True, granularity='story', view=None)
        """
        asks = bool(self.asked) if predicting is None else predicting
        return replace(self, opening=opening_of(self._place(k), asks, granularity, view))

    def ask(self, questions: Mapping[Any, Question]) -> "Timeline":
        """A copy whose player asks these questions, each before it shows the question's event.

        questions: {event: Question}; an event is its index, or the result of a `find` that found
            one event. They are added to earlier questions. The copy opens in predict mode.
        Raises: IndexError for an unknown event, TypeError or ValueError for a wrong question.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> timeline = graphlab.trace(x * x)
        >>> question = graphlab.Question("What will x.grad hold?", 6.0, hints={3.0: "Two uses."})
        >>> quiz = timeline.ask({timeline.find("LeafWritten"): question})
        >>> [(k, one.text) for k, one in quiz.questions]
        [(12, 'What will x.grad hold?')]
        """
        more = questions_of(questions, self._place)
        if not self.walks_forward:
            more = with_forward_parts(more, self.forward)
        opening = replace(self.opening or Opening(0), predicting=True)
        return replace(self, asked=in_order((*self.asked, *more)), opening=opening)

    @property
    def questions(self) -> Questions:
        """The questions that this walk asks, in order, each with the index of its event.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> question = graphlab.Question("What will x.grad hold?", 6.0)
        >>> graphlab.trace(x * x).ask({12: question}).questions[0][0]
        12
        """
        if self.walks_forward:
            return self.asked
        return without_forward_parts(self.asked, self.forward)

    def _forget(self) -> None:
        """Drop what was made, because more was recorded since."""
        if "graph" in self.__dict__:
            for part in (*_PARTS, "_made"):
                self.__dict__.pop(part, None)

    def __len__(self) -> int:
        return len(self.events)

    def __bool__(self) -> bool:
        return True  # a timeline without events also has a picture

    def __getitem__(self, k: SupportsIndex) -> Event:
        return self.events[self._place(k)]

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def slope(
        self,
        name: Any,
        *,
        entry: int | tuple[int, ...] | None = None,
        of: Any = None,
        other: Any = None,
        theme: str = "light",
    ) -> Any:
        """A plot of the root as a function of one entry of a leaf, with its tangent.

        name: the leaf, or its name. entry: which entry of an array, (0, 1). of: a tensor of one
        number to plot instead of the root. other: a second leaf, "b" or ("w", (0, 1)), for a plot
        with contour lines and an arrow of steepest descent. theme: "light" or "dark". All other
        entries stay fixed. A recording, which has no formulas, is plotted with its own steps.

        Returns: a picture with `.svg`, `.save("slope.png")`, `.slopes`, and `.text`, which says
            what it shows.
        Raises: ValueError that lists the choices, for an unknown name or entry, or gives the
            reason, when the graph cannot be run again.

        >>> import graphlab
        >>> w = graphlab.tensor(3.0, requires_grad=True)
        >>> picture = graphlab.trace((w - 1) ** 2).slope("w")
        >>> picture.text
        'At w = 3: slope 4, the gradient that autograd finds.'
        """
        draw = registered("Timeline.slope")
        if draw is None:
            raise RuntimeError("import graphlab, which can draw, and call slope again")
        return draw(self, name, entry=entry, of=of, other=other, theme=theme)

    def to_json(self) -> dict[str, Any]:
        """The whole timeline as plain JSON (docs/trace.md); `Timeline.from_json` reads it back.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> list(graphlab.trace(x * x).to_json())[:4]
        ['format', 'version', 'generator', 'title']
        """
        return write(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any] | str | bytes | os.PathLike[str]) -> "Timeline":
        """Read a trace: the dict of `to_json`, its JSON text, or the `Path` of a file with that.

        A string is never taken as the name of a file. Nothing in a document is ever evaluated.
        Raises: TraceError that names the place, when it is no trace; TraceVersionError when this
        GraphLab cannot read its version; OSError when the file cannot be read.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> document = graphlab.trace(x * x).to_json()
        >>> graphlab.Timeline.from_json(document)
        <Timeline of x * x: 2 nodes, 14 events>
        """
        found = read(document)._asdict()
        shown, opening = found.pop("walks_forward"), found.pop("opening")
        return replace(cls(**found).with_forward(shown), opening=opening)

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
        """Write the file format that `path` ends with, and return the path.

        .html plays offline, .gif is an animation, .svg, .png and .pdf show one event, .json can be
        opened again, .mmd (Mermaid), .dot and .txt are text. step: an event's index, as in
        `timeline[17]`, by default where `at` or `ask` open the walk, or else the end; with
        granularity="story", "node" or "micro", the step of that number on the screen, from 1. A GIF
        takes only `granularity`. view: "both", "backward" or "computation". theme: "light" or
        "dark". scale: pixels for each CSS pixel. seconds: how long a GIF shows a step.
        Raises: ValueError for an unknown format or an option that the format lacks; IndexError if
        there is no such step; ImportError, with the command to run, if the format needs a library
        that is not installed; OSError if the file cannot be written; then no part of it is left.

        >>> import graphlab
        >>> x = graphlab.tensor(3.0, requires_grad=True)
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     graphlab.trace(x * x).save(f"{folder}/walk.html").name
        'walk.html'
        """
        saver = registered("Timeline.save")
        if saver is None:
            raise RuntimeError("import graphlab, which can draw, and call save again")
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
        return f"<Timeline{title}: {nodes}, {len(self.events)} events{failure_in(self.events)}>"

    def _display_(self) -> Any:
        """Show the live player in marimo, which runs no scripts of an output's HTML."""
        live = registered("Timeline.live")
        return repr(self) if live is None else live(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any] | None:
        return present(self)


_DRAWN = ("scenes", "passes")
_MADE = ("graph", "events", "title", "notice", "live", "replay", "again")
_MADE += ("forward", "walks_forward", "opening", "asked", "error", "_folded")
_PARTS = (*_MADE, *_DRAWN)
