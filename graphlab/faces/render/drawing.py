"""A drawing is what `graphlab.draw` returns: the graph as a still picture, in several forms.

Read next: faces/render/formats.py
"""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from graphlab.faces.render.bundle import MIME
from graphlab.faces.render.collapse import Sketch, build_scenes_of, part_at
from graphlab.faces.render.dot import to_dot
from graphlab.faces.render.formats import format_of, save
from graphlab.faces.render.html import to_html
from graphlab.faces.render.mermaid import to_mermaid
from graphlab.faces.render.outline import outline_of
from graphlab.faces.render.row_wrapping import WIDE
from graphlab.faces.render.scene_builder import VIEWS, build_scene
from graphlab.faces.render.scope_tree import WHOLE
from graphlab.faces.render.svg import to_svg
from graphlab.faces.render.text import to_text
from graphlab.graph.compression import compressed
from graphlab.graph.model import Graph
from graphlab.graph.scene import Scene, View
from graphlab.graph.timeline import Timeline


def shown_of(
    graph: Graph, view: View, depth: int | None, scope: str | None
) -> tuple[tuple[Scene, ...], Graph]:
    """What is drawn of a graph: a scope, down to a depth, or as much as can be taken in.

    As scenes, and as the graph of which the forms of text are made.
    """
    if view not in VIEWS:
        raise ValueError(f"unknown view {view!r} (must be one of {sorted(VIEWS)})")
    if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool) or depth < 1):
        raise ValueError(f"depth counts levels of scopes that are open, from 1; got {depth!r}")
    if scope is not None and not isinstance(scope, str):
        kind = type(scope).__name__
        raise TypeError(f"scope is the name of one, such as 'net.layer1', got {kind}")
    if depth is not None and scope is not None:
        raise ValueError("draw takes a depth or a scope, not both")
    if depth is not None or scope is not None:
        drawn, part = part_at(graph, depth, scope)
        scene = Sketch(graph, drawn, view, walked=False, wide=WIDE).scene(part)
        return (scene,), outline_of(graph, drawn, part)
    if len(graph.nodes) <= WHOLE:
        return (build_scene(graph, view, walked=False, wide=WIDE),), graph
    return build_scenes_of(graph, (view,), walked=False, wide=WIDE), graph


class Drawing:
    """The picture of one graph: `.svg`, `.dot`, `.mermaid`, `.text`, and `.save("g.svg")`.

    All of them are of what is drawn: of one scope, or with scopes as cards.
    """

    def __init__(
        self,
        graph: Graph,
        view: View = "both",
        theme: str = "light",
        title: str = "",
        depth: int | None = None,
        scope: str | None = None,
    ) -> None:
        self.graph = graph
        self.theme = theme
        self.title = title or graph.tensor(graph.root).label
        self.scenes: tuple[Scene, ...]
        self.scenes, self.shown = shown_of(graph, view, depth, scope)
        self.scene: Scene = self.scenes[0]  # the others are gone into where it can be clicked

    @cached_property
    def svg(self) -> str:
        """A standalone SVG file: no script, no style sheet, no link."""
        return to_svg(self.scene, self.graph, self.theme)

    @property
    def dot(self) -> str:
        """The graph in Graphviz' language."""
        return to_dot(self.shown)

    @property
    def mermaid(self) -> str:
        """The graph in Mermaid's language, which Markdown on GitHub and in JupyterLab draws."""
        return to_mermaid(self.shown)

    @property
    def text(self) -> str:
        """The graph as a tree of text."""
        return to_text(self.shown)

    @property
    def html(self) -> str:
        """A page of its own that shows the picture."""
        return to_html(self._still(), standalone=True, theme=self.theme)

    @property
    def json(self) -> str:
        """The trace document: the graph and its scene, without events."""
        return json.dumps(self._still().to_json(), ensure_ascii=False) + "\n"

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        theme: str | None = None,
        scale: float | None = None,
    ) -> Path:
        """Write the form that `path` ends with: .svg, .png, .pdf, .html, .dot, .mmd, .json or .txt.

        theme: "light" or "dark". scale: pixels of a PNG for each of the drawing's (2).
        Returns where it is. Raises: ValueError when there is no such form, or it takes no such
        option; ImportError that names the command when it needs a library that is not installed;
        OSError when the file cannot be written, of which nothing is then left.
        """
        own = {"view": self.scene.view, "theme": self.theme}
        text = format_of(Path(path)).name in ("dot", "mermaid", "text")
        still = Timeline(self.shown, ()) if text else self._still()
        return save(still, path, own, theme=theme, scale=scale)

    def _still(self) -> Timeline:
        return Timeline(self.graph, (), self.scenes, self.title)

    def __repr__(self) -> str:
        count = len(self.graph.nodes)
        nodes = "1 node" if count == 1 else f"{count} nodes"
        return f"<Drawing of {self.title}: {self.scene.view} view, {nodes}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {
            MIME: compressed(self._still().to_json()),
            "image/svg+xml": self.svg,
            "text/plain": self.text,
        }
