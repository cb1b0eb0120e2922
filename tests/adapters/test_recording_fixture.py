"""The recorded training loop that Python and the player replay alike.

Read next: js/test/training.test.ts
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from graphlab.graph.timeline import Timeline
from tests.adapters.training import FIXTURE

ROOT = Path(__file__).parents[2]


def test_the_recorded_training_loop_is_the_committed_one():
    """In a process of its own: what ran before, here or in the whole suite, has no say in it."""
    made = subprocess.run(
        [sys.executable, "-m", "tests.adapters.training"], cwd=ROOT, capture_output=True, check=True
    )
    assert made.stdout.decode() == FIXTURE.read_text(encoding="utf-8"), (
        "run python -m tests.adapters.training --update, and look at what changes"
    )


def test_the_committed_training_loop_is_read_and_folded_to_the_same_states():
    document = json.loads(FIXTURE.read_text(encoding="utf-8"))
    timeline = Timeline.from_json(document)
    assert [timeline.state_at(k) for k in range(len(timeline))] == document["states"]
    assert [list(timeline.patches)[k] for k in range(3)] == [
        e["patch"] for e in document["events"][:3]
    ]
