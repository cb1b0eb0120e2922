"""The player where there is little room, half a window or a phone; and a page, which it fills.

Read next: js/src/styles/narrow.css.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

import graphlab
from graphlab.faces.render.html import to_html
from tests.browser import conftest
from tests.browser.player import Player

pytestmark = pytest.mark.browser
spare_tabs = conftest.written_tabs  # a fixture

# Where an element is, in pixels of the window.
PLACE = """(element) => {
    const {left, right, top, bottom, width, height} = element.getBoundingClientRect();
    return {left, right, top, bottom, width, height};
}"""

# Texts in one line of a card that are less than two pixels apart.
TOUCHING = """(root) => [...root.querySelectorAll(".gl-tensors")].flatMap((card) => {
    const texts = [...card.querySelectorAll(":scope > text")]
        .filter((text) => text.textContent && text.getClientRects().length)
        .map((text) => [text.textContent, text.getBoundingClientRect()]);
    return texts.flatMap(([one, a], k) => texts.slice(k + 1).filter(([, b]) =>
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6
        && Math.max(a.left, b.left) - Math.min(a.right, b.right) < 2
    ).map(([other]) => `${one} touches ${other}`));
})"""


def lesson() -> str:
    """The lesson in a page of its own."""
    a, b, c, d = (graphlab.tensor(x, requires_grad=True) for x in (2.0, 3.0, 5.0, 10.0))
    e = a * b + c * d.log()
    return to_html(graphlab.trace(e), standalone=True)


@pytest.fixture
def opened(tab: Page) -> Callable[[int, int], Player]:
    """Open the lesson in a window of some size, in the middle of its walk."""

    def open_page(width: int, height: int) -> Player:
        tab.set_viewport_size({"width": width, "height": height})
        tab.set_content(lesson())
        player = Player(tab.locator(".graphlab").first)
        player.place.focus()
        for _ in range(4):
            player.press("ArrowRight")
        return player

    return open_page


def place(player: Player, selector: str) -> dict[str, float]:
    """Where the first element that matches is."""
    return player.place.locator(selector).first.evaluate(PLACE)


@pytest.mark.parametrize("width", [990, 850, 640, 400])
def test_the_scrubber_has_a_line_of_its_own_and_the_buttons_stand_in_one(
    width: int, opened: Callable[[int, int], Player]
) -> None:
    player = opened(width, 900)
    buttons = player.place.locator(".gl-buttons button")
    tops = {round(button.evaluate(PLACE)["top"]) for button in buttons.all()}
    assert len(tops) == 1
    foot, scrubber = place(player, ".gl-foot"), place(player, ".gl-range")
    assert scrubber["width"] > 0.85 * foot["width"]


def test_half_a_window_needs_two_lines_for_the_controls(
    opened: Callable[[int, int], Player],
) -> None:
    assert place(opened(850, 900), ".gl-foot")["height"] < 100


def test_in_a_low_window_one_line_of_controls_leaves_room_for_the_node_that_runs(
    opened: Callable[[int, int], Player],
) -> None:
    """JupyterLab with its file browser, enlarged to 150% on a laptop, has about this much room."""
    player = opened(465, 400)
    foot = player.place.locator(".gl-foot")
    assert foot.evaluate(PLACE)["height"] < 70
    node = player.place.locator('.gl-ops[data-status="current"] .gl-op').first
    where, controls = node.evaluate(PLACE), foot.evaluate(PLACE)
    assert where["top"] > 0
    assert where["bottom"] <= controls["top"]
    last = foot.get_by_role("button").last
    last.focus()  # the line scrolls to what has the focus
    assert last.evaluate(PLACE)["right"] <= 465


def test_in_a_narrow_card_of_gradients_a_name_has_room_for_its_words(tab: Page) -> None:
    z = graphlab.tensor(2.0, requires_grad=True)
    long_name = graphlab.sin(z)  # named as a call is: "sin(z)"
    tab.set_viewport_size({"width": 1090, "height": 768})
    page = to_html(graphlab.trace(long_name * z), standalone=True)
    tab.set_content(page.replace("long_name", "Cube.apply(z)"))
    player = Player(tab.locator(".graphlab").first)
    player.place.focus()
    player.press("End")
    names = player.place.locator(".gl-grads tbody tr:not([hidden]) th > i").all()
    cut = [
        name.inner_text() for name in names if name.evaluate("e => e.scrollWidth > e.clientWidth")
    ]
    assert len(names) > 2
    assert cut == []


def test_on_a_phone_the_help_opens_at_its_beginning_and_inside_the_window(
    opened: Callable[[int, int], Player],
) -> None:
    player = opened(400, 900)
    player.press("?")
    box, title = place(player, ".gl-dialog[open]"), place(player, ".gl-dialog[open] h4")
    assert 0 <= box["left"] < box["right"] <= 400
    assert 0 <= box["top"] < title["top"] < 120
    assert box["bottom"] <= 900


def test_on_a_phone_the_table_is_not_cut(opened: Callable[[int, int], Player]) -> None:
    player = opened(400, 900)
    player.press("t")
    table = player.place.locator(".gl-table")
    assert table.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    assert player.place.locator(".gl-side").is_hidden()


def test_on_a_phone_a_presented_graph_has_room(opened: Callable[[int, int], Player]) -> None:
    player = opened(400, 900)
    player.press("f")
    assert place(player, ".gl-canvas")["height"] >= 240
    assert place(player, ".gl-foot")["bottom"] <= 900  # the buttons stay in sight


def test_on_a_phone_the_equation_of_a_presented_step_is_in_sight_above_the_buttons(
    opened: Callable[[int, int], Player],
) -> None:
    player = opened(400, 768)
    player.press("f")
    foot = place(player, ".gl-foot")
    assert place(player, ".gl-canvas")["bottom"] <= place(player, ".gl-p-equation")["top"]
    assert place(player, ".gl-p-equation .gl-symbols")["bottom"] <= foot["top"]
    assert foot["bottom"] <= 768


def attention() -> graphlab.Tensor:
    """A result of small cards, whose gradients have six characters."""
    q, k, v = (graphlab.ones(5, 8, requires_grad=True) for _ in range(3))
    return ((q @ k.T).softmax(-1) @ v).sum()


def norm() -> graphlab.Tensor:
    """A result whose names are nearly as wide as their cards."""
    bn = graphlab.nn.BatchNorm1d(3)
    return (bn(graphlab.randn(4,3))**2).sum()  # fmt: skip


@pytest.mark.parametrize(("result", "width"), [(attention, 400), (norm, 1366)])
def test_texts_on_a_presented_card_do_not_touch(
    result: Callable[[], graphlab.Tensor], width: int, tab: Page
) -> None:
    tab.set_viewport_size({"width": width, "height": 768})
    tab.set_content(to_html(graphlab.trace(result()), standalone=True))
    player = Player(tab.locator(".graphlab").first)
    player.press("f")
    player.press("End")
    assert player.place.evaluate(TOUCHING) == []


def test_a_wide_graph_is_presented_over_the_whole_screen(tab: Page) -> None:
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    tab.set_content(to_html(graphlab.trace((x.exp().log().sin() * x).tanh().sum()), True))
    player = Player(tab.locator(".graphlab").first)
    player.press("f")
    for part in (".gl-head", ".gl-viewport", ".gl-p-equation", ".gl-foot"):
        assert place(player, part)["width"] > 1300, part
    assert place(player, ".gl-canvas")["height"] > 350
    assert player.place.locator(".gl-p-queue").is_hidden()


def test_the_marked_part_of_a_long_line_is_in_sight(tab: Page) -> None:
    w, b = (graphlab.tensor(x, requires_grad=True) for x in (2.0, 3.0))
    loss = (w * 1.5 + b - 2.0) ** 2 + w * w * 0.001 + b * b * 0.001 + (w - b) ** 2
    tab.set_viewport_size({"width": 400, "height": 900})
    tab.set_content(to_html(graphlab.trace(loss), standalone=True))
    player = Player(tab.locator(".graphlab").first)
    player.place.focus()
    player.press("ArrowRight")
    for _ in range(6):
        player.press("ArrowRight")
        code, mark = place(player, ".gl-code"), place(player, ".gl-code mark")
        assert mark["left"] >= code["left"]
        longer = mark["width"] > code["width"]  # then it is its beginning that is in sight
        assert longer or mark["right"] <= code["right"] + 1


@pytest.mark.parametrize("height", [700, 860])
def test_a_page_of_its_own_is_filled_and_not_more(
    height: int, opened: Callable[[int, int], Player]
) -> None:
    player = opened(1366, height)
    frame = place(player, ".gl-frame")
    assert height - 20 < frame["bottom"] <= height
    assert player.place.page.evaluate(
        "document.documentElement.scrollHeight <= document.documentElement.clientHeight"
    )


def test_a_table_fills_a_page_of_its_own_also_where_the_cards_are_stacked(
    tab: Page,
) -> None:
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    tab.set_content(to_html(graphlab.trace((x.exp().log().sin() * x).tanh().sum()), True))
    player = Player(tab.locator(".graphlab").first)
    expect(player.place.locator(".gl-stacked")).to_have_count(1)
    player.press("t")
    assert 740 < place(player, ".gl-frame")["bottom"] <= 768
    assert place(player, ".gl-table")["height"] > 500


@pytest.mark.parametrize("width", [1366, 850])
def test_the_cards_below_a_wide_graph_do_not_grow_with_the_number_of_tensors(
    width: int, tab: Page
) -> None:
    x = [graphlab.tensor(1.0 + k, requires_grad=True) for k in range(60)]
    total = x[0]
    for one in x[1:]:
        total = (total * one).tanh()
    tab.set_viewport_size({"width": width, "height": 900})
    tab.set_content(to_html(graphlab.trace(total), standalone=True))
    player = Player(tab.locator(".graphlab").first)
    player.place.focus()
    player.press("End")
    assert place(player, ".gl-frame")["height"] < 1300


def test_a_number_in_a_name_stays_with_the_word_behind_it_in_a_narrow_card(tab: Page) -> None:
    net = graphlab.nn.Sequential(graphlab.nn.Linear(4, 8), graphlab.nn.Tanh())
    tab.set_viewport_size({"width": 690, "height": 768})
    tab.set_content(to_html(graphlab.trace(net(graphlab.ones(2, 4)).sum()), standalone=True))
    player = Player(tab.locator(".graphlab").first)
    card = player.place.locator(".gl-p-gradients")
    assert card.locator(".gl-body").evaluate("(one) => one.clientWidth") <= 345
    name = card.locator("tbody th i").get_by_text("0.weight", exact=True)
    assert name.evaluate("(one) => [one.offsetHeight, one.scrollWidth - one.clientWidth]") == [
        14,
        0,
    ]
