"""The graph as a tree of text, for terminals, logs and screen readers.

Read next: faces/render/drawing.py
"""

from collections.abc import Mapping
from typing import Any

from graphlab.common.notebook import printable_here
from graphlab.faces.render.glyphs import versions_text
from graphlab.faces.render.metrics import shorten
from graphlab.faces.render.scope_tree import CARD
from graphlab.faces.render.timeline_steps import (
    grad_text,
    is_failed,
    saved_by_then,
    text_at,
    value_text,
)
from graphlab.graph.model import Graph, NodeInfo, Saved, TensorInfo
from graphlab.graph.timeline import Timeline

MOST_LINES = 200
DEEPEST = 24  # levels of indentation that fit on a screen


def text_of(timeline: Timeline, step: Any = None) -> str:
    """Return one step of a timeline: its sentence, its pass, the timeline's notice, and the tree.

    step: by default the end; for a pass that failed, below the failure's sentence.
    """
    told = text_at(timeline, step)
    if not told.graph.tensors:
        return "\n".join(told.lines)
    notice = [timeline.notice] if timeline.notice else []
    above = "".join(f"{line}\n" for line in (*told.lines, *notice))
    return above + ("\n" if above else "") + to_text(told.graph, told.state)


def printed(timeline: Timeline) -> str:
    """Return what `print(timeline)` writes: where it opens, or its end, and a hint."""
    opening = timeline.opening
    text = text_of(timeline, None if opening is None else opening.step)
    if timeline.events:
        text += "\n\nEvery step in a sentence: for event in timeline: print(event)"
    return printable_here(text)


def to_text(graph: Graph, state: Mapping[str, Any] | None = None) -> str:
    """Return a tree from the result to the leaves; a tensor that is used twice is expanded once.

    With a `state` of a timeline, each tensor's gradient is shown beside it.
    """
    lines: list[str] = []
    written: set[str] = set()
    producers = {id: node for node in graph.nodes for id in node.outputs}
    # (tensor, prefix of its line, prefix of the lines below it, depth)
    todo = [(end, "", "", 0) for end in reversed(_ends_of(graph))]
    while todo and len(lines) < MOST_LINES:
        id, branch, indent, depth = todo.pop()
        tensor, node = graph.tensor(id), producers.get(id)
        line = branch + _tensor_text(tensor, state)
        if node is not None and id in written:
            lines.append(f"{line}  (see above)")
            continue
        written.add(id)
        lines.append(line + (_node_text(node, state) if node is not None else ""))
        if node is None or not node.inputs:
            continue
        if depth >= DEEPEST:
            lines.append(f"{indent}└─ …")
            continue
        last = len(node.inputs) - 1
        for k in range(last, -1, -1):
            joint, below = ("└─", "   ") if k == last else ("├─", "│  ")
            below += " " * len(f"{k} ")
            todo.append((node.inputs[k], f"{indent}{joint} {k} ", indent + below, depth + 1))
    if todo:
        lines.append(f"… ({len(graph.tensors)} tensors, {len(graph.nodes)} nodes in all)")
    return "\n".join(lines)


def _ends_of(graph: Graph) -> list[str]:
    """Return the result, and the unused outputs of other nodes: a scope may have several."""
    operations = [node for node in graph.nodes if node.variable is None]
    used = {id for node in operations for id in node.inputs} | {graph.root}
    return [graph.root, *(node.outputs[0] for node in operations if used.isdisjoint(node.outputs))]


def _tensor_text(tensor: TensorInfo, state: Mapping[str, Any] | None) -> str:
    value = value_text(tensor, state)
    text = f"{shorten(tensor.name)} = {value}" if tensor.name else value
    if tensor.is_leaf and tensor.requires_grad:
        text += "  leaf"
    grad = grad_text(tensor, state)
    return text + (f"  grad {grad}" if grad else "")


def _node_text(node: NodeInfo, state: Mapping[str, Any] | None) -> str:
    text = f"  {node.symbol} ({node.name})" if node.op == CARD else f"  {node.name}"
    if is_failed(node.id, state):
        text += "  FAILED"
    if kept := saved_by_then(node, state):
        text += f"  saved {', '.join(map(_saved_text, kept))}"
    if node.source is not None:
        text += f"  [{shorten(node.source.label)}, line {node.source.line}]"
    return text


def _saved_text(saved: Saved) -> str:
    value = saved.text or (saved.value.text if saved.value else "freed")
    stale = f" ({versions_text(saved)})" if saved.is_stale else ""
    return f"{shorten(saved.name)}={shorten(value)}{stale}"
