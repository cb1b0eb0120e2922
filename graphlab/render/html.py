"""The picture in a page: an SVG that is always there, and a player that takes its place.

Where scripts run, the inline player reads the trace beside it and replaces the picture; where they
do not, the picture remains. Nothing is fetched from anywhere.

Read next: render/bundle.py
"""

from __future__ import annotations

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
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n</head>\n<body>\n{fragment}\n</body>\n</html>\n"
    )


def _fragment(timeline: Timeline, theme: str) -> str:
    picture = still(timeline, theme)
    script = player_script()
    if script is None:
        return f'<div class="graphlab-player">{picture}</div>'
    trace = script_safe(timeline.to_json())
    return (
        f'<div class="graphlab-player" data-graphlab>{picture}'
        f'<script type="application/json">{trace}</script></div>'
        f"<script>{script}</script>"
    )


def still(timeline: Timeline, theme: str = "light") -> str:
    """The timeline's picture once all has happened: every gradient is written in."""
    graph = timeline.graph
    scene = timeline.scenes[0] if timeline.scenes else build_scene(graph)
    state = timeline.state_at(-1) if timeline.events else None
    return to_svg(scene, graph, theme, state)


def script_safe(document: object) -> str:
    """JSON that ends no script element and opens no tag, whatever names are in it."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def player_script() -> str | None:
    """The built player, or None in a checkout where `npm run build` has not run."""
    # a path below graphlab: asking for graphlab.widgets itself would import ipywidgets
    path = files("graphlab").joinpath("widgets", "static", "player.js")
    try:
        script = path.read_text(encoding="utf-8")
    except (OSError, NotADirectoryError):
        return None
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
