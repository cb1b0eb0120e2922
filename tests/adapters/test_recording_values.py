"""Each pass of a recording tells the values of its own moment, not those of another pass.

Read next: tests/adapters/test_recording_failures.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab.faces.render.still import still_svg
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import summarise
from tests.adapters.test_recording import told, travels

Program = Callable[[list[str]], None]


def held(*tensors: Any) -> list[str]:
    return [summarise(tensor._data).text for tensor in tensors]


def taken_out(timeline: Timeline) -> list[str]:
    """What nodes took out, in the order in which they did."""
    return [event.text for event in timeline if event.kind == "SavedUnpacked"]


def descent(values: Any, change: Callable[[Any], None]) -> Program:
    def program(expected: list[str]) -> None:
        b = graphlab.tensor(values, requires_grad=True)
        for _ in range(3):
            squares = b * b
            expected += held(b, b)
            squares.sum().backward()
            change(b)
            b.grad = None

    return program


def under_no_grad(b: Any) -> None:
    with graphlab.no_grad():
        b -= 0.25 * b.grad


def through_data(b: Any) -> None:
    b.data = b.data - 0.25 * b.grad


def through_numpy(b: Any) -> None:
    b.detach().numpy()[...] *= 0.5


def trained(expected: list[str]) -> None:
    w = graphlab.tensor([1.0, -2.0], requires_grad=True)
    optimizer = graphlab.optim.SGD([w], lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        loss = (w * w).exp().sum()
        expected += held((w * w).exp(), w, w)
        loss.backward()
        optimizer.step()


def filled_batch(expected: list[str]) -> None:
    w, batch = graphlab.tensor(2.0, requires_grad=True), graphlab.zeros(2)
    for k in range(3):
        batch.copy_(graphlab.tensor([k + 1.0, 1.0]))
        expected += held(batch)
        (w * batch).sum().backward()


def filled_array(expected: list[str]) -> None:
    array = np.zeros(2, np.float32)
    w, batch = graphlab.tensor(2.0, requires_grad=True), graphlab.from_numpy(array)
    for k in range(3):
        array[:] = k, k + 1
        expected += held(batch)
        (w * batch).sum().backward()


def kept_graph(expected: list[str]) -> None:
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    result = (x * x).exp()
    for _ in range(2):
        expected += held(result, x, x)
        result.sum().backward(retain_graph=True)
        x.data += 1
        result.data *= 2


@pytest.mark.parametrize(
    "program",
    [
        descent(1.0, under_no_grad),
        descent([1.0, -2.0, 8.0], under_no_grad),
        descent([1.0, -2.0, 8.0], through_data),
        descent([1.0, -2.0, 8.0], through_numpy),
        trained,
        filled_batch,
        filled_array,
        kept_graph,
    ],
)
def test_what_a_node_takes_out_is_what_it_holds_in_that_pass(program):
    expected: list[str] = []
    with graphlab.record() as timeline:
        program(expected)
    assert taken_out(timeline) == expected
    travels(timeline)


@pytest.mark.parametrize("change", [under_no_grad, through_data, through_numpy])
def test_saved_values_and_versions_are_those_of_their_own_pass(change):
    expected: list[str] = []
    with graphlab.record() as timeline:
        descent([1.0, 2.0], change)(expected)
    saved = [s for node in reversed(timeline.graph.nodes) for s in node.saved]
    assert [s.value.text for s in saved if s.value] == expected
    assert all(s.version_saved == s.version_now for s in saved)
    state = [timeline.state_at(one.first - 1) for one in timeline.passes[1:]]
    told_values = [value["text"] for one in state for value in one["values"].values()]
    assert told_values == expected[2::2]


def test_a_constant_that_is_filled_through_numpy_is_told_before_the_pass_that_sees_it():
    with graphlab.record() as timeline:
        filled_array([])
    changes = [event for event in timeline if event.kind == "ChangedInPlace"]
    assert [(e.before.text, e.after.text, e.counted) for e in changes] == [
        ("[0.0, 1.0]", "[1.0, 2.0]", False),
        ("[1.0, 2.0]", "[2.0, 3.0]", False),
    ]
    began = [k for k, event in enumerate(timeline) if event.kind == "PassBegan"]
    assert [timeline[k - 1].kind for k in began[1:]] == ["ChangedInPlace"] * 2
    assert timeline.state_at(-1)["values"][changes[0].tensor]["text"] == "[2.0, 3.0]"


def test_a_result_that_is_changed_and_walked_again_is_another_tensor_of_the_picture():
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        t = w * 2
        t.sum().backward(retain_graph=True)
        t.mul_(3)
        (t * t).sum().backward()
    values = {tensor.name: tensor.value.text for tensor in timeline.graph.tensors if tensor.value}
    assert values["t"] == "[6.0, 12.0]"
    assert taken_out(timeline)[-4:-1] == ["[6.0, 12.0]", "[6.0, 12.0]", "3"]


def test_a_node_whose_graph_was_freed_takes_nothing_out():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="second time"), graphlab.record() as timeline:  # noqa: PT012
        y = (x * x).sum()
        y.backward()
        y.backward()
    assert len(taken_out(timeline)) == 2
    assert (
        "MulBackward0 failed: Trying to backward through the graph a second" in told(timeline)[-1]
    )


def chain(w: Any) -> Any:
    t = w * 2
    t[0] = 5.0
    t.mul_(3)
    return t


def part(w: Any) -> Any:
    t = w * 2
    p = t[0]
    p.mul_(2.5)
    t.mul_(3)
    return t


@pytest.mark.parametrize("change", [chain, part])
def test_each_card_of_a_chain_in_place_shows_what_it_was_at_its_moment(change):
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        t = change(w)
        t.sum().backward()
    inner = {one.label: one for one in timeline.graph.tensors if not one.is_leaf}
    texts = {label: one.value.text for label, one in inner.items() if one.value}
    assert texts == {
        "w * 2": "[2.0, 4.0]",
        "earlier t": "[5.0, 4.0]",
        "t": "[15.0, 12.0]",
        "t.sum()": "27.0",
    }
    assert told(timeline)[:2] == [
        "t is changed in place: [2.0, 4.0] → [5.0, 4.0], version 1.",
        "t is changed in place: [5.0, 4.0] → [15.0, 12.0], version 2.",
    ]
    for k in range(len(timeline)):
        assert timeline.state_at(k).get("values", {}) == {}
    assert timeline.state_at(1)["versions"] == {inner["w * 2"].id: 1, inner["earlier t"].id: 2}
    travels(timeline)


def test_a_result_that_is_written_over_with_no_record_has_its_new_value_from_then_on():
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        t = w * 2
        t.sum().backward(retain_graph=True)
        with graphlab.no_grad():
            t.add_(1)
        t.sum().backward()
    (k,) = [k for k, event in enumerate(timeline) if event.kind == "ChangedInPlace"]
    (card,) = [one for one in timeline.graph.tensors if one.name == "t"]
    assert card.value.text == "[2.0, 4.0]"
    assert timeline.state_at(k)["values"][card.id]["text"] == "[3.0, 5.0]"
    assert timeline.state_at(k)["versions"] == {card.id: 1}
    assert "t is changed in place: [3.0, 5.0], version 1." in told(timeline)


def test_pictures_of_a_chain_in_place_show_each_value_once():
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        t = chain(w)
        t.sum().backward()
    svg = still_svg(timeline)
    assert all(svg.count(f">{text}<") == 1 for text in ("[2.0, 4.0]", "[5.0, 4.0]", "[15.0, 12.0]"))
    assert ">v1<" not in svg  # the card of a version shows that version


def test_what_was_computed_from_a_value_that_is_gone_is_not_guessed():
    w = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        t = w * 2
        with graphlab.no_grad():
            t.add_(1)
        loss = (t * 3).sum()
        del t
        loss.backward()
    shown = {one.label: one.value.text for one in timeline.graph.tensors if one.value}
    assert shown["loss"] == "24.0"
    assert shown["t"] == "[2.0, 4.0]"
    assert told(timeline)[0] == "t is changed in place: [3.0, 5.0], version 1."
    assert shown["t * 3"] == "no value"
