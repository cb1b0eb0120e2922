"""The pieces of a picture: the card of a tensor, the circle of an operation, the chips of what it
saved, and in the backward view the box of a grad_fn. Each knows its size and its marks.

Read next: render/wires.py
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from graphlab.graph.model import Graph, NodeInfo, Saved, TensorInfo
from graphlab.graph.scene import Group, Mark
from graphlab.graph.value import LONGEST_TEXT, Value
from graphlab.render.layout import FLOW, Box
from graphlab.render.metrics import FONTS, brief, pixels, shorten, text_width

NONE = "None"  # what .grad is, in a picture of a graph that nobody walks
NOT_YET = "not yet"  # a gradient that is not computed is never shown as 0
PAD = 8  # pixels between a card's edge and its text
ROW = 27  # height of one row of a card
CIRCLE = 22  # radius of an operation
STUB = 17  # straight piece of wire beside a circle or box, where its index stands
PITCH = 24  # between the inputs of an operation with three or more
CHIP = 15  # height of a saved value's chip


@dataclass(frozen=True, slots=True)
class Piece:
    """Something to be placed: its box, where wires touch it, and how to draw it at (x, y)."""

    box: Box
    out: float  # height of the wires on its right, relative to its line
    into: tuple[float, ...]  # heights of the wires on its left
    reach: Callable[[float], float]  # height -> pixels from its centre to its outline there
    draw: Callable[[float, float], tuple[Group, ...]]


def gradient_room(value: Value | None) -> float:
    """Pixels that the gradient of a tensor with this value may need: its digits are not known."""
    if value is None:
        return text_width(NOT_YET, FONTS["key"])
    characters = len(brief(value.text))
    if value.text.startswith("["):
        characters = min(LONGEST_TEXT, max(characters, 9 * max(1, value.shape[0]) + 1))
    elif not value.rows:
        characters = max(characters, 7)  # "-0.1234"
    return text_width("0" * characters, FONTS["grad"])


def tensor_card(tensor: TensorInfo, graph: Graph, with_grad: bool = True) -> Piece:
    """A card: name and value, below them the gradient, below the card what kind of tensor."""
    name = shorten(tensor.name or "")
    value = brief(tensor.value.text) if tensor.value is not None else "no value"
    grad_row = with_grad and tensor.requires_grad
    head = text_width(name, FONTS["name"]) + 14 if name else 0
    width = PAD + head + text_width(value, FONTS["value"]) + PAD
    if grad_row:
        grad = max(gradient_room(tensor.value), text_width(NOT_YET, FONTS["key"]))
        width = max(width, PAD + text_width("grad", FONTS["key"]) + 10 + grad + PAD)
    below = _kind(tensor)
    width = max(width, 84.0 if grad_row else 34.0, text_width(below, FONTS["caption"]))
    width = float(round(width))
    height = 2 * ROW if grad_row else ROW + 3
    # what a gradient reaches has room for its line below the wire
    line = (height - FLOW) / 2 if tensor.requires_grad else height / 2

    def draw(x: float, y: float) -> tuple[Group, ...]:
        left, top = x - width / 2, y - line
        marks = [Mark("rect", "card", left, top, width, height, 7)]
        if name:
            marks.append(Mark("text", "name", left + PAD, top + 18, t=name))
        marks.append(Mark("text", "value", left + width - PAD, top + 17.5, t=value, a="end"))
        if grad_row:
            marks.append(_row(left, top + ROW, width))
            marks.append(Mark("text", "key", left + PAD, top + ROW + 17.5, t="grad"))
            shown = brief(tensor.grad.text) if tensor.grad is not None else NOT_YET
            place = (left + width - PAD, top + ROW + 17.5)
            marks.append(Mark("text", "grad", *place, t=shown, a="end", slot="grad"))
        if below:
            marks.append(Mark("text", "caption", x, top + height + 12, t=below, a="middle"))
        return (Group(tensor.id, "tensor", _tensor_title(tensor, graph), tuple(marks)),)

    bottom = height - line + (15 if below else 0)
    box = Box(tensor.id, width, line, bottom)
    return Piece(box, 0, (0,), lambda _: width / 2, draw)


def _row(left: float, y: float, width: float) -> Mark:
    return Mark("path", "divider", d=f"M{pixels(left)} {pixels(y)}h{pixels(width)}")


def _kind(tensor: TensorInfo) -> str:
    if not tensor.requires_grad:
        return "no grad" if tensor.name else ""
    if tensor.is_leaf:
        return "leaf"
    return "retain_grad" if tensor.retains_grad else ""


def _tensor_title(tensor: TensorInfo, graph: Graph) -> str:
    parts = [tensor.label]
    if tensor.value is not None:
        shape = "×".join(map(str, tensor.value.shape)) or "()"
        parts += [tensor.value.text, f"{tensor.value.dtype}, shape {shape}"]
    parts.append("requires grad" if tensor.requires_grad else "needs no grad")
    if tensor.is_leaf:
        parts.append("leaf")
    elif tensor.producer is not None:
        parts.append(f"grad_fn {graph.node(tensor.producer).name}")
    return "; ".join(dict.fromkeys(parts))


def operation(node: NodeInfo, graph: Graph) -> Piece:
    """A circle with the operation's symbol, grad_fn's name below it, saved values above it."""
    symbol = shorten(node.symbol, 12)
    count = max(len(node.inputs), len(node.outputs))
    half_width = max(float(CIRCLE), round(text_width(symbol, FONTS["symbol"]) / 2 + 9))
    half = CIRCLE if count <= 2 else (PITCH * count + 8) / 2
    chips = [_chip_texts(saved) for saved in node.saved]
    rows = _chip_rows([chip[2] for chip in chips])
    chip_width = max((sum(chips[k][2] + 4 for k in row) - 4 for row in rows), default=0)
    name_width = text_width(node.name, FONTS["index"])
    width = float(round(max(2 * half_width + 2 * STUB, name_width, chip_width)))

    def draw(x: float, y: float) -> tuple[Group, ...]:
        if half_width == half == CIRCLE:
            body = Mark("circle", "op", x, y, r=CIRCLE)
        else:
            body = Mark("rect", "op", x - half_width, y - half, 2 * half_width, 2 * half, CIRCLE)
        marks = (
            body,
            Mark("text", "symbol", x, y + 5.5, t=symbol, a="middle"),
            Mark("text", "caption", x, y + half + 13, t=node.name, a="middle"),
        )
        drawn = [Group(node.id, "op", _node_title(node), marks)]
        top = y - half - 6 - CHIP * len(rows)
        for row in rows:
            left = x - (sum(chips[k][2] + 4 for k in row) - 4) / 2
            for k in row:
                drawn.append(_chip(node, node.saved[k], chips[k], left, top))
                left += chips[k][2] + 4
            top += CHIP
        return tuple(drawn)

    above = half + (8 + CHIP * len(rows) if rows else 2)
    box = Box(node.id, width, above, half + 17)
    into = _ports(len(node.inputs), half)

    def reach(height: float) -> float:
        into_corner = max(0.0, abs(height) - (half - CIRCLE))
        inset = CIRCLE - math.sqrt(max(0.0, CIRCLE**2 - into_corner**2))
        return half_width - inset

    return Piece(box, -FLOW / 2, into, reach, draw)


def _ports(count: int, half: float) -> tuple[float, ...]:
    """Heights at which `count` wires enter an operation, each with its gradient's line below."""
    if count <= 1:
        return (-FLOW / 2,)
    if count == 2:
        return (-12.5, 3.5)
    return tuple(-half + 4 + PITCH * (k + 0.5) - 3 for k in range(count))


