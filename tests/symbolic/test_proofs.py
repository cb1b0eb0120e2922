"""The command that counts the proofs and the mutants.

Read next: tests/symbolic/proofs.py
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from graphlab.ops import registry
from tests.symbolic import proofs
from tests.symbolic.hunt import HUNTED, PROVABLE, all_mutants
from tests.symbolic.proofs import (
    DIGITS,
    IN_PART,
    NONE,
    PROVED,
    Figures,
    family,
    figures_of,
    main,
)
from tests.symbolic.reasons import NOT_PROVED


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("mul", PROVED),
        ("pow_tensor", IN_PART),
        ("special_entr", DIGITS),
        ("custom", PROVED),
        ("floor_divide", NONE),
    ],
)
def test_an_operation_is_settled_by_the_weakest_of_its_samples(name, way):
    assert figures_of(name).settled == {way: 1}


def test_every_mutant_is_counted_once():
    found = figures_of("abs")
    assert found.mutants == found.killed + found.equivalent > found.killed > 0
    assert found.survivors == found.unproved == []


def test_what_has_no_reason_is_named(monkeypatch):
    monkeypatch.setattr(proofs, "EQUIVALENT", {})
    monkeypatch.setattr(proofs, "NOT_PROVED", {})
    assert figures_of("abs").survivors == ["abs: self: Div in grad * sign(self)"]
    assert figures_of("floor").unproved == ["floor"]


def test_the_page_has_a_line_for_each_family_and_one_for_all(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(proofs, "by_family", lambda names: {"elementwise": figures_of(*names)})
    page = tmp_path / "proofs.md"
    assert main(["mul", "--write", str(page)]) == 0
    rows = [line for line in page.read_text().splitlines() if line.startswith("| ")]
    assert [row.split()[1] for row in rows] == ["family", "elementwise", "**all**"]
    assert "2 rules, " in capsys.readouterr().out


def test_a_survivor_fails_the_command(monkeypatch):
    monkeypatch.setattr(proofs, "by_family", lambda names: {"x": Figures(survivors=["x: a: b"])})
    assert main(["mul"]) == 1


def test_what_the_page_counts_is_what_is_there():
    page = (Path(proofs.__file__).parents[2] / "docs" / "proofs.md").read_text("utf-8")
    found = [
        int(n)
        for pattern in (r"(\d+) operations:", r"(\d+) samples of (\d+) are", r"(\d+) rules, (\d+) ")
        for n in re.search(pattern, page).groups()
    ]
    mutants = sum(len(list(all_mutants(name))) for name in registry if name in HUNTED)
    rules = sum(len(op.rules) for op in registry.values())
    assert found == [len(registry), len(NOT_PROVED), len(PROVABLE), rules, mutants]
    rows = dict(re.findall(r"^\| (\w+) \| (\d+) \|", page, re.MULTILINE))
    assert rows == {name: str(n) for name, n in Counter(map(family, registry)).items()}
