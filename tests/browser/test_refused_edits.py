"""What cannot be edited in a saved page: it says why, and the last right picture stays.

Read next: tests/browser/test_editing.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

import graphlab
from graphlab.faces.render.html import to_html
from tests.browser import conftest, test_editing
from tests.browser.player import Player
from tests.browser.test_editing import FIELD, WHY, place, type_value, value

pytestmark = pytest.mark.browser
spare_tabs = conftest.written_tabs  # a fixture

opened = test_editing.opened  # a fixture


def recorded_page() -> str:
    """A recording of a pass that has run: it carries no formulas."""
    x = graphlab.tensor(2.0, requires_grad=True)
    with graphlab.record() as walk:
        (x * x).backward()
    return to_html(walk, standalone=True)


def large_page() -> str:
    """A leaf of more entries than a trace carries."""
    x = graphlab.ones(101, 100, requires_grad=True)
    return to_html(graphlab.trace((x * x).sum()), standalone=True)


def million_page() -> str:
    """A leaf of a million entries."""
    x = graphlab.ones(1000, 1000, requires_grad=True)
    return to_html(graphlab.trace((x * x).sum()), standalone=True)


def custom_page() -> str:
    """A Function of one's own, which computes on numbers."""

    class Square(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return graphlab.tensor(x.detach().numpy() ** 2)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * grad

    x = graphlab.tensor(2.0, requires_grad=True)
    return to_html(graphlab.trace(Square.apply(x)), standalone=True)


def damaged_page() -> str:
    """A trace in which the formula of log has lost its argument."""
    document = graphlab.trace(graphlab.tensor(2.0, requires_grad=True).log()).to_json()
    for formula in document["replay"]["formulas"]:
        formula["forward"]["steps"] = [["log"]]
    return to_html(graphlab.Timeline.from_json(document), standalone=True)


def branch_page() -> str:
    """A value that decided which way the program went."""
    x = graphlab.tensor(2.0, requires_grad=True)
    y = x * x if x > 0 else -x
    return to_html(graphlab.trace(y * 3), standalone=True)


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        (recorded_page, "Values cannot be changed here: this is a recording of what ran."),
        (large_page, "10,000"),
        (million_page, "10,000"),
        (custom_page, "Square"),
    ],
)
def test_what_cannot_be_edited_says_why_where_one_tries(
    opened: Callable[..., Player], page: Callable[[], str], sentence: str
) -> None:
    player = opened(page())
    before = player.position
    place(player, "x").click()
    expect(player.place.locator(WHY)).to_contain_text(sentence)
    expect(player.place.locator(FIELD)).to_have_count(0)
    assert player.position == before
    player.press("ArrowRight")
    expect(player.place.locator(WHY)).to_have_count(0)
    assert player.position[0] == before[0] + 1


def test_a_branch_that_would_go_another_way_keeps_the_last_right_picture(
    opened: Callable[..., Player],
) -> None:
    player = opened(branch_page(), "End")
    type_value(player, "x", "5")
    expect(value(player, "y")).to_have_text("25.0")
    type_value(player, "x", "-1")
    expect(player.place.locator(WHY)).to_contain_text("recorded with x > 0")
    expect(value(player, "y")).to_have_text("25.0")
    player.press("Escape")
    expect(value(player, "x")).to_have_text("5.0")


def normed_page() -> str:
    """The program reads the length of x, and divides by it."""
    x = graphlab.tensor(3.0, requires_grad=True)
    y = graphlab.tensor(4.0, requires_grad=True)
    length = (x * x).sqrt().item()
    return to_html(graphlab.trace(y * y + x / length), standalone=True)


def test_a_number_that_the_program_read_keeps_the_last_right_picture(
    opened: Callable[..., Player],
) -> None:
    player = opened(normed_page(), "End")
    type_value(player, "y", "5")
    expect(value(player, "y")).to_have_text("5.0")
    type_value(player, "x", "6")
    expect(player.place.locator(WHY)).to_contain_text(
        "comes from a number that the program read out of x, and x would change at these values."
    )
    player.press("Escape")
    expect(value(player, "x")).to_have_text("3.0")
    expect(value(player, "y")).to_have_text("5.0")


def test_a_damaged_formula_keeps_the_last_right_picture(opened: Callable[..., Player]) -> None:
    player = opened(damaged_page(), "End")
    before = player.gradients()
    player.place.locator("[data-edit]").first.click()
    for key in ("Control+a", "5", "Enter"):
        player.press(key)
    expect(player.place.locator(WHY)).to_contain_text("LogBackward0 cannot be computed")
    assert player.gradients() == before
