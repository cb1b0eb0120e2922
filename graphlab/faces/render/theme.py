"""How each role of mark looks: in a theme, and at a moment of a backward pass.

The colours and strokes are those of the player (js/src/styles/graph.css), so that a saved moment
is the picture that stood on the page.

Read next: faces/render/svg.py
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphlab.faces.render.metrics import FONTS
from graphlab.graph.model import Graph
from graphlab.graph.scene import Group, Mark

Look = dict[str, Any]
NONE = "None"  # what .grad is where it was cleared, and in a picture of a graph that nobody walks


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours; text on its background has a contrast of at least 4.5 to 1."""

    paper: str
    ink: str
    muted: str
    faint: str  # borders of what is neither leaf nor current
    forward: str
    gradient: str
    chip: str
    glow: str  # behind what happens now
    bad: str


THEMES = {
    "light": Theme(
        "#ffffff", "#1b1f24", "#59626d", "#d5d9de", "#0068a8", "#b84300", "#e9f2f9", "#f9eee8",
        "#b3261e",
    ),
    "dark": Theme(
        "#14171a", "#eceff2", "#a3acb6", "#3d444c", "#62b6f0", "#ff9a52", "#1c2d3d", "#3a2c23",
        "#ff8a80",
    ),
}  # fmt: skip
FAMILIES = {
    "sans": "DejaVu Sans, Verdana, Segoe UI, Helvetica, Arial, sans-serif",
    "serif": "DejaVu Serif, Georgia, Times New Roman, serif",
    "mono": "DejaVu Sans Mono, Menlo, Consolas, monospace",
}


@dataclass(frozen=True, slots=True)
class Now:
    """What a moment points at; a picture without one is of a graph that nobody walks."""

    focus: frozenset[str] = frozenset()
    edge: str = ""  # the edge along which a gradient is sent right now


def grad_by_then(state: Mapping[str, Any], tensor: str, is_leaf: bool) -> str | None:
    """What `.grad` of a tensor is by now, or gathers for one that is no leaf; None: not known yet.

    A leaf has what was written, not what is on its way to it.
    """
    held = state.get("leaves", {}).get(tensor)
    if held is not None:
        return held["after"]["text"]
    if tensor in state.get("cleared", ()):
        return NONE
    found = None if is_leaf else state.get("grads", {}).get(tensor)
    return None if found is None else found["text"]


def choose_theme(name: str) -> Theme:
    """The theme called `name`; ValueError with the choices when there is none."""
    if name not in THEMES:
        raise ValueError(f"unknown theme {name!r} (must be one of {sorted(THEMES)})")
    return THEMES[name]


def look(
    mark: Mark,
    group: Group,
    theme: Theme,
    graph: Graph | None,
    state: Mapping[str, Any],
    now: Now | None,
) -> Look:
    """The presentation attributes of one mark."""
    usual = {**_usual(mark.c, theme, outline(group, theme, graph))}
    if mark.m == "text":
        usual |= font_of(mark)
    return usual if now is None else usual | _at_the_moment(mark, group, theme, graph, state, now)


def without_gradient(mark: Mark, theme: Theme) -> Look:
    """A wire to what requires no gradient: thin and grey, as nothing comes back along it."""
    return {"stroke": theme.muted, "stroke-width": 1} if mark.c == "wire" else {"fill": theme.muted}


def without_gradients(graph: Graph | None) -> frozenset[str]:
    """The ids of the wires, "w:n2.0", along which no gradient comes back: from what needs none."""
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


def outline(group: Group, theme: Theme, graph: Graph | None) -> str:
    """The colour around a card or a circle."""
    if group.kind == "op":
        return theme.ink
    if graph is None or group.kind != "tensor":
        return theme.faint
    tensor = graph.tensor(group.id)
    if tensor.id == graph.root:
        return theme.ink
    return theme.forward if tensor.is_leaf and tensor.requires_grad else theme.faint


