"""A walk with its formulas, for the Slope card and its picture in Python.

`python -m tests.render.slopes --update` writes tests/fixtures/slope.json.

Read next: tests/render/test_slope.py
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import graphlab
from graphlab.graph.document import write
from graphlab.graph.timeline import Timeline

FIXTURE = Path(__file__).parents[1] / "fixtures" / "slope.json"


def lesson() -> Timeline:
    """e = a * b + c * log(d): d has to be positive."""
    a, b, c, d = (graphlab.tensor(x, requires_grad=True) for x in (2.0, -3.0, 1.5, 10.0))
    e = a * b + c * graphlab.log(d)
    return graphlab.trace(e)


def document() -> dict[str, Any]:
    return {**write(replace(lesson(), scenes=())), "generator": "graphlab"}


def fixture_text() -> str:
    """The fixture as committed: one part of the trace a line."""
    parts = (f'"{k}": {json.dumps(v, ensure_ascii=False)}' for k, v in document().items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    if "--update" in sys.argv:
        FIXTURE.write_text(fixture_text(), encoding="utf-8")
    else:
        sys.stdout.buffer.write(fixture_text().encode())
