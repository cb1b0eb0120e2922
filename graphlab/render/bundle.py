"""What a timeline gives to a notebook: one moment in four forms, each front end takes the best.

JupyterLab plays the trace itself, without a kernel and even untrusted; Notebook, VS Code, Colab and
nbconvert show the HTML; the rest show the SVG or the text.

Read next: widgets/stepper.py
"""

from __future__ import annotations

from typing import Any

from graphlab.graph.timeline import Timeline
from graphlab.render.html import still, to_html
from graphlab.render.scene import build_scene
from graphlab.render.text import to_text

MIME = "application/vnd.graphlab.v1+json"


def timeline_bundle(timeline: Timeline) -> dict[str, Any]:
    """The MIME bundle of `timeline`; a timeline without scenes is given them."""
    drawn = with_scenes(timeline)
    state = drawn.state_at(-1) if drawn.events else None
    return {
        MIME: drawn.to_json(),
        "text/html": to_html(drawn),
        "image/svg+xml": still(drawn),
        "text/plain": to_text(drawn.graph, state),
    }


def with_scenes(timeline: Timeline) -> Timeline:
    """`timeline` with the scenes that a player switches between, unless it has its own.

    "computation" is "both" without the gradients, which a player is there to show: it is left to
    `draw(t, view="computation")`, and saved notebooks are a fifth smaller.
    """
    if timeline.scenes:
        return timeline
    scenes = tuple(build_scene(timeline.graph, view) for view in ("both", "backward"))
    return Timeline(timeline.graph, timeline.events, scenes, timeline.title)
