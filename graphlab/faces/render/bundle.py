"""The MIME bundle of a timeline: one walk in four formats, so that each front end shows the best.

JupyterLab plays the trace itself, without a kernel and even if the notebook is not trusted;
Notebook, VS Code, Colab and nbconvert show the HTML; others show the SVG or the text.

Read next: faces/widgets/stepper.py
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

from graphlab.faces.render.collapse import build_scenes_of
from graphlab.faces.render.glyphs import saved_text
from graphlab.faces.render.html import shown_at, still_of, to_html
from graphlab.faces.render.layered_graph import Box
from graphlab.faces.render.metrics import LongestTexts, brief, longest_texts
from graphlab.faces.render.scene_builder import glyphs_of
from graphlab.faces.render.scope_cards import stub_of
from graphlab.faces.render.text import text_of
from graphlab.faces.render.timeline_steps import graph_of_pass, is_empty, passes_of
from graphlab.graph.compression import compressed
from graphlab.graph.document import uncollected, write
from graphlab.graph.model import Graph
from graphlab.graph.scene import Group, Pass, Scene, View, renamed, retold, texts_of
from graphlab.graph.timeline import Timeline

MIME = "application/vnd.graphlab.v1+json"


@uncollected()
def timeline_bundle(timeline: Timeline, trace: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the MIME bundle of `timeline`, with scenes added if it has none.

    trace: the timeline with its scenes, compressed, if that is known.
    """
    if is_empty(timeline):
        return {"text/html": to_html(timeline), "text/plain": text_of(timeline)}
    drawn = with_scenes(timeline)
    trace = trace or compressed(write(drawn, copies=False))
    return {
        MIME: trace,
        "text/html": to_html(drawn, trace=trace["gzip"]),
        "image/svg+xml": still_of(drawn),
        "text/plain": text_of(drawn, shown_at(drawn)),
    }


def with_scenes(timeline: Timeline) -> Timeline:
    """Return `timeline` with the scenes of the player, unless it has its own.

    Each of several passes gets its own scenes, and a title, "loss", which the player shows as "pass
    2 of 3: loss"; with its line, "loss, line 5", where such passes begin in several lines. The
    player derives the view "computation" from "both", which makes saved notebooks a fifth smaller.
    """
    if timeline.scenes or timeline.passes:
        return timeline
    if timeline.walks_forward:
        return with_scenes(timeline.with_forward(False)).with_forward()
    begun, texts = passes_of(timeline), longest_texts(timeline)
    if not begun:
        return replace(timeline, scenes=scenes_of_passes([timeline.graph], texts)[0])
    lines: dict[str, set[Any]] = {}
    for _, event in begun:
        lines.setdefault(event.title, set()).add(event.source and event.source.line)
    passes_begun = [event for _, event in begun]
    graphs: dict[Any, Graph] = {}  # several passes may walk one graph
    for event in passes_begun:
        if (key := (event.roots, event.waits)) not in graphs:
            graphs[key] = graph_of_pass(timeline.graph, event, passes_begun)
    drawn = dict(zip(graphs, scenes_of_passes(graphs.values(), texts), strict=True))
    passes: list[Pass] = []
    for k, event in begun:
        first = k if passes else 0
        several = len(lines[event.title]) > 1
        line = f", line {event.source.line}" if several and event.source else ""
        passes.append(
            Pass(event.title + line, event.roots[0], first, drawn[event.roots, event.waits])
        )
    return replace(timeline, passes=tuple(passes))


# -- several passes --------------------------------------------------------------------------------

# The passes of a loop have graphs of one shape, so one drawing serves them all, with other texts.
# Each text has the room of the longest one in any pass, so nothing moves from one to the next.

VIEWS: tuple[View, ...] = ("both", "backward")  # the player derives "computation" from "both"


def scenes_of_passes(
    graphs: Iterable[Graph], texts: LongestTexts | None
) -> list[tuple[Scene, ...]]:
    """Return the scenes of each graph.

    texts: the longest text of each place in all of them, which is changed; None if not known.
    """
    graphs = list(graphs)
    shapes = [shape_of(graph) for graph in graphs]
    if texts is not None:
        share_room(graphs, shapes, texts)
    first: dict[Hashable, Drawn] = {}
    found: list[tuple[Scene, ...]] = []
    for graph, shape in zip(graphs, shapes, strict=True):
        scenes = first[shape].redrawn(graph, texts) if shape in first else None
        if scenes is None:
            scenes = build_scenes_of(graph, VIEWS, texts=texts) if graph.tensors else ()
            first[shape] = Drawn(graph, scenes, texts)
        found.append(scenes)
    return found


