"""SVG to PNG with resvg, a small library that needs no browser and no system library.

It draws text in any script, also from right to left, with the fonts of `fonts.py` and, for missing
characters, those of the computer.

Read next: faces/render/pdf.py
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from math import inf
from typing import Any

from graphlab.faces.render.fonts import INSTALL, are_enough, font_files

MOST_PIXELS = 100_000_000  # a picture of 10,000 x 10,000: 400 MB while it is drawn


def to_png(svg: str, scale: float = 2.0) -> bytes:
    """Return the picture as PNG.

    scale: pixels for each CSS pixel, > 0; 2 is sharp on any screen.
    Raises: ImportError if a library is missing, with the command that installs it; ValueError if
    the scale is out of range or the picture would be too large.
    """
    check_size(svg, scale)
    draw: Callable[..., bytes] = optional("resvg_py", "PNG").svg_to_bytes
    return bytes(
        draw(
            # the widths of cards are computed without kerning
            svg_string=svg.replace("<svg ", '<svg style="font-kerning:none" ', 1),
            zoom=scale,
            font_files=font_files(),
            # searching the fonts of the computer takes longer than drawing
            skip_system_fonts=are_enough(svg),
        )
    )


def optional(module: str, form: str) -> Any:
    """Import a library of the extra `export`, which the format `form` needs.

    Raises: ImportError with the command that installs it, or with what to do in a browser.
    """
    try:
        return import_module(module)
    except ImportError as error:
        if sys.platform == "emscripten":
            raise ImportError(
                f"Python in a browser cannot save as {form}: save as .svg or .html, or use the "
                "Save button of the picture"
            ) from error
        raise ImportError(
            f"saving as {form} needs the library {module.partition('.')[0]}, which is not "
            f"installed: {INSTALL}"
        ) from error


def check_size(svg: str, scale: float) -> None:
    """Raises: ValueError if `scale` is not a positive number or the picture would be too large."""
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale < inf:
        raise ValueError(f"scale must be a number above 0, such as 2, got {scale!r}")
    width, height = size_of(svg)
    if width * height * scale * scale > MOST_PIXELS:
        most = (MOST_PIXELS / (width * height)) ** 0.5
        raise ValueError(
            f"at scale={scale:g} this picture would have {width * scale:,.0f} x "
            f"{height * scale:,.0f} pixels; choose a scale up to {most:.2g}, or save it as .svg or "
            ".pdf, which are sharp at any size"
        )


def size_of(svg: str) -> tuple[float, float]:
    """Return width and height of one of GraphLab's SVGs, in CSS pixels."""
    found = re.match(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"', svg)
    assert found is not None, svg[:200]
    return float(found[1]), float(found[2])
