"""Themes: the style of each role of a mark, at rest and at one step of a backward pass.

Colours and strokes are those of the player (js/src/styles/graph.css).

Read next: faces/render/svg.py
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from graphlab.faces.render.metrics import FONTS
from graphlab.graph.model import Graph, Saved
from graphlab.graph.scene import Group, Mark

Style = dict[str, Any]  # SVG presentation attributes
RETURNED = "returned "  # what autograd.grad returned is in no .grad
NONE = "None"  # shown for a .grad that was cleared, and for a missing one in a still picture


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours. Text has a contrast of at least 4.5 to 1 with its background."""

    paper: str
    ink: str
    muted: str
    faint: str  # borders of cards that are neither leaves nor current
    forward: str
    gradient: str
    chip: str
    glow: str  # background of what the step points at
    bad: str
    differs: str  # what differs from another graph


THEMES = {
    "light": Theme(
        "#ffffff", "#1b1f24", "#59626d", "#d5d9de", "#0068a8", "#b84300", "#e9f2f9", "#f9eee8",
        "#b3261e", "#8d1a9c",
    ),
    "dark": Theme(
        "#14171a", "#eceff2", "#a3acb6", "#3d444c", "#62b6f0", "#ff9a52", "#1c2d3d", "#3a2c23",
        "#ff8a80", "#e39bf0",
    ),
}  # fmt: skip
FAMILIES = {
    "sans": "DejaVu Sans, Verdana, Segoe UI, Helvetica, Arial, sans-serif",
    "serif": "DejaVu Serif, Georgia, Times New Roman, serif",
    "mono": "DejaVu Sans Mono, Menlo, Consolas, monospace",
}
# the colours of roles without another style; roles that are not listed are muted
FILLS = {
    "head": "forward", "flowhead": "gradient", "chip": "chip", "name": "ink", "value": "forward",
    "grad": "gradient", "symbol": "ink", "title": "ink", "chiptext": "ink", "track": "faint",
    "cells": "forward",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Active:
    """What a step of a backward pass points at."""

    groups: frozenset[str] = frozenset()
    edge: str = ""  # along which a gradient is sent at this step


def mixed(colour: str, paper: str, share: float) -> str:
    """Return a colour mixed with that of the paper. share: of the colour, 0 to 1.

    >>> mixed("#0068a8", "#ffffff", 0.5)
    '#80b4d4'
    """
    pairs = [(int(colour[k : k + 2], 16), int(paper[k : k + 2], 16)) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in pairs)


def heat_style(kind: str, level: int, theme: Theme) -> Style:
    """Return the style of the cells of one colour in a heat map, of its signs, or of its frame."""
    if kind in ("dash", "frame"):
        stroke = theme.ink if kind == "dash" else theme.muted
        return {"fill": "none", "stroke": stroke, "stroke-width": 1 if kind == "dash" else 0.6}
    colour = {"plus": theme.forward, "minus": theme.gradient}.get(kind, theme.bad)
    return {"fill": mixed(colour, theme.paper, 0.22 * level)}


def choose_theme(name: str) -> Theme:
    """Return the theme called `name`. Raises: ValueError that lists the themes."""
    if name not in THEMES:
        raise ValueError(f"unknown theme {name!r} (must be one of {sorted(THEMES)})")
    return THEMES[name]


def grad_by_then(state: Mapping[str, Any], tensor: str, is_leaf: bool) -> str | None:
    """Return the text of a tensor's gradient in `state`; None if it is not known yet.

    For a leaf this is its `.grad`; otherwise it is the gradient accumulated so far. For both it is
    what `autograd.grad` returned in the pass, "returned 3.0".
    """
    found = held_by_then(state, tensor, is_leaf)
    if found is None:
        return NONE if tensor in state.get("cleared", ()) else None
    return RETURNED * (tensor in state.get("returned", ())) + found["text"]


def held_by_then(state: Mapping[str, Any], tensor: str, is_leaf: bool) -> dict[str, Any] | None:
    """Return the same gradient as a value in JSON; None also if it was cleared."""
    if tensor in state.get("returned", ()):
        return state["grads"][tensor]
    held = state.get("leaves", {}).get(tensor)
    if held is not None:
        return held["after"]
    if is_leaf or tensor in state.get("cleared", ()):
        return None
    return state.get("grads", {}).get(tensor)


def status_of(group: Group, state: Mapping[str, Any]) -> str:
    """Return the status of a node: pending, ready, current, done or failed."""
    return state.get("status", {}).get(group.id, "pending")


def is_freed(group: Group, state: Mapping[str, Any], graph: Graph | None) -> bool:
    """Return whether a node has freed a saved value; options, such as an exponent, are kept."""
    node, _, name = group.id[2:].partition(".")
    if graph is None or not graph.has("node", node):
        return bool(state.get("freed", {}).get(node))
    return any(one.name == name and gone(node, one, state) for one in graph.node(node).saved)


def gone(node: str, saved: Saved, state: Mapping[str, Any] | None) -> bool:
    """Return whether a node has freed this saved value."""
    is_value = saved.value is not None or saved.freed
    return bool(state and state.get("freed", {}).get(node) and is_value)


def is_stale(group: Group, graph: Graph | None) -> bool:
    """Return whether a saved value was changed in place since it was saved."""
    node, _, name = group.id[2:].partition(".")
    if graph is None or not graph.has("node", node):
        return False
    return any(saved.name == name and saved.is_stale for saved in graph.node(node).saved)


@cache
def going_forward(theme: Theme) -> Theme:
    """Return the theme with the colour of values instead of that of gradients."""
    return replace(theme, gradient=theme.forward, glow=mixed(theme.forward, theme.paper, 0.1))


def is_pending(group: Group, state: Mapping[str, Any]) -> bool:
    """Return whether a forward pass has not yet computed a tensor or saved a value."""
    if group.kind == "tensor":
        return "computed" in state and group.id not in state["computed"]
    return group.kind == "saved" and "kept" in state and group.id[2:] not in state["kept"]


def without_gradients(graph: Graph | None) -> frozenset[str]:
    """Return the ids of the wires, such as "w:n2.0", from tensors that require no gradient."""
    if graph is None:
        return frozenset()
    constant = {tensor.id for tensor in graph.tensors if not tensor.requires_grad}
    return frozenset(
        f"w:{node.id}.{k}"
        for node in graph.nodes
        if not constant.isdisjoint(node.inputs)
        for k, id in enumerate(node.inputs)
        if id in constant
    )


def without_gradient(mark: Mark, theme: Theme) -> Style:
    """Return the style of a wire along which no gradient flows back: thin and grey."""
    return {"stroke": theme.muted, "stroke-width": 1} if mark.c == "wire" else {"fill": theme.muted}


def outline(group: Group, theme: Theme, graph: Graph | None) -> str:
    """Return the colour of the outline of a card or circle."""
    if group.kind == "op":
        return theme.ink
    if graph is None or group.kind != "tensor":
        return theme.faint
    tensor = graph.tensor(group.id)
    if tensor.id == graph.root:
        return theme.ink
    return theme.forward if tensor.is_leaf and tensor.requires_grad else theme.faint


def style_of(
    mark: Mark,
    group: Group,
    theme: Theme,
    graph: Graph | None,
    state: Mapping[str, Any],
    active: Active | None,
) -> Style:
    """Return the presentation attributes of a mark. active: None unless it shows a step."""
    style = _at_rest(mark.c, theme, outline(group, theme, graph))
    if mark.c == "differs" and mark.m != "text":
        return {"fill": "none", "stroke": theme.differs, "stroke-width": 2.2}
    if mark.m == "text":
        style |= _font_of(mark)
    if mark.c == "chip" and group.kind == "saved" and is_stale(group, graph):
        style |= {"stroke": theme.bad, "stroke-width": 2}
    if mark.c == "contribution" and group.members:  # a count of gradients, and not a gradient
        style |= {"fill": theme.muted}
    return style if active is None else style | _at_step(mark, group, theme, graph, state, active)


def _at_rest(role: str, theme: Theme, line: str) -> Style:
    def haloed(fill: str, width: int) -> Style:  # keeps text readable on top of a line
        return {"fill": fill, "stroke": theme.paper, "stroke-width": width, "paint-order": "stroke"}

    flow = {"fill": "none", "stroke": theme.gradient}
    styles: dict[str, Style] = {
        "card": {"fill": theme.paper, "stroke": line, "stroke-width": 1.6},
        "op": {"fill": theme.paper, "stroke": line, "stroke-width": 1.6},
        "divider": {"fill": "none", "stroke": theme.faint},
        "wire": {"fill": "none", "stroke": theme.forward, "stroke-width": 1.4},
        "flow": {**flow, "stroke-width": 1.6, "stroke-dasharray": "4 3"},
        "badge": haloed(theme.ink, 4),
        "differs": haloed(theme.differs, 4),
        "stack": {"fill": theme.paper, "stroke": theme.faint, "stroke-width": 1.4},
        "guess": {
            "fill": "none",
            "stroke": theme.paper,
            "stroke-width": 2.4,
            "stroke-dasharray": "4 4",
        },
        "stub": {"fill": "none", "stroke": theme.muted, "stroke-dasharray": "2 3"},
        "contribution": haloed(theme.gradient, 3),
    }
    return styles.get(role) or {"fill": getattr(theme, FILLS.get(role, "muted"))}


def _font_of(mark: Mark) -> Style:
    """Return size, family, weight and anchor of a text."""
    font = FONTS.get(mark.c, FONTS["caption"])
    found: Style = {"font-size": font.size}
    if font.family != "sans":  # the whole picture is sans
        found["font-family"] = FAMILIES[font.family]
    if font.bold:
        found["font-weight"] = "bold"
    if font.italic:
        found["font-style"] = "italic"
    if mark.a != "start":
        found["text-anchor"] = mark.a
    return found


def _at_step(
    mark: Mark,
    group: Group,
    theme: Theme,
    graph: Graph | None,
    state: Mapping[str, Any],
    active: Active,
) -> Style:
    """Return what a step changes in the style of a mark."""
    is_active = group.id in active.groups
    if "computed" in state:  # in a forward pass, what is pointed at has the colour of values
        theme = going_forward(theme)
    if group.kind == "op" and mark.c in ("op", "card"):
        return {
            "pending": {"stroke": theme.muted, "stroke-dasharray": "2.5 2.5"},
            "ready": {"stroke": theme.forward, "stroke-width": 2.2},
            "current": {"fill": theme.glow, "stroke": theme.gradient, "stroke-width": 3.6},
            "failed": {"stroke": theme.bad, "stroke-width": 3.6},
        }.get(status_of(group, state), {})
    if group.kind == "tensor" and mark.c == "card":
        if is_active:
            return {"fill": theme.glow, "stroke": theme.gradient, "stroke-width": 2.8}
        if is_pending(group, state):
            return {"stroke": theme.muted, "stroke-dasharray": "2.5 2.5"}
        constant = graph is not None and not graph.tensor(group.id).requires_grad
        return {"stroke-dasharray": "2 3"} if constant else {}
    if group.kind == "flow" and active.edge in (group.id, *group.members):
        return {
            "flow": {"stroke-width": 3},
            "flowhead": {"stroke": theme.gradient, "stroke-width": 3, "stroke-linejoin": "round"},
            "contribution": {"font-size": 14},
        }.get(mark.c, {})
    if group.kind == "saved" and is_active and mark.c == "chip":
        return {"fill": theme.glow, "stroke": theme.gradient, "stroke-width": 1.6}
    if group.kind == "saved" and is_freed(group, state, graph):
        return {
            "chip": {"fill": "none", "stroke": theme.faint},
            "chiptext": {"fill": theme.muted},
        }.get(mark.c, {})
    return {}
