"""What the pages in docs/ show is what happens, and what they point to is there.

Read next: docs/tour.md
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@each_page
def test_examples_give_what_the_page_shows(page):
    blocks = re.findall(r"```python\n(>>>.*?)```", page.read_text("utf-8"), flags=re.S)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    results = doctest.DocTestRunner(optionflags=flags).run(test)
    assert results.failed == 0


@each_page
def test_links_lead_to_files_that_exist(page):
    links = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text("utf-8"))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []
