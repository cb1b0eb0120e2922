"""The teachers' pages leave nothing out: lessons, misconceptions, seed cells, terms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.seeds.cells import FOLDER, cells

PAGES = Path(__file__).resolve().parents[2] / "docs" / "teaching"
INDEX, SEEDS, GLOSSARY = (
    (PAGES / f"{name}.md").read_text("utf-8") for name in ("README", "seeds", "glossary")
)
NUMBERS = sorted(int(p.name[:2]) for p in (PAGES.parents[1] / "notebooks").glob("[0-9][0-9]_*"))
LESSON = rf"\b(?:{'|'.join(map(str, NUMBERS))})\b"


def rows(page: str) -> list[list[str]]:
    """The cells of every line of a table, without heads and rules."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    return [[part.strip() for part in line.strip("|").split("|")] for line in lines]


def test_the_index_lists_every_lesson_with_its_minutes():
    listed = re.findall(
        r"^\| \[(\d+) [^|]+\]\(lesson_(\d+)\.md\) \| [^|]+ \| (\d+) \|$", INDEX, re.M
    )
    assert [int(number) for number, _, _ in listed] == NUMBERS, "docs/teaching/README.md"
    assert all(int(number) == int(page) for number, page, _ in listed)
    for number, _, minutes in listed:
        page = (PAGES / f"lesson_{int(number):02}.md").read_text("utf-8").split("\n## ")[0]
        parts = [cell for row in rows(page) for cell in row if re.match(r"\d+(, or leave|$)", cell)]
        needed = sum(int(cell) for cell in parts if cell.isdigit())
        every = sum(int(cell.partition(",")[0]) for cell in parts)
        said = f"lesson {number}: {minutes} minutes, its page {needed} to {every} (of 20 to 50)"
        assert 20 <= needed <= int(minutes) <= every <= 50, said


def test_the_index_maps_fifteen_misconceptions_to_lessons():
    listed = [row for row in rows(INDEX) if row[0].isdigit()]
    assert [int(row[0]) for row in listed] == list(range(1, 16))
    assert all(re.search(LESSON, row[3]) for row in listed)


@pytest.mark.parametrize("k", range(5))
def test_every_seed_cell_has_a_lesson(k):
    titles = [title for title, _ in cells((FOLDER / f"seed{k}.code.txt").read_text("utf-8"))]
    listed = [
        row for row in rows(re.split(r"^## ", SEEDS, flags=re.M)[k + 1]) if row[0][:1].isdigit()
    ]
    assert [f"cell {row[0]}".replace("[", "In[") for row in listed] == titles
    assert all(row[1] and re.search(LESSON, row[2]) for row in listed)


def test_the_glossary_is_in_order_and_names_a_lesson_for_each_term():
    listed = [row for row in rows(GLOSSARY) if row[-1].isdigit()]
    terms = [row[0].strip("`").replace("`", "").lower() for row in listed]
    assert terms == sorted(terms)
    assert len(set(terms)) == len(terms) > 50
    assert all(row[1].endswith(".") and int(row[2]) in NUMBERS for row in listed)
