"""A drawing, the result of `graphlab.draw`, and the file formats of pictures and walks.

A drawing is the graph as a still picture, in several formats. A format is chosen by the extension
of the file's name; a file is written completely or not at all.

Read next: faces/render/still.py
"""

import json
import operator
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from graphlab.common.notebook import printable, printable_here
from graphlab.common.output import destination, write_whole
from graphlab.faces.render.bundle import MIME, with_scenes
from graphlab.faces.render.collapse import (
    CollapsedScenes,
    collapsed_graph,
    part_at,
    still_scenes,
)
from graphlab.faces.render.html import to_html
from graphlab.faces.render.pdf import to_pdf
from graphlab.faces.render.raster import to_gif, to_png
from graphlab.faces.render.row_wrapping import WIDE
from graphlab.faces.render.scene_builder import check_view
from graphlab.faces.render.still import still_svg
from graphlab.faces.render.svg import to_svg
from graphlab.faces.render.text import text_of, to_dot, to_mermaid, to_text
from graphlab.faces.render.timeline_steps import place_of, text_at
from graphlab.graph.compression import compressed
from graphlab.graph.document import uncollected
from graphlab.graph.model import Graph
from graphlab.graph.scene import Scene, View
from graphlab.graph.timeline import Timeline

NARROWEST = 300  # pixels of a row of the picture


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: its name, the function that makes it, and the options that it takes."""

    name: str
    make: Callable[..., str | bytes]
    options: tuple[str, ...] = ()


def save(
    timeline: Timeline,
    path: str | os.PathLike[str],
    defaults: Mapping[str, Any] | None = None,
    **options: Any,
) -> Path:
    """Write `timeline` in the format that `path` ends with, and return the path.

    defaults: values for options that are missing or None, if the format takes them.
    Raises: TypeError if `path` is not a name; ValueError for an unknown extension or an option that
    the format does not take; IndexError if there is no such step; ImportError if a library is
    missing; OSError if the file cannot be written. No partial file is left.
    """
    target = named(path)
    format = format_of(target)
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in format.options:
            takers = sorted(end for end, other in FORMATS.items() if name in other.options)
            where = f"is for {', '.join(takers)}" if takers else "is not an option of any format"
            takes = ", ".join(f"{option}=" for option in format.options) or "no options"
            raise ValueError(f"{name}= {where}; a {target.suffix.lower()} file takes {takes}")
    if "granularity" in given and "step" in format.options:
        timeline, given = at_stop(timeline, given)
    destination(target)  # report a missing folder before drawing, which may take long
    own = {name: value for name, value in (defaults or {}).items() if name in format.options}
    if timeline.opening is not None and format.make is not _html:  # a page opens there by itself
        opens = {"step": timeline.opening.step, "view": timeline.opening.view}
        taken = {name: opens[name] for name in opens if name in format.options}
        own = {name: value for name, value in taken.items() if value is not None} | own
    write_whole(target, format.make(timeline, **{**own, **given}))
    return target


def at_stop(timeline: Timeline, given: dict[str, Any]) -> tuple[Timeline, dict[str, Any]]:
    """Return a timeline that is open at a step of a granularity, and options with its event.

    Raises: ValueError for an unknown granularity, or without a step; TypeError or IndexError if
    there is no such step.
    """
    granularity = given["granularity"]
    stops = timeline.stops(granularity)
    options = {name: value for name, value in given.items() if name != "granularity"}
    if "step" not in given:
        raise ValueError(
            f"granularity= says how step= counts: write step=1, granularity={granularity!r}"
        )
    try:
        number = operator.index(given["step"])
    except TypeError:
        got = type(given["step"]).__name__
        raise TypeError(f"a step must be one integer, got {got}") from None
    if not 1 <= number <= len(stops):
        raise IndexError(
            f"step {number} does not exist: with granularity={granularity!r} the steps are 1 to "
            f"{len(stops)}, as on the screen; without it, step= counts events from 0"
        )
    options["step"] = stops[number - 1]
    return timeline.at(options["step"], granularity=granularity), options


def named(path: Any) -> Path:
    """Return the file that `path` names.

    Raises: TypeError if it is not a name; ValueError if it is empty; IsADirectoryError.
    """
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        given = "an open file; pass its name" if hasattr(path, "write") else f"{path!r:.40}"
        raise TypeError(
            "save expects the name of a file, such as 'walk.html', got "
            f"{type(path).__name__} {given}"
        )
    text = os.fspath(path)
    if not text:
        raise ValueError("cannot save to '': the name is empty; write 'walk.html'")
    if text.endswith(("/", os.sep)):
        raise IsADirectoryError(
            f"cannot save to {text}: {text!r} is the name of a folder; name a file in it, "
            f"{text + 'walk.html'!r}"
        )
    if Path(text).is_dir():
        raise IsADirectoryError(f"cannot save to {text}: it is a folder; name a file in it")
    return Path(text)


def format_of(target: Path) -> Format:
    """Return the format of a file's extension. Raises: ValueError that lists the formats."""
    format = FORMATS.get(target.suffix.lower())
    if format is not None:
        return format
    name, choices = target.name, f"(must be one of {sorted(FORMATS)})"
    if name.lower() in FORMATS:
        said = f"{name!r} is an ending {choices} without a name; write {'walk' + name!r}"
    elif not target.suffix:
        whole = name.rstrip(".") + ".html"
        said = f"{name!r} has no ending {choices}; write {whole!r}"
    else:
        said = f"no format ends in {target.suffix!r} {choices}"
    raise ValueError(printable(f"cannot save to {target}: {said}"))


