"""What the lessons show is for everyone: axe-core finds nothing in any saved output, in any light.

Read next: tests/lessons/test_lessons.py
"""

from __future__ import annotations

import html
import re
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page, expect

from tests.browser import conftest
from tests.browser.axe import add_axe, complaints_in
from tests.browser.player import FIRST, LAST

pytestmark = pytest.mark.browser
spare_tabs = conftest.written_tabs  # a fixture

LESSONS = sorted((Path(__file__).parents[2] / "notebooks").glob("[0-9][0-9]_*.ipynb"))
STYLE = """
body { background: #fff; color: #1a1a1a; font-family: sans-serif }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }
"""


def as_jupyterlab_does(data: dict[str, str]) -> str:
    """A picture without a text, where an output has one."""
    png = data.get("image/png")
    return f'<img src="data:image/png;base64,{png}">' if png else ""


def page_of(path: Path) -> str:
    """The saved HTML and pictures of a lesson, one below the other."""
    outputs = [
        output.data
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "data" in output
    ]
    shown = [
        data.get("text/html") or data.get("image/svg+xml") or as_jupyterlab_does(data)
        for data in outputs
    ]
    parts = "".join(f"<h2>Output {k}</h2><div>{part}</div>" for k, part in enumerate(shown, 1))
    title = html.escape(path.stem)
    return (
        f'<!doctype html><html lang="en"><title>{title}</title><style>{STYLE}</style>'
        f"<body><main><h1>{title}</h1>{parts}</main>"
    )


@pytest.mark.parametrize("path", LESSONS, ids=[path.stem for path in LESSONS])
def test_axe_finds_nothing_in_what_a_lesson_shows(tab: Page, path: Path) -> None:
    tab.set_viewport_size({"width": 1000, "height": 768})
    tab.set_content(page_of(path))
    add_axe(tab)
    assert complaints_in(tab, "light", "dark", where="main") == {}


@pytest.mark.parametrize("path", LESSONS, ids=[path.stem for path in LESSONS])
def test_every_saved_walk_of_a_lesson_plays_to_its_end_and_back(tab: Page, path: Path) -> None:
    tab.set_viewport_size({"width": 1000, "height": 768})
    tab.set_content(page_of(path))
    expect(tab.locator(".gl-position").first).to_be_attached()
    # two graphs beside each other have controls of their own: tests/browser/test_pair.py
    for one in tab.locator(".gl-foot:has(.gl-position):not(.gl-pair *)").all():
        position = one.locator(".gl-position")
        predict = one.get_by_role("button", name="Predict", exact=True)
        if predict.get_attribute("aria-pressed") == "true":
            predict.click()  # nobody passes the questions of a quiz
        one.get_by_role("button", name=LAST, exact=True).click()
        expect(position).to_have_text(re.compile(r"^step (\d+) of \1$"))
        one.get_by_role("button", name=FIRST, exact=True).click()
        expect(position).to_have_text(re.compile(r"^step 1 of \d+$"))
