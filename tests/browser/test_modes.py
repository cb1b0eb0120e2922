"""The modes of the player in a real browser: predicting, presenting, and a step that moves nothing.

Read next: js/test/predict.test.ts and js/test/modes.test.ts, which try every case.
"""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Page, expect

import graphlab
from graphlab import nn
from graphlab.faces.render.html import to_html
from tests.browser import conftest
from tests.browser.player import Player
from tests.browser.test_layout import WALKED

pytestmark = pytest.mark.browser
spare_tabs = conftest.written_tabs  # a fixture

Scheme = Literal["light", "dark"]


# The pieces that reach beyond the box that shows them.
CUT = """(root) => {
    const box = root.querySelector(".gl-canvas").getBoundingClientRect();
    return [...root.querySelectorAll(".gl-ops, .gl-tensors")].filter((piece) => {
        const { left, right, top, bottom } = piece.getBoundingClientRect();
        return left < box.left - 1 || right > box.right + 1
            || top < box.top - 1 || bottom > box.bottom + 1;
    }).map((piece) => piece.dataset.id);
}"""


# Where the picture begins.
TOP = """(root) => [root.querySelector(".gl-viewport").getBoundingClientRect().top]"""

# The cards and controls that are wider than their place.
WIDER = """(root) => [...root.querySelectorAll(".gl-card, .gl-body, .gl-foot")]
    .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1)
    .map((one) => `${one.className} in ${one.parentElement.className}`)"""


# How many dots run; it is put there once, and stays.
RUNNING = """() => document.getAnimations().filter(
    (one) => one.effect.target.classList.contains("gl-token")).length"""


# Close the dialog as Escape does, and open it again before the browser tells that it was closed.
CLOSE_AND_OPEN = """() => new Promise((told) => {
    const dialog = document.querySelector("dialog[open]");
    dialog.addEventListener("close", () => setTimeout(told, 0));
    dialog.requestClose();
    const key = new KeyboardEvent("keydown", { key: "?", bubbles: true });
    document.querySelector(".graphlab").dispatchEvent(key);
})"""


@pytest.fixture
def page(tab: Page) -> Page:
    """A page with the lesson, in dark colours."""
    a, b, c, d = (graphlab.tensor(x, requires_grad=True) for x in (2.0, 3.0, 5.0, 10.0))
    e = a * b + c * d.log()
    tab.emulate_media(color_scheme="dark")
    tab.set_content(to_html(graphlab.trace(e), standalone=True))
    return tab


@pytest.fixture
def player(page: Page) -> Player:
    """The player on it, with the keys."""
    player = Player(page.locator(".graphlab").first)
    player.place.focus()
    return player


def test_a_prediction_is_typed_and_judged_without_the_mouse(player: Player) -> None:
    for key in ["p", "ArrowRight", "1", ".", "0", "Enter"]:
        player.press(key)
    expect(player.place.locator(".gl-said")).to_have_text("Right: 1.0")
    expect(player.place.locator(".gl-score")).to_have_text("1 of 1 right at the first try")
    player.press("ArrowRight")  # the keys are the player's again
    player.wait_for_step(3)


def test_a_dialog_keeps_the_focus_until_escape_closes_it(page: Page, player: Player) -> None:
    player.press("Shift+B")
    expect(player.place.locator(".gl-dialog:visible")).to_have_count(1)
    for _ in range(12):  # more than it has tab stops
        player.press("Tab")
        assert page.evaluate("() => document.activeElement.matches('body, dialog, dialog *')")
    page.locator(".gl-dialog:visible").press("Escape")
    expect(player.place.locator(".gl-dialog:visible")).to_have_count(0)
    expect(player.place).to_be_focused()
    player.press("?")
    page.evaluate(CLOSE_AND_OPEN)
    expect(player.place.locator(".gl-dialog:visible")).to_have_count(1)  # not closed by it


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_presenting_follows_the_theme(page: Page, player: Player, scheme: Scheme) -> None:
    page.emulate_media(color_scheme=scheme)
    player.press("f")
    ink, paper = ("rgb(0, 0, 0)", "rgb(255, 255, 255)")
    seen = (ink, paper) if scheme == "light" else (paper, ink)
    expect(player.place).to_have_css("color", seen[0])
    expect(player.place).to_have_css("background-color", seen[1])


