"""Passes of a loop share one drawing: the scenes that are read are those that were drawn.

Read next: tests/graph/redrawn.py
"""

from __future__ import annotations

from typing import Any

import pytest

import graphlab
import graphlab.nn.functional as F
from graphlab import nn
from graphlab.common.errors import TraceError
from graphlab.faces.render.bundle import Drawn, with_scenes
from graphlab.graph import scene
from graphlab.graph.codec import encode
from graphlab.graph.scene import Group
from graphlab.graph.timeline import Timeline
from tests.graph.redrawn import FIXTURE, descent, fixture_text


def mlp() -> Timeline:
    """Its 27 nodes in modules are also drawn as cards, with stubs of what is outside."""
    graphlab.manual_seed(0)
    net = nn.Sequential(*[layer for _ in range(6) for layer in (nn.Linear(4, 4), nn.ReLU())])
    x, y = graphlab.randn(8, 4), graphlab.randn(8, 4)
    optimizer = graphlab.optim.SGD(net.parameters(), lr=0.1)
    with graphlab.record() as timeline:
        for _ in range(4):
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            optimizer.step()
    return timeline


def changing() -> Timeline:
    """Each pass has another graph, or another number in it."""
    w = graphlab.tensor(2.0, requires_grad=True)
    with graphlab.record() as timeline:
        for k in range(4):
            (w * 10.0**k if k < 2 else w.exp()).backward()
    return timeline


PROGRAMS = pytest.mark.parametrize("program", [descent, mlp, changing])


@PROGRAMS
def test_scenes_come_back_as_they_were_drawn(program: Any) -> None:
    drawn = with_scenes(program())
    document = drawn.to_json()
    assert encode(Timeline.from_json(document).passes) == encode(drawn.passes)


@PROGRAMS
def test_a_drawing_with_other_texts_is_what_would_have_been_drawn(
    program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeline = program()
    quick = with_scenes(timeline)
    monkeypatch.setattr(Drawn, "redrawn", lambda *_: None)
    assert quick.passes == with_scenes(timeline).passes


def test_the_passes_of_a_loop_are_written_as_one_drawing() -> None:
    passes = with_scenes(mlp()).to_json()["passes"]
    assert [one.get("like") for one in passes] == [None, None, 1, 1]
    assert "scenes" not in passes[-1]
    assert {scene["view"] for scene in passes[0]["scenes"]} == {"both", "backward"}
    kinds = {group["kind"] for scene in passes[1]["scenes"] for group in scene["groups"]}
    assert {"scope", "tensor", "op", "wire", "flow", "saved"} <= kinds


def test_nothing_moves_from_pass_to_pass() -> None:
    first, *others = [one.scenes for one in with_scenes(descent()).passes[1:]]
    for scenes in others:
        for old, new in zip(first, scenes, strict=True):
            assert [*map(places_in, old.groups)] == [*map(places_in, new.groups)]
            assert [*map(scene.texts_of, old.groups)] != [*map(scene.texts_of, new.groups)]


def places_in(group: Group) -> list[Any]:
    return [(mark.x, mark.y, mark.w, mark.d) for mark in group.marks]


def test_graphs_of_other_shapes_have_drawings_of_their_own() -> None:
    passes = with_scenes(changing()).to_json()["passes"]
    assert [one.get("like") for one in passes] == [None, None, None, 2]


def test_the_fixture_is_fresh() -> None:
    assert FIXTURE.read_text(encoding="utf-8") == fixture_text()


FITTING = r"passes\[2\] is .* expected a pass with the ids and texts that differ"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"like": 2}, r"passes\[2\].like is 2 \(int\), expected the index of an earlier pass"),
        ({"like": -1}, "expected the index of an earlier pass"),
        ({"like": True}, "expected the index of an earlier pass"),
        ({"ids": ["n1"]}, FITTING),
        ({"ids": {"n6": 3}}, FITTING),
        ({"ids": {"n6": "n77"}}, r"passes\[2\].scenes.* 'n77.*expected the id of an"),
        ({"texts": None}, FITTING),
        ({"texts": [[]]}, FITTING),
        ({"texts": [3, []]}, FITTING),
        ({"texts": [[[999, "loss"]], []]}, FITTING),
        ({"texts": [[[24, "loss"]], []]}, FITTING),
        ({"texts": [[[-1, "loss"]], []]}, FITTING),
        ({"texts": [[["0", "loss"]], []]}, FITTING),
        ({"texts": [[[24, *"abcde", 6]], []]}, FITTING),
    ],
)
def test_damage_is_named(change: dict[str, Any], said: str) -> None:
    document = with_scenes(descent()).to_json()
    document["passes"][2] |= change
    with pytest.raises(TraceError, match=said):
        Timeline.from_json(document)


def test_a_document_cannot_stand_for_any_number_of_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = with_scenes(descent()).to_json()
    groups = sum(len(scene["groups"]) for scene in document["passes"][1]["scenes"])
    monkeypatch.setattr(scene, "MOST", 2 * groups)
    with pytest.raises(TraceError, match=r"passes\[2\] .* expected at most"):
        Timeline.from_json(document)
