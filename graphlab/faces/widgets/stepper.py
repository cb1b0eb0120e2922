"""The stepper: a widget that plays a timeline, whose position Python can read and set.

The trace is sent to the browser once. After that only the choices of the user are synchronised:
the step, the play button, the granularity, the breakpoints, and the answers to predictions.

Read next: js/src/widget.ts
"""

import json
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast, get_args

import anywidget
import traitlets
from ipywidgets import Box

from graphlab.common.errors import described
from graphlab.common.notebook import shell
from graphlab.faces.render.bundle import MIME, timeline_bundle
from graphlab.faces.render.html import extras_module, to_html, widget_module
from graphlab.faces.widgets.kernel_values import answer, checked_edits, forget, tell
from graphlab.graph.compression import compressed
from graphlab.graph.document import uncollected, write
from graphlab.graph.event_log import with_parts, without_parts
from graphlab.graph.events import Level
from graphlab.graph.timeline import Timeline

SETTINGS = [
    "step", "playing", "granularity", "breakpoints", "predicting", "walks_forward", "score",
    "answers", "edits",
]  # fmt: skip
ANSWER = {
    "step": int, "question": str, "answers": list, "tries": int, "hints": int, "right": bool
}  # fmt: skip
FILLS = {"width": "100%", "min_width": "0"}  # its part of an HBox, which would give it no width
ONE_TIMELINE = "a Stepper always shows the same timeline; graphlab.step(timeline) makes another"
NO_TENSORS = (
    "This recording came without its tensors, so nothing follows this change. Run the cell that "
    "made it again."
)
BUILD = "npm --prefix js ci && npm --prefix js run build"
NO_PLAYER = (
    "GraphLab's installation is not whole: the player's files are not there. A wheel puts them "
    f"into the environment's share folder; in a clone, build them with: {BUILD}"
)
NO_EDIT = "The change could not be read, so nothing follows it."


def browser_module() -> str:
    """The widget's JavaScript; where it is not installed, a module that says so in its place."""
    absent = (
        "// Says in place of the widget why there is none.\n"
        f"export default {{ render({{ el }}) {{ el.append({json.dumps(NO_PLAYER)}); }} }};"
    )
    return widget_module() or absent


def sent(timeline: Timeline) -> dict[str, Any]:
    """A timeline as it travels while somebody waits for it."""
    return compressed(write(timeline, copies=False), level=1)


def _opens(timeline: Timeline, traits: Mapping[str, Any]) -> dict[str, Any]:
    """The traits with which a timeline opens, as `Timeline.at` chose."""
    opening = timeline.with_forward(traits["walks_forward"] is True).opening
    if opening is None:
        return {}
    size = {} if opening.granularity is None else {"granularity": opening.granularity}
    return {"step": opening.step, "predicting": opening.predicting, **size}


def numbered(timeline: Timeline) -> str:
    """The number of events and the range of their indices, for errors."""
    count = len(timeline)
    return f"{count} events, 0 to {count - 1}" if count else "no events"


class Step(traitlets.Int):
    """The index of an event. Unlike traitlets.Int it takes NumPy integers and refuses True."""

    def validate(self, obj: Any, value: Any) -> Any:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise traitlets.TraitError(
                f"a step must be one integer, got {described(value)}; this timeline has "
                f"{numbered(obj.timeline)}"
            )
        return super().validate(obj, operator.index(value))


