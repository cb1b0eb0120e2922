"""DOT for other tools; and `dot` is a helper whose absence nobody notices."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace

import pytest

from graphlab.render import dot
from graphlab.render.ordering import crossings
from graphlab.render.scene import build_scene
from tests.golden import Golden
from tests.graph.builder import ALL, hostile, random_graph
from tests.graph.example import lesson_graph
from tests.render.test_layout import assert_nothing_overlaps, columns_of

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def test_the_lesson_as_dot(golden: Golden) -> None:
    golden("lesson.dot", dot.to_dot(lesson_graph()))


@needs_dot
@pytest.mark.parametrize("name", ALL)
def test_graphviz_accepts_every_graph(name: str) -> None:
    text = dot.to_dot(ALL[name]())
    subprocess.run(["dot", "-Tplain"], input=text.encode(), check=True, capture_output=True)


def test_a_hostile_name_cannot_end_its_quotes() -> None:
    for line in dot.to_dot(hostile()).splitlines():
        bare = line.replace("\\\\", "").replace('\\"', "")
        assert bare.count('"') % 2 == 0


def test_an_id_from_elsewhere_is_quoted() -> None:
    graph = lesson_graph()
    evil = replace(graph.tensors[0], id='x]; evil [label="')
    text = dot.to_dot(replace(graph, tensors=(evil,), nodes=(), edges=(), root=evil.id))
    assert '"x]; evil [label=\\""' in text


def test_without_dot_the_picture_is_the_built_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    graph = random_graph(5, 30)
    built_in = build_scene(graph, "both", "builtin")
    assert build_scene(graph, "both") == built_in
    assert build_scene(graph, "both", "dot") == built_in


@pytest.mark.parametrize(
    "failure",
    [
        subprocess.TimeoutExpired("dot", 5),
        subprocess.CalledProcessError(1, "dot"),
        PermissionError("dot"),
        RuntimeError("ExecutableNotFound"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_a_dot_that_fails_is_nobodys_trouble(
    monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise failure

    monkeypatch.setattr("graphviz.backend.execute.run_check", fail)
    monkeypatch.setattr(dot, "which", lambda name: "/usr/bin/dot")
    graph = random_graph(5, 30)
    assert build_scene(graph, "both", "dot") == build_scene(graph, "both", "builtin")


def test_dot_is_given_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, object] = {}

    def note(command: list[str], **kwargs: object) -> None:
        given.update(kwargs)
        raise subprocess.TimeoutExpired("dot", 5)

    monkeypatch.setattr("graphviz.backend.execute.run_check", note)
    monkeypatch.setattr(dot, "which", lambda name: "/usr/bin/dot")
    assert dot.run_dot("digraph {}") is None
    assert given["timeout"] == 5.0


def test_dot_that_says_nonsense_is_not_believed() -> None:
    columns = columns_of(lesson_graph())
    assert dot._adopt(columns, "graph 1 0 0\nstop\n") is None


def test_dot_is_not_asked_about_graphs_that_are_too_large() -> None:
    from graphlab.render.scene import choose_arranger

    assert choose_arranger(None, dot.MOST_NODES + 1) is None
    assert choose_arranger("dot", dot.MOST_NODES + 1) is None
    assert choose_arranger(None, dot.MOST_NODES) is not None


@needs_dot
@pytest.mark.parametrize("seed", range(4))
def test_the_better_of_the_two_layouts_is_taken(seed: int) -> None:
    graph = random_graph(seed, 30)
    counts = []
    for arrange in (dot.best_arranger, dot.dot_arranger):
        columns = columns_of(graph)
        assert arrange(columns) is not None
        counts.append(crossings(columns))
    assert counts[0] <= counts[1]


@needs_dot
@pytest.mark.parametrize("seed", range(4))
def test_nothing_overlaps_when_dot_decides(seed: int) -> None:
    assert_nothing_overlaps(build_scene(random_graph(seed, 25), "both", "dot"))
