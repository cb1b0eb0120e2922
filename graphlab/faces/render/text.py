"""The graph as text: a tree for terminals, logs and screen readers, DOT for Graphviz, and Mermaid.

GitHub, GitLab and JupyterLab draw Mermaid. GraphLab's own pictures need neither of the two
languages (docs/decisions/0005).

Read next: faces/render/drawing.py
"""

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from graphlab.common.notebook import printable_here
from graphlab.faces.render.glyphs import versions_text
from graphlab.faces.render.metrics import LONGEST_NAME, brief, shorten
from graphlab.faces.render.scope_tree import CARD
from graphlab.faces.render.theme import gone
from graphlab.faces.render.timeline_steps import (
    drawn_tensors,
    grad_text,
    is_failed,
    saved_by_then,
    tensor_lines,
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
    """Return the result, and what no operation uses: a list of tensors is drawn, or a scope."""
    operations = [node for node in graph.nodes if node.variable is None]
    used = {id for node in operations for id in node.inputs} | {graph.root}
    ends = (node.outputs or node.inputs for node in graph.nodes)  # a leaf has an AccumulateGrad
    return [graph.root, *(ids[0] for ids in ends if used.isdisjoint(ids))]


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
        saved = (_saved_text(one, gone(node.id, one, state)) for one in kept)
        text += f"  saved {', '.join(saved)}"
    if node.source is not None:
        text += f"  [{shorten(node.source.label)}, line {node.source.line}]"
    return text


def _saved_text(saved: Saved, freed: bool) -> str:
    value = saved.text or (saved.value.text if saved.value else "freed")
    value = shorten(value) + " (freed)" * (freed and value != "freed")
    stale = f" ({versions_text(saved)})" if saved.is_stale else ""
    return f"{shorten(saved.name)}={value}{stale}"


# -- the languages of other tools ----------------------------------------------------------------

# GraphLab's own ids need no quotes and no other names, but those of a trace from elsewhere may
OWN_ID = re.compile(r"[tn]\d+", re.ASCII)


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
        saved = [
            f"saved {s.name}: {s.text or (brief(s.value.text) if s.value else 'no value')}"
            for s in kept
        ]
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
    return id if OWN_ID.fullmatch(id) else _quoted(id)


def _quoted(*lines: str) -> str:
    """Return a DOT string, in which a name can neither end the string nor start a command."""
    safe = (
        "".join(c if c >= " " else " " for c in line).replace("\\", "\\\\").replace('"', '\\"')
        for line in lines
    )
    text = "\\n".join(safe).encode("utf-8", "replace").decode("utf-8")
    return f'"{text}"'


def to_mermaid(
    graph: Graph, state: Mapping[str, Any] | None = None, lines: Sequence[str] = ()
) -> str:
    """Return the graph in Mermaid: tensors as cards, operations as circles.

    Every character of a name that Mermaid, Markdown, HTML or TeX could interpret is written as an
    entity code. Ids, state, lines: as in `to_dot`.
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
        label = f"{_escaped(node.symbol)}<br/>{_escaped(shorten(node.name))}"
        parts.append(f'  {me}{begin}"{label}"{end}')
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
        own = id if OWN_ID.fullmatch(id) else f"x{len(self)}"
        self[id] = own
        return own


def _escaped(text: str) -> str:
    """Return letters and digits as they are, and other characters as Mermaid's entity codes.

    >>> _escaped("a <b>")
    'a #60;b#62;'
    """
    text = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c if c.isalnum() or c in " ._" else f"#{ord(c)};" for c in text) or " "
