"""A walk in a page of the site: the picture and the trace, without the player.

A saved output contains the player, about 96 KB. A page of the site loads the player once, for all
its walks (conf.py).

Read next: site/sources.py.
"""

from __future__ import annotations

import base64
import re
from html import escape
from typing import Any

from graphlab.faces.render.bundle import MIME, with_scenes
from graphlab.faces.render.html import image, to_html

SENTENCE = re.compile(r"<p><small>.*?</small></p>")
HOW_TO = "<p><small>The walk plays here, step by step, if scripts are enabled.</small></p>"


def of_timeline(timeline: Any) -> str:
    """Return the HTML of a timeline."""
    return without_player(to_html(with_scenes(timeline)))


def without_player(html: str) -> str:
    """Return the HTML of an output without the player that it carries."""
    end = html.rindex("</div><script>") + len("</div>")
    return SENTENCE.sub(HOW_TO, html[:end], count=1)


def of_output(data: dict[str, Any]) -> str | None:
    """Return the HTML for an output of a notebook, or None if Sphinx may show it as it is.

    Of a graph that was drawn, the player shows the picture too: it follows the page's colours.
    """
    html, svg = text_of(data, "text/html"), text_of(data, "image/svg+xml")
    if "<script" in html:
        return without_player(html)
    if html:
        return f'<div class="site-picture">{html}</div>' if html.startswith("<img ") else None
    if svg:
        words = re.search(r'aria-label="([^"]*)"', svg)
        picture = image(svg, words[1] if words else "The graph")
        if MIME not in data:
            return f'<div class="site-picture">{picture}</div>'
        trace = f'<script type="application/gzip">{data[MIME]["gzip"]}</script>'
        return f'<div class="graphlab-player" data-graphlab="">{picture}{trace}</div>'
    if "image/png" in data:
        coded = text_of(data, "image/png").replace("\n", "")
        base64.b64decode(coded, validate=True)
        words = escape("The plot that this cell draws", quote=True)
        source = f"data:image/png;base64,{coded}"
        return f'<div class="site-picture"><img alt="{words}" src="{source}"></div>'
    return None


def text_of(data: dict[str, Any], kind: str) -> str:
    """Return one format of an output as text; a notebook may keep it as lines."""
    found = data.get(kind, "")
    return "".join(found) if isinstance(found, list) else found


def raw(html: str) -> str:
    """Return HTML as a block of a Markdown page."""
    return f"```{{raw}} html\n{html}\n```"
