"""A picture that is too wide is wrapped into rows: nothing is lost, overlaps or breaks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import inf

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import graphlab
from graphlab.faces.render.curves import extent
from graphlab.faces.render.layered_graph import FLOW, Back
from graphlab.faces.render.layout import lay_out
from graphlab.faces.render.row_wrapping import WIDE, in_rows
from graphlab.faces.render.scene_builder import VIEWS, build_scene, glyphs_of
from graphlab.graph.model import Graph
from graphlab.graph.scene import Mark, Scene, View
from tests.graph.builder import chain, mlp, random_graph, recurrent

LONG: dict[str, tuple[Callable[[], Graph], View]] = {
    "a chain": (lambda: chain(20), "both"),
    "three chains": (lambda: chain(9, 3), "both"),
    "a network": (mlp, "both"),
    "a network backward": (mlp, "backward"),
    "a recurrence": (lambda: recurrent(12), "both"),
    "a random graph": (lambda: random_graph(5, 40), "both"),
}


def drawn(name: str, wide: float = inf, walked: bool = True) -> Scene:
    make, view = LONG[name]
    return build_scene(make(), view, walked, wide=wide)


@pytest.mark.parametrize("name", ["a chain", "a network", "a network backward"])
def test_a_row_fits_a_cell_of_the_first_window(name: str) -> None:
    assert drawn(name, WIDE, walked=False).width <= WIDE < drawn(name, walked=False).width


def test_a_chain_is_cut_before_operations_not_before_their_results() -> None:
    scene = drawn("a chain", WIDE, walked=False)
    places = {
        group.id: mark.y
        for group in scene.groups
        for mark in group.marks
        if mark.c in ("card", "op")
    }
    parts = [group.id[2:].split(">") for group in scene.groups if ">" in group.id]
    assert len(parts) > 5
    assert [one for one in parts if abs(places[one[0]] - places[one[1]]) > 60] == []


@pytest.mark.parametrize("name", ["a chain", "a network", "a network backward"])
def test_a_line_enters_a_row_straight_into_its_box(name: str) -> None:
    make, view = LONG[name]
    glyphs, wires = glyphs_of(make(), view, playable=False)
    boxes = [glyph.box for glyph in glyphs.values()]
    layout = in_rows(lay_out(boxes, [wire.link for wire in wires]), boxes, WIDE)
    entered = [
        gap
        for route in layout.routes.values()
        for back, gap in pairwise(route)
        if isinstance(back, Back)
    ]
    assert len(entered) > 2
    assert all(gap[1] == gap[3] for gap in entered)


def segments_of(data: str) -> list[tuple[tuple[float, float], ...]]:
    """The pieces of a path of M, H, V and C: two points each, or four for a curve."""
    found: list[tuple[tuple[float, float], ...]] = []
    here = (0.0, 0.0)
    for command, rest in re.findall(r"([MHVC])([^MHVC]*)", data):
        given = [float(word) for word in rest.split()]
        if command == "H":
            points = [(given[0], here[1])]
        elif command == "V":
            points = [(here[0], given[0])]
        else:
            points = list(zip(given[::2], given[1::2], strict=True))
        if command != "M":
            found.append((here, *points))
        here = points[-1]
    return found


def solids(scene: Scene) -> list[tuple[float, float, float, float]]:
    return [
        extent(mark)
        for group in scene.groups
        for mark in group.marks
        if mark.c in ("card", "op") and mark.m in ("rect", "circle")
    ]


def lines(scene: Scene) -> list[Mark]:
    return [mark for group in scene.groups for mark in group.marks if mark.c in ("wire", "flow")]


def texts(scene: Scene) -> Counter[str]:
    return Counter(mark.t for group in scene.groups for mark in group.marks)


def test_a_picture_that_is_not_wide_stays_as_it_is() -> None:
    scene = build_scene(chain(2))
    assert scene.width < WIDE
    assert build_scene(chain(2), wide=WIDE) == scene


@pytest.mark.parametrize("walked", [True, False])
@pytest.mark.parametrize("name", LONG)
def test_rows_hold_all_that_was_there_and_are_narrow(name: str, walked: bool) -> None:
    scene, rows = drawn(name, walked=walked), drawn(name, 900, walked)
    assert rows.width < 0.75 * scene.width
    assert texts(rows) == texts(scene)
    assert [group.id for group in rows.groups] == [group.id for group in scene.groups]
    for left, top, right, bottom in solids(rows):
        assert 0 <= left < right <= rows.width
        assert 0 <= top < bottom <= rows.height


@pytest.mark.parametrize("name", LONG)
def test_no_two_cards_overlap_in_rows(name: str) -> None:
    boxes = sorted(solids(drawn(name, 900)))
    for k, one in enumerate(boxes):
        for other in boxes[k + 1 :]:
            beside = one[2] <= other[0]
            assert beside or one[3] <= other[1] or one[1] >= other[3]


@pytest.mark.parametrize("name", LONG)
def test_no_line_is_broken_and_all_stay_in_the_picture(name: str) -> None:
    assert_lines_stay_inside(drawn(name, 900))


def assert_lines_stay_inside(rows: Scene) -> None:
    for mark in lines(rows):
        assert mark.d.count("M") == 1
        for x, y in (point for piece in segments_of(mark.d) for point in piece):
            assert 0 <= x <= rows.width
            assert 0 <= y <= rows.height


def test_lines_that_cross_enter_a_row_beside_each_other() -> None:
    """One went around below the row, and below the picture, to keep its height."""
    p = [graphlab.tensor(1.5, requires_grad=True), graphlab.tensor(2.5, requires_grad=True)]
    r = p[1] + p[0]
    s = p[1] * p[1] + r
    u = s * p[0]
    v = r * r
    graph = graphlab.trace(u + v).graph
    glyphs, wires = glyphs_of(graph, "both", playable=False)
    boxes = [glyph.box for glyph in glyphs.values()]
    layout = in_rows(lay_out(boxes, [wire.link for wire in wires]), boxes, WIDE)
    enters = sorted(
        {back.y1 for route in layout.routes.values() for back in route if isinstance(back, Back)}
    )
    assert len(enters) == 3
    assert enters[1] + FLOW == enters[2]
    assert_lines_stay_inside(build_scene(graph, "both", wide=WIDE))


def test_lines_that_run_back_below_a_row_do_not_cross() -> None:
    rows = drawn("three chains", 900)
    levels = []  # (height, from, to) of long level pieces, each a way below a row
    for mark in lines(rows):
        for piece in segments_of(mark.d):
            (x0, y0), (x1, y1) = piece[0], piece[-1]
            if len(piece) == 2 and y0 == y1 and abs(x1 - x0) > 0.6 * rows.width:
                levels.append((y0, min(x0, x1), max(x0, x1)))
    levels = sorted(set(levels))
    assert len(levels) > 3
    for (y, left, right), (lower, further_left, further_right) in pairwise(levels):
        if lower - y < 10:  # lanes of one row: the lower one begins later and ends further out
            assert further_left > left
            assert further_right > right


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.integers(10, 45), st.sampled_from(VIEWS))
def test_any_graph_can_stand_in_rows(seed: int, nodes: int, view: View) -> None:
    graph = random_graph(seed, nodes)
    scene, rows = build_scene(graph, view), build_scene(graph, view, wide=700)
    assert texts(rows) == texts(scene)
    for left, _, right, _ in solids(rows):
        assert 0 <= left < right <= rows.width
    assert_lines_stay_inside(rows)


def test_a_long_formula_is_drawn_and_saved_in_rows_and_played_in_one() -> None:
    x = graphlab.tensor(0.5, requires_grad=True)
    y = x
    for _ in range(8):
        y = y.sin() * 1.5
    timeline = graphlab.trace(y)
    assert timeline.scenes[0].width > WIDE
    assert graphlab.draw(y).scene.width < WIDE
    still = timeline._repr_mimebundle_()["image/svg+xml"]  # type: ignore[index]
    width = re.search(r'width="([\d.]+)"', still)
    assert width is not None
    assert float(width[1]) < WIDE * 1.15


def test_the_width_of_the_rows_can_be_chosen() -> None:
    x = graphlab.tensor(1.5, requires_grad=True)
    y = x.sin().exp().tanh().cos().sqrt().log1p().sigmoid()
    widths = [graphlab.draw(y, width=width).scene.width for width in (500, 920, inf)]
    assert widths[0] <= 500 < widths[1] <= 920 < widths[2]
    assert graphlab.draw(y).scene.width == widths[1]
    for width in (0, -1, float("nan"), "920", None, 299):
        with pytest.raises(ValueError, match="width must be the pixels of a row, at least 300"):
            graphlab.draw(y, width=width)  # type: ignore[arg-type]
