"""A drawing is what `graphlab.draw` returns: the graph as a still picture, in several forms.

Read next: render/bundle.py
"""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from graphlab.graph.model import Graph
from graphlab.graph.scene import Scene, View
from graphlab.graph.timeline import Timeline
from graphlab.render.bundle import MIME
from graphlab.render.dot import to_dot
from graphlab.render.html import to_html
from graphlab.render.scene import at_rest, build_scene
from graphlab.render.svg import to_svg
from graphlab.render.text import to_text

FORMS = {".dot": "dot", ".html": "html", ".json": "json", ".svg": "svg", ".txt": "text"}


class Drawing:
    """The picture of one graph: `.svg`, `.dot`, `.text`, and `.save("g.svg")`."""

    def __init__(
        self,
        graph: Graph,
        view: View = "both",
        theme: str = "light",
        engine: str | None = None,
        title: str = "",
    ) -> None:
        self.graph = graph
        self.theme = theme
        self.title = title or graph.tensor(graph.root).label
        self.scene: Scene = at_rest(build_scene(graph, view, engine))

    @cached_property
    def svg(self) -> str:
        """A standalone SVG file: no script, no style sheet, no link."""
        return to_svg(self.scene, self.graph, self.theme)

    @property
    def dot(self) -> str:
        """The graph in Graphviz' language."""
        return to_dot(self.graph)

    @property
    def text(self) -> str:
        """The graph as a tree of text."""
        return to_text(self.graph)

    @property
    def html(self) -> str:
        """A page of its own that shows the picture."""
        return to_html(self._still(), standalone=True, theme=self.theme)

    @property
    def json(self) -> str:
        """The trace document: the graph and its scene, without events."""
        return json.dumps(self._still().to_json(), ensure_ascii=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the form that `path` ends with, and return where it is.

        Raises: ValueError when there is no such form; OSError when the file cannot be written.
        """
        target = Path(path)
        form = FORMS.get(target.suffix.lower())
        if form is None:
            raise ValueError(
                f"cannot save a drawing as {target.suffix or target.name!r} "
                f"(the name must end in one of {sorted(FORMS)})"
            )
        target.write_text(getattr(self, form), encoding="utf-8", errors="backslashreplace")
        return target

    def _still(self) -> Timeline:
        return Timeline(self.graph, (), (self.scene,), self.title)

    def __repr__(self) -> str:
        count = len(self.graph.nodes)
        nodes = "1 node" if count == 1 else f"{count} nodes"
        return f"<Drawing of {self.title}: {self.scene.view} view, {nodes}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {
            MIME: self._still().to_json(),
            "image/svg+xml": self.svg,
            "text/plain": self.text,
        }
