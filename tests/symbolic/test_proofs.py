"""The command that counts the proofs and the mutants.

Read next: tests/symbolic/proofs.py
"""

from __future__ import annotations

import pytest

from tests.symbolic import proofs
from tests.symbolic.proofs import DIGITS, IN_PART, NONE, PROVED, Figures, figures_of, main


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
