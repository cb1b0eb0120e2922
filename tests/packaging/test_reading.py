"""The tours through the source lead somewhere: every file that is named exists.

Read next: tests/packaging/test_wheel.py
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2]
SOURCES = sorted((HERE / "graphlab").rglob("*.py"))
TOURS = [*SOURCES, *sorted((HERE / "tests").rglob("*.py"))]
PAGES = [*HERE.glob("*.md"), *(HERE / "docs").rglob("*.md")]


def relative(path):
    return path.relative_to(HERE).as_posix()


@pytest.mark.parametrize("path", TOURS, ids=relative)
def test_a_module_names_a_file_to_read_next_that_exists(path):
    found = re.search(r"Read next: ([\w./]+\w)", path.read_text(encoding="utf-8"))
    if path in SOURCES:
        assert found, "a module's docstring ends with Read next"
    if found:
        places = (HERE, HERE / "graphlab", path.parent)
        assert any((place / found[1]).is_file() for place in places), found[1]


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_a_page_links_to_files_that_exist(path):
    for link in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (path.parent / link).exists(), link
