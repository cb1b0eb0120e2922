"""A drawing, the result of `graphlab.draw`: the graph as a still picture, in several formats.

Read next: faces/render/formats.py
"""

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from graphlab.faces.render.bundle import MIME
from graphlab.faces.render.collapse import (
    CollapsedScenes,
    build_scenes_of,
    collapsed_graph,
    part_at,
)
from graphlab.faces.render.dot import to_dot
from graphlab.faces.render.formats import format_of, save
from graphlab.faces.render.html import to_html
from graphlab.faces.render.mermaid import to_mermaid
from graphlab.faces.render.row_wrapping import WIDE
from graphlab.faces.render.scene_builder import VIEWS, build_scene
from graphlab.faces.render.scope_tree import WHOLE
from graphlab.faces.render.svg import to_svg
from graphlab.faces.render.text import to_text
from graphlab.graph.compression import compressed
from graphlab.graph.model import Graph
from graphlab.graph.scene import Scene, View
from graphlab.graph.timeline import Timeline


def drawn(
    graph: Graph, view: View, depth: int | None, scope: str | None
) -> tuple[tuple[Scene, ...], Graph]:
    """Return what is drawn: as scenes, and as the graph that the text formats write.

    Raises: as `graphlab.draw`.
    """
    if view not in VIEWS:
        raise ValueError(f"unknown view {view!r} (must be one of {sorted(VIEWS)})")
    if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool) or depth < 1):
        raise ValueError(
            "depth must be a whole number from 1, the level of the scopes that become cards; "
            f"got {depth!r}"
        )
    if scope is not None and not isinstance(scope, str):
        kind = type(scope).__name__
        raise TypeError(f"scope must be the name of a scope, such as 'net.layer1', got {kind}")
    if depth is not None and scope is not None:
        raise ValueError("draw takes a depth or a scope, not both")
    if depth is not None or scope is not None:
        tree, part = part_at(graph, depth, scope)
        scene = CollapsedScenes(graph, tree, view, playable=False, wide=WIDE).scene(part)
        return (scene,), collapsed_graph(graph, tree, part)
    if len(graph.nodes) <= WHOLE:
        return (build_scene(graph, view, playable=False, wide=WIDE),), graph
    return build_scenes_of(graph, (view,), playable=False, wide=WIDE), graph


class Drawing:
    """The picture of one graph: `.svg`, `.dot`, `.mermaid`, `.text`, `.html`, `.json`, `.save()`.

    All formats show the same: the whole graph, the inside of one scope, or scopes as cards.
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
        self.scenes, self.shown = drawn(graph, view, depth, scope)
        self.scene: Scene = self.scenes[0]  # the others open by a click, where a front end can

    @cached_property
    def svg(self) -> str:
        """A standalone SVG: no script, no style sheet, no link."""
        return to_svg(self.scene, self.graph, self.theme)

    @property
    def dot(self) -> str:
        """The graph in DOT, the language of Graphviz."""
        return to_dot(self.shown)

    @property
    def mermaid(self) -> str:
        """The graph in Mermaid, which Markdown on GitHub and in JupyterLab draws."""
        return to_mermaid(self.shown)

    @property
    def text(self) -> str:
        """The graph as a tree of text."""
        return to_text(self.shown)

    @property
    def html(self) -> str:
        """An HTML page that shows the picture."""
        return to_html(self._still(), standalone=True, theme=self.theme)

    @property
    def json(self) -> str:
        """The trace document: the graph and its scenes, without events."""
        return json.dumps(self._still().to_json(), ensure_ascii=False) + "\n"

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        theme: str | None = None,
        scale: float | None = None,
    ) -> Path:
        """Write the picture to a file, in the format of its extension.

        path: name of a file in .svg, .png, .pdf, .html, .dot, .mmd, .json or .txt.
        theme: "light" or "dark"; default that of the drawing.
        scale: float > 0, pixels of a PNG for each CSS pixel; default 2.

        Returns: the path of the file.
        Raises: ValueError for an unknown format or an option that it does not take; ImportError if
            the format needs a library that is not installed; OSError if the file cannot be
            written. No partial file is left.
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
