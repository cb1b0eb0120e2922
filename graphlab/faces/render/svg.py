"""A scene as a standalone SVG: each mark becomes one element, each role its attributes.

The file has no script, style sheet, link or id, and every text is escaped. It can be put into any
page, also twice, and sanitizers do not change it.

Read next: faces/render/still.py
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphlab.faces.render.heat import heat_parts, value_of
from graphlab.faces.render.metrics import DIGIT, NOT_YET, brief, fitted, pixels, shorten
from graphlab.faces.render.theme import (
    FAMILIES,
    NONE,
    Active,
    Style,
    Theme,
    choose_theme,
    grad_by_then,
    heat_style,
    held_by_then,
    is_freed,
    is_pending,
    is_stale,
    outline,
    status_of,
    style_of,
    without_gradient,
    without_gradients,
)
from graphlab.graph.model import Graph
from graphlab.graph.scene import Group, Mark, Scene

# the colour of a group's outline; whether it is a wire without a gradient, or a stale saved value
Kind = tuple[str, bool, bool]
# XML forbids these control characters and lone surrogates, even escaped
_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MOST_TOLD = 20  # nodes whose connections are told
NOTHING: Style = {"font-family": None, "font-style": "italic", "font-size": 10.5}


def to_svg(
    scene: Scene,
    graph: Graph | None = None,
    theme: str = "light",
    state: Mapping[str, Any] | None = None,
) -> str:
    """Return the picture as SVG text; with a `state` of a timeline, it shows the gradients.

    Raises: ValueError for an unknown theme.
    """
    body = paint(scene, graph, theme, state)
    about = (
        f"Computation graph of {graph.tensor(graph.root).label}"
        if graph is not None and graph.tensors
        else "Computation graph"
    )
    more = connections(scene, graph) if graph is not None and state is None else ""
    return document(scene.width, scene.height, choose_theme(theme), about, body, more)


def connections(scene: Scene, graph: Graph) -> str:
    """Say what each node of a small drawing takes and makes; of a larger one, what is drawn."""
    kinds = Counter(group.kind for group in scene.groups)
    if kinds["op"] > MOST_TOLD or kinds["scope"]:
        words = {"tensor": "tensor", "op": "node", "scope": "scope"}
        counts = ((kinds[kind], word) for kind, word in words.items() if kinds[kind])
        return ", ".join(f"{count} {word}{'s' * (count > 1)}" for count, word in counts)
    drawn = {group.id for group in scene.groups if group.kind == "op"}
    nodes = (node for node in reversed(graph.nodes) if node.id in drawn and node.variable is None)

    def names(ids: Sequence[str]) -> str:
        labels = (graph.tensor(id).label for id in ids)
        return " and ".join(
            "a constant" if label == id else shorten(label)
            for id, label in zip(ids, labels, strict=True)
        )

    return " ".join(f"{n.name} makes {names(n.outputs)} from {names(n.inputs)}." for n in nodes)


def document(
    width: float, height: float, theme: Theme, about: str, body: str, more: str = ""
) -> str:
    """Return an SVG document around `body`. about, more: its title and description, in words."""
    across, down = pixels(width), pixels(height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoted(about)} '
        f'width="{across}" height="{down}" viewBox="0 0 {across} {down}" '
        f"font-family={quoted(FAMILIES['sans'])}>"
        f"<title>{escaped(about)}</title>{more and f'<desc>{escaped(more)}</desc>'}"
        f'<rect width="{across}" height="{down}" fill="{theme.paper}"/>{body}</svg>'
    )


def paint(
    scene: Scene,
    graph: Graph | None,
    theme: str,
    state: Mapping[str, Any] | None,
    active: Active | None = None,
) -> str:
    """Return the elements of a scene; with `active`, those of one step of a backward pass."""
    painter = _Painter(choose_theme(theme), graph, state or {}, active)
    if scene.view != "backward":  # its wires are next_functions, which have gradients only
        painter.silent = without_gradients(graph)
    return "".join([painter.group(group) for group in scene.groups])


class _Painter:
    """Converts groups to SVG, in one theme and one state."""

    def __init__(
        self, theme: Theme, graph: Graph | None, state: Mapping[str, Any], active: Active | None
    ) -> None:
        self.theme = theme
        self.graph = graph
        self.state = state
        self.active = active
        # marks of one kind have the same style, except in the picture of a step
        self._styles: dict[Kind, dict[tuple[object, ...], str]] = {}
        self.silent: frozenset[str] = frozenset()  # wires along which no gradient flows back

    def group(self, group: Group) -> str:
        if group.kind == "flow" and self._flow_text(group) is None:
            return ""
        marks = "".join(self._marks(group))
        if self.active is not None:
            marks += self._badge(group)
        return f"<g><title>{escaped(group.title)}</title>{marks}</g>"

    def _marks(self, group: Group) -> Iterator[str]:
        """Yield the elements of a group: one for each mark, except texts that are empty."""
        stale = group.kind == "saved" and is_stale(group, self.graph)
        kind = outline(group, self.theme, self.graph), group.id in self.silent, stale
        known = self._styles.setdefault(kind, {}) if self.active is None else {}
        pending = is_pending(group, self.state)
        if pending and group.kind == "saved":
            return
        for mark in group.marks:
            text, how = mark.t, ""
            if mark.m == "heat":
                if not pending:
                    yield from self._heat(mark, group.id)
                continue
            if mark.m == "text":
                if mark.slot or self.state:
                    text, how = self._filled(mark, group)
                if not text:
                    continue
            key = mark.m, mark.c, mark.a, how
            style = known.get(key)
            if style is None:
                style = known[key] = self._style(mark, group, kind, how)
            yield element(mark, style, text)

    def _heat(self, mark: Mark, id: str) -> Iterator[str]:
        """Yield a heat map of the tensor's values, or of its gradient, in this state."""
        tensor = self.graph.tensor(id) if self.graph and self.graph.has("tensor", id) else None
        if tensor is None:
            return
        if mark.slot == "grad":
            held = held_by_then(self.state, id, tensor.is_leaf)
            cleared = id in self.state.get("cleared", ())
            value = value_of(held) or (None if cleared else tensor.grad)
        else:
            value = value_of(self.state.get("values", {}).get(id)) or tensor.value
        for kind, level, d in heat_parts(mark, value):
            yield f"<path d={quoted(d)}{attributes(heat_style(kind, level, self.theme))}/>"

    def _style(self, mark: Mark, group: Group, kind: Kind, how: str) -> str:
        """Return the style attributes of a mark. how: the style of its text, from `_filled`."""
        style = style_of(mark, group, self.theme, self.graph, self.state, self.active)
        if kind[1]:
            style |= without_gradient(mark, self.theme)
        if how == "nothing":
            style |= NOTHING | {"fill": self.theme.muted}
        elif how:
            style |= {"font-weight": how}
        return attributes(style)

    def _filled(self, mark: Mark, group: Group) -> tuple[str, str]:
        """Return a mark's text in this state, and its style: "bold", "nothing" (None), or ""."""
        if mark.slot == "grad":
            text = self._grad_text(group.id) or mark.t
            if text in (NONE, NOT_YET):
                return NONE if "finished" in self.state else text, "nothing"
            return _fits(mark, text), "bold"
        if mark.slot == "contribution":
            return _fits(mark, self._flow_text(group) or ""), ""
        if mark.c == "value" and is_pending(group, self.state):
            return NOT_YET, "nothing"
        changed = self.state.get("values", {}).get(group.id)
        if mark.slot == "version":
            version = self.state.get("versions", {}).get(group.id)
            return f"v{version}" if version and changed is not None else mark.t, ""
        return brief(changed["text"]) if changed and mark.c == "value" else mark.t, ""

    def _flow_text(self, group: Group) -> str | None:
        if group.members:  # a line that several edges share: on how many a gradient has run
            gone = sum(edge in self.state.get("edges", {}) for edge in group.members)
            return f"{gone} of {len(group.members)}" if gone else None
        node, entering, tensor = group.id.partition("<")
        if entering:
            # the gradient of an output is shown as entering once its node has started
            begun = self.state.get("status", {}).get(node) in ("current", "done", "failed")
            found = self.state.get("grads", {}).get(tensor) if begun else None
        else:
            found = self.state.get("edges", {}).get(group.id)
        return brief(found["text"]) if found else None

    def _grad_text(self, id: str) -> str | None:
        graph = self.graph
        is_leaf = graph is not None and graph.has("tensor", id) and graph.tensor(id).is_leaf
        text = grad_by_then(self.state, id, is_leaf)
        return None if text is None else brief(text)

    def _badge(self, group: Group) -> str:
        if group.kind == "op" and status_of(group, self.state) == "done":
            return _tick(group, self.theme)
        if group.kind == "saved" and is_freed(group, self.state, self.graph):
            return _hatch(group, self.theme)
        return ""


