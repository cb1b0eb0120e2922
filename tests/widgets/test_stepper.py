"""The widget's Python end: what it accepts, what it refuses, and what it tells the browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from traitlets import TraitError

from graphlab.graph.timeline import Timeline
from graphlab.widgets import stepper as module
from graphlab.widgets.stepper import Stepper, browser_module

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
    assert stepper.trace == timeline.to_json()
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
        "<Stepper of e: event 24 of 0 to 51: The leaf c is reached: c.grad is 2.3026.>"
    )


def test_anything_but_a_timeline_is_refused_with_the_way_to_make_one() -> None:
    with pytest.raises(TypeError, match=r"got int; graphlab\.trace\(tensor\) makes one"):
        Stepper(3)  # pyright: ignore[reportArgumentType]


def test_a_clone_without_a_build_is_told_the_command(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="npm --prefix js run build"):
        browser_module(tmp_path / "widget.js")


def test_the_browser_module_is_small_enough_to_travel_in_a_notebook() -> None:
    assert module.MODULE.stat().st_size <= 60 * 1024  # saved once per widget