def _chip_texts(saved: Saved) -> tuple[str, str, float]:
    text = saved.text or (saved.value.text if saved.value is not None else "freed")
    key, text = shorten(saved.name, 16), shorten(brief(text))
    width = text_width(key, FONTS["chiptext"]) + 5 + text_width(text, FONTS["chiptext"]) + 12
    return key, text, float(round(width))


def _chip_rows(widths: list[float]) -> list[list[int]]:
    """Two chips in a row where they are short; else one above the other."""
    rows: list[list[int]] = []
    for k, width in enumerate(widths):
        if rows and len(rows[-1]) == 1 and widths[rows[-1][0]] + width <= 84:
            rows[-1].append(k)
        else:
            rows.append([k])
    return rows


def _chip(
    node: NodeInfo, saved: Saved, texts: tuple[str, str, float], left: float, top: float
) -> Group:
    key, text, width = texts
    title = f"{node.name} saved {saved.name}: {text}" + (", freed since" if saved.freed else "")
    key_width = text_width(key, FONTS["chiptext"])
    marks = (
        Mark("rect", "chip", left, top, width, CHIP - 2, 3),
        Mark("text", "chipkey", left + 6, top + 9.3, t=key),
        Mark("text", "chiptext", left + 6 + key_width + 5, top + 9.3, t=text),
    )
    return Group(f"s:{node.id}.{saved.name}", "saved", title, marks)


def _node_title(node: NodeInfo) -> str:
    if node.source is None:
        return node.name
    return f"{node.name}: {node.source.text} ({node.source.label}, line {node.source.line})"


def grad_fn_box(node: NodeInfo, graph: Graph) -> Piece:
    """The backward view's box: grad_fn's name, when it was made, and what it saved."""
    if node.variable is not None:
        below = f"variable: {shorten(graph.tensor(node.variable).label)}"
    else:
        below = f"made {_nth(node.sequence + 1)}"
    chips = [_chip_texts(saved) for saved in node.saved]
    width = max(text_width(node.name, FONTS["title"]), text_width(below, FONTS["caption"]))
    width = float(round(max(2 * PAD + width, *(chip[2] + 2 * PAD for chip in chips), 90.0)))
    count = max(1, len(node.inputs))
    head = max(30.0, PITCH * count) if not chips else 30.0
    height = max(head + (CHIP + 1) * len(chips) + (4 if chips else 0), PITCH * count)
    line = (height - FLOW) / 2
    into = tuple((k - (count - 1) / 2) * PITCH for k in range(count))

    def draw(x: float, y: float) -> tuple[Group, ...]:
        left, top = x - width / 2, y - line
        marks = (
            Mark("rect", "card", left, top, width, height, 7),
            Mark(
                "text", "title", x, top + (19 if chips else height / 2 + 4), t=node.name, a="middle"
            ),
            Mark("text", "caption", x, top + height + 12, t=below, a="middle"),
        )
        drawn = [Group(node.id, "op", _node_title(node), marks)]
        for k, saved in enumerate(node.saved):
            place = (x - chips[k][2] / 2, top + head + (CHIP + 1) * k)
            drawn.append(_chip(node, saved, chips[k], *place))
        return tuple(drawn)

    box = Box(node.id, width + 2 * STUB - 10, line, height - line + 15)
    return Piece(box, 0, into, lambda _: width / 2, draw)


def _nth(number: int) -> str:
    tens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if tens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
