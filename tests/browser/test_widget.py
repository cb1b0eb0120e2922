"""The live widget: what a person does on the page arrives in Python, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.jupyter import JupyterLab, Student, open_page
from tests.browser.notebooks import write_code
from tests.browser.player import BACK, FORWARD, LAST, Player, players, wait_for
from tests.browser.test_editing import FIELD, STATUS, place

pytestmark = pytest.mark.browser

FORMULA = """\
import graphlab
a = graphlab.tensor([2.0], requires_grad=True)
b = graphlab.tensor([3.0], requires_grad=True)
c = graphlab.tensor([5.0], requires_grad=True)
d = graphlab.tensor([10.0], requires_grad=True)
u = a * b
t = graphlab.log(d)
v = c * t
e = u + v
stepper = graphlab.step(e)
stepper"""


@pytest.fixture(scope="module")
def opened(
    context: BrowserContext, jupyterlab: JupyterLab, pages: list[Student]
) -> Iterator[Student]:
    """A notebook with the lesson's formula, and its kernel: one for all."""
    write_code(jupyterlab.root / "live.ipynb", FORMULA)
    student = open_page(pages, jupyterlab, context)
    student.open_notebook("live.ipynb")
    yield student
    student.clear_the_desk()


@pytest.fixture
def live(opened: Student) -> Iterator[Student]:
    """The notebook, run anew: new tensors and a new widget for each test."""
    opened.run_all()
    yield opened
    opened.assert_content()


@pytest.fixture
def widget(live: Student) -> Player:
    """The widget on the page."""
    return Player(players(live.page).first)


def kernels_step(student: Student) -> int:
    return int(student.run_code("print(stepper.step)"))


def test_the_kernels_step_follows_the_page(widget: Player, live: Student) -> None:
    assert kernels_step(live) == 0
    widget.click(FORWARD)
    wait_for(lambda: kernels_step(live) > 0)
    there = kernels_step(live)
    widget.focus()
    widget.press("ArrowRight")
    wait_for(lambda: kernels_step(live) > there)
    widget.press("ArrowLeft")
    wait_for(lambda: kernels_step(live) == there)
    widget.click(BACK)
    wait_for(lambda: kernels_step(live) == 0)
    widget.click(LAST)
    wait_for(lambda: live.run_code("print(stepper.timeline[stepper.step].kind)") == "Finished")
    assert widget.gradients() == {"a": "3.0", "b": "2.0", "c": "2.3026", "d": "0.5"}


def test_the_page_follows_the_kernels_step(widget: Player, live: Student) -> None:
    _, steps = widget.position
    live.run_code("stepper.last()")
    widget.wait_for_step(steps)
    live.run_code("stepper.first()")
    widget.wait_for_step(1)


def test_a_step_that_does_not_exist_is_refused_and_the_widget_stays_usable(
    widget: Player, live: Student
) -> None:
    said = live.run_code("stepper.step = 10_000")
    assert "step 10000 does not exist" in said
    assert widget.position[0] == 1
    widget.click(FORWARD)
    widget.wait_for_step(2)
    wait_for(lambda: kernels_step(live) > 0)


def test_playing_can_be_started_from_python(widget: Player, live: Student) -> None:
    live.run_code("stepper.playing = True")
    wait_for(lambda: widget.position[0] >= 2)
    live.run_code("stepper.playing = False")
    expect(widget.place.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_what_is_answered_on_the_page_is_read_in_python(widget: Player, live: Student) -> None:
    live.run_code("stepper.predicting = True")
    expect(widget.place.locator(".gl-predict")).to_be_visible()
    widget.focus()
    for key in ["ArrowRight", "7", "Enter", "Backspace", "1", "Enter"]:
        widget.press(key)
    expect(widget.place.locator(".gl-said")).to_contain_text("Right: ")
    wait_for(lambda: live.run_code("print(len(stepper.answers))") == "1")
    show = "print([(a['answers'], a['tries'], a['right']) for a in stepper.answers], stepper.score)"
    assert live.run_code(show) == "[(['7', '1'], 2, True)] {'right': 0, 'asked': 1}"


def test_the_rehearsal_changes_nothing_in_the_kernel(widget: Player, live: Student) -> None:
    widget.click(LAST)
    assert live.run_code("print(a.grad, b.grad, c.grad, d.grad)") == "None None None None"
    assert live.run_code("e.backward(); print(a.grad)") == "tensor([3.])"


def test_a_value_that_is_edited_in_the_widget_arrives_in_python_and_back(
    widget: Player, live: Student
) -> None:
    widget.click(LAST)
    place(widget, "d").click()
    field = widget.place.locator(FIELD)
    field.fill("-1")
    field.press("Enter")  # the widget asks Python for the module that runs formulas
    status = widget.place.locator(STATUS)
    expect(status).to_contain_text("d is now −1.0 (recorded 10.0): log(d) is not defined")
    wait_for(lambda: live.run_code("print(stepper.edits)") == "{'d': [-1.0]}")
    live.run_code("stepper.edits = {'a': [7.0]}")
    expect(status).to_contain_text("a is now 7.0")
    assert live.run_code("print(a.item(), d.item())") == "2.0 10.0"  # the tensors stay


def test_the_slope_is_loaded_when_it_is_opened(widget: Player, live: Student) -> None:
    widget.click(LAST)
    widget.focus()
    widget.press("s")
    slope = widget.place.locator(".gl-p-slope")
    said = re.compile(r"At \w = \d+: slope [\d.]+, the gradient that the walk")
    expect(slope).to_contain_text(said)
