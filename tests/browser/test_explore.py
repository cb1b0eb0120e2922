"""The explorer on a page: sliders, the picture that follows, and a graph that changes its shape."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from tests.browser.axe import add_axe, complaints
from tests.browser.jupyter import ARTIFACTS, JupyterLab, Student, open_page
from tests.browser.notebooks import write_code
from tests.browser.player import LAST, TWO_FRAMES, Player, players, wait_for

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


def test_the_slope_card_shows_the_latest_run(player: Player, live: Student) -> None:
    player.click(LAST)
    player.click("Slope: the curve and its tangent")
    said = player.place.locator(".gl-slope-said")
    player.place.get_by_label("Slope over").select_option(label="a")
    expect(said).to_contain_text("At a = 2: slope 3.5, the gradient that the walk has found.")
    set_values(live, '{"b": 4.0}')
    expect(said).to_contain_text("At a = 2: slope 4.5, the gradient that the walk has found.")


def test_axe_finds_nothing_in_an_explorer(player: Player, live: Student) -> None:
    expect(handle(live, "a")).to_have_attribute("aria-label", "a")
    expect(handle(live, "b")).to_have_attribute("aria-label", "b")
    add_axe(live.page)
    assert complaints(live.page, ".jp-Cell:has(.gl-frame) .jp-OutputArea") == []
    set_values(live, '{"a": -1.0}')
    expect(warning(player)).to_contain_text("new graph")
    assert complaints(live.page, ".jp-Cell:has(.gl-frame) .jp-OutputArea") == []


def test_another_branch_keeps_what_stays_in_its_place_and_says_what_came(
    player: Player, live: Student
) -> None:
    set_values(live, '{"a": -1.0}')  # both branches are known now
    expect(warning(player)).to_have_text(
        "new graphLogBackward0 of line 7 and AddBackward0 of line 7 are gone; "
        "NegBackward0 of line 9 is new."
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
    expect(warning(player)).to_contain_text("NegBackward0 of line 9 is new")
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


# -- what the page shows before the kernel has answered -----------------------------------------

FORESEEN = """\
import os
import time
import graphlab
broken = False
def f(a, b):
    while os.path.exists("brake"):  # a file, because a kernel that waits here hears no message
        time.sleep(0.05)
    if broken:
        raise ValueError("broken")
    return graphlab.log(a) + a * b if a > 1 else -a * b
explorer = graphlab.explore(f, a=(2.0, 0, 6, 0.5), b=(3.0, 0, 9, 0.5))
explorer.values = {"a": 2.5, "b": 3.5}  # once: nothing but the graph depends on them
explorer"""
SEEN = """() => {
  const seen = window.seen = [];
  const look = () => {
    const text = document.querySelector(".gl-row-leaf:nth-child(2) td:nth-child(4)")?.textContent;
    if (text !== seen.at(-1)) seen.push(text);
  };
  new MutationObserver(look).observe(document.querySelector(".gl-frame").parentElement,
    {subtree: true, childList: true, characterData: true});
}"""


@pytest.fixture
def brake(jupyterlab: JupyterLab) -> Iterator[Path]:
    """While this file exists, the function does not end."""
    file = jupyterlab.root / "brake"
    yield file
    file.unlink(missing_ok=True)


@pytest.fixture
def foreseen(
    context: BrowserContext, jupyterlab: JupyterLab, pages: list[Student]
) -> Iterator[Player]:
    write_code(jupyterlab.root / "foreseen.ipynb", FORESEEN)
    student = open_page(pages, jupyterlab, context)
    student.clear_the_desk()  # of the sliders above
    student.open_notebook("foreseen.ipynb")
    student.run_all()
    player = Player(players(student.page).first)
    player.click(LAST)
    expect(player.place.locator(".gl-seldom")).to_be_attached()  # with what foresees
    student.page.evaluate(SEEN)
    handle(student, "a").focus()
    yield player
    student.assert_content()
    student.clear_the_desk()


def test_a_busy_kernel_does_not_hold_up_what_it_will_answer(
    foreseen: Player, pages: list[Student], brake: Path
) -> None:
    student = pages[-1]
    brake.touch()
    for key, slope in (("Right", "3.0"), ("Right", "3.5"), ("Left", "3.0")):
        student.page.keyboard.press(f"Arrow{key}")
        wait_for(lambda slope=slope: foreseen.gradients()["b"] == slope)
    assert foreseen.place.locator(".gl-changed, .gl-strip button:visible").count() == 0
    brake.unlink()
    wait_for(lambda: student.run_code("print(explorer.values['a'])") == "3.0")
    set_values(student, '{"b": 5.0}')  # what it answers comes after the answers before
    wait_for(lambda: foreseen.gradients()["a"] == "5.3333")
    assert student.page.evaluate("seen") == ["3.0", "3.5", "3.0"]  # no older picture came back


def test_another_branch_waits_for_the_kernel(
    foreseen: Player, pages: list[Student], brake: Path
) -> None:
    student = pages[-1]
    brake.touch()
    for slope in ("2.0", "1.5"):  # one after the other: a frame shows the last value only
        student.page.keyboard.press("ArrowLeft")
        wait_for(lambda slope=slope: foreseen.gradients()["b"] == slope)
    for _ in range(2):  # not above 1
        student.page.keyboard.press("ArrowLeft")
    expect(handle(student, "a")).to_have_attribute("aria-valuenow", "0.5")
    student.page.evaluate(TWO_FRAMES)
    assert foreseen.gradients()["b"] == "1.5"
    brake.unlink()
    wait_for(lambda: foreseen.gradients()["b"] == "-0.5")
    assert set(student.page.evaluate("seen")) <= {"2.0", "1.5", "-1.0", "-0.5"}, "another step"


def test_an_error_that_nobody_foresaw_brings_the_last_right_picture_back(
    foreseen: Player, pages: list[Student], brake: Path
) -> None:
    student = pages[-1]
    student.run_code("broken = True")
    brake.touch()
    student.page.keyboard.press("ArrowRight")
    wait_for(lambda: foreseen.gradients()["b"] == "3.0")
    brake.unlink()
    expect(warning(foreseen)).to_contain_text("ValueError: broken. The picture shows a = 2.5")
    assert foreseen.gradients()["b"] == "2.5"
    student.page.keyboard.press("ArrowRight")
    wait_for(lambda: student.run_code("print(explorer.values['a'])") == "3.5")
    student.page.evaluate(TWO_FRAMES)
    assert student.page.evaluate("seen") == ["3.0", "2.5"]
    student.run_code("broken = False")
    student.page.keyboard.press("ArrowRight")
    wait_for(lambda: foreseen.gradients()["b"] == "4.0")
