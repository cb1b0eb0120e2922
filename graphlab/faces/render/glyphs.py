"""The glyphs of a picture, each with its size and its marks.

They are the card of a tensor, the circle of an operation with chips for what it saved, and, in the
backward view, the box of a grad_fn.

Read next: faces/render/curves.py
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from graphlab.faces.render.heat import heat_mark
from graphlab.faces.render.layered_graph import FLOW, Box
from graphlab.faces.render.metrics import (
    FONTS,
    NOT_YET,
    LongestTexts,
    brief,
    fitted,
    halves,
    isolated,
    lines_of_name,
    pixels,
    shorten,
    text_width,
)
from graphlab.faces.render.theme import NONE
from graphlab.graph.codec import record
from graphlab.graph.model import Graph, NodeInfo, Saved, TensorInfo
from graphlab.graph.scene import Group, Mark
from graphlab.graph.value import Value

# operations whose input lines may be drawn in any order, since each has its index beside it
ALIKE = frozenset({"add", "mul", "maximum", "minimum", "stack", "cat"})
PAD = 8  # pixels between a card's edge and its text
ROW = 27  # height of one row of a card
CIRCLE = 22  # radius of an operation
STRAIGHT = 17  # length of the straight wire beside a circle or box, where its index stands
PITCH = 24  # between the inputs of an operation with three or more
LINE = 10.5  # height of a line of small text
LONGEST_GRADIENT = 16  # characters along a line; a card has the full text
CHIP = 15  # height of a saved value's chip


@record
class Glyph:
    """Something to place: its box, where wires touch it, and how to draw it at (x, y)."""

    box: Box
    out: float  # height of the wires on its right, relative to its line
    into: tuple[float, ...]  # heights of the wires on its left
    reach: Callable[[float], float]  # height -> pixels from its centre to its outline
    draw: Callable[[float, float], tuple[Group, ...]]


def gradient_room(value: Value | None, text: str | None = None) -> float:
    """Return the width along a line, in pixels, for the gradient of a tensor with this value.

    text: what will be written there; None if that is not known.
    """
    if text is not None:
        return text_width(fitted(text, LONGEST_GRADIENT), FONTS["grad"]) if text else 0.0
    if value is None:
        return text_width(NOT_YET, FONTS["key"])
    characters = len(brief(value.text))
    if value.text.startswith("["):
        characters = max(characters, 9 * max(1, value.shape[0]) + 1)
    elif math.prod(value.shape) < 2:
        characters = max(characters, 7)  # "-0.1234"
    return text_width("0" * min(characters, LONGEST_GRADIENT), FONTS["grad"])


def _card_room(tensor: TensorInfo, texts: LongestTexts | None) -> float:
    """Return the width of a gradient on a card, where it is written in full, in pixels."""
    room = text_width(NOT_YET, FONTS["key"])
    if tensor.grad is not None:
        room = max(room, text_width(brief(tensor.grad.text), FONTS["grad"]))
    if texts is None:
        return max(room, gradient_room(tensor.value))
    return max(room, text_width(texts.grads.get(tensor.id, ""), FONTS["grad"]))


def tensor_card(
    tensor: TensorInfo,
    graph: Graph,
    with_grad: bool = True,
    playable: bool = True,
    texts: LongestTexts | None = None,
) -> Glyph:
    """Return a card: name and value, the gradient below them, and the kind of tensor under it.

    with_grad: whether it has a row for the gradient. playable: whether a missing gradient is "not
    yet" rather than None. texts: what will be written on it; None if that is not known.
    """
    name = shorten(tensor.name or "")
    value = brief(tensor.value.text) if tensor.value is not None else "no value"
    widest = max(value, texts.values.get(tensor.id, "") if texts else "", key=len)
    grad_row = with_grad and tensor.requires_grad
    head = text_width(name, FONTS["name"]) + 14 if name else 0
    heat = heat_mark(tensor.value)
    aside = heat.w + 6 if heat else 0.0  # the heat map stands right of the text
    width = PAD + head + text_width(widest, FONTS["value"]) + aside + PAD
    if grad_row:
        grad = _card_room(tensor, texts)
        width = max(width, PAD + text_width("grad", FONTS["key"]) + 10 + grad + aside + PAD)
    below = _kind(tensor, graph)
    width = max(width, 84.0 if grad_row else 34.0, text_width(below, FONTS["caption"]))
    width = float(round(width))
    height = 2 * ROW if grad_row else ROW + 3
    # if a gradient flows, its line is drawn below the wire
    line = (height - FLOW) / 2 if tensor.requires_grad else height / 2

    def draw(x: float, y: float) -> tuple[Group, ...]:
        left, top = x - width / 2, y - line
        marks = [Mark("rect", "card", left, top, width, height, 7)]
        if name:
            marks.append(Mark("text", "name", left + PAD, top + 18, t=name))
        right = left + width - PAD
        marks.append(Mark("text", "value", right - aside, top + 17.5, t=value, a="end"))
        if heat:
            marks.append(replace(heat, x=right - heat.w, y=top + halves((ROW - heat.h) / 2)))
        if grad_row:
            divider = f"M{pixels(left)} {pixels(top + ROW)}h{pixels(width)}"
            marks.append(Mark("path", "divider", d=divider))
            marks.append(Mark("text", "key", left + PAD, top + ROW + 17.5, t="grad"))
            missing = NOT_YET if playable else NONE
            shown = brief(tensor.grad.text) if tensor.grad is not None else missing
            place = (right - aside, top + ROW + 17.5)
            room = round(width - 2 * PAD - aside - text_width("grad", FONTS["key"]) - 6)
            if heat:
                y = top + ROW + halves((ROW - heat.h) / 2)
                marks.append(replace(heat, x=right - heat.w, y=y, slot="grad"))
            marks.append(Mark("text", "grad", *place, w=room, t=shown, a="end", slot="grad"))
        version = f"v{tensor.version}" if _was_changed(tensor, graph) else ""
        place = (left + width - PAD, top + 3.5)
        marks.append(Mark("text", "badge", *place, t=version, a="end", slot="version"))
        if below:
            marks.append(Mark("text", "caption", x, top + height + 12, t=below, a="middle"))
        return (Group(tensor.id, "tensor", _tensor_title(tensor, graph), tuple(marks)),)

    bottom = height - line + (15 if below else 0)
    box = Box(tensor.id, width, line, bottom, width)
    return Glyph(box, 0, (0,), lambda _: width / 2, draw)


def _kind(tensor: TensorInfo, graph: Graph) -> str:
    said: list[str] = []
    if not tensor.requires_grad and tensor.name:
        said.append("no grad")
    elif tensor.requires_grad and tensor.is_leaf:
        said.append("leaf")
    elif tensor.retains_grad:
        said.append("retain_grad")
    if tensor.base is not None:
        said.append(f"view of {shorten(graph.tensor(tensor.base).label, 14)}")
    return " · ".join(said)


def _was_changed(tensor: TensorInfo, graph: Graph) -> bool:
    """Return whether to show a version; not for leaves, which initialization changes in place."""
    memory = tensor if tensor.base is None else graph.tensor(tensor.base)
    return tensor.version > 0 and not memory.is_leaf


def _tensor_title(tensor: TensorInfo, graph: Graph) -> str:
    parts = [isolated(tensor.label)]
    if tensor.value is not None:
        shape = str(tuple(tensor.value.shape))
        parts += [tensor.value.text, f"{tensor.value.dtype}, shape {shape}"]
    parts.append("requires grad" if tensor.requires_grad else "does not require grad")
    if tensor.is_leaf:
        parts.append("leaf")
    elif tensor.producer is not None and graph.has("node", tensor.producer):
        parts.append(f"grad_fn {graph.node(tensor.producer).name}")
    if tensor.base is not None:
        parts.append(f"a view of {isolated(graph.tensor(tensor.base).label)}: they share memory")
    if _was_changed(tensor, graph):
        times = "once" if tensor.version == 1 else f"{tensor.version} times"
        parts.append(f"changed in place {times}")
    return "; ".join(dict.fromkeys(parts))


def operation(node: NodeInfo, texts: LongestTexts | None = None) -> Glyph:
    """Return a circle with the operation's symbol, the grad_fn's name below, saved values above."""
    symbol = shorten(node.symbol, 12)
    count = max(len(node.inputs), len(node.outputs))
    half_width = max(float(CIRCLE), round(text_width(symbol, FONTS["symbol"]) / 2 + 9))
    half = CIRCLE if count <= 2 else (PITCH * count + 8) / 2
    chips = _chips(node, texts)
    rows = _chip_rows([chip.width for chip in chips])
    chip_width = max((sum(chips[k].width + 4 for k in row) - 4 for row in rows), default=0)
    names = lines_of_name(node.name)
    name_width = max(text_width(name, FONTS["caption"]) for name in names)
    width = float(round(max(2 * half_width + 2 * STRAIGHT, name_width, chip_width)))

    def draw(x: float, y: float) -> tuple[Group, ...]:
        if half_width == half == CIRCLE:
            body = Mark("circle", "op", x, y, r=CIRCLE)
        else:
            body = Mark("rect", "op", x - half_width, y - half, 2 * half_width, 2 * half, CIRCLE)
        marks = (
            body,
            Mark("text", "symbol", x, y + 5.5, t=symbol, a="middle"),
            *(
                Mark("text", "caption", x, y + half + 13 + LINE * k, t=name, a="middle")
                for k, name in enumerate(names)
            ),
        )
        drawn = [Group(node.id, "op", _node_title(node), marks)]
        top = y - half - 6 - CHIP * len(rows)
        for row in rows:
            left = x - (sum(chips[k].width + 4 for k in row) - 4) / 2
            for k in row:
                drawn.append(chips[k].draw(left, top))
                left += chips[k].width + 4
            top += CHIP
        return tuple(drawn)

    above = half + (8 + CHIP * len(rows) if rows else 2)
    below = half + 17 + LINE * (len(names) - 1)
    box = Box(node.id, width, above, below, 2 * half_width)
    into = _ports(node.inputs, half)

    def reach(height: float) -> float:
        into_corner = max(0.0, abs(height) - (half - CIRCLE))
        inset = CIRCLE - math.sqrt(max(0.0, CIRCLE**2 - into_corner**2))
        return half_width - inset

    return Glyph(box, -FLOW / 2, into, reach, draw)


def _ports(inputs: Sequence[str], half: float) -> tuple[float, ...]:
    """Return the heights at which wires enter; a gradient's line is drawn below each."""
    count = len(inputs)
    if count <= 1:
        return (-FLOW / 2,)
    if count == 2:  # two lines from one tensor leave room for a number between them
        apart = PITCH if inputs[0] == inputs[1] else 16
        return ((-apart - FLOW) / 2, (apart - FLOW) / 2)
    return tuple(-half + 4 + PITCH * (k + 0.5) - 3 for k in range(count))


