"""Every public function, every operation and small programs at random, beside PyTorch.

The cases are the same in every run. `benchmarks/fuzz.py` goes on from there.

Read next: benchmarks/fuzz.py
"""

from __future__ import annotations

import pytest

from tests.core.samples import SAMPLES
from tests.fuzz import calls, programs

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]
SERIOUS = {
    "wrong value", "wrong type or shape", "wrong gradient", "input changed", "shared memory",
    "raw error",
}  # fmt: skip
TURNS = 2  # calls of each function
PROGRAMS = 250
# how many may differ, of those above: what is random where one says nothing, at nan and infinities
KNOWN = {"calls": 0, "samples": 0, "programs": 0}


def differing(cases, difference) -> list[str]:
    """What differs, of the serious kinds, in words."""
    found = ((case, difference(case)) for case in cases)
    return [f"{case}: {said}" for case, said in found if said is not None and said[0] in SERIOUS]


def test_calls_of_every_public_function_give_what_pytorch_gives(torch):
    cases = [
        calls.any_call(home, name, turn)
        for home, name in calls.catalogue()
        for turn in range(TURNS)
    ]
    found = differing(cases, lambda call: calls.difference(call, torch))
    assert len(cases) > 1900
    assert len(found) <= KNOWN["calls"], "\n".join(found)


def test_samples_with_other_entries_give_what_pytorch_gives(torch):
    cases = [calls.call_of(4 * n) for n in range(len(SAMPLES))]
    found = differing(cases, lambda call: calls.difference(call, torch))
    assert len(found) <= KNOWN["samples"], "\n".join(found)


def test_random_programs_end_as_pytorchs_do(torch):
    found = [
        f"{seed}: {said}: {programs.source_of(seed)}"
        for seed in range(PROGRAMS)
        if (said := programs.difference_of(torch, seed)) is not None
    ]
    assert len(found) <= KNOWN["programs"], "\n".join(found)


def test_a_planted_mistake_is_found(torch, monkeypatch):
    import graphlab

    tanh = graphlab.Tensor.tanh
    monkeypatch.setattr(graphlab.Tensor, "tanh", lambda self: tanh(self) + 1)
    home_and_name = ("Tensor", "tanh")
    found = [calls.difference(calls.any_call(*home_and_name, n), torch) for n in range(9)]
    assert any(said and said[0] == "wrong value" for said in found)
