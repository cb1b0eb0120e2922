"""The PNG, the PDF and the GIF show what the SVG shows."""

from __future__ import annotations

import builtins
import re
from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import pypdfium2
import pytest
from PIL import Image

from graphlab.faces.render.bundle import with_scenes
from graphlab.faces.render.drawing import Drawing
from graphlab.faces.render.pdf import to_pdf
from graphlab.faces.render.raster import are_enough, font_files, to_gif, to_png
from graphlab.faces.render.still import still_svg
from graphlab.graph.timeline import Timeline
from tests.graph.builder import ALL, Builder
from tests.graph.example import lesson

LESSON = with_scenes(lesson())


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(BytesIO(png)).convert("RGB")).astype(float)


def pdf_pixels(pdf: bytes, scale: float) -> np.ndarray:
    page = pypdfium2.PdfDocument(pdf)[0]
    return np.asarray(page.render(scale=scale / 0.75).to_pil().convert("RGB")).astype(float)


def named(name: str) -> str:
    """The drawing of one tensor called `name`."""
    build = Builder()
    build.apply("exp", "exp", [build.leaf(name)], "y")
    return Drawing(build.graph()).svg


@pytest.mark.parametrize("scale", [1, 2, 3.5])
def test_a_png_has_scale_pixels_for_each_of_the_drawings(scale: float) -> None:
    svg = still_svg(LESSON, 24)
    width, height = map(float, re.findall(r'(?:width|height)="([\d.]+)"', svg)[:2])
    seen = pixels(to_png(svg, scale)).shape
    assert seen[:2] == pytest.approx((height * scale, width * scale), abs=1)


def test_a_png_is_painted_in_the_themes_colours() -> None:
    light = pixels(to_png(still_svg(LESSON), 1))
    dark = pixels(to_png(still_svg(LESSON, theme="dark"), 1))
    assert tuple(light[1, 1]) == (255, 255, 255)
    assert tuple(dark[1, 1]) == (0x14, 0x17, 0x1A)


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), 10**400, "2", True, None])
def test_a_scale_that_gives_no_picture_is_refused(scale: Any) -> None:
    with pytest.raises(ValueError, match="scale must be a number above 0"):
        to_png(still_svg(LESSON), scale)


def test_a_picture_too_large_for_memory_is_refused_with_the_largest_that_fits() -> None:
    with pytest.raises(ValueError, match=r"at scale=500 .* choose a scale up to 1\d"):
        to_png(still_svg(LESSON), 500)


@pytest.mark.parametrize("name", ALL)
def test_the_pdf_shows_what_the_png_shows(name: str) -> None:
    svg = Drawing(ALL[name]()).svg
    assert_alike(to_pdf(svg), to_png(svg, 2))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", ["both", "backward", "computation"])
def test_the_pdf_of_a_moment_shows_what_the_png_shows(view: Any, theme: str) -> None:
    svg = still_svg(LESSON, 20, view, theme)
    assert_alike(to_pdf(svg), to_png(svg, 2))


def assert_alike(pdf: bytes, png: bytes) -> None:
    printed, painted = pdf_pixels(pdf, 2), pixels(png)
    high = min(len(printed), len(painted))
    wide = min(printed.shape[1], painted.shape[1])
    assert abs(len(printed) - len(painted)) <= 2
    apart = coarse(printed[:high, :wide]) - coarse(painted[:high, :wide])
    # two programs smooth edges differently, by less than a third of a 4 x 4 block anywhere
    assert np.abs(apart).max() < 85
    assert np.abs(apart).mean() < 0.9


def coarse(image: np.ndarray) -> np.ndarray:
    high, wide = (length // 4 * 4 for length in image.shape[:2])
    return image[:high, :wide].reshape(high // 4, 4, wide // 4, 4, 3).mean((1, 3))


def test_a_pdf_has_letters_that_can_be_searched() -> None:
    page = pypdfium2.PdfDocument(to_pdf(still_svg(LESSON, 24)))[0]
    text = page.get_textpage().get_text_bounded()
    for word in ("MulBackward0", "The gradient reaches the leaf c", "17.513", "not yet"):
        assert word in text


def test_the_same_picture_is_the_same_pdf() -> None:
    svg = still_svg(LESSON)
    assert to_pdf(svg) == to_pdf(svg)


@pytest.mark.parametrize("name", ["∂L/∂x × −½ ≤ ∑√∞", "ελληνικά", "Привет", "متغير", "משקל", "😀"])
def test_names_in_these_letters_need_no_font_of_the_machine(name: str) -> None:
    svg = named(name)
    nameless = svg.replace(f">{escape(name)}</text>", "></text>")
    assert nameless != svg
    ink = np.abs(pixels(only_our_fonts(svg)) - pixels(only_our_fonts(nameless))).max(-1) > 100
    assert ink.sum() > 60 * len(name)  # pixels: each letter left some ink
    if name != "😀":  # which the machine may have in colour, for the PNG
        assert_alike(to_pdf(svg), to_png(svg, 2))


def only_our_fonts(svg: str) -> bytes:
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, zoom=2, font_files=font_files(), skip_system_fonts=True
        )
    )


