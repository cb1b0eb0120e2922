"""What the lessons show is for everyone: axe-core finds nothing in any saved output, in any light.

Read next: tests/lessons/test_lessons.py
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import add_axe, complaints
from tests.browser.conftest import SpareTabs
from tests.browser.player import FIRST, LAST

pytestmark = pytest.mark.browser

LESSONS = sorted((Path(__file__).parents[2] / "notebooks").glob("[0-9][0-9]_*.ipynb"))
COLOURS = {"light": "background:#fff;color:#1a1a1a", "dark": "background:#111;color:#eee"}


class WrittenTabs(SpareTabs):
    """A tab into which the next lesson is written: what was compiled for one, axe-core too, stays.

    That is half of what these tests cost the processor.
    """

    def keep(self, page: Page) -> None:
        """Keep a tab with its scripts."""
        page.set_content("")
        self.append(page)


@pytest.fixture(scope="module")
def spare_tabs() -> Iterator[SpareTabs]:
    """Keep tabs for the tests of this file alone."""
    tabs = WrittenTabs()
    yield tabs
    for tab in tabs:
        tab.close()


def as_jupyterlab_does(data: dict[str, str]) -> str:
    """A picture without a text, where an output has one."""
    png = data.get("image/png")
    return f'<img src="data:image/png;base64,{png}">' if png else ""


def page_of(path: Path, colours: str) -> str:
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
        f'<!doctype html><html lang="en"><title>{title}</title>'
        f'<body style="{colours};font-family:sans-serif"><main><h1>{title}</h1>{parts}</main>'
    )


@pytest.mark.parametrize("light", COLOURS)
@pytest.mark.parametrize("path", LESSONS, ids=[path.stem for path in LESSONS])
def test_axe_finds_nothing_in_what_a_lesson_shows(tab: Page, path: Path, light: str) -> None:
    tab.emulate_media(color_scheme="dark" if light == "dark" else "light")
    tab.set_viewport_size({"width": 1000, "height": 768})
    tab.set_content(page_of(path, COLOURS[light]))
    add_axe(tab)
    assert complaints(tab, "main") == []


@pytest.mark.parametrize("path", LESSONS, ids=[path.stem for path in LESSONS])
def test_every_saved_walk_of_a_lesson_plays_to_its_end_and_back(tab: Page, path: Path) -> None:
    tab.set_viewport_size({"width": 1000, "height": 768})
    tab.set_content(page_of(path, COLOURS["light"]))
    expect(tab.locator(".gl-position").first).to_be_attached()
    # two graphs beside each other have controls of their own: tests/browser/test_pair.py
    for one in tab.locator(".gl-foot:has(.gl-position):not(.gl-pair *)").all():
        position = one.locator(".gl-position")
        one.get_by_role("button", name=LAST, exact=True).click()
        expect(position).to_have_text(re.compile(r"^step (\d+) of \1$"))
        one.get_by_role("button", name=FIRST, exact=True).click()
        expect(position).to_have_text(re.compile(r"^step 1 of \d+$"))
