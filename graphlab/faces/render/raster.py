"""SVG to PNG with resvg, a small library that needs no browser and no system library, and to GIF.

resvg draws text in any script, also from right to left, with DejaVu of matplotlib, which has all
mathematical symbols, and for missing characters, such as Chinese ones, with the fonts of the
computer. The widths of cards are computed for DejaVu.

Read next: faces/render/pdf.py
"""

import re
import sys
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

from graphlab.common.errors import described
from graphlab.faces.render.still import StepPainter
from graphlab.faces.render.timeline_steps import NO_PASS, is_empty
from graphlab.graph.scene import View
from graphlab.graph.states import GRANULARITIES
from graphlab.graph.timeline import Timeline

INSTALL = "pip install matplotlib pillow reportlab resvg-py"  # the extra `export` of pyproject.toml
FACES = (
    "DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSansMono", "DejaVuSansMono-Bold",
    "DejaVuSerif-BoldItalic",
)  # fmt: skip
# Characters in these ranges that DejaVu lacks are not in other common fonts either.
_COVERED = re.compile(
    "[\u0009-\u000d\u0020-\u017f\u0302\u0303\u0370-\u03ff\u0400-\u045f\u2010-\u2027\u2030-\u2033"
    "\u2044\u2070-\u209c\u20ac\u2100-\u214f\u2190-\u22ff\u2500-\u25ff\u2713\u2717\u27e8\u27e9\ufffd]*"
)
MOST_PIXELS = 100_000_000  # a picture of 10,000 x 10,000: 400 MB while it is drawn


def to_png(svg: str, scale: float = 2.0) -> bytes:
    """Return the picture as PNG.

    scale: pixels for each CSS pixel, > 0; 2 is sharp on any screen.
    Raises: ImportError if a library is missing; ValueError if the scale is out of range or the
    picture would be too large.
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
    """Import a library of the extra `export`, which the format `form` needs, or say what to do."""
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
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale < 1e99:
        raise ValueError(f"scale must be a number above 0, such as 2, got {described(scale)}")
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


# -- fonts ----------------------------------------------------------------------------------------


def are_enough(text: str) -> bool:
    """Return whether these fonts have every character of `text`."""
    return _COVERED.fullmatch(text) is not None


def font_file(face: str) -> Path:
    """Return the file of one of FACES, from matplotlib, which is not imported."""
    matplotlib = find_spec("matplotlib")
    if matplotlib is None or matplotlib.origin is None:
        raise ImportError(
            "saving as PNG, PDF or GIF needs the fonts of matplotlib, which is not installed: "
            f"{INSTALL}"
        )
    return Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf" / f"{face}.ttf"


def font_files() -> list[str]:
    """Return the files of all faces."""
    return [str(font_file(face)) for face in FACES]


# -- a walk as an animated GIF, which plays in an email, a slide and a README --------------------

WIDEST = 1280  # pixels: the width of a slide
MOST_FRAMES = 150
COLOURS = 128


def to_gif(
    timeline: Timeline,
    view: View = "both",
    theme: str = "light",
    scale: float | None = None,
    seconds: float = 2.5,
    granularity: str | None = None,
) -> bytes:
    """Return the walk as a GIF that loops: a frame for each step, its sentence above the graph.

    scale: pixels for each CSS pixel, by default at most 2, with a picture at most 1280 pixels wide.
    seconds: how long each frame is shown; the last one is shown twice as long. granularity:
    "story", "node" or "micro", by default "node", or "story" if that has too many steps.
    Raises: ImportError if the extra is not installed; ValueError if there is nothing to walk, if
    there are too many steps, or if an option is out of range.
    """
    image: Any = optional("PIL.Image", "GIF")
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not (number and 0.02 <= seconds <= 600):
        limit = "at most 600" if number and seconds > 600 else "at least 0.02"
        raise ValueError(f"seconds, the time for each step, must be {limit}, got {seconds!r}")
    stops = _stops(timeline, granularity)
    painter = StepPainter(timeline, view, theme, stops)
    if scale is None:
        scale = min(2.0, WIDEST / painter.width)
    frames = [image.open(BytesIO(to_png(painter.svg(k), scale))).convert("RGB") for k in stops]
    # with one palette for all frames, unchanged parts take no bytes
    palette = _palette(image, frames)
    flat = [frame.quantize(palette=palette, dither=0) for frame in frames]
    beat = round(seconds * 1000)
    out = BytesIO()
    flat[0].save(
        out,
        "GIF",
        save_all=True,
        append_images=flat[1:],
        duration=[beat] * (len(flat) - 1) + [2 * beat],
        loop=0,
        optimize=True,
        comment=f"{timeline.title}: its backward pass, by GraphLab".encode("ascii", "replace"),
    )
    return out.getvalue()


def _stops(timeline: Timeline, granularity: str | None) -> tuple[int, ...]:
    if is_empty(timeline):
        raise ValueError(f"a GIF shows a walk, and there is none: {timeline.title or NO_PASS}")
    if not timeline.events:
        raise ValueError(
            "a GIF shows a walk, and there is none: trace a backward pass with "
            "graphlab.trace(e), or save a still picture as .png, .svg or .pdf"
        )
    if granularity is not None:
        stops = timeline.stops(granularity)
    else:
        stops = timeline.stops("node")
        if len(stops) > MOST_FRAMES:
            stops = timeline.stops("story")
    if len(stops) > MOST_FRAMES:
        choices = {name: len(timeline.stops(name)) for name in GRANULARITIES}
        raise ValueError(
            f"a GIF of {len(stops)} steps would be too large (at most {MOST_FRAMES}; this walk has "
            f"{choices}): save it as .html, which plays walks of any length"
        )
    return stops


def _palette(image: Any, frames: list[Any]) -> Any:
    """Return the most common colours of a few frames; averages would tint the background."""
    counts: Counter[tuple[int, int, int]] = Counter()
    for frame in frames[:: max(1, len(frames) // 6)]:
        for count, colour in frame.getcolors(frame.width * frame.height):
            counts[colour] += count
    chosen: list[tuple[int, int, int]] = []
    for colour, _ in counts.most_common(40 * COLOURS):
        # Pillow matches colours coarsely and would confuse two that are close
        if all(max(abs(a - b) for a, b in zip(colour, c, strict=True)) > 8 for c in chosen):
            chosen.append(colour)
    parts = [part for colour in chosen[:COLOURS] for part in colour]
    palette = image.new("P", (1, 1))
    palette.putpalette(parts + parts[-3:] * (256 - len(parts) // 3))
    return palette
