"""A timeline can be walked in any order: the state at a step is always the fold of its patches."""

from __future__ import annotations

import json

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import graphlab
from graphlab.common.notebook import present, register
from graphlab.graph.codec import decode, encode
from graphlab.graph.compression import compressed
from graphlab.graph.event_log import KEYFRAME_EVERY, EventLog, merge
from graphlab.graph.events import EVENTS, DependencyMet, HookRan, LeafWritten, Seeded
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value, summarise
from tests.golden import Golden
from tests.graph.example import FIXTURE, fixture_text, lesson, lesson_graph

LESSON = lesson()


def plain(event: object) -> str:
    return "".join(s if isinstance(s, str) else s[1] for s in event.caption)  # type: ignore[attr-defined]


def test_the_lesson_tells_its_backward_pass(golden: Golden) -> None:
    stops = {k: "node" for k in LESSON.stops("node")} | {k: "story" for k in LESSON.stops("story")}
    lines = (f"{k:3} {stops.get(k, ''):5} {plain(event)}" for k, event in enumerate(LESSON))
    golden("lesson.txt", "\n".join(lines) + "\n")


def test_the_lesson_ends_with_the_gradients_of_pytorch() -> None:
    leaves = LESSON.state_at(-1)["leaves"]
    names = {tensor.id: tensor.name for tensor in LESSON.graph.tensors}
    found = {names[id]: leaf["after"]["text"] for id, leaf in leaves.items()}
    assert found == {"a": "3.0", "b": "2.0", "c": "2.3026", "d": "0.5", "t": "5.0"}


def test_the_fixture_that_typescript_replays_is_current() -> None:
    # rewritten by: python -m tests.graph.example --update
    assert FIXTURE.read_text(encoding="utf-8") == fixture_text()


def test_the_lesson_travels_in_less_than_a_quarter_of_a_kilobyte_per_event() -> None:
    assert len(json.dumps(compressed(LESSON.to_json()))) < 250 * len(LESSON)


def test_a_log_keeps_the_first_events_and_counts_the_rest() -> None:
    log = EventLog(most=3)
    log.extend(LESSON.events[:3])
    assert (len(log), log.notice) == (3, "")
    log.append(LESSON.events[3])
    assert tuple(log) == LESSON.events[:3]
    assert log.notice.startswith("This walk has 4 events; only the first 3 are kept.")


@given(st.lists(st.integers(-len(LESSON), len(LESSON) - 1), max_size=30))
def test_the_state_at_any_step_is_the_fold_from_the_start(steps: list[int]) -> None:
    for k in steps:
        state = LESSON.initial
        for patch in LESSON.patches[: range(len(LESSON))[k] + 1]:
            state = merge(state, patch)
        assert LESSON.state_at(k) == state


def test_keyframes_lie_within_the_lesson_so_that_both_sides_of_one_are_tested() -> None:
    assert len(LESSON) > KEYFRAME_EVERY + 1


def test_the_json_of_a_value_is_made_once_and_no_reader_can_change_it() -> None:
    value = summarise(np.arange(3.0))
    assert encode(value) is encode(value)
    timeline = lesson()
    first = json.dumps(timeline.to_json())
    for patch in timeline.patches:
        for change in patch.values():
            if isinstance(change, dict):
                for entry in change.values():
                    if isinstance(entry, dict):
                        entry.clear()
    for group in (timeline.state_at(-1)["grads"], timeline.state_at(-1)["leaves"]):
        for entry in group.values():
            entry.clear()
    assert json.dumps(timeline.to_json()) == first


def test_a_state_that_is_changed_by_its_reader_changes_no_other() -> None:
    before = LESSON.state_at(40)
    LESSON.state_at(40)["status"].clear()
    LESSON.initial["deps"].clear()
    LESSON.patches[0].clear()
    assert LESSON.state_at(40) == before
    assert LESSON.initial["deps"]


def test_what_is_not_computed_is_absent_and_never_zero() -> None:
    state = LESSON.state_at(0)
    assert set(state["grads"]) == {LESSON.graph.root}
    assert "edges" not in state
    assert "leaves" not in state


def test_a_gradient_that_another_replaces_leaves_nothing_of_itself() -> None:
    zeros = summarise(np.array([[0.0, np.nan]] * 200))  # a corner, zeros and NaN
    later = (summarise(np.ones((2, 2))), summarise(3.0))
    for value in later:
        events = tuple(HookRan("t0", "a", None, each) for each in (zeros, value))
        state = Timeline(lesson_graph(), events).state_at(-1)
        assert decode(Value, state["grads"]["t0"], "grads") == value