# --- the formats ---


def _html(timeline: Timeline, step: Any = None, theme: str = "light") -> str:
    with uncollected():
        place = None if step is None else place_of(timeline, step)
        return to_html(with_scenes(timeline), standalone=True, theme=theme, step=place)


def _json(timeline: Timeline) -> str:
    return json.dumps(with_scenes(timeline).to_json(), ensure_ascii=False) + "\n"


def _png(timeline: Timeline, scale: float = 2.0, **options: Any) -> bytes:
    return to_png(still_svg(timeline, **options), scale)


def _pdf(timeline: Timeline, **options: Any) -> bytes:
    return to_pdf(still_svg(timeline, **options))


def _in_words(write: Callable[..., str]) -> Callable[..., str]:
    def make(timeline: Timeline, step: Any = None) -> str:
        told = text_at(timeline, step)
        return write(told.graph, told.state, told.lines)

    return make


def _text(timeline: Timeline, step: Any = None) -> str:
    return text_of(timeline, step) + "\n"


_STEP = ("step", "granularity")
_STILL = (*_STEP, "view", "theme")
FORMATS = {
    ".dot": Format("dot", _in_words(to_dot), _STEP),
    ".gif": Format("gif", to_gif, ("view", "theme", "scale", "seconds", "granularity")),
    ".html": Format("html", _html, (*_STEP, "theme")),
    ".json": Format("json", _json),
    ".mmd": Format("mermaid", _in_words(to_mermaid), _STEP),
    ".pdf": Format("pdf", _pdf, _STILL),
    ".png": Format("png", _png, (*_STILL, "scale")),
    ".svg": Format("svg", still_svg, _STILL),
    ".txt": Format("text", _text, _STEP),
}


def drawn(
    graph: Graph, view: View, depth: int | None, scope: str | None, width: float
) -> tuple[tuple[Scene, ...], Graph]:
    """Return what is drawn: as scenes, and as the graph that the text formats write.

    Raises: as `graphlab.draw`.
    """
    check_view(view)
    if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool) or depth < 1):
        raise ValueError(
            "depth must be a whole number from 1, the level of the scopes that become cards; "
            f"got {depth!r}"
        )
    if not isinstance(width, int | float) or not width >= NARROWEST:
        raise ValueError(
            f"width must be the pixels of a row, at least {NARROWEST}, or math.inf for one row; "
            f"got {width!r}"
        )
    if scope is not None and not isinstance(scope, str):
        kind = type(scope).__name__
        raise TypeError(f"scope must be the name of a scope, such as 'net.layer1', got {kind}")
    if depth is not None and scope is not None:
        raise ValueError("draw takes a depth or a scope, not both")
    if depth is not None or scope is not None:
        tree, part = part_at(graph, depth, scope)
        scene = CollapsedScenes(graph, tree, view, playable=False, wide=width).scene(part)
        return (scene,), collapsed_graph(graph, tree, part)
    return tuple(still_scenes(graph, view, width)), graph


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
        width: float = WIDE,
    ) -> None:
        self.graph = graph
        self.theme = theme
        self.title = title or graph.tensor(graph.root).label
        self.scenes: tuple[Scene, ...]
        self.scenes, self.shown = drawn(graph, view, depth, scope, width)
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
        self, path: str | os.PathLike[str], *, theme: str | None = None, scale: float | None = None
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

    def __str__(self) -> str:
        return printable_here(self.text)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {
            MIME: compressed(self._still().to_json()),
            "image/svg+xml": self.svg,
            "text/plain": self.text,
        }
