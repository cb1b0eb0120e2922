"""The first lesson, as a newcomer meets it: open, run all, walk to the end and back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.jupyter import ROOT, JupyterLab, Student, open_page
from tests.browser.player import BACK, FORWARD, LAST, Player, players, wait_for

pytestmark = pytest.mark.browser

LESSON = "notebooks/01_a_formula_is_a_graph.ipynb"
GRADIENTS = {"a": "3.0", "b": "2.0", "c": "2.3026", "d": "0.5"}
DRAWN = ".jp-OutputArea-output .graphlab svg, .jp-OutputArea-output img, .jp-RenderedSVG svg"
SAVED_LIMIT = 300_000  # bytes

# The widget's step, whatever the notebook calls it.
KERNELS_STEP = """\
import gc
from graphlab.faces.widgets.stepper import Stepper
print([thing.step for thing in gc.get_objects() if isinstance(thing, Stepper)][0])"""


@pytest.fixture
def lesson(notebook: Path) -> str:
    """A copy of the committed lesson, for one test."""
    shutil.copy(ROOT / LESSON, notebook / "lesson.ipynb")
    return f"{notebook.name}/lesson.ipynb"


def run_the_lesson(student: Student, lesson: str) -> None:
    student.open_notebook(lesson)
    student.run_all()
    failed = student.page.locator("[data-mime-type='application/vnd.jupyter.error']")
    assert failed.count() == 0, failed.all_inner_texts()


@pytest.fixture(scope="module")
def ran(context: BrowserContext, jupyterlab: JupyterLab, pages: list[Student]) -> Student:
    """The lesson after a run, saved, and open until the first test that takes it ends."""
    folder = jupyterlab.root / "saved"
    folder.mkdir()
    shutil.copy(ROOT / LESSON, folder / "lesson.ipynb")
    student = open_page(pages, jupyterlab, context)
    student.page.bring_to_front()
    run_the_lesson(student, "saved/lesson.ipynb")
    student.save()
    student.assert_content()
    return student


@pytest.fixture(scope="module")
def saved(ran: Student) -> Callable[[Path], None]:
    """The lesson as JupyterLab saves it after a run; JupyterLab has been loaded anew since."""
    ran.clear_the_desk()
    ran.open_lab()
    return lambda place: shutil.copy(ran.lab.root / "saved" / "lesson.ipynb", place)


def saved_player(page: Page) -> Player:
    """The lesson's first `trace`: a saved output, not a widget."""
    page.evaluate(  # JupyterLab makes a cell when somebody comes near it
        """async () => {
            const main = [...window.jupyterapp.shell.widgets('main')];
            const notebook = main.find(widget => widget.content?.widgets?.length).content;
            for (let cell = 0; cell < notebook.widgets.length; cell++) {
                if (document.querySelector('.graphlab-output .graphlab .gl-foot')) return;
                await Promise.race([
                    notebook.scrollToItem(cell).catch(() => null),
                    new Promise(done => setTimeout(done, 500)),
                ]);
                await new Promise(done => setTimeout(done, 200));
            }
        }"""
    )
    return Player(page.locator(".graphlab-output .graphlab:has(.gl-foot)").first)


def live_player(page: Page) -> Player:
    """The lesson's `step`: a widget."""
    return Player(page.locator(".graphlab:has(.gl-foot):not(.graphlab-output .graphlab)").first)


def walk_to_the_end_and_back(player: Player, forward: str, back: str, by_key: bool) -> None:
    act = player.press if by_key else player.click
    _, steps = player.position
    if by_key:
        player.focus()
    for number in range(2, steps + 1):
        act(forward)
        player.wait_for_step(number)
    assert player.gradients() == GRADIENTS
    for number in range(steps - 1, 0, -1):
        act(back)
        player.wait_for_step(number)
    assert set(player.gradients().values()) == {"not yet"}


def assert_same_colours(player: Player, widget: Player) -> None:
    """A widget and a saved output look alike on one page, though each brings its own sheet."""
    seen = [
        one.place.locator(".gl-segments").evaluate(
            "bar => [...bar.children].map(one => getComputedStyle(one).backgroundColor)"
        )
        for one in (player, widget)
    ]
    assert seen[0] == seen[1]


def photograph(student: Student, player: Player, widget: Player) -> None:
    """Pictures for whoever looks at them: the drawing and the player, light, dark and narrow."""
    for _ in range(5):
        player.click(FORWARD)
        widget.click(FORWARD)
    for theme in ("dark", "light"):
        student.theme(theme)
        assert_same_colours(player, widget)
        student.page.evaluate("() => { document.activeElement.blur(); }")
        student.page.locator(DRAWN).first.scroll_into_view_if_needed()
        student.screenshot(f"lesson-drawing-{theme}")
        player.place.scroll_into_view_if_needed()
        student.screenshot(f"lesson-player-{theme}")
    student.page.set_viewport_size({"width": 640, "height": 900})
    player.place.scroll_into_view_if_needed()
    student.screenshot("lesson-player-narrow")


def test_the_lesson_is_walked_moves_its_kernel_and_is_fit_to_be_seen(
    ran: Student, student: Student
) -> None:
    assert ran is student
    player = Player(players(student.page).first)
    walk_to_the_end_and_back(player, FORWARD, BACK, by_key=False)
    walk_to_the_end_and_back(player, "ArrowRight", "ArrowLeft", by_key=True)
    widget = live_player(student.page)
    assert student.run_code(KERNELS_STEP) == "0"
    widget.click(FORWARD)
    wait_for(lambda: int(student.run_code(KERNELS_STEP)) > 0)
    widget.click(BACK)
    wait_for(lambda: int(student.run_code(KERNELS_STEP)) == 0)
    photograph(student, player, widget)


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "untrusted"])
def test_the_saved_lesson_plays_without_a_kernel(
    student: Student, lesson: str, saved: Callable[[Path], None], trusted: bool
) -> None:
    saved(student.lab.root / lesson)
    student.open_without_a_kernel(lesson, trusted)
    assert student.is_trusted() == trusted
    player = saved_player(student.page)
    player.click(LAST)
    assert player.gradients() == GRADIENTS
    # The widget's model died with its kernel: that is why `trace` is no widget.
    student.forgive("widget model not found")


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "untrusted"])
def test_the_committed_lesson_is_whole_before_anything_is_run(
    student: Student, lesson: str, trusted: bool
) -> None:
    student.open_without_a_kernel(lesson, trusted)
    player = saved_player(student.page)
    player.click(LAST)
    assert player.gradients() == GRADIENTS
    assert student.page.get_by_text("Error displaying widget").count() == 0


def test_the_committed_lesson_is_small_and_holds_no_widget_state() -> None:
    text = (ROOT / LESSON).read_text("utf-8")
    assert len(text.encode()) <= SAVED_LIMIT
    assert "application/vnd.jupyter.widget-state+json" not in text
