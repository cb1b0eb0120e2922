"""The photographs in docs/images: `python -m tests.browser.photographs`.

JupyterLab as a student has it, the first lesson run from top to bottom, its live widget five steps
on: on a projector of 1366 x 768 in light, in dark and in presenter mode. A saved walk, narrow; one
with a value that was changed and the Slope card; and a product of matrices, presented, with the
mouse on an entry of its result.

Read next: tests/browser/test_first_lesson.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import BrowserContext, ViewportSize

import graphlab
from graphlab.graph.timeline import Timeline
from tests.browser.desktop import desktop
from tests.browser.jupyter import ROOT, Student
from tests.browser.player import Player
from tests.browser.test_editing import type_value

IMAGES = ROOT / "docs" / "images"
LESSON = "01_a_formula_is_a_graph.ipynb"
PROJECTOR: ViewportSize = {"width": 1366, "height": 768}
PHONE: ViewportSize = {"width": 400, "height": 860}
STEPS = 5


def walk(player: Player) -> None:
    """Go some steps into the pass."""
    player.focus()
    for number in range(2, STEPS + 2):
        player.press("ArrowRight")
        player.wait_for_step(number)


def settle(student: Student, player: Player) -> None:
    """Bring the player to the top of what is seen, and let go of the focus."""
    student.page.evaluate("() => { document.activeElement?.blur(); }")
    player.place.evaluate("place => place.scrollIntoView({block: 'start'})")
    student.page.mouse.move(2, 2)
    student.page.wait_for_timeout(600)


def photograph(student: Student, folder: Path) -> None:
    """Take all of them."""
    page = student.page
    page.set_viewport_size(PROJECTOR)
    student.open_notebook(LESSON)
    student.run_all()
    page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    widget = page.locator(".graphlab:has(.gl-foot):not(.graphlab-output .graphlab)").first
    player = Player(widget)
    walk(player)
    for theme in ("light", "dark"):
        student.theme(theme)
        settle(student, player)
        page.screenshot(path=folder / f"jupyterlab-{theme}.png")
    student.theme("light")
    player.focus()
    player.press("f")
    page.wait_for_timeout(800)
    page.screenshot(path=folder / "presenter.png")
    player.press("Escape")


def open_saved(timeline: Timeline, context: BrowserContext, size: ViewportSize) -> Player:
    """Open the page that a recorded pass is saved as."""
    page = context.new_page()
    page.set_viewport_size(size)
    with tempfile.TemporaryDirectory() as there:
        file = Path(there, "walk.html")
        timeline.save(file)
        page.goto(file.as_uri())
    return Player(page.locator(".graphlab:has(.gl-foot)"))


def lesson() -> Timeline:
    """The first lesson's walk."""
    a, b, c, d = (graphlab.tensor([x], requires_grad=True) for x in (2.0, 3.0, 5.0, 10.0))
    u = a * b
    t = graphlab.log(d)
    v = t * c
    e = u + v
    return graphlab.trace(e)


def photograph_change(context: BrowserContext, folder: Path) -> None:
    """The lesson's walk with another value of d, and the curve of e over d with its tangent."""
    player = open_saved(lesson(), context, PROJECTOR)
    player.focus()
    player.press("End")
    player.press("s")
    player.place.locator("[aria-label='Slope over']").select_option(label="d")
    type_value(player, "d", "2")
    player.place.page.mouse.move(2, 2)
    player.place.page.wait_for_timeout(600)
    player.place.page.screenshot(path=folder / "change.png")


def photograph_page(context: BrowserContext, folder: Path) -> None:
    """A saved walk, as a phone shows the file."""
    a, b, c, d = (graphlab.tensor([x], requires_grad=True) for x in (2.0, 3.0, 5.0, 10.0))
    e = a * b + c * graphlab.log(d)
    player = open_saved(graphlab.trace(e), context, PHONE)
    walk(player)
    player.place.page.wait_for_timeout(600)
    player.place.page.screenshot(path=folder / "narrow.png")


def photograph_product(context: BrowserContext, folder: Path) -> None:
    """The gradient of a weight matrix: what the entry under the mouse is made of."""
    X = graphlab.tensor([[1.0, 2.0], [3.0, -1.0], [0.0, 4.0]], requires_grad=True)
    W = graphlab.tensor([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]], requires_grad=True)
    H = X @ W
    loss = (H**2).sum()
    player = open_saved(graphlab.trace(loss), context, PROJECTOR)
    player.focus()
    player.press("f")
    while "∂loss/∂W" not in "".join(player.place.locator(".gl-result").all_text_contents()):
        player.press("ArrowRight")
    player.place.locator(".gl-result td").nth(1).hover()
    player.place.page.wait_for_timeout(600)
    player.place.page.screenshot(path=folder / "matrices.png")


def main(arguments: list[str]) -> int:
    """Write the pictures to docs/images, or to the folder that is named."""
    folder = Path(arguments[0]) if arguments else IMAGES
    with desktop(LESSON) as (server, context):
        photograph_page(context, folder)
        photograph_product(context, folder)
        photograph_change(context, folder)
        student = Student(server, context)
        student.open_lab()
        photograph(student, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
