"""A scene as a standalone SVG: marks become elements one by one, roles become attributes.

The file holds no script, no style sheet, no link and no id, and every text is escaped; so it may
stand in any page, twice, and hostile names stay names.

Read next: render/html.py
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from graphlab.graph.model import Graph
from graphlab.graph.scene import Group, Mark, Scene
from graphlab.render.metrics import FONTS, brief, pixels
from graphlab.render.pieces import NONE, NOT_YET


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


THEMES = {
    "light": Theme("#ffffff", "#1b1f24", "#59626d", "#d5d9de", "#0068a8", "#b84300", "#e9f2f9"),
    "dark": Theme("#14171a", "#eceff2", "#a3acb6", "#3d444c", "#62b6f0", "#ff9a52", "#1c2d3d"),
}
FAMILIES = {
    "sans": "DejaVu Sans, Verdana, Segoe UI, Helvetica, Arial, sans-serif",
    "serif": "DejaVu Serif, Georgia, Times New Roman, serif",
    "mono": "DejaVu Sans Mono, Menlo, Consolas, monospace",
}


def to_svg(
    scene: Scene,
    graph: Graph | None = None,
    theme: str = "light",
    state: Mapping[str, Any] | None = None,
) -> str:
    """The picture as SVG text; with a `state` of a timeline, its gradients are drawn in.

    Raises: ValueError when there is no such theme.
    """
    if theme not in THEMES:
        raise ValueError(f"unknown theme {theme!r} (must be one of {sorted(THEMES)})")
    painter = _Painter(THEMES[theme], graph, state or {})
    width, height = pixels(scene.width), pixels(scene.height)
    about = (
        f"Computation graph of {_root_name(graph)}" if graph is not None else "Computation graph"
    )
    body = "".join(painter.group(group) for group in scene.groups)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={_quoted(about)} '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f"font-family={_quoted(FAMILIES['sans'])}>"
        f"<title>{_text(about)}</title>"
        f'<rect width="{width}" height="{height}" fill="{painter.theme.paper}"/>{body}</svg>'
    )


def _root_name(graph: Graph) -> str:
    return graph.tensor(graph.root).label


class _Painter:
    """What to paint each role with, in one theme and one state."""

    def __init__(self, theme: Theme, graph: Graph | None, state: Mapping[str, Any]) -> None:
        self.theme = theme
        self.graph = graph
        self.state = state

    def group(self, group: Group) -> str:
        if group.kind == "flow" and self._flow_text(group.id) is None:
            return ""
        marks = "".join(self.mark(mark, group) for mark in group.marks)
        return f"<g><title>{_text(group.title)}</title>{marks}</g>"

    def mark(self, mark: Mark, group: Group) -> str:
        look = self._look(mark, group)
        place = _place(mark)
        if mark.m != "text":
            return f"<{mark.m}{_attributes({**place, **look})}/>"
        text, look = self._filled(mark, group, look)
        return f"<text{_attributes({**place, **look})}>{_text(text)}</text>" if text else ""

    def _filled(self, mark: Mark, group: Group, look: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        if mark.slot == "contribution":
            return self._flow_text(group.id) or "", look
        if mark.slot == "grad":
            text = self._grad_text(group.id) or mark.t
            if text in (NONE, NOT_YET):
                muted = {"fill": self.theme.muted, "font-style": "italic", "font-size": 10.5}
                usual = {name: value for name, value in look.items() if name != "font-family"}
                return text, {**usual, **muted}
            return text, {**look, "font-weight": "bold"}
        return mark.t, look

    def _flow_text(self, id: str) -> str | None:
        node, entering, tensor = id.partition("<")
        if entering:
            # the gradient of an output enters once its node has had its turn
            begun = self.state.get("status", {}).get(node) in ("current", "done", "failed")
            found = self.state.get("grads", {}).get(tensor) if begun else None
        else:
            found = self.state.get("edges", {}).get(id)
        return brief(found["text"]) if found else None

    def _grad_text(self, id: str) -> str | None:
        leaf = self.state.get("leaves", {}).get(id)
        found = leaf["after"] if leaf else self.state.get("grads", {}).get(id)
        return brief(found["text"]) if found else None

    def _look(self, mark: Mark, group: Group) -> dict[str, Any]:
        theme = self.theme
        line = self._outline(group)
        looks: dict[str, dict[str, Any]] = {
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
            "caption": {"fill": theme.muted},
            "index": {"fill": theme.muted},
            "chipkey": {"fill": theme.muted},
            "chiptext": {"fill": theme.ink},
            # a halo keeps a number readable where it must lie on a line
            "contribution": {
                "fill": theme.gradient,
                "stroke": theme.paper,
                "stroke-width": 3,
                "paint-order": "stroke",
            },
        }
        return {**looks[mark.c], **(_font(mark) if mark.m == "text" else {})}

    def _outline(self, group: Group) -> str:
        theme = self.theme
        if self.graph is None or group.kind not in ("tensor", "op"):
            return theme.ink if group.kind == "op" else theme.faint
        if group.kind == "op":
            return theme.ink
        tensor = self.graph.tensor(group.id)
        if tensor.id == self.graph.root:
            return theme.ink
        return theme.forward if tensor.is_leaf and tensor.requires_grad else theme.faint


def _font(mark: Mark) -> dict[str, Any]:
    font = FONTS.get(mark.c, FONTS["caption"])
    look: dict[str, Any] = {"font-size": font.size}
    if font.family != "sans":  # which the whole picture has
        look["font-family"] = FAMILIES[font.family]
    if font.bold:
        look["font-weight"] = "bold"
    if font.italic:
        look["font-style"] = "italic"
    if mark.a != "start":
        look["text-anchor"] = mark.a
    return look


def _place(mark: Mark) -> dict[str, Any]:
    if mark.m == "path":
        return {"d": mark.d}
    if mark.m == "circle":
        return {"cx": mark.x, "cy": mark.y, "r": mark.r}
    if mark.m == "rect":
        return {"x": mark.x, "y": mark.y, "width": mark.w, "height": mark.h, "rx": mark.r}
    return {"x": mark.x, "y": mark.y}


def _attributes(attributes: Mapping[str, Any]) -> str:
    return "".join(
        f" {name}={_quoted(value) if isinstance(value, str) else _quoted(pixels(value))}"
        for name, value in attributes.items()
    )


def _quoted(text: str) -> str:
    return '"' + escape(_legal(text), {'"': "&quot;", "'": "&#39;"}) + '"'


def _text(text: str) -> str:
    return escape(_legal(text))


def _legal(text: str) -> str:
    """XML knows no control characters and no lone surrogates, not even escaped ones."""
    return "".join(
        c if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe")
        or c > "\uffff" else "\ufffd"
        for c in text
    )  # fmt: skip
