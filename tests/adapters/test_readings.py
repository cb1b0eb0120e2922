"""A timeline is asked by name: places of events, gradients, saved values, and the expected error.

Read next: tests/adapters/test_recording_failures.py
"""

from __future__ import annotations

import gc
import weakref

import pytest

import graphlab
from graphlab.graph.timeline import Timeline


def leaf(value: object) -> graphlab.Tensor:
    return graphlab.tensor(value, requires_grad=True)


def three_passes() -> Timeline:
    w, b = leaf(1.0), leaf(0.5)
    optimizer = graphlab.optim.SGD([w], lr=0.25)
    with graphlab.record() as timeline:
        for _ in range(3):
            optimizer.zero_grad()
            loss = (w - 3) ** 2 + b
            loss.backward()
            optimizer.step()
    return timeline


def test_events_are_found_by_kind_tensor_and_pass():
    timeline = three_passes()
    assert timeline.find() == tuple(range(len(timeline)))
    began = timeline.find("PassBegan")
    assert [timeline[k].number for k in began] == [1, 2, 3]
    written = timeline.find("LeafWritten", tensor="w")
    assert [(timeline[k].kind, timeline[k].name) for k in written] == [("LeafWritten", "w")] * 3
    for number in (1, 2, 3):
        [k] = timeline.find("LeafWritten", tensor="w", pass_number=number)
        assert k == written[number - 1]
        assert timeline.pass_at(k) == number - 1
    assert timeline.find("LeafWritten", tensor="w", after=written[0]) == written[1:]
    assert timeline.find("LeafWritten", tensor="w", after=-1) == ()
    assert timeline.find("Failed") == ()


@pytest.mark.parametrize("forward", [False, True])
def test_a_pass_number_is_the_pass_that_the_player_shows(forward: bool):
    timeline = three_passes().with_forward(forward)
    found = [timeline.find(pass_number=number) for number in (1, 2, 3)]
    for k in range(len(timeline)):
        assert [k in places for places in found].index(True) == timeline.pass_at(k)


def test_events_between_passes_and_forward_events_are_found_by_their_tensors():
    timeline = three_passes().with_forward()
    kinds = {timeline[k].kind for k in timeline.find(tensor="w", pass_number=1)}
    assert {"LeafWritten", "OptimizerStepped", "GradCleared"} <= kinds
    kinds = {timeline[k].kind for k in timeline.find(tensor="loss")}
    assert {"ForwardBegan", "Computed", "PassBegan", "Seeded"} <= kinds


def test_events_are_found_by_the_name_and_by_the_id_of_a_node():
    a, b = leaf(2.0), leaf(3.0)
    u = a * b
    timeline = graphlab.trace(u * u)
    applied = timeline.find("RuleApplied", node="MulBackward0")
    assert len(applied) == 4
    node = timeline[applied[0]].node
    assert timeline.find("RuleApplied", node=node) == applied[:2]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"kind": "LeafWriten"}, r"unknown kind of event 'LeafWriten' \(must be one of \['Seeded'"),
        ({"tensor": "c"}, r"unknown tensor 'c' \(must be one of \['a', 'b', 'e'\]"),
        (
            {"node": "Add"},
            r"unknown node 'Add' \(must be one of \['MulBackward0'",
        ),
        ({"pass_number": 2}, r"unknown pass_number 2 \(must be 1\)"),
        ({"pass_number": 0}, "unknown pass_number 0"),
    ],
)
def test_what_is_unknown_lists_what_there_is(asked: dict[str, object], message: str):
    a, b = leaf(2.0), leaf(3.0)
    e = a * b
    with pytest.raises(ValueError, match=message):
        graphlab.trace(e).find(**asked)  # type: ignore[arg-type]


def test_what_is_of_another_type_says_what_was_received():
    a = leaf(2.0)
    timeline = graphlab.trace(a * a)
    with pytest.raises(
        TypeError, match='tensor must be a string, its name, "w", got Tensor tensor'
    ):
        timeline.find(tensor=a)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pass_number must be an integer, 1 or more, got bool True"):
        timeline.find(pass_number=True)
    with pytest.raises(IndexError, match="step 99 does not exist"):
        timeline.find(after=99)
    with pytest.raises(TypeError, match="a step must be one integer"):
        timeline.grad("a", at="last")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"unknown tensor 'w' \(must be one of \['a'"):
        timeline.grad("w")


