"""From a graph to a drawing: choose the pieces for a view, lay them out, connect them.

Three views of one graph. both: tensors with their gradients, operations, saved values.
computation: the same without gradients. backward: grad_fn nodes as PyTorch holds them.

Read next: render/pieces.py
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import get_args

from graphlab.graph.model import Graph
from graphlab.graph.scene import Group, Mark, Scene, View
from graphlab.render import wires
from graphlab.render.dot import MOST_NODES, best_arranger, dot_arranger
from graphlab.render.labels import Crowd, extent, place_label
from graphlab.render.layout import FLOW, Arranger, Layout, Link, lay_out
from graphlab.render.pieces import (
    NONE,
    NOT_YET,
    Piece,
    grad_fn_box,
    gradient_room,
    operation,
    tensor_card,
)
from graphlab.render.wires import Route

MARGIN = 14  # pixels around the picture
VIEWS: tuple[View, ...] = get_args(View)


@dataclass(frozen=True, slots=True)
class Wire:
    """A link with what is drawn along it."""

    link: Link
    title: str
    index: int | None = None  # of the next_functions entry
    flow: str = ""  # id of the gradient's group; "": none comes back along it
    flow_title: str = ""
    points_left: bool = False  # in the backward view next_functions point from right to left
    index_below: bool = False  # the second of two inputs has its gradient between wire and number


def build_scene(graph: Graph, view: View = "both", engine: str | None = None) -> Scene:
    """Draw `graph` as a scene.

    engine: "builtin"; "dot", where it is installed; None: whichever of them crosses fewer lines.
    Raises: ValueError when there is no such view or engine.
    """
    if view not in VIEWS:
        raise ValueError(f"unknown view {view!r} (must be one of {sorted(VIEWS)})")
    pieces, strung = _backward(graph) if view == "backward" else _forward(graph, view == "both")
    layout = lay_out(
        [piece.box for piece in pieces.values()],
        [wire.link for wire in strung],
        choose_arranger(engine, len(graph.nodes)),
    )
    return _draw(view, pieces, strung, layout)


def at_rest(scene: Scene) -> Scene:
    """The scene of a graph that nobody walks: a gradient that is not there is None, not to come."""
    groups = tuple(
        replace(
            group, marks=tuple(replace(m, t=NONE) if m.t == NOT_YET else m for m in group.marks)
        )
        for group in scene.groups
    )
    return replace(scene, groups=groups)


def build_scenes(graph: Graph, engine: str | None = None) -> tuple[Scene, ...]:
    """All three views of `graph`; the first is the one that is shown first."""
    return tuple(build_scene(graph, view, engine) for view in VIEWS)


def choose_arranger(engine: str | None, nodes: int) -> Arranger | None:
    """Who decides order and heights: None is the built-in layout."""
    choices = ["builtin", "dot"]
    if engine not in (None, *choices):
        raise ValueError(f"unknown layout engine {engine!r} (must be one of {choices})")
    if engine == "builtin":
        return None
    if nodes > MOST_NODES:
        return None
    return dot_arranger if engine == "dot" else best_arranger


def _forward(graph: Graph, with_grad: bool) -> tuple[dict[str, Piece], list[Wire]]:
    pieces: dict[str, Piece] = {}
    operations = [node for node in graph.nodes if node.variable is None]
    used = {id for node in operations for id in (*node.inputs, *node.outputs)} | {graph.root}
    for tensor in graph.tensors:
        if tensor.id in used:
            pieces[tensor.id] = tensor_card(tensor, graph, with_grad)
    found: list[Wire] = []
    for node in operations:
        pieces[node.id] = operation(node, graph)
        edges = graph.edges_of_inputs(node)
        for k, id in enumerate(node.inputs):
            tensor, edge = graph.tensor(id), edges[k]
            out, into = pieces[id].out, pieces[node.id].into[k]
            room = gradient_room(tensor.value) if edge is not None else 0
            link = Link(f"w:{node.id}.{k}", id, node.id, out, into, room)
            title = f"{tensor.label} is input {k} of {node.name}"
            below = k == 1 and len(node.inputs) == 2
            back = f"the gradient that {node.name} sends to {tensor.label}"
            found.append(Wire(link, title, k, edge.id if edge else "", back, index_below=below))
        for id in node.outputs:
            tensor = graph.tensor(id)
            out, room = pieces[node.id].out, gradient_room(tensor.value)
            link = Link(f"w:{node.id}>{id}", node.id, id, out, 0, room)
            back = f"the gradient of {tensor.label} enters {node.name}"
            title = f"{tensor.label} is the result of {node.name}"
            found.append(Wire(link, title, None, f"{node.id}<{id}", back))
    return pieces, found


def _backward(graph: Graph) -> tuple[dict[str, Piece], list[Wire]]:
    pieces = {node.id: grad_fn_box(node, graph) for node in graph.nodes}
    found: list[Wire] = []
    for edge in graph.edges:
        source, target = graph.node(edge.source), graph.node(edge.target)
        tensor = graph.tensor(edge.tensor)
        place = max(0, min(edge.index, len(pieces[source.id].into) - 1))
        into, room = pieces[source.id].into[place], gradient_room(tensor.value)
        link = Link(f"w:{edge.id}", target.id, source.id, 0, into, room)
        title = f"{source.name}.next_functions[{edge.index}] is {target.name}"
        back = f"the gradient that {source.name} sends to {tensor.label}"
        found.append(Wire(link, title, edge.index, edge.id, back, points_left=True))
    ends = [(node.variable, node.id, True) for node in graph.nodes if node.variable is not None]
    root = graph.tensor(graph.root)
    if root.producer is not None and root.producer in pieces:
        ends.append((root.id, root.producer, False))
    for id, node_id, is_variable in ends:
        tensor = graph.tensor(id)
        pieces[id] = tensor_card(tensor, graph)
        if is_variable:
            link = Link(f"w:{node_id}.0", id, node_id, 0, 0)
            title = f"{tensor.label} is the variable of this AccumulateGrad"
        else:
            link = Link(f"w:{node_id}>{id}", node_id, id, 0, 0)
            title = f"{tensor.label}.grad_fn is {graph.node(node_id).name}"
        found.append(Wire(link, title, points_left=True))
    return pieces, found


def _draw(view: View, pieces: dict[str, Piece], strung: list[Wire], layout: Layout) -> Scene:
    routes = [_route(wire, pieces, layout) for wire in strung]
    lowered = [_lowered(wire, route, pieces) for wire, route in zip(strung, routes, strict=True)]
    crowd = _crowd(strung, routes, lowered, pieces, layout)
    drawn = [_draw_wire(wire, route) for wire, route in zip(strung, routes, strict=True)]
    for group in drawn:
        for mark in group.marks:
            if mark.c == "index":
                crowd.add_rect(extent(mark))
    for wire, route in zip(strung, lowered, strict=True):
        if wire.flow:
            drawn.append(_draw_flow(wire, route, crowd))
    for id, piece in pieces.items():
        drawn.extend(piece.draw(layout.x[id] + MARGIN, layout.y[id] + MARGIN))
    width, height = layout.width + 2 * MARGIN, layout.height + 2 * MARGIN
    return Scene(view, round(width), round(height), tuple(_rounded(group) for group in drawn))


def _route(wire: Wire, pieces: dict[str, Piece], layout: Layout) -> Route:
    link = wire.link
    source, target = pieces[link.source], pieces[link.target]
    gaps = tuple(
        (x0 + MARGIN, y0 + MARGIN, x1 + MARGIN, y1 + MARGIN)
        for x0, y0, x1, y1 in layout.routes[link.id]
    )
    start = layout.x[link.source] + source.reach(link.out) + MARGIN
    end = layout.x[link.target] - target.reach(link.into) + MARGIN
    # where a wire runs on level, one line does for many columns; a label needs the last gap
    turns = [gap for gap in gaps[:-1] if gap[1] != gap[3]]
    return Route((start, gaps[0][1]), (*turns, gaps[-1]), (end, gaps[-1][3]))


def _lowered(wire: Wire, route: Route, pieces: dict[str, Piece]) -> Route:
    """The way of the gradient, ending at the outlines of the two pieces at its own height."""
    link = wire.link
    source, target = pieces[link.source], pieces[link.target]
    lower = route.lowered(FLOW)
    start = route.start[0] - source.reach(link.out) + source.reach(link.out + FLOW)
    end = route.end[0] + target.reach(link.into) - target.reach(link.into + FLOW)
    return Route((start, lower.start[1]), lower.gaps, (end, lower.end[1]))


def _crowd(
    strung: list[Wire],
    routes: list[Route],
    lowered: list[Route],
    pieces: dict[str, Piece],
    layout: Layout,
) -> Crowd:
    """All that a label should not cover."""
    crowd = Crowd()
    seen: wires.Seen = {}  # wires from one place share their way: each piece counts once
    for wire, route, lower in zip(strung, routes, lowered, strict=True):
        crowd.add_line(wires.straight(route, seen))
        for gap in route.gaps:
            crowd.add_line(wires.sample(gap))
        if wire.flow:
            crowd.add_line(wires.straight(lower, seen))
            for gap in lower.gaps:
                crowd.add_line(wires.sample(gap, wires.bow(gap)))
    for id, piece in pieces.items():
        x, y = layout.x[id] + MARGIN, layout.y[id] + MARGIN
        for group in piece.draw(x, y):
            for mark in group.marks:
                crowd.add_rect(extent(mark))
    return crowd


def _draw_wire(wire: Wire, route: Route) -> Group:
    if wire.points_left:
        body, head = wires.to_left(route), wires.head_left(*route.start)
    else:
        body, head = wires.to_right(route), wires.head_right(*route.end)
    marks = [Mark("path", "wire", d=body), Mark("path", "head", d=head)]
    if wire.index is not None:
        x, y = route.end[0] - 6, route.end[1] + (19 if wire.index_below else -4)
        marks.append(Mark("text", "index", x, y, t=str(wire.index), a="end"))
    return Group(wire.link.id, "wire", wire.title, tuple(marks))


def _draw_flow(wire: Wire, route: Route, crowd: Crowd) -> Group:
    curve = wires.sample(route.gaps[-1], wires.bow(route.gaps[-1]))
    x, y = place_label(crowd, curve, wire.link.room * 0.95)
    marks = (
        Mark("path", "flow", d=wires.to_left(route, bowed=True)),
        Mark("path", "flowhead", d=wires.head_left(*route.start)),
        Mark("text", "contribution", x, y, a="middle", slot="contribution"),
    )
    return Group(wire.flow, "flow", wire.flow_title, marks)


def _rounded(group: Group) -> Group:
    """Coordinates to a tenth of a pixel: what is drawn is what is written."""
    return Group(group.id, group.kind, group.title, tuple(map(_round_mark, group.marks)))


def _round_mark(m: Mark) -> Mark:
    x, y, w, h, r = (round(number, 1) for number in (m.x, m.y, m.w, m.h, m.r))
    return Mark(m.m, m.c, x, y, w, h, r, m.d, m.t, m.a, m.slot)
