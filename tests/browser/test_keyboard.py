"""A keyboard does everything, on a saved page and in JupyterLab, and the focus is always visible.

Read next: js/src/keys.ts
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import graphlab
from graphlab.faces.render.html import to_html
from graphlab.faces.render.two_graphs import Comparison
from tests.browser import conftest
from tests.browser.jupyter import Student
from tests.browser.notebooks import write_code
from tests.browser.player import FIRST, Player, players, wait_for
from tests.browser.test_editing import STATUS, card, lesson_page, matrix_page, value
from tests.browser.test_slope import SAID, bowl_page, loop_page, square_page
from tests.comparing.mistakes import walks_of

pytestmark = pytest.mark.browser
spare_tabs = conftest.written_tabs  # a fixture

SELECT = "one => one === document.activeElement"
# Where the focus is, and whether a person sees it: inside the window, in the player, with a ring.
SEEN = """() => {
  const one = document.activeElement;
  const player = one.closest(".graphlab");
  if (!player) return `lost: on <${one.localName}>`;
  if (one === player || one.matches(".graphlab .graphlab")) return "";
  const {left, top, right, bottom, width, height} = one.getBoundingClientRect();
  const inside = left >= -4 && top >= -4 && right <= innerWidth + 4 && bottom <= innerHeight + 4;
  const card = one.closest(".gl-pick")?.querySelector(".gl-card, .gl-op");
  const [own, of] = [one, card || one].map((each) => getComputedStyle(each));
  const rings = [own.outlineStyle !== "none", own.stroke !== "none", of.strokeWidth === "4px"];
  const ring = rings.includes(true) || one.matches(".gl-typed"); // it shows only with the focus
  if (!width || !height || !inside) return `out of sight: ${one.outerHTML.slice(0, 200)}`;
  return ring ? "" : `without a ring: ${one.outerHTML.slice(0, 200)}`;
}"""


class Keyboard(Player):
    """A player that is driven with keys; after each one the focus is checked."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.place = page.locator(".graphlab").first
        expect(self.place.locator(".gl-picture").first).to_be_visible()

    def keys(self, *keys: str) -> None:
        """Press keys; a text of several characters that is no key's name is typed."""
        for key in keys:
            self.press(key)
            assert self.page.evaluate(SEEN) == "", key

    def tab_to(self, there: Locator) -> None:
        """Press Tab until an element has the focus."""
        expect(there).to_be_visible()
        for _ in range(120):
            if there.evaluate(SELECT):
                return
            self.press("Tab")
            if self.page.evaluate("document.activeElement !== document.body"):
                assert self.page.evaluate(SEEN) == ""
        pytest.fail(f"Tab does not lead to {there}")

    def type(self, text: str) -> None:
        """Type over what a field holds."""
        self.keys("Control+a", *text)

    def button(self, name: str) -> Locator:
        return self.place.get_by_role("button", name=name, exact=True)


Open = Callable[[str], Keyboard]


@pytest.fixture
def opened(tab: Page) -> Open:
    def open_page(html: str) -> Keyboard:
        tab.emulate_media(reduced_motion="reduce")
        tab.set_content(html)
        return Keyboard(tab)

    return open_page


def forward_page() -> str:
    """u = a b, e = u + log(d): the walk begins with the forward pass."""
    a, b, d = (graphlab.tensor(x, requires_grad=True) for x in (2.0, 3.0, 10.0))
    u = a * b
    e = u + d.log()
    return to_html(graphlab.trace(e), standalone=True)


def test_the_forward_pass_is_walked_and_predicted(opened: Open) -> None:
    player = opened(forward_page())
    player.tab_to(player.button("Forward"))
    count = player.position[1]
    player.keys(" ")
    assert player.position[1] > count
    player.tab_to(player.button("Predict"))
    player.keys("Enter", "Home", "ArrowRight")
    field = player.place.locator(".gl-answer")
    expect(player.place.locator(".gl-narration")).to_have_text(
        "u = a · b is computed next. What is u?"
    )
    expect(field).to_be_focused()
    player.type("7")
    player.keys("Enter")
    expect(player.place.locator(".gl-said")).to_contain_text("Not 7")
    player.type("6")
    player.keys("Enter")
    expect(player.place.locator(".gl-said")).to_contain_text("Right: 6.0")
    player.keys("p", "End")
    assert player.gradients() == {"a": "3.0", "b": "2.0", "d": "0.1"}
    player.keys("Shift+F")
    assert player.position[1] == count


def test_a_number_is_edited_and_what_is_not_defined_is_said(opened: Open) -> None:
    player = opened(lesson_page())
    player.tab_to(card(player, "d").locator(".gl-hit:not([data-edit])"))
    player.keys("Enter", "ArrowDown", "ArrowUp")
    player.type("-1")
    player.keys("Enter", "End")
    status = player.place.locator(STATUS)
    expect(status).to_have_text("d is now −1.0 (recorded 10.0): log(d) is not defined (nan).")
    assert player.gradients()["d"] == "-0.5"
    player.tab_to(player.button("Reset the values"))
    player.keys("Enter")
    expect(status).to_have_text("")
    expect(value(player, "d")).to_have_text("10.0")


