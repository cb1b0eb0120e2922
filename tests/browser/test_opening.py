"""A walk that opens at a step in predict mode: saved as a page, and as its picture alone.

Read next: js/test/opening.test.ts, which tries every choice.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import graphlab
from graphlab.graph.timeline import Timeline
from tests.browser.player import Player

pytestmark = pytest.mark.browser


def quiz() -> Timeline:
    """The lesson from the leaf c on, as a quiz about the leaves that follow."""
    a, b, c, d = (graphlab.tensor(x, requires_grad=True) for x in (2.0, 3.0, 5.0, 10.0))
    e = a * b + c * d.log()
    timeline = graphlab.trace(e)
    at = next(k for k, event in enumerate(timeline) if event.kind == "LeafWritten")
    return timeline.at(at, predicting=True, granularity="story", view="backward")


def test_a_page_opens_as_a_quiz_whose_score_can_be_copied(tab: Page, tmp_path: Path) -> None:
    file = quiz().save(tmp_path / "quiz.html")
    tab.goto(file.as_uri())
    player = Player(tab.locator(".graphlab").first)
    assert player.narration == "The gradient reaches the leaf c: c.grad is 2.3026."
    assert player.position == (2, 6)
    expect(tab.locator(".gl-tab[aria-pressed=true]")).to_have_text("backward")
    expect(tab.get_by_role("button", name="Predict")).to_have_attribute("aria-pressed", "true")
    assert player.gradients()["d"] == "not yet"
    for said in ("0.5", "4"):  # d.grad, and a wrong a.grad
        player.press("ArrowRight")
        expect(tab.locator(".gl-narration")).to_contain_text("What is")
        tab.locator(".gl-answer").fill(said)
        player.press("Enter")
    player.click("Show")  # a.grad
    player.press("ArrowRight")  # b.grad, which came with it
    player.press("ArrowRight")
    score = tab.locator(".gl-score")
    expect(score).to_have_text("1 of 2 right at the first try")
    expect(tab.locator(".gl-said")).to_have_text(
        re.compile(r"The pass is over: 1 of 2 right at the first try\.$")
    )
    score.click()  # marks all of it, for Ctrl+C
    assert tab.evaluate("getSelection().toString()") == "1 of 2 right at the first try"
