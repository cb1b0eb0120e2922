"""The explorer: sliders for the values of a function, and a player of its backward pass.

At every change the function runs again, so its graph may change. If the function raises an error,
the error is shown and the last picture stays.

Read next: faces/exploring.py
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
import traitlets
from ipywidgets import Box, Checkbox, FloatSlider, IntSlider, Output, VBox

from graphlab.faces.render.bundle import timeline_bundle
from graphlab.faces.render.steady_scenes import Retold
from graphlab.faces.widgets.stepper import FILLS, Stepper, sent
from graphlab.faces.widgets.value_ranges import Varied
from graphlab.graph.codec import encode
from graphlab.graph.compression import compressed, compressed_text
from graphlab.graph.document import uncollected, write
from graphlab.graph.model import Graph
from graphlab.graph.scene import Scene
from graphlab.graph.structure_keys import difference, keys_of, same_event, told_difference
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import number_text

MOST_NAMED = 4  # values in a sentence
MOST_MOVES = 50  # of a slider, that the page may answer late
MOST_DIGITS = 4  # after the point, beside a slider
IN_COLUMNS = {
    **FILLS,
    "display": "grid",
    "grid_template_columns": "repeat(auto-fill, minmax(260px, 1fr))",
    "grid_gap": "0 12px",
}
NOTHING: dict[str, Any] = {"label": "", "text": ""}
TOGETHER = "set the values together: explorer.values = {{{0!r}: ...}}; the others stay"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one run: a result with its timeline, or the problem in one sentence."""

    result: Any = None
    timeline: Timeline | None = None
    problem: str = ""
    printed: str = ""
    retold: Retold | None = None  # the scenes of the timeline, where only texts may have changed
    foreseen: Mapping[str, str] = field(default_factory=dict)  # see faces/exploring.py


class Values(dict[str, Any]):
    """The values by name. They change together, so that the function runs once."""

    def __setitem__(self, name: str, value: Any) -> NoReturn:
        raise TypeError(TOGETHER.format(name))

    def __delitem__(self, name: str) -> NoReturn:
        raise TypeError(TOGETHER.format(name))


class ValuesTrait(traitlets.Dict):
    """The values of an explorer. Values that are not set stay."""

    def validate(self, obj: Any, value: Any) -> Any:
        return obj.merged(super().validate(obj, value))


class ExplorerPlayer(Stepper):
    """A player whose timeline is replaced by that of another run of the same function.

    While only values change, the drawings, most of a trace, stay in the page (`drawing`), and the
    trace tells their texts.
    """

    drawing = traitlets.Dict(help="the scenes whose texts the trace tells").tag(sync=True)
    told = traitlets.Dict(help="what the page cannot know of a new trace").tag(sync=True)
    note = traitlets.Dict(NOTHING, help="a label and a sentence above the player").tag(sync=True)

    def __init__(self, timeline: Timeline, edit: Callable[[Mapping[str, Any]], None]) -> None:
        self._edit = edit
        self._laid: tuple[Scene, ...] = ()  # the scenes in `drawing`
        self._keys: dict[str, str] = {}  # of the graph that is shown
        super().__init__(timeline)

    @property
    def _whole(self) -> dict[str, Any]:
        """The compressed timeline with its scenes."""
        return compressed(self._timeline.to_json()) if self.drawing else self._document

    def show(self, timeline: Timeline, retold: Retold | None = None, sure: Any = None) -> str:
        """Show another timeline, at the step that tells the same; says what came and went.

        retold: its scenes as others with other texts, if they are such. sure: the leaves whose
        changes the page may follow before they are run here, with the models of their sliders:
        {"t0": {"0": "…"}}.
        """
        old = self.timeline
        self._timeline = timeline
        drawing: Any = self.drawing if retold else {}
        if retold is None:
            self._document = sent(timeline)
        else:
            document = write(timeline, copies=False, drawn=False) | {"texts": retold.texts}
            self._document = compressed(document, level=1)
            if retold.laid is not self._laid:
                drawing = {"gzip": compressed_text(encode(retold.laid), level=1)}
        self._laid = retold.laid if retold else ()
        keys, old_keys = keys_of(timeline.graph), self._keys or keys_of(old.graph)
        self._keys = keys
        same = keys == old_keys and len(old) == len(timeline)
        if same or not old.events:
            step, marks = min(self.step, max(len(timeline) - 1, 0)), self.breakpoints
        else:
            step = same_event(old.events, old_keys, self.step, timeline.events, keys)
            marks = self._marks_in(timeline.graph, keys, old_keys)
        new = set(keys.values()) - set(old_keys.values()) if old.events else ()
        came = [id for id, key in keys.items() if key in new]
        with self.hold_sync():
            self.told = {"step": None if same else step, "came": came, "sure": sure or {}}
            self.drawing = drawing
            self.trace = self._document
            self.breakpoints = marks
            self.step = step
        if same or not old.events:
            return ""
        return told_difference(*difference(old.graph, timeline.graph))

    def _marks_in(
        self, graph: Graph, keys: Mapping[str, str], old_keys: Mapping[str, str]
    ) -> list[str]:
        """The breakpoints that another graph has too."""
        names = {node.name for node in graph.nodes}
        ids = {key: id for id, key in keys.items()}
        marks: Any = self.breakpoints
        found = [mark if mark in names else ids.get(old_keys.get(mark, "")) for mark in marks]
        return [mark for mark in found if mark is not None]

    def _rerun(self, edits: Mapping[str, Any]) -> Timeline | str:
        """Values that were changed in the picture are those of the sliders."""
        try:
            self._edit(edits)
        except traitlets.TraitError as error:
            return str(error)
        return ""