class Stepper(anywidget.AnyWidget):
    """A widget that walks a backward pass in a notebook, one event at a time.

    timeline: a Timeline, as `graphlab.trace` returns it; `timeline.at(17)` opens at event 17.
    watch: a function that is called after each cell, and told whether the cell that made this
        widget has run again; its result becomes `stale`. Default: none.
    traits: values for the traits below.

    Traits, synchronised with the page:
        step: int, 0 <= step < len(timeline), the index of the event shown; default 0.
        playing: bool, whether the steps follow one another; default False.
        granularity: "story", "node" or "micro", how much happens in one step; default "node".
        breakpoints: list of node ids ("n2") and names ("MulBackward0") at which playing halts.
        predicting: bool, whether outcomes are hidden until the learner predicts them.
        walks_forward: bool, whether the walk begins with the forward pass; default: as `timeline`.
            A change of it changes `timeline` too, and `step` goes on to point at the same event.
        score: {"right": int, "asked": int}, predictions right at the first try, and all.
        answers: list of {"step": int, "question": str, "answers": list of str, "tries": int,
            "hints": int, "right": bool}, one for each question that was answered or shown: what was
            typed or chosen, in order, and whether the last of it was right.
        edits: {leaf: number or nested list}, the leaves whose values were changed in the picture;
            default {}. They change the picture, but no tensor; one that it cannot follow is undone.
        stale: str, why the recorded tensors no longer exist as shown; "" while they do.

    Raises: TypeError if `timeline` is not a Timeline; TraitError for a step, granularity,
        breakpoint, score or answers that do not exist, and for edits that no leaf can take.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> stepper = Stepper(graphlab.trace(x * x), granularity="story")
    >>> stepper.last()
    >>> stepper.step, stepper.timeline[stepper.step].kind
    (13, 'Finished')
    """

    _esm = browser_module()

    trace = traitlets.Dict(help="the compressed timeline, for the browser").tag(sync=True)
    step = Step(0, help="index of the event shown").tag(sync=True)
    playing = traitlets.Bool(False, help="whether it plays").tag(sync=True)
    granularity = traitlets.Enum(get_args(Level), "node", help="size of a step").tag(sync=True)
    breakpoints = traitlets.List(help="ids and names of nodes").tag(sync=True)
    predicting = traitlets.Bool(False, help="whether outcomes are hidden").tag(sync=True)
    walks_forward = traitlets.Bool(False, help="whether it walks the forward pass").tag(sync=True)
    score = traitlets.Dict({"right": 0, "asked": 0}, help="predictions").tag(sync=True)
    answers = traitlets.List(help="what was asked and answered").tag(sync=True)
    edits = traitlets.Dict(help="leaves with other values than recorded").tag(sync=True)

    stale = traitlets.Unicode("", help="why the tensors changed").tag(sync=True)

    def __init__(
        self, timeline: Timeline, watch: Callable[[bool], str] | None = None, **traits: Any
    ) -> None:
        if not isinstance(timeline, Timeline):
            raise TypeError(
                f"Stepper shows a Timeline, but got {type(timeline).__name__}; "
                "graphlab.trace(tensor) makes one, and graphlab.step(tensor) does both"
            )
        for name in traits:
            self._must_be_known(name, TypeError)
        with uncollected():
            document = compressed(write(timeline, copies=False))
        self._timeline, self._document = timeline, document
        self._page_moves = False  # whether the page adds the forward pass: it moves the step itself
        first = {"layout": FILLS, "walks_forward": timeline.walks_forward, **traits}
        super().__init__(trace=self._document, **{**_opens(timeline, first), **first})
        self.observe(self._move_step, "walks_forward")
        self.on_msg(self._answer)
        show_boxes()
        if watch is not None:
            tell(self, watch)

    @property
    def timeline(self) -> Timeline:
        """The timeline that it shows, with its forward passes or without."""
        if self._timeline.walks_forward != self.walks_forward:
            self._timeline = self._timeline.with_forward(self.walks_forward)
        return self._timeline

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "timeline":
            raise AttributeError(ONE_TIMELINE)
        if not name.startswith("_"):
            self._must_be_known(name, AttributeError)
        super().__setattr__(name, value)

    def _must_be_known(self, name: str, error: type[Exception]) -> None:
        """Raises: `error` for a name that is not an attribute, such as a misspelt trait."""
        if not hasattr(type(self), name):
            raise error(f"a Stepper has no {name!r} to set (must be one of {SETTINGS})")

    def close(self) -> None:
        """Remove the widget from the page and stop watching its tensors."""
        forget(self)
        super().close()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget and, for a notebook that is opened without its kernel, its recording."""
        shown: Any = super()._repr_mimebundle_(**options)
        recording = timeline_bundle(self.timeline, self._whole)
        return ({**recording, **shown[0]}, *shown[1:])

    @property
    def _whole(self) -> dict[str, Any]:
        """The compressed timeline with its scenes."""
        return self._document

    def get_state(self, key: Any = None, drop_defaults: bool = False) -> dict[str, Any]:
        """The state to send: the trace first, which a step that comes with it is a step of."""
        state = super().get_state(key, drop_defaults)
        return {name: state[name] for name in sorted(state, key="trace".__ne__)}

    def _answer(self, _: Any, content: Any, buffers: Any) -> None:
        """Answer the page, which asks for entries, a page to save, other values, or a module."""
        asked = content if isinstance(content, dict) else {}
        if "page" in asked:
            step = asked["page"] if asked["page"] in range(len(self.timeline)) else None
            page = to_html(self.timeline, standalone=True, step=step, trace=self._whole["gzip"])
            about = {"page": page}
        elif "module" in asked:
            found = extras_module()  # what the page needs when somebody edits a value
            about = {"module": found} if found else {"why": NO_PLAYER}
        elif "edit" in asked:
            found = self._rerun(asked["edit"]) if isinstance(asked["edit"], dict) else NO_EDIT
            about = {"why": found} if isinstance(found, str) else {"trace": sent(found)}
        else:
            self.send(answer(self.timeline, content))
            return
        self.send({"ask": asked.get("ask"), **about})

    def _rerun(self, edits: Mapping[str, Any]) -> Timeline | str:
        """The timeline at other values of leaves, or why there is none, in one sentence."""
        again = self.timeline.again
        return NO_TENSORS if again is None else again(edits)

    @traitlets.validate("walks_forward")
    def _forward_is_there(self, proposal: Any) -> bool:
        if proposal["value"] and not self._timeline.forward:
            raise traitlets.TraitError(
                "this timeline holds no forward pass; graphlab.trace(e) and graphlab.record() do"
            )
        return proposal["value"]

    def _move_step(self, change: Any) -> None:
        """Keep to the event that is shown; the beginning stays the beginning."""
        if self._page_moves or not self.step:
            return
        move = with_parts if change["new"] else without_parts
        self.step = move(self.step, self._timeline.forward)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the page has changed."""
        self._page_moves = True
        try:
            super().set_state(sync_data)
        finally:
            self._page_moves = False

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

    @traitlets.validate("answers")
    def _answers_are_records(self, proposal: Any) -> list[Any]:
        for one in proposal["value"]:
            fits = isinstance(one, Mapping) and one.keys() == ANSWER.keys()
            if not fits or any(type(one[name]) is not kind for name, kind in ANSWER.items()):
                raise traitlets.TraitError(
                    f"an answer is a dict with {list(ANSWER)}, got {type(one).__name__} "
                    f"{one!r:.60}; stepper.answers = [] forgets all"
                )
        return proposal["value"]

    @traitlets.validate("edits")
    def _edits_fit(self, proposal: Any) -> dict[str, Any]:
        try:
            return checked_edits(self.timeline.graph, proposal["value"])
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None

    def reset_edits(self) -> None:
        """Show the recorded values again."""
        self.edits = {}

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
        """Go to the previous stop of this granularity."""
        stops = self.timeline.stops(self.granularity)
        earlier = (k for k in reversed(stops) if k < self.step)
        self.step = next(earlier, self.step)

    def __repr__(self) -> str:
        title = f" of {self.timeline.title}" if self.timeline.title else ""
        count = len(self.timeline)
        if not count:
            return f"<Stepper{title}: no events>"
        caption = self.timeline[self.step].caption
        said = "".join(part if isinstance(part, str) else part[1] for part in caption)
        return f"<Stepper{title}: event {self.step} of 0 to {count - 1}: {said}>"


