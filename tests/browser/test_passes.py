"""Several passes in one recording, each of which keys and buttons lead to.

Read next: js/test/passes.test.ts, which tries every case.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

import graphlab
from graphlab.faces.render.html import to_html
from graphlab.graph.timeline import Timeline
from tests.browser import conftest
from tests.browser.player import Player

pytestmark = pytest.mark.browser
spare_tabs = conftest.written_tabs  # a fixture


@pytest.fixture(scope="module")
def training() -> Timeline:
    """Three steps of gradient descent."""
    w = graphlab.tensor(1.0, requires_grad=True)
    x = graphlab.tensor([1.0, 2.0])
    optimizer = graphlab.optim.SGD([w], lr=0.1)
    with graphlab.record() as timeline:
        for _ in range(3):
            optimizer.zero_grad()
            loss = ((w * x - 3.0) ** 2).mean()
            loss.backward()
            optimizer.step()
    return timeline


@pytest.fixture
def page(tab: Page, training: Timeline) -> Page:
    """A page with the recording."""
    tab.set_content(to_html(training, standalone=True))
    return tab


@pytest.fixture
def player(page: Page) -> Player:
    """The player on it."""
    return Player(page.locator(".graphlab").first)


def test_keys_go_from_pass_to_pass(player: Player) -> None:
    title = player.place.locator(".gl-pass span")
    expect(title).to_have_text("pass 1 of 3: loss")
    steps = [player.position[0]]
    for number in (2, 3):
        player.press("n")
        expect(title).to_have_text(f"pass {number} of 3: loss")
        assert player.narration.startswith(f"Pass {number} of 3")
        steps.append(player.position[0])
    assert steps == sorted(set(steps))
    player.press("n")
    expect(player.place.locator(".gl-toast")).to_have_text("There is no pass after this one.")
    player.press("Shift+N")
    assert player.position[0] == steps[1]
    player.press("ArrowLeft")  # what lies between two passes belongs to the one before
    expect(title).to_have_text("pass 1 of 3: loss")


def test_buttons_go_from_pass_to_pass(player: Player) -> None:
    title = player.place.locator(".gl-pass span")
    player.click("Next pass")
    expect(title).to_have_text("pass 2 of 3: loss")
    player.click("Previous pass")
    expect(title).to_have_text("pass 1 of 3: loss")


def test_each_pass_is_drawn_with_the_weights_that_the_one_before_left(player: Player) -> None:
    weight = player.place.locator(".gl-tensors", has_text="w").first.locator(".gl-value")
    values = []
    for _ in range(3):
        values.append(weight.text_content())
        player.press("n")
    assert len(set(values)) == 3, values


def test_the_whole_recording_is_walked_to_its_end_and_back(player: Player) -> None:
    _, steps = player.position
    for number in range(2, steps + 1):
        player.press("ArrowRight")
        player.wait_for_step(number)
    assert "SGD" in player.narration or "optimizer" in player.narration
    player.press("Home")
    player.wait_for_step(1)
    expect(player.place.locator(".gl-pass span")).to_have_text("pass 1 of 3: loss")


def test_the_bar_of_many_passes_ends_beside_the_views(tab: Page) -> None:
    w = graphlab.tensor(1.0, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(40):
            loss = (w - 3.0) ** 2
            loss.backward()
    for width in (1366, 934, 700):
        tab.set_viewport_size({"width": width, "height": 768})
        tab.set_content(to_html(timeline, standalone=True))
        bar = tab.locator(".gl-segments")
        expect(bar.locator("span").last).to_be_attached()
        assert bar.evaluate("bar => bar.scrollWidth <= bar.clientWidth"), width
