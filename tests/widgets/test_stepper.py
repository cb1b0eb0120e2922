"""The Python side of the widget: what it accepts, refuses, and sends to the browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from traitlets import TraitError

from graphlab.common.errors import described
from graphlab.faces.widgets import stepper as module
from graphlab.faces.widgets.stepper import Stepper, browser_module
from graphlab.graph.compression import compressed
from graphlab.graph.questions import Question
from graphlab.graph.timeline import Timeline

LESSON = Path(__file__).parents[1] / "fixtures" / "lesson.json"


@pytest.fixture
def timeline() -> Timeline:
    return Timeline.from_json(LESSON.read_text(encoding="utf-8"))


@pytest.fixture
def stepper(timeline: Timeline) -> Stepper:
    return Stepper(timeline)


def test_it_opens_at_the_first_event_and_does_not_play(stepper: Stepper) -> None:
    assert (stepper.step, stepper.playing) == (0, False)


def test_the_browser_is_sent_the_timeline_as_plain_json(
    stepper: Stepper, timeline: Timeline
) -> None:
    assert stepper.trace == compressed(timeline.to_json())
    assert json.loads(json.dumps(stepper.trace)) == stepper.trace
    assert set(stepper.get_state()) >= {"trace", "step", "playing", "_esm"}


def test_it_can_be_opened_at_any_event(timeline: Timeline) -> None:
    assert Stepper(timeline, step=13).step == 13


@pytest.mark.parametrize("wrong", [-1, 52, 10**6])
def test_a_step_outside_the_timeline_is_refused_and_the_old_one_kept(
    stepper: Stepper, wrong: int
) -> None:
    stepper.step = 7
    with pytest.raises(TraitError, match=f"step {wrong} does not exist: .* 52 events, 0 to 51"):
        stepper.step = wrong
    assert stepper.step == 7


@pytest.mark.parametrize("wrong", ["3", 2.5, None])
def test_a_step_that_is_no_integer_is_refused(stepper: Stepper, wrong: object) -> None:
    with pytest.raises(TraitError, match="step"):
        stepper.set_trait("step", wrong)
    assert stepper.step == 0


def test_forward_and_back_walk_the_stops_of_the_node_granularity(
    stepper: Stepper, timeline: Timeline
) -> None:
    there = [stepper.step]
    for _ in timeline.stops()[1:]:
        stepper.forward()
        there.append(stepper.step)
    assert tuple(there) == timeline.stops("node")
    for _ in range(len(there) + 2):
        stepper.back()
    assert stepper.step == 0


def test_last_is_the_final_event_and_first_the_seed(stepper: Stepper) -> None:
    stepper.last()
    assert stepper.step == 51
    stepper.forward()
    assert stepper.step == 51
    stepper.first()
    assert stepper.step == 0


def test_a_picture_without_events_has_only_step_0(timeline: Timeline) -> None:
    still = Stepper(Timeline(timeline.graph, ()))
    still.last()
    still.forward()
    assert still.step == 0
    assert "no events" in repr(still)
    with pytest.raises(TraitError, match="no events"):
        still.step = 1


def test_its_repr_says_where_it_stands(stepper: Stepper) -> None:
    stepper.step = 24
    assert repr(stepper) == (
        "<Stepper of e: event 24 of 0 to 51: The gradient reaches the leaf c: c.grad is 2.3026.>"
    )


def test_anything_but_a_timeline_is_refused_with_the_way_to_make_one() -> None:
    with pytest.raises(TypeError, match=r"got int; graphlab\.trace\(tensor\) makes one"):
        Stepper(3)  # pyright: ignore[reportArgumentType]


def test_a_widget_whose_module_is_not_installed_says_so_and_how_a_clone_builds_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "widget_module", lambda: None)
    text = browser_module()
    assert "GraphLab's installation is not whole" in text
    assert "npm --prefix js run build" in text
    assert "export default" in text
    assert "\n" in text  # anywidget would take one line for the path of a file


def test_the_browser_module_is_small_enough_to_travel_in_a_notebook() -> None:
    assert 1000 < len(browser_module()) <= 80 * 1024  # saved once per widget
    assert "\n" in browser_module()


def test_its_steps_are_as_large_as_its_granularity(stepper: Stepper) -> None:
    stepper.granularity = "micro"
    stepper.forward()
    assert stepper.step == 1
    stepper.granularity = "story"
    stepper.forward()
    assert stepper.step == stepper.timeline.stops("story")[1]
    stepper.back()
    assert stepper.step == 0
    with pytest.raises(TraitError, match="granularity"):
        stepper.set_trait("granularity", "huge")


def test_breakpoints_are_nodes_of_this_graph_or_names_of_their_kind(stepper: Stepper) -> None:
    stepper.breakpoints = ["n1", "LogBackward0", "n1"]
    assert stepper.breakpoints == ["n1", "LogBackward0"]
    with pytest.raises(TraitError, match=r"no node is called 'SinBackward0' .*'n0'.*AddBackward0"):
        stepper.breakpoints = ["SinBackward0"]
    assert stepper.breakpoints == ["n1", "LogBackward0"]


def test_the_score_of_the_learner_can_be_read_and_set_back(stepper: Stepper) -> None:
    assert (stepper.predicting, stepper.score) == (False, {"right": 0, "asked": 0})
    stepper.score = {"right": 1, "asked": 2}
    assert stepper.get_state()["score"] == {"right": 1, "asked": 2}


@pytest.mark.parametrize(
    "wrong", [{}, {"right": 3, "asked": 2}, {"right": "1", "asked": 2}, {"right": 0, "asked": True}]
)
def test_a_score_that_does_not_count_is_refused(stepper: Stepper, wrong: dict[str, int]) -> None:
    with pytest.raises(TraitError, match="does not count"):
        stepper.score = wrong
    assert stepper.score == {"right": 0, "asked": 0}


def test_marimo_is_given_the_live_player_of_a_timeline(timeline: Timeline) -> None:
    import graphlab

    assert graphlab.draw  # the package says who shows a timeline
    shown = timeline._display_()
    assert isinstance(shown, Stepper)
    assert shown.timeline is timeline


@pytest.mark.parametrize("wrong", [True, 1.5, "3", None])
def test_what_is_no_step_is_named_with_the_steps_there_are(stepper: Stepper, wrong: object) -> None:
    shown = re.escape(f"got {described(wrong)}")
    with pytest.raises(
        TraitError, match=f"a step must be one integer, {shown}; .*52 events, 0 to 51"
    ):
        stepper.set_trait("step", wrong)
    assert stepper.step == 0


def test_an_integer_of_numpys_is_a_step_like_any_other(stepper: Stepper) -> None:
    stepper.step = np.int64(3)
    assert json.dumps(stepper.get_state("step")) == '{"step": 3}'


@pytest.mark.parametrize("wrong", [[3], [None], [["n0"]], 3])
def test_a_breakpoint_that_is_no_text_is_refused(stepper: Stepper, wrong: object) -> None:
    with pytest.raises(TraitError, match=r"breakpoints|no node is called .*'n0'.*AddBackward0"):
        stepper.set_trait("breakpoints", wrong)
    assert stepper.breakpoints == []


def test_one_breakpoint_needs_no_list(stepper: Stepper) -> None:
    stepper.set_trait("breakpoints", "LogBackward0")
    assert stepper.breakpoints == ["LogBackward0"]


def test_a_word_that_is_nearly_right_does_not_vanish(stepper: Stepper, timeline: Timeline) -> None:
    with pytest.raises(AttributeError, match=r"no 'predict' to set \(must be one of .*predicting"):
        stepper.predict = True
    with pytest.raises(TypeError, match=r"no 'steps' to set \(must be one of .*'step'"):
        Stepper(timeline, steps=3)
    assert not hasattr(stepper, "predict")


def test_a_stepper_shows_one_timeline(stepper: Stepper, timeline: Timeline) -> None:
    for name in ("trace", "timeline"):
        with pytest.raises((TraitError, AttributeError), match=r"graphlab\.step\(timeline\) makes"):
            setattr(stepper, name, {})
    assert stepper.trace == compressed(timeline.to_json())
    assert stepper.timeline is timeline


def test_the_page_can_be_asked_for_and_opens_at_its_step(
    stepper: Stepper, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[dict[str, str]] = []
    monkeypatch.setattr(Stepper, "send", lambda _, answer: answers.append(answer))
    stepper._answer(None, {"ask": 4, "page": 3}, [])
    stepper._answer(None, {"ask": 5, "page": "<script>"}, [])
    assert [one["ask"] for one in answers] == [4, 5]
    assert 'data-step="3"' in answers[0]["page"]
    assert "data-step" not in answers[1]["page"].partition("<script>")[0]


def test_the_output_holds_the_recording_beside_the_widget(stepper: Stepper) -> None:
    shown = stepper._repr_mimebundle_()[0]
    assert {"application/vnd.jupyter.widget-view+json", "application/vnd.graphlab.v1+json"} <= set(
        shown
    )
    assert shown["text/plain"].startswith("<Stepper of")


def walk() -> Stepper:
    import graphlab

    a, b = (graphlab.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    return Stepper(graphlab.trace(a * b))


def test_the_forward_pass_can_be_added_at_the_same_event_and_taken_away_again() -> None:
    stepper = walk()
    stepper.step = 3
    shown = stepper.timeline[3]
    stepper.walks_forward = True
    assert stepper.step > 3
    assert stepper.timeline[stepper.step] == shown
    stepper.walks_forward = False
    assert (stepper.step, stepper.timeline[3]) == (3, shown)


def test_a_stepper_that_stands_at_the_beginning_begins_with_the_forward_pass() -> None:
    stepper = walk()
    stepper.walks_forward = True
    assert (stepper.step, stepper.timeline[0].kind) == (0, "ForwardBegan")


def test_a_switch_on_the_page_leaves_the_step_to_the_page() -> None:
    stepper = walk()
    stepper.step = 3
    stepper.set_state({"walks_forward": True})
    assert stepper.step == 3  # which the page sends next


def test_a_timeline_without_a_forward_pass_cannot_begin_with_one(stepper: Stepper) -> None:
    with pytest.raises(TraitError, match="this timeline holds no forward pass"):
        stepper.walks_forward = True
    assert stepper.walks_forward is False


def test_the_page_is_sent_the_module_that_runs_formulas_when_it_asks(
    stepper: Stepper, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(stepper, "send", sent.append)
    stepper._answer(stepper, {"ask": 3, "module": "extras"}, [])
    assert sent[0]["ask"] == 3
    extras = str(sent[0]["module"])
    version = re.search(r"graphlab-\w{12}", browser_module())
    assert version is not None
    assert version[0] in extras  # it is for the core that the page has
    assert len(extras) < 0.6 * len(browser_module())  # and has no copy of it


def test_the_page_is_told_when_that_module_is_not_installed(
    stepper: Stepper, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(stepper, "send", sent.append)
    monkeypatch.setattr(module, "extras_module", lambda: None)
    stepper._answer(stepper, {"ask": 3, "module": "extras"}, [])
    assert sent == [{"ask": 3, "why": module.NO_PLAYER}]


def test_what_was_asked_and_answered_is_read_in_python(timeline: Timeline) -> None:
    stepper = Stepper(timeline.ask({12: Question("What will x.grad hold?", 6.0)}))
    assert stepper.answers == []
    told = {
        "step": 12,
        "question": "What will x.grad hold?",
        "answers": ["3", "6"],
        "tries": 2,
        "hints": 0,
        "right": True,
    }
    stepper.set_state({"answers": [told], "score": {"right": 0, "asked": 1}})
    assert stepper.answers == [told]
    for wrong in ("3", {"step": 12}, {**told, "tries": "2"}):
        with pytest.raises(TraitError, match="an answer is a dict with"):
            stepper.answers = [wrong]
    stepper.answers = []
    assert stepper.answers == []


def test_a_trace_is_sent_before_the_step_that_comes_with_it(timeline: Timeline) -> None:
    stepper = Stepper(timeline)
    for names in (["step", "trace", "breakpoints"], ["breakpoints", "step", "trace"]):
        assert next(iter(stepper.get_state(names))) == "trace"
    assert set(stepper.get_state(["step", "breakpoints"])) == {"step", "breakpoints"}
