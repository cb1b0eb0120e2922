"""A gradient that was cleared is None: the state knows it, and every picture says so.

Read next: tests/adapters/test_recording_fixture.py
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import graphlab
from graphlab.faces.render.still import scene_at
from graphlab.faces.render.svg import to_svg
from graphlab.faces.render.text import to_text
from graphlab.graph.timeline import Timeline
from tests.adapters.test_recording import travels


def clear_all(w: Any, optimizer: Any) -> None:
    optimizer.zero_grad()


def assign_none(w: Any, optimizer: Any) -> None:
    w.grad = None


def delete(w: Any, optimizer: Any) -> None:
    del w.grad


@pytest.mark.parametrize("clear", [clear_all, assign_none, delete])
def test_a_cleared_gradient_is_none_in_every_picture_until_the_next_pass(clear):
    w = graphlab.tensor(2.0, requires_grad=True)
    optimizer = graphlab.optim.SGD([w], lr=0.1)
    with graphlab.record() as timeline:
        for _ in range(2):
            (w * w).backward()
            clear(w, optimizer)
    cleared = [k for k, event in enumerate(timeline) if event.kind == "GradCleared"]
    (leaf,) = [tensor for tensor in timeline.graph.tensors if tensor.name == "w"]
    for k in cleared:
        assert timeline.state_at(k)["cleared"] == {leaf.id: True}
        assert grads_drawn(timeline, k) == {"None"}
        assert "w = 2.0  leaf  grad None" in to_text(timeline.graph, timeline.state_at(k))
    assert timeline.state_at(cleared[0] + 1)["cleared"] == {}
    assert grads_drawn(timeline, cleared[0] + 1) == {"not yet"}
    travels(timeline)


def grads_drawn(timeline: Timeline, k: int) -> set[str]:
    """What the card of the leaf says of its gradient, in the picture of one moment."""
    scene, graph = scene_at(timeline, "both", k)
    (leaf,) = [tensor.id for tensor in graph.tensors if tensor.is_leaf]
    card = replace(scene, groups=tuple(group for group in scene.groups if group.id == leaf))
    svg = to_svg(card, graph, state=timeline.state_at(k))
    return {text for text in ("None", "not yet") if f">{text}<" in svg}


def test_a_leaf_shows_what_was_written_and_not_what_is_on_its_way():
    w = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        y = w * w
        graphlab.autograd.grad(y, w, retain_graph=True)
        y.backward()
    for k, event in enumerate(timeline):
        *_, leaf, _ = to_text(timeline.graph, timeline.state_at(k)).splitlines()
        if event.kind in ("GradReturned", "LeafWritten", "Finished"):
            back = "returned " if k < len(timeline) / 2 else ""
            assert leaf.endswith(f"w = 3.0  leaf  grad {back}6.0")
        else:
            assert "  grad " not in leaf


def test_what_grad_returned_is_in_the_picture_and_nothing_is_awaited_when_all_is_over():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    x.grad = graphlab.ones(2)
    with graphlab.record() as timeline:
        y = x**2
        graphlab.autograd.grad((y * x[0]).sum(), [x, y])
    svg = to_svg(*scene_at(timeline, "both", len(timeline) - 1), state=timeline.state_at(-1))
    assert ">returned [7.0, 4.0]<" in svg
    assert ">returned [1.0, 1.0]<" in svg
    travels(timeline)


def test_when_all_is_over_a_gradient_that_did_not_come_is_none():
    x = graphlab.tensor(2.0, requires_grad=True)
    with graphlab.record() as timeline:
        y = x**3
        (g,) = graphlab.autograd.grad(y, x, create_graph=True)
        (g**2).backward()
    for k in (len(timeline) - 2, len(timeline) - 1):
        svg = to_svg(*scene_at(timeline, "both", k), state=timeline.state_at(k))
        assert (">not yet<" in svg) == (">None<" not in svg) == (k < len(timeline) - 1)


def test_a_gradient_that_was_kept_by_retain_grad_is_cleared_too():
    w = graphlab.tensor(3.0, requires_grad=True)
    with graphlab.record() as timeline:
        y = w * 2
        y.retain_grad()
        (y * y).backward()
        y.grad = None
    assert (
        timeline[-1].sentence
        == "y.grad is set to None, so the next backward pass starts from nothing."
    )
    assert timeline.state_at(-1)["cleared"] == {timeline[-1].tensors[0]: True}


def test_a_gradient_that_a_failed_pass_put_back_is_none():
    x, y = (graphlab.tensor([1.0], requires_grad=True) for _ in range(2))
    y.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError), graphlab.record() as timeline:
        (y * x.detach() + x * 2).sum().backward()
    (written,) = {event.tensor for event in timeline if event.kind == "LeafWritten"}
    assert timeline.state_at(-1)["cleared"] == {written: True}


def test_a_gradient_that_was_set_to_0_is_not_said_to_hold_something() -> None:
    w = graphlab.tensor(2.0, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(2):
            (w * 3).backward()
            w.grad.zero_()
        w.grad.add_(1)
        (w * 3).backward()
    began = [str(one) for one in timeline if "is called" in str(one)]
    assert ["is not empty" in one for one in began] == [False, False, True]
