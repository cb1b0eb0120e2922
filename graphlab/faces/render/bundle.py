"""The MIME bundle of a timeline: one walk in four formats, so that each front end shows the best.

JupyterLab plays the trace itself, without a kernel and even if the notebook is not trusted;
Notebook, VS Code, Colab and nbconvert show the HTML; others show the SVG or the text.

Read next: faces/widgets/stepper.py
"""

from dataclasses import replace
from typing import Any

from graphlab.faces.render.alike_passes import scenes_of_passes
from graphlab.faces.render.html import shown_at, still_of, to_html
from graphlab.faces.render.metrics import longest_texts
from graphlab.faces.render.text import text_of
from graphlab.faces.render.timeline_steps import graph_of_pass, is_empty, passes_of
from graphlab.graph.compression import compressed
from graphlab.graph.document import uncollected, write
from graphlab.graph.model import Graph
from graphlab.graph.scene import Pass
from graphlab.graph.timeline import Timeline

MIME = "application/vnd.graphlab.v1+json"


@uncollected()
def timeline_bundle(timeline: Timeline, trace: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the MIME bundle of `timeline`, with scenes added if it has none.

    trace: the timeline with its scenes, compressed, if that is known.
    """
    if is_empty(timeline):
        return {"text/html": to_html(timeline), "text/plain": text_of(timeline)}
    drawn = with_scenes(timeline)
    trace = trace or compressed(write(drawn, copies=False))
    return {
        MIME: trace,
        "text/html": to_html(drawn, trace=trace["gzip"]),
        "image/svg+xml": still_of(drawn),
        "text/plain": text_of(drawn, shown_at(drawn)),
    }


def with_scenes(timeline: Timeline) -> Timeline:
    """Return `timeline` with the scenes of the player, unless it has its own.

    Each of several passes gets its own scenes, and a title, "loss", which the player shows as "pass
    2 of 3: loss"; with its line, "loss, line 5", where such passes begin in several lines. The
    player derives the view "computation" from "both", which makes saved notebooks a fifth smaller.
    """
    if timeline.scenes or timeline.passes:
        return timeline
    if timeline.walks_forward:
        return with_scenes(timeline.with_forward(False)).with_forward()
    begun, texts = passes_of(timeline), longest_texts(timeline)
    if not begun:
        return replace(timeline, scenes=scenes_of_passes([timeline.graph], texts)[0])
    lines: dict[str, set[Any]] = {}
    for _, event in begun:
        lines.setdefault(event.title, set()).add(event.source and event.source.line)
    passes_begun = [event for _, event in begun]
    graphs: dict[Any, Graph] = {}  # several passes may walk one graph
    for event in passes_begun:
        if (key := (event.roots, event.waits)) not in graphs:
            graphs[key] = graph_of_pass(timeline.graph, event, passes_begun)
    drawn = dict(zip(graphs, scenes_of_passes(graphs.values(), texts), strict=True))
    passes: list[Pass] = []
    for k, event in begun:
        first = k if passes else 0
        several = len(lines[event.title]) > 1
        line = f", line {event.source.line}" if several and event.source else ""
        passes.append(
            Pass(event.title + line, event.roots[0], first, drawn[event.roots, event.waits])
        )
    return replace(timeline, passes=tuple(passes))
