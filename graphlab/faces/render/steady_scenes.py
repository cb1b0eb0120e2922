"""Scenes of a program that runs again and again: what stays in the graph keeps its place.

Each picture is laid out together with everything that earlier pictures showed: the place of an
operation that disappeared stays free, and a text keeps the room of the longest one so far. So a
picture moves only if something new appears, or a number is longer than all before it.

Read next: faces/render/layout.py
"""

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

from graphlab.faces.render.bundle import with_scenes
from graphlab.faces.render.glyphs import Glyph, saved_text
from graphlab.faces.render.layered_graph import Box, Layout, Link
from graphlab.faces.render.layout import lay_out
from graphlab.faces.render.metrics import LongestTexts, brief, longest_texts
from graphlab.faces.render.scene_builder import Wire, draw_scene, glyphs_of
from graphlab.faces.render.timeline_steps import is_empty
from graphlab.graph.model import Graph
from graphlab.graph.scene import Group, Scene, View, texts_of
from graphlab.graph.structure_keys import key_of_id, keys_of
from graphlab.graph.timeline import Timeline

VIEWS: tuple[View, ...] = ("both", "backward")
MOST = 150  # nodes: each scene of a larger graph is laid out by itself
ABSENT = 2, 24  # with more than 2 * n + 24 boxes for n present ones, no places are kept free
# the room that a number always has; and, once one number was longer, the room that all have
USUAL, LONGEST = "-0.1235", "-1.2346e-05"
PIECE = 8  # characters by which the room of an array grows


@dataclass(frozen=True, slots=True, eq=False)
class Retold:
    """Scenes as earlier scenes with other texts: what is sent while only values change.

    laid: the scenes when something last moved. texts: for each, the groups whose texts differ, as
    [index, title, text of each text mark].
    """

    laid: tuple[Scene, ...]
    texts: tuple[list[list[Any]], ...]


