"""A recorded training loop, its states, cards and curves: what Python and the player replay alike.

`python -m tests.adapters.training --update` writes tests/fixtures/training.json, in a process of
its own: nothing that ran before has a say in it.

Read next: tests/adapters/test_recording_fixture.py
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import graphlab
from graphlab.faces.render.theme import grad_by_then
from graphlab.graph.document import write
from graphlab.graph.series import magnitude, series
from graphlab.graph.timeline import Timeline

FIXTURE = Path(__file__).parents[1] / "fixtures" / "training.json"
LONG = ("events", "states", "cards")  # one entry a line, so that differences can be read


def training() -> Timeline:
    """Three passes: after a step and zero_grad, after nothing at all, after `w.grad = None`."""
    x = graphlab.tensor(3.0)
    w, b = (graphlab.tensor(value, requires_grad=True) for value in (1.0, 0.5))
    optimizer = graphlab.optim.SGD([w, b], lr=0.25)
    with graphlab.record() as timeline:
        loss = (w * x + b) ** 2
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss = w * w * b
        loss.backward()
        loss = w * b
        loss.backward()
        w.grad = None
        optimizer.zero_grad(set_to_none=False)
    return timeline


def cards(timeline: Timeline) -> list[dict[str, str]]:
    """After each event, what the card of each tensor says of its gradient; absent: not yet."""
    tensors = [tensor for tensor in timeline.graph.tensors if tensor.requires_grad]
    told = []
    for k in range(len(timeline)):
        state = timeline.state_at(k)
        texts = {one.id: grad_by_then(state, one.id, one.is_leaf) for one in tensors}
        told.append({tensor: text for tensor, text in texts.items() if text is not None})
    return told


def curves(timeline: Timeline) -> dict[str, list[float | None]]:
    """Every curve over the passes; None: the pass has no such value."""
    return {
        name: [None if value is None else magnitude(value) for value in listed]
        for name, listed in series(timeline.graph, timeline.events).items()
    }


def document() -> dict[str, Any]:
    """The trace without its drawings, and what is to be made of it."""
    timeline = training()
    passes = tuple(replace(one, scenes=()) for one in timeline.passes)
    undrawn = replace(timeline, passes=passes)
    states = [timeline.state_at(k) for k in range(len(timeline))]
    return {
        **write(undrawn),
        "generator": "graphlab",
        "states": states,
        "cards": cards(timeline),
        "curves": curves(timeline),
    }


def fixture_text() -> str:
    """The fixture as committed."""
    parts = []
    for key, part in document().items():
        if key in LONG:
            lines = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in part)
            parts.append(f'"{key}": [\n  {lines}\n]')
        else:
            parts.append(f'"{key}": {json.dumps(part, ensure_ascii=False)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    if "--update" in sys.argv:
        FIXTURE.write_text(fixture_text(), encoding="utf-8")
    else:
        sys.stdout.buffer.write(fixture_text().encode())
