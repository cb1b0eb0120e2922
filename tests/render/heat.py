"""Heat maps of values of every sort: what Python and the player draw alike.

`python -m tests.render.heat --update` writes tests/fixtures/heat.json.

Read next: tests/render/test_heat.py
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from graphlab.faces.render.heat import heat_mark, heat_parts
from graphlab.graph.codec import encode
from graphlab.graph.value import summarise

FIXTURE = Path(__file__).parents[1] / "fixtures" / "heat.json"


def arrays() -> dict[str, Any]:
    odd = np.array([[1.0, -np.inf, 0.0], [np.nan, -1e-9, -3.0], [0.75, 0.5, 1e30]])
    return {
        "small": np.array([[0.5, -1.0], [2.0, 0.0]], np.float32),
        "odd": odd,
        "four rows": (np.arange(12).reshape(4, 3) - 5) / 8,
        # not symmetric: a mean of nearly 0 differs from processor to processor
        "corner": np.linspace(-2.5, 2.75, 300, dtype=np.float32).reshape(30, 10),
        "whole, but long": np.arange(40).reshape(4, 10) - 17,
        "batch": np.arange(24).reshape(2, 3, 4) % 5 - 2,
        "mask": np.arange(12).reshape(3, 4) % 5 % 2 == 1,
        "zeros": np.zeros((2, 2)),
    }


def document() -> list[dict[str, Any]]:
    told = []
    for name, array in arrays().items():
        value = summarise(array)
        mark = heat_mark(value)
        assert mark is not None
        placed = replace(mark, x=12.5, y=3)
        parts = [list(part) for part in heat_parts(placed, value)]
        hollow = [list(part) for part in heat_parts(placed, None)]
        about = {"name": name, "value": encode(value), "mark": encode(placed)}
        told.append({**about, "parts": parts, "hollow": hollow})
    return told


def fixture_text() -> str:
    """The fixture as committed: one heat map a line."""
    lines = [json.dumps(one, ensure_ascii=False) for one in document()]
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__" and "--update" in sys.argv:
    FIXTURE.write_text(fixture_text(), encoding="utf-8")
