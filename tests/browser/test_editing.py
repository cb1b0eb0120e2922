"""Values are edited in a saved page in Chromium, without a kernel: by typing, keys and drags.

Read next: tests/browser/test_refused_edits.py, js/src/editor.ts, js/test/editing.test.ts
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

import graphlab
from graphlab.faces.render.html import to_html
from tests.browser import conftest
from tests.browser.axe import add_axe, complaints, complaints_in
from tests.browser.player import Player

pytestmark = pytest.mark.browser
spare_tabs = conftest.written_tabs  # a fixture

STATUS = ".gl-strip [role=status]"
FIELD = ".gl-typed:visible"
WHY = ".gl-why-not:visible"


def lesson_page() -> str:
    """e = a b + c log(d), whose leaves are single numbers."""
    a = graphlab.tensor(2.0, requires_grad=True)
    b = graphlab.tensor(3.0, requires_grad=True)
    c = graphlab.tensor(0.5, requires_grad=True)
    d = graphlab.tensor(10.0, requires_grad=True)
    e = a * b + c * d.log()
    return to_html(graphlab.trace(e), standalone=True)


def matrix_page() -> str:
    """A product of a matrix and a vector."""
    W = graphlab.tensor([[1.0, 2.0], [3.0, -4.0]], requires_grad=True)
    x = graphlab.tensor([1.0, 2.0])
    y = W @ x
    return to_html(graphlab.trace((y * y).sum()), standalone=True)


@pytest.fixture
def opened(tab: Page) -> Callable[..., Player]:
    """Open a saved page, with keys that are pressed at once."""

    def open_page(
        html: str, *keys: str, width: int = 1366, scheme: str = "light", motion: str = "reduce"
    ) -> Player:
        tab.emulate_media(color_scheme=scheme, reduced_motion=motion)  # type: ignore[arg-type]
        tab.set_viewport_size({"width": width, "height": 768})
        tab.set_content(html)
        player = Player(tab.locator(".graphlab").first)
        player.place.focus()
        for key in keys:
            player.press(key)
        return player

    return open_page


def card(player: Player, name: str) -> Locator:
    """The card of a tensor in the picture."""
    named = player.place.locator(".gl-tensors").filter(has=player.place.page.locator(".gl-name"))
    return named.filter(has_text=re.compile(rf"^{re.escape(name)}; "))


def value(player: Player, name: str) -> Locator:
    """The text of a value in the picture."""
    return card(player, name).locator(".gl-value")


def place(player: Player, name: str) -> Locator:
    """What is clicked or dragged to change the value of a leaf."""
    return card(player, name).locator("[data-edit]")


def type_value(player: Player, name: str, text: str) -> None:
    """Click the value of a leaf and type another one."""
    place(player, name).click()
    player.press("Control+a")
    player.place.page.keyboard.type(text)
    player.press("Enter")


def test_typing_a_value_moves_everything_where_the_learner_stands(
    opened: Callable[..., Player],
) -> None:
    player = opened(lesson_page(), "End")
    before = player.position
    type_value(player, "d", "-1")
    expect(value(player, "d")).to_have_text("-1.0")
    expect(value(player, "d.log()")).to_have_text("nan")
    expect(value(player, "a * b")).to_have_text("6.0")
    said = "d is now −1.0 (recorded 10.0): log(d) is not defined (nan)."
    expect(player.place.locator(STATUS)).to_have_text(said)
    assert player.gradients() == {"a": "3.0", "b": "2.0", "c": "nan", "d": "-0.5"}
    assert player.position == before
    expect(card(player, "d").locator(".gl-caption")).to_have_text("was 10.0")


def test_what_changed_is_underlined_and_says_what_was_recorded(
    opened: Callable[..., Player],
) -> None:
    player = opened(lesson_page(), "End")
    type_value(player, "d", "5")
    changed = value(player, "e")
    expect(changed).to_have_css("text-decoration-line", "underline")
    expect(value(player, "a")).to_have_css("text-decoration-line", "none")
    row = player.place.locator(".gl-row-leaf").nth(3).locator("td").last
    expect(row).to_have_text("0.1")
    expect(row).to_have_attribute("title", "recorded: 0.05")


def test_the_keyboard_alone_opens_changes_cancels_and_resets(
    opened: Callable[..., Player],
) -> None:
    player = opened(lesson_page())
    hit = card(player, "d").locator(".gl-hit:not([data-edit])")
    for _ in range(60):
        if hit.evaluate("one => one === document.activeElement"):
            break
        player.press("Tab")
    expect(hit).to_be_focused()
    player.press("Enter")
    expect(player.place.locator(FIELD)).to_be_focused()
    for key in ("ArrowDown",) * 11:
        player.press(key)
    expect(value(player, "d")).to_have_text("-1.0")
    player.press("Escape")
    expect(value(player, "d")).to_have_text("10.0")
    expect(hit).to_be_focused()
    player.press("Enter")
    player.press("Shift+ArrowUp")
    player.press("Alt+ArrowUp")
    player.press("Enter")
    expect(value(player, "d")).to_have_text("20.1")
    expect(hit).to_be_focused()
    player.press("ArrowRight")
    assert player.position[0] == 2
    player.press("r")
    expect(value(player, "d")).to_have_text("10.0")
    expect(player.place.locator(STATUS)).to_have_text("")
    expect(player.place.get_by_role("button", name="Reset the values")).to_be_hidden()


def test_a_drag_changes_the_value_and_escape_takes_it_back(opened: Callable[..., Player]) -> None:
    player = opened(lesson_page(), "End")
    mouse = player.place.page.mouse
    box = place(player, "d").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 55, y, steps=11)
    expect(value(player, "d")).to_have_text("-1.0")
    mouse.up()
    expect(player.place.locator(FIELD)).to_have_count(0)
    expect(value(player, "d")).to_have_text("-1.0")
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 40, y, steps=8)
    expect(value(player, "d")).not_to_have_text("-1.0")
    player.press("Escape")
    expect(value(player, "d")).to_have_text("-1.0")
    mouse.up()
    expect(value(player, "d")).to_have_text("-1.0")


def test_reset_brings_every_recorded_value_back(opened: Callable[..., Player]) -> None:
    player = opened(lesson_page(), "End")
    before = player.place.locator(".gl-picture").inner_text()
    gradients = player.gradients()
    type_value(player, "a", "7")
    type_value(player, "d", "0.5")
    said = "d is now 0.5 (recorded 10.0), and 1 more value is changed."
    expect(player.place.locator(STATUS)).to_have_text(said)
    player.click("Reset the values")
    expect(player.place.locator(STATUS)).to_have_text("")
    assert player.place.locator(".gl-picture").inner_text() == before
    assert player.gradients() == gradients
    assert player.place.locator(".gl-moved").count() == 0
    expect(player.place).to_be_focused()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (" ", "The field is empty"),
        ("d + 1", "“d + 1” is not a number"),
        ("1e400", "1e400 is too large: the largest float32"),
        ("nan", "nan is not finite"),
        ("<b>1</b>", "“<b>1</b>” is not a number"),
    ],
)
def test_bad_input_says_why_and_the_last_right_picture_stays(
    opened: Callable[..., Player], text: str, sentence: str
) -> None:
    player = opened(lesson_page(), "End")
    type_value(player, "d", "5")
    type_value(player, "d", text)
    expect(player.place.locator(WHY)).to_contain_text(sentence)
    expect(player.place.locator(FIELD)).to_be_focused()
    expect(value(player, "d")).to_have_text("5.0")
    player.press("Escape")
    expect(player.place.locator(FIELD)).to_have_count(0)
    expect(value(player, "d")).to_have_text("5.0")


def test_an_entry_of_an_array_is_chosen_and_edited(opened: Callable[..., Player]) -> None:
    player = opened(matrix_page(), "End")
    place(player, "W").focus()
    place(player, "W").click()
    entries = player.place.locator(".gl-entries")
    expect(entries.locator("td")).to_have_count(4)
    player.press("ArrowRight")
    player.press("Enter")
    player.press("Control+a")
    player.place.page.keyboard.type("0.5")
    player.press("Enter")
    expect(entries.locator("td").nth(1)).to_have_text("+0.5")
    said = "W[0, 1] is now 0.5 (recorded 2.0)."
    expect(player.place.locator(STATUS)).to_have_text(said)
    player.press("Escape")
    expect(entries).to_be_hidden()
    expect(card(player, "W").locator(".gl-caption")).to_have_text("changed")


def test_an_entry_of_a_heat_map_in_a_card_is_edited(opened: Callable[..., Player]) -> None:
    player = opened(matrix_page())
    cells = player.place.locator(".gl-side td[data-edit]")
    for _ in range(12):
        if cells.count():
            break
        player.press("ArrowRight")
    before = player.position
    old = cells.first.text_content()
    cells.first.click()
    player.place.page.keyboard.type("9")
    player.press("Enter")
    expect(cells.first).to_contain_text("9")
    assert "9" not in (old or "9")
    expect(player.place.locator(STATUS)).to_contain_text("is now 9.0")
    assert player.position == before


@pytest.mark.parametrize("width", [1366, 934, 400])
def test_axe_finds_nothing_while_values_are_edited(
    opened: Callable[..., Player], width: int
) -> None:
    player = opened(lesson_page(), "End", width=width)
    page = player.place.page
    add_axe(page)
    place(player, "d").click()
    assert complaints_in(page, "light", "dark") == {}
    page.keyboard.type("x")
    player.press("Enter")
    expect(player.place.locator(WHY)).to_be_visible()
    assert complaints_in(page, "light", "dark") == {}
    player.press("Escape")
    type_value(player, "d", "-1")
    assert complaints_in(page, "light", "dark") == {}


def test_axe_finds_nothing_in_the_entries_of_an_array(opened: Callable[..., Player]) -> None:
    player = opened(matrix_page(), "End")
    page = player.place.page
    add_axe(page)
    place(player, "W").click()
    expect(player.place.locator(".gl-entries")).to_be_visible()
    assert complaints(page) == []


def test_nothing_moves_on_the_page_when_a_value_is_edited(opened: Callable[..., Player]) -> None:
    player = opened(lesson_page(), "End")
    box = card(player, "e").bounding_box()
    type_value(player, "d", "-1")
    assert card(player, "e").bounding_box() == box
    player.press("r")
    assert card(player, "e").bounding_box() == box


def test_a_thousand_changes_hang_nothing(opened: Callable[..., Player]) -> None:
    player = opened(lesson_page(), "End")
    place(player, "d").click()
    player.place.page.evaluate(
        """() => {
          const field = document.querySelector(".gl-typed");
          for (let k = 0; k < 1000; k += 1)
            field.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowUp", bubbles: true}));
        }"""
    )
    expect(value(player, "d")).to_have_text("1010.0")


@pytest.mark.parametrize("width", [1366, 1920])
@pytest.mark.parametrize("key", ["f", "s"])
def test_a_sentence_about_an_edit_is_read_to_its_end_and_moves_nothing(
    opened: Callable[..., Player], width: int, key: str
) -> None:
    player = opened(lesson_page(), "End", key, width=width)
    canvas = player.place.locator(".gl-canvas")
    box = canvas.bounding_box()
    type_value(player, "d", "-1")
    said = player.place.locator(STATUS)
    expect(said).to_contain_text("not defined (nan).")
    assert said.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert canvas.bounding_box() == box


def test_a_sentence_that_stays_is_not_announced_again(opened: Callable[..., Player]) -> None:
    player = opened(lesson_page(), "End")
    words = player.place.locator(".gl-narration").evaluate_handle("one => one.firstChild")
    type_value(player, "d", "-1")
    expect(player.place.locator(STATUS)).to_contain_text("d is now −1.0")
    assert words.evaluate("one => one.isConnected")


@pytest.mark.parametrize("width", [400, 700, 820])
def test_in_a_narrow_window_a_sentence_about_an_edit_takes_no_room(
    opened: Callable[..., Player], width: int
) -> None:
    player = opened(lesson_page(), width=width)
    top = "canvas => canvas.getBoundingClientRect().top - canvas.closest('.gl-frame').offsetTop"
    canvas = player.place.locator(".gl-canvas")
    before = canvas.evaluate(top)
    card(player, "d").locator(".gl-hit:not([data-edit])").focus()
    for key in ("Enter", "-", "1", "Enter"):
        player.press(key)
    said = player.place.locator(STATUS)
    expect(said).to_be_visible()
    expect(said).to_contain_text("not defined (nan).")
    assert said.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert canvas.evaluate(top) == before


def test_a_presented_gradient_of_six_characters_stands_beside_its_word(
    opened: Callable[..., Player],
) -> None:
    player = opened(lesson_page(), "End", "f", width=1280)
    type_value(player, "d", "-0.00123")
    grad, key = (card(player, "d").locator(f".gl-{one}") for one in ("grad", "key"))
    expect(grad).to_have_text("-406.5")
    ends = key.evaluate("one => one.getBoundingClientRect().right")
    assert 0 < ends <= grad.evaluate("one => one.getBoundingClientRect().left")


def test_a_presented_value_stays_in_sight_while_its_slope_is_shown(
    opened: Callable[..., Player],
) -> None:
    player = opened(lesson_page(), "End", "f", "s")
    ends = [
        one.evaluate("one => one.getBoundingClientRect().bottom")
        for one in (card(player, "d"), player.place.locator(".gl-canvas"))
    ]
    assert ends[0] <= ends[1]
