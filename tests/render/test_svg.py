"""The SVG is standalone, shows what is known, and never turns a name into markup."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from typing import get_args

import pytest

import graphlab
from graphlab.faces.render.scene_builder import VIEWS, build_scene
from graphlab.faces.render.svg import _Painter, to_svg
from graphlab.faces.render.theme import THEMES, Theme, _at_rest, is_freed
from graphlab.graph.scene import Mark, Role, Scene
from tests.golden import Golden
from tests.graph.builder import ALL, HOSTILE, Builder, hostile
from tests.graph.example import lesson, lesson_graph

LESSON = lesson()


def pretty(svg: str) -> str:
    """One element per line, so that a change of one mark changes one line."""
    return svg.replace("><", ">\n<") + "\n"


@pytest.mark.parametrize("view", VIEWS)
def test_the_lesson_is_drawn(view: object, golden: Golden) -> None:
    scene = build_scene(lesson_graph(), view)  # type: ignore[arg-type]
    golden(f"lesson-{view}.svg", pretty(to_svg(scene, lesson_graph())))


def test_the_lesson_is_drawn_in_the_dark_with_its_gradients(golden: Golden) -> None:
    scene = build_scene(lesson_graph(), "both")
    svg = to_svg(scene, lesson_graph(), "dark", LESSON.state_at(20))
    golden("lesson-dark-20.svg", pretty(svg))


@pytest.mark.parametrize("name", [name for name in ALL if name != "hostile"])
def test_other_graphs_are_drawn(name: str, golden: Golden) -> None:
    graph = ALL[name]()
    golden(f"{name}.svg", pretty(to_svg(build_scene(graph, "both"), graph)))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ALL)
def test_every_picture_is_well_formed_and_holds_only_shapes(name: str, view: object) -> None:
    graph = ALL[name]()
    svg = to_svg(build_scene(graph, view), graph)  # type: ignore[arg-type]
    root = ElementTree.fromstring(svg)
    tags = {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in root.iter()}
    assert tags <= {"svg", "g", "title", "desc", "rect", "circle", "path", "text"}
    attributes = {key for element in root.iter() for key in element.attrib}
    assert not attributes & {"id", "class", "style", "href"}
    assert not any(key.startswith("on") for key in attributes)


def test_hostile_names_are_shown_and_never_interpreted() -> None:
    graph = hostile()
    svg = to_svg(build_scene(graph, "both"), graph)
    assert "<img" not in svg
    assert "<script" not in svg
    titles = [e.text or "" for e in ElementTree.fromstring(svg).iter() if e.tag.endswith("title")]
    for name in HOSTILE[:5]:
        assert any(name in title for title in titles), name


def test_a_gradient_that_is_not_computed_is_not_yet_and_never_zero() -> None:
    scene = build_scene(lesson_graph(), "both")
    before = to_svg(scene, lesson_graph())
    assert before.count(">not yet<") == 8
    after = to_svg(scene, lesson_graph(), state=LESSON.state_at(-1))
    assert "not yet" not in after
    assert ">2.3026<" in after


def test_flows_appear_with_their_gradients() -> None:
    scene = build_scene(lesson_graph(), "both")
    dashed = [
        to_svg(scene, lesson_graph(), state=LESSON.state_at(k)).count("stroke-dasharray")
        for k in range(len(LESSON))
    ]
    assert dashed[0] == 0
    assert dashed == sorted(dashed)
    assert dashed[-1] == 11  # 7 edges and the gradients of 4 outputs entering their nodes


def test_every_role_has_a_look() -> None:
    painter = _Painter(THEMES["light"], None, {}, None)
    scene = build_scene(lesson_graph(), "both")
    for role in get_args(Role):
        group = replace(scene.groups[0], marks=(Mark("text", role, t="x"),))
        assert "<text" in painter.group(group)
    unknown = _at_rest("no such role", THEMES["light"], "#000")
    plain = [role for role in get_args(Role) if _at_rest(role, THEMES["light"], "#000") == unknown]
    assert plain == ["key", "caption", "index", "chipkey", "count"]  # muted on purpose


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_text_has_a_contrast_of_at_least_four_and_a_half(theme: Theme) -> None:
    for colour in (theme.ink, theme.muted, theme.forward, theme.gradient):
        for background in (theme.paper, theme.chip, theme.glow):
            assert contrast(colour, background) >= 4.5  # WCAG 2, level AA


def contrast(one: str, other: str) -> float:
    """Source: WCAG 2.2, relative luminance and contrast ratio."""

    def luminance(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_coordinates_have_at_most_one_decimal() -> None:
    svg = to_svg(build_scene(ALL["mlp"](), "both"))
    numbers = re.findall(r' (?:x|y|d|width|height|cx|cy)="([^"]*)"', svg)
    assert not any(re.search(r"\.\d\d", text) for text in numbers)


def test_unknown_choices_are_listed() -> None:
    scene = Scene("both", 10, 10, ())
    with pytest.raises(ValueError, match=r"unknown theme 'blue' .*\['dark', 'light'\]"):
        to_svg(scene, theme="blue")
    with pytest.raises(ValueError, match=r"unknown view 'up' .*\['backward', 'both', 'comp"):
        build_scene(lesson_graph(), "up")  # type: ignore[arg-type]


def test_a_wire_to_what_needs_no_gradient_is_thin_and_grey() -> None:
    graph = ALL["mlp"]()  # x and target need none
    for view, silent in (("both", 4), ("backward", 0)):
        svg = to_svg(build_scene(graph, view), graph)  # type: ignore[arg-type]
        wires = re.findall(
            r'<path d="[^"]*" fill="none" stroke="([^"]*)" stroke-width="([^"]*)"', svg
        )
        theme = THEMES["light"]
        assert wires.count((theme.muted, "1")) == silent
        assert set(wires) <= {(theme.muted, "1"), (theme.forward, "1.4")}


def test_a_long_gradient_that_nobody_expected_is_fitted_to_the_room_that_it_has() -> None:
    build = Builder()
    x = build.leaf("x")
    build.apply("sin", "sin", [x], "y")
    graph = build.graph()
    text = "[1.0, 2.0, 3.0, 4.0]"
    state = {"leaves": {x: {"after": {"text": text}}}, "edges": {"n0.0": {"text": text}}}
    svg = to_svg(build_scene(graph), graph, state=state)
    assert text not in svg
    assert len(re.findall(r">\(4,\)<", svg)) == 2


def test_what_is_changed_in_place_shows_its_value_and_version_now() -> None:
    graph = lesson_graph()
    state = {"values": {"t0": {"text": "1.75"}}, "versions": {"t0": 3}}
    svg = to_svg(build_scene(graph), graph, state=state)
    assert ">1.75<" in svg
    assert ">v3<" in svg


def test_a_saved_number_is_not_drawn_as_freed() -> None:
    x = graphlab.tensor(3.0, requires_grad=True)
    walk = graphlab.trace(x**2)
    scene, last = build_scene(walk.graph, "both"), walk.state_at(-1)
    chips = [group for group in scene.groups if group.kind == "saved"]
    names = {group.id: is_freed(group, last, walk.graph) for group in chips}
    assert names == {"s:n0.self": True, "s:n0.exponent": False}
    assert not any(is_freed(group, walk.initial, walk.graph) for group in chips)