def test_the_fonts_of_the_machine_are_asked_only_for_letters_that_ours_lack() -> None:
    assert are_enough(still_svg(LESSON, 24))
    assert not are_enough("名前")
    assert not are_enough("😀")


# --- GIF ---


def frames(gif: bytes) -> list[tuple[int, np.ndarray]]:
    film: Any = Image.open(BytesIO(gif))
    found = []
    for k in range(film.n_frames):
        film.seek(k)
        found.append((film.info["duration"], np.asarray(film.convert("RGB")).astype(float)))
    return found


def test_a_film_has_a_frame_for_each_stop_and_stays_at_the_end() -> None:
    shown = frames(to_gif(LESSON, scale=0.6, seconds=1.5))
    beats = [beat for beat, _ in shown]
    assert beats == [1500] * (len(LESSON.stops()) - 1) + [3000]
    sizes = {frame.shape for _, frame in shown}
    assert len(sizes) == 1  # nothing jumps


def test_each_frame_of_a_film_is_the_picture_of_its_stop() -> None:
    shown = frames(to_gif(LESSON, granularity="story", scale=0.6))
    stops = LESSON.stops("story")
    assert len(shown) == len(stops)
    for (_, frame), (_, other) in pairwise(shown):
        assert np.abs(frame - other).max() > 100  # something happens at each stop
    assert tuple(shown[0][1][1, 1]) == (255, 255, 255)  # few colours, but the background is white


def test_a_film_of_the_lesson_fits_in_a_mail() -> None:
    assert len(to_gif(LESSON)) < 300_000


@pytest.mark.parametrize("seconds", [0, -1, 601, float("nan"), "2", True])
def test_a_beat_that_nobody_can_see_is_refused(seconds: Any) -> None:
    with pytest.raises(ValueError, match="seconds, the time for each step, must be"):
        to_gif(LESSON, seconds=seconds)


def test_a_film_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a GIF shows a walk, .*graphlab\.trace\(e\)"):
        to_gif(Timeline(LESSON.graph, ()))


def test_a_film_too_long_falls_back_to_the_story_or_says_so() -> None:
    long = replace(LESSON, events=LESSON.events * 8)
    with pytest.raises(ValueError, match=r"at most 150; .*'story': \d+.*save it as \.html"):
        to_gif(long, granularity="micro")


# --- what is not installed ---


@pytest.mark.parametrize(
    ("end", "missing"), [(".png", "resvg_py"), (".pdf", "reportlab"), (".gif", "PIL")]
)
def test_a_library_that_is_absent_is_named_with_the_command(
    end: str, missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    for name in [name for name in sys.modules if name.partition(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__
    from graphlab.faces.render import raster

    def absent(name: str) -> Any:
        if name.partition(".")[0] == missing:
            raise ModuleNotFoundError(name)
        return real(name, fromlist=["x"])

    monkeypatch.setattr(raster, "import_module", absent)
    with pytest.raises(ImportError, match=rf"{missing}, .*: pip install .*resvg-py"):
        LESSON.save(tmp_path / f"g{end}")
    monkeypatch.setattr(sys, "platform", "emscripten")  # nothing can be installed there
    with pytest.raises(ImportError, match=r"in a browser cannot save as [A-Z]+: save as \.svg"):
        LESSON.save(tmp_path / f"g{end}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("end", [".png", ".gif"])  # a PDF may have registered them before
def test_fonts_that_are_absent_are_named_with_the_command(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from graphlab.faces.render import raster

    monkeypatch.setattr(raster, "find_spec", lambda name: None)
    said = r"fonts .*matplotlib.*: pip install matplotlib"
    with pytest.raises(ImportError, match=said):
        LESSON.save(tmp_path / f"g{end}")
    assert not list(tmp_path.iterdir())
