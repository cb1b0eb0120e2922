"""Draw a graph as a scene: choose the glyphs of a view, lay them out and connect them with wires.

There are three views of a graph. both: tensors with gradients, operations and saved values.
computation: the same without gradients. backward: grad_fn nodes, as in PyTorch.

Read next: faces/render/glyphs.py
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import Any, get_args

from graphlab.common.errors import written
from graphlab.faces.render import curves
from graphlab.faces.render.curves import HEIGHT as LABEL
from graphlab.faces.render.curves import Obstacles, Route, extent, place_label
from graphlab.faces.render.glyphs import (
    ALIKE,
    PITCH,
    Glyph,
    grad_fn_box,
    gradient_room,
    operation,
    tensor_card,
)
from graphlab.faces.render.layered_graph import FLOW, Back, Box, Layout, Link
from graphlab.faces.render.layout import lay_out
from graphlab.faces.render.metrics import FONTS, LongestTexts, halves, isolated, text_width
from graphlab.faces.render.row_wrapping import in_rows
from graphlab.faces.render.timeline_steps import drawn_tensors
from graphlab.graph.codec import record
from graphlab.graph.model import EdgeInfo, Graph, TensorInfo
from graphlab.graph.scene import Group, Mark, Scene, View

VIEWS: tuple[View, ...] = get_args(View)


def check_view(view: Any) -> None:
    """Raise ValueError for an unknown view."""
    if view not in VIEWS:
        raise ValueError(f"unknown view {written(view)} (must be one of {sorted(VIEWS)})")


@record
class Wire:
    """A link and what is drawn along it."""

    link: Link
    title: str
    index: int | None = None  # of the next_functions entry
    flow: str = ""  # id of the group of its gradient; "" if none flows back
    flow_title: str = ""
    summed: str = ""  # text below the gradient if a broadcast is undone
    index_below: bool = False  # the index of the lower of two close inputs is below its flow
    points_left: bool = False  # in the backward view, next_functions point from right to left


def build_scene(
    graph: Graph,
    view: View = "both",
    playable: bool = True,
    texts: LongestTexts | None = None,
    wide: float = inf,
) -> Scene:
    """Draw `graph` as a scene.

    view: "both", "computation" or "backward". playable: whether it is for a player, or else a still
    picture. texts: what will be written in it; None leaves room for any value.
    wide: the width in pixels above which the picture is wrapped into rows.
    Raises: ValueError for an unknown view.
    """
    check_view(view)
    glyphs, wires = glyphs_of(graph, view, playable, texts)
    return draw_scene(view, glyphs, wires, wide)


def glyphs_of(
    graph: Graph, view: View, playable: bool = True, texts: LongestTexts | None = None
) -> tuple[dict[str, Glyph], list[Wire]]:
    """Return what a view shows, before layout: glyphs by id, and the wires between them."""
    if not playable:
        texts = LongestTexts()
    if view == "backward":
        return _backward(graph, playable, texts)
    return _forward(graph, view == "both", playable, texts)


def _forward(
    graph: Graph, with_grad: bool, playable: bool = True, texts: LongestTexts | None = None
) -> tuple[dict[str, Glyph], list[Wire]]:
    glyphs: dict[str, Glyph] = {}
    operations = [node for node in graph.nodes if node.variable is None]
    for tensor in drawn_tensors(graph):
        glyphs[tensor.id] = tensor_card(tensor, graph, with_grad, playable, texts)
    found: list[Wire] = []
    for node in operations:
        glyphs[node.id] = operation(node, texts)
        edges = graph.edges_of_inputs(node) if playable else (None,) * len(node.inputs)
        for k, id in enumerate(node.inputs):
            tensor, edge = graph.tensor(id), edges[k]
            out, into = glyphs[id].out + aside(node.inputs, k, PITCH), glyphs[node.id].into[k]
            room, summed = room_of(edge, tensor, texts)
            free = node.op in ALIKE
            link = Link(f"w:{node.id}.{k}", id, node.id, out, into, room, free=free)
            title = f"{isolated(tensor.label)} is input {k} of {node.name}"
            title += "" if tensor.requires_grad else "; no gradient flows back to it"
            back = f"the gradient that {node.name} sends to {isolated(tensor.label)}"
            found.append(Wire(link, title, k, edge.id if edge else "", back, summed))
        for id in node.outputs:
            tensor = graph.tensor(id)
            text = None if texts is None else texts.grads.get(id, "")
            out, room = glyphs[node.id].out, gradient_room(tensor.value, text) if playable else 0
            link = Link(f"w:{node.id}>{id}", node.id, id, out, 0, room, joined=True)
            back = f"the gradient of {isolated(tensor.label)} enters {node.name}"
            title = f"{isolated(tensor.label)} is the result of {node.name}"
            found.append(Wire(link, title, None, f"{node.id}<{id}" if playable else "", back))
    return glyphs, found


def aside(ends: Sequence[str], k: int, apart: float) -> float:
    """Return the offset from the middle at which line k leaves its box, if several go to one end.

    >>> aside(["a", "a"], 0, 16), aside(["a", "a"], 1, 16), aside(["a", "b"], 1, 16)
    (-8.0, 8.0, 0.0)
    """
    if ends.count(ends[k]) == 1:
        return 0.0
    same = [place for place, end in enumerate(ends) if end == ends[k]]
    return halves((same.index(k) - (len(same) - 1) / 2) * apart / (len(same) - 1))


def room_of(
    edge: EdgeInfo | None, tensor: TensorInfo, texts: LongestTexts | None
) -> tuple[float, str]:
    """Return the width of the text along an edge, in pixels, and the text about a sum."""
    if edge is None:
        return 0.0, ""
    if texts is None:
        return gradient_room(tensor.value), ""
    summed = texts.sums.get(edge.id, "")
    room = gradient_room(tensor.value, texts.grads.get(edge.id, ""))
    return max(room, text_width(summed, FONTS["caption"]) if summed else 0.0), summed


def _backward(
    graph: Graph, playable: bool, texts: LongestTexts | None
) -> tuple[dict[str, Glyph], list[Wire]]:
    glyphs = {node.id: grad_fn_box(node, graph, texts) for node in graph.nodes}
    found: list[Wire] = []
    for node in graph.nodes:
        edges = graph.edges_from(node.id)
        ends = [edge.target for edge in edges]
        for k, edge in enumerate(edges):
            out = aside(ends, k, FLOW + 7)
            wire = edge_wire(edge, graph, glyphs, edge.target, out, texts)
            found.append(wire if playable else replace(wire, flow=""))
    ends = [(node.variable, node.id, True) for node in graph.nodes if node.variable is not None]
    root = graph.tensor(graph.root)
    if root.producer is not None and root.producer in glyphs:
        ends.append((root.id, root.producer, False))
    for id, node_id, is_variable in ends:
        tensor = graph.tensor(id)
        glyphs[id] = tensor_card(tensor, graph, True, playable, texts)
        if is_variable:
            link = Link(f"w:{node_id}.0", id, node_id, 0, 0, joined=True)
            title = f"{isolated(tensor.label)} is the variable of this AccumulateGrad"
        else:
            link = Link(f"w:{node_id}>{id}", node_id, id, 0, 0, joined=True)
            title = f"{isolated(tensor.label)}.grad_fn is {graph.node(node_id).name}"
        found.append(Wire(link, title, points_left=True))
    return glyphs, found


def edge_wire(
    edge: EdgeInfo,
    graph: Graph,
    glyphs: dict[str, Glyph],
    start: str,
    out: float,
    texts: LongestTexts | None,
) -> Wire:
    """Return a wire of the backward view: one entry of next_functions.

    start: the id of the glyph on its left. out: the height at which it leaves that glyph.
    """
    user, target = graph.node(edge.source), graph.node(edge.target)
    tensor, ports = graph.tensor(edge.tensor), glyphs[user.id].into
    into = ports[max(0, min(edge.index, len(ports) - 1))]
    room, summed = room_of(edge, tensor, texts)
    link = Link(f"w:{edge.id}", start, user.id, out, into, room, free=user.op in ALIKE)
    title = f"{user.name}.next_functions[{edge.index}] is {target.name}"
    back = f"the gradient that {user.name} sends to {isolated(tensor.label)}"
    return Wire(link, title, edge.index, edge.id, back, summed, points_left=True)


def draw_scene(
    view: View,
    glyphs: dict[str, Glyph],
    wires: list[Wire],
    wide: float = inf,
    place: Callable[[Sequence[Box], Sequence[Link]], Layout] = lay_out,
) -> Scene:
    """Lay out glyphs and wires and draw their marks; wrap into rows above `wide` pixels.

    place: the function that makes the layout.
    """
    boxes = [glyph.box for glyph in glyphs.values()]
    layout = place(boxes, [wire.link for wire in wires])
    flowing = any(wire.flow for wire in wires)
    joined = {wire.link.id for wire in wires if wire.link.joined}
    layout = in_rows(layout, boxes, wide, 2 * FLOW if flowing else FLOW, joined)
    wires = [_placed(wire, glyphs, layout) for wire in wires]
    routes = [_route(wire, glyphs, layout) for wire in wires]
    drawn = [_draw_wire(wire, route) for wire, route in zip(wires, routes, strict=True)]
    cards: list[Group] = []
    for id, glyph in glyphs.items():
        cards += glyph.draw(layout.x[id], layout.y[id])
    flows: list[Group] = []
    if flowing:
        flows = _draw_flows(wires, routes, glyphs, (*drawn, *cards))
    return Scene(view, round(layout.width), round(layout.height), (*drawn, *flows, *cards))


def _draw_flows(
    wires: list[Wire], routes: list[Route], glyphs: dict[str, Glyph], drawn: Sequence[Group]
) -> list[Group]:
    """Draw the lines of the gradients, last, so that their numbers avoid everything else."""
    lowered = [_lowered(wire, route, glyphs) for wire, route in zip(wires, routes, strict=True)]
    obstacles = _obstacles(wires, routes, lowered)
    for group in drawn:
        for mark in group.marks:
            if mark.m != "path":
                obstacles.add_rect(extent(mark))
    return [
        _draw_flow(wire, route, obstacles)
        for wire, route in zip(wires, lowered, strict=True)
        if wire.flow
    ]


def _placed(wire: Wire, glyphs: dict[str, Glyph], layout: Layout) -> Wire:
    """Return the wire with the heights of its ends as the layout chose them."""
    link = wire.link
    out = layout.routes[link.id][0][1] - layout.y[link.source]
    into = layout.routes[link.id][-1][3] - layout.y[link.target]
    places = glyphs[link.target].into
    # its index is above its flow if there is room, as for a*a
    below = len(places) == 2 and into == places[1] and places[1] - places[0] < PITCH
    if (out, into, below) == (link.out, link.into, wire.index_below):
        return wire
    return replace(wire, link=replace(link, out=out, into=into), index_below=below)


def _route(wire: Wire, glyphs: dict[str, Glyph], layout: Layout) -> Route:
    link = wire.link
    source, target = glyphs[link.source], glyphs[link.target]
    gaps = layout.routes[link.id]
    first, last = gaps[0], gaps[-1]
    start = layout.x[link.source] + source.reach(link.out)
    end = layout.x[link.target] - target.reach(link.into)
    if len(gaps) > 1:
        # horizontal pieces join into one line across many columns; a label needs the last gap
        gaps = (*[gap for gap in gaps[:-1] if gap[1] != gap[3]], last)
    return Route((start, first[1]), gaps, (end, last[3]))


def _lowered(wire: Wire, route: Route, glyphs: dict[str, Glyph]) -> Route:
    """Return the gradient's line below a wire, from outline to outline at its own height."""
    link = wire.link
    source, target = glyphs[link.source], glyphs[link.target]
    lower = route.lowered(FLOW)
    start = route.start[0] - source.reach(link.out) + source.reach(link.out + FLOW)
    end = route.end[0] + target.reach(link.into) - target.reach(link.into + FLOW)
    return Route((start, lower.start[1]), lower.gaps, (end, lower.end[1]))


