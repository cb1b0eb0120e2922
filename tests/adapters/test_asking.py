"""The questions of an author that Python and the player read alike.

Read next: js/test/own.test.ts
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from graphlab.graph.questions import unsealed
from graphlab.graph.timeline import Timeline
from tests.adapters.asking import FIXTURE, asked

ROOT = Path(__file__).parents[2]


def test_the_walks_with_questions_are_the_committed_ones():
    """In a process of its own: the lines of code that a walk shows are those of its module."""
    made = subprocess.run(
        [sys.executable, "-m", "tests.adapters.asking"], cwd=ROOT, capture_output=True, check=True
    )
    assert made.stdout.decode() == FIXTURE.read_text(encoding="utf-8"), (
        "run python -m tests.adapters.asking --update, and look at what changes"
    )


def test_what_is_sealed_in_the_fixture_is_read():
    for text, key, sealed in json.loads(FIXTURE.read_text(encoding="utf-8"))["sealed"]:
        assert unsealed(sealed, key) == text


def test_the_committed_questions_are_those_that_were_asked():
    walk = json.loads(FIXTURE.read_text(encoding="utf-8"))["walks"]["asked"]
    assert Timeline.from_json(walk).questions == asked().questions
