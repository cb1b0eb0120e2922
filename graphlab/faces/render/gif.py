"""A walk as an animated GIF, with a frame for each step.

A GIF plays in an email, a slide and a README without a player. Its frames have few colours and
differ little, so it is small: a walk of twenty steps fits in an email.

Read next: faces/render/drawing.py
"""

from collections import Counter
from io import BytesIO
from typing import Any

from graphlab.faces.render.raster import optional, to_png
from graphlab.faces.render.still import StepPainter
from graphlab.faces.render.timeline_steps import NO_PASS, is_empty
from graphlab.graph.scene import View
from graphlab.graph.states import GRANULARITIES
from graphlab.graph.timeline import Timeline

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
