"""The graph as a tree of text: for terminals, for logs, for whoever reads with their ears.

Read next: render/drawing.py
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphlab.graph.model import Graph, NodeInfo, Saved, TensorInfo
from graphlab.render.metrics import shorten

MOST_LINES = 200
DEEPEST = 24  # levels of indentation that still fit on a screen


def to_text(graph: Graph, state: Mapping[str, Any] | None = None) -> str:
    """A tree from the result to the leaves; a tensor used twice is written out once.

    With a `state` of a timeline each tensor's gradient stands beside it.
    """
    lines: list[str] = []
    written: set[str] = set()
    producers = {id: node for node in graph.nodes for id in node.outputs}
    # (tensor, what stands before its line, what stands before those below it, depth)
    todo: list[tuple[str, str, str, int]] = [(graph.root, "", "", 0)]
    while todo and len(lines) < MOST_LINES:
        id, branch, indent, depth = todo.pop()
        tensor, node = graph.tensor(id), producers.get(id)
        line = branch + _tensor_text(tensor, graph, state)
        if node is not None and id in written:
            lines.append(f"{line}  (see above)")
            continue
        written.add(id)
        lines.append(line + (_node_text(node) if node is not None else ""))
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


def _tensor_text(tensor: TensorInfo, graph: Graph, state: Mapping[str, Any] | None) -> str:
    value = tensor.value.text if tensor.value is not None else "no value"
    text = f"{shorten(tensor.name)} = {value}" if tensor.name else value
    if tensor.is_leaf and tensor.requires_grad:
        text += "  leaf"
    grad = _grad_text(tensor, state)
    return text + (f"  grad {grad}" if grad else "")


def _grad_text(tensor: TensorInfo, state: Mapping[str, Any] | None) -> str | None:
    if not tensor.requires_grad:
        return None
    leaf = (state or {}).get("leaves", {}).get(tensor.id)
    found = leaf["after"] if leaf else (state or {}).get("grads", {}).get(tensor.id)
    if found is not None:
        return found["text"]
    return tensor.grad.text if tensor.grad is not None else None


def _node_text(node: NodeInfo) -> str:
    text = f"  {node.name}"
    if node.saved:
        text += f"  saved {', '.join(map(_saved_text, node.saved))}"
    if node.source is not None:
        text += f"  [{shorten(node.source.label)}, line {node.source.line}]"
    return text


def _saved_text(saved: Saved) -> str:
    """`name=value`, each short of its own, so that the sign between them is never left out."""
    value = saved.text or (saved.value.text if saved.value else "freed")
    return f"{shorten(saved.name)}={shorten(value)}"
