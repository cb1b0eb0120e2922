"""Two graphs beside each other in a page: both step together, and everyone can use it.

Read next: js/src/pair.ts
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import graphlab
from graphlab.faces.render.two_graphs import Comparison
from tests.browser.axe import add_axe, complaints_in
from tests.browser.jupyter import Student
from tests.browser.notebooks import write_output
from tests.browser.test_layout import SPLIT
from tests.comparing.mistakes import walks_of

pytestmark = pytest.mark.browser
Open = Callable[..., Page]

# The upper and the lower edge of an element, in pixels of the window.
PLACE = "(one) => ['top', 'bottom'].map((edge) => one.getBoundingClientRect()[edge])"


@pytest.fixture
def saved(tab: Page, tmp_path: Path) -> Open:
    """Save a comparison and open it."""

    def open_page(case: str, width: int = 1366, scheme: str = "light", end: str = "") -> Page:
        file = Comparison(*walks_of(case)).save(tmp_path / "two.html")
        tab.set_viewport_size({"width": width, "height": 768})
        tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        tab.goto(file.as_uri() + end)
        expect(tab.locator(".gl-pair > .gl-foot")).to_be_visible()
        return tab

    return open_page


@pytest.mark.parametrize("width", [1366, 934])
def test_axe_finds_nothing_at_any_step(saved: Open, width: int) -> None:
    page = saved("detach in the middle", width)
    add_axe(page)
    for key in ("Home", "ArrowRight", "Shift+ArrowRight", "End"):
        page.keyboard.press(key)
        assert complaints_in(page, "light", "dark", where=".gl-pair") == {}, key


def test_wide_pages_hold_both_side_by_side_and_narrow_ones_below_each_other(saved: Open) -> None:
    for width, beside in ((1366, True), (934, False)):
        page = saved("sum instead of mean", width)
        tops = page.locator(".gl-one").evaluate_all("all => all.map(e => e.offsetTop)")
        assert (tops[0] == tops[1]) == beside
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_both_graphs_and_equations_are_seen_at_once_beside_the_file_browser(saved: Open) -> None:
    page = saved("detach in the middle", 934)  # an output in a window of 1366 x 768
    page.set_viewport_size({"width": 934, "height": 650})
    page.locator(".gl-one").first.evaluate("one => one.scrollIntoView({block: 'start'})")
    foot, _ = page.locator(".gl-pair > .gl-foot").evaluate(PLACE)
    for part in (".gl-canvas", ".gl-p-equation .gl-symbols"):
        for side in page.locator(f".gl-one {part}").all():
            top, low = side.evaluate(PLACE)
            assert 0 <= top < low <= foot, part


@pytest.mark.parametrize("deep", [False, True])
def test_a_graph_of_two_rows_needs_no_scrollbar(tab: Page, tmp_path: Path, deep: bool) -> None:
    x = graphlab.tensor(3.0, requires_grad=True)
    square = x * x if deep else x
    walks = [graphlab.trace(end) for end in (x * square, x * square.detach())]
    tab.set_viewport_size({"width": 934, "height": 650})
    tab.goto(Comparison(*walks).save(tmp_path / "two.html").as_uri())
    expect(tab.locator(".gl-pair > .gl-foot")).to_be_visible()
    for box in tab.locator(".gl-one .gl-canvas").all():
        assert box.evaluate("box => box.scrollHeight <= box.clientHeight")


def test_small_gradients_are_not_split_in_the_cards_beside_a_graph(
    tab: Page, tmp_path: Path
) -> None:
    a, b = (graphlab.tensor(x, requires_grad=True) for x in (2.0, 3.0))
    walks = [graphlab.trace(end) for end in ((a * b).tanh(), (a * b).sigmoid())]
    tab.set_viewport_size({"width": 934, "height": 650})
    tab.goto(Comparison(*walks).save(tmp_path / "two.html").as_uri())
    expect(tab.locator(".gl-pair > .gl-foot")).to_be_visible()
    tab.keyboard.press("End")
    first = tab.locator(".gl-one").first
    expect(first.locator(".gl-p-gradients")).to_contain_text("+7.3671e-05")
    assert first.evaluate(SPLIT) == []


def test_the_two_players_have_names_of_their_own(saved: Open) -> None:
    page = saved("sum instead of mean")
    names = page.locator(".gl-one [role=group][aria-label]").evaluate_all(
        "all => all.map(e => e.getAttribute('aria-label'))"
    )
    assert len(names) > 4
    assert len(set(names)) == len(names)


def test_a_row_of_the_table_shows_the_cut_in_both(saved: Open) -> None:
    page = saved("detach in the line")
    page.get_by_role("button", name="Difference 1: go to its step").click()
    expect(page.locator(".gl-one").first.locator(".gl-narration")).to_contain_text("passes")
    expect(page.locator(".gl-pause").last).to_have_text(
        "The second graph waits: its mul (line 5) sends no gradient to h."
    )
    expect(page.locator(".gl-differences tr[aria-current]")).to_have_count(1)


def test_both_pictures_carry_the_number_of_the_difference(saved: Open) -> None:
    page = saved("sum instead of mean")
    for side in page.locator(".gl-one").all():
        expect(side.locator("text.gl-differs", has_text="≠1").first).to_be_visible()


def test_the_tick_of_a_node_that_is_done_leaves_the_number_of_its_difference_free(
    saved: Open,
) -> None:
    page = saved("sum instead of mean")
    page.keyboard.press("End")
    lie_over = """(all) => all.map((op) => {
        const [sign, tick] = ["text.gl-differs", ".gl-tick circle"].map((one) =>
            op.querySelector(one).getBoundingClientRect());
        return [tick.width > 0, sign.left < tick.right];
    })"""
    marked = page.locator(".gl-ops:has(text.gl-differs)").evaluate_all(lie_over)
    assert marked == [[True, False]] * 2


def test_the_address_names_the_step_of_both(saved: Open) -> None:
    page = saved("sum instead of mean", end="#step=2")
    first = page.locator(".gl-one .gl-narration").first.inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator(".gl-one .gl-narration").first.inner_text() != first
    assert "#step=" in page.url
    assert not page.url.endswith("#step=2")


def test_what_is_announced_says_of_which_graph(saved: Open) -> None:
    page = saved("detach in the middle")
    page.keyboard.press("ArrowRight")
    for name, one in zip(("First", "Second"), page.locator(".gl-one").all(), strict=True):
        said = one.locator(".gl-narration")
        assert said.aria_snapshot().startswith(f'- text: "{name} graph: ')
        # it is for the ear: the sentence stands where it stood
        begin = "e => getComputedStyle(e, '::before')"
        assert said.evaluate(f"{begin}.position") == "absolute"
        assert said.evaluate(f"{begin}.clipPath") == "inset(50%)"


def test_escape_leaves_a_comparison_for_the_cell(student: Student, notebook: Path) -> None:
    a = graphlab.tensor(2.0, requires_grad=True)
    comparison = graphlab.compare(a * a + a, a * a.detach() + a)
    write_output(notebook / "two.ipynb", comparison._repr_mimebundle_())
    student.open_without_a_kernel(f"{notebook.name}/two.ipynb")
    page = student.page
    pair = page.locator(".graphlab:has(> .gl-pair)")
    expect(pair.locator(".gl-one .gl-canvas").first).to_be_visible()
    for place in (
        pair,
        pair.locator(".gl-pair > .gl-foot button").first,
        pair.locator(".gl-one .graphlab").nth(1),
    ):
        place.focus()
        expect(place).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator(".jp-Cell").first).to_be_focused()
    inner = pair.locator(".gl-one .graphlab").first
    inner.focus()
    page.keyboard.press("/")
    expect(pair.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")  # closes only the dialog
    expect(pair.get_by_role("dialog")).to_have_count(0)
    assert inner.evaluate("one => one.matches(':focus-within')")
