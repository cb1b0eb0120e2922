"""File formats for pictures and walks, chosen by the extension of the file's name.

A file is written completely or not at all.

Read next: faces/render/still.py
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from graphlab.common.files import destination, write_whole
from graphlab.faces.render.bundle import with_scenes
from graphlab.faces.render.dot import to_dot
from graphlab.faces.render.html import to_html
from graphlab.faces.render.mermaid import to_mermaid
from graphlab.faces.render.pdf import to_pdf
from graphlab.faces.render.raster import optional, to_png
from graphlab.faces.render.still import StepPainter, still_svg
from graphlab.faces.render.text import text_of
from graphlab.faces.render.timeline_steps import NO_PASS, is_empty, place_of, text_at
from graphlab.graph.document import uncollected
from graphlab.graph.scene import View
from graphlab.graph.timeline import GRANULARITIES, Timeline


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
    destination(target)  # report a missing folder before drawing, which may take long
    own = {name: value for name, value in (defaults or {}).items() if name in format.options}
    write_whole(target, format.make(timeline, **{**own, **given}))
    return target


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
    raise ValueError(f"cannot save to {target}: {said}")


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


def _dot(timeline: Timeline, step: Any = None) -> str:
    told = text_at(timeline, step)
    return to_dot(told.graph, told.state, told.lines)


def _mermaid(timeline: Timeline, step: Any = None) -> str:
    told = text_at(timeline, step)
    return to_mermaid(told.graph, told.state, told.lines)


def _text(timeline: Timeline, step: Any = None) -> str:
    return text_of(timeline, step) + "\n"


# -- a walk as an animated GIF -------------------------------------------------------------------
#
# A GIF plays in an email, a slide and a README without a player. Its frames have few colours and
# differ little, so it is small: a walk of twenty steps fits in an email.


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


_STILL = ("step", "view", "theme")
FORMATS = {
    ".dot": Format("dot", _dot, ("step",)),
    ".gif": Format("gif", to_gif, ("view", "theme", "scale", "seconds", "granularity")),
    ".html": Format("html", _html, ("step", "theme")),
    ".json": Format("json", _json),
    ".mmd": Format("mermaid", _mermaid, ("step",)),
    ".pdf": Format("pdf", _pdf, _STILL),
    ".png": Format("png", _png, (*_STILL, "scale")),
    ".svg": Format("svg", still_svg, _STILL),
    ".txt": Format("text", _text, ("step",)),
}
