"""The picture in a page: an SVG that is always there, and a player that takes its place.

Where scripts run, the inline player reads the trace beside it and replaces the picture; where they
do not, the picture remains. Nothing is fetched from anywhere.

Read next: render/bundle.py
"""

from __future__ import annotations

import base64
import gzip
import json
from importlib.resources import files
from xml.sax.saxutils import escape

from graphlab.graph.timeline import Timeline
from graphlab.render.scene import build_scene
from graphlab.render.svg import to_svg

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def to_html(timeline: Timeline, standalone: bool = False, theme: str = "light") -> str:
    """The timeline as a fragment of HTML, or with `standalone` as a whole page."""
    fragment = _fragment(timeline, theme)
    if not standalone:
        return fragment
    title = escape(timeline.title or "GraphLab")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n</head>\n<body>\n{fragment}\n</body>\n</html>\n"
    )


def _fragment(timeline: Timeline, theme: str) -> str:
    picture = still(timeline, theme)
    script = player_script()
    if script is None:
        return f'<div class="graphlab-player">{picture}</div>'
    return (
        f'<div class="graphlab-player" data-graphlab>{picture}'
        f'<script type="application/gzip">{packed(timeline.to_json())}</script></div>'
        f"<script>{script}</script>"
    )


def still(timeline: Timeline, theme: str = "light") -> str:
    """The timeline's picture once all has happened: every gradient is written in."""
    graph = timeline.graph
    scene = timeline.scenes[0] if timeline.scenes else build_scene(graph)
    state = timeline.state_at(-1) if timeline.events else None
    return to_svg(scene, graph, theme, state)


def packed(document: object) -> str:
    """JSON, compressed, in base64: small, and no name in it can end a script or open a tag.

    >>> packed({"name": "</script>"}).isascii()
    True
    """
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    compressed = gzip.compress(text.encode("utf-8", "surrogatepass"), mtime=0)
    return base64.b64encode(compressed).decode("ascii")


def player_script() -> str | None:
    """The built player, or None in a checkout where `npm run build` has not run."""
    # a path below graphlab: asking for graphlab.widgets itself would import ipywidgets
    path = files("graphlab").joinpath("widgets", "static", "player.js")
    try:
        script = path.read_text(encoding="utf-8")
    except (OSError, NotADirectoryError):
        return None
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