def _obstacles(wires: list[Wire], routes: list[Route], lowered: list[Route]) -> Obstacles:
    """Return the lines that a label should not cover."""
    obstacles = Obstacles()
    seen: curves.Seen = {}  # wires from one box share pieces; each counts once
    backs: dict[Back, None] = {}
    for wire, route, lower in zip(wires, routes, lowered, strict=True):
        for way in (route, lower) if wire.flow else (route,):
            obstacles.add_line(curves.straight(way, seen))
            for gap in way.gaps:
                if isinstance(gap, Back):
                    backs[gap] = None
                else:
                    obstacles.add_line(curves.sample(gap, curves.bow(gap) if way is lower else 0.0))
    for back in backs:
        obstacles.add_line(curves.along(back))
    return obstacles


def _draw_wire(wire: Wire, route: Route) -> Group:
    if wire.points_left:
        body, head = curves.to_left(route), curves.head(route.start, left=True)
    else:
        body, head = curves.to_right(route), curves.head(route.end)
    marks = [Mark("path", "wire", d=body), Mark("path", "head", d=head)]
    if wire.index is not None:
        aside, away = (3, 19.5) if wire.index_below else (-4, -4)
        x, y = route.end[0] + aside, route.end[1] + away
        marks.append(Mark("text", "index", halves(x), y, t=str(wire.index), a="end"))
    return Group(wire.link.id, "wire", wire.title, tuple(marks))


def _draw_flow(wire: Wire, route: Route, obstacles: Obstacles) -> Group:
    marks = [
        Mark("path", "flow", d=curves.to_left(route, bowed=True)),
        Mark("path", "flowhead", d=curves.head(route.start, left=True)),
    ]
    if room := wire.link.room:
        lines = 2 if wire.summed else 1
        place = place_label(obstacles, curves.last_stretch(route), room * 0.95, lines)
        x, y = map(halves, place)
        marks.append(
            Mark("text", "contribution", x, y, round(room), a="middle", slot="contribution")
        )
        if wire.summed:
            marks.append(Mark("text", "caption", x, y + LABEL, t=wire.summed, a="middle"))
    return Group(wire.flow, "flow", wire.flow_title, tuple(marks))