# -- boxes of players ----------------------------------------------------------------------------

# A box is ipywidgets' own and saves nothing but its id. IPython lets us say how it is shown, so the
# recordings of its players stand beside that id: a saved box plays without its kernel, too.

HTML = "text/html"


def show_boxes() -> None:
    """Let IPython, where it runs, ask `bundle_of` how a box is shown."""
    if (running := shell()) is not None:
        running.display_formatter.mimebundle_formatter.for_type(Box, bundle_of)


def bundle_of(box: Box) -> dict[str, Any]:
    """The MIME bundle of a box, with the recordings of the players in it."""
    shown = _bundle(box)
    found = list(_recordings(box)) if MIME not in shown else []
    if not found:
        return shown
    pages = "".join(f'<div style="flex:1 1 320px;min-width:0">{one[HTML]}</div>' for one in found)
    html = f'<div style="display:flex;flex-wrap:wrap;gap:8px">{pages}</div>'
    return {MIME: {"beside": [one[MIME] for one in found]}, HTML: html, **shown}


def _recordings(box: Box) -> Iterator[dict[str, Any]]:
    for child in box.children:
        bundle = _bundle(child) or {}
        if MIME in bundle:
            yield bundle
        elif isinstance(child, Box):
            yield from _recordings(child)


def _bundle(widget: Any) -> dict[str, Any]:
    shown = widget._repr_mimebundle_()
    return shown[0] if isinstance(shown, tuple) else shown
