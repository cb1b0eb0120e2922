"""The picture of a slope, which looks like the player's Slope card (js/src/slopepicture.ts).

It shows a curve with its tangent, contour lines with the arrow of steepest descent, or the real
steps of a recording. What it shows of a function of one number, its window, its points, its ends
and its slopes, is computed here too, as js/src/tangent.ts does for the player.

Read next: faces/render/slope.py
"""

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap
from typing import Any

from graphlab.common.output import destination, write_whole
from graphlab.faces.render.drawing import named
from graphlab.faces.render.html import image
from graphlab.faces.render.raster import to_png
from graphlab.faces.render.svg import document, escaped
from graphlab.faces.render.theme import choose_theme

Function = Callable[[float], float]
Window = tuple[float, float]
Point = tuple[float, float]

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


# -- a function of one number ----------------------------------------------------------------------

SAMPLES = 161
HALVINGS = 48
STEP = 2.0**-17  # the step of a one-sided difference, relative to the number
KINK = 1e-4  # relative: a smaller difference of the slopes is not a kink
ALONE = 1e-3  # part of the window: a function that is known in less is known at one point
GROWS = 1.3  # where differences grow by this factor from step to step, the slope is infinite
ROUNDED = 1e-8  # relative to the height: a smaller change is a rounding error


@dataclass(frozen=True, slots=True)
class Border:
    """A point at which the domain of a function ends."""

    at: float
    below: bool  # whether the function is defined below it, or else above
    open: bool  # whether the function is not defined at the point itself


def around(x: float) -> Window:
    """Return the window around a number, wide enough to contain 0.

    >>> around(10.0)
    (-2.0, 22.0)
    """
    half = (abs(x) or 1.0) * 1.2
    return x - half, x + half


def sampled(f: Function, window: Window) -> tuple[list[Point], list[Border]]:
    """Return the points of a curve, with NaN where it is not defined, and the ends of its domain.

    >>> sampled(lambda x: math.sqrt(x) if x >= 0 else math.nan, (-1.0, 2.0))[1]
    [Border(at=0.0, below=False, open=False)]
    """
    low, high = window
    points: list[Point] = []
    borders: list[Border] = []
    for k in range(SAMPLES):
        x = low + (high - low) * k / (SAMPLES - 1)
        y = f(x)
        there = math.isfinite(y)
        if points and there != math.isfinite(points[-1][1]):
            yes, no = (x, points[-1][0]) if there else (points[-1][0], x)
            for _ in range(HALVINGS):
                middle = (yes + no) / 2
                yes, no = (middle, no) if math.isfinite(f(middle)) else (yes, middle)
            at = _short(no, high - low)
            borders.append(Border(at, not there, not math.isfinite(f(at))))
            end = (yes, f(yes))
            points += [(at, math.nan), end] if there else [end, (at, math.nan)]
        points.append((x, y if there else math.nan))
    return points, borders


def _short(x: float, width: float) -> float:
    """Return a number with few digits that is close enough, or the number itself."""
    if abs(x) < 1e-9 * width:
        return 0.0
    near = float(f"{x:.6g}")
    return near if abs(near - x) < 1e-9 * width else x


def undefined_where(borders: Sequence[Border], name: str, problem: str = "") -> str:
    """Say where a function of `name` is not defined; "" if it is defined in the whole window.

    problem: why the graph would be another one, where it would be.
    >>> undefined_where([Border(0.0, below=False, open=True)], "d")
    'not defined for d ≤ 0'
    """
    if not borders:
        return ""
    one, what = borders[0], "another graph" if problem else "not defined"
    if len(borders) == 1:
        return f"{what} for {name} {'<>≤≥'[one.below + 2 * one.open]} {tick(one.at)}"
    if len(borders) == 2 and one.below and one.at == borders[1].at:
        return f"{what} at {name} = {tick(one.at)}"
    return f"{what} here"


def heights(points: Sequence[Point], kept: Sequence[float]) -> Window:
    """Return the heights to show: all, or the middle ones if a few are far away; always `kept`.

    >>> heights([(0, 0), (1, 1)], [3.0])
    (-0.18, 3.18)
    """
    known = sorted(y for _, y in points if math.isfinite(y)) or [0.0]
    least, most = (known[round(share * (len(known) - 1))] for share in (0.1, 0.9))
    low, high, middle = known[0], known[-1], most - least
    if high - low > 6 * middle > 0:
        low, high = max(low, least - middle), min(high, most + middle)
    inside = [y for y in kept if math.isfinite(y)]
    low, high = min([low, *inside]), max([high, *inside])
    xs = [x for x, y in points if math.isfinite(y)]
    if xs and xs[-1] - xs[0] < ALONE * (points[-1][0] - points[0][0]):
        low = high = (low + high) / 2
    free = (high - low) * 0.06 or abs(high) or 1.0
    return low - free, high + free


@dataclass(frozen=True, slots=True)
class Slopes:
    """The slopes on both sides of a point; NaN on a side where the function is not defined."""

    left: float
    right: float
    kink: bool  # whether they differ

    @property
    def mean(self) -> float:
        return (self.left + self.right) / 2


def one_sided(f: Function, x: float) -> Slopes:
    """Return the slopes of a function on both sides of a point, by finite differences.

    >>> one_sided(abs, 0.0)
    Slopes(left=-1.0, right=1.0, kink=True)
    """
    size = abs(x) or 1.0
    h, y = STEP * size, f(x)
    far, near, next_to_it = (
        ((y - f(x - step)) / step, (f(x + step) - y) / step) for step in (h, h / 8, h / 64)
    )
    left, right = map(limit, far, near, next_to_it)
    gap, before = abs(right - left), abs(far[1] - far[0])
    largest = max(abs(left), abs(right))
    # the gap of a smooth curve shrinks with h
    kink = gap > before / 2 and gap > KINK * largest and largest * size > ROUNDED * abs(y)
    return Slopes(left, right, kink or math.isinf(gap))


def limit(far: float, near: float, next_to_it: float) -> float:
    """Return the slope, from differences with steps h, h/8 and h/64; ±∞ if they keep growing."""
    grows = abs(next_to_it) > GROWS * abs(near) and next_to_it * far > 0.9 * near * near
    return math.copysign(math.inf, near) if grows else near


def tick(number: float) -> str:
    """Return a number for an axis or a sentence, with 3 digits.

    >>> tick(0.15000001), tick(-3.0), tick(2.5e-7), tick(math.nan)
    ('0.15', '−3', '2.5e−7', 'nan')
    """
    if not math.isfinite(number):
        return "nan" if math.isnan(number) else "∞" if number > 0 else "−∞"
    rounded = float(f"{number:.3g}")
    if rounded and not 1e-3 <= abs(rounded) < 1e5:
        digits, _, power = f"{rounded:.2e}".partition("e")
        text = f"{float(digits):g}e{int(power)}"
    else:
        text = f"{rounded:g}" if rounded else "0"
    return text.replace("-", "−")