@record
class Chip:
    """The chip for something that a node saved: one value, or several options together."""

    id: str
    title: str
    key: str
    text: str
    aside: float  # width of the key and the space after it, in pixels
    width: float

    def draw(self, left: float, top: float) -> Group:
        beside = left + 6 + self.aside
        marks = (
            Mark("rect", "chip", left, top, self.width, CHIP - 2, 3),
            Mark("text", "chipkey", left + 6, top + 9.5, t=self.key),
            Mark("text", "chiptext", beside, top + 9.5, t=self.text),
        )
        return Group(self.id, "saved", self.title, marks)


def _chip(id: str, title: str, key: str, text: str, texts: LongestTexts | None = None) -> Chip:
    font = FONTS["chiptext"]
    aside = text_width(key, font) + 5 if key else 0
    widest = max(text, texts.saved.get(id, "") if texts else "", key=len)
    room = text_width(widest, font) if widest else -5  # without a text, no space before it
    return Chip(id, title, key, text, halves(aside), float(round(aside + room + 12)))


def _chips(node: NodeInfo, texts: LongestTexts | None) -> list[Chip]:
    """Return a chip for each saved value; more than two options share one."""
    options = [saved for saved in node.saved if _is_option(saved)]
    folded = len(options) > 2
    shown = [one for one in node.saved if not (folded and _is_option(one))]
    chips = [_saved_chip(node, one, texts) for one in shown]
    if folded:
        listed = ", ".join(f"{one.name}={one.text}" for one in options)
        title = f"{node.name} saved {len(options)} options: {listed}"
        chips.append(_chip(f"s:{node.id}.", title, "", f"+{len(options)} options"))
    return chips


