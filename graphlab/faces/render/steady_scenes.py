"""Scenes of a program that runs again and again, where what stays in the graph keeps its place; and
of two graphs, with marked differences: an outline with a number, or the sign ≠.

Each picture is laid out together with everything that earlier pictures showed: the place of an
operation that disappeared stays free, and a text keeps the room of the longest one so far. So a
picture moves only if something new appears, or a number is longer than all before it.

Read next: faces/render/layout.py
"""

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

from graphlab.faces.render.bundle import with_scenes
from graphlab.faces.render.glyphs import Glyph, saved_text
from graphlab.faces.render.html import image
from graphlab.faces.render.layered_graph import Box, Layout, Link
from graphlab.faces.render.layout import lay_out
from graphlab.faces.render.metrics import LongestTexts, brief, longest_texts
from graphlab.faces.render.scene_builder import Wire, build_scene, draw_scene, glyphs_of
from graphlab.faces.render.svg import attributes, document, element
from graphlab.faces.render.theme import THEMES, Style, Theme, style_of
from graphlab.faces.render.timeline_steps import is_empty
from graphlab.graph.comparing.differences import Difference
from graphlab.graph.model import Graph
from graphlab.graph.scene import Group, Mark, Scene, View, texts_of
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


SIGN = 10.0  # pixels from the corner of an outline to the sign on it
ROOM = 4.0  # pixels between a card and the outline around it
TICK = 10.0  # pixels from the upper right of an operation to the sign beside its tick
NUMBERS = 3  # the most numbers at one card


def marked(
    timeline: Timeline, side: int, differences: Iterable[Difference], follows: Mapping[str, str]
) -> Timeline:
    """Return the timeline with marks in all its drawings.

    side: 0 for the first graph, 1 for the second. follows: for each tensor that differs as a
    consequence, whether its value or its gradient differs.
    """
    drawn = with_scenes(timeline)
    numbers = _numbers(timeline.graph, side, differences)

    def scenes(of: tuple[Scene, ...]) -> tuple[Scene, ...]:
        return tuple(_marked(scene, timeline.graph, numbers, follows) for scene in of)

    passes = tuple(replace(one, scenes=scenes(one.scenes)) for one in drawn.passes)
    # both sides open together, at the first row
    return replace(drawn, scenes=scenes(drawn.scenes), passes=passes, opening=None)


def _numbers(graph: Graph, side: int, differences: Iterable[Difference]) -> dict[str, list[int]]:
    """Return the numbers of the differences at each node and tensor."""
    gathers = {node.variable: node.id for node in graph.nodes if node.variable}
    found: dict[str, list[int]] = {}
    for number, one in enumerate(differences, 1):
        for id in dict.fromkeys((one.first, one.second)[side]):
            for place in (id, gathers.get(id)):  # the backward view shows a leaf's node instead
                if place is not None:
                    found.setdefault(place, []).append(number)
    return found


def _marked(
    scene: Scene, graph: Graph, numbers: Mapping[str, list[int]], follows: Mapping[str, str]
) -> Scene:
    within: dict[str, list[int]] = {}
    if any(group.kind == "scope" for group in scene.groups):
        for id, some in numbers.items():
            maker = id if graph.has("node", id) else graph.tensor(id).producer
            path = graph.node(maker).scope if maker else ""
            for end in [k for k, sign in enumerate(path + ".") if sign == "."]:
                within.setdefault(f"@{path[:end]}", []).extend(some)
    groups = [
        _with_mark(group, numbers.get(group.id) or within.get(group.id), follows.get(group.id, ""))
        if group.kind in ("tensor", "op", "scope")
        else group
        for group in scene.groups
    ]
    return replace(scene, groups=tuple(groups))


def _with_mark(group: Group, some: list[int] | None, follows: str) -> Group:
    body = next((mark for mark in group.marks if mark.c in ("card", "op")), None)
    if body is None or not (some or follows):
        return group
    if body.m == "circle":
        r = body.r + ROOM
        outline = Mark("circle", "differs", body.x, body.y, r=r)
        x, y = body.x + 0.7 * r + TICK, body.y - 0.7 * r  # the inputs' numbers stand on the left
    else:
        x, y = body.x - ROOM, body.y - ROOM
        outline = Mark("rect", "differs", x, y, body.w + 2 * ROOM, body.h + 2 * ROOM, body.r + ROOM)
        x += body.w + TICK if body.c == "op" else SIGN
    y += 4.0  # so that the outline goes through the middle of the sign
    if not some:
        sign = Mark("text", "differs", x, y, t="≠")
        title = f"{group.title}; another {follows}"
        return replace(group, title=title, marks=(*group.marks, sign))
    listed = sorted(set(some))
    more = "…" if len(listed) > NUMBERS else ""
    numbers = [str(number) for number in listed[:NUMBERS]]
    sign = Mark("text", "differs", x, y, t=f"≠{','.join(numbers)}{more}")
    which = f"difference{'s' if len(listed) > 1 else ''} {', '.join(numbers)}{more}"
    title = f"{group.title}; {which}" + (f", another {follows}" if follows else "")
    return replace(group, title=title, marks=(*group.marks, outline, sign))


PALE = 0.3  # opacity of what is not on the path
SMALL = ("caption", "index")  # left out where it is pale
WIDTHS = {"wire": 3.6, "card": 2.8, "op": 2.8}  # strokes on the path, in pixels
COLOURED = {("wire", "stroke"), ("head", "fill"), ("card", "stroke"), ("op", "stroke")}


def pictures_of(graph: Graph) -> Callable[[Sequence[str], str], str]:
    """Return a function that draws paths in `graph`: (ids of edges, description) -> an <img>."""
    scene = build_scene(graph, "computation", playable=False)

    def picture(edges: Sequence[str], about: str) -> str:
        return image(highlighted_svg(scene, graph, edges, about), about)

    return picture


def highlighted_svg(scene: Scene, graph: Graph, edges: Sequence[str], about: str) -> str:
    """Return the scene with the path highlighted that begins at the root and follows `edges`."""
    chosen, path = THEMES["light"], groups_on(graph, edges)
    parts = []
    for group in scene.groups:
        if group.kind == "saved":  # saved values matter to the rules, not to paths
            continue
        bright = group.id in path
        drawn = [m for m in group.marks if m.m != "heat" and (m.t or m.m != "text")]
        marks = [m for m in drawn if bright or m.c not in SMALL]
        inner = "".join(
            element(mark, attributes(_style(mark, group, graph, chosen, bright)), mark.t)
            for mark in marks
        )
        parts.append(f"<g>{inner}</g>" if bright else f'<g opacity="{PALE}">{inner}</g>')
    return document(scene.width, scene.height, chosen, about, "".join(parts))


def groups_on(graph: Graph, edges: Sequence[str]) -> frozenset[str]:
    """Return the ids of the groups on a path: tensors, operations, and the wires between them."""
    at = graph.root
    found = {at}
    for id in edges:
        edge = graph.edge(id)
        node = graph.node(edge.source)
        places = [k for k, one in enumerate(graph.edges_of_inputs(node)) if one == edge]
        found |= {node.id, f"w:{node.id}>{at}", edge.tensor}
        found |= {f"w:{node.id}.{k}" for k in places}
        at = edge.tensor
    return frozenset(found)


def _style(mark: Mark, group: Group, graph: Graph, theme: Theme, bright: bool) -> Style:
    style = style_of(mark, group, theme, graph, {}, None)
    if bright:
        style |= {name: theme.gradient for role, name in COLOURED if role == mark.c}
        if mark.c in WIDTHS:
            style["stroke-width"] = WIDTHS[mark.c]
    return style
