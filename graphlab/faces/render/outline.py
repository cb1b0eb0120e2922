"""What a collapsed picture shows, as a graph of its own: each card is one node in it.

The forms of text are made of this, so that they show what the picture shows.

Read next: faces/render/drawing.py
"""

from __future__ import annotations

from graphlab.faces.render.scope_tree import Part, Plan, common
from graphlab.graph.model import Graph, NodeInfo

CARD = "scope"  # the op of a node that stands for a scope


def outline_of(graph: Graph, drawn: Plan, part: Part) -> Graph:
    """The inside of `part`: its own nodes, and one for each part in it.

    What goes into the part from outside is a tensor that nothing here made.
    """
    nodes = tuple(
        item if isinstance(item, NodeInfo) else _card(item, graph, drawn) for item in part.items
    )
    made = [id for node in nodes for id in node.outputs]
    used = {id for node in nodes if node.variable is None for id in node.inputs}
    root = next((id for id in made if id == graph.root), None)
    root = root or next((id for id in made if id not in used), graph.root)
    touched = graph.with_bases({root, *used, *made})
    tensors = tuple(tensor for tensor in graph.tensors if tensor.id in touched)
    return Graph(root, tensors, nodes, ())


def _card(part: Part, graph: Graph, drawn: Plan) -> NodeInfo:
    """A part as a node: what it takes in, what it gives out."""

    def is_inside(home: Part) -> bool:
        return common(home, part) is part

    inside = [node for node in graph.nodes if is_inside(drawn.nodes[node.id])]
    takes: dict[str, None] = {}
    gives: dict[str, None] = {}
    for node in reversed(inside):  # in the order in which they were made
        if node.variable is None:
            takes.update({id: None for id in node.inputs if not is_inside(drawn.tensors[id])})
    for node in graph.nodes:
        if node.variable is None and not is_inside(drawn.nodes[node.id]):
            gives.update({id: None for id in node.inputs if is_inside(drawn.tensors[id])})
    if is_inside(drawn.tensors[graph.root]):
        gives[graph.root] = None
    size = f"{part.size} nodes"
    name = f"{part.kind}, {size}" if part.kind else size
    return NodeInfo(
        f"@{part.path}", name, CARD, part.label, 0, tuple(takes), tuple(gives), scope=part.path
    )
