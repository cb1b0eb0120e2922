"""The Slope card and the curve over passes, in saved pages in Chromium.

Read next: js/test/slope.test.ts, js/test/curve.test.ts
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

import graphlab
from graphlab.faces.render.html import to_html
from tests.browser import test_editing
from tests.browser.axe import add_axe, complaints
from tests.browser.player import Player

pytestmark = pytest.mark.browser

SAID = ".gl-slope-said"
STATUS = ".gl-strip [role=status]"
Open = Callable[..., Player]
opened = test_editing.opened  # a fixture


def square_page() -> str:
    """loss = (w - 1)², at w = 3."""
    w = graphlab.tensor(3.0, requires_grad=True)
    loss = (w - 1) ** 2
    return to_html(graphlab.trace(loss), standalone=True)


def bowl_page() -> str:
    """A bowl over two entries."""
    w = graphlab.tensor([1.5, -0.8], requires_grad=True)
    loss = ((w - graphlab.tensor([1.0, 2.0])) ** 2).sum()
    return to_html(graphlab.trace(loss), standalone=True)


def loop_page() -> str:
    """Six passes of a training loop that overshoots."""
    w = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(6):
            w.grad = None
            loss = (w - 1) ** 2
            loss.backward()
            with graphlab.no_grad():
                w -= 0.9 * w.grad
    return to_html(timeline, standalone=True)


def test_steps_of_descent_move_the_leaf_and_the_whole_graph_follows(opened: Open) -> None:
    place = opened(square_page(), "End", "s").place
    expect(place.locator(SAID)).to_contain_text("At w = 3: slope 4, the gradient that the walk")
    place.get_by_role("button", name="Step", exact=True).click()
    expect(place.locator(SAID)).to_contain_text("At w = 2.6: slope 3.2")
    expect(place.locator(STATUS)).to_have_text("w is now 2.6 (recorded 3.0).")
    place.get_by_label("rate").fill("1.1")
    place.get_by_role("button", name="Step", exact=True).click()
    expect(place.locator(".gl-p-slope .gl-note")).to_contain_text("it rose, the rate is too large")


def test_the_point_is_dragged_and_the_secant_closes_in(opened: Open) -> None:
    place = opened(square_page(), "End", "s").place
    mouse, box = place.page.mouse, place.locator(".gl-plot").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    mouse.move(box["x"] + box["width"] / 2, middle)
    mouse.down()
    mouse.move(box["x"] + box["width"] / 4, middle, steps=5)
    mouse.up()
    expect(place.locator(SAID)).to_contain_text(re.compile(r"At w = 1\.[12]\d*: slope 0\.[34]"))
    closer = place.get_by_role("button", name="Close in")
    for _ in range(14):
        closer.click()  # without motion, each click halves the distance
    expect(place.locator(SAID)).to_contain_text(re.compile(r"secant has the slope (0\.\d+); .* \1"))


@pytest.mark.parametrize("width", [1366, 934, 400])
@pytest.mark.parametrize("page", [square_page, bowl_page, loop_page])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    opened: Open, page: Callable[[], str], width: int
) -> None:
    place = opened(page(), "End", "s", width=width, scheme="dark").place
    add_axe(place.page)
    second = place.get_by_label("and over")
    if second.is_visible():
        second.select_option(index=2)
        expect(place.locator(SAID)).to_contain_text("steepest descent")
    expect(place.locator(".gl-p-now")).to_be_hidden()
    assert complaints(place.page) == []
    assert place.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_a_click_on_the_curve_goes_to_a_pass(opened: Open) -> None:
    place = opened(loop_page(), "Home").place
    box = place.locator(".gl-curve .gl-curve-svg").bounding_box()
    assert box is not None
    place.page.mouse.click(box["x"] + box["width"] * 0.95, box["y"] + 30)
    expect(place.locator(".gl-pass")).to_contain_text("pass 6 of 6")
    expect(place.locator(".gl-curve-value")).to_contain_text("loss = 0.42")


def log_page() -> str:
    """t = log(d), which ends at 0."""
    d = graphlab.tensor(10.0, requires_grad=True)
    t = d.log()
    return to_html(graphlab.trace(t), standalone=True)


def test_no_axis_runs_through_the_words_in_the_plot(opened: Open) -> None:
    place = opened(log_page(), "End", "s").place
    place.get_by_label("rate").fill("300")
    place.get_by_role("button", name="Step", exact=True).click()
    words = place.locator(".gl-slope-svg svg text")
    expect(words).to_have_text("not defined for d ≤ 0")
    drawn = words.evaluate(
        "(one) => [one.previousElementSibling !== null, "
        "getComputedStyle(one).paintOrder, parseFloat(getComputedStyle(one).strokeWidth) > 2]"
    )
    assert drawn == [True, "stroke", True]


def test_a_step_that_leaves_the_domain_says_so(opened: Open) -> None:
    place = opened(log_page(), "End", "s").place
    place.get_by_label("rate").fill("300")
    place.get_by_role("button", name="Step", exact=True).click()
    note = "Step 1: d 10 → −20; t 2.3 → nan: it is not defined there."
    expect(place.locator(".gl-p-slope .gl-note")).to_have_text(note)
    expect(place.locator(SAID)).to_have_text("At d = −20: t is not defined; autograd found −0.05.")


def test_below_a_wide_graph_the_card_that_is_opened_is_in_sight(opened: Open) -> None:
    place = opened(test_editing.lesson_page(), "End", "s", width=934).place
    assert place.locator(".gl-stacked").count() == 1
    card = place.locator(".gl-p-slope")
    expect(card).to_be_in_viewport(ratio=0.99)
    expect(place.locator(".gl-canvas")).to_be_in_viewport(ratio=0.3)
