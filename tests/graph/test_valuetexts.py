"""The fixture that the player writes numbers after is what Python writes.

Read next: tests/graph/test_references.py
"""

from __future__ import annotations

import json

import pytest

from tests.graph.valuetexts import FIXTURE, fixture_text

MEASURED = ("mean", "std")


def test_the_texts_that_typescript_writes_are_current():
    # rewritten by: python -m tests.graph.valuetexts --update
    found, made = json.loads(FIXTURE.read_text(encoding="utf-8")), json.loads(fixture_text())
    assert found["numbers"] == made["numbers"]
    for one, other in zip(found["arrays"], made["arrays"], strict=True):
        for key in MEASURED if one["value"]["statistics"] else ():
            mean, other_mean = (float(x["value"]["statistics"].pop(key)) for x in (one, other))
            # rtol=1e-4  # sums of float32, in the order of the machine
            assert mean == pytest.approx(other_mean, rel=1e-4, nan_ok=True)
        assert one["value"] == other["value"]