def test_the_equation_follows_and_its_verdict_turns(opened: Open) -> None:
    player = opened(forward_page())
    player.place.focus()
    player.keys("Shift+F", "Home", "ArrowRight", "ArrowRight")
    equation = player.place.locator(".gl-p-equation .gl-numbers")
    expect(equation).to_have_text("log(10.0) = 2.3026")
    player.tab_to(card(player, "d").locator(".gl-hit:not([data-edit])"))
    player.keys("Enter")
    player.type("-1")
    player.keys("Enter")
    expect(equation).to_have_text("log(-1.0) = nan")
    verdict = player.place.locator(".gl-rule")
    while "where" not in (verdict.text_content() or ""):
        player.keys("ArrowRight")
    expect(verdict).to_have_text("✗ outside of its domain: rule proved where d > 0")
    expect(equation).to_have_text("1.0 × -1.0 = -1.0")
    player.keys("r")
    expect(verdict).to_have_text("✓ rule proved where d > 0")
    expect(equation).to_have_text("1.0 × 0.1 = 0.1")


def test_tab_leads_from_the_graph_to_the_controls_and_from_there_to_the_cards(opened: Open) -> None:
    player = opened(square_page())
    player.press("Tab")
    player.keys("End")
    player.tab_to(player.button("Change the value recorded as 1"))
    player.keys("Tab")
    expect(player.button(FIRST)).to_be_focused()
    player.tab_to(player.button("Help: keys and signs"))
    player.keys("Tab")
    expect(player.place.locator(".gl-p-gradients .gl-body")).to_be_focused()


def test_an_entry_of_a_matrix_is_edited(opened: Open) -> None:
    player = opened(matrix_page())
    player.tab_to(card(player, "W").locator(".gl-hit:not([data-edit])"))
    player.keys("Enter", "ArrowDown", "ArrowRight", "Enter")
    player.type("0.5")
    player.keys("Enter")
    said = "W[1, 1] is now 0.5 (recorded −4.0)."
    expect(player.place.locator(STATUS)).to_have_text(said)
    player.keys("ArrowLeft", "Enter", "ArrowUp", "Enter", "Escape", "End", "r")
    expect(player.place.locator(STATUS)).to_have_text("")


def test_the_point_of_the_slope_is_moved_and_its_secant_closes_in(opened: Open) -> None:
    player = opened(square_page())
    said = player.place.locator(SAID)
    player.tab_to(player.button("Slope: the curve and its tangent"))
    player.keys("Enter")
    expect(said).to_have_text("The gradient of w is not computed yet: walk on until it is.")
    player.keys("End")
    plot = player.place.locator(".gl-slope-svg")
    player.tab_to(plot)
    player.keys("ArrowRight", "Shift+ArrowLeft", "Shift+ArrowLeft")
    expect(plot).to_be_focused()
    expect(said).to_contain_text(re.compile(r"At w = 1\.38: slope 0\.76, the gradient that"))
    player.tab_to(player.button("Close in"))
    player.keys(*["Enter"] * 14)
    expect(said).to_contain_text(re.compile(r"secant has the slope (0\.\d+); .* \1"))


def test_two_entries_are_chosen_and_the_point_goes_down_the_level_lines(opened: Open) -> None:
    player = opened(bowl_page())
    player.place.focus()
    player.keys("s", "End")
    player.tab_to(player.place.get_by_label("and over"))
    player.keys("ArrowDown", "ArrowDown")
    said = player.place.locator(SAID)
    expect(said).to_contain_text(
        "At w[0] = 1.5, w[1] = −0.8: steepest descent of loss is (−1, 5.6)"
    )
    player.tab_to(player.place.locator(".gl-slope-svg"))
    player.keys("ArrowUp", "ArrowLeft")
    expect(said).not_to_contain_text("w[0] = 1.5")
    expect(said).not_to_contain_text("w[1] = −0.8")


def test_a_rate_that_is_too_large_overshoots(opened: Open) -> None:
    player = opened(square_page())
    player.place.focus()
    player.keys("s", "End")
    player.tab_to(player.place.get_by_label("rate"))
    player.type("1.1")
    player.tab_to(player.button("Step"))
    player.keys("Enter")
    note = player.place.locator(".gl-p-slope .gl-note")
    expect(note).to_contain_text(
        "Step 1: w 3 → −1.4; loss 4 → 5.76: it rose, the rate is too large"
    )
    expect(note).to_have_attribute("role", "status")  # so that it is heard
    player.keys("Enter")
    expect(note).to_contain_text("Step 2: w −1.4 → 3.88")