def _fits(mark: Mark, text: str) -> str:
    """Return a gradient, shortened to the width of its place."""
    return fitted(text, int(mark.w / DIGIT)) if mark.w else text


def _tick(group: Group, theme: Theme) -> str:
    """Return a tick at the upper right of a node that is done."""
    body = next((mark for mark in group.marks if mark.c in ("op", "card")), None)
    if body is None:
        return ""
    if body.m == "circle":
        x, y = body.x + body.r * 0.74, body.y - body.r * 0.74
    else:
        x, y = body.x + body.w - 2, body.y + 2
    disc: Style = {"cx": x, "cy": y, "r": 7, "fill": theme.ink, "stroke": theme.paper}
    path = "M" + "L".join(
        f"{pixels(x + dx)} {pixels(y + dy)}" for dx, dy in ((-3.2, 0.3), (-0.9, 2.7), (3.4, -2.5))
    )
    line: Style = {"d": path, "fill": "none", "stroke": theme.paper, "stroke-width": 1.8}
    return f"<circle{attributes({**disc, 'stroke-width': 1.5})}/><path{attributes(line)}/>"


def _hatch(group: Group, theme: Theme) -> str:
    """Return strokes across the chip of a freed value; as a pattern they would need an id."""
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
    return f"<path{attributes({'d': ''.join(strokes), 'fill': 'none', 'stroke': theme.faint})}/>"


