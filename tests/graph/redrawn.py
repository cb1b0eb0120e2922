"""A recorded loop whose passes share a drawing, for the tests in Python and in TypeScript.

`python -m tests.graph.redrawn --update` writes tests/fixtures/redrawn.json.

Read next: tests/graph/test_redrawing.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import graphlab
from graphlab.faces.render.bundle import with_scenes
from graphlab.graph.codec import encode
from graphlab.graph.document import write
from graphlab.graph.timeline import Timeline

FIXTURE = Path(__file__).parents[1] / "fixtures" / "redrawn.json"
STEPS = 3


def descent() -> Timeline:
    """A line is fitted to one point; its values need from 3 to 9 characters."""
    w = graphlab.tensor(3.0, requires_grad=True)
    b = graphlab.tensor(0.0, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(STEPS):
            for leaf in (w, b):
                leaf.grad = None
            loss = (w * 2.0 + b - 1.0) ** 2
            loss.backward()
            with graphlab.no_grad():
                w -= 0.09 * w.grad
                b -= 0.09 * b.grad
    return timeline


def fixture() -> dict[str, Any]:
    """The document, and the scenes that each of its passes stands for."""
    drawn = with_scenes(descent())
    return {"trace": write(drawn), "scenes": [encode(one.scenes) for one in drawn.passes]}


def fixture_text() -> str:
    return json.dumps(fixture(), ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    if "--update" not in sys.argv:
        sys.exit("Say --update to write the fixture.")
    FIXTURE.write_text(fixture_text(), encoding="utf-8")
