"""A widget whose kernel goes, or whose network does: the walk goes on, and what is lost is said."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect

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
    widget.wait_for_step(2)
    expect(badge).to_be_hidden()
    os.kill(kernel, signal.SIGKILL)
    expect(badge).to_have_text(GONE)
    widget.wait_for_step(4)  # it plays on by itself
    student.dismiss_dialogs()  # JupyterLab's, which restarts the kernel
    widget.click(LAST)
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
