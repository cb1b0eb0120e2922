"""One step of a timeline as a picture: its sentence, its number, and the graph at that step.

It shows the same as the player, for slides and GIFs.

Read next: faces/render/row_wrapping.py
"""

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from math import ceil
from operator import itemgetter
from typing import Any

from graphlab.faces.render.collapse import still_scenes
from graphlab.faces.render.metrics import Font, longest_texts, shorten, text_width
from graphlab.faces.render.row_wrapping import WIDE
from graphlab.faces.render.scene_builder import check_view
from graphlab.faces.render.svg import attributes, document, escaped, paint, text_element, to_svg
from graphlab.faces.render.theme import FAMILIES, Active, Style, Theme, choose_theme
from graphlab.faces.render.timeline_steps import (
    empty_sentence,
    failed_at,
    graph_at,
    is_empty,
    is_forward,
    place_of,
)
from graphlab.graph.events import Event, Span
from graphlab.graph.model import Graph, Source
from graphlab.graph.scene import Scene, View
from graphlab.graph.timeline import Timeline

NARROWEST = 600.0  # pixels: a sentence needs room
MARGIN = 18.0
# events at which the changes of an earlier step end
TURNS = ("NodeEntered", "SavedUnpacked", "SavedFreed", "Computed")


def still_svg(
    timeline: Timeline, step: int | None = None, view: View = "both", theme: str = "light"
) -> str:
    """Return one picture of the timeline: event `step`, by default the failure, or the end.

    Raises: IndexError if there is no such step, ValueError for an unknown view or theme.
    """
    if step is None:
        if is_empty(timeline):
            return _empty_svg(timeline, choose_theme(theme))
        step = failed_at(timeline)
    if step is None:
        scene, graph = scene_at(timeline, view)
        state = timeline.state_at(-1) if timeline.events else None
        return to_svg(scene, graph, theme, state)
    return StepPainter(timeline, view, theme).svg(step)


def _empty_svg(timeline: Timeline, theme: Theme) -> str:
    """Return the picture of a timeline without a graph."""
    said, size, margin = empty_sentence(timeline), 16.0, 24.0
    words = tuple(f"{word} " for word in said.split())
    lines = ["".join(map(str, line)).rstrip() for line in wrapped(words, 560.0, size, bold=False)]
    texts = [
        text_element(line, margin, margin + size + 1.5 * size * k, size, theme.ink)
        for k, line in enumerate(lines)
    ]
    width = max(text_width(line, Font("sans", size)) for line in lines) + 2 * margin
    height = margin + 1.5 * size * len(lines) + margin
    return document(round(width), round(height), theme, said, "".join(texts))