class Explorer(VBox):
    """Sliders and a player for a function; `graphlab.explore` makes one.

    name: of the function, for sentences. varied: its arguments. run: runs it at some values.

    Traits, which can be observed; only `values` can be set:
        values: dict of name to float, int, bool or array. Setting some leaves the others.
        result: the tensor that the function returned at the last values at which it worked.
        timeline: its Timeline.
        problem: str, why there is no picture for these values; "" if there is one.

    Raises: TraitError when values are set that do not exist or are of another kind.
    """

    values = ValuesTrait(help="the values, by name")
    result = traitlets.Any(help="the latest tensor")
    timeline = traitlets.Any(help="the latest timeline")
    problem = traitlets.Unicode("", help="why the picture is not of these values")

    def __init__(
        self, name: str, varied: Sequence[Varied], run: Callable[[dict[str, Any]], Outcome]
    ) -> None:
        self._name, self._run, self._made = name, run, False
        self._varied = {one.name: one for one in varied}
        self._controls = {
            one.name: {index: control(one, index) for index in one.sliders} for one in varied
        }
        first = {one.name: one.value for one in varied}
        outcome = run(first)
        self._worked = first if outcome.timeline is not None else None
        self._moving = True  # the sliders, by the program and not by a person
        self._set: dict[Any, list[Any]] = {}  # slider -> where the program has moved it, in order
        why = f"there is no picture: {outcome.problem}"
        shown = outcome.timeline or Timeline(Graph("", (), (), ()), (), title=why)
        self.player = ExplorerPlayer(shown, self._edited)
        self.output = Output()
        sliders = [one for group in self._controls.values() for one in group.values()]
        controls = Box(sliders, layout=IN_COLUMNS)
        super().__init__([controls, self.player, self.output], layout=FILLS)
        self.values = first
        self._made = True
        self._take(outcome)
        for one in varied:
            for index, slider in self._controls[one.name].items():
                slider.observe(self._moved(one.name, index), "value")
        self._moving = False

    # -- from the program ------------------------------------------------------------------------

    def merged(self, given: Mapping[str, Any]) -> Values:
        """Return the values with those in `given` changed. Raises: TraitError."""
        found = dict(self.values) if self.__dict__.get("_made") else {}
        for name, value in given.items():
            if name not in self._varied:
                raise traitlets.TraitError(
                    f"there is no value {name!r} to explore (must be one of {list(self._varied)})"
                )
            try:
                found[name] = self._varied[name].read(value)
            except (TypeError, ValueError) as error:
                said = str(error).removeprefix(f"graphlab.explore(), {name}: ")
                raise traitlets.TraitError(said) from None
        return Values({name: found.get(name, one.value) for name, one in self._varied.items()})

    @traitlets.observe("values")
    def _changed(self, change: Any) -> None:
        """Run the function at the new values, and let the sliders follow."""
        if not self._made:
            return
        self._follow()
        with uncollected():
            self._take(self._run(dict(change["new"])))

    def _follow(self) -> None:
        """Move the sliders to the values; a range that is too small grows."""
        before, self._moving = self._moving, True
        try:
            for name, controls in self._controls.items():
                for index, slider in controls.items():
                    value = entry(self.values[name], index)
                    if hasattr(slider, "max") and not slider.min <= value <= slider.max:
                        one = self._varied[name] = self._varied[name].reaching(value)
                        slider.min, slider.max = min(slider.min, one.low), max(slider.max, one.high)
                    moved = self._set.setdefault(slider, [slider.value])
                    if moved[-1] != value:
                        moved.append(value)
                        del moved[:-MOST_MOVES]
                        slider.value = value
        finally:
            self._moving = before

    def _take(self, outcome: Outcome) -> None:
        """Show what came of a run."""
        text = outcome.printed
        printed = ({"output_type": "stream", "name": "stdout", "text": text},) if text else ()
        if printed != tuple(self.output.outputs):
            self.output.outputs = printed
        if outcome.timeline is None:
            where = f" The picture shows {self._told(self._worked)}." if self._worked else ""
            self.player.note = {"label": "stopped", "text": f"{outcome.problem}{where}"}
            self.player.told = {"stopped": self.player.told.get("stopped", 0) + 1}
            self.problem = outcome.problem
            return
        said = ""
        if outcome.timeline is not self.player.timeline:
            said = self.player.show(outcome.timeline, outcome.retold, self._sure(outcome.foreseen))
        self.player.note = {"label": "new graph", "text": said} if said else NOTHING
        self._worked = dict(self.values)
        self.result, self.timeline = outcome.result, outcome.timeline
        self.problem = ""

    def _sure(self, foreseen: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """The sliders of leaves, by id and by the number of the entry."""
        return {
            leaf: {
                str(k): slider.model_id for k, slider in enumerate(self._controls[name].values())
            }
            for name, leaf in foreseen.items()
        }

    # -- from a person ---------------------------------------------------------------------------

    def _moved(self, name: str, index: tuple[int, ...]) -> Callable[[Any], None]:
        def moved(change: Any) -> None:
            value = change["new"]
            if self._moving or self._is_echo(change["owner"], value):
                return
            self._set[change["owner"]] = [value]
            if index:
                entries = np.array(self.values[name])
                entries[index] = value
                value = entries
            self.values = {name: value}

        return moved

    def _is_echo(self, slider: Any, value: Any) -> bool:
        """Whether a slider that the program has moved only answers with the next of its steps.

        The page puts a slider on a whole step and sends that back, perhaps after later changes: a
        value that was typed would become another, and one that was dragged an older one.
        """
        moved, half = self._set.get(slider, []), getattr(slider, "step", 0) * 0.51
        near = [k for k, one in enumerate(moved) if one != value and abs(one - value) <= half]
        if not near:
            return False
        self._set[slider] = moved[near[0] :]  # what was sent before will not be answered
        if abs(moved[-1] - value) > half:  # the slider is back at an older value
            before, self._moving = self._moving, True
            slider.value = moved[-1]
            self._moving = before
        return True

    def _edited(self, edits: Mapping[str, Any]) -> None:
        """Take values that were changed in the picture. Raises: TraitError."""
        strange = [name for name in edits if name not in self._varied]
        if strange:
            raise traitlets.TraitError(
                f"{strange[0]} is made inside {self._name}; what can be changed here is "
                f"{', '.join(self._varied)}."
            )
        self.values = edits

    def _told(self, values: Mapping[str, Any]) -> str:
        """The values in a sentence: "a = 2, b = 3"."""
        texts = [f"{name} = {text_of(value)}" for name, value in values.items()]
        more = len(texts) - MOST_NAMED
        return ", ".join(texts[:MOST_NAMED] + [f"{more} more"] * (more > 0))

    # -- how it shows itself ---------------------------------------------------------------------

    def close(self) -> None:
        """Remove the explorer and its player from the page."""
        player = self.__dict__.get("player")  # None if it was never made
        if player is not None:
            player.close()
        super().close()

    def __repr__(self) -> str:
        result = "no result" if self.result is None else f"result {text_of(self.result)}"
        return f"<Explorer of {self._name}: {self._told(self.values)}; {self.problem or result}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget and, for a notebook that is opened without its kernel, its recording."""
        shown: Any = super()._repr_mimebundle_(**options)
        recording = timeline_bundle(self.player.timeline, self.player._whole)
        bundle = shown[0] if isinstance(shown, tuple) else shown
        return {**recording, **bundle, "text/plain": repr(self)}

    def _display_(self) -> Any:
        """Show the player alone in marimo, which has no ipywidgets: values change in it."""
        return self.player


def control(one: Varied, index: tuple[int, ...]) -> Any:
    """The slider of a value, or of one entry of an array; the box of a switch."""
    name = f"{one.name}[{', '.join(map(str, index))}]" if index else one.name
    value = entry(one.value, index)
    style = {"description_width": "initial"}
    if one.kind == "switch":
        return Checkbox(value, description=name, indent=False, style=style)
    whole = one.kind == "whole" or (one.kind == "array" and isinstance(value, int))
    number = int if whole else float
    low, high, step = number(one.low), number(one.high), number(one.step)
    about: dict[str, Any] = {"description": name, "style": style, "layout": {"width": "auto"}}
    if whole:
        return IntSlider(value, min=low, max=high, step=step, **about)
    about["readout_format"] = format_of(step)
    return FloatSlider(value, min=low, max=high, step=step, **about)


def format_of(step: float) -> str:
    """How a slider writes its value: with the digits that a step can change.

    >>> format_of(0.05), format_of(10.0), format_of(2e-7)
    ('.2f', '.0f', '.3g')
    """
    digits = max(0, -math.floor(math.log10(step)))
    return f".{digits}f" if digits <= MOST_DIGITS else ".3g"


def entry(value: Any, index: tuple[int, ...]) -> Any:
    """One entry of a value as a Python number."""
    return value[index].item() if isinstance(value, np.ndarray) else value


def text_of(value: Any) -> str:
    """A value in a sentence: a number, or the shape of an array."""
    data = np.asarray(getattr(value, "_data", value))
    if data.ndim == 0:
        return number_text(data.item())
    return f"{data.dtype} of shape {list(data.shape)}"
