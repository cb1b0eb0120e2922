"""One way through a graph, lit: what lies on it is thick and coloured, the rest is pale.

Read next: faces/render/svg.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphlab.faces.render.html import image
from graphlab.faces.render.scene_builder import build_scene
from graphlab.faces.render.svg import attributes, document, place, text_of
from graphlab.faces.render.theme import Look, Theme, choose_theme, look
from graphlab.graph.model import Graph
from graphlab.graph.scene import Group, Mark, Scene

PALE = 0.3  # opacity of what does not lie on the way
SMALL = ("caption", "index")  # not written beside what is pale
LIT: dict[str, Look] = {
    "wire": {"stroke-width": 3.6},
    "card": {"stroke-width": 2.8},
    "op": {"stroke-width": 2.8},
}
COLOURED = {("wire", "stroke"), ("head", "fill"), ("card", "stroke"), ("op", "stroke")}


def pictures_of(graph: Graph) -> Callable[[Sequence[str], str], str]:
    """What draws ways through `graph`: (ids of edges, what to say of it) -> an <img>."""
    scene = build_scene(graph, "computation", walked=False)

    def picture(edges: Sequence[str], about: str) -> str:
        return image(lit_svg(scene, graph, edges, about), about)

    return picture


def lit_svg(
    scene: Scene, graph: Graph, edges: Sequence[str], about: str, theme: str = "light"
) -> str:
    """The scene with the way along `edges` lit, which begins at the graph's root."""
    chosen, lit = choose_theme(theme), groups_on(graph, edges)
    parts = []
    for group in scene.groups:
        if group.kind == "saved":  # what nodes kept matters to the rules, not to the ways
            continue
        bright = group.id in lit
        marks = [m for m in group.marks if bright or m.c not in SMALL]
        inner = "".join(drawn(mark, group, graph, chosen, bright) for mark in marks)
        parts.append(f"<g>{inner}</g>" if bright else f'<g opacity="{PALE}">{inner}</g>')
    return document(scene.width, scene.height, chosen, about, "".join(parts))


def groups_on(graph: Graph, edges: Sequence[str]) -> frozenset[str]:
    """The ids of the groups on a way: tensors, operations, and the wires between them."""
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


def drawn(mark: Mark, group: Group, graph: Graph, theme: Theme, lit: bool) -> str:
    """The element of one mark; "" for a text without letters."""
    looks = look(mark, group, theme, graph, {}, None)
    if lit:
        looks |= LIT.get(mark.c, {}) | {
            name: theme.gradient for name in ("stroke", "fill") if (mark.c, name) in COLOURED
        }
    written = f"{place(mark)}{attributes({k: v for k, v in looks.items() if v is not None})}"
    if mark.m != "text":
        return f"<{mark.m}{written}/>"
    return f"<text{written}>{text_of(mark.t)}</text>" if mark.t else ""