def element(mark: Mark, style: str, text: str) -> str:
    """Return the SVG element of a mark, with `style` as its further attributes."""
    if mark.m == "path":
        return f"<path d={quoted(mark.d)}{style}/>"
    x, y = pixels(mark.x), pixels(mark.y)
    if mark.m == "text":
        return f'<text x="{x}" y="{y}"{style}>{escaped(text)}</text>'
    if mark.m == "circle":
        return f'<circle cx="{x}" cy="{y}" r="{pixels(mark.r)}"{style}/>'
    size = f'width="{pixels(mark.w)}" height="{pixels(mark.h)}" rx="{pixels(mark.r)}"'
    return f'<rect x="{x}" y="{y}" {size}{style}/>'


def text_element(text: str, x: float, y: float, size: float, fill: str, **style: str) -> str:
    """Return a line of text. style: more attributes, such as font_family."""
    more = {name.replace("_", "-"): value for name, value in style.items()}
    given = {"x": x, "y": y, "font-size": size, "fill": fill, **more}
    return f"<text{attributes(given)}>{escaped(text)}</text>"


def attributes(given: Mapping[str, Any]) -> str:
    """Return attributes as XML: numbers as pixels, texts escaped, None left out."""
    return "".join(
        f" {name}={quoted(value if isinstance(value, str) else pixels(value))}"
        for name, value in given.items()
        if value is not None
    )


def quoted(text: str) -> str:
    """Return the value of an attribute in quotes, escaped so that no text can end it."""
    text = escaped(text)
    if '"' in text or "'" in text:
        text = text.replace('"', "&quot;").replace("'", "&#39;")
    return f'"{text}"'


def escaped(text: str) -> str:
    """Return a text escaped for XML."""
    if not text.isprintable():
        text = _ILLEGAL.sub("\ufffd", text)
    if "&" in text or "<" in text or ">" in text:
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text
