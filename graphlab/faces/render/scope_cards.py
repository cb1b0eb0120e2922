"""The pieces of a collapsed picture: the card of a scope, and the stub of what stands outside.

A card says what is inside in a few words and, in a player, how much of it is done.

Read next: faces/render/collapse.py
"""

from __future__ import annotations

from collections import Counter

from graphlab.faces.render.glyphs import PAD, Piece
from graphlab.faces.render.layout import FLOW, Box
from graphlab.faces.render.metrics import FONTS, brief, shorten, text_width
from graphlab.faces.render.scope_tree import Part
from graphlab.graph.model import Graph, NodeInfo, TensorInfo
from graphlab.graph.scene import Group, Mark

HEIGHT = 62  # of a scope's card
BEHIND = 4  # pixels by which the cards behind it are seen
STUB = 26  # height of a stub
MOST_OPS = 3  # operations that a card names


def scope_card(part: Part, operations: Counter[str]) -> Piece:
    """A stack of cards: the scope's name and class, its commonest operations, how many nodes."""
    label, kind = shorten(part.label), shorten(part.kind, 18)
    summary, count = summary_of(operations), f"{part.size} nodes"
    head = text_width(label, FONTS["title"]) + (text_width(kind, FONTS["key"]) + 14 if kind else 0)
    width = max(head, text_width(summary, FONTS["caption"]))
    width = float(round(max(width + 2 * PAD, 132.0)))
    line = (HEIGHT - FLOW) / 2

    def draw(x: float, y: float) -> tuple[Group, ...]:
        left, top = x - width / 2, y - line
        right = left + width - PAD
        marks = [
            Mark("rect", "stack", left + BEHIND, top - BEHIND, width, HEIGHT, 7),
            Mark("rect", "card", left, top, width, HEIGHT, 7),
            Mark("text", "title", left + PAD, top + 19, t=label),
        ]
        if kind:
            marks.append(Mark("text", "key", right, top + 18.5, t=kind, a="end"))
        marks += [
            Mark("text", "caption", left + PAD, top + 35, t=summary),
            Mark("rect", "track", left + PAD, top + 50, width - 2 * PAD - 62, 4, 2),
            Mark("text", "count", right, top + 55, t=count, a="end", slot="progress"),
        ]
        names = ", ".join(f"{n} × {op}" if n > 1 else op for op, n in operations.most_common(8))
        title = f"{part.label}{f' ({part.kind})' if part.kind else ''}: {count}; {names}"
        return (Group(f"@{part.path}", "scope", title, tuple(marks)),)

    box = Box(f"@{part.path}", width + 2 * BEHIND, line + BEHIND, HEIGHT - line, width)
    return Piece(box, -FLOW / 2, (-FLOW / 2,), lambda _: width / 2, draw)


def summary_of(operations: Counter[str]) -> str:
    """The commonest operations on one short line.

    >>> summary_of(Counter({"mul": 3, "add": 2, "tanh": 1, "exp": 1}))
    '3 mul · 2 add · tanh · …'
    """
    named = [f"{n} {op}" if n > 1 else op for op, n in operations.most_common(MOST_OPS)]
    return " · ".join([*named, *(["…"] if len(operations) > MOST_OPS else [])])


def stub(id: str, label: str, value: str, title: str) -> Piece:
    """A dotted outline with a name: what the inside of a scope is connected to."""
    name, value = shorten(label), brief(value)
    space = 8 if value else 0
    width = text_width(name, FONTS["key"]) + space + text_width(value, FONTS["value"])
    width = float(round(width + 2 * PAD + 4))
    line = (STUB - FLOW) / 2

    def draw(x: float, y: float) -> tuple[Group, ...]:
        left, top = x - width / 2, y - line
        marks = [
            Mark("rect", "stub", left, top, width, STUB, STUB / 2),
            Mark("text", "key", left + PAD + 2, top + 17, t=name),
        ]
        if value:
            marks.append(Mark("text", "value", left + width - PAD - 2, top + 17, t=value, a="end"))
        return (Group(id, "stub", title, tuple(marks)),)

    return Piece(Box(id, width, line, STUB - line, width), 0, (0,), lambda _: width / 2, draw)


def stub_of_part(part: Part) -> Piece:
    """What stands for a scope outside."""
    return stub(f"@{part.path}", part.label, "", f"{part.label}, outside of this scope")


def stub_of_tensor(tensor: TensorInfo) -> Piece:
    """What stands for a tensor outside."""
    value = tensor.value.text if tensor.value is not None and tensor.name else ""
    return stub(tensor.id, tensor.label, value, f"{tensor.label}, outside of this scope")


def stub_of_node(node: NodeInfo, graph: Graph) -> Piece:
    """What stands for an operation outside, or for a leaf."""
    if node.variable is not None:
        label = graph.tensor(node.variable).label
        return stub(node.id, label, "", f"{label}, a leaf outside of this scope")
    return stub(node.id, node.name, "", f"{node.name}, outside of this scope")
