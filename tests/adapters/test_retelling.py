"""The pairs of traces that the player retells are what Python makes, and carry every number.

Read next: tests/graph/test_references.py
"""

from __future__ import annotations

import json

import pytest

from graphlab.graph.compression import decompressed
from tests.adapters.retelling import FIXTURE, PROGRAMS, fixture_text


@pytest.fixture(scope="module")
def pairs():
    return json.loads(decompressed(json.loads(FIXTURE.read_text(encoding="utf-8"))["gzip"]))


def captions(trace):
    return [event["caption"] for event in trace["events"]]


def test_the_traces_that_typescript_retells_are_current(pairs):
    # rewritten by: python -m tests.adapters.retelling --update
    made = json.loads(decompressed(json.loads(fixture_text())["gzip"]))
    assert [one["name"] for one in made] == [one["name"] for one in pairs]
    for found, now in zip(pairs, made, strict=True):
        for trace in ("one", "other"):
            assert captions(found[trace]) == captions(now[trace])
        assert found["numbers"].keys() == now["numbers"].keys()


def test_each_program_makes_the_same_sentences_of_other_numbers(pairs):
    assert len(pairs) == 2 * len(PROGRAMS)
    for pair in pairs:
        one, other = captions(pair["one"]), captions(pair["other"])
        assert len(one) == len(other)
        assert one != other
        for sentence, again in zip(one, other, strict=True):
            fixed = [[part for part in said if len(part) < 3] for said in (sentence, again)]
            named = [[p[2:] for p in said if isinstance(p, list)] for said in (sentence, again)]
            assert fixed[0] == fixed[1]
            assert named[0] == named[1]
