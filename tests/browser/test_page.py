"""A walk saved as a page: it has the keys at once, and its address names an event.

Read next: js/src/fallback.ts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import graphlab
from graphlab.graph.timeline import Timeline
from tests.browser.player import Player

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def walk() -> Timeline:
    """The lesson."""
    a, b, c, d = (graphlab.tensor(x, requires_grad=True) for x in (2.0, 3.0, 5.0, 10.0))
    e = a * b + c * d.log()
    return graphlab.trace(e)


@pytest.fixture
def saved(tab: Page, walk: Timeline, tmp_path: Path) -> Callable[[str], Page]:
    """Save the walk and open it, with this at the end of its address."""
    file = walk.save(tmp_path / "walk.html")

    def open_page(end: str) -> Page:
        tab.goto(file.as_uri() + end)
        return tab

    return open_page


def player_on(page: Page) -> Player:
    """The player of a page."""
    return Player(page.locator(".graphlab").first)


# By how many pixels the header or the edge of the Gradients card hides its current row, and how far
# the card is scrolled although that row would be in sight at its top.
HIDDEN_ROW = """(root) => {
    const body = root.querySelector(".gl-p-gradients .gl-body");
    const row = body.querySelector("tbody .gl-now")?.getBoundingClientRect();
    if (!row) return [];
    const head = body.querySelector("thead th").getBoundingClientRect();
    const box = body.getBoundingClientRect();
    const over = [head.bottom - row.top, row.bottom - box.bottom].filter((pixels) => pixels > 1);
    const needless = body.scrollTop && row.bottom + body.scrollTop < box.bottom;
    return needless ? [...over, body.scrollTop] : over;
}"""


def test_the_gradients_card_shows_the_current_row_and_hides_no_other_without_need(
    saved: Callable[[str], Page],
) -> None:
    page = saved("")
    page.set_viewport_size({"width": 1366, "height": 600})
    player = player_on(page)
    _, steps = player.position
    for number in range(2, steps + 1):
        player.press("ArrowRight")
        player.wait_for_step(number)
        assert player.place.evaluate(HIDDEN_ROW) == [], number


def test_a_lesson_can_be_taught_with_nothing_but_the_right_arrow_key(
    saved: Callable[[str], Page],
) -> None:
    player = player_on(saved(""))
    _, steps = player.position
    for number in range(2, steps + 1):
        player.press("ArrowRight")  # nothing was clicked before
        player.wait_for_step(number)
    assert player.gradients() == {"a": "3.0", "b": "2.0", "c": "2.3026", "d": "0.5"}


def test_a_page_that_has_the_keys_has_no_ring_around_it(saved: Callable[[str], Page]) -> None:
    player = player_on(saved(""))
    player.press("ArrowRight")
    expect(player.place).to_have_css("outline-style", "none")


@pytest.mark.parametrize(
    ("end", "event", "said"),
    [
        ("#step=17", 17, ""),
        ("#step=999", -1, "There is no step 999: the steps are 0 to {last}. This is the last one."),
        ("#step=abc", 0, "There is no step abc: the steps are 0 to {last}. This is the first one."),
        ("#step=-4", 0, "There is no step -4: the steps are 0 to {last}. This is the first one."),
        (
            "#step=<b>1</b>",
            0,
            "There is no step <b>1</b>: the steps are 0 to {last}. This is the first one.",
        ),
    ],
)
def test_an_address_names_a_step_or_the_page_says_that_there_is_none(
    end: str, event: int, said: str, saved: Callable[[str], Page], walk: Timeline
) -> None:
    page = saved(end)
    player = player_on(page)
    last = len(walk) - 1
    shown = player.place.locator(".gl-toast")
    expect(shown).to_have_text(said.format(last=last))
    assert shown.get_attribute("role") == "status"
    assert player.narration == walk[event].sentence
    k = event if event >= 0 else last
    assert page.evaluate("location.hash") == f"#step={k}"  # now it names the step that is shown
    player.press("Home")
    expect(shown).to_be_empty()


def test_an_address_that_changes_is_followed(saved: Callable[[str], Page], walk: Timeline) -> None:
    page = saved("#step=3")
    player = player_on(page)
    page.evaluate("location.hash = '#step=9999'")
    expect(player.place.locator(".gl-toast")).to_contain_text("There is no step 9999")
    assert player.narration == walk[-1].sentence
