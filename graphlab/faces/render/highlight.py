"""A graph with one path highlighted: thick and coloured, everything else pale.

Read next: faces/render/svg.py
"""

from collections.abc import Callable, Sequence

from graphlab.faces.render.html import image
from graphlab.faces.render.scene_builder import build_scene
from graphlab.faces.render.svg import attributes, document, element
from graphlab.faces.render.theme import THEMES, Style, Theme, style_of
from graphlab.graph.model import Graph
from graphlab.graph.scene import Group, Mark, Scene

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
