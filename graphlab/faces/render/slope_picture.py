"""The picture of a slope, which looks like the player's Slope card (js/src/slopepicture.ts).

It shows a curve with its tangent, contour lines with the arrow of steepest descent, or the real
steps of a recording.

Read next: faces/render/slope.py
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap
from typing import Any

from graphlab.common.files import destination, write_whole
from graphlab.faces.render.drawing import named
from graphlab.faces.render.html import image
from graphlab.faces.render.raster import to_png
from graphlab.faces.render.svg import document, escaped
from graphlab.faces.render.tangents import Point, Window, tick
from graphlab.faces.render.theme import choose_theme

LEFT, TOP, WIDE, HIGH = 62.0, 30.0, 420.0, 240.0  # the part with the curve, in pixels
ARROW = 60.0  # pixels
FORMS = (".png", ".svg")


@dataclass(frozen=True)
class Slope:
    """A picture of a slope: `.svg`, `.save("slope.png")`; `.text` says what it shows.

    names: of one or two entries, and of the number that depends on them. point: their values.
    slopes: one for each entry; empty if they are not known.
    """

    names: tuple[str, ...]
    point: tuple[float, ...]
    slopes: tuple[float, ...]
    text: str
    view: Window
    side: Window  # of the heights, or of the second entry
    curve: tuple[Point, ...] = ()
    lines: tuple[tuple[float, str], ...] = ()  # the opacity of a contour line, and its path
    dots: tuple[Point, ...] = ()  # real steps
    sides: tuple[float, ...] = ()  # the slopes of a kink
    note: str = ""
    theme: str = field(default="light", kw_only=True)

    @property
    def svg(self) -> str:
        """A standalone SVG: no script, no style sheet, no link."""
        theme = choose_theme(self.theme)
        x, y = self._pixels(self.point[0], self.point[1])
        parts: list[str] = []

        def path(d: str, colour: str, wide: float, more: str = "") -> None:
            if d:
                parts.append(
                    f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{wide}" '
                    f'stroke-linecap="round" stroke-linejoin="round"{more}/>'
                )

        zero = self._pixels(0.0, 0.0)
        path(f"M{written(zero[0])} 0V{HIGH:g}M0 {written(zero[1])}H{WIDE:g}", theme.faint, 1)
        for share, d in self.lines:
            path(d, theme.forward, 1.5, f' stroke-opacity="{share:.2f}"')
        path(self._curve(), theme.forward, 2.6)
        path(
            "".join(
                self._line(slope, *ends)
                for slope, ends in zip(self.sides, ((-1, 0), (0, 1)), strict=False)
            ),
            theme.gradient,
            1.7,
            ' stroke-dasharray="2 5"',
        )
        dots = [self._pixels(*dot) for dot in self.dots]
        path(_polyline(dots), theme.gradient, 1.2, ' stroke-opacity="0.6"')
        path("".join(f"M{written(a)} {written(b)}h0" for a, b in dots), theme.gradient, 6)
        if len(self.slopes) > 1:
            path(self._arrow(), theme.gradient, 2)
        elif self.slopes:
            path(self._line(self.slopes[0], -1, 1), theme.gradient, 1.7)
        if math.isfinite(x + y):
            parts.append(
                f'<circle cx="{written(x)}" cy="{written(y)}" r="6" fill="{theme.paper}" '
                f'stroke="{theme.gradient}" stroke-width="3"/>'
            )
        if self.note:
            parts.append(_text(WIDE - 8, HIGH - 8, self.note, "end", theme.muted))
        inner = "".join(parts)
        bottom = TOP + HIGH
        flat = len(self.point) > 2
        labels = (
            (LEFT - 6, bottom, tick(self.side[0]), "end"),
            (LEFT - 6, TOP + 9, tick(self.side[1]), "end"),
            (LEFT, bottom + 17, tick(self.view[0]), "start"),
            (LEFT + WIDE, bottom + 17, tick(self.view[1]), "end"),
            (LEFT + WIDE / 2, bottom + 17, self.names[0], "middle"),
            (LEFT, TOP - 9, self.names[1 if flat else -1], "middle"),
        )
        texts = "".join(_text(a, b, text, anchor, theme.muted) for a, b, text, anchor in labels)
        frame = f'fill="none" stroke="{theme.faint}"'
        body = (
            f'<rect x="{LEFT:g}" y="{TOP:g}" width="{WIDE:g}" height="{HIGH:g}" {frame}/>'
            f'<svg x="{LEFT:g}" y="{TOP:g}" width="{WIDE:g}" height="{HIGH:g}" '
            f'overflow="hidden">{inner}</svg>{texts}'
        )
        said = wrap(self.text, 62, break_long_words=False, break_on_hyphens=False)
        body += "".join(
            _text(LEFT, bottom + 42 + 18 * k, line, "start", theme.ink, 13)
            for k, line in enumerate(said)
        )
        high = bottom + 42 + 18 * len(said)
        return document(LEFT + WIDE + 24, high, theme, self.text, body)

    def save(self, path: str | os.PathLike[str], *, scale: float = 2.0) -> Path:
        """Write the picture to a file that ends in .svg or .png, and return its path.

        scale: pixels of a PNG for each CSS pixel.
        Raises: ValueError for another extension; ImportError if the library for PNG is not
        installed; OSError if the file cannot be written. No partial file is left.
        """
        target = named(path)
        if target.suffix.lower() not in FORMS:
            raise ValueError(f"cannot save to {target}: the ending must be one of {list(FORMS)}")
        destination(target)
        png = target.suffix.lower() == ".png"
        write_whole(target, to_png(self.svg, scale) if png else self.svg)
        return target

    def __repr__(self) -> str:
        return f"<Slope: {self.text}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        # an <img>, because JupyterLab gives the picture of an image/svg+xml no text
        return {"text/html": image(self.svg, self.text), "text/plain": self.text}

    # -- in pixels ------------------------------------------------------------------------------

    def _pixels(self, x: float, y: float) -> Point:
        return WIDE * _share(x, self.view), HIGH * (1 - _share(y, self.side))

    def _curve(self) -> str:
        d, begun, before = "", False, math.nan
        for x, y in self.curve:
            a, b = self._pixels(x, y)
            # a jump from above the picture to below it is a pole: draw no line
            jumps = (before < 0 and b > HIGH) or (before > HIGH and b < 0)
            before = b
            if not math.isfinite(b):
                begun = False
                continue
            start = "L" if begun and not jumps else "M"
            d += f"{start}{written(a)} {written(min(max(b, -HIGH), 2 * HIGH))}"
            begun = True
        return d

    def _line(self, slope: float, low: int, high: int) -> str:
        """Return a line through the point, to its left (low -1), to its right (high 1), or both."""
        x, y = self._pixels(self.point[0], self.point[1])
        if not math.isfinite(x + y) or math.isnan(slope):
            return ""
        down, across = self.side[1] - self.side[0], self.view[1] - self.view[0]
        m = -slope * (HIGH / down) / (WIDE / across)
        length = 2 * WIDE / math.hypot(1, m) if math.isfinite(m) else 0.0
        dx, dy = (length, m * length) if length else (0.0, 2 * HIGH)
        start, end = (x + low * dx, y + low * dy), (x + high * dx, y + high * dy)
        return _polyline([start, end])

    def _arrow(self) -> str:
        """Return the arrow of minus the gradient; pixels count downwards, so y changes its sign."""
        x, y = self._pixels(self.point[0], self.point[1])
        size = math.hypot(*self.slopes)
        if not size or not math.isfinite(size):
            return ""
        dx, dy = -self.slopes[0] / size * ARROW, self.slopes[1] / size * ARROW
        tip = (x + dx, y + dy)
        wings = [
            (tip[0] - dx / 4 - turn * dy / 7, tip[1] - dy / 4 + turn * dx / 7) for turn in (1, -1)
        ]
        return _polyline([(x, y), tip]) + _polyline([wings[0], tip, wings[1]])


def _share(number: float, window: Window) -> float:
    low, high = window
    return 0.5 if low == high else (number / 2 - low / 2) / (high / 2 - low / 2)


def written(number: float) -> str:
    """Return a coordinate as text."""
    return f"{round(min(max(number, -9999.0), 9999.0), 1):g}"


def _polyline(points: Sequence[Point]) -> str:
    return "".join(
        f"{'L' if k else 'M'}{written(x)} {written(y)}" for k, (x, y) in enumerate(points)
    )


def _text(x: float, y: float, words: str, anchor: str, colour: str, size: float = 12) -> str:
    return (
        f'<text x="{written(x)}" y="{written(y)}" text-anchor="{anchor}" font-size="{size:g}" '
        f'fill="{colour}">{escaped(words)}</text>'
    )
