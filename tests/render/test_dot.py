"""DOT text for other tools; GraphLab's own pictures do not need Graphviz."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace

import pytest

from graphlab.faces.render.scene_builder import build_scene
from graphlab.faces.render.text import to_dot
from tests.golden import Golden
from tests.graph.builder import ALL, hostile, random_graph
from tests.graph.example import lesson_graph

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def test_the_lesson_as_dot(golden: Golden) -> None:
    golden("lesson.dot", to_dot(lesson_graph()))


@needs_dot
@pytest.mark.parametrize("name", ALL)
def test_graphviz_accepts_every_graph(name: str) -> None:
    text = to_dot(ALL[name]())
    subprocess.run(["dot", "-Tplain"], input=text.encode(), check=True, capture_output=True)


def test_a_hostile_name_cannot_end_its_quotes() -> None:
    for line in to_dot(hostile()).splitlines():
        bare = line.replace("\\\\", "").replace('\\"', "")
        assert bare.count('"') % 2 == 0


def test_an_id_from_elsewhere_is_quoted() -> None:
    graph = lesson_graph()
    evil = replace(graph.tensors[0], id='x]; evil [label="')
    text = to_dot(replace(graph, tensors=(evil,), nodes=(), edges=(), root=evil.id))
    assert '"x]; evil [label=\\""' in text


def test_the_picture_is_the_same_with_and_without_dot(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(5, 30)
    there = build_scene(graph, "both")
    monkeypatch.setenv("PATH", "")
    assert build_scene(graph, "both") == there