class Drawn:
    """A graph that was drawn, for graphs of the same shape."""

    def __init__(self, graph: Graph, scenes: tuple[Scene, ...], texts: LongestTexts | None) -> None:
        self.graph, self.scenes, self.texts = graph, scenes, texts

    @cached_property
    def sizes(self) -> dict[View, list[Box]]:
        """The sizes of its glyphs in each view."""
        return {view: glyphs_in(self.graph, view, self.texts)[1] for view in VIEWS}

    def redrawn(self, graph: Graph, texts: LongestTexts | None) -> tuple[Scene, ...] | None:
        """Return these scenes with the texts of `graph`; None if its glyphs have other sizes."""
        ids = dict(zip(ids_of(self.graph), ids_of(graph), strict=True))
        groups: dict[View, dict[str, Group]] = {}
        for view in VIEWS:
            groups[view], sizes = glyphs_in(graph, view, texts)
            if sizes != self.sizes[view]:
                return None
        return tuple(self._scene(scene, graph, ids, groups[scene.view]) for scene in self.scenes)

    def _scene(
        self, scene: Scene, graph: Graph, ids: Mapping[str, str], own: Mapping[str, Group]
    ) -> Scene:
        made: list[Group] = []
        for group in scene.groups:
            id, members = renamed(group, ids)
            fresh = own.get(id)
            if group.kind == "stub" and not id.startswith("@"):
                outside = graph.tensor(id) if graph.has("tensor", id) else graph.node(id)
                fresh = stub_of(outside, graph).draw(0, 0)[0]
            if fresh is not None:
                group = retold(group, texts_of(fresh))
            made.append(Group(id, group.kind, group.title, group.marks, members))
        return replace(scene, groups=tuple(made))


def glyphs_in(
    graph: Graph, view: View, texts: LongestTexts | None
) -> tuple[dict[str, Group], list[Box]]:
    """Return the groups of all glyphs of a view by id, not placed yet, and the glyphs' sizes."""
    glyphs = glyphs_of(graph, view, True, texts)[0].values()
    groups = {group.id: group for glyph in glyphs for group in glyph.draw(0, 0)}
    return groups, [replace(glyph.box, id="") for glyph in glyphs]


def share_room(graphs: Iterable[Graph], shapes: Iterable[Hashable], texts: LongestTexts) -> None:
    """Give places that correspond in graphs of one shape the longest text of all."""
    alike: dict[Hashable, list[Any]] = {}
    for graph, shape in zip(graphs, shapes, strict=True):
        alike.setdefault(shape, []).append(places_of(graph, texts))
    for several in alike.values():
        for places in zip(*several, strict=True) if len(several) > 1 else ():
            found = [text for kept, id, own in places for text in (own, kept.get(id, ""))]
            if longest := max(found, key=len):
                for kept, id, _ in places:
                    kept[id] = longest


def places_of(graph: Graph, texts: LongestTexts) -> Iterator[tuple[dict[str, str], str, str]]:
    """Yield where the longest text of each place is kept, and the text that `graph` has there."""
    for one in graph.tensors:
        yield texts.values, one.id, "" if one.value is None else brief(one.value.text)
        yield texts.grads, one.id, ""
    for edge in graph.edges:
        yield texts.grads, edge.id, ""
        yield texts.sums, edge.id, ""
    for node in graph.nodes:
        for saved in node.saved:
            yield texts.saved, f"s:{node.id}.{saved.name}", saved_text(saved)


def shape_of(graph: Graph) -> Hashable:
    """Return what a picture of `graph` consists of, without values and ids."""
    place = {id: k for k, id in enumerate(ids_of(graph))}
    tensors = tuple(
        (one.label, one.value and one.value.shape, one.is_leaf, one.requires_grad)
        for one in graph.tensors
    )
    nodes = tuple(
        (
            one.name,
            one.scope,
            *(place.get(id or "") for id in (*one.inputs, *one.outputs, one.variable)),
            *(saved.name for saved in one.saved),
        )
        for one in graph.nodes
    )
    edges = tuple((place.get(one.source), one.index, place.get(one.target)) for one in graph.edges)
    return tensors, nodes, edges


def ids_of(graph: Graph) -> list[str]:
    """Return the ids of the tensors and nodes of `graph`, in order."""
    return [one.id for one in chain(graph.tensors, graph.nodes)]
