"""A product of matrices in Chromium: pointing, the keyboard, colours and contrast.

Read next: tests/browser/test_accessibility.py
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

import graphlab
from graphlab.faces.render.html import to_html
from tests.browser.axe import add_axe, complaints_in
from tests.browser.player import TWO_FRAMES, Player

pytestmark = pytest.mark.browser

LIT = "(cells) => cells.flatMap((cell, k) => cell.classList.contains('gl-on') ? [k] : [])"


def layer_page() -> str:
    """A layer with numbers that can be added up in the head."""
    X = graphlab.tensor([[1.0, 2.0], [3.0, -1.0], [0.0, 4.0]], requires_grad=True)
    W = graphlab.tensor([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]], requires_grad=True)
    H = X @ W
    G = graphlab.tensor([[1.0, -2.0, 0.0], [0.5, 1.0, -1.0], [2.0, 0.0, 3.0]])
    loss = (H * G).sum()
    return to_html(graphlab.trace(loss), standalone=True)


@pytest.fixture
def opened(tab: Page) -> Callable[..., Player]:
    """Open the layer at the step that makes the gradient of W."""

    def open_page(width: int = 1366, keys: str = "") -> Player:
        tab.set_viewport_size({"width": width, "height": 768})
        tab.set_content(layer_page())
        player = Player(tab.locator(".graphlab").first)
        player.place.focus()
        for key in keys:
            player.press(key)
        for _ in range(20):
            if "∂loss/∂W" in (player.place.locator(".gl-result").all_text_contents() or [""])[0]:
                return player
            player.press("ArrowRight")
        raise AssertionError("no step makes the gradient of W")

    return open_page


def lit(player: Player, table: int) -> list[int]:
    """The cells that are lit in one of the three tables, by number."""
    cells = player.place.locator(".gl-product table").nth(table).locator("td:not(.gl-more)")
    return cells.evaluate_all(LIT)


def test_pointing_at_an_entry_lights_what_it_is_made_of_and_writes_the_sum(
    opened: Callable[..., Player],
) -> None:
    player = opened()
    expect(player.place.locator(".gl-symbols")).to_have_text("∂loss/∂W = Xᵀ ∂loss/∂H")
    player.place.locator(".gl-result td:not(.gl-more)").nth(4).hover()
    assert [lit(player, table) for table in range(3)] == [[3, 4, 5], [1, 4, 7], [4]]
    # Xᵀ is (2, 3), row 1: 2, −1, 4; the gradient's column 1: −2, 1, 0
    expect(player.place.locator(".gl-sum")).to_have_text("2·(−2) + (−1)·1 + 4·0 = −5")
    player.place.locator(".gl-narration").hover()
    assert [lit(player, table) for table in range(3)] == [[], [], []]


def test_the_keyboard_reaches_every_entry_of_the_result(opened: Callable[..., Player]) -> None:
    player = opened()
    step = player.position
    player.place.locator(".gl-result td[tabindex='0']").focus()
    assert lit(player, 2) == [0]
    for key, cell in (("ArrowRight", 1), ("ArrowDown", 4), ("ArrowLeft", 3), ("ArrowUp", 0)):
        player.press(key)
        assert lit(player, 2) == [cell]
        label = player.place.locator(".gl-result td:focus").get_attribute("aria-label") or ""
        assert label.endswith(player.place.locator(".gl-sum").text_content() or "nothing")
    assert player.position == step
    player.place.focus()
    player.press("ArrowRight")
    assert player.position != step


@pytest.mark.parametrize("keys", ["", "f"], ids=["beside the graph", "presented"])
def test_everyone_can_read_a_product(opened: Callable[..., Player], keys: str) -> None:
    player = opened(keys=keys)
    player.place.locator(".gl-result td:not(.gl-more)").nth(4).hover()
    page = player.place.page
    add_axe(page)
    assert complaints_in(page, "light", "dark") == {}


@pytest.mark.parametrize("width", [1366, 934, 700, 400])
def test_a_product_is_never_cut(opened: Callable[..., Player], width: int) -> None:
    player = opened(width)
    card = player.place.locator(".gl-p-equation")
    edge = card.evaluate("(card) => card.getBoundingClientRect().right")
    for table in player.place.locator(".gl-product table").all():
        assert table.evaluate("(table) => table.getBoundingClientRect().right") <= edge


@pytest.mark.parametrize("width", [1366, 1100, 934, 700])
@pytest.mark.parametrize("side", [3, 6, 20])
def test_the_arrays_of_a_product_stand_beside_each_other(tab: Page, side: int, width: int) -> None:
    graphlab.manual_seed(0)
    A, B = (graphlab.randn(side, side, requires_grad=True) for _ in range(2))
    loss = (A @ B * graphlab.randn(side, side) * 1e-5).sum()
    tab.set_content(to_html(graphlab.trace(loss), standalone=True))
    tab.set_viewport_size({"width": width, "height": 768})
    player = Player(tab.locator(".graphlab").first)
    player.place.focus()
    while "∂loss/∂A" not in "".join(player.place.locator(".gl-result").all_text_contents()):
        player.press("ArrowRight")
    factors = player.place.locator(".gl-factors")
    boxes = [one.bounding_box() for one in factors.locator("table, .gl-sign").all()]
    edges = [(box["x"], box["x"] + box["width"]) for box in boxes if box]
    assert len(edges) == 5
    assert all(one[1] <= other[0] for one, other in pairwise(edges))
    assert factors.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    cells = factors.locator("table").first.locator("tr").first.locator("td:not(.gl-more):visible")
    assert cells.count() >= min(side, 2)
    cards = [player.place.locator(f".gl-p-{name}").bounding_box() for name in ("equation", "now")]
    ends = [card["x"] + card["width"] for card in cards if card]
    assert ends[0] == pytest.approx(ends[1], abs=0.6)  # the card ends where the one below does


def test_names_above_small_arrays_stay_on_one_line_and_a_narrow_card_hides_no_entry(
    tab: Page,
) -> None:
    H = graphlab.tensor([[1e-30], [-3.0], [0.25]], requires_grad=True)
    v = graphlab.tensor([1.0, -2.5e-25, 3.0, 4.0], requires_grad=True)
    loss = ((H - 1.0) ** 2).mean() + (v * v).sum()
    tab.set_content(to_html(graphlab.trace(loss), standalone=True))
    player = Player(tab.locator(".graphlab").first)
    player.place.focus()
    names, factors = player.place.locator(".gl-factors figcaption"), ".gl-factors"
    seen = set()
    for _ in range(12):
        player.press("ArrowRight")
        if not names.count():
            continue
        seen.add(rows := player.place.locator(".gl-result tr").count())
        tab.set_viewport_size({"width": 934, "height": 768})
        lines = names.evaluate_all("(all) => all.map((one) => one.offsetHeight)")
        assert max(lines) < 24, "a name breaks though the card has room"
        tab.set_viewport_size({"width": 400, "height": 768})
        tab.evaluate(TWO_FRAMES)
        assert player.place.locator(factors).evaluate("(one) => one.scrollWidth <= one.clientWidth")
        if rows == 1:
            assert player.place.locator(".gl-product td:visible").count() == 12
    assert seen == {1, 3}


def test_the_arrays_of_a_batch_norm_stand_beside_each_other_and_names_keep_their_borders(
    tab: Page,
) -> None:
    graphlab.manual_seed(0)
    norm, x = graphlab.nn.BatchNorm1d(3), graphlab.randn(4, 3, requires_grad=True)
    tab.set_viewport_size({"width": 1366, "height": 768})
    tab.set_content(to_html(graphlab.trace((norm(x) ** 3).mean()), standalone=True))
    player = Player(tab.locator(".graphlab").first)
    while not player.place.get_by_text("NativeBatchNormBackward0 takes").count():
        player.press("ArrowRight")
    now = player.place.locator(".gl-p-now")
    tops = now.locator(".gl-figure").evaluate_all(
        "(all) => all.map((one) => Math.round(one.getBoundingClientRect().top))"
    )
    assert len(tops) == 8
    assert len(set(tops)) < 6  # with a line of numbers for each, 7
    broken = now.locator("code").evaluate_all(
        """(all) => all.filter((one) => one.getClientRects().length > 1)
            .map((one) => getComputedStyle(one).boxDecorationBreak)"""
    )
    assert broken == ["clone", "clone"]  # running_mean and running_var: two lines, two borders


def test_a_presented_product_can_be_read_from_the_back(opened: Callable[..., Player]) -> None:
    player = opened(keys="f")
    for selector in (".gl-product td", ".gl-sum"):
        size = player.place.locator(selector).first.evaluate(
            "(one) => getComputedStyle(one).fontSize"
        )
        assert float(size.removesuffix("px")) >= 18


@pytest.mark.parametrize("size", [(1366, 600), (1024, 768), (934, 768)])
def test_a_presented_product_stands_on_one_line_with_the_sum_in_sight(
    tab: Page, size: tuple[int, int]
) -> None:
    graphlab.manual_seed(0)
    A, B = (graphlab.randn(6, 6, requires_grad=True) for _ in range(2))
    loss = (A @ B * graphlab.randn(6, 6)).sum()
    tab.set_content(to_html(graphlab.trace(loss), standalone=True))
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    player = Player(tab.locator(".graphlab").first)
    player.press("f")
    while "∂loss/∂A" not in "".join(player.place.locator(".gl-result").all_text_contents()):
        player.press("ArrowRight")
    tables = player.place.locator(".gl-product table")
    signs = {
        round((one.bounding_box() or {})["y"])
        for one in player.place.locator(".gl-sign:visible").all()
    }
    assert len(signs) == 1, "the product is in several lines"
    assert tables.first.locator("tr").first.inner_text().endswith("…")  # it is said to go on
    tables.nth(2).locator("td").nth(1).hover()
    said = player.place.locator(".gl-sum.gl-told").bounding_box()
    foot = player.place.locator(".gl-foot").bounding_box()
    assert said
    assert foot
    assert said["y"] + said["height"] <= foot["y"] + 1


def test_a_presented_transformer_leaves_half_of_the_screen_to_the_graph(tab: Page) -> None:
    graphlab.manual_seed(0)
    layer = graphlab.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    loss = (layer(graphlab.randn(1, 4, 8)) ** 2).mean()  # the second norm leaves some 1e-7 of it
    tab.set_content(to_html(graphlab.trace(loss), standalone=True))
    player = Player(tab.locator(".graphlab").first)
    player.press("f")
    side, products = player.place.locator(".gl-side"), 0
    for _ in range(20):
        hidden = side.evaluate("(one) => one.scrollHeight - one.clientHeight")
        assert hidden == 0, f"the equation of step {player.position[0]} is cut by {hidden} pixels"
        products += player.place.locator(".gl-product table").count() > 0
        player.press("ArrowRight")
    assert products > 2
    below, above = side.bounding_box(), player.place.locator(".gl-canvas").bounding_box()
    assert below
    assert above
    assert above["height"] > below["height"]


def test_a_card_shows_the_gradient_as_a_heat_map_once_it_is_known(
    opened: Callable[..., Player],
) -> None:
    player = opened()
    card = player.place.locator(
        ".gl-tensors", has=player.place.page.locator("title", has_text="W;")
    )
    cells = card.locator(".gl-cells")
    expect(cells).to_have_count(2)
    assert cells.nth(0).locator("path").count() > 1
    expect(cells.nth(1).locator("path")).to_have_count(0)
    player.press("End")
    assert cells.nth(1).locator("path").count() > 1
