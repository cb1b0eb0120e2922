"""Drawings of two graphs with marked differences: an outline with a number, or the sign ≠.

The number is that of a difference in the table; ≠ alone marks a value or gradient that differs as a
consequence. The marks are part of the drawing, so that pictures and players show the same. In a
picture of one highlighted path, the path is thick and coloured, and everything else pale.

Read next: faces/render/two_graphs.py
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from graphlab.faces.render.bundle import with_scenes
from graphlab.faces.render.html import image
from graphlab.faces.render.scene_builder import build_scene
from graphlab.faces.render.svg import attributes, document, element
from graphlab.faces.render.theme import THEMES, Style, Theme, style_of
from graphlab.graph.comparing.differences import Difference
from graphlab.graph.model import Graph
from graphlab.graph.scene import Group, Mark, Scene
from graphlab.graph.timeline import Timeline

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
