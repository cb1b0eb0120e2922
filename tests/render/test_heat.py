"""A card shows a matrix as a small heat map, in every picture and in the player alike.

Read next: js/test/heatmap.test.ts
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab
from graphlab.faces.render.heat import heat_mark, heat_parts
from graphlab.faces.render.svg import to_svg
from graphlab.faces.render.theme import THEMES, heat_style
from graphlab.graph.value import summarise
from tests.render.heat import FIXTURE, fixture_text


def test_the_committed_heat_maps_are_those_that_are_drawn():
    assert FIXTURE.read_text("utf-8") == fixture_text(), (
        "run python -m tests.render.heat --update, and look at what changes"
    )


@pytest.mark.parametrize("shape", [(), (4,), (5, 1), (1, 4), (0, 3), (2, 0, 2)])
def test_what_is_no_matrix_has_no_heat_map(shape):
    assert heat_mark(summarise(np.ones(shape))) is None


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (5, 5), (40, 30), (2, 3, 4, 4)])
def test_a_heat_map_fits_into_the_row_of_a_card(shape):
    mark = heat_mark(summarise(np.ones(shape)))
    assert mark is not None
    assert mark.h <= 22
    assert mark.w <= 40


def test_signs_can_be_told_apart_without_colour():
    value = summarise(np.array([[1.0, -1.0], [np.nan, 0.0]]))
    mark = heat_mark(value)
    assert mark is not None
    parts = {part.kind: part.d for part in heat_parts(mark, value)}
    assert set(parts) == {"plus", "minus", "odd", "dash", "frame"}
    assert parts["dash"].count("M") == 2  # one for the negative entry, a cross for NaN


def test_the_corner_of_a_large_matrix_has_an_open_frame():
    small, large = (summarise(np.ones(shape)) for shape in ((3, 3), (30, 30)))
    frames = [heat_parts(heat_mark(one), one)[-1] for one in (small, large)]  # type: ignore[arg-type]
    assert [one.d.endswith("z") for one in frames] == [True, False]


def test_a_picture_shows_values_and_gradients_as_heat_maps():
    W = graphlab.tensor([[1.0, -2.0], [0.0, 3.0]], requires_grad=True)
    timeline = graphlab.trace((W * W).sum())
    scene, graph = timeline.scenes[0], timeline.graph
    paths = [to_svg(scene, graph, state=timeline.state_at(k)).count("<path") for k in (0, -1)]
    assert paths[0] < paths[1]  # the gradient's cells come when it is known
    (card,) = [group for group in scene.groups if group.title.startswith("W;")]
    assert [mark.slot for mark in card.marks if mark.m == "heat"] == ["", "grad"]


@pytest.mark.parametrize("theme", THEMES)
def test_a_strong_cell_differs_from_a_weak_one_and_from_the_paper(theme):
    shades = [heat_style("plus", level, THEMES[theme])["fill"] for level in (1, 2, 3, 4)]
    assert len({*shades, THEMES[theme].paper}) == 5
