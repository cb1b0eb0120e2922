"""The walk as a film that plays anywhere: an animated GIF, a frame for each stop of the walk.

A GIF plays in a mail, a slide and a README without a player. The pictures have few colours and
little changes from one to the next, so it is small: a walk of twenty steps fits in a mail.

Read next: faces/render/formats.py
"""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from typing import Any

from graphlab.faces.render.raster import optional, to_png
from graphlab.faces.render.still import Teller
from graphlab.faces.render.timeline_steps import USUAL, is_nothing
from graphlab.graph.scene import View
from graphlab.graph.timeline import GRANULARITIES, Timeline

WIDEST = 1280  # pixels: as wide as a slide shows it
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
    """Every stop of the walk for `seconds` each, its sentence above the graph; it starts anew at
    the end, which is shown twice as long.

    granularity: "story", "node" or "micro"; left out, the finest of the first two that is not too
    long. scale: pixels for each of the drawing's; left out, so that it is at most 1280 wide.
    Raises: ImportError when the extra is not installed; ValueError when there is nothing to walk,
    too much of it, or an option is out of its range.
    """
    image: Any = optional("PIL.Image", "GIF")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0.02:
        raise ValueError(f"seconds is how long each step stands, at least 0.02, got {seconds!r}")
    if seconds > 600:
        raise ValueError(f"seconds is how long each step stands, at most 600, got {seconds!r}")
    stops = _stops(timeline, granularity)
    teller = Teller(timeline, view, theme, stops)
    if scale is None:
        scale = min(2.0, WIDEST / teller.width)
    frames = [
        image.open(BytesIO(to_png(teller.svg(k), scale))).convert("RGB") for k in stops
    ]  # fmt: skip
    # one palette for all frames: what does not change then costs nothing
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
    if is_nothing(timeline):
        raise ValueError(f"a GIF shows a walk, and here is none: {timeline.title or USUAL}")
    if not timeline.events:
        raise ValueError(
            "a GIF shows a walk, and here is none: trace a backward pass with "
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
    """The commonest colours of a few frames, exactly: averages would tint the paper."""
    counts: Counter[tuple[int, int, int]] = Counter()
    for frame in frames[:: max(1, len(frames) // 6)]:
        for count, colour in frame.getcolors(frame.width * frame.height):
            counts[colour] += count
    chosen: list[tuple[int, int, int]] = []
    for colour, _ in counts.most_common(40 * COLOURS):
        # Pillow looks up colours coarsely: two that are close would stand for one another
        if all(max(abs(a - b) for a, b in zip(colour, c, strict=True)) > 8 for c in chosen):
            chosen.append(colour)
    parts = [part for colour in chosen[:COLOURS] for part in colour]
    palette = image.new("P", (1, 1))
    palette.putpalette(parts + parts[-3:] * (256 - len(parts) // 3))
    return palette
