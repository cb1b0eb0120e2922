"""Where none of our extensions is, a trace is text/html: it plays in a page of its own, offline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page

import graphlab
from graphlab.render.bundle import timeline_bundle
from tests.browser.player import LAST, Player

pytestmark = pytest.mark.browser


def bundle() -> dict[str, str]:
    a = graphlab.tensor([2.0], requires_grad=True)
    b = graphlab.tensor([3.0], requires_grad=True)
    e = a * b
    return timeline_bundle(graphlab.trace(e))


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """An empty page; asking for anything from anywhere is a failure."""
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    page.close()
    assert asked == []
    assert complaints == []


def test_the_html_plays_in_a_plain_page(page: Page) -> None:
    page.set_content(f"<!doctype html><html><body>{bundle()['text/html']}</body></html>")
    player = Player(page.locator(".graphlab").first)
    player.click(LAST)
    assert player.gradients() == {"a": "3.0", "b": "2.0"}


def test_without_scripts_the_picture_stays(context: BrowserContext) -> None:
    browser = context.browser
    assert browser is not None
    scriptless = browser.new_context(java_script_enabled=False)
    page = scriptless.new_page()
    page.set_content(f"<!doctype html><html><body>{bundle()['text/html']}</body></html>")
    shown = page.locator("svg:visible, img:visible")
    assert shown.count() >= 1
    scriptless.close()