def test_the_curve_over_a_recording_goes_to_a_pass(opened: Open) -> None:
    player = opened(loop_page())
    curve = player.place.locator(".gl-curve .gl-curve-svg")
    player.tab_to(player.place.get_by_label("Curve over the passes").get_by_role("combobox"))
    player.keys("ArrowDown")
    player.tab_to(curve)
    player.keys("End")
    expect(player.place.locator(".gl-pass")).to_contain_text("pass 6 of 6")
    player.keys("ArrowLeft")
    expect(curve).to_have_attribute("aria-valuetext", re.compile("^pass 5 of 6: w = "))
    expect(curve).to_be_focused()


def test_two_graphs_are_stepped_together_and_a_difference_is_found(
    tab: Page, tmp_path: Path
) -> None:
    file = Comparison(*walks_of("detach in the line")).save(tmp_path / "two.html")
    tab.goto(file.as_uri())
    pair = Keyboard(tab)
    pair.tab_to(tab.get_by_role("button", name="Difference 1: go to its step"))
    pair.keys("Enter")
    waits = tab.locator(".gl-pause").last
    expect(waits).to_contain_text("The second graph waits")
    pair.keys("Home")
    expect(waits).to_have_text("")
    pair.keys("ArrowRight", "Shift+ArrowRight", "End")


# -- in JupyterLab, whose own keys must neither take a key of the player nor do anything besides ---

WALK = """\
import graphlab
c, d = (graphlab.tensor(x, requires_grad=True) for x in (5.0, 10.0))
e = c * graphlab.log(d)
graphlab.trace(e)"""
EXPLORE = "graphlab.explore(lambda a: a * a, a=2.0)"
JUPYTERS = ("x", "a", "d", "d", "z", "m", "y", "0", "0", "Shift+M")
STATE = """panel => [panel.content.activeCellIndex, panel.content.mode, panel.content.widgets.map(
  cell => [cell.model.type, cell.model.executionCount])].join(' ')"""


def tab_past_the_toolbar(page: Page, there: Locator) -> None:
    """Press Tab in a cell until its output has the focus: its toolbar comes first."""
    for _ in range(4):
        if not there.evaluate(SELECT):
            page.keyboard.press("Tab")


def test_jupyterlab_leaves_the_keys_to_the_player_until_escape(
    student: Student, notebook: Path
) -> None:
    write_code(notebook / "keys.ipynb", WALK, EXPLORE)
    student.open_notebook(f"{notebook.name}/keys.ipynb")
    page = student.page
    page.set_viewport_size({"width": 1366, "height": 768})
    page.keyboard.press("Escape")
    for _ in range(2):
        page.keyboard.press("Shift+Enter")
    handle = page.locator(".noUi-handle")
    expect(handle).to_be_attached()
    student.wait_idle()
    for key in ("Escape", "ArrowUp", "ArrowUp"):  # from the empty cell that JupyterLab has added
        page.keyboard.press(key)
    player = Keyboard(page)
    tab_past_the_toolbar(page, player.place)
    before = student.ask_panel(STATE)
    leaf = card(player, "d").locator(".gl-hit:not([data-edit])")
    for there in (player.button("computation"), leaf):
        player.tab_to(there)
        player.keys("Home", *JUPYTERS)
        assert student.ask_panel(STATE) == before
        assert player.position[0] == 1
        assert_saved(student, there)
    player.keys("Enter")
    assert_saved(student, player.place.locator(".gl-typed"))
    player.type("-1")
    player.keys("Enter", "End")
    said = "d is now −1.0 (recorded 10.0): log(d) is not defined (nan)."
    expect(player.place.locator(STATUS)).to_have_text(said)
    assert player.gradients()["d"] == "-5.0"
    player.press("Escape")
    assert page.evaluate("document.activeElement.matches('.jp-Cell')")
    player.press("ArrowDown")  # JupyterLab's again
    assert student.ask_panel(STATE) == before.replace("0", "1", 1)
    tab_past_the_toolbar(page, handle)
    before = student.ask_panel(STATE)
    for key in (*JUPYTERS, "Shift+Enter", "Alt+Enter", "ArrowRight"):
        player.press(key)
    expect(handle).to_be_focused()
    expect(page.locator(".widget-readout")).to_have_text("2.05")
    assert student.ask_panel(STATE) == before
    assert players(page).count() == 2
    assert_saved(student, handle)


def assert_saved(student: Student, there: Locator) -> None:
    """Press Ctrl+S while an element has the focus: the notebook is saved, and the focus stays."""
    student.ask_panel("panel => { panel.context.model.dirty = true; }")

    def saves() -> bool:
        # JupyterLab ignores the key until the save before is done.
        student.page.keyboard.press("Control+s")
        return not student.ask_panel("panel => panel.context.model.dirty")

    wait_for(saves)
    expect(there).to_be_focused()
