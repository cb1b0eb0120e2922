"""A recorded loop with its forward passes, and its states: Python and the player agree.

`python -m tests.adapters.forward --update` writes tests/fixtures/forward.json, in a process of its
own: nothing that ran before has a say in it.

Read next: tests/adapters/test_forward.py
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import graphlab
from graphlab.graph.document import write
from graphlab.graph.timeline import Timeline

FIXTURE = Path(__file__).parents[1] / "fixtures" / "forward.json"
LONG = ("events", "forward_states")  # one entry a line, so that differences can be read


def recorded() -> Timeline:
    """Two passes over a product of matrices, with a step between them."""
    X = graphlab.tensor([[1.0, 2.0], [3.0, 4.0]])
    W = graphlab.tensor([[1.0, -1.0], [0.5, 0.0]], requires_grad=True)
    b = graphlab.tensor(0.5, requires_grad=True)
    optimizer = graphlab.optim.SGD([W, b], lr=0.25)
    with graphlab.record() as timeline:
        for _ in range(2):
            optimizer.zero_grad()
            h = X @ W
            loss = h.mean() * b
            loss.backward()
            optimizer.step()
    return timeline


def document() -> str:
    """The trace without its drawings, and the states of the walk with its forward parts."""
    timeline = recorded()
    whole = timeline.with_forward()
    undrawn = replace(timeline, passes=tuple(replace(one, scenes=()) for one in timeline.passes))
    states = [whole.state_at(k) for k in range(len(whole))]
    parts = []
    for key, part in {**write(undrawn), "generator": "graphlab", "forward_states": states}.items():
        if key in LONG:
            lines = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in part)
            parts.append(f'"{key}": [\n  {lines}\n]')
        else:
            parts.append(f'"{key}": {json.dumps(part, ensure_ascii=False)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    if "--update" in sys.argv:
        FIXTURE.write_text(document(), encoding="utf-8")
    else:
        sys.stdout.buffer.write(document().encode())
