"""A widget whose kernel goes, or whose network does: the walk goes on, and what is lost is said."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.jupyter import Student
from tests.browser.notebooks import write_code
from tests.browser.player import FORWARD, LAST, Player, players, wait_for
from tests.browser.test_widget import FORMULA, kernels_step

pytestmark = pytest.mark.browser

GRADIENTS = {"a": "3.0", "b": "2.0", "c": "2.3026", "d": "0.5"}
GONE = re.compile("^kernel gone.*no longer connected to Python")
# JupyterLab's own words about a kernel that went away, or a server that it cannot reach
THEIR_WORDS = ("Canceled future", "Kernel", "kernel", "WebSocket", "ERR_INTERNET_DISCONNECTED")


@pytest.fixture
def widget(student: Student, notebook: Path) -> Player:
    """The lesson's formula on a live kernel."""
    write_code(notebook / "live.ipynb", FORMULA)
    student.open_notebook(f"{notebook.name}/live.ipynb")
    student.run_all()
    return Player(players(student.page).first)


def test_a_kernel_that_dies_in_mid_step_is_said_and_the_widget_plays_on(
    widget: Player, student: Student
) -> None:
    badge = widget.place.locator(".gl-stale")
    kernel = int(student.run_code("import os; print(os.getpid())"))
    student.run_code("stepper.playing = True")
    widget.wait_past_step(1)
    expect(badge).to_be_hidden()
    os.kill(kernel, signal.SIGKILL)
    expect(badge).to_have_text(GONE)
    widget.wait_for_step(widget.position[1])  # it plays on by itself, to the end
    student.dismiss_dialogs()  # JupyterLab's, which restarts the kernel
    assert widget.gradients() == GRADIENTS
    for words in THEIR_WORDS:
        student.forgive(words)
    # the cell, run again on the new kernel, gives one that is live
    student.wait_idle()
    student.run_all()
    again = Player(players(student.page).first)
    expect(again.place.locator(".gl-stale")).to_be_hidden()
    again.click(FORWARD)
    wait_for(lambda: kernels_step(student) > 0)


def test_a_kernel_that_is_shut_down_is_said_and_nothing_complains(
    widget: Player, student: Student
) -> None:
    student.ask_panel("panel => panel.sessionContext.shutdown()")
    expect(widget.place.locator(".gl-stale")).to_have_text(GONE)
    widget.click(LAST)
    assert widget.gradients() == GRADIENTS
    student.screenshot("widget-kernel-gone")


def test_without_a_network_the_walk_goes_on_and_python_hears_of_it_later(
    widget: Player, student: Student
) -> None:
    page = student.page
    dialog = page.locator(".jp-Dialog")  # JupyterLab's, each time that it asks for its server
    page.add_locator_handler(dialog, lambda: page.keyboard.press("Escape"))
    page.context.set_offline(True)
    try:
        asked = page.evaluate("() => fetch('/api/status').then(() => 'heard', () => 'alone')")
        assert asked == "alone"
        widget.click(LAST)
        assert widget.gradients() == GRADIENTS
        expect(widget.place.locator(".gl-stale")).to_be_hidden()
    finally:
        page.context.set_offline(False)
        page.remove_locator_handler(dialog)
    wait_for(lambda: student.run_code("print(stepper.timeline[stepper.step].kind)") == "Finished")
    for words in THEIR_WORDS:
        student.forgive(words)


EXPLORED = """\
import graphlab
explorer = graphlab.explore(lambda a, b: a * graphlab.log(b), a=2.0, b=3.0)
explorer"""


def test_a_kernel_that_dies_in_mid_drag_leaves_the_hand_what_the_page_can_follow(
    widget: Player, student: Student
) -> None:
    widget.click(LAST)
    pull = Drag(student, widget)
    pull.to(20)
    shown = pull.shown
    wait_for(lambda: float(text_of(shown)) > 2)
    before = float(text_of(shown))
    os.kill(int(student.run_code("import os; print(os.getpid())")), signal.SIGKILL)
    expect(widget.place.locator(".gl-stale")).to_have_text(GONE)
    pull.to(60)
    wait_for(lambda: float(text_of(shown)) > before)  # the formulas are in the page
    pull.end()
    now = float(text_of(shown))
    assert float(widget.gradients()["b"]) == pytest.approx(now, rel=1e-4)  # five digits are shown
    for words in THEIR_WORDS:
        student.forgive(words)


def test_a_kernel_that_dies_in_mid_drag_of_a_function_leaves_the_last_right_picture(
    student: Student, notebook: Path
) -> None:
    write_code(notebook / "explored.ipynb", EXPLORED)
    student.open_notebook(f"{notebook.name}/explored.ipynb")
    student.run_all()
    player = Player(players(student.page).first)
    player.click(LAST)
    pull = Drag(student, player)
    pull.to(20)
    shown = pull.shown
    # The page foresees it; what the kernel does not answer within four seconds is taken back.
    wait_for(lambda: student.run_code("print(explorer.values['a'])") == "2.8")
    kernel = int(student.run_code("import os; print(os.getpid())"))
    expect(shown).to_have_text("2.8")  # four steps of 5 pixels
    expect(player.place.locator(".gl-p-gradients")).to_contain_text("0.93333")  # the slope of b
    before, gradients = text_of(shown), player.gradients()
    os.kill(kernel, signal.SIGKILL)
    expect(player.place.locator(".gl-stale")).to_have_text(GONE)
    pull.to(60)
    said = player.place.get_by_text("The kernel is gone, so nothing follows this change.")
    expect(said.first).to_be_visible()
    pull.end()
    assert (text_of(shown), player.gradients()) == (before, gradients)
    student.screenshot("explore-kernel-died")
    for words in THEIR_WORDS:
        student.forgive(words)


def text_of(shown: Locator) -> str:
    """The text of an SVG element."""
    return shown.text_content() or ""


class Drag:
    """A hand on the value of a, that has not let go."""

    def __init__(self, student: Student, player: Player) -> None:
        place = player.place.locator("[aria-label='Change a']")
        self.shown = (
            player.place.locator(".gl-tensors")
            .filter(has=student.page.locator("[aria-label='Change a']"))
            .locator(".gl-value")
        )
        place.evaluate("one => one.scrollIntoView({ block: 'center' })")
        box = place.bounding_box()
        assert box is not None
        self.mouse = student.page.mouse
        self.x, self.y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.mouse.move(self.x, self.y)
        self.mouse.down()

    def to(self, pixels: float) -> None:
        """Go to the right of where it began."""
        self.mouse.move(self.x + pixels, self.y, steps=5)

    def end(self) -> None:
        self.mouse.up()
