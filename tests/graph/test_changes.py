"""How a change of an array is told: an entry before and after; its shape alone does not say."""

from __future__ import annotations

import numpy as np
import pytest

import graphlab
from graphlab.graph.events import (
    Accumulated,
    Change,
    ChangedInPlace,
    GradReplaced,
    LeafWritten,
    OptimizerStepped,
    Reduced,
)
from graphlab.graph.events.updates import WHY
from graphlab.graph.value import summarise


def changed(array: np.ndarray, place: tuple[int, ...], to: float) -> np.ndarray:
    other = array.copy()
    other[place] = to
    return other


ZEROS = np.zeros((4, 2), np.float32)


def step(before: np.ndarray, after: np.ndarray) -> str:
    one = Change("t0", "w", summarise(before), summarise(after), 1)
    return OptimizerStepped("SGD", (one,)).sentence


def test_a_step_of_an_optimizer_tells_an_entry_of_a_matrix_before_and_after() -> None:
    said = step(ZEROS, ZEROS - 0.5)
    assert (
        said == "The optimizer (SGD) takes a step: w[0, 0]: 0.0 → -0.5 (only this entry is shown)."
    )


def test_the_entry_that_is_told_is_the_first_that_changed() -> None:
    assert "w[2, 1]: 0.0 → 7.0 (only this entry is shown)" in step(
        ZEROS, changed(ZEROS, (2, 1), 7.0)
    )


def test_of_a_large_array_an_entry_of_its_corner_is_told() -> None:
    large = np.zeros((30, 400))
    assert "w[4, 3]: 0.0 → 2.0 (only this entry is shown)" in step(
        large, changed(large, (4, 3), 2.0)
    )
    beyond = step(large, changed(large, (20, 300), 2.0))
    assert beyond.endswith("w: (30, 400) float64, changed in entries not shown here.")


@pytest.mark.parametrize("values", [(3.0, 4.0), ([1.0, 2.0], [1.0, 3.0])])
def test_what_can_be_written_out_is(values: tuple[object, object]) -> None:
    before, after = (np.asarray(value) for value in values)
    assert step(before, after).endswith(f"w: {summarise(before).text} → {summarise(after).text}.")


def test_a_change_in_place_and_of_a_gradient_are_told_the_same_way() -> None:
    before, after = summarise(ZEROS), summarise(ZEROS + 1)
    told = "w[0, 0]: 0.0 → 1.0 (only this entry is shown)"
    place = ChangedInPlace("t0", "w", before, after, 3)
    assert place.sentence == f"w is changed in place: {told}, version 3."
    grad = GradReplaced("t0", "w", before, after)
    assert grad.sentence == "w.grad is changed: w.grad[0, 0]: 0.0 → 1.0 (only this entry is shown)."


def test_the_sum_over_a_broadcast_is_a_step_that_tells_the_sum() -> None:
    few = Reduced("n0", "AddBackward0", "n0.1", "t1", "b", (8, 3), summarise(np.ones(3)))
    assert few.level == "node"
    why = "b was broadcast to (8, {}), so its gradient is summed back: the sum"
    assert few.sentence == why.format(3) + " is [1.0, 1.0, 1.0]."
    many = Reduced("n0", "AddBackward0", "n0.1", "t1", "b", (8, 9), summarise(np.arange(9.0)))
    about = " has shape (9,), norm 14.3 and entries from 0 to 8, 1 of them 0."
    assert many.sentence == why.format(9) + about


def test_gradients_that_add_up_tell_the_sum_not_three_times_the_shape() -> None:
    one, both = summarise(np.ones((2, 2))), summarise(2 * np.ones((2, 2)))
    met = Accumulated("n0", "n1.0", "t0", "W", one, one, both).sentence
    end = "and they add up: the sum is [[2.0, 2.0], [2.0, 2.0]]."
    assert met == f"Another gradient arrives at W, {end}"
    one, both = summarise(np.ones((1,))), summarise(2 * np.ones((1,)))
    told = LeafWritten("n0", "t0", "w", one, one, both).sentence
    assert told.endswith("is added to w.grad: 1.0 + 1.0 = 2.0.")


def test_of_a_small_array_every_step_tells_all_entries() -> None:
    short, long = np.array([1.5, 1.0, 3.0, 1.0]), np.array([1.4932, 1.0063, 3.0039, 0.99601])
    longer = np.array([1.48641, 1.01273, 3.00781, 0.992021])
    assert summarise(longer).text == "(4,) float64"  # too long for a card
    assert step(long, longer).endswith("0.99601] → [1.4864, 1.0127, 3.0078, 0.99202].")
    assert step(short, long).endswith(
        "w: [1.5, 1.0, 3.0, 1.0] → [1.4932, 1.0063, 3.0039, 0.99601]."
    )
    assert step(long, short).endswith("0.99601] → [1.5, 1.0, 3.0, 1.0].")
    assert step(np.eye(2), 2 * np.eye(2)).endswith(
        "[[1.0, 0.0], [0.0, 1.0]] → [[2.0, 0.0], [0.0, 2.0]]."
    )


