"""marimo runs the very same widget, and shows a trace's HTML; it resets how buttons look."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.jupyter import ARTIFACTS, PATIENCE
from tests.browser.marimo import Marimo
from tests.browser.player import BACK, FORWARD, LAST, Player

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def marimo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Marimo]:
    server = Marimo(tmp_path_factory.mktemp("marimo"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def page(context: BrowserContext, marimo: Marimo) -> Iterator[Page]:
    """The notebook as an app; what our own files would ask of the network is a failure.

    One page for all: each test walks a player from its first step.
    """
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.set_viewport_size({"width": 1280, "height": 1400})
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    left: list[str] = []
    page.on("request", lambda request: None if at_home(request.url) else left.append(request.url))
    page.goto(marimo.url)
    yield page
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / "marimo.png")
    page.close()
    assert complaints == []
    assert left == []


def at_home(url: str) -> bool:
    return urlsplit(url).hostname in ("127.0.0.1", None)


def back_at_the_start(player: Player) -> None:
    player.place.focus()
    player.press("Home")
    player.wait_for_step(1)


def test_the_live_widget_and_the_kernel_walk_together(page: Page) -> None:
    widget = Player(page.locator("marimo-anywidget .graphlab").first)
    back_at_the_start(widget)
    told = page.get_by_text(re.compile("the kernel is at event"))
    expect(told).to_have_text("the kernel is at event 0")
    widget.click(FORWARD)
    expect(told).not_to_have_text("the kernel is at event 0")
    widget.click(BACK)
    expect(told).to_have_text("the kernel is at event 0")
    widget.click(LAST)
    assert widget.gradients() == {"a": "3.0", "b": "2.0"}
    expect(told).to_have_text("the kernel is at event 15")


def test_its_buttons_look_as_they_do_everywhere(page: Page) -> None:
    widget = Player(page.locator("marimo-anywidget .graphlab").first)
    back_at_the_start(widget)
    button = widget.place.get_by_role("button", name=FORWARD, exact=True)
    looks = button.evaluate(
        "b => { const s = getComputedStyle(b);"
        " return [s.borderTopWidth, s.borderRadius, s.height, s.cursor] }"
    )
    assert looks == ["1px", "6px", "34px", "pointer"]
    numbers = widget.place.locator(".gl-grads td").first
    assert numbers.evaluate("cell => getComputedStyle(cell).textAlign") == "right"


def test_a_trace_plays_though_marimo_runs_no_script_of_an_output(page: Page) -> None:
    trace = Player(page.locator("marimo-anywidget .graphlab").nth(1))
    trace.click(LAST)
    assert trace.gradients() == {"a": "3.0", "b": "2.0"}


def test_the_expression_is_marked_in_its_line_though_cells_are_indented(page: Page) -> None:
    widget = Player(page.locator("marimo-anywidget .graphlab").first)
    back_at_the_start(widget)
    expect(widget.place.locator(".gl-code mark")).to_have_text("a * b")
