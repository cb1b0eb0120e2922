"""Graphviz: the graph as DOT text, for other tools.

Our own pictures need no `dot` (docs/decisions/0005): whoever wants Graphviz' gets the text for it.

Read next: faces/render/text.py
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from graphlab.faces.render.metrics import brief
from graphlab.faces.render.outline import CARD
from graphlab.faces.render.timeline_steps import grad_text, is_failed, value_text
from graphlab.graph.model import Graph, TensorInfo


def to_dot(graph: Graph, state: Mapping[str, Any] | None = None, lines: Sequence[str] = ()) -> str:
    """The graph in Graphviz' language, coloured as torchviz does; every text is escaped.

    Ids are the graph's own ("t0", "n1"), never a user's name. With a `state` of a timeline each
    tensor has its gradient; `lines` stand above the graph.
    """
    wrapped = [part for line in lines for part in wrap(line, 90)]
    said = [f"  label={_quoted(*wrapped)}; labelloc=t; labeljust=l;"] if lines else []
    parts = [
        "digraph graphlab {",
        "  rankdir=LR;",
        *said,
        '  node [fontname="Helvetica", fontsize=11, color="#1b1f24"];',
        '  edge [fontname="Helvetica", fontsize=9, color="#0068a8"];',
    ]
    operations = [node for node in graph.nodes if node.variable is None]
    used = {id for node in operations for id in (*node.inputs, *node.outputs)} | {graph.root}
    for tensor in graph.tensors:
        if tensor.id in used:
            colour = ', color="#0068a8"' if tensor.is_leaf and tensor.requires_grad else ""
            label = _quoted(*_tensor_lines(tensor, state))
            parts.append(f"  {_id(tensor.id)} [shape=box, style=rounded, label={label}{colour}];")
    for node in operations:
        me = _id(node.id)
        saved = [f"saved {s.name}: {s.text or _value_text(s.value)}" for s in node.saved]
        about = f", tooltip={_quoted(*saved)}" if saved else ""
        label = f"label={_quoted(node.symbol)}, xlabel={_quoted(node.name)}"
        shape = "box3d" if node.op == CARD else "circle"
        failed = ', color="#b3261e", penwidth=3' if is_failed(node.id, state) else ""
        parts.append(f"  {me} [shape={shape}, {label}{about}{failed}];")
        for k, id in enumerate(node.inputs):
            parts.append(f'  {_id(id)} -> {me} [headlabel="{k}"];')
        parts += [f"  {me} -> {_id(id)};" for id in node.outputs]
    return "\n".join([*parts, "}"]) + "\n"


def _id(id: str) -> str:
    # ours need no quotes; those of a trace from elsewhere might
    return id if re.fullmatch(r"[tn]\d+", id, re.ASCII) else _quoted(id)


def _tensor_lines(tensor: TensorInfo, state: Mapping[str, Any] | None) -> tuple[str, ...]:
    value, grad = brief(value_text(tensor, state)), grad_text(tensor, state)
    named = f"{tensor.name} = {value}" if tensor.name else value
    return (named, f"grad {brief(grad)}") if grad is not None and state else (named,)


def _value_text(value: object) -> str:
    return brief(getattr(value, "text", "")) if value is not None else "no value"


def _quoted(*lines: str) -> str:
    """A DOT string: quotes and backslashes escaped, so that no name ends it or commands dot."""
    safe = (
        "".join(c if c >= " " else " " for c in line).replace("\\", "\\\\").replace('"', '\\"')
        for line in lines
    )
    text = "\\n".join(safe).encode("utf-8", "replace").decode("utf-8")
    return f'"{text}"'