def test_nothing_recorded_has_no_pass_number():
    with graphlab.record() as timeline:
        pass
    assert timeline.find() == timeline.find("LeafWritten") == ()
    with pytest.raises(ValueError, match="none: nothing was recorded"):
        timeline.find(pass_number=1)


def test_the_gradient_of_a_leaf_is_what_grad_held_at_that_event():
    w = leaf([1.0, 2.0])
    with graphlab.record() as timeline:
        for factor in (1.0, 2.0):
            loss = (factor * w * w).sum()
            loss.backward()
        w.grad = None
    first, second = timeline.find("LeafWritten", tensor="w")
    assert timeline.grad("w", at=first - 1) is None
    assert timeline.grad("w", at=first) == timeline.grad("w", at=second - 1) == [2.0, 4.0]
    assert timeline.grad("w", at=second) == [6.0, 12.0]
    assert timeline.grad("w") is None


def test_a_gradient_from_before_the_walk_is_there_until_the_pass_adds_to_it():
    x = leaf(3.0)
    (x * x).backward()
    timeline = graphlab.trace(x * x)
    assert (timeline.grad("x", at=0), timeline.grad("x")) == (6.0, 12.0)
    with graphlab.record() as recorded:
        (x * x).backward()
    assert (recorded.grad("x", at=0), recorded.grad("x")) == (6.0, 12.0)


def test_a_tensor_that_is_no_leaf_has_what_has_arrived_in_its_pass():
    x = leaf([[1.0, -2.0]])
    with graphlab.record() as timeline:
        for _ in range(2):
            u = x * 2.0
            loss = (u * u).sum()
            loss.backward()
    began = timeline.find("PassBegan")
    [entered] = timeline.find("NodeEntered", node=timeline[timeline.find(tensor="u")[-1]].node)
    assert timeline.grad("u", at=entered) == [[4.0, -8.0]]
    assert timeline.grad("u", at=began[1]) is None  # the u of pass 2
    assert timeline.grad("u", at=began[1] - 1) == [[4.0, -8.0]]
    assert timeline.grad("loss", at=began[1] + 1) == 1.0


def test_a_retained_gradient_is_what_grad_holds():
    x = leaf(3.0)
    u = x * x
    u.retain_grad()
    with graphlab.record() as timeline:
        loss = u * 5.0
        loss.backward(retain_graph=True)
        loss.backward()
    assert u.grad.item() == timeline.grad("u") == 10.0


def test_a_large_gradient_is_refused_and_not_shown_in_part():
    w = leaf([1.0] * 400)
    with pytest.raises(ValueError, match=r"400 entries.*timeline\.curve\('w\.grad'\)"):
        graphlab.trace((w * w).sum()).grad("w")


def test_a_failed_pass_puts_the_gradient_back():
    x = leaf(2.0)
    y = x * x
    with graphlab.record(expect=RuntimeError) as timeline:
        y.backward()
        y.backward()
    assert timeline.grad("x") == 4.0 == x.grad.item()


@pytest.mark.parametrize("forward", [False, True])
def test_what_is_held_adds_up_to_the_bytes_that_the_player_shows(forward: bool):
    x = leaf([1.0, 2.0])
    u = x * x
    with graphlab.record() as timeline:
        graphlab.exp(u).sum().backward(retain_graph=True)
        for _ in range(2):
            loss = (u * x.log()).sum()
            loss.backward(retain_graph=True)
        loss.backward()
    walk = timeline.with_forward(forward)
    totals = []
    for k in range(len(walk)):
        held = walk.held(at=k)
        assert held["total"] == walk.state_at(k)["held"], (k, walk[k])
        assert sum(held.values()) == 2 * held["total"]
        totals.append(held["total"])
    assert max(totals) > 0 == totals[-1]
    rehearsal = graphlab.trace((x * x).exp().sum()).with_forward(forward)
    for k in range(len(rehearsal)):
        assert rehearsal.held(at=k)["total"] == rehearsal.state_at(k)["held"]


