"""A saved trace plays in JupyterLab: no kernel, no trust, by mouse and by keyboard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

import graphlab
from graphlab import nn
from tests.browser.jupyter import THEMES, Student
from tests.browser.notebooks import MIME, lesson, write_output
from tests.browser.player import BACK, FIRST, FORWARD, LAST, Player, players, wait_for

pytestmark = pytest.mark.browser

# How much the controls cover of the operations that run.
COVERED = """(root) => {
    const edge = root.querySelector(".gl-foot").getBoundingClientRect().top;
    return [...root.querySelectorAll(".gl-svg [data-status=current] .gl-op")]
        .map((one) => one.getBoundingClientRect().bottom - edge)
        .filter((pixels) => pixels > 0);
}"""


@pytest.fixture
def player(student: Student, notebook: Path) -> Player:
    """The lesson's trace, saved in a notebook that nobody signed, opened without a kernel."""
    write_output(notebook / "saved.ipynb", {MIME: lesson(), "text/plain": "a trace"})
    student.open_without_a_kernel(f"{notebook.name}/saved.ipynb")
    assert not student.is_trusted()
    return Player(players(student.page).first)


def test_the_mouse_walks_to_the_end_and_back(player: Player) -> None:
    start, steps = player.position
    assert start == 1
    assert steps > 4
    for number in range(2, steps + 1):
        player.click(FORWARD)
        player.wait_for_step(number)
    for number in range(steps - 1, 0, -1):
        player.click(BACK)
        player.wait_for_step(number)
    player.click(LAST)
    player.wait_for_step(steps)
    player.click(FIRST)
    player.wait_for_step(1)


def test_the_keyboard_walks_to_the_end_and_back(player: Player) -> None:
    _, steps = player.position
    player.focus()
    for number in range(2, steps + 1):
        player.press("ArrowRight")
        player.wait_for_step(number)
    for number in range(steps - 1, 0, -1):
        player.press("ArrowLeft")
        player.wait_for_step(number)
    player.press("End")
    player.wait_for_step(steps)
    player.press("Home")
    player.wait_for_step(1)


@pytest.mark.parametrize("height", [768, 720])
def test_the_controls_never_cover_the_operation_of_a_step(
    student: Student, notebook: Path, height: int
) -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    walk = graphlab.trace(layer(graphlab.randn(2, 5, 8)).square().mean())
    # a cell of nine lines stands above the picture
    write_output(
        notebook / "long.ipynb", walk._repr_mimebundle_(), source=8 * "#\n" + "trace(loss)"
    )
    student.page.set_viewport_size({"width": 1366, "height": height})
    student.open_without_a_kernel(f"{notebook.name}/long.ipynb")
    player = Player(players(student.page).first)
    player.place.locator(".gl-narration").click()
    covered = []
    for step in range(2, 24):
        player.press("ArrowRight")
        player.wait_for_step(step)
        covered += [f"step {step}: {pixels} px" for pixels in player.place.evaluate(COVERED)]
    assert covered == []


# How much the controls cover of the cards and operations that a step or a question is about.
POINTED = """(root) => {
    const edge = root.querySelector(".gl-foot").getBoundingClientRect().top;
    return [...root.querySelectorAll(".gl-focus :is(.gl-card, .gl-op)")]
        .map((one) => Math.round(one.getBoundingClientRect().bottom - edge))
        .filter((pixels) => pixels > 0);
}"""


@pytest.mark.parametrize("own", [False, True], ids=["predicted", "a quiz"])
@pytest.mark.parametrize("size", [(1366, 768), (1100, 768), (1280, 720)])
def test_the_controls_never_cover_what_is_asked_for(
    student: Student, notebook: Path, size: tuple[int, int], own: bool
) -> None:
    a, b, c, d = (graphlab.tensor(x, requires_grad=True) for x in (2.0, 3.0, 5.0, 10.0))
    v = c * graphlab.log(d)
    walk = graphlab.trace(a * b + v)
    if own:
        question = graphlab.Question("What will it hold?", 0.5)
        choice = graphlab.Question("Why?", "yes", choices={"yes": "", "no": "", "perhaps": ""})
        written = walk.find("LeafWritten", tensor="d")
        walk = walk.ask({written: question}).ask({walk.find("Finished"): choice})
    walk = walk.at(0, predicting=True, granularity="story")
    write_output(notebook / "quiz.ipynb", walk._repr_mimebundle_())
    student.page.set_viewport_size({"width": size[0], "height": size[1]})
    student.open_without_a_kernel(f"{notebook.name}/quiz.ipynb")
    player = Player(players(student.page).first)
    player.place.locator(".gl-narration").click()
    covered = []
    for _ in range(14):
        player.press("ArrowRight")
        covered += [f"{player.narration}: {n} px" for n in player.place.evaluate(POINTED)]
    assert covered == []


