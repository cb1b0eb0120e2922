"""What a timeline gives to a notebook: one moment in four forms, each front end takes the best.

JupyterLab plays the trace itself, without a kernel and even untrusted; Notebook, VS Code, Colab and
nbconvert show the HTML; the rest show the SVG or the text.

Read next: faces/widgets/stepper.py
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graphlab.faces.render.collapse import build_scenes_of
from graphlab.faces.render.html import still, to_html
from graphlab.faces.render.longest_texts import Expected, expected
from graphlab.faces.render.nothing import nothing_html
from graphlab.faces.render.passes import graph_of_pass, passes_of
from graphlab.faces.render.text import text_of
from graphlab.faces.render.timeline_steps import is_nothing
from graphlab.graph.compression import compressed
from graphlab.graph.model import Graph
from graphlab.graph.scene import Pass, Scene, View
from graphlab.graph.timeline import Timeline

MIME = "application/vnd.graphlab.v1+json"


def timeline_bundle(timeline: Timeline) -> dict[str, Any]:
    """The MIME bundle of `timeline`; a timeline without scenes is given them."""
    if is_nothing(timeline):
        return {"text/html": nothing_html(timeline), "text/plain": text_of(timeline)}
    drawn = with_scenes(timeline)
    trace = compressed(drawn.to_json())
    return {
        MIME: trace,
        "text/html": to_html(drawn, trace=trace["gzip"]),
        "image/svg+xml": still(drawn),
        "text/plain": text_of(drawn),
    }


def with_scenes(timeline: Timeline) -> Timeline:
    """`timeline` with the scenes that a player switches between, unless it has its own.

    Each of several passes is drawn by itself.

    "computation" is "both" without the gradients: the player makes it itself, and saved notebooks
    are a fifth smaller.
    """
    if timeline.scenes or timeline.passes:
        return timeline
    passes = passes_of(timeline)
    if not passes:
        return replace(timeline, scenes=scenes_of(timeline.graph, expected(timeline)))
    drawn: dict[Any, tuple[Scene, ...]] = {}  # a graph may be walked again and again
    listed: list[Pass] = []
    texts = expected(timeline)
    for k, event in passes:
        key = (event.roots, event.waits)
        if key not in drawn:
            drawn[key] = scenes_of(graph_of_pass(timeline, event), texts)
        first = k if listed else 0
        listed.append(Pass(event.title, event.roots[0], first, drawn[key]))
    return replace(timeline, passes=tuple(listed))


def scenes_of(graph: Graph, texts: Expected | None = None) -> tuple[Scene, ...]:
    """The two views that a player is given, of the whole or collapsed."""
    views: tuple[View, ...] = ("both", "backward")
    return build_scenes_of(graph, views, expected=texts) if graph.tensors else ()
