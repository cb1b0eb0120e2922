"""The page requests entries that the trace does not hold, while the tensor exists."""

from __future__ import annotations

import gc
import json
from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab.faces.widgets.kernel_values import CHANGED, GONE, MOST_ENTRIES, answer
from graphlab.faces.widgets.stepper import Stepper
from graphlab.graph.codec import encode
from graphlab.graph.timeline import Timeline


class Program:
    """A product with a large matrix that only variables hold."""

    def __init__(self) -> None:
        self.w = graphlab.tensor(np.arange(1200.0).reshape(30, 40), requires_grad=True)
        self.k = graphlab.tensor(np.arange(1536.0).reshape(64, 4, 3, 2), requires_grad=True)
        self.timeline = graphlab.trace((self.w * 2.0).sum() + self.k.sum() * self.w.mean())

    def ask(self, name: str, **changed: Any) -> dict[str, Any]:
        tensor = next(one for one in self.timeline.graph.tensors if one.label.endswith(name))
        like = json.loads(json.dumps(encode(tensor.value)))
        usual = {
            "ask": 7,
            "value": tensor.id,
            "like": like,
            "at": [],
            "rows": [2, 4],
            "cols": [5, 8],
        }
        return {**usual, **changed}


def test_a_window_of_a_living_tensor_is_read_from_it() -> None:
    program = Program()
    found = answer(program.timeline, program.ask("w"))
    assert found == {"ask": 7, "entries": ["85.0", "86.0", "87.0", "125.0", "126.0", "127.0"]}


def test_a_gradient_is_read_once_it_is_what_was_told() -> None:
    program = Program()
    with graphlab.record() as timeline:
        (program.w * program.w).sum().backward()
    written = next(event for event in timeline if event.kind == "LeafWritten")
    ask = program.ask("w", value=f"{written.tensor}.grad", like=encode(written.after))
    assert answer(timeline, ask)["entries"][:2] == ["170.0", "172.0"]


def test_a_slice_of_more_dimensions_is_named_by_its_first_indexes() -> None:
    program = Program()
    found = answer(program.timeline, program.ask("k", at=[63, 3], rows=[0, 3], cols=[0, 2]))
    assert found["entries"] == ["1530.0", "1531.0", "1532.0", "1533.0", "1534.0", "1535.0"]


def test_what_is_gone_is_said_and_nothing_keeps_it() -> None:
    program = Program()
    ask, timeline = program.ask("w"), program.timeline
    del program
    gc.collect()
    assert answer(timeline, ask) == {"ask": 7, "why": GONE}
    read = Timeline.from_json(timeline.to_json())
    assert answer(read, ask) == {"ask": 7, "why": GONE}


def test_what_was_changed_in_place_is_not_shown_as_if_it_were_the_same() -> None:
    program = Program()
    with graphlab.no_grad():
        program.w[20, 20] = 5000.0  # not in the corner, but in the statistics
    assert answer(program.timeline, program.ask("w")) == {"ask": 7, "why": CHANGED}


@pytest.mark.parametrize(
    "changed",
    [
        {"value": 3},
        {"at": [1]},
        {"at": "x"},
        {"rows": [-1, 2]},
        {"rows": [2, 2]},
        {"rows": [0, 31]},
        {"rows": [0.5, 2]},
        {"cols": None},
        {"cols": [0, 41]},
        {"rows": [0, 30], "cols": [0, 40]},
    ],
)
def test_whatever_the_page_asks_the_answer_is_a_sentence(changed: dict[str, Any]) -> None:
    program = Program()
    found = answer(program.timeline, program.ask("w", **changed))
    assert set(found) == {"ask", "why"}
    assert MOST_ENTRIES < 1200


@pytest.mark.parametrize("ask", [None, 3, [], {}, {"value": "t0"}])
def test_what_is_no_question_has_an_answer_too(ask: Any) -> None:
    assert "why" in answer(Program().timeline, ask)


def test_the_widget_answers_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program()
    stepper = Stepper(program.timeline)
    sent: list[Any] = []
    monkeypatch.setattr(stepper, "send", sent.append)
    stepper._handle_custom_msg(program.ask("w"), [])
    assert sent == [answer(program.timeline, program.ask("w"))]
    stepper.close()
