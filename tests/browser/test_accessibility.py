"""Everyone can use the player: axe-core finds nothing to complain of, in any mode and any colours.

Read next: js/README.md, what must hold.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

import graphlab
from graphlab.faces.render.html import to_html
from tests.browser import conftest
from tests.browser.axe import LIGHTS, add_axe, complaints_in
from tests.browser.player import Player

pytestmark = pytest.mark.browser
spare_tabs = conftest.written_tabs  # a fixture

MODES = {
    "at rest": [],
    "in the middle": ["ArrowRight"] * 5,
    "predicting": ["ArrowRight", "p", "ArrowRight"],
    "predicting a node": ["ArrowRight", "p", "next node", "until it is asked"],
    "predicting what is freed": ["ArrowRight", "p", "tensor freed", "until it is asked"],
    "as a table": ["ArrowRight", "t"],
    "presenting": ["ArrowRight", "f"],
    "with its help": ["?"],
    "with breakpoints": ["ArrowRight", "b", "Shift+B"],
}
SHOWN = {
    "predicting": [".gl-answer"],
    "predicting a node": [".gl-ready button >> nth=0"],
    "predicting what is freed": [".gl-list button >> nth=0"],
    "as a table": [".gl-steps"],
    "presenting": [".gl-presenting"],
    "with its help": [".gl-dialog dl >> nth=0"],
    "with breakpoints": [".gl-choices", ".gl-halt >> visible=true"],
}


def lesson_page() -> str:
    """A page with a trace: arrays, a broadcast, tensors used twice, a retained gradient."""
    a = graphlab.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
    b = graphlab.tensor([2.0, -1.0], requires_grad=True)
    c = a * b + b
    c.retain_grad()
    e = (c.tanh() * a + b.exp()).sum()
    return to_html(graphlab.trace(e), standalone=True)


@pytest.fixture
def page(tab: Page) -> Page:
    """The trace in a page of its own."""
    tab.set_content(lesson_page())
    add_axe(tab)
    return tab


def test_axe_finds_nothing_around_the_player_of_a_saved_page(page: Page) -> None:
    assert complaints_in(page, *LIGHTS, where="body") == {}


def test_axe_finds_nothing_in_any_mode(page: Page) -> None:
    player = Player(page.locator(".graphlab").first)
    for mode, keys in MODES.items():
        player.place.focus()
        for key in keys:
            if key in ("next node", "tensor freed"):
                player.place.get_by_label("What to predict").select_option(key)
                player.place.focus()
            elif key == "until it is asked":
                while not page.locator(SHOWN[mode][0]).count():
                    assert player.position[0] < player.position[1]
                    player.press("ArrowRight")
            else:
                player.press(key)
        for shown in SHOWN.get(mode, []):
            expect(page.locator(shown)).to_be_visible()
        assert complaints_in(page, *LIGHTS) == {}, mode
        page.locator(".graphlab").focus()
        player.press("0")
        for _ in range(4):  # the help, the list, the table, predicting
            player.press("Escape")
        player.place.focus()
        expect(player.place.locator(".gl-dialog:visible, .gl-table:visible")).to_have_count(0)


def test_the_picture_is_read_once_by_its_buttons(page: Page) -> None:
    player = Player(page.locator(".graphlab").first)
    player.press("End")
    told = player.place.locator(".gl-canvas").aria_snapshot()
    assert 'button "c;' in told
    texts = [line for line in told.splitlines() if line.strip().startswith("- text:")]
    assert len(texts) <= 1, texts  # of the saved tensors, which lie on their nodes