def _is_option(saved: Saved) -> bool:
    return bool(saved.text) and saved.value is None and not saved.freed


def saved_text(saved: Saved) -> str:
    """Return the text on the chip of a saved value."""
    text = saved.text or (saved.value.text if saved.value is not None else "freed")
    return shorten(brief(text)) + (f" {versions_text(saved)}" if saved.is_stale else "")


def versions_text(saved: Saved) -> str:
    """Return the version at which a value was saved, and its current one: "v0, now v1"."""
    return f"v{saved.version_saved}, now v{saved.version_now}"


def _saved_chip(node: NodeInfo, saved: Saved, texts: LongestTexts | None) -> Chip:
    key, text = shorten(saved.name, 16), saved_text(saved)
    title = f"{node.name} saved {saved.name}: {text}" + ("; freed" if saved.freed else "")
    if saved.is_stale:
        title += "; it was changed in place since it was saved, so backward raises an error"
    return _chip(f"s:{node.id}.{saved.name}", title, key, text, texts)


def _chip_rows(widths: list[float]) -> list[list[int]]:
    """Return rows of chips, by index: two in a row if they are short."""
    rows: list[list[int]] = []
    for k, width in enumerate(widths):
        if rows and len(rows[-1]) == 1 and widths[rows[-1][0]] + width <= 84:
            rows[-1].append(k)
        else:
            rows.append([k])
    return rows


def _node_title(node: NodeInfo) -> str:
    if node.source is None:
        return node.name
    return f"{node.name}: {node.source.text} ({node.source.label}, line {node.source.line})"


def grad_fn_box(node: NodeInfo, graph: Graph, texts: LongestTexts | None = None) -> Glyph:
    """Return the box of the backward view: the grad_fn's name, when it was made, its chips."""
    below = f"made {_nth(node.sequence + 1)}"
    if node.variable is not None:
        below = f"variable: {shorten(graph.tensor(node.variable).label)}"
    chips = _chips(node, texts)
    width = max(text_width(node.name, FONTS["title"]), text_width(below, FONTS["caption"]))
    width = float(round(max(2 * PAD + width, *(chip.width + 2 * PAD for chip in chips), 90.0)))
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
        for k, chip in enumerate(chips):
            drawn.append(chip.draw(x - chip.width / 2, top + head + (CHIP + 1) * k))
        return tuple(drawn)

    box = Box(node.id, width + 2 * STRAIGHT - 10, line, height - line + 15, width)
    return Glyph(box, 0, into, lambda _: width / 2, draw)


def _nth(number: int) -> str:
    tens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if tens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
