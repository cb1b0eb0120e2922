"""The paper cites what its bibliography has, and its figures are those of docs/performance.md.

Read next: docs/performance.md
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PAPER = (ROOT / "paper" / "paper.md").read_text("utf-8")
BIBLIOGRAPHY = (ROOT / "paper" / "paper.bib").read_text("utf-8")
MEASURED = (ROOT / "docs" / "performance.md").read_text("utf-8")


def test_the_head_has_what_a_journal_asks_for():
    _, head, body = PAPER.split("---\n", 2)
    facts = yaml.safe_load(head)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(facts)
    assert (ROOT / "paper" / facts["bibliography"]).is_file()
    assert facts["authors"] == [{"name": "The GraphLab developers", "affiliation": 1}]
    assert 800 <= len(body.split()) <= 1300


def test_every_reference_is_cited_and_every_citation_is_a_reference():
    cited = {
        key for group in re.findall(r"\[(@[^\]]+)\]", PAPER) for key in re.findall(r"@(\w+)", group)
    }
    assert cited == set(re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY, flags=re.M))


def test_each_reference_is_complete():
    for entry in re.split(r"\n(?=@)", BIBLIOGRAPHY):
        for field in ("author", "title"):
            assert re.search(rf"^  {field} = ", entry, flags=re.M), entry
        assert re.search(r"^  (doi|url|booktitle) = ", entry, flags=re.M), entry
        assert entry.count("{") == entry.count("}")


def test_the_figures_of_proofs_are_those_that_were_measured():
    calls = re.search(r"(\d+) of (\d+) calls proved", MEASURED)
    planted = re.search(
        r"(\d+) of \d+ reported; (\d+) make no difference \| 100 % \|\n\| the l", MEASURED
    )
    assert calls
    assert planted
    rules = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert f"{calls[2]} calls of" in rules, (
        "run benchmarks/check.py, or copy the figures of rules.md"
    )
    assert f": {calls[1]} proved" in rules
    found, same = int(planted[1]), int(planted[2])
    said = " ".join(PAPER.split())
    assert (
        f"Of {int(calls[2]):,} sample calls of all operations, {int(calls[1]):,} are proved" in said
    )
    assert f"Of {found + same:,} mistakes planted" in said
    assert f"{same} make no difference to the gradient, and the other {found:,} are all" in said
