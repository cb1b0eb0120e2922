"""The graph in Mermaid, which GitHub, GitLab and JupyterLab draw inside Markdown.

Read next: faces/render/dot.py
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphlab.faces.render.metrics import LONGEST_NAME, shorten
from graphlab.faces.render.scope_tree import CARD
from graphlab.faces.render.timeline_steps import drawn_tensors, is_failed, tensor_lines
from graphlab.graph.model import Graph, NodeInfo


def to_mermaid(
    graph: Graph, state: Mapping[str, Any] | None = None, lines: Sequence[str] = ()
) -> str:
    """Return the graph in Mermaid: tensors as cards, operations as circles.

    Ids are the graph's own ("t0", "n1"). Every character of a name that Mermaid, Markdown, HTML or
    TeX could interpret is written as an entity code. With a `state` of a timeline, each tensor
    shows its gradient. lines: text beside the graph.
    """
    ids = _Ids()
    parts = ["flowchart LR"]
    if lines:
        parts.append(f'  said["{"<br/>".join(map(_escaped, lines))}"]')
        parts.append("  style said fill:none,stroke:none")
    operations = [node for node in graph.nodes if node.variable is None]
    leaves = []
    for tensor in drawn_tensors(graph):
        label = "<br/>".join(map(_escaped, tensor_lines(tensor, state, LONGEST_NAME)))
        parts.append(f'  {ids[tensor.id]}["{label}"]')
        if tensor.is_leaf and tensor.requires_grad:
            leaves.append(ids[tensor.id])
    for node in operations:
        me = ids[node.id]
        begin, end = ("[[", "]]") if node.op == CARD else ("((", "))")
        parts.append(f'  {me}{begin}"{_node_label(node)}"{end}')
        for k, id in enumerate(node.inputs):
            parts.append(f"  {ids[id]} -->|{k}| {me}")
        parts += [f"  {me} --> {ids[id]}" for id in node.outputs]
    failed = [ids[node.id] for node in operations if is_failed(node.id, state)]
    if failed:
        parts.append(f"  style {failed[0]} stroke:#b3261e,stroke-width:4px")
    if leaves:
        parts.append("  classDef leaf stroke:#0068a8,stroke-width:2px")
        parts.append(f"  class {','.join(leaves)} leaf")
    return "\n".join(parts) + "\n"


class _Ids(dict[str, str]):
    """Ids that Mermaid accepts: GraphLab's own as they are, any others renamed."""

    def __missing__(self, id: str) -> str:
        own = id if re.fullmatch(r"[tn]\d+", id, re.ASCII) else f"x{len(self)}"
        self[id] = own
        return own


def _node_label(node: NodeInfo) -> str:
    return f"{_escaped(node.symbol)}<br/>{_escaped(shorten(node.name))}"


def _escaped(text: str) -> str:
    """Return letters and digits as they are, and other characters as Mermaid's entity codes.

    >>> _escaped("a <b>")
    'a #60;b#62;'
    """
    text = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c if c.isalnum() or c in " ._" else f"#{ord(c)};" for c in text) or " "