def test_a_presented_graph_keeps_its_place_from_step_to_step(page: Page) -> None:
    x, w = graphlab.ones(2, 3), graphlab.ones(3, 2).requires_grad_()
    b = graphlab.tensor([1.0, 2.0], requires_grad=True)
    page.set_content(to_html(graphlab.trace((x @ w + b).sum().log()), standalone=True))
    player = Player(page.locator(".graphlab").first)
    player.press("f")
    boxes = set()
    for _ in range(player.position[1]):
        box = player.place.locator(".gl-canvas").bounding_box()
        assert box is not None
        width = player.place.locator(".gl-picture").evaluate("(one) => one.clientWidth")
        boxes.add((box["y"], box["height"], width))
        player.press("ArrowRight")
    assert len(boxes) == 1


def test_presenting_is_large_and_left_by_escape(player: Player) -> None:
    player.press("ArrowRight")
    player.press("f")
    sizes = player.place.evaluate(
        """(root) => ({
            narration: parseFloat(getComputedStyle(root.querySelector(".gl-narration")).fontSize),
            labels: [...root.querySelectorAll(".gl-svg text")]
                .filter((text) => text.getClientRects().length && text.textContent)
                .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a),
            nodes: [...root.querySelectorAll(".gl-ops, .gl-tensors")]
                .filter((node) => node.getClientRects().length).length,
        })"""
    )
    assert sizes["narration"] >= 28
    assert min(sizes["labels"]) >= 17.9  # pixels: 18, less what a picture of whole pixels loses
    assert sizes["nodes"] <= 25
    player.press("Escape")
    expect(player.place).not_to_have_class("gl-presenting")


# Of each saved tensor in sight: what its chip says, how far its texts reach out of it, and how
# far they are apart, in pixels.
CHIPS = """(root) => [...root.querySelectorAll(".gl-saveds")]
    .filter((chip) => chip.checkVisibility({visibilityProperty: true}))
    .map((chip) => {
        const box = chip.querySelector(".gl-chip").getBoundingClientRect();
        const texts = [...chip.querySelectorAll("text")].filter((text) => text.textContent);
        const places = texts.map((text) => text.getBoundingClientRect());
        const outs = places.map(({left, right}) => Math.max(box.left - left, right - box.right));
        const [key, value] = places;
        const apart = value ? value.left - key.right : 0;
        return [texts.map((text) => text.textContent).join(" "), Math.max(...outs), apart];
    })"""


def saving() -> graphlab.Tensor:
    """A result whose nodes save numbers, arrays and options, with short and long texts."""
    x, w = (graphlab.tensor(some, requires_grad=True) for some in ([1.0, 2.0, 3.0], 0.7))
    return ((x * w).tanh() ** 2 / 3.14159).sum()


@pytest.mark.parametrize("width", [1366, 1280])
@pytest.mark.parametrize("view", ["both", "backward"])
def test_a_room_sees_what_is_saved_and_what_is_freed(page: Page, view: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 768})
    page.set_content(to_html(graphlab.trace(saving()).at(0, view=view), standalone=True))
    player = Player(page.locator(".graphlab").first)
    player.press("f")
    chips = player.place.evaluate(CHIPS)
    told = [text for text, _, _ in chips]
    assert {"other 0.7", "exponent 2", "result [0.604, 0.885, 0.971]"} <= {*told}, told
    assert max(out for _, out, _ in chips) <= 2, chips
    assert min(apart for _, _, apart in chips) >= 1, chips
    freed = player.place.locator(".gl-saveds.gl-freed .gl-hatch")
    expect(freed).to_have_count(0)
    player.press("End")
    assert freed.count() > 2
    expect(freed.first).to_be_visible()


@pytest.mark.parametrize("keys", ["f", "fp"], ids=["presented", "predicted"])
def test_a_room_sees_the_whole_lesson(player: Player, keys: str) -> None:
    for key in keys:
        player.press(key)
    player.press("ArrowRight")
    shown = player.place.element_handle()
    player.place.page.wait_for_function(f"(root) => ({CUT})(root).length === 0", arg=shown)


def test_a_room_sees_no_more_than_25_pieces_of_a_program_and_the_rest_collapsed(
    page: Page,
) -> None:
    blocks = [nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2)) for _ in range(4)]
    net = nn.Sequential(*blocks)
    page.set_content(to_html(graphlab.trace(net(graphlab.ones(1, 2)).sum()), standalone=True))
    player = Player(page.locator(".graphlab").first)
    pieces = player.place.locator(":is(.gl-ops, .gl-tensors, .gl-scopes, .gl-stubs):visible")
    assert pieces.count() > 25
    player.press("f")
    assert player.place.locator(".gl-scopes:visible").count() > 2
    for _ in range(player.position[1]):
        assert 1 < pieces.count() <= 25
        player.press("ArrowRight")
    player.press("Escape")
    assert pieces.count() > 25


