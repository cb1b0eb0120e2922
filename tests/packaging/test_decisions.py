"""The table of decisions names each page, in order, with its title and its status.

Read next: docs/decisions/README.md
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "decisions"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
SUPERSEDED = re.compile(r"Superseded by \[(\d{4})\]\(([\w.-]+)\)")


def row_of(path: Path, text: str) -> str:
    """The row that a page has in the table."""
    title = text.splitlines()[0].removeprefix("# ")
    other = SUPERSEDED.search(text)
    status = f"superseded by [{other[1]}]({other[2]})" if other else "in force"
    return f"| [{path.name[:4]}]({path.name}) | {title} | {status} |"


def test_the_table_is_what_the_pages_say():
    table = (FOLDER / "README.md").read_text("utf-8")
    rows = [line for line in table.splitlines() if line.startswith("| [")]
    assert rows == [row_of(path, path.read_text("utf-8")) for path in PAGES]


def test_the_numbers_have_no_gap():
    assert [int(path.name[:4]) for path in PAGES] == list(range(1, len(PAGES) + 1))


def test_a_decision_is_superseded_by_a_later_one():
    for path in PAGES:
        for number, name in SUPERSEDED.findall(path.read_text("utf-8")):
            assert (FOLDER / name).is_file()
            assert name.startswith(number)
            assert number > path.name[:4]


def test_a_change_of_status_is_seen():
    path = Path("0001-a.md")
    assert row_of(path, "# A\n\nText.") == "| [0001](0001-a.md) | A | in force |"
    later = "# A\n\nSuperseded by [0002](0002-b.md): better."
    assert row_of(path, later).endswith("| superseded by [0002](0002-b.md) |")
