"""The SVG stands alone, shows what is known, and lets no name become markup."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import get_args

import pytest

from graphlab.graph.scene import Mark, Role, Scene
from graphlab.render.scene import VIEWS, build_scene
from graphlab.render.svg import THEMES, Theme, _Painter, to_svg
from tests.golden import Golden
from tests.graph.builder import ALL, HOSTILE, hostile
from tests.graph.example import lesson, lesson_graph

LESSON = lesson()


def pretty(svg: str) -> str:
    """One element a line: a change of one mark is a change of one line."""
    return svg.replace("><", ">\n<") + "\n"


@pytest.mark.parametrize("view", VIEWS)
def test_the_lesson_is_drawn(view: object, golden: Golden) -> None:
    scene = build_scene(lesson_graph(), view, "builtin")  # type: ignore[arg-type]
    golden(f"lesson-{view}.svg", pretty(to_svg(scene, lesson_graph())))


def test_the_lesson_is_drawn_in_the_dark_with_its_gradients(golden: Golden) -> None:
    scene = build_scene(lesson_graph(), "both", "builtin")
    svg = to_svg(scene, lesson_graph(), "dark", LESSON.state_at(20))
    golden("lesson-dark-20.svg", pretty(svg))


@pytest.mark.parametrize("name", [name for name in ALL if name != "hostile"])
def test_other_graphs_are_drawn(name: str, golden: Golden) -> None:
    graph = ALL[name]()
    golden(f"{name}.svg", pretty(to_svg(build_scene(graph, "both", "builtin"), graph)))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ALL)
def test_every_picture_is_well_formed_and_holds_only_shapes(name: str, view: object) -> None:
    graph = ALL[name]()
    svg = to_svg(build_scene(graph, view), graph)  # type: ignore[arg-type]
    root = ElementTree.fromstring(svg)
    tags = {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in root.iter()}
    assert tags <= {"svg", "g", "title", "rect", "circle", "path", "text"}
    attributes = {key for element in root.iter() for key in element.attrib}
    assert not attributes & {"id", "class", "style", "href"}
    assert not any(key.startswith("on") for key in attributes)


def test_hostile_names_are_shown_and_never_interpreted() -> None:
    graph = hostile()
    svg = to_svg(build_scene(graph, "both", "builtin"), graph)
    assert "<img" not in svg
    assert "<script" not in svg
    titles = [e.text or "" for e in ElementTree.fromstring(svg).iter() if e.tag.endswith("title")]
    for name in HOSTILE[:5]:
        assert any(name in title for title in titles), name


def test_a_gradient_that_is_not_computed_is_not_yet_and_never_zero() -> None:
    scene = build_scene(lesson_graph(), "both", "builtin")
    before = to_svg(scene, lesson_graph())
    assert before.count(">not yet<") == 8
    after = to_svg(scene, lesson_graph(), state=LESSON.state_at(-1))
    assert "not yet" not in after
    assert ">2.3026<" in after


def test_flows_appear_with_their_gradients() -> None:
    scene = build_scene(lesson_graph(), "both", "builtin")
    dashed = [
        to_svg(scene, lesson_graph(), state=LESSON.state_at(k)).count("stroke-dasharray")
        for k in range(len(LESSON))
    ]
    assert dashed[0] == 0
    assert dashed == sorted(dashed)
    assert dashed[-1] == 11  # 7 edges and the gradients of 4 outputs entering their nodes


def test_every_role_has_a_look() -> None:
    painter = _Painter(THEMES["light"], None, {})
    scene = build_scene(lesson_graph(), "both", "builtin")
    for role in get_args(Role):
        assert painter.mark(Mark("text", role, t="x"), scene.groups[0]).startswith("<text")


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_text_has_a_contrast_of_at_least_four_and_a_half(theme: Theme) -> None:
    for colour in (theme.ink, theme.muted, theme.forward, theme.gradient):
        for background in (theme.paper, theme.chip):
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
    svg = to_svg(build_scene(ALL["mlp"](), "both", "builtin"))
    numbers = re.findall(r' (?:x|y|d|width|height|cx|cy)="([^"]*)"', svg)
    assert not any(re.search(r"\.\d\d", text) for text in numbers)


def test_unknown_choices_are_listed() -> None:
    scene = Scene("both", 10, 10, ())
    with pytest.raises(ValueError, match=r"unknown theme 'blue' .*\['dark', 'light'\]"):
        to_svg(scene, theme="blue")
    with pytest.raises(ValueError, match=r"unknown view 'up' .*\['backward', 'both', 'comp"):
        build_scene(lesson_graph(), "up")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"unknown layout engine 'neato' .*\['builtin', 'dot'\]"):
        build_scene(lesson_graph(), "both", "neato")
