"""The numbers along the gradients: in full where there is room, and covering nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import graphlab
from graphlab import Tensor
from graphlab.faces.render.bundle import with_scenes
from graphlab.faces.render.curves import extent
from graphlab.faces.render.metrics import DIGIT, FONTS, NOT_YET, brief, fitted, text_width
from graphlab.faces.render.scene_builder import build_scene
from graphlab.faces.render.svg import to_svg
from graphlab.graph.scene import Group, Mark, Scene
from graphlab.graph.timeline import Timeline


def vectors() -> Tensor:
    w = graphlab.tensor([0.123456, -0.76543], requires_grad=True)
    b = graphlab.tensor([0.1, -0.2], requires_grad=True)
    s = graphlab.sigmoid(w * graphlab.tensor([-0.31415, 2.71828]) + b)
    return (s * s).sum()


def network() -> Tensor:
    graphlab.manual_seed(0)
    x, y = graphlab.randn(8, 2), graphlab.randn(8, 1)
    w1, b1 = graphlab.randn(2, 3, requires_grad=True), graphlab.zeros(3, requires_grad=True)
    w2, b2 = graphlab.randn(3, 1, requires_grad=True), graphlab.zeros(1, requires_grad=True)
    return ((graphlab.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean()


def in_place() -> Tensor:
    x = graphlab.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    y = x * 2
    y[0] = y[1] * 3
    y.mul_(2)
    y[1:3].add_(1)
    return y.sum()


def numbers() -> Tensor:
    a = graphlab.tensor(1.234567, requires_grad=True)
    b = a * 0.00012345
    return (b + 1) * (b + 2) + b * b * -987654.0


FORMULAS = [vectors, network, in_place, numbers]
Box = tuple[float, float, float, float]


def bodies(scene: Scene) -> Iterator[Box]:
    for group in scene.groups:
        for mark in group.marks:
            if mark.c in ("card", "op") and mark.m in ("rect", "circle"):
                yield extent(mark)


def labels(timeline: Timeline, scene: Scene) -> Iterator[tuple[Group, Mark, str, str]]:
    """Each number along a line: its value and its text."""
    edges = timeline.state_at(-1)["edges"]
    grads = timeline.state_at(-1)["grads"]
    for group in scene.groups:
        for mark in group.marks:
            if mark.c == "contribution":
                found = edges.get(group.id) or grads[group.id.partition("<")[2]]
                text = brief(found["text"])
                yield group, mark, text, fitted(text, int(mark.w / DIGIT))


def apart(one: Box, other: Box) -> bool:
    return one[2] <= other[0] or one[0] >= other[2] or one[3] <= other[1] or one[1] >= other[3]


@pytest.mark.parametrize("make", FORMULAS)
def test_no_number_lies_on_a_card_an_operation_or_another_number(
    make: Callable[[], Tensor],
) -> None:
    timeline = graphlab.trace(make())
    for scene in timeline.scenes:
        there = list(bodies(scene))
        for _, mark, _, shown in labels(timeline, scene):
            half = len(shown) * 0.605 * FONTS["contribution"].size / 2
            box = (mark.x - half, mark.y - 8, mark.x + half, mark.y + 1)
            assert all(apart(box, other) for other in there), shown
            there.append(box)


@pytest.mark.parametrize("make", FORMULAS)
def test_no_number_of_a_walk_is_cut(make: Callable[[], Tensor]) -> None:
    timeline = graphlab.trace(make())
    for scene in timeline.scenes:
        drawn = to_svg(scene, timeline.graph, state=timeline.state_at(-1))
        assert "…<" not in drawn
        for tensor in timeline.graph.tensors:
            leaf = timeline.state_at(-1)["leaves"].get(tensor.id)
            assert (
                leaf is None or f">{brief(leaf['after']['text'])}<" in drawn
            )  # cards have the full text


def test_a_picture_has_no_more_room_than_its_numbers_need() -> None:
    timeline = graphlab.trace(vectors())
    assert timeline.scenes[0].width < build_scene(timeline.graph).width


def test_a_sum_over_a_broadcast_is_said_below_its_gradient() -> None:
    timeline = graphlab.trace(network())
    (first, second) = [event for event in timeline if event.kind == "Reduced"]
    for scene in timeline.scenes:
        said = {
            group.id: [mark.t for mark in group.marks if mark.c == "caption"]
            for group in scene.groups
            if group.kind == "flow"
        }
        assert said[first.edge] == ["Σ (8, 1) → (1,)"]
        assert said[second.edge] == ["Σ (8, 3) → (3,)"]
        assert sum(map(len, said.values())) == 2


def test_a_drawing_of_a_graph_that_nobody_walks_keeps_no_room_for_gradients() -> None:
    drawing = graphlab.draw(vectors())
    assert drawing.scene.width < graphlab.trace(vectors()).scenes[0].width


def test_a_result_that_is_not_computed_yet_says_so_beside_its_name():
    w = graphlab.tensor(2.0, requires_grad=True)
    outs = [w * 1.0, w * 1.0]
    loss = sum(outs)
    for timeline in (graphlab.trace(loss), graphlab.trace(loss, forward=True)):
        for group in with_scenes(timeline).scenes[0].groups:
            marks = {mark.c: mark for mark in group.marks}
            if "name" in marks and not timeline.graph.tensor(group.id).is_leaf:
                name = marks["name"].x + text_width(marks["name"].t, FONTS["name"])
                assert name < marks["value"].x - text_width(NOT_YET, FONTS["key"])
