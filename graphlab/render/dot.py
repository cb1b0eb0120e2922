"""Graphviz: the graph as DOT text for other tools, and `dot` as a second opinion on the layout.

`dot` is a program that may be absent, too old or too slow. Where it is there and leaves fewer lines
that cross, it decides; otherwise the built-in passes do, and nobody is troubled with it.
Measured: on chains, networks and recurrences the built-in order has no more crossings than dot's,
because it knows the order of arguments; on tangled graphs either may win.

Read next: render/text.py
"""

from __future__ import annotations

import re
import subprocess
from shutil import which

from graphlab.graph.model import Graph, TensorInfo
from graphlab.render.layout import Columns
from graphlab.render.metrics import brief
from graphlab.render.ordering import crossings, order
from graphlab.render.placing import place, straighten

MOST_NODES = 300  # beyond it dot takes longer than a reader waits
TIME_LIMIT = 5.0  # seconds
POINTS = 72.0  # Graphviz counts positions in inches of 72 points; ours are pixels


def to_dot(graph: Graph) -> str:
    """The graph in Graphviz' language, coloured as torchviz does; every text is escaped.

    Ids are the graph's own ("t0", "n1"), never a user's name.
    """
    lines = [
        "digraph graphlab {",
        "  rankdir=LR;",
        '  node [fontname="Helvetica", fontsize=11, color="#1b1f24"];',
        '  edge [fontname="Helvetica", fontsize=9, color="#0068a8"];',
    ]
    operations = [node for node in graph.nodes if node.variable is None]
    used = {id for node in operations for id in (*node.inputs, *node.outputs)} | {graph.root}
    for tensor in graph.tensors:
        if tensor.id in used:
            colour = ', color="#0068a8"' if tensor.is_leaf and tensor.requires_grad else ""
            label = _quoted(*_tensor_lines(tensor))
            lines.append(f"  {_id(tensor.id)} [shape=box, style=rounded, label={label}{colour}];")
    for node in operations:
        me = _id(node.id)
        saved = [f"saved {s.name}: {s.text or _value_text(s.value)}" for s in node.saved]
        about = f", tooltip={_quoted(*saved)}" if saved else ""
        label = f"label={_quoted(node.symbol)}, xlabel={_quoted(node.name)}"
        lines.append(f"  {me} [shape=circle, {label}{about}];")
        for k, id in enumerate(node.inputs):
            lines.append(f'  {_id(id)} -> {me} [headlabel="{k}"];')
        lines += [f"  {me} -> {_id(id)};" for id in node.outputs]
    return "\n".join([*lines, "}"]) + "\n"


def _id(id: str) -> str:
    # ours need no quotes; those of a trace from elsewhere might
    return id if re.fullmatch(r"[tn]\d+", id, re.ASCII) else _quoted(id)


def _tensor_lines(tensor: TensorInfo) -> tuple[str, ...]:
    value = _value_text(tensor.value)
    return (f"{tensor.name} = {value}",) if tensor.name else (value,)


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


def best_arranger(columns: Columns) -> list[float]:
    """Built-in, and where that leaves lines that cross, `dot` instead if it leaves fewer."""
    left_over = order(columns)
    built_in = [list(column) for column in columns.columns]
    if left_over > 0:
        heights = dot_arranger(columns)
        if heights is not None and crossings(columns) < left_over:
            return heights
        columns.columns[:] = built_in
    return place(columns)


def dot_arranger(columns: Columns) -> list[float] | None:
    """Let `dot` order the columns and choose heights; None when it cannot or takes too long."""
    plain = run_dot(_columns_text(columns))
    return None if plain is None else _adopt(columns, plain)


def run_dot(text: str) -> str | None:
    """What `dot -Tplain` makes of `text`, or None: absent, failed or past its time are all one."""
    if which("dot") is None:
        return None
    try:
        from graphviz.backend.execute import run_check
    except ImportError:
        return None
    try:  # the package finds and runs the program: a list of words, never a shell
        done = run_check(
            ["dot", "-Tplain"],
            input=text.encode(),
            capture_output=True,
            timeout=TIME_LIMIT,
            quiet=True,
        )
    except (OSError, ValueError, TypeError, RuntimeError, subprocess.SubprocessError):
        return None  # ExecutableNotFound is a RuntimeError; users never see it
    return done.stdout.decode(errors="replace")


def _columns_text(columns: Columns) -> str:
    """Boxes and bends with their sizes, columns fixed; ports keep arguments in their order."""
    lines = ["digraph { rankdir=LR; nodesep=0.2; ranksep=0.6; edge [dir=none];"]
    for k, box in enumerate(columns.slots):
        # dot places centres: a box is as high as twice its larger half
        height = 2 * max(box.above, box.below) / POINTS
        shape = f"shape=box fixedsize=true width={max(box.width, 1) / POINTS:.3f}"
        lines.append(f'{k} [{shape} height={height:.3f} label=""];')
    for column in columns.columns:
        lines.append("{rank=same; " + "; ".join(map(str, column)) + ";}")
    for strand in columns.strands:
        bends = sum(columns.slots[end].id == "" for end in (strand.left, strand.right))
        lines.append(f"{strand.left} -> {strand.right} [weight={(1, 2, 8)[bends]}];")
    return "\n".join([*lines, "}"])


def _adopt(columns: Columns, plain: str) -> list[float] | None:
    """Read heights from `dot -Tplain`, and sort the columns by them."""
    heights = [float("nan")] * len(columns.slots)
    for line in plain.splitlines():
        words = line.split()
        if words[:1] == ["node"]:
            heights[int(words[1])] = -float(words[3]) * POINTS  # its y grows upwards
    if any(height != height for height in heights):
        return None
    for column in columns.columns:
        column.sort(key=heights.__getitem__)
    return straighten(columns, heights)  # dot knows no ports
