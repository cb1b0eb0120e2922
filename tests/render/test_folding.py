"""A picture that is too wide stands in rows: nothing is lost or overlaps, no line is broken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import graphlab
from graphlab.graph.scene import Mark, Scene
from graphlab.render.folding import ROW, WIDE, folded
from graphlab.render.labels import extent
from graphlab.render.paths import segments_of
from graphlab.render.scene import build_scene
from tests.graph.builder import chain, mlp, random_graph, recurrent

LONG: dict[str, Callable[[], Scene]] = {
    "a chain": lambda: build_scene(chain(20)),
    "three chains": lambda: build_scene(chain(9, 3)),
    "a network": lambda: build_scene(mlp()),
    "a network backward": lambda: build_scene(mlp(), "backward"),
    "a recurrence": lambda: build_scene(recurrent(12)),
    "a random graph": lambda: build_scene(random_graph(5, 40)),
}


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
    assert folded(scene) is scene


@pytest.mark.parametrize("name", LONG)
def test_rows_hold_all_that_was_there_and_are_narrow(name: str) -> None:
    scene = LONG[name]()
    rows = folded(scene, wide=900, row=800)
    assert rows.width < 0.75 * scene.width
    assert texts(rows) == texts(scene)
    assert [group.id for group in rows.groups] == [group.id for group in scene.groups]
    for left, top, right, bottom in solids(rows):
        assert 0 <= left < right <= rows.width
        assert 0 <= top < bottom <= rows.height


@pytest.mark.parametrize("name", LONG)
def test_no_two_cards_overlap_in_rows(name: str) -> None:
    boxes = sorted(solids(folded(LONG[name](), wide=900, row=800)))
    for k, one in enumerate(boxes):
        for other in boxes[k + 1 :]:
            beside = one[2] <= other[0]
            assert beside or one[3] <= other[1] or one[1] >= other[3]


@pytest.mark.parametrize("name", LONG)
def test_no_line_is_broken_and_all_stay_in_the_picture(name: str) -> None:
    rows = folded(LONG[name](), wide=900, row=800)
    for mark in lines(rows):
        assert mark.d.count("M") == 1
        for x, y in (point for piece in segments_of(mark.d) for point in piece):
            assert 0 <= x <= rows.width
            assert 0 <= y <= rows.height


def test_lines_that_run_back_below_a_row_do_not_cross() -> None:
    rows = folded(LONG["three chains"](), wide=900, row=800)
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
@given(st.integers(0, 10**6), st.integers(10, 45), st.sampled_from(["both", "backward"]))
def test_any_graph_can_stand_in_rows(seed: int, nodes: int, view: str) -> None:
    scene = build_scene(random_graph(seed, nodes), view)  # type: ignore[arg-type]
    rows = folded(scene, wide=700, row=600)
    assert texts(rows) == texts(scene)
    for left, _, right, _ in solids(rows):
        assert 0 <= left < right <= rows.width


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
    assert float(width[1]) < ROW * 1.2
