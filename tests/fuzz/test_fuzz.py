"""Every public function, every operation and small programs at random, beside PyTorch.

The cases are the same in every run. `benchmarks/fuzz.py` goes on from there.

Read next: benchmarks/fuzz.py
"""

from __future__ import annotations

import pytest

from tests.core.samples import SAMPLES
from tests.fuzz import calls, exempt, faces, passes, programs

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]
SERIOUS = {
    "wrong value", "wrong type or shape", "wrong gradient", "input changed", "shared memory",
    "raw error",
}  # fmt: skip
TURNS = 1  # calls of each function
KNOWN = {"eig", "eigvals"}  # eigenvalues that are real stay real numbers here


def differing(cases: list[calls.Call], torch) -> list[str]:
    """What differs, of the serious kinds, in words; without the functions that are known for it."""
    found = ((case, calls.difference(case, torch)) for case in cases if case.name not in KNOWN)
    return [f"{case}: {said}" for case, said in found if said is not None and said[0] in SERIOUS]


def test_calls_of_every_public_function_give_what_pytorch_gives(torch):
    functions = calls.catalogue()
    assert len(functions) > 950
    cases = [calls.any_call(*one, turn) for one in functions for turn in range(TURNS)]
    assert differing(cases, torch) == []


def test_samples_with_other_entries_give_what_pytorch_gives(torch):
    cases = [calls.call_of(4 * n) for n in range(len(SAMPLES) // 2)]
    assert differing(cases, torch) == []


@pytest.mark.parametrize(("kind", "many"), [(programs, 250), (passes, 250), (faces, 125)])
def test_random_programs_end_as_pytorchs_do(kind, many, torch):
    found = [
        f"{seed}: {said}: {kind.source_of(seed)}"
        for seed in range(many)
        if (said := kind.difference_of(torch, seed)) is not None
    ]
    assert found == []


def test_a_mistake_in_a_pass_is_found(torch, monkeypatch):
    monkeypatch.setattr("graphlab.Tensor.retain_grad", lambda self: None)
    assert any(passes.difference_of(torch, seed) for seed in range(60))


def test_every_exemption_names_functions_that_there_are():
    there = {name.rstrip("_") for _, name in calls.catalogue()} | {s.op for s in SAMPLES}
    for rule in (*exempt.RULES, *exempt.CRASHES):
        assert set(rule.names.split()) <= there, rule.why


def test_few_calls_are_exempt():
    cases = [calls.any_call(*one, 0) for one in calls.catalogue()]
    found = [case for case in cases if exempt.rules_for(case)]
    assert 0 < len(found) < len(cases) / 20


def test_a_planted_mistake_is_found(torch, monkeypatch):
    import graphlab

    tanh = graphlab.Tensor.tanh
    monkeypatch.setattr(graphlab.Tensor, "tanh", lambda self: tanh(self) + 1)
    home_and_name = ("Tensor", "tanh")
    found = [calls.difference(calls.any_call(*home_and_name, n), torch) for n in range(9)]
    assert any(said and said[0] == "wrong value" for said in found)
