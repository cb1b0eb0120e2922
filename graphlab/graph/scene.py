"""A scene is a drawing as data: groups of marks with coordinates, from back to front.

The layout is computed once, in Python, and travels with the trace. Python's SVG writer and the
browser's player draw the same marks, so a picture is the same everywhere.

Read next: faces/render/scene_builder.py (which builds one), faces/render/svg.py (which draws one)
"""

from dataclasses import dataclass
from typing import Literal

from graphlab.graph.codec import record
from graphlab.graph.model import TensorId

View = Literal["both", "backward", "computation"]
GroupKind = Literal["tensor", "op", "wire", "flow", "saved", "scope", "stub"]
Shape = Literal["rect", "circle", "path", "text", "heat"]
Anchor = Literal["start", "middle", "end"]
Slot = Literal["", "grad", "contribution", "progress", "version"]
Role = Literal[
    "card",  # the box of a tensor, or of a grad_fn in the backward view
    "divider",  # the line between a card's rows
    "name",
    "value",
    "cells",  # the place of a heat map of the tensor's entries, or of its gradient's
    "key",  # the small word before a value: "grad"
    "grad",
    "op",  # the circle of an operation
    "symbol",  # the text in the circle
    "title",  # a grad_fn's name in its box
    "badge",  # on a card's upper edge: how often its data was changed in place
    "differs",  # around a thing that differs from another graph, with the difference's number
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
    "stack",  # the card behind the card of a collapsed scope
    "count",  # how many nodes a collapsed scope holds
    "track",  # the progress bar of a collapsed scope
    "guess",  # the gaps in the border of a guessed scope
    "stub",  # the outline of a thing outside the scope that is drawn
]


@record
class Mark:
    """One shape, in CSS pixels. Only the coordinates that the shape needs are set."""

    m: Shape
    c: Role
    x: float = 0  # left edge of a rect, centre of a circle, anchor of a text
    y: float = 0  # top edge of a rect, centre of a circle, baseline of a text
    w: float = 0  # width of a rect; of a text in a slot, the largest width
    h: float = 0
    r: float = 0  # radius, also of a rect's corners; the size of a heat map's cell
    d: str = ""  # data of a path
    t: str = ""  # characters of a text
    a: Anchor = "start"
    slot: Slot = ""  # the text that the player fills in as the state changes


@record
class Group:
    """The marks of one thing.

    Ids: a tensor's or a node's own id; wires "w:n2.0" (tensor to input 0) and "w:n2>t5" (operation
    to output); flows "n2.0" (the edge's id) and "n2<t5" (the gradient of output t5 entering n2);
    saved values "s:n2.other"; a collapsed scope "@net.layer1", and its wires "w:@net.layer1>n2". A
    stub has the id of what it represents: "@net.layer1", "t5" or "n2".
    """

    id: str
    kind: GroupKind
    title: str  # one sentence for a tooltip and for screen readers
    marks: tuple[Mark, ...]
    members: tuple[str, ...] = ()  # the edges whose gradients share this flow


@dataclass(frozen=True, slots=True)
class Scene:
    """The drawing of one view of a graph, or of one scope of it."""

    view: View
    width: float  # pixels
    height: float
    groups: tuple[Group, ...]
    scope: str = ""  # the scope that is drawn; "": the whole graph, with scopes collapsed


@dataclass(frozen=True, slots=True)
class Pass:
    """One of several backward passes, with drawings of its part of the graph."""

    title: str
    root: TensorId
    first: int  # index of its first event; it lasts until the first event of the next pass
    scenes: tuple[Scene, ...] = ()