@pytest.mark.parametrize(("why", "because"), [*WHY.items()])
def test_a_step_that_changes_no_entry_says_so_with_the_reason(why, because) -> None:
    value = summarise(ZEROS)
    both = [Change(id, name, value, value, 1, why) for id, name in (("t0", "w"), ("t1", "b"))]
    said = OptimizerStepped("SGD", tuple(both)).sentence
    assert said == f"The optimizer (SGD) takes a step, but no entry of w and b changes{because}."
    moved = Change("t1", "b", value, summarise(ZEROS + 1), 1)
    said = OptimizerStepped("SGD", (both[0], moved)).sentence
    assert f"a step: w does not change{because}, b[0, 0]: 0.0 → 1.0" in said


@pytest.mark.parametrize("shape", [(), (2,), (4, 2), (30, 400)])
def test_no_entry_is_said_to_change_where_none_is_known_to(shape) -> None:
    value = summarise(np.ones(shape))
    assert step(np.ones(shape), np.ones(shape)).endswith(
        f"w: {value.text}, the digits shown here stay the same."
    )


@pytest.mark.parametrize(
    ("lr", "of_loss", "why"), [(0.0, 1.0, "lr"), (0.1, 0.0, "gradient"), (1e-14, 1.0, "rounding")]
)
def test_a_recording_knows_why_a_step_changed_no_entry_of_large_weights(lr, of_loss, why) -> None:
    layer = graphlab.nn.Linear(30, 20)
    graphlab.nn.init.ones_(layer.bias)
    graphlab.nn.init.ones_(layer.weight)
    optimizer = graphlab.optim.SGD(layer.parameters(), lr=lr)
    with graphlab.record() as timeline:
        (layer(graphlab.ones(2, 30)).sum() * of_loss).backward()
        optimizer.step()
    (step,) = (event for event in timeline if isinstance(event, OptimizerStepped))
    assert [one.unchanged for one in step.changes] == [why, why]


def test_one_entry_outside_of_the_corner_is_a_change() -> None:
    w = graphlab.ones(30, 20).requires_grad_()
    optimizer = graphlab.optim.SGD([w], lr=1e-6)
    with graphlab.record() as timeline:
        w[-1, -1].backward()
        optimizer.step()
    (step,) = (event for event in timeline if isinstance(event, OptimizerStepped))
    assert [one.unchanged for one in step.changes] == [""]


def test_a_step_of_other_tensors_is_told() -> None:
    one, other = graphlab.nn.Linear(2, 1), graphlab.nn.Linear(2, 1)
    optimizer = graphlab.optim.SGD(other.parameters(), lr=0.1)
    other(graphlab.ones(2)).backward()
    with graphlab.record() as timeline:
        one(graphlab.ones(2)).backward()
        optimizer.step()
    assert timeline[-1].sentence.endswith(
        "it changes no parameter that a pass of this recording used."
    )


def test_a_step_tells_as_many_parameters_as_a_sentence_has_room_for() -> None:
    one, two = summarise(np.array([0.19767, 0.30001])), summarise(np.array([0.21256, 0.32246]))
    names = ("encoder.positionwise_feed_forward.bias", "decoder.output_projection.bias", "c", "d")
    long = OptimizerStepped("SGD", tuple(Change(name, name * 3, one, two, 1) for name in names))
    assert len(long.sentence) < 330
    assert long.sentence.endswith("[0.21256, 0.32246], and 3 more.")
    short = OptimizerStepped("SGD", tuple(Change(name, name, one, two, 1) for name in names[2:]))
    assert short.sentence.endswith("d: [0.19767, 0.30001] → [0.21256, 0.32246].")


def test_what_an_optimizer_changed_is_told_before_what_it_did_not():
    a, b, c, d = (graphlab.zeros(2, requires_grad=True) for _ in range(4))
    optimizer = graphlab.optim.SGD([a, b, c, d], lr=1.0)
    with graphlab.record() as timeline:
        (a * 0 + b * 0 + c * 0 + d * 5).sum().backward()
        optimizer.step()
    assert [change.name for change in timeline[-1].changes] == ["d", "a", "b", "c"]
    assert ": d: [0.0, 0.0] → [-5.0, -5.0], a does not change" in timeline[-1].sentence
