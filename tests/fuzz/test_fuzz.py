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
TURNS = 1  # calls of each function
PROGRAMS = 250
# what may differ: mostly at nan, infinities and the ends of float16, where PyTorch says nothing
KNOWN = {
    "bincount", "convolution", "cumprod", "elu_", "huber_loss", "mode", "multilabel_margin_loss",
    "mvlgamma_", "nanquantile", "native_batch_norm", "norm", "pinv",
    "eig", "eigvals",  # eigenvalues that are real stay real numbers here
}  # fmt: skip


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


def test_random_programs_end_as_pytorchs_do(torch):
    found = [
        f"{seed}: {said}: {programs.source_of(seed)}"
        for seed in range(PROGRAMS)
        if (said := programs.difference_of(torch, seed)) is not None
    ]
    assert found == []


def test_a_planted_mistake_is_found(torch, monkeypatch):
    import graphlab

    tanh = graphlab.Tensor.tanh
    monkeypatch.setattr(graphlab.Tensor, "tanh", lambda self: tanh(self) + 1)
    home_and_name = ("Tensor", "tanh")
    found = [calls.difference(calls.any_call(*home_and_name, n), torch) for n in range(9)]
    assert any(said and said[0] == "wrong value" for said in found)
