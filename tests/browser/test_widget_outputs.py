"""Outputs with widgets: saved ones play without their kernel, and two stand side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.jupyter import Student
from tests.browser.notebooks import write_code
from tests.browser.player import FORWARD, LAST, Player, players, wait_for
from tests.browser.test_lost import GRADIENTS
from tests.browser.test_widget import FORMULA, kernels_step

pytestmark = pytest.mark.browser


def saved_copies(student: Student, path: Path) -> Iterator[tuple[str, bool]]:
    """Save what was run and close it; give its path, trusted, and the path of a copy that is not.

    The copy is as a notebook that a colleague has sent.
    """
    student.save()
    sent = path.with_name("sent.ipynb")
    sent.write_text(path.read_text("utf-8"), "utf-8")
    for file, trusted in ((path, True), (sent, False)):
        student.assert_content()
        student.clear_the_desk()
        yield f"{file.parent.name}/{file.name}", trusted
        student.forgive("model not found")  # ipywidgets', about the widgets that are gone


def test_a_saved_widget_plays_when_its_notebook_is_opened_without_a_kernel(
    student: Student, notebook: Path
) -> None:
    write_code(notebook / "saved.ipynb", FORMULA)
    student.open_notebook(f"{notebook.name}/saved.ipynb")
    student.run_all()
    Player(players(student.page).first).click(FORWARD)
    wait_for(lambda: kernels_step(student) > 0)  # it is the live one that is shown
    for path, trusted in saved_copies(student, notebook / "saved.ipynb"):
        student.open_without_a_kernel(path, trusted)
        widget = Player(players(student.page).first)
        widget.click(LAST)
        assert widget.gradients() == GRADIENTS
        area = student.page.locator(".jp-OutputArea")
        expect(area).not_to_contain_text("Error displaying widget")
        expect(players(student.page)).to_have_count(1)


SIDE_BY_SIDE = """\
import graphlab, ipywidgets
x = graphlab.tensor(3.0, requires_grad=True)
y, a_rather_long_name_of_a_result = x * x, graphlab.exp(x) * 2
ipywidgets.HBox([graphlab.step(y), graphlab.step(a_rather_long_name_of_a_result)])"""


def test_two_widgets_stand_side_by_side_in_a_box_and_play_when_it_is_saved(
    student: Student, notebook: Path
) -> None:
    write_code(notebook / "box.ipynb", SIDE_BY_SIDE)
    student.open_notebook(f"{notebook.name}/box.ipynb")
    student.run_all()
    expect(players(student.page)).to_have_count(2)
    first, second = Player(players(student.page).nth(0)), Player(players(student.page).nth(1))
    student.screenshot("widget-side-by-side")
    output = student.page.locator(".jp-OutputArea-output").last
    left, right, around = map(edges, (first.place, second.place, output))
    assert left[1] - left[0] > 300
    assert right[1] - right[0] > 300
    assert left[1] <= right[0] + 1
    assert right[1] <= around[1] + 1
    heads = [one.place.locator("div.gl-head") for one in (first, second)]
    wait_for(lambda: len({one.bounding_box()["height"] for one in heads}) == 1, 10)
    second.click(LAST)
    assert first.position[0] == 1
    for path, trusted in saved_copies(student, notebook / "box.ipynb"):
        student.open_without_a_kernel(path, trusted)
        expect(players(student.page)).to_have_count(2)
        first, second = Player(players(student.page).nth(0)), Player(players(student.page).nth(1))
        student.screenshot("widget-box-saved")
        left, right = edges(first.place), edges(second.place)
        assert left[1] - left[0] > 300
        assert left[1] <= right[0] + 1
        for player, name in ((first, "y"), (second, "a_rather_long_name")):
            player.click(LAST)
            assert player.position[0] == player.position[1]
            assert name in player.place.get_attribute("aria-label")
        area = student.page.locator(".jp-OutputArea")
        expect(area).not_to_contain_text("Error displaying widget")


def edges(place: Locator) -> tuple[float, float]:
    """Where something begins and ends on the page, in pixels from the left."""
    box = place.bounding_box()
    assert box
    return box["x"], box["x"] + box["width"]