class StepPainter:
    """Draws steps of one timeline in pictures of one size.

    stops: the events to be drawn, if known: the tallest of their sentences sets the height.
    """

    def __init__(
        self, timeline: Timeline, view: View = "both", theme: str = "light", stops: Any = None
    ) -> None:
        self.timeline = timeline
        self.view: View = view
        self.name, self.theme = theme, choose_theme(theme)
        self.stops: tuple[int, ...] = tuple(_stops(timeline) if stops is None else stops)
        self._scenes: dict[int, tuple[Scene, Graph]] = {}
        starts = [min(one.first, len(timeline) - 1) for one in timeline.passes]
        scenes = [self._scene_at(k)[0] for k in starts or [0]]
        self.width = float(ceil(max(NARROWEST, *(scene.width for scene in scenes))))
        self.height = float(ceil(max(scene.height for scene in scenes)))
        # of the sentence: larger in a wide picture
        self.size = max(17.0, min(40.0, self.width / 62))
        told = [self._lines(timeline[k]) for k in stops] if stops is not None else []
        self.lines = max(map(len, told), default=0)

    def _scene_at(self, k: int) -> tuple[Scene, Graph]:
        """Return the drawing for event `k`; all events of a pass share one."""
        number = self.timeline.pass_at(k)
        if number not in self._scenes:
            self._scenes[number] = scene_at(self.timeline, self.view, k)
        return self._scenes[number]

    def svg(self, step: int) -> str:
        """Return the picture of event `step`; negative steps count from the end."""
        timeline = self.timeline
        event = timeline[step]
        k = range(len(timeline))[step]
        scene, graph = self._scene_at(k)
        state = timeline.state_at(settled(timeline, k))
        active = Active(active_at(timeline, k), str(getattr(event, "edge", "")))
        top, head = self._head(self._lines(event), k, event, state)
        left = (self.width - scene.width) / 2
        drawn = paint(scene, graph, self.name, state, active)
        picture = f'<g transform="translate({left:.1f} {top:.1f})">{drawn}</g>'
        about = f"{self._count(k).capitalize()}: {event.sentence}"
        return document(self.width, top + self.height, self.theme, about, head + picture)

    def _lines(self, event: Event) -> list[list[Span]]:
        return wrapped(event.caption, self.width - 2 * MARGIN, self.size)

    def _head(
        self, lines: list[list[Span]], k: int, event: Event, state: Mapping[str, Any]
    ) -> tuple[float, str]:
        """Return the height and elements of the sentence, its code line, and the progress bar."""
        y, parts = MARGIN - self.size * 0.5, []
        for line in lines:
            y += self.size * 1.45
            parts.append(_sentence(line, MARGIN, y, self.size, self.theme))
        y = MARGIN - self.size * 0.5 + self.size * 1.45 * max(self.lines, len(lines))
        small, muted = self.size * 0.72, self.theme.muted
        y += small * 1.9
        count = self._count(k)
        right = self.width - MARGIN
        parts.append(text_element(count, right, y, small, muted, text_anchor="end"))
        source = source_of(self.timeline, event, state)
        if source is not None:
            where = f"{shorten(source.label)}, line {source.line}"
            parts.append(text_element(where, MARGIN, y, small, muted))
            begin = MARGIN + text_width(where, Font("sans", small)) + small
            room = self.width - begin - MARGIN - text_width(count, Font("sans", small)) - small
            code = shorten(source.text, max(8, int(room / (0.605 * small))))
            mono = FAMILIES["mono"]
            parts.append(text_element(code, begin, y, small, self.theme.ink, font_family=mono))
        y += small
        parts.append(self._bar(k, y))
        return float(ceil(y + 6)), "".join(parts)

    def _count(self, k: int) -> str:
        past = sum(stop <= k for stop in self.stops)
        return f"step {max(1, past)} of {len(self.stops)}" if self.stops else f"step {k}"

    def _bar(self, k: int, y: float) -> str:
        whole = self.width - 2 * MARGIN
        past = sum(stop <= k for stop in self.stops) / max(1, len(self.stops))
        rail: Style = {"x": MARGIN, "y": y, "width": whole, "height": 3, "rx": 1.5}
        fill = self.theme.forward if is_forward(self.timeline, k) else self.theme.gradient
        done = {**rail, "width": max(3.0, whole * past), "fill": fill}
        return f"<rect{attributes({**rail, 'fill': self.theme.faint})}/><rect{attributes(done)}/>"


# --- what belongs to a step ---


def scene_at(timeline: Timeline, view: View, step: int | None = None) -> tuple[Scene, Graph]:
    """Return the drawing for event `step` in `view`, and the part of the graph that it shows.

    Raises: ValueError for an unknown view.
    """
    check_view(view)
    if not timeline.events:
        graph, scenes = timeline.graph, timeline.scenes
    else:
        place = place_of(timeline, -1 if step is None else step)
        graph, scenes = graph_at(timeline, place), timeline.scenes
        if timeline.passes:
            scenes = timeline.passes[timeline.pass_at(place)].scenes
    drawn = [scene for scene in scenes if scene.view == view]
    # a drawing may have only one scene, the inside of a scope
    found = next((scene for scene in drawn if not scene.scope), drawn[0] if drawn else None)
    # a player shows a wide scene in one row, but a picture wraps it
    if found is None or (found.width > WIDE and timeline.events):
        found = next(still_scenes(graph, view, WIDE, True, longest_texts(timeline)))
    return found, graph