@pytest.mark.parametrize(
    ("sines", "added", "left"), [(20, [], "16 more are"), (11, [1.0], "1 more is")]
)
def test_a_room_sees_what_is_near_where_nothing_can_be_collapsed_and_how_much_is_left(
    page: Page, sines: int, added: list[float], left: str
) -> None:
    x = graphlab.tensor(0.5, requires_grad=True)
    y = x
    for _ in range(sines):
        y = y.sin()
    for number in added:
        y = y + number
    page.set_content(to_html(graphlab.trace(y), standalone=True))
    player = Player(page.locator(".graphlab").first)
    player.press("f")
    assert player.place.locator(":is(.gl-ops, .gl-tensors):visible").count() == 25
    expect(player.place.locator(".gl-rest")).to_have_text(
        f"the 25 tensors and operations nearest to this step; {left} not drawn"
    )
    player.press("Escape")
    expect(player.place.locator(".gl-rest")).to_be_empty()


def test_of_a_wide_graph_the_part_at_work_is_shown_large_enough_to_read(page: Page) -> None:
    w, b, x = (graphlab.tensor(value, requires_grad=True) for value in (0.5, 0.1, [1.0, 2.0, 3.0]))
    loss = ((w * x + b - 2.0) ** 2).mean().log().exp()
    page.set_content(to_html(graphlab.trace(loss), standalone=True))
    player = Player(page.locator(".graphlab").first)
    player.place.focus()
    assert player.place.evaluate(CUT) != []  # it is too wide for the page
    for _ in range(player.position[1]):
        seen = player.place.evaluate(
            """(root) => {
                const box = root.querySelector(".gl-canvas").getBoundingClientRect();
                const text = root.querySelector(".gl-svg .gl-value");
                return {
                    size: parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a,
                    near: [...root.querySelectorAll(":is(.gl-ops, .gl-tensors).gl-focus")]
                        .map((piece) => piece.getBoundingClientRect())
                        .every(({ left, right }) => right > box.left && left < box.right),
                };
            }"""
        )
        assert seen["near"]
        assert seen["size"] >= 10.5  # pixels
        player.press("ArrowRight")


def test_one_dot_moves_and_none_for_who_asked_for_less_motion(page: Page, player: Player) -> None:
    page.emulate_media(reduced_motion="null")
    player.press("ArrowRight")
    page.wait_for_function(f"() => ({RUNNING})() === 1")  # it has set off, however short it was
    page.wait_for_function(f"() => ({RUNNING})() === 0")  # it has arrived, and is not seen
    expect(page.locator(".gl-token")).to_have_count(1)
    assert (
        page.evaluate("() => getComputedStyle(document.querySelector('.gl-token')).opacity") == "0"
    )
    page.emulate_media(reduced_motion="reduce")
    player.press("ArrowRight")
    player.wait_for_step(3)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    assert page.evaluate(RUNNING) == 0


def test_the_graph_keeps_its_place_from_step_to_step(player: Player) -> None:
    picture = player.place.locator(".gl-picture")
    places = set()
    for _ in range(player.position[1]):
        box = picture.bounding_box()
        assert box is not None
        places.add((box["x"], box["y"], box["width"]))
        player.press("ArrowRight")
    assert len(places) == 1


class Encoder(nn.Module):
    """A network whose parameters have names as long as they are in practice."""

    def __init__(self) -> None:
        super().__init__()
        self.positionwise_feed_forward = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        self.output_projection = nn.Linear(4, 2)

    def forward(self, x: graphlab.Tensor) -> graphlab.Tensor:
        return self.output_projection(self.positionwise_feed_forward(x))


@pytest.mark.parametrize("width", [1366, 1100, 400])
def test_no_card_is_cut_and_the_picture_stays_where_it_is(tab: Page, width: int) -> None:
    model = Encoder()
    optimizer = graphlab.optim.SGD(model.parameters(), lr=0.1)
    with graphlab.record() as timeline:
        for _ in range(2):
            optimizer.zero_grad()
            a_loss_with_a_long_name = model(graphlab.ones(4)).square().sum()
            a_loss_with_a_long_name.backward()
            optimizer.step()
    tab.set_viewport_size({"width": width, "height": 768})
    tab.set_content(to_html(timeline, standalone=True))
    player = Player(tab.locator(".graphlab").first)
    player.focus()
    steps = [*range(2, player.position[1] + 1)]
    seen = player.place.evaluate(WALKED, [steps, [TOP, WIDER]])
    assert [one for one in seen if isinstance(one[1], str)] == []
    assert [step for step, _ in seen] == steps
    assert len({top for _, top in seen}) == 1
