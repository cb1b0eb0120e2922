"""Cards, chips and captions: what a picture says about each tensor and each node."""

from __future__ import annotations

from dataclasses import replace

import pytest

import graphlab
from graphlab.faces.render.metrics import FONTS, isolated, lines_of_name, text_width
from graphlab.faces.render.scene_builder import build_scene
from graphlab.faces.render.theme import THEMES
from graphlab.graph.model import Graph, Saved
from graphlab.graph.scene import Group, Scene
from tests.graph.builder import Builder


def group_of(scene: Scene, id: str) -> Group:
    return next(group for group in scene.groups if group.id == id)


def texts(group: Group, role: str) -> list[str]:
    return [mark.t for mark in group.marks if mark.c == role]


def one_operation(*saved: Saved) -> Graph:
    build = Builder()
    build.apply("conv", "∗", [build.leaf("x")], "y")
    graph = build.graph()
    nodes = tuple(replace(n, saved=saved) if n.op == "conv" else n for n in graph.nodes)
    return replace(graph, nodes=nodes)


def options(count: int) -> list[Saved]:
    return [Saved(f"option{k}", None, text=f"({k}, {k})") for k in range(count)]


@pytest.mark.parametrize("view", ["both", "backward"])
def test_many_options_are_one_chip_whose_title_lists_them(view: str) -> None:
    scene = build_scene(one_operation(*options(5)), view)  # type: ignore[arg-type]
    chips = [group for group in scene.groups if group.kind == "saved"]
    assert [texts(chip, "chiptext") for chip in chips] == [["+5 options"]]
    assert all(f"option{k}=({k}, {k})" in chips[0].title for k in range(5))


def test_two_options_are_read_on_chips_of_their_own() -> None:
    scene = build_scene(one_operation(*options(2)))
    chips = [texts(group, "chiptext") for group in scene.groups if group.kind == "saved"]
    assert chips == [["(0, 0)"], ["(1, 1)"]]


def changed_tensor(name: str, **fields: object) -> Scene:
    build = Builder()
    x = build.leaf("x")
    build.apply("sin", "sin", [build.apply("select", "[i]", [x], "part")], "y")
    graph = build.graph()
    tensors = tuple(
        replace(t, **fields) if t.name == name else t  # type: ignore[arg-type]
        for t in graph.tensors
    )
    return build_scene(replace(graph, tensors=tensors))


def test_a_view_says_whose_memory_it_shares() -> None:
    part = group_of(changed_tensor("part", base="t0"), "t1")
    assert texts(part, "caption") == ["view of x"]
    assert "a view of x: they share memory" in part.title


def test_a_card_has_a_place_for_the_version_and_shows_one_that_is_not_0() -> None:
    for version, shown in ((0, ""), (2, "v2")):
        part = group_of(changed_tensor("part", version=version), "t1")
        badge = next(mark for mark in part.marks if mark.c == "badge")
        assert (badge.t, badge.slot) == (shown, "version")


def test_weights_that_were_filled_in_place_begin_without_a_badge() -> None:
    assert texts(group_of(changed_tensor("x", version=1), "t0"), "badge") == [""]


def test_a_wire_without_a_gradient_says_so() -> None:
    build = Builder()
    build.apply("mul", "×", [build.leaf("x"), build.constant("c")], "y")
    scene = build_scene(build.graph())
    assert "no gradient" not in group_of(scene, "w:n0.0").title
    assert group_of(scene, "w:n0.1").title.endswith("no gradient flows back to it")


def test_a_long_name_of_a_node_stands_in_two_lines_and_makes_it_no_wider() -> None:
    assert lines_of_name("torch::autograd::CopySlices") == ["torch::autograd::", "CopySlices"]
    assert lines_of_name("ALongNameOfSomeonesOwnFunctionBackward") == [
        "ALongNameOfSomeonesOwnFunction"[:12] + "…" + "OwnFunction",
        "Backward",
    ]


def test_a_name_from_right_to_left_turns_nothing_around_it() -> None:
    build = Builder()
    build.apply("mul", "×", [build.leaf("שלום"), build.leaf("b")], "y")
    title = group_of(build_scene(build.graph()), "w:n0.0").title
    assert title == "\u2068שלום\u2069 is input 0 of MulBackward0"
    assert isolated("a*b") == "a*b"


def test_marks_that_stand_on_others_take_no_room() -> None:
    assert text_width("é", FONTS["name"]) == text_width("e\u0301", FONTS["name"])
    family = "\U0001f468\u200d\U0001f469"
    assert text_width(family, FONTS["name"]) == text_width(
        family.replace("\u200d", ""), FONTS["name"]
    )


@pytest.mark.parametrize("view", ["both", "backward", "computation"])
def test_a_still_picture_leaves_no_room_for_gradients_that_flow(view: str) -> None:
    build = Builder()
    x = build.leaf("x", (3,))
    build.apply("sin", "sin", [build.apply("sin", "sin", [x])], "y")
    graph = build.graph()
    walked = build_scene(graph, view)  # type: ignore[arg-type]
    still = build_scene(graph, view, playable=False)  # type: ignore[arg-type]
    assert still.width < walked.width
    assert {group.kind for group in still.groups} <= {"tensor", "op", "wire", "saved"}
    walked_pieces = [group.id for group in walked.groups if group.kind != "flow"]
    assert [group.id for group in still.groups] == walked_pieces


def test_a_saved_value_that_was_changed_since_is_marked_with_both_versions() -> None:
    a = graphlab.tensor([2.0, 1.0], requires_grad=True)
    h = graphlab.exp(a)
    y = (h * 3).sum()
    sound = graphlab.draw(y)
    assert "now v" not in sound.text + sound.svg
    h += 1
    drawing = graphlab.draw(y)
    assert "saved result=[8.3891, 3.7183] (v0, now v1)" in drawing.text
    assert "v0, now v1" in drawing.svg
    assert "backward raises an error" in drawing.svg
    assert THEMES["light"].bad in drawing.svg
    assert THEMES["light"].bad not in sound.svg
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
