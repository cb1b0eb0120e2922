"""The explorer on a page: sliders, the picture that follows, and a graph that changes its shape."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from tests.browser.jupyter import ARTIFACTS, JupyterLab, Student, open_page
from tests.browser.notebooks import write_code
from tests.browser.player import LAST, Player, players, wait_for

pytestmark = pytest.mark.browser

FUNCTION = """\
import graphlab
runs = []
def f(a, b, n):
    runs.append(a.item())
    u = a * b
    if a > 0:
        y = graphlab.log(a) + u
    else:
        y = -u
    for i in range(n):
        y = graphlab.tanh(y)
    if a.item() == 4:
        raise ValueError("no <b>four</b>")
    return y
explorer = graphlab.explore(f, a=2.0, b=3.0, n=0)
slider = explorer.children[0].children[0]
explorer"""


@pytest.fixture(scope="module")
def opened(
    context: BrowserContext, jupyterlab: JupyterLab, pages: list[Student]
) -> Iterator[Student]:
    write_code(jupyterlab.root / "explore.ipynb", FUNCTION)
    student = open_page(pages, jupyterlab, context)
    student.open_notebook("explore.ipynb")
    yield student
    student.clear_the_desk()


@pytest.fixture
def live(opened: Student) -> Iterator[Student]:
    opened.run_all()
    yield opened
    opened.assert_content()


@pytest.fixture
def player(live: Student) -> Player:
    return Player(players(live.page).first)


def handle(student: Student, name: str) -> Locator:
    """The handle of a slider, which takes the arrow keys."""
    return (
        student.page.locator(".widget-slider").filter(has_text=name).locator(".noUi-handle").first
    )


def set_values(student: Student, values: str) -> None:
    student.run_code(f"explorer.values = {values}")


def warning(player: Player) -> Locator:
    return player.place.locator(".gl-stale")


def test_a_key_on_a_slider_moves_every_number_and_nothing_else(
    player: Player, live: Student
) -> None:
    player.click(LAST)
    drawing = player.place.locator(".gl-picture").element_handle()
    before, place = player.gradients(), player.position
    handle(live, "a").focus()
    live.page.keyboard.press("ArrowRight")
    wait_for(lambda: player.gradients() != before)
    a = float(live.run_code("print(explorer.values['a'])"))
    assert a > 2
    assert player.gradients()["b"] == f"{a:.5g}"
    assert player.position == place
    same = "(old) => old.isConnected && old === document.querySelector('.gl-picture')"
    assert live.page.evaluate(same, drawing)
    live.page.screenshot(path=ARTIFACTS / "explore.png")


def test_another_branch_keeps_what_stays_in_its_place_and_says_what_came(
    player: Player, live: Student
) -> None:
    set_values(live, '{"a": -1.0}')  # both branches are known now
    expect(warning(player)).to_have_text(
        "new graphLogBackward0 of line 7 and AddBackward0 of line 7 went; "
        "NegBackward0 of line 9 came."
    )
    assert player.place.locator(".gl-ops.gl-came").count() == 1
    live.page.screenshot(path=ARTIFACTS / "explore-branch.png")
    place = "(one) => { const {x, y} = one.getBBox(); return [x, y] }"
    times = player.place.locator(".gl-ops", has_text="×").first
    before = times.evaluate(place)
    set_values(live, '{"a": 2.0}')
    expect(player.place.locator(".gl-ops.gl-came")).to_have_count(2)
    assert times.evaluate(place) == before
    set_values(live, '{"a": 2.5}')
    expect(warning(player)).to_be_hidden()
    expect(player.place.locator(".gl-came")).to_have_count(0)


def test_an_error_is_told_in_place_and_the_last_right_picture_stays(
    player: Player, live: Student
) -> None:
    player.click(LAST)
    before = player.gradients()
    set_values(live, '{"a": 4.0}')
    expect(warning(player)).to_contain_text("ValueError: no <b>four</b>. The picture shows a = 2.0")
    assert player.gradients() == before
    live.page.screenshot(path=ARTIFACTS / "explore-error.png")
    set_values(live, '{"a": 5.0}')
    expect(warning(player)).to_be_hidden()
    assert player.gradients()["b"] == "5.0"


def test_a_slider_that_is_dragged_wildly_ends_with_the_latest_value(
    player: Player, live: Student
) -> None:
    grip = handle(live, "a")
    grip.evaluate("one => one.scrollIntoView({ block: 'center' })")  # from below the toolbar
    box = grip.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    runs = int(live.run_code("print(len(runs))"))
    live.page.mouse.move(x, y)
    live.page.mouse.down()
    for k in range(100):
        live.page.mouse.move(x + 40 - (k % 80), y)
    live.page.mouse.move(x + 30, y)
    live.page.mouse.up()
    readout = live.page.locator(".widget-slider").filter(has_text="a").locator(".widget-readout")
    wait_for(lambda: float(readout.first.inner_text()) > 2)
    a = float(readout.first.inner_text())  # where the hand let go, however far the kernel is
    wait_for(lambda: live.run_code("print(round(explorer.values['a'], 2))") == str(a))
    player.click(LAST)
    wait_for(lambda: player.gradients()["b"] == f"{a:.5g}")
    after = int(live.run_code("print(len(runs))"))
    assert after - runs <= 102
    assert float(live.run_code("print(runs[-1])")) == pytest.approx(a, rel=1e-6)  # float32


def test_a_value_that_is_changed_in_the_picture_moves_its_slider(
    player: Player, live: Student
) -> None:
    player.click(LAST)
    player.place.locator(".gl-leaf .gl-hit").first.focus()
    for key in ("Enter", "-", "3", "Enter"):
        player.press(key)
    wait_for(lambda: live.run_code("print(explorer.values['a'])") == "-3.0")
    expect(warning(player)).to_contain_text("NegBackward0 of line 9 came")
    before = int(live.run_code("print(len(runs))"))
    set_values(live, '{"a": 2.337}')  # between two steps of the slider
    readout = live.page.locator(".widget-slider").filter(has_text="a").locator(".widget-readout")
    expect(readout.first).to_have_text("2.35")
    wait_for(lambda: live.run_code("print(slider.value)") != "2.337")  # which says so
    assert live.run_code("print(explorer.values['a'], len(runs))") == f"2.337 {before + 1}"


def test_a_kernel_that_goes_leaves_the_last_right_picture(player: Player, live: Student) -> None:
    player.click(LAST)
    before = player.gradients()
    live.ask_panel("panel => panel.sessionContext.shutdown()")
    expect(warning(player)).to_contain_text("kernel gone")
    assert player.gradients() == before
    handle(live, "a").focus()
    live.page.keyboard.press("ArrowRight")
    assert player.gradients() == before
    live.forgive("Could not send widget sync message")  # which ipywidgets' slider says
