"""What PyTorch was recorded to do, GraphLab does: results, graphs, saved values, messages, reprs.

Where it does not yet, the case stands in not_yet.txt, with a reason. The list is strict: a case
that holds must be taken out of it (`python -m tests.parity.compare --drop`), so it only shrinks.

Read next: tests/parity/compare.py
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parity.compare import cases, compare_fact, differences, not_yet, unlike
from tests.parity.describe import fact, same_text, shown, snippet
from tests.parity.record import VERSION, load

CASES = cases()
WAITING = not_yet()


@pytest.mark.parametrize("name", CASES)
def test_graphlab_does_what_pytorch_was_recorded_to_do(name):
    found = differences(*CASES[name])
    if name in WAITING:
        assert found, f"{name!r} holds now: take its line out of tests/parity/not_yet.txt"
    else:
        assert not found, "\n".join(found)


def test_the_list_names_cases_that_exist_each_once_each_with_a_reason():
    assert set(WAITING) <= set(CASES)
    assert all(reason.strip() for reason in WAITING.values())


def test_the_facts_were_recorded_from_the_version_that_the_tests_compare_with():
    assert {load(name)["torch"] for name in ("facts", "errors", "reprs")} == {VERSION}


def test_the_pages_say_how_many_cases_agree():
    agree, docs = len(CASES) - len(WAITING), Path(__file__).parents[2] / "docs"
    guide, differences = [
        " ".join((docs / page).read_text("utf-8").split())
        for page in ("guide.md", "pytorch-differences.md")
    ]
    assert f" {agree} of {len(CASES)} recorded cases" in guide
    assert f" {len(CASES)} recorded cases ({agree} agree)" in differences


def test_roundings_in_a_text_are_forgiven_and_words_are_not():
    assert same_text("tensor([1.0000, 2.0001])", "tensor([1.0000, 2.0000])")
    assert not same_text("tensor([1.0000, 2.1000])", "tensor([1.0000, 2.0000])")
    assert not same_text("tensor(1., grad_fn=<A>)", "tensor(1., grad_fn=<B>)")


@pytest.mark.torch
def test_recording_again_gives_the_same_facts(torch):
    if not torch.__version__.startswith(VERSION):
        pytest.skip(f"recorded with torch {VERSION}, installed is {torch.__version__}")
    facts, errors, reprs = load("facts"), load("errors"), load("reprs")
    differ = {}
    torch.set_warn_always(True)  # as record.py does
    try:
        for code, theirs in facts["facts"].items():
            differ[code] = compare_fact(theirs, fact(torch, facts["setup"], code))
        for name, case in errors["cases"].items():
            expected = {k: case.get(k) for k in ("prints", "raises", "warns")}
            differ[name] = unlike(expected, snippet(torch, case["code"]))
    finally:
        torch.set_warn_always(False)
    for code, theirs in reprs["default"].items():
        differ[code] = unlike(theirs, shown(torch, code))
    assert {k: v for k, v in differ.items() if v} == {}