class SteadyScenes:
    """Draws the timelines of one program, one after the other.

    retold: how the latest scenes differ from earlier ones; None if each is laid out by itself.
    """

    def __init__(self) -> None:
        self._texts: dict[tuple[str, str], str] = {}  # kind of place, key -> the longest text
        self._usual = USUAL
        self._views: dict[View, SteadyView] = {view: SteadyView(view) for view in VIEWS}
        self.retold: Retold | None = None

    def drawn(self, timeline: Timeline) -> Timeline:
        """Return `timeline` with its scenes."""
        graph = timeline.graph
        if is_empty(timeline) or len(graph.nodes) > MOST:
            self.retold = None
            return with_scenes(timeline)
        keys = keys_of(graph)
        texts = self._room(timeline, keys)
        views = self._views.values()
        scenes = tuple([view.drawn(graph, keys, texts) for view in views])
        laid = tuple([view.laid for view in views])
        if self.retold is not None and all(map(operator.is_, laid, self.retold.laid)):
            laid = self.retold.laid
        self.retold = Retold(laid, tuple(map(texts_that_differ, scenes, laid)))
        return replace(timeline, scenes=scenes)

    def _room(self, timeline: Timeline, keys: Mapping[str, str]) -> LongestTexts:
        """Return the longest text of each place, in this picture or an earlier one."""
        graph, now = timeline.graph, longest_texts(timeline) or LongestTexts()
        for tensor in graph.tensors:
            if tensor.value is not None:
                found = (brief(tensor.value.text), now.values.get(tensor.id, ""))
                now.values[tensor.id] = max(found, key=len)
        for node in graph.nodes:
            for saved in node.saved:
                now.saved[f"s:{node.id}.{saved.name}"] = saved_text(saved)
        kinds = {"value": now.values, "saved": now.saved, "gradient": now.grads}
        written = [text for texts in kinds.values() for text in texts.values()]
        if any(is_number(text) and len(text) > len(USUAL) for text in written):
            self._usual = LONGEST
        for kind, texts in kinds.items():
            for id, text in texts.items():
                place = kind, key_of_id(id.removeprefix("s:"), keys)
                room = self._usual if is_number(text) else "0" * (-(-len(text) // PIECE) * PIECE)
                known = (text, room if "." in text else "", self._texts.get(place, ""))
                self._texts[place] = texts[id] = max(known, key=len)
        return now


def is_number(text: str) -> bool:
    """Return whether a text is one number with a point, whose length depends on its value."""
    return "." in text and "[" not in text


class SteadyView:
    """One view of the graphs, and the boxes and links of all its pictures so far, by key.

    laid: its scene when something last moved.
    """

    laid: Scene

    def __init__(self, view: View) -> None:
        self._view: View = view
        self._boxes: dict[str, Box] = {}
        self._links: dict[str, Link] = {}
        self._layout: Layout | None = None
        self._scene: Scene | None = None
        self._drawn: tuple[list[Box], list[Link]] | None = None

    def drawn(self, graph: Graph, keys: Mapping[str, str], texts: LongestTexts) -> Scene:
        """Return the scene of `graph`; with the same boxes and links as before, its lines stay."""
        glyphs, wires = glyphs_of(graph, self._view, True, texts)
        now = [glyph.box for glyph in glyphs.values()], [wire.link for wire in wires]
        if self._scene is not None and self._layout is not None and now == self._drawn:
            self._scene = self._retold(self._scene, self._layout, glyphs, wires)
            groups, laid = self._scene.groups, self.laid.groups
            if len(groups) != len(laid) or not all(map(fits, groups, laid)):
                self.laid = self._scene
            return self._scene

        def place(boxes: Sequence[Box], links: Sequence[Link]) -> Layout:
            self._layout = self._lay_out(boxes, links, keys)
            return self._layout

        self._drawn = now
        self._scene = self.laid = draw_scene(self._view, glyphs, wires, place=place)
        return self._scene

    def _retold(
        self, scene: Scene, layout: Layout, glyphs: Mapping[str, Glyph], wires: Sequence[Wire]
    ) -> Scene:
        """Return `scene` with the cards and titles of another graph of the same shape."""
        titles = {wire.link.id: wire.title for wire in wires}
        titles |= {wire.flow: wire.flow_title for wire in wires}
        groups = [
            group if group.title == titles[group.id] else replace(group, title=titles[group.id])
            for group in scene.groups
            if group.kind in ("wire", "flow")
        ]
        for id, glyph in glyphs.items():
            groups += glyph.draw(layout.x[id], layout.y[id])
        return replace(scene, groups=tuple(groups))

    def _lay_out(
        self, boxes: Sequence[Box], links: Sequence[Link], keys: Mapping[str, str]
    ) -> Layout:
        """Return a layout of `boxes` and `links` in which earlier ones also have places."""
        named = {keys[box.id]: replace(box, id=keys[box.id]) for box in boxes}
        joined: dict[str, Link] = {}
        ids: dict[str, str] = {}
        count: Counter[tuple[str, str]] = Counter()
        for link in links:
            source, target = keys[link.source], keys[link.target]
            key = f"{source} > {target} {count[source, target]}"
            count[source, target] += 1
            joined[key] = replace(link, id=key, source=source, target=target)
            ids[link.id] = key
        times, plus = ABSENT
        all_boxes = self._boxes | {
            key: larger(box, self._boxes.get(key, box)) for key, box in named.items()
        }
        all_links = self._links | joined
        if len(all_boxes) > times * len(named) + plus or has_cycle(all_links):
            all_boxes, all_links = named, joined
        self._boxes, self._links = all_boxes, all_links
        layout = lay_out([*all_boxes.values()], [*all_links.values()])
        return Layout(
            {box.id: layout.x[keys[box.id]] for box in boxes},
            {box.id: layout.y[keys[box.id]] for box in boxes},
            {id: layout.routes[key] for id, key in ids.items()},
            layout.width,
            layout.height,
        )


def fits(group: Group, laid: Group) -> bool:
    """Return whether two groups in one place differ in texts only."""
    if group is laid:
        return True
    if group.id != laid.id or len(group.marks) != len(laid.marks):
        return False
    pairs = zip(group.marks, laid.marks, strict=True)
    return all(one.c == two.c and (one.m != "heat" or one == two) for one, two in pairs)


def texts_that_differ(scene: Scene, laid: Scene) -> list[list[Any]]:
    """Return the texts of a scene that differ from those of `laid`; see Retold."""
    if scene is laid:
        return []
    found: list[list[Any]] = []
    for at, (group, known) in enumerate(zip(scene.groups, laid.groups, strict=True)):
        if group is known:
            continue
        texts = texts_of(group)
        if texts != texts_of(known):
            found.append([at, *texts])
    return found


def larger(box: Box, other: Box) -> Box:
    """Return a box that is as large as both."""
    sizes = {
        name: max(getattr(box, name), getattr(other, name))
        for name in ("width", "above", "below", "solid")
    }
    return replace(box, **sizes)


def has_cycle(links: Mapping[str, Link]) -> bool:
    """Return whether the links of several pictures together have a cycle."""
    sources: dict[str, list[str]] = {}
    for link in links.values():
        sources.setdefault(link.target, []).append(link.source)
    try:
        TopologicalSorter(sources).prepare()
    except CycleError:
        return True
    return False
