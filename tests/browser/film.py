"""The moving picture of the README: `python -m tests.browser.film`.

A new notebook in JupyterLab with the README's formula in it. It runs, the walk is stepped to its
end, and then one value is changed. Every frame is a screenshot of what a person would see.

Read next: tests/browser/photographs.py
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize

from tests.browser.desktop import desktop
from tests.browser.jupyter import Student
from tests.browser.notebooks import write_code
from tests.browser.photographs import IMAGES, LESSON
from tests.browser.player import Player
from tests.browser.test_editing import type_value

SIZE: ViewportSize = {"width": 1100, "height": 700}
NOTEBOOK = "walk.ipynb"
COLOURS = 96
PROGRAM = """\
import graphlab

a = graphlab.tensor(2.0, requires_grad=True)
b = graphlab.tensor(3.0, requires_grad=True)
e = a * b + graphlab.log(b)
graphlab.trace(e)"""
STEP, PAUSE = 1_300, 2_600  # milliseconds that a frame stands


class Film:
    """The frames so far, each with the milliseconds that it stands."""

    def __init__(self, page: Page) -> None:
        """Begin without any."""
        self.page = page
        self.frames: list[Image.Image] = []
        self.times: list[int] = []

    def take(self, milliseconds: int = STEP) -> None:
        """Photograph the page as it is when it has come to rest."""
        self.page.mouse.move(2, 2)
        self.page.wait_for_timeout(700)
        data = self.page.screenshot()
        self.frames.append(Image.open(io.BytesIO(data)).convert("RGB"))
        self.times.append(milliseconds)

    def save(self, path: Path) -> None:
        """Write a GIF that repeats, with one palette for all frames."""
        tall = Image.new("RGB", (SIZE["width"], SIZE["height"] * len(self.frames)))
        for k, frame in enumerate(self.frames):
            tall.paste(frame, (0, k * SIZE["height"]))
        palette = tall.quantize(COLOURS, method=Image.Quantize.MEDIANCUT)
        frames = [f.quantize(palette=palette, dither=Image.Dither.NONE) for f in self.frames]
        first, *rest = frames
        first.save(
            path, save_all=True, append_images=rest, duration=self.times, loop=0, optimize=True
        )


def shoot(student: Student) -> Film:
    """Walk in the notebook, one photograph a step."""
    page = student.page
    page.set_viewport_size(SIZE)
    student.open_notebook(NOTEBOOK)
    page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    film = Film(page)
    film.take()
    student.run_all()
    player = Player(page.locator(".graphlab:has(.gl-foot)").first)
    player.focus()
    player.press("Home")
    page.evaluate("() => { document.activeElement?.blur(); }")
    player.place.evaluate("place => place.scrollIntoView({block: 'end'})")
    film.take(PAUSE)
    player.focus()
    while player.position[0] < player.position[1]:
        player.press("ArrowRight")
        film.take()
    film.times[-1] = PAUSE
    type_value(player, "b", "6")
    film.take(2 * PAUSE)
    return film


def main(arguments: list[str]) -> int:
    """Write walk.gif to docs/images, or to the folder that is named."""
    folder = Path(arguments[0]) if arguments else IMAGES
    with desktop(LESSON) as (server, context):
        write_code(server.root / NOTEBOOK, PROGRAM)
        student = Student(server, context)
        student.open_lab()
        shoot(student).save(folder / "walk.gif")
    print(f"{folder / 'walk.gif'}: {(folder / 'walk.gif').stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
