"""From a graph to a drawing: choose the pieces for a view, lay them out, connect them.

Three views of one graph. both: tensors with their gradients, operations, saved values.
computation: the same without gradients. backward: grad_fn nodes as PyTorch holds them.

Read next: faces/render/glyphs.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import get_args

from graphlab.faces.render import wires
from graphlab.faces.render.glyphs import (
    ALIKE,
    PITCH,
    Piece,
    grad_fn_box,
    gradient_room,
    operation,
    tensor_card,
)
from graphlab.faces.render.labels import HEIGHT as LABEL
from graphlab.faces.render.labels import Crowd, extent, place_label
from graphlab.faces.render.layout import FLOW, Back, Layout, Link, lay_out
from graphlab.faces.render.longest_texts import Expected
from graphlab.faces.render.metrics import FONTS, halves, isolated, text_width
from graphlab.faces.render.row_wrapping import folded
from graphlab.faces.render.wires import Route
from graphlab.graph.model import EdgeInfo, Graph, TensorInfo
from graphlab.graph.record import record
from graphlab.graph.scene import Group, Mark, Scene, View

VIEWS: tuple[View, ...] = get_args(View)


@record
class Wire:
    """A link with what is drawn along it."""

    link: Link
    title: str
    index: int | None = None  # of the next_functions entry
    flow: str = ""  # id of the gradient's group; "": none comes back along it
    flow_title: str = ""
    summed: str = ""  # what stands below the gradient: that a broadcast was undone
    index_below: bool = False  # the lower of two inputs has its gradient between wire and number
    points_left: bool = False  # in the backward view next_functions point from right to left


def build_scene(
    graph: Graph,
    view: View = "both",
    walked: bool = True,
    expected: Expected | None = None,
    wide: float = inf,
) -> Scene:
    """Draw `graph` as a scene.

    walked: with gradients to come, and lines for them to flow along; without, a still picture.
    expected: what will be written in it; None: it is not known, and there is room for what may.
    wide: pixels; a picture that is wider stands in rows.
    Raises: ValueError when there is no such view.
    """
    if view not in VIEWS:
        raise ValueError(f"unknown view {view!r} (must be one of {sorted(VIEWS)})")
    pieces, strung = pieces_of(graph, view, walked, expected)
    return draw_scene(view, pieces, strung, wide)


def pieces_of(
    graph: Graph, view: View, walked: bool = True, expected: Expected | None = None
) -> tuple[dict[str, Piece], list[Wire]]:
    """What a view shows of `graph`, not placed yet: pieces by id, and the wires between them.

    walked: with what flows back along the wires.
    """
    if not walked:
        expected = Expected()
    if view == "backward":
        return _backward(graph, walked, expected)
    return _forward(graph, view == "both", walked, expected)


def _forward(
    graph: Graph, with_grad: bool, walked: bool = True, expected: Expected | None = None
) -> tuple[dict[str, Piece], list[Wire]]:
    pieces: dict[str, Piece] = {}
    operations = [node for node in graph.nodes if node.variable is None]
    used = {id for node in operations for id in (*node.inputs, *node.outputs)} | {graph.root}
    for tensor in graph.tensors:
        if tensor.id in used:
            pieces[tensor.id] = tensor_card(tensor, graph, with_grad, walked, expected)
    found: list[Wire] = []
    for node in operations:
        pieces[node.id] = operation(node, graph)
        edges = graph.edges_of_inputs(node) if walked else (None,) * len(node.inputs)
        for k, id in enumerate(node.inputs):
            tensor, edge = graph.tensor(id), edges[k]
            out, into = pieces[id].out + aside(node.inputs, k, PITCH), pieces[node.id].into[k]
            room, summed = room_of(edge, tensor, expected)
            free = node.op in ALIKE
            link = Link(f"w:{node.id}.{k}", id, node.id, out, into, room, free=free)
            title = f"{isolated(tensor.label)} is input {k} of {node.name}"
            title += "" if tensor.requires_grad else "; no gradient goes back to it"
            back = f"the gradient that {node.name} sends to {isolated(tensor.label)}"
            found.append(Wire(link, title, k, edge.id if edge else "", back, summed))
        for id in node.outputs:
            tensor = graph.tensor(id)
            text = None if expected is None else expected.grads.get(id, "")
            out, room = pieces[node.id].out, gradient_room(tensor.value, text) if walked else 0
            link = Link(f"w:{node.id}>{id}", node.id, id, out, 0, room, joined=True)
            back = f"the gradient of {isolated(tensor.label)} enters {node.name}"
            title = f"{isolated(tensor.label)} is the result of {node.name}"
            found.append(Wire(link, title, None, f"{node.id}<{id}" if walked else "", back))
    return pieces, found


def aside(ends: Sequence[str], k: int, apart: float) -> float:
    """How far the k-th of the lines to `ends` leaves its box from the middle: `a*a` has two.

    >>> aside(["a", "a"], 0, 16), aside(["a", "a"], 1, 16), aside(["a", "b"], 1, 16)
    (-8.0, 8.0, 0.0)
    """
    if ends.count(ends[k]) == 1:
        return 0.0
    same = [place for place, end in enumerate(ends) if end == ends[k]]
    return halves((same.index(k) - (len(same) - 1) / 2) * apart / (len(same) - 1))


def room_of(
    edge: EdgeInfo | None, tensor: TensorInfo, expected: Expected | None
) -> tuple[float, str]:
    """Pixels for what is written along an edge, and what is said of a sum that is made there."""
    if edge is None:
        return 0.0, ""
    if expected is None:
        return gradient_room(tensor.value), ""
    summed = expected.sums.get(edge.id, "")
    room = gradient_room(tensor.value, expected.grads.get(edge.id, ""))
    return max(room, text_width(summed, FONTS["caption"]) if summed else 0.0), summed


def _backward(
    graph: Graph, walked: bool, expected: Expected | None
) -> tuple[dict[str, Piece], list[Wire]]:
    pieces = {node.id: grad_fn_box(node, graph) for node in graph.nodes}
    found: list[Wire] = []
    targets: dict[str, list[str]] = {}
    place_of: dict[str, int] = {}
    for edge in graph.edges:
        reached = targets.setdefault(edge.source, [])
        place_of[edge.id] = len(reached)
        reached.append(edge.target)
    for edge in graph.edges:
        source, target = graph.node(edge.source), graph.node(edge.target)
        tensor = graph.tensor(edge.tensor)
        place = max(0, min(edge.index, len(pieces[source.id].into) - 1))
        into = pieces[source.id].into[place]
        room, summed = room_of(edge if walked else None, tensor, expected)
        free = source.op in ALIKE
        out = aside(targets[edge.source], place_of[edge.id], FLOW + 7)
        link = Link(f"w:{edge.id}", target.id, source.id, out, into, room, free=free)
        title = f"{source.name}.next_functions[{edge.index}] is {target.name}"
        back = f"the gradient that {source.name} sends to {isolated(tensor.label)}"
        flow = edge.id if walked else ""
        found.append(Wire(link, title, edge.index, flow, back, summed, points_left=True))
    ends = [(node.variable, node.id, True) for node in graph.nodes if node.variable is not None]
    root = graph.tensor(graph.root)
    if root.producer is not None and root.producer in pieces:
        ends.append((root.id, root.producer, False))
    for id, node_id, is_variable in ends:
        tensor = graph.tensor(id)
        pieces[id] = tensor_card(tensor, graph, True, walked, expected)
        if is_variable:
            link = Link(f"w:{node_id}.0", id, node_id, 0, 0, joined=True)
            title = f"{isolated(tensor.label)} is the variable of this AccumulateGrad"
        else:
            link = Link(f"w:{node_id}>{id}", node_id, id, 0, 0, joined=True)
            title = f"{isolated(tensor.label)}.grad_fn is {graph.node(node_id).name}"
        found.append(Wire(link, title, points_left=True))
    return pieces, found


def draw_scene(
    view: View, pieces: dict[str, Piece], strung: list[Wire], wide: float = inf
) -> Scene:
    """The marks of pieces and wires, laid out; in rows where that is wider than `wide`."""
    boxes = [piece.box for piece in pieces.values()]
    layout = lay_out(boxes, [wire.link for wire in strung])
    flowing = any(wire.flow for wire in strung)
    layout = folded(layout, boxes, wide, lane=2 * FLOW if flowing else FLOW)
    strung = [_placed(wire, pieces, layout) for wire in strung]
    routes = [_route(wire, pieces, layout) for wire in strung]
    drawn = [_draw_wire(wire, route) for wire, route in zip(strung, routes, strict=True)]
    cards: list[Group] = []
    for id, piece in pieces.items():
        cards += piece.draw(layout.x[id], layout.y[id])
    flows: list[Group] = []
    if flowing:
        flows = _draw_flows(strung, routes, pieces, (*drawn, *cards))
    return Scene(view, round(layout.width), round(layout.height), (*drawn, *flows, *cards))


def _draw_flows(
    strung: list[Wire], routes: list[Route], pieces: dict[str, Piece], drawn: Sequence[Group]
) -> list[Group]:
    """The ways of the gradients, once all that their numbers must not cover is known."""
    lowered = [_lowered(wire, route, pieces) for wire, route in zip(strung, routes, strict=True)]
    crowd = _crowd(strung, routes, lowered)
    for group in drawn:
        for mark in group.marks:
            if mark.m != "path":
                crowd.add_rect(extent(mark))
    return [
        _draw_flow(wire, route, crowd)
        for wire, route in zip(strung, lowered, strict=True)
        if wire.flow
    ]


def _placed(wire: Wire, pieces: dict[str, Piece], layout: Layout) -> Wire:
    """The wire with the places at its ends that it was given."""
    link = wire.link
    out = layout.routes[link.id][0][1] - layout.y[link.source]
    into = layout.routes[link.id][-1][3] - layout.y[link.target]
    places = pieces[link.target].into
    # above where its gradient leaves room for it, as for a*a
    below = len(places) == 2 and into == places[1] and places[1] - places[0] < PITCH
    if (out, into, below) == (link.out, link.into, wire.index_below):
        return wire
    return replace(wire, link=replace(link, out=out, into=into), index_below=below)


def _route(wire: Wire, pieces: dict[str, Piece], layout: Layout) -> Route:
    link = wire.link
    source, target = pieces[link.source], pieces[link.target]
    gaps = layout.routes[link.id]
    first, last = gaps[0], gaps[-1]
    start = layout.x[link.source] + source.reach(link.out)
    end = layout.x[link.target] - target.reach(link.into)
    if len(gaps) > 1:
        # where a wire runs on level, one line does for many columns; a label needs the last gap
        gaps = (*[gap for gap in gaps[:-1] if gap[1] != gap[3]], last)
    return Route((start, first[1]), gaps, (end, last[3]))


def _lowered(wire: Wire, route: Route, pieces: dict[str, Piece]) -> Route:
    """The way of the gradient, ending at the outlines of the two pieces at its own height."""
    link = wire.link
    source, target = pieces[link.source], pieces[link.target]
    lower = route.lowered(FLOW)
    start = route.start[0] - source.reach(link.out) + source.reach(link.out + FLOW)
    end = route.end[0] + target.reach(link.into) - target.reach(link.into + FLOW)
    return Route((start, lower.start[1]), lower.gaps, (end, lower.end[1]))


def _crowd(strung: list[Wire], routes: list[Route], lowered: list[Route]) -> Crowd:
    """All lines that a label should not cover."""
    crowd = Crowd()
    seen: wires.Seen = {}  # wires from one place share their way: each piece counts once
    backs: dict[Back, None] = {}
    for wire, route, lower in zip(strung, routes, lowered, strict=True):
        for way in (route, lower) if wire.flow else (route,):
            crowd.add_line(wires.straight(way, seen))
            for gap in way.gaps:
                if isinstance(gap, Back):
                    backs[gap] = None
                else:
                    crowd.add_line(wires.sample(gap, wires.bow(gap) if way is lower else 0.0))
    for back in backs:
        crowd.add_line(wires.along(back))
    return crowd


def _draw_wire(wire: Wire, route: Route) -> Group:
    if wire.points_left:
        body, head = wires.to_left(route), wires.head_left(*route.start)
    else:
        body, head = wires.to_right(route), wires.head_right(*route.end)
    marks = [Mark("path", "wire", d=body), Mark("path", "head", d=head)]
    if wire.index is not None:
        aside, away = (3, 19.5) if wire.index_below else (-4, -4)
        x, y = route.end[0] + aside, route.end[1] + away
        marks.append(Mark("text", "index", halves(x), y, t=str(wire.index), a="end"))
    return Group(wire.link.id, "wire", wire.title, tuple(marks))


def _draw_flow(wire: Wire, route: Route, crowd: Crowd) -> Group:
    marks = [
        Mark("path", "flow", d=wires.to_left(route, bowed=True)),
        Mark("path", "flowhead", d=wires.head_left(*route.start)),
    ]
    if room := wire.link.room:
        lines = 2 if wire.summed else 1
        place = place_label(crowd, wires.last_stretch(route), room * 0.95, lines)
        x, y = map(halves, place)
        marks.append(
            Mark("text", "contribution", x, y, round(room), a="middle", slot="contribution")
        )
        if wire.summed:
            marks.append(Mark("text", "caption", x, y + LABEL, t=wire.summed, a="middle"))
    return Group(wire.flow, "flow", wire.flow_title, tuple(marks))
