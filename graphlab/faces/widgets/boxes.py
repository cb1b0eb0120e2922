"""Boxes of ipywidgets that hold players: a saved one plays without its kernel, too.

A box is ipywidgets' own and saves nothing but its id. IPython lets us say how it is shown, so the
recordings of its players stand beside that id, as they do for a player alone.

Read next: faces/render/bundle.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from ipywidgets import Box

from graphlab.faces.render.bundle import MIME

HTML = "text/html"


def show_boxes() -> None:
    """Let IPython, where it runs, ask `bundle_of` how a box is shown."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        shell.display_formatter.mimebundle_formatter.for_type(Box, bundle_of)


def bundle_of(box: Box) -> dict[str, Any]:
    """The MIME bundle of a box, with the recordings of the players in it."""
    shown = _bundle(box)
    found = list(_recordings(box)) if MIME not in shown else []
    if not found:
        return shown
    pages = "".join(f'<div style="flex:1 1 320px;min-width:0">{one[HTML]}</div>' for one in found)
    html = f'<div style="display:flex;flex-wrap:wrap;gap:8px">{pages}</div>'
    return {MIME: {"beside": [one[MIME] for one in found]}, HTML: html, **shown}


def _recordings(box: Box) -> Iterator[dict[str, Any]]:
    for child in box.children:
        bundle = _bundle(child) or {}
        if MIME in bundle:
            yield bundle
        elif isinstance(child, Box):
            yield from _recordings(child)


def _bundle(widget: Any) -> dict[str, Any]:
    shown = widget._repr_mimebundle_()
    return shown[0] if isinstance(shown, tuple) else shown
