"""Walks with questions, and walks that predict mode asks about memory and errors.

`python -m tests.adapters.asking --update` writes the fixture that Python and the player read alike.

Read next: js/test/own.test.ts, js/test/memoryquestions.test.ts
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import graphlab
from graphlab import Question
from graphlab.graph.questions import seal
from graphlab.graph.timeline import Timeline

FIXTURE = Path(__file__).parents[1] / "fixtures" / "questions.json"
TEXTS = ["", "8", "größer als 2³ 🙂", '{"right": ["a"]}' * 20]


def leaves(*numbers: float) -> list[Any]:
    return [graphlab.tensor(number, requires_grad=True) for number in numbers]


def asked() -> Timeline:
    """e = a b + c: a question of each kind, two of them before the same event."""
    a, b, c = leaves(2.0, 3.0, 5.0)
    e = a * b + c
    timeline = graphlab.trace(e, forward=True)
    times = timeline.find("Computed")[0]
    return timeline.ask(
        {
            times: Question("Größer als 2³: what comes in front of the result? 🙂", "Wert"),
            timeline.find("LeafWritten", tensor="a"): Question(
                "What will a.grad hold?",
                [3.0, 3.5],
                hints={2.0: "That is a itself.", 1.0: "That is the slope of c."},
                hint="Which factor does not change?",
                why="The slope of a b over a is b.",
            ),
            timeline.find("Finished"): Question(
                "How many bytes are held now?", 0, hints={8: "They are freed already."}
            ),
        }
    ).ask(
        {
            timeline.find("LeafWritten", tensor="a"): Question(
                "And why?",
                "b is the other factor",
                choices={
                    "a is the other factor": "Which of the two is held fixed?",
                    "b is the other factor": "Yes: the product rule.",
                    "the sum passes it on": "",
                },
            ),
        }
    )


def freed_twice() -> Timeline:
    """A second pass through y = (w x)² whose first pass freed what it had saved."""
    w, x = leaves(3.0, 2.0)
    y = (w * x) ** 2
    with graphlab.record(expect=RuntimeError) as timeline:
        y.backward()
        y.backward()
    return timeline


def changed() -> Timeline:
    """A pass that fails because a factor was changed in place."""
    (w,) = leaves(3.0)
    x = graphlab.tensor(2.0)
    y = (w * x) ** 2
    x.add_(1.0)
    with graphlab.record(expect=RuntimeError) as timeline:
        y.backward()
    return timeline


def kept() -> Timeline:
    """A pass that keeps its graph."""
    w, x = leaves(3.0, 2.0)
    y = (w * x) ** 2
    with graphlab.record() as timeline:
        y.backward(retain_graph=True)
    return timeline


def document(timeline: Timeline) -> dict[str, Any]:
    """A trace without its drawings."""
    found = timeline.to_json()
    drawings = {"scenes", "like", "ids", "texts"}
    passes = [
        {**{name: part for name, part in one.items() if name not in drawings}, "scenes": []}
        for one in found.get("passes", ())
    ]
    return {
        **{name: part for name, part in found.items() if name != "replay"},
        **({"passes": passes} if passes else {}),
        **{"generator": "graphlab", "scenes": []},
    }


def made() -> str:
    walks = {one.__name__: document(one()) for one in (asked, freed_twice, changed, kept)}
    sealed = [[text, key, seal(text, key)] for text in TEXTS for key in ("k", "Wie viele? ≥")]
    return json.dumps({"sealed": sealed, "walks": walks}, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if "--update" in sys.argv:
        FIXTURE.write_text(made(), encoding="utf-8")
    else:
        sys.stdout.buffer.write(made().encode())