def _usual(role: str, theme: Theme, line: str) -> Look:
    looks: dict[str, Look] = {
        "card": {"fill": theme.paper, "stroke": line, "stroke-width": 1.6},
        "divider": {"fill": "none", "stroke": theme.faint},
        "op": {"fill": theme.paper, "stroke": line, "stroke-width": 1.6},
        "wire": {"fill": "none", "stroke": theme.forward, "stroke-width": 1.4},
        "head": {"fill": theme.forward},
        "flow": {
            "fill": "none",
            "stroke": theme.gradient,
            "stroke-width": 1.6,
            "stroke-dasharray": "4 3",
        },
        "flowhead": {"fill": theme.gradient},
        "chip": {"fill": theme.chip},
        "name": {"fill": theme.ink},
        "value": {"fill": theme.forward},
        "key": {"fill": theme.muted},
        "grad": {"fill": theme.gradient},
        "symbol": {"fill": theme.ink},
        "title": {"fill": theme.ink},
        "badge": {
            "fill": theme.ink,
            "stroke": theme.paper,
            "stroke-width": 4,
            "paint-order": "stroke",
        },
        "caption": {"fill": theme.muted},
        "index": {"fill": theme.muted},
        "chipkey": {"fill": theme.muted},
        "chiptext": {"fill": theme.ink},
        "stack": {"fill": theme.paper, "stroke": theme.faint, "stroke-width": 1.4},
        "count": {"fill": theme.muted},
        "track": {"fill": theme.faint},
        "stub": {"fill": "none", "stroke": theme.muted, "stroke-dasharray": "2 3"},
        # a halo keeps a number readable where it must lie on a line
        "contribution": {
            "fill": theme.gradient,
            "stroke": theme.paper,
            "stroke-width": 3,
            "paint-order": "stroke",
        },
    }
    return looks.get(role, {"fill": theme.muted})


def font_of(mark: Mark) -> Look:
    """Size, family, weight and anchor of a text."""
    font = FONTS.get(mark.c, FONTS["caption"])
    found: Look = {"font-size": font.size}
    if font.family != "sans":  # which the whole picture has
        found["font-family"] = FAMILIES[font.family]
    if font.bold:
        found["font-weight"] = "bold"
    if font.italic:
        found["font-style"] = "italic"
    if mark.a != "start":
        found["text-anchor"] = mark.a
    return found


def status_of(group: Group, state: Mapping[str, Any]) -> str:
    """Where a node stands in the pass: pending, ready, current, done or failed."""
    return state.get("status", {}).get(group.id, "pending")


def is_freed(group: Group, state: Mapping[str, Any]) -> bool:
    """Whether the node of a saved value has let go of it."""
    return bool(state.get("freed", {}).get(group.id[2:].partition(".")[0]))


def _at_the_moment(
    mark: Mark,
    group: Group,
    theme: Theme,
    graph: Graph | None,
    state: Mapping[str, Any],
    now: Now,
) -> Look:
    focused = group.id in now.focus
    if group.kind == "op" and mark.c in ("op", "card"):
        return {
            "pending": {"stroke": theme.muted, "stroke-dasharray": "2.5 2.5"},
            "ready": {"stroke": theme.forward, "stroke-width": 2.2},
            "current": {"fill": theme.glow, "stroke": theme.gradient, "stroke-width": 3.6},
            "failed": {"stroke": theme.bad, "stroke-width": 3.6},
        }.get(status_of(group, state), {})
    if group.kind == "tensor" and mark.c == "card" and focused:
        return {"fill": theme.glow, "stroke": theme.gradient, "stroke-width": 2.8}
    if group.kind == "tensor" and mark.c == "card" and graph is not None:
        return {} if graph.tensor(group.id).requires_grad else {"stroke-dasharray": "2 3"}
    if group.kind == "flow" and group.id == now.edge:
        return {
            "flow": {"stroke-width": 3},
            "flowhead": {"stroke": theme.gradient, "stroke-width": 3, "stroke-linejoin": "round"},
            "contribution": {"font-size": 14},
        }.get(mark.c, {})
    if group.kind == "saved" and focused and mark.c == "chip":
        return {"fill": theme.glow, "stroke": theme.gradient, "stroke-width": 1.6}
    if group.kind == "saved" and is_freed(group, state):
        freed = {
            "chip": {"fill": "none", "stroke": theme.faint},
            "chiptext": {"fill": theme.muted},
        }
        return freed.get(mark.c, {})
    return {}
