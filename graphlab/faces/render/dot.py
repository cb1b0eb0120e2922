"""The graph in DOT, the language of Graphviz, for other tools.

GraphLab's own pictures do not need `dot` (docs/decisions/0005).

Read next: faces/render/text.py
"""

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from graphlab.faces.render.metrics import brief
from graphlab.faces.render.scope_tree import CARD
from graphlab.faces.render.timeline_steps import (
    drawn_tensors,
    is_failed,
    saved_by_then,
    tensor_lines,
)
from graphlab.graph.model import Graph


def to_dot(graph: Graph, state: Mapping[str, Any] | None = None, lines: Sequence[str] = ()) -> str:
    """Return the graph in DOT, with all text escaped.

    Ids are the graph's own ("t0", "n1"), never a user's name. With a `state` of a timeline, each
    tensor shows its gradient. lines: text above the graph.
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
    for tensor in drawn_tensors(graph):
        colour = ', color="#0068a8"' if tensor.is_leaf and tensor.requires_grad else ""
        label = _quoted(*tensor_lines(tensor, state))
        parts.append(f"  {_id(tensor.id)} [shape=box, style=rounded, label={label}{colour}];")
    for node in graph.nodes:
        if node.variable is not None:
            continue
        me = _id(node.id)
        kept = saved_by_then(node, state)
        saved = [f"saved {s.name}: {s.text or _value_text(s.value)}" for s in kept]
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
    # GraphLab's ids need no quotes, but those of a trace from elsewhere may
    return id if re.fullmatch(r"[tn]\d+", id, re.ASCII) else _quoted(id)


def _value_text(value: object) -> str:
    return brief(getattr(value, "text", "")) if value is not None else "no value"


def _quoted(*lines: str) -> str:
    """Return a DOT string, in which a name can neither end the string nor start a command."""
    safe = (
        "".join(c if c >= " " else " " for c in line).replace("\\", "\\\\").replace('"', '\\"')
        for line in lines
    )
    text = "\\n".join(safe).encode("utf-8", "replace").decode("utf-8")
    return f'"{text}"'
