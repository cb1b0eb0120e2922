"""Every link within the site leads somewhere, and no page fetches anything from another host.

Read next: tests/site/test_names.py
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.site.built import SITE, Page, addresses, is_foreign, is_there, pages, read, target

pytestmark = pytest.mark.site
LARGE = 5 * 10**5  # characters; a page above this takes a phone long to load


def broken(page: Page) -> list[str]:
    """List the links of a page that lead to no file or to no anchor."""
    found = []
    for link in page.links:
        if is_foreign(link):
            continue
        path, anchor = target(page, link)
        known = pages().get(path)
        if not (known or is_there(path)) or (anchor and known and anchor not in known.anchors):
            found.append(link)
    return found


def test_every_link_leads_to_a_page_and_an_anchor() -> None:
    found = {page.path.relative_to(SITE).as_posix(): broken(page) for page in pages().values()}
    assert {name: links for name, links in found.items() if links} == {}


def test_no_page_fetches_from_another_host() -> None:
    found = {
        page.path.name: [address for address in page.fetched if is_foreign(address)]
        for page in pages().values()
    }
    assert {name: foreign for name, foreign in found.items() if foreign} == {}


def test_what_a_page_fetches_is_there() -> None:
    for page in pages().values():
        for address in page.fetched:
            if not address.startswith(("data:", "blob:")):
                assert is_there(target(page, address)[0]), (page.path, address)


def test_no_style_sheet_fetches_from_another_host() -> None:
    sheets = sorted(SITE.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        foreign = [found for found in addresses(sheet.read_text("utf-8")) if is_foreign(found)]
        assert foreign == [], sheet


def test_a_link_to_nothing_is_seen() -> None:
    text = '<p id="a"><a href="#a">x</a><a href="#b">y</a><a href="no.html">z</a>'
    text += '<script src="https://x.org/y.js"></script><style>@import "//z.org/a.css"</style>'
    page = read(text, SITE / "made_up.html")
    pages()[page.path] = page
    try:
        assert broken(page) == ["#b", "no.html"]
        assert [*filter(is_foreign, page.fetched)] == ["https://x.org/y.js", "//z.org/a.css"]
    finally:
        del pages()[page.path]


def test_no_local_path_of_the_builder_is_in_a_page() -> None:
    here = str(Path(__file__).resolve().parents[2])
    for path in pages():
        assert here not in path.read_text("utf-8"), path


def test_the_keyboard_reaches_every_table_that_scrolls() -> None:
    tables = [
        table
        for path in pages()
        for table in re.findall(
            r'<div [^>]*"pst-scrollable-table-container"[^>]*>', path.read_text("utf-8")
        )
    ]
    assert tables
    assert all('tabindex="0"' in table for table in tables)


def test_a_page_carries_the_player_once() -> None:
    lessons = sorted((SITE / "notebooks").glob("[0-9]*.html"))
    assert len(lessons) == 16
    for path in lessons:
        text = path.read_text("utf-8")
        assert len(re.findall(r"<script[^>]*player\.js", text)) == 1
        assert len(text) < LARGE, path


def test_each_lesson_and_the_front_page_open_in_the_browser_if_the_site_has_python() -> None:
    lessons = sorted((SITE / "notebooks").glob("[0-9]*.html"))
    first = lessons[0].stem
    has_python = (SITE / "lite").is_dir()
    for path in [*lessons, SITE / "index.html"]:
        page = pages()[path]
        links = [link for link in page.links if "lite/lab/index.html" in link]
        assert len(links) == has_python, path
        for link in links:
            stem = path.stem if path in lessons else first
            assert link.endswith(f"lite/lab/index.html?path={stem}.ipynb&workspace={stem}")
            assert target(page, link)[0] == SITE / "lite" / "lab" / "index.html"
            assert (SITE / "lite" / "files" / f"{stem}.ipynb").is_file()
