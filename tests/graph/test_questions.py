"""What an author may ask inside a walk, what a document keeps of it, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import graphlab
from graphlab import Question
from graphlab.common.errors import TraceError
from graphlab.faces.render.html import to_html
from graphlab.faces.widgets.stepper import Stepper
from graphlab.graph.states import Opening
from graphlab.graph.timeline import Timeline
from tests.graph.schema import trace_schema

SIX = Question("What will x.grad hold?", 6.0, hints={3.0: "x is used twice."}, why="3 + 3.")
ONE = Question("One of two?", "b", choices={"a": "Not a.", "b": "It is b.", "c": ""})


def walk() -> Timeline:
    x = graphlab.tensor(3.0, requires_grad=True)
    return graphlab.trace(x * x)


WALK = walk()
QUIZ = WALK.ask({WALK.find("LeafWritten"): SIX, -1: ONE})


def test_a_question_belongs_to_an_event_and_the_walk_itself_asks_nothing() -> None:
    assert [k for k, _ in QUIZ.questions] == [12, 13]
    assert WALK.questions == ()
    assert "questions" not in WALK.to_json()
    assert list(QUIZ) == list(WALK)


def test_questions_are_added_in_the_order_of_their_events() -> None:
    more = QUIZ.ask({5: ONE}).ask({12: ONE})
    assert [(k, one.text) for k, one in more.questions] == [
        (5, ONE.text), (12, SIX.text), (12, ONE.text), (13, ONE.text),
    ]  # fmt: skip


def test_a_walk_with_questions_opens_in_predict_mode_unless_at_says_other() -> None:
    assert QUIZ.opening == Opening(0, predicting=True)
    assert QUIZ.at(4).opening == Opening(4, predicting=True)
    assert QUIZ.at(4, predicting=False).opening == Opening(4)
    assert WALK.at(4, view="backward").ask({5: ONE}).opening == Opening(4, True, view="backward")
    assert Stepper(QUIZ).predicting


def test_a_document_keeps_questions_and_the_schema_knows_them() -> None:
    document = QUIZ.to_json()
    jsonschema.validate(document, trace_schema())
    assert Timeline.from_json(json.dumps(document)).questions == QUIZ.questions
    assert document["questions"][1]["choices"] == ["a", "b", "c"]
    del document["questions"]
    assert Timeline.from_json(document).questions == ()


def test_neither_document_nor_page_holds_an_answer_or_a_hint_in_plain_sight(tmp_path: Path) -> None:
    secret = Question("A word?", "Kettenregel", hints={"Produktregel": "Mal?"}, why="Von außen.")
    quiz = WALK.ask({12: secret})
    said = json.dumps(quiz.to_json(), ensure_ascii=False) + to_html(quiz)
    said += quiz.save(tmp_path / "quiz.graphlab.json").read_text("utf-8")
    for word in ("Kettenregel", "Produktregel", "Mal?", "Von außen"):
        assert word not in said


def test_the_same_answer_to_two_questions_is_sealed_in_two_ways() -> None:
    one, two = WALK.ask({5: Question("A?", 8), 6: Question("B?", 8)}).to_json()["questions"]
    assert one["sealed"] != two["sealed"]


def test_a_question_in_a_forward_pass_is_asked_where_that_is_walked() -> None:
    [computed] = WALK.with_forward().find("Computed")
    quiz = WALK.with_forward().ask({computed: ONE, -1: SIX})
    assert [k for k, _ in quiz.questions] == [computed, 18]
    backward = quiz.with_forward(False)
    assert [k for k, _ in backward.questions] == [13]
    assert backward.with_forward().questions == quiz.questions
    assert Timeline.from_json(backward.to_json()).with_forward().questions == quiz.questions


def test_a_recording_is_asked_about_too() -> None:
    x = graphlab.tensor(3.0, requires_grad=True)
    y = x * x
    with graphlab.record(expect=RuntimeError) as timeline:
        y.backward()
        y.backward()
    quiz = timeline.ask({timeline.find("Failed"): ONE})
    assert [quiz[k].kind for k, _ in quiz.questions] == ["Failed"]
    assert Timeline.from_json(quiz.to_json()).questions == quiz.questions


@pytest.mark.parametrize(
    ("right", "kind", "held"),
    [
        (8, "whole", (8,)),
        (np.int64(8), "whole", (8,)),
        (0.5, "number", (0.5,)),
        ([1, 2.5], "number", (1, 2.5)),
        (graphlab.tensor(2.0, requires_grad=True), "number", (2.0,)),
        (np.float32(-0.8), "number", (-0.8,)),
        (float("inf"), "number", (float("inf"),)),
        ("  the chain rule ", "text", ("the chain rule",)),
        (["a", "b"], "text", ("a", "b")),
    ],
)
def test_the_kind_follows_from_the_right_answer(right: Any, kind: str, held: Any) -> None:
    question = Question("What?", right)
    assert (question.kind, question.right) == (kind, held)
    quiz = WALK.ask({3: question})
    assert Timeline.from_json(quiz.to_json()).questions == quiz.questions


def test_an_answer_that_is_not_a_number_travels() -> None:
    [(_, read)] = Timeline.from_json(WALK.ask({3: Question("What?", np.nan)}).to_json()).questions
    assert read.kind == "number"
    assert np.isnan(read.right[0])


def test_choices_carry_what_is_said_to_each() -> None:
    assert (ONE.choices, ONE.hints, ONE.why) == (("a", "b", "c"), (("a", "Not a."),), "It is b.")


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: Question(" ", 3), ValueError, "a question must be a non-empty string"),
        (lambda: Question(3, 3), TypeError, "a question must be a string, such as .*; got int 3"),  # type: ignore[arg-type]
        (lambda: Question("x" * 401, 3), ValueError, "401 characters; write at most 400"),
        (lambda: Question("a?", None), ValueError, "the question 'a\\?' has no right answer"),
        (lambda: Question("a?", []), ValueError, "has no right answer; give at least one"),
        (lambda: Question("a?", ""), ValueError, "the right answer of the question 'a\\?' must be"),
        (lambda: Question("a?", True), TypeError, r'use choices=\["yes", "no"\]'),
        (lambda: Question("a?", [1, "b"]), TypeError, "must all be numbers or all be strings"),
        (lambda: Question("a?", graphlab.ones(2)), TypeError, "an answer .* is Tensor tensor"),
        (lambda: Question("a?", 10**30), ValueError, "which browsers would round"),
        (lambda: Question("a?", "a", choices=["a"]), ValueError, "has 1 choice; give at least two"),
        (lambda: Question("a?", "a", choices=["a", " A"]), ValueError, "the choice 'A' twice"),
        (
            lambda: Question("a?", "c", choices=["a", "b"]),
            ValueError,
            r"'c' is not a choice .*\['a',",
        ),
        (lambda: Question("a?", ["a", "b"], choices=["a", "b"]), ValueError, "every choice of"),
        (lambda: Question("a?", "a", choices="ab"), TypeError, "must be a list of strings, or a"),
        (lambda: Question("a?", "a", choices=["a", 2]), TypeError, "a choice of .*; got int 2"),
        (lambda: Question("a?", "0", choices=list("0123456789")), ValueError, "at most 8"),
        (lambda: Question("a?", 3, hints={3.0: "x"}), ValueError, "3.0 is a right answer of"),
        (
            lambda: Question("a?", [0.5, 2], hints={0.501: "x"}),
            ValueError,
            r"0.501 is a right answer of .* \(within 1%\); write",
        ),
        (lambda: Question("a?", 0.0, hints={1e-4: "x"}), ValueError, "0.0001 is a right answer"),
        (lambda: Question("a?", 3, hints={"b": "x"}), TypeError, "for answers like 3, got str 'b'"),
        (lambda: Question("a?", 3, hints={4: ""}), ValueError, "the hint of .* for 4 must be a"),
        (lambda: Question("a?", 3, hints="b"), TypeError, "a dict from wrong answers to sent"),
        (lambda: WALK.ask({99: SIX}), IndexError, "step 99 does not exist: this timeline has 14"),
        (lambda: WALK.ask({"Finished": SIX}), TypeError, "a step must be one integer, got str"),
        (lambda: WALK.ask({0: SIX}), ValueError, "event 0 is shown immediately"),
        (lambda: WALK.ask({-14: SIX}), ValueError, "event 0 is shown immediately"),
        (lambda: WALK.ask({}), TypeError, "ask takes a dict from events to questions"),
        (lambda: WALK.ask(SIX), TypeError, "ask takes a dict .* got Question"),  # type: ignore[arg-type]
        (lambda: WALK.ask({3: "Why?"}), TypeError, "question of event 3 .* got str 'Why\\?'"),  # type: ignore[dict-item]
        (lambda: WALK.ask({WALK.find("Reduced"): SIX}), ValueError, "timeline.find found no event"),
        (lambda: WALK.ask({(4, 7): SIX}), ValueError, r"found 2 events, \(4, 7\); ask"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_once(make: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        make()


def test_a_hint_may_be_close_to_a_whole_number_that_must_be_equal() -> None:
    assert Question("a?", 1000, hints={1001: "x"}).hints == ((1001, "x"),)
    assert Question("a?", 0.5, hints={0.51: "x"}).hints == ((0.51, "x"),)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"at": 99}, "questions[0].at is 99 (int), expected the index of an event, 0 to 18"),
        ({"at": None}, "questions[0].at is None"),
        ({"kind": "song"}, "questions[0].kind is 'song'"),
        ({"text": 3}, "questions[0].text is 3"),
        ({"kind": "whole"}, "expected the sealed answer of a question of the kind 'whole'"),
        ({"sealed": "AAAA"}, "questions[0].sealed is 'AAAA'"),
        ({"sealed": "not base64"}, "questions[0].sealed is 'not base64'"),
        ({"choices": ["x", "y"]}, "questions[0].sealed"),
    ],
)
def test_a_damaged_question_is_refused_with_its_place(change: dict[str, Any], said: str) -> None:
    document = WALK.ask({12: SIX}).to_json()
    document["questions"] = [{**document["questions"][0], **change}]
    with pytest.raises(TraceError, match=re.escape(said)):
        Timeline.from_json(document)
