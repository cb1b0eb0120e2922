"""The menu of the player saves the walk as a page, the picture, and the recording."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from graphlab.graph.timeline import Timeline
from tests.browser.jupyter import ARTIFACTS, Student
from tests.browser.notebooks import write_code
from tests.browser.player import FORWARD, LAST, Player, players
from tests.browser.test_lost import GRADIENTS
from tests.browser.test_widget import FORMULA

pytestmark = pytest.mark.browser
DRAWN = 'graphlab.draw(e, view="both")'
TRACED = FORMULA.replace("stepper = graphlab.step(e)\nstepper", "graphlab.trace(e)")
CHOICES = {
    "html": "The walk, as a page that plays (.html)",
    "svg": "This picture, sharp at any size (.svg)",
    "png": "This picture, for slides (.png)",
    "graphlab.json": "The recording, for JupyterLab and Python (.graphlab.json)",
}


def test_the_menu_of_a_live_widget_is_a_dialog_like_the_others(
    student: Student, notebook: Path
) -> None:
    write_code(notebook / "menu.ipynb", FORMULA)
    student.open_notebook(f"{notebook.name}/menu.ipynb")
    student.run_all()
    player = Player(players(student.page).first)
    player.place.get_by_role("button", name="Save", exact=True).click()
    menu = player.place.get_by_role("dialog", name="Save")
    expect(menu).to_be_visible()
    size = menu.bounding_box()
    assert size
    assert size["width"] < 700  # the choices stand below each other
    student.screenshot("save-menu-of-a-widget")


def saved(page: Page, player: Player, ending: str) -> Path:
    """Choose one entry of the menu, and give the file that comes."""
    player.place.get_by_role("button", name="Save", exact=True).click()
    with page.expect_download() as coming:
        player.click(CHOICES[ending])
    expect(player.place.get_by_role("dialog", name="Save")).to_be_hidden()
    assert coming.value.suggested_filename == f"e.{ending}"
    ARTIFACTS.mkdir(exist_ok=True)
    coming.value.save_as(ARTIFACTS / f"saved.{ending}")
    return ARTIFACTS / f"saved.{ending}"


@pytest.mark.parametrize("code", [TRACED, FORMULA], ids=["trace", "step"])
def test_the_walk_the_picture_and_the_recording_are_saved(
    student: Student, notebook: Path, code: str
) -> None:
    write_code(notebook / "save.ipynb", code)
    student.open_notebook(f"{notebook.name}/save.ipynb")
    student.run_all()
    player = Player(players(student.page).first)
    for _ in range(3):
        player.click(FORWARD)
    at = player.position
    recording = saved(student.page, player, "graphlab.json").read_text("utf-8")
    assert Timeline.from_json(json.loads(recording)).title == "e"
    picture = ET.parse(saved(student.page, player, "svg")).getroot()
    texts = ["".join(text.itertext()) for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a", "b", "c", "d", "e", "MulBackward0"} <= set(texts)
    assert " ".join(texts[:3]).startswith(player.narration[:20])
    assert not any("class" in part.attrib for part in picture.iter())
    student.theme("dark")
    svg, png = (saved(student.page, player, ending) for ending in ("svg", "png"))
    assert 'fill="rgb(255, 255, 255)"' not in svg.read_text("utf-8")[:900]  # as it is on the page
    with Image.open(png) as slide:
        assert slide.convert("L").getpixel((1, 1)) > 240  # for a page of paper colour
    expect(player.place).to_have_attribute("data-theme", "dark")
    student.theme("light")
    walk = saved(student.page, player, "html")
    student.screenshot("save-menu")
    page = student.page.context.new_page()
    page.goto(walk.as_uri())
    alone = Player(page.locator(".graphlab"))
    assert alone.position == at
    alone.click(LAST)
    assert alone.gradients() == GRADIENTS
    page.close()


def test_a_drawing_is_saved_as_a_picture(student: Student, notebook: Path) -> None:
    write_code(notebook / "draw.ipynb", TRACED.replace("graphlab.trace(e)", DRAWN))
    student.open_notebook(f"{notebook.name}/draw.ipynb")
    student.run_all()
    still = Player(student.page.locator(".graphlab:has(.gl-still)").first)
    assert "MulBackward0" in saved(student.page, still, "svg").read_text("utf-8")
    student.screenshot("save-drawing")
