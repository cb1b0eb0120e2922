"""A scene is a drawing as data: groups of marks with coordinates, in back-to-front order.

Where things stand is decided once, in Python, and travels with the trace; Python's SVG writer and
the browser's player both draw these very marks, so a picture is the same everywhere.

Read next: render/scene.py (which builds one), render/svg.py (which draws one)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

View = Literal["both", "backward", "computation"]
GroupKind = Literal["tensor", "op", "wire", "flow", "saved"]
Shape = Literal["rect", "circle", "path", "text"]
Anchor = Literal["start", "middle", "end"]
Slot = Literal["", "grad", "contribution"]
Role = Literal[
    "card",  # the box of a tensor, or of a grad_fn in the backward view
    "divider",  # the line between a card's rows
    "name",
    "value",
    "key",  # the small word before a value: "grad"
    "grad",
    "op",  # the circle of an operation
    "symbol",  # what stands in the circle
    "title",  # a grad_fn's name in its box
    "caption",  # small text below a card or a circle
    "index",  # the number of a next_functions entry
    "wire",
    "head",
    "flow",
    "flowhead",
    "contribution",  # the gradient written along a flow
    "chip",
    "chipkey",  # the saved value's name on its chip
    "chiptext",
]


@dataclass(frozen=True, slots=True)
class Mark:
    """One shape. Only the coordinates that its shape needs are set; units are CSS pixels."""

    m: Shape
    c: Role
    x: float = 0  # left edge of a rect, centre of a circle, anchor of a text
    y: float = 0  # top edge of a rect, centre of a circle, baseline of a text
    w: float = 0
    h: float = 0
    r: float = 0  # radius, also of a rect's corners
    d: str = ""  # a path's data
    t: str = ""  # a text's characters
    a: Anchor = "start"
    slot: Slot = ""  # what the player fills in as the state changes


@dataclass(frozen=True, slots=True)
class Group:
    """The marks of one thing.

    Ids: a tensor's or a node's own id; wires "w:n2.0" (tensor to input 0) and "w:n2>t5" (operation
    to output); flows "n2.0" (the edge's id) and "n2<t5" (the gradient of output t5 entering n2);
    saved values "s:n2.other".
    """

    id: str
    kind: GroupKind
    title: str  # one sentence for a tooltip and for screen readers
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """One view of a graph, drawn."""

    view: View
    width: float  # pixels
    height: float
    groups: tuple[Group, ...]
