"""A scene as a standalone SVG: marks become elements one by one, roles become attributes.

The file holds no script, no style sheet, no link and no id, and every text is escaped; so it may
stand in any page, twice, and hostile names stay names. Sanitisers that strip style sheets, ids and
unknown attributes leave it as it is.

Read next: faces/render/still.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphlab.faces.render.fitting import fitted
from graphlab.faces.render.glyphs import NOT_YET
from graphlab.faces.render.metrics import DIGIT, brief, pixels
from graphlab.faces.render.theme import (
    FAMILIES,
    NONE,
    Look,
    Now,
    Theme,
    choose_theme,
    grad_by_then,
    is_freed,
    look,
    outline,
    status_of,
    without_gradient,
    without_gradients,
)
from graphlab.graph.model import Graph
from graphlab.graph.scene import Group, Mark, Scene


def to_svg(
    scene: Scene,
    graph: Graph | None = None,
    theme: str = "light",
    state: Mapping[str, Any] | None = None,
) -> str:
    """The picture as SVG text; with a `state` of a timeline, its gradients are drawn in.

    Raises: ValueError when there is no such theme.
    """
    body = paint(scene, graph, theme, state)
    about = (
        f"Computation graph of {graph.tensor(graph.root).label}"
        if graph is not None and graph.tensors
        else "Computation graph"
    )
    return document(scene.width, scene.height, choose_theme(theme), about, body)


def document(width: float, height: float, theme: Theme, about: str, body: str) -> str:
    """An SVG file of its own around `body`, with a title that screen readers say."""
    across, down = pixels(width), pixels(height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoted(about)} '
        f'width="{across}" height="{down}" viewBox="0 0 {across} {down}" '
        f"font-family={quoted(FAMILIES['sans'])}>"
        f"<title>{text_of(about)}</title>"
        f'<rect width="{across}" height="{down}" fill="{theme.paper}"/>{body}</svg>'
    )


def paint(
    scene: Scene,
    graph: Graph | None,
    theme: str,
    state: Mapping[str, Any] | None,
    now: Now | None = None,
) -> str:
    """The elements of a scene; with `now`, what waits, runs and is done is marked."""
    painter = _Painter(choose_theme(theme), graph, state or {}, now)
    if scene.view != "backward":  # next_functions have entries for gradients only
        painter.silent = without_gradients(graph)
    return "".join([painter.group(group) for group in scene.groups])


Kind = tuple[str, bool]  # the colour of a group's outline; whether it is a wire without a gradient
NOTHING: Look = {"font-family": None, "font-style": "italic", "font-size": 10.5}


class _Painter:
    """What to paint each role with, in one theme, one state and one moment."""

    def __init__(
        self, theme: Theme, graph: Graph | None, state: Mapping[str, Any], now: Now | None
    ) -> None:
        self.theme = theme
        self.graph = graph
        self.state = state
        self.now = now
        # of a picture outside of time, where all of one kind look alike
        self._looks: dict[Kind, dict[tuple[object, ...], str]] = {}
        self.silent: frozenset[str] = frozenset()  # wires along which no gradient comes back

    def group(self, group: Group) -> str:
        if group.kind == "flow" and self._flow_text(group.id) is None:
            return ""
        marks = "".join(self._marks(group))
        if self.now is not None:
            marks += self._badge(group)
        return f"<g><title>{text_of(group.title)}</title>{marks}</g>"

    def _marks(self, group: Group) -> Iterator[str]:
        """The elements of a group, one for each mark that shows something."""
        kind = outline(group, self.theme, self.graph), group.id in self.silent
        known = self._looks.setdefault(kind, {}) if self.now is None else {}
        for mark in group.marks:
            shape, text, how = mark.m, mark.t, ""
            if shape == "text":
                if mark.slot or self.state:
                    text, how = self._filled(mark, group)
                if not text:
                    continue
            key = shape, mark.c, mark.a, how
            looks = known.get(key)
            if looks is None:
                looks = known[key] = self._look(mark, group, kind, how)
            if shape == "path":
                yield f"<path d={quoted(mark.d)}{looks}/>"
            elif shape != "text":
                yield f"<{shape}{place(mark)}{looks}/>"
            else:
                at = f'x="{pixels(mark.x)}" y="{pixels(mark.y)}"'
                yield f"<text {at}{looks}>{text_of(text)}</text>"

    def _look(self, mark: Mark, group: Group, kind: Kind, how: str) -> str:
        """The attributes that say how a mark looks; how: what `_filled` says of its text."""
        looks = look(mark, group, self.theme, self.graph, self.state, self.now)
        if kind[1]:
            looks |= without_gradient(mark, self.theme)
        if how == "nothing":
            looks |= NOTHING | {"fill": self.theme.muted}
        elif how:
            looks |= {"font-weight": how}
        return attributes({name: value for name, value in looks.items() if value is not None})

    def _filled(self, mark: Mark, group: Group) -> tuple[str, str]:
        """The text of a mark by now, and what sets it apart: "bold", "nothing" (None), or ""."""
        if mark.slot == "grad":
            text = self._grad_text(group.id) or mark.t
            if text in (NONE, NOT_YET):
                return text, "nothing"
            return self._fits(mark, text), "bold"
        if mark.slot == "contribution":
            return self._fits(mark, self._flow_text(group.id) or ""), ""
        if mark.slot == "version":
            version = self.state.get("versions", {}).get(group.id)
            changed = group.id in self.state.get("values", {})  # else the graph went on from here
            return f"v{version}" if version and changed else mark.t, ""
        changed = self.state.get("values", {}).get(group.id) if mark.c == "value" else None
        return brief(changed["text"]) if changed else mark.t, ""

    def _fits(self, mark: Mark, text: str) -> str:
        """A gradient in the room that its place has."""
        return fitted(text, int(mark.w / DIGIT)) if mark.w else text

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
        graph = self.graph
        is_leaf = graph is not None and graph.has("tensor", id) and graph.tensor(id).is_leaf
        text = grad_by_then(self.state, id, is_leaf)
        return None if text is None else brief(text)

    def _badge(self, group: Group) -> str:
        if group.kind == "op" and status_of(group, self.state) == "done":
            return _tick(group, self.theme)
        if group.kind == "saved" and is_freed(group, self.state):
            return _hatch(group, self.theme)
        return ""


def _tick(group: Group, theme: Theme) -> str:
    """The badge of a node that is done, at its upper right."""
    body = next((mark for mark in group.marks if mark.c in ("op", "card")), None)
    if body is None:
        return ""
    if body.m == "circle":
        x, y = body.x + body.r * 0.74, body.y - body.r * 0.74
    else:
        x, y = body.x + body.w - 2, body.y + 2
    disc: Look = {"cx": x, "cy": y, "r": 7, "fill": theme.ink, "stroke": theme.paper}
    path = "M" + "L".join(
        f"{pixels(x + dx)} {pixels(y + dy)}" for dx, dy in ((-3.2, 0.3), (-0.9, 2.7), (3.4, -2.5))
    )
    line: Look = {"d": path, "fill": "none", "stroke": theme.paper, "stroke-width": 1.8}
    return f"<circle{attributes({**disc, 'stroke-width': 1.5})}/><path{attributes(line)}/>"


def _hatch(group: Group, theme: Theme) -> str:
    """Strokes across the chip of a value that is freed. Lines: a pattern would need an id."""
    chip = next((mark for mark in group.marks if mark.m == "rect"), None)
    if chip is None:
        return ""
    strokes = []
    offset = 4 - chip.h
    while offset < chip.w:
        begin, end = max(0.0, -offset), min(chip.h, chip.w - offset)
        if end > begin:
            bottom, left = chip.y + chip.h, chip.x + offset
            strokes.append(
                f"M{pixels(left + begin)} {pixels(bottom - begin)}"
                f"L{pixels(left + end)} {pixels(bottom - end)}"
            )
        offset += 6
    line = {"d": "".join(strokes), "fill": "none", "stroke": theme.faint}
    return f"<path{attributes(line)}/>"


def place(mark: Mark) -> str:
    """Where a mark is, as attributes."""
    if mark.m == "path":
        return f" d={quoted(mark.d)}"
    x, y = pixels(mark.x), pixels(mark.y)
    if mark.m == "circle":
        return f' cx="{x}" cy="{y}" r="{pixels(mark.r)}"'
    if mark.m == "rect":
        size = f'width="{pixels(mark.w)}" height="{pixels(mark.h)}" rx="{pixels(mark.r)}"'
        return f' x="{x}" y="{y}" {size}'
    return f' x="{x}" y="{y}"'


def attributes(given: Mapping[str, Any]) -> str:
    """Attributes as XML, numbers as pixels, texts escaped."""
    return "".join(
        f" {name}={quoted(value) if isinstance(value, str) else quoted(pixels(value))}"
        for name, value in given.items()
    )


def quoted(text: str) -> str:
    """An attribute's value, in quotes that no text can end."""
    text = text_of(text)
    if '"' in text or "'" in text:
        text = text.replace('"', "&quot;").replace("'", "&#39;")
    return f'"{text}"'


def text_of(text: str) -> str:
    """Character data: what looks like markup is read as text."""
    if not text.isprintable():
        text = _legal(text)
    if "&" in text or "<" in text or ">" in text:
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text


def _legal(text: str) -> str:
    """XML knows no control characters and no lone surrogates, not even escaped ones."""
    return "".join(
        c if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe")
        or c > "\uffff" else "\ufffd"
        for c in text
    )  # fmt: skip
