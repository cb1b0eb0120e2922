"""How a walk opens: what `Timeline.at` accepts, and what a document, a page and a widget keep."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import graphlab
from graphlab.common.errors import TraceError
from graphlab.faces.render.bundle import MIME
from graphlab.faces.render.still import settled
from graphlab.faces.widgets.stepper import Stepper
from graphlab.graph.compression import decompressed
from graphlab.graph.states import Opening
from graphlab.graph.timeline import Timeline
from tests.graph.schema import trace_schema


def walk() -> Timeline:
    a, b, c, d = (graphlab.tensor(x, requires_grad=True) for x in (2.0, 3.0, 5.0, 10.0))
    e = a * b + c * d.log()
    return graphlab.trace(e)


LESSON = walk()
QUIZ = LESSON.at(23, predicting=True, granularity="story", view="backward")


def test_the_walk_itself_opens_as_before() -> None:
    assert LESSON.opening is None
    assert "opening" not in LESSON.to_json()
    document = QUIZ.to_json()
    assert list(document)[-1] == "opening"
    del document["opening"]
    assert json.dumps(document) == json.dumps(LESSON.to_json())
    assert list(QUIZ) == list(LESSON)


def test_what_is_not_chosen_stays_as_the_player_has_it() -> None:
    assert LESSON.at(3).to_json()["opening"] == {"step": 3}
    assert LESSON.at(np.int64(3), predicting=np.True_).opening == Opening(3, True)  # pyright: ignore[reportArgumentType]


def test_an_event_may_be_counted_from_the_end() -> None:
    assert LESSON.at(-1).opening == Opening(len(LESSON) - 1)


@pytest.mark.parametrize(
    ("k", "options", "error", "said"),
    [
        (47, {}, IndexError, "step 47 does not exist: this timeline has 47 events, 0 to 46"),
        (-48, {}, IndexError, "step -48 does not exist"),
        pytest.param(10**5000, {}, IndexError, "step … does not exist: this", id="large"),
        ("3", {}, TypeError, "a step must be one integer, got str '3'"),
        (True, {}, TypeError, "a step must be one integer, got bool"),
        (3, {"predicting": 1}, TypeError, "predicting must be True or False, got int 1"),
        (3, {"predicting": "yes"}, TypeError, "predicting must be True or False, got str 'yes'"),
        (
            *(3, {"granularity": "leaf"}, ValueError),
            "unknown granularity 'leaf' (must be one of ['story', 'node', 'micro'])",
        ),
        (
            *(3, {"view": "forward"}, ValueError),
            "unknown view 'forward' (must be one of ['both', 'backward', 'computation'])",
        ),
        (3, {"view": ["both"]}, ValueError, "unknown view ['both']"),
        pytest.param(3, {"view": 10**5000}, ValueError, "unknown view … (must", id="large view"),
    ],
)
def test_what_does_not_exist_is_refused(
    k: Any, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=re.escape(said)):
        LESSON.at(k, **options)


def test_a_walk_without_events_opens_nowhere() -> None:
    with pytest.raises(IndexError, match="no events"):
        Timeline(LESSON.graph, ()).at(0)


def test_a_document_keeps_the_opening() -> None:
    document = json.loads(json.dumps(QUIZ.to_json()))
    jsonschema.Draft202012Validator(trace_schema()).validate(document)
    chosen = {"step": 23, "predicting": True, "granularity": "story", "view": "backward"}
    assert document["opening"] == chosen
    assert Timeline.from_json(document).opening == QUIZ.opening


@pytest.mark.parametrize(
    ("opening", "said"),
    [
        (3, "opening is 3 (int), expected an object with the fields of Opening"),
        ({}, "opening has no 'step'"),
        ({"step": "3"}, "opening.step is '3' (str), expected an integer"),
        ({"step": True}, "opening.step is True (bool), expected an integer"),
        ({"step": 47}, "opening.step is 47 (int), expected the index of an event, 0 to 46"),
        ({"step": -1}, "opening.step is -1 (int), expected the index of an event"),
        ({"step": 3, "predicting": 1}, "opening.predicting is 1 (int), expected true or false"),
        ({"step": 3, "granularity": "leaf"}, "opening.granularity is 'leaf' (str), expected one"),
        ({"step": 3, "view": 7}, "opening.view is 7 (int), expected one of"),
    ],
)
def test_a_damaged_opening_is_refused_with_a_sentence(opening: Any, said: str) -> None:
    with pytest.raises(TraceError, match=re.escape(said)):
        Timeline.from_json({**LESSON.to_json(), "opening": opening})


def test_of_a_walk_that_is_cut_off_the_opening_is_the_last_event_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("graphlab.graph.document.MOST_EVENTS", 20)
    read = Timeline.from_json(QUIZ.to_json())
    assert (len(read), read.opening) == (20, Opening(19, True, "story", "backward"))


def test_the_forward_pass_moves_the_opening_to_the_same_event() -> None:
    longer = QUIZ.with_forward()
    assert longer.opening is not None
    assert longer.opening.step > 23
    assert longer[longer.opening.step] == QUIZ[23]
    assert longer.with_forward(False).opening == QUIZ.opening
    assert Timeline.from_json(longer.to_json()).opening == longer.opening
    assert LESSON.at(0).with_forward().opening == Opening(0)


def test_an_opening_may_lie_in_the_forward_pass() -> None:
    quiz = LESSON.with_forward().at(3, predicting=True)
    assert Timeline.from_json(quiz.to_json()).opening == Opening(3, True)
    last = len(LESSON.with_forward()) - 1
    assert Timeline.from_json(LESSON.with_forward().at(last).to_json()).opening == Opening(last)


def test_a_notebook_keeps_the_opening_and_no_picture_or_text_tells_what_comes_after_it() -> None:
    bundle = QUIZ._repr_mimebundle_()
    assert bundle is not None
    saved = json.loads(decompressed(bundle[MIME]["gzip"]))
    assert saved["opening"] == QUIZ.to_json()["opening"]
    told = bundle["image/svg+xml"] + bundle["text/plain"]
    assert "2.3026" in told  # c.grad, which the event tells
    assert ">0.5<" not in told  # d.grad
    assert "grad 0.5" not in told
    picture = re.search(r'alt="([^"]*)"', bundle["text/html"])
    assert picture is not None
    assert picture[1] == f"The backward pass of e. {QUIZ[23].sentence}"
    end = LESSON._repr_mimebundle_()
    assert end is not None
    assert ">0.5<" in end["image/svg+xml"]
    assert "grad 0.5" in end["text/plain"]


def test_in_the_smallest_steps_the_picture_shows_no_event_that_is_asked_next() -> None:
    rule = next(k for k, event in enumerate(LESSON) if event.kind == "RuleApplied" and k > 23)
    assert settled(LESSON, rule) > rule
    small = LESSON.at(rule, granularity="micro")
    assert settled(small, rule) == rule
    bundle = small._repr_mimebundle_()
    assert bundle is not None
    assert f">step {rule + 1} of 47<" in bundle["image/svg+xml"]


def test_a_saved_page_opens_there_unless_another_step_is_chosen(tmp_path: Path) -> None:
    page = QUIZ.save(tmp_path / "quiz.html").read_text("utf-8")
    assert 'data-step="23"' in page
    page = QUIZ.save(tmp_path / "later.html", step=31).read_text("utf-8")
    assert 'data-step="31"' in page


def test_a_widget_opens_there_unless_its_traits_say_otherwise() -> None:
    stepper = graphlab.step(QUIZ)
    assert (stepper.step, stepper.predicting, stepper.granularity) == (23, True, "story")
    assert Stepper(QUIZ, step=4, predicting=False).step == 4
    longer = graphlab.step(QUIZ, forward=True)
    assert longer.timeline[longer.step] == QUIZ[23]
    longer = Stepper(QUIZ, walks_forward=True)
    assert longer.timeline[longer.step] == QUIZ[23]
    assert graphlab.step(LESSON.at(3)).granularity == "node"


def test_a_comparison_opens_at_its_first_row() -> None:
    comparison = graphlab.compare(QUIZ, LESSON)
    assert [walk.opening for walk in comparison.drawn] == [None, None]


def test_a_recording_opens_there_too() -> None:
    w = graphlab.tensor(1.0, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(2):
            ((w - 3) ** 2).backward()
    start = timeline.passes[1].first
    opened = timeline.at(start, predicting=True)
    assert timeline.opening is None
    assert (opened.opening, len(opened.passes)) == (Opening(start, True), 2)
    assert Timeline.from_json(opened.to_json()).opening == opened.opening


@pytest.mark.parametrize("end", ["txt", "svg", "dot", "mmd"])
def test_a_saved_picture_shows_no_more_than_the_walk_where_it_opens(
    end: str, tmp_path: Path
) -> None:
    shown = QUIZ.save(tmp_path / f"quiz.{end}").read_text("utf-8")
    place, later = (LESSON.stops("story").index(k) + 1 for k in (23, 31))
    how: Any = {"granularity": "story"} | ({"view": "backward"} if end == "svg" else {})
    assert shown == LESSON.save(tmp_path / f"a.{end}", step=place, **how).read_text("utf-8")
    chosen = QUIZ.save(tmp_path / f"b.{end}", step=later, granularity="story")
    assert shown != chosen.read_text("utf-8")
    assert shown != LESSON.save(tmp_path / f"c.{end}").read_text("utf-8")