def test_the_page_shows_the_gradients_of_the_lesson(player: Player) -> None:
    assert set(player.gradients().values()) == {"not yet"}
    player.click(LAST)
    assert player.gradients() == {"a": "3.0", "b": "2.0", "c": "2.3026", "d": "0.5"}


def test_the_keys_of_the_player_do_not_reach_the_notebook(player: Player, student: Student) -> None:
    # In command mode "b" adds a cell, and Shift+Right would select.
    cells = student.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell")
    before = cells.count()
    player.focus()
    for key in ("b", "a", "x", "d", "d", "Shift+ArrowRight", "m"):
        player.press(key)
    assert cells.count() == before
    assert player.position[0] > 1


def test_the_space_bar_plays_and_pauses(player: Player) -> None:
    player.place.get_by_label("Speed").select_option("4")
    player.focus()
    player.press("Space")
    wait_for(lambda: player.position[0] >= 2)
    player.press("Space")
    here = player.position
    player.place.page.wait_for_timeout(800)  # longer than two beats of playing
    assert player.position == here


def test_a_click_on_a_node_goes_to_its_step(player: Player) -> None:
    node = player.place.locator(".gl-picture [data-id='n3']").first
    node.click()
    wait_for(lambda: player.position[0] > 1)
    assert "LogBackward0" in player.narration


def test_the_player_is_shown_in_every_theme(player: Player, student: Student) -> None:
    for _ in range(5):
        player.click(FORWARD)
    for theme in THEMES:
        student.theme(theme)
        expect(player.place.locator(".gl-narration")).to_be_visible()
        student.screenshot(f"player-{theme}")


def right(place: Locator) -> float:
    """Where an element ends, in pixels of the window."""
    return place.evaluate("(one) => one.getBoundingClientRect().right")


def test_the_player_fits_a_narrow_page(player: Player, student: Student) -> None:
    student.page.set_viewport_size({"width": 640, "height": 900})
    notebook = student.page.locator(".jp-NotebookPanel:visible .jp-WindowedPanel-outer")
    # JupyterLab gives its notebook the new width in a frame of its own.
    wait_for(lambda: right(notebook) < 640)
    frame = player.place.locator(".gl-frame")  # never less than 284 pixels, what holds it may be
    assert right(frame) <= right(notebook)
    for control in frame.locator(".gl-foot :is(button, select, input):visible").all():
        assert right(control) < right(frame), control.get_attribute("title")
    player.click(FORWARD)
    player.wait_for_step(2)
    student.screenshot("player-narrow")


def test_a_trace_plays_as_a_document(student: Student, notebook: Path) -> None:
    (notebook / "lesson.graphlab.json").write_text(json.dumps(lesson()), "utf-8")
    student.open_file(f"{notebook.name}/lesson.graphlab.json")
    player = Player(players(student.page).first)
    player.click(LAST)
    assert player.gradients()["a"] == "3.0"


def test_a_damaged_trace_shows_a_sentence(student: Student, notebook: Path) -> None:
    damaged = [
        {},
        {"format": "graphlab.trace", "version": 999},
        {**lesson(), "events": [{"kind": "Exploded"}]},
        [1, 2],
    ]
    bundles = [{MIME: trace, "text/plain": "a trace"} for trace in damaged]
    write_output(notebook / "damaged.ipynb", *bundles)
    student.open_without_a_kernel(f"{notebook.name}/damaged.ipynb")
    sentences = student.page.locator(".graphlab [role='alert']")
    expect(sentences).to_have_count(len(damaged))
    assert all("GraphLab" in sentence for sentence in sentences.all_inner_texts())


def test_names_are_text_and_never_markup(student: Student, notebook: Path) -> None:
    evil = '<img src=x onerror="window.hacked=true">'
    trace = {**lesson(a=evil), "title": evil}
    write_output(notebook / "evil.ipynb", {MIME: trace, "text/plain": "a trace"})
    student.open_without_a_kernel(f"{notebook.name}/evil.ipynb")
    player = Player(players(student.page).first)
    player.click(LAST)
    assert evil in player.gradients()
    assert student.page.evaluate("() => window.hacked") is None
