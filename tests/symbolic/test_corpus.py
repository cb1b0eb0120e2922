"""A few programs of the corpus; all of them run with `python benchmarks/corpus.py`.

Read next: tests/symbolic/test_soundness.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.faces.symbolic.check import check
from tests.symbolic import corpus, corpus_mistakes

RIGHT = list(corpus.right())
WRONG = list(corpus_mistakes.wrong())
FORMER = [
    case for case in RIGHT if case[0] in ("network 7", "network 9", "network 45", "network 50")
]


@pytest.mark.parametrize("case", [*RIGHT[::31], *FORMER], ids=lambda case: case[0])
def test_a_right_program_is_not_called_wrong(case):
    graphlab.manual_seed(0)
    assert check(case[1]()).verdict != "disagrees"


@pytest.mark.parametrize("case", WRONG[::16], ids=lambda case: case[0])
def test_a_planted_mistake_is_not_called_right(case):
    graphlab.manual_seed(0)
    assert not check(case[1]()).ok


def test_the_corpus_is_large():
    assert len(RIGHT) > 300
    assert len(WRONG) > 390
    assert len({name for name, _ in RIGHT}) == len(RIGHT)