def test_held_bytes_fall_from_all_saved_tensors_to_none() -> None:
    held = [LESSON.initial["held"], *(LESSON.state_at(k)["held"] for k in range(len(LESSON)))]
    assert held[0] == LESSON.initial["total"] == 20
    assert held == sorted(held, reverse=True)
    assert held[-1] == 0


def test_every_node_is_done_when_the_pass_is_finished() -> None:
    state = LESSON.state_at(-1)
    assert state["finished"] is True
    assert "current" not in state
    assert set(state["status"].values()) == {"done"}
    assert set(state["status"]) == {node.id for node in LESSON.graph.nodes}


def test_a_node_of_a_leaf_runs_when_the_leaf_is_written() -> None:
    one = summarise(np.float32(1))
    event = LeafWritten("n2", "t5", "c", None, one, one)
    patch = event.patch({"current": "n1", "queue": ["n2", "n3"], "status": {"n2": "ready"}})
    assert patch["current"] == "n2"
    assert patch["queue"] == ["n3"]
    assert patch["status"] == {"n1": "done", "n2": "current"}


def test_an_absent_before_wipes_the_one_of_an_earlier_pass() -> None:
    one, two = summarise(1.0), summarise(2.0)
    state = merge({}, LeafWritten("n2", "t5", "c", one, one, two).patch({}))
    assert "before" in state["leaves"]["t5"]
    state = merge(state, LeafWritten("n2", "t5", "c", None, one, one).patch(state))
    assert "before" not in state["leaves"]["t5"]


def test_stops_of_each_granularity_hold_those_of_the_coarser() -> None:
    story, node, micro = (set(LESSON.stops(g)) for g in ("story", "node", "micro"))
    assert story < node < micro == set(range(len(LESSON)))


def test_an_unknown_granularity_lists_the_choices() -> None:
    with pytest.raises(ValueError, match=r"'fine' \(must be one of \['story', 'node', 'micro'\]"):
        LESSON.stops("fine")


@pytest.mark.parametrize("k", [52, -53, 10**9])
def test_a_step_that_does_not_exist_says_which_do(k: int) -> None:
    with pytest.raises(IndexError, match=r"step -?\d+ does not exist.* 52 events, 0 to 51"):
        LESSON.state_at(k)
    with pytest.raises(IndexError, match="does not exist"):
        LESSON[k]


def test_a_timeline_without_events_is_a_still_picture() -> None:
    still = Timeline(lesson_graph(), ())
    assert still  # not empty, though len is 0
    assert len(still) == 0
    with pytest.raises(IndexError, match="no events"):
        still.state_at(0)


def test_indexing_and_iterating_give_the_events() -> None:
    assert LESSON[0] == next(iter(LESSON)) == LESSON.events[0]
    assert LESSON[-1].kind == "Finished"
    assert isinstance(LESSON[0], Seeded)


@pytest.mark.parametrize(
    ("state", "patch", "result"),
    [  # RFC 7396, appendix A
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_follows_rfc_7396(state: object, patch: object, result: object) -> None:
    assert merge(state, patch) == result


def test_every_kind_of_event_is_told_in_the_lesson_or_named_here() -> None:
    told = {event.kind for event in LESSON}
    between = {"GradCleared", "GradReplaced", "ChangedInPlace", "OptimizerStepped"}
    passes = {"PassBegan", "GradReturned", "HookCalled"}
    forward = {"ForwardBegan", "Computed", "SavedKept", "ForwardFinished"}
    assert set(EVENTS) - told == {"Reduced", "HookRan", "Failed", *between, *passes, *forward}


def test_one_gradient_is_not_one_gradients() -> None:
    assert "1 more gradient." in plain(DependencyMet("n0", "AddBackward0", 1))
    assert "2 more gradients." in plain(DependencyMet("n0", "AddBackward0", 2))


def test_a_presenter_is_imported_only_when_it_is_needed() -> None:
    class Unknown:
        pass

    class Known:
        pass

    assert present(Unknown()) is None
    register("Known", "graphlab.graph.no_such_module:show")
    with pytest.raises(ModuleNotFoundError):
        present(Known())
    with pytest.raises(ValueError, match="module:function"):
        register("Known", "no colon")


def test_a_parameter_is_found_by_the_path_that_begins_with_its_variable():
    net = graphlab.nn.Sequential(graphlab.nn.Linear(2, 2), graphlab.nn.Linear(2, 1))
    timeline = graphlab.trace(net(graphlab.ones(1, 2)).sum())
    assert timeline.value("net.1.weight") == timeline.value("1.weight")
    assert len(timeline.value("net.1.weight")) == 1
    assert timeline.grad("net.1.bias") == [1.0]
    for name in ("net.2.weight", "1.weigh", "et.1.weight.T"):
        with pytest.raises(ValueError, match="unknown tensor"):
            timeline.value(name)