def settled(timeline: Timeline, k: int) -> int:
    """Return the event whose state shows the effect of step `k`, as in the player's timeline.ts."""
    if timeline.events[k].level == "micro" or _granularity(timeline) == "micro":
        return k
    last = k
    for later in range(k + 1, len(timeline)):
        event = timeline.events[later]
        if event.level != "micro" or event.kind in TURNS:
            break
        last = later
    return last


def _granularity(timeline: Timeline) -> str:
    """Return the granularity at which a player of the timeline opens."""
    return (timeline.opening and timeline.opening.granularity) or "node"


def _stops(timeline: Timeline) -> tuple[int, ...]:
    return timeline.stops(_granularity(timeline))


def active_at(timeline: Timeline, k: int) -> frozenset[str]:
    """Return the groups that event `k` points at.

    A rule also points at the values unpacked for it, an operation at those that it saves.
    """
    focus = set(timeline.events[k].focus)
    if timeline.events[k].kind == "Computed":
        for later in timeline.events[k + 1 :]:
            if later.kind != "SavedKept":
                break
            focus |= set(later.focus)
    if timeline.events[k].kind == "RuleApplied":
        for earlier in reversed(timeline.events[:k]):
            if earlier.kind != "SavedUnpacked":
                break
            focus |= set(earlier.focus)
    return frozenset(focus)


def source_of(timeline: Timeline, event: Event, state: Mapping[str, Any]) -> Source | None:
    """Return the line of code of an event, of its node, or of the node that runs."""
    own = getattr(event, "source", None)
    if isinstance(own, Source):
        return own
    for id in (getattr(event, "node", None), state.get("current")):
        if isinstance(id, str) and timeline.graph.has("node", id):
            source = timeline.graph.node(id).source
            if source is not None:
                return source
    return None


# --- typesetting a sentence ---


def wrapped(
    caption: tuple[Span, ...], room: float, size: float, bold: bool = True
) -> list[list[Span]]:
    """Return the caption in lines at most `room` pixels wide, broken between words.

    >>> wrapped(("one two ", ("strong", "three")), 70.0, 10.0)
    [['one two '], [('strong', 'three')]]
    """
    lines: list[list[tuple[str, str]]] = [[]]  # of words, each with its role
    free = room
    for span in caption:
        role, text = ("", span) if isinstance(span, str) else span[:2]
        font = Font("mono" if role in ("gradient", "value", "code") else "sans", size, bold=bold)
        for word in re.findall("[^ ]* |[^ ]+", shorten(text, 200)):
            width = text_width(word, font)
            if width > free and lines[-1]:
                lines.append([])
                free = room
            lines[-1].append((role, word))
            free -= width
    return [[*map(_joined, groupby(line, key=itemgetter(0)))] for line in lines]


def _joined(words: tuple[str, Iterable[tuple[str, str]]]) -> Span:
    """Return the words of one role as one span."""
    role, text = words[0], "".join(word for _, word in words[1])
    return (role, text) if role else text


def _sentence(spans: list[Span], x: float, y: float, size: float, theme: Theme) -> str:
    """Return one line of a sentence, with a tspan for each role."""
    mono = FAMILIES["mono"]
    roles: dict[str, Style] = {
        "strong": {"font-weight": "bold"},
        "gradient": {"fill": theme.gradient, "font-family": mono, "font-weight": "bold"},
        "value": {"fill": theme.forward, "font-family": mono, "font-weight": "bold"},
        "code": {"font-family": mono},
        "name": {"font-family": FAMILIES["serif"], "font-style": "italic", "font-weight": "bold"},
    }
    parts = []
    for span in spans:
        role, text = ("", span) if isinstance(span, str) else span[:2]
        shown = escaped(text)
        parts.append(f"<tspan{attributes(roles[role])}>{shown}</tspan>" if role in roles else shown)
    place: Style = {"x": x, "y": y, "font-size": size, "fill": theme.ink}
    return f"<text{attributes(place)}>{''.join(parts)}</text>"