def test_what_is_held_is_named_by_node_and_slot_and_goes_when_the_node_is_done():
    a, b = leaf(2.0), leaf(3.0)
    u = a * b
    e = u * u
    timeline = graphlab.trace(e)
    assert timeline.held(at=0) == {
        "MulBackward0 of e saved self": 4,
        "MulBackward0 of e saved other": 4,
        "MulBackward0 of u saved self": 4,
        "MulBackward0 of u saved other": 4,
        "total": 16,
    }
    freed = timeline.find("SavedFreed")
    assert list(timeline.held(at=freed[0])) == [
        "MulBackward0 of u saved self",
        "MulBackward0 of u saved other",
        "total",
    ]


def test_nodes_without_a_name_of_their_own_are_told_apart():
    x = leaf(2.0)
    held = graphlab.trace(((x * x) * x).exp() * x).held(at=0)
    assert held["total"] == sum(v for key, v in held.items() if key != "total") == 28
    assert len(held) == 8


def test_the_expected_error_ends_the_block_and_is_kept():
    x = leaf(3.0)
    y = x * x
    with graphlab.record(expect=RuntimeError) as timeline:
        y.backward()
        y.backward()
        raise AssertionError("not reached")
    assert isinstance(timeline.error, RuntimeError)
    assert str(timeline.error).startswith("Trying to backward through the graph a second time")
    assert timeline[-1].kind == "Failed"
    assert timeline.with_forward().error is timeline.error
    with graphlab.record(expect=(KeyError, ValueError)) as timeline:
        raise KeyError("outside of a pass")
    assert isinstance(timeline.error, KeyError)
    with graphlab.record():  # the recording has ended
        pass


def test_another_error_is_raised_and_not_kept():
    x = leaf(3.0)
    recording = graphlab.record(expect=RuntimeError)
    with pytest.raises(ZeroDivisionError), recording:
        raise ZeroDivisionError(str((x * x).backward()))
    timeline = recording.timeline
    assert timeline.error is None
    assert timeline[-1].kind == "Finished"


def test_a_block_without_the_expected_error_fails_after_the_timeline_is_kept():
    x = leaf(3.0)
    recording = graphlab.record(expect=RuntimeError)
    with pytest.raises(AssertionError, match=r"RuntimeError.* ended without one"), recording:
        (x * x).backward()
    timeline = recording.timeline
    assert timeline[-1].kind == "Finished"
    assert timeline.error is None
    with graphlab.record():  # the recording has ended
        pass


def test_the_error_that_is_kept_keeps_no_tensor_alive():
    kept = []

    def program() -> None:
        x = leaf(3.0)
        y = x * x
        kept.append(weakref.ref(y))
        y.backward()
        y.backward()

    with graphlab.record(expect=RuntimeError) as timeline:
        program()
    gc.collect()
    assert timeline.error is not None
    assert kept[0]() is None


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        ("RuntimeError", "expect is a class of errors, such as RuntimeError.*got str"),
        (RuntimeError("x"), "got RuntimeError.*; write expect=RuntimeError"),
        ((), "got tuple"),
        (KeyboardInterrupt, "got type <class 'KeyboardInterrupt'>"),
    ],
)
def test_what_is_no_class_of_errors_cannot_be_expected(expect: object, message: str):
    with pytest.raises(TypeError, match=message):
        graphlab.record(expect=expect)  # type: ignore[arg-type]


def test_a_value_is_asked_for_by_name_and_time() -> None:
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    large = graphlab.zeros(300, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(2):
            loss = (w * w).sum() + large.sum()
            w.grad = None
            loss.backward()
            with graphlab.no_grad():
                w -= 0.5 * w.grad
    assert (timeline.value("w", at=0), timeline.value("w")) == ([1.0, 2.0], [0.0, 0.0])
    assert timeline.value("loss") == 0.0
    square = w * w
    forward = graphlab.trace(square.sum(), forward=True)
    assert (forward.value("square", at=0), forward.value("square")) == (None, [0.0, 0.0])
    with pytest.raises(ValueError, match=r"^large has 300 entries, .* timeline.curve\('large'\) "):
        timeline.value("large")
    with pytest.raises(ValueError, match=r"^large.grad has 300 entries"):
        timeline.grad("large")
    with pytest.raises(ValueError, match="tensor 'other'"):
        timeline.value("other")
