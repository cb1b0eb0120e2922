"""Ten widgets on one page: each at its place, stale when the cell is run again, and no kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter import Student
from tests.browser.notebooks import write_code
from tests.browser.player import FORWARD, Player, players

pytestmark = pytest.mark.browser

FORMULA = """\
import graphlab
a = graphlab.tensor(2.0, requires_grad=True)
d = graphlab.tensor(10.0, requires_grad=True)
e = a * graphlab.log(d)"""
TEN = """\
for _ in range(10):
    display(graphlab.step(e))"""


# anywidget gives up at once, as it does after two seconds where a page has much to do.
GIVE_UP = """() => {
    const usual = (window.usual = AbortSignal.timeout.bind(AbortSignal));
    AbortSignal.timeout = () => usual(0);
}"""
BE_PATIENT = "() => { AbortSignal.timeout = window.usual; }"


def test_widgets_that_anywidget_has_given_up_become_stale_and_follow_python(
    student: Student, notebook: Path
) -> None:
    write_code(notebook / "slow.ipynb", FORMULA, "two = graphlab.step(e)\ndisplay(two, two)")
    student.open_notebook(f"{notebook.name}/slow.ipynb")
    student.page.evaluate(GIVE_UP)
    student.run_all()
    shown = players(student.page)
    expect(shown).to_have_count(2)
    student.page.evaluate(BE_PATIENT)
    student.run_code("two.forward()")
    for number in (0, 1):
        Player(shown.nth(number)).wait_for_step(2)
    student.run_cell(0)
    badges = student.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .gl-stale:visible")
    expect(badges).to_have_count(2)


def test_ten_widgets_keep_their_own_places_and_all_become_stale(
    student: Student, notebook: Path
) -> None:
    write_code(notebook / "ten.ipynb", FORMULA, TEN)
    student.open_notebook(f"{notebook.name}/ten.ipynb")
    student.run_all()
    shown = players(student.page)
    expect(shown).to_have_count(10)
    for number in (0, 4, 9):
        player = Player(shown.nth(number))
        player.click(FORWARD)
        player.wait_for_step(2)
    Player(shown.nth(4)).click(FORWARD)
    assert [Player(shown.nth(k)).position[0] for k in (0, 1, 4, 9)] == [2, 1, 3, 2]
    badges = student.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .gl-stale:visible")
    assert badges.count() == 0
    student.run_cell(0)
    expect(badges).to_have_count(10)
    expect(badges.first).to_have_text("stalee, a and d were reassigned since this was recorded.")
    # what is on the page needs no kernel any more
    student.ask_panel("panel => panel.sessionContext.shutdown()")
    expect(badges.first).to_contain_text("kernel gone")
    # its label is not broken where the player is narrow
    high = "badge => { badge.style.width = '200px'; return badge.firstElementChild.offsetHeight; }"
    assert badges.first.evaluate(high) < 30
    player = Player(shown.nth(4))
    player.click(FORWARD)
    player.wait_for_step(4)
