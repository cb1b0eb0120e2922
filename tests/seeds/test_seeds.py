"""The five notebooks that GraphLab was begun from print what they print with PyTorch.

Addresses and the running number of a custom Function aside, every line is the same.

Read next: tests/seeds/cells.py
"""

from __future__ import annotations

import pytest

import graphlab
from tests.seeds.cells import FOLDER, cells, transcript

SEEDS = sorted(path.name.split(".")[0] for path in FOLDER.glob("*.code.txt"))


def script(seed: str) -> str:
    return (FOLDER / f"{seed}.code.txt").read_text("utf-8")


def expected(seed: str) -> list[str]:
    return (FOLDER / f"{seed}.expected.txt").read_text("utf-8").splitlines()


def test_there_are_five_seeds_and_each_has_cells():
    assert len(SEEDS) == 5
    assert all(len(cells(script(seed))) > 4 for seed in SEEDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed_prints_with_graphlab_what_it_prints_with_pytorch(seed):
    assert transcript(graphlab, script(seed)).splitlines() == expected(seed)


@pytest.mark.torch
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_expected_of_a_seed_is_what_pytorch_prints(seed, torch):
    assert transcript(torch, script(seed)).splitlines() == expected(seed)


def test_a_transcript_shows_prints_warnings_values_and_errors():
    code = (
        "# %% one\nimport warnings\nprint('a')\nwarnings.warn('b', UserWarning)\n3\n# %% two\n1/0\n"
    )
    lines = ["### one", "a", "[UserWarning] b", "Out: 3", "### two"]
    assert transcript(graphlab, code).splitlines() == [
        *lines,
        "ZeroDivisionError: division by zero",
    ]
