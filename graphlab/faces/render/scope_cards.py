"""The glyphs of a collapsed picture: cards for scopes, and stubs for what is outside of a scope.

A card summarizes what is inside and, in a player, shows how much of it is done.

Read next: faces/render/collapse.py
"""

from collections import Counter

from graphlab.faces.render.glyphs import PAD, Glyph
from graphlab.faces.render.layered_graph import FLOW, Box
from graphlab.faces.render.metrics import FONTS, LONGEST_NAME, brief, shorten, text_width
from graphlab.faces.render.scope_tree import Part
from graphlab.graph.model import Graph, NodeInfo, TensorInfo
from graphlab.graph.scene import Group, Mark

HEIGHT = 62  # of a scope's card
BEHIND = 4  # pixels of the card behind it that are visible
STUB = 26  # height of a stub
MOST_OPS = 3  # operations that a card names


def scope_card(part: Part, operations: Counter[str]) -> Glyph:
    """Return a stack of cards with a scope's name, class, main operations and number of nodes."""
    label, kind = part.label, shorten(part.kind, 18)
    while len(label) > LONGEST_NAME and "." in label:  # its tooltip has the whole path
        label = label.partition(".")[2]
    kind = "" if kind == label else kind
    label = shorten(label)
    summary = summary_of(operations)
    count = f"{part.size} node{'s' if part.size > 1 else ''}"
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
        if part.guessed:
            marks.insert(2, Mark("rect", "guess", left, top, width, HEIGHT, 7))
        if kind:
            marks.append(Mark("text", "key", right, top + 18.5, t=kind, a="end"))
        marks += [
            Mark("text", "caption", left + PAD, top + 35, t=summary),
            Mark("rect", "track", left + PAD, top + 50, width - 2 * PAD - 62, 4, 2),
            Mark("text", "count", right, top + 55, t=count, a="end", slot="progress"),
        ]
        names = ", ".join(f"{n} × {op}" if n > 1 else op for op, n in operations.most_common(8))
        said = f"{part.label}{f' ({part.kind})' if part.kind else ''}"
        said += ", guessed from the parameters that its nodes use" if part.guessed else ""
        title = f"{said}: {count}; {names}"
        return (Group(f"@{part.path}", "scope", title, tuple(marks)),)

    box = Box(f"@{part.path}", width + 2 * BEHIND, line + BEHIND, HEIGHT - line, width)
    return Glyph(box, -FLOW / 2, (-FLOW / 2,), lambda _: width / 2, draw)


def summary_of(operations: Counter[str]) -> str:
    """Return the most common operations on one short line.

    >>> summary_of(Counter({"mul": 3, "add": 2, "tanh": 1, "exp": 1}))
    '3 mul · 2 add · tanh · …'
    """
    named = [f"{n} {op}" if n > 1 else op for op, n in operations.most_common(MOST_OPS)]
    return " · ".join([*named, *(["…"] if len(operations) > MOST_OPS else [])])


def stub(id: str, label: str, value: str = "", leaf: bool = False) -> Glyph:
    """Return a dotted outline with a name, for something outside of the scope that is drawn."""
    name, value = shorten(label), brief(value)
    space = 8 if value else 0
    width = text_width(name, FONTS["key"]) + space + text_width(value, FONTS["value"])
    width = float(round(width + 2 * PAD + 4))
    line = (STUB - FLOW) / 2
    title = f"{label}, {'a leaf ' if leaf else ''}outside of this scope"

    def draw(x: float, y: float) -> tuple[Group, ...]:
        left, top = x - width / 2, y - line
        marks = [
            Mark("rect", "stub", left, top, width, STUB, STUB / 2),
            Mark("text", "key", left + PAD + 2, top + 17, t=name),
        ]
        if value:
            marks.append(Mark("text", "value", left + width - PAD - 2, top + 17, t=value, a="end"))
        return (Group(id, "stub", title, tuple(marks)),)

    return Glyph(Box(id, width, line, STUB - line, width), 0, (0,), lambda _: width / 2, draw)


def stub_of(outside: Part | TensorInfo | NodeInfo, graph: Graph) -> Glyph:
    """Return the stub of a scope, a tensor, an operation or a leaf."""
    if isinstance(outside, Part):
        return stub(f"@{outside.path}", outside.label)
    if isinstance(outside, TensorInfo):
        value = outside.value.text if outside.value is not None and outside.name else ""
        return stub(outside.id, outside.label, value)
    if outside.variable is not None:
        return stub(outside.id, graph.tensor(outside.variable).label, leaf=True)
    return stub(outside.id, outside.name)
