"""Answers to the side panel: a graph, its walk, or a sentence. Nothing is changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

import graphlab
from graphlab.faces import panel
from graphlab.graph.timeline import Timeline


@pytest.fixture
def held() -> dict[str, Any]:
    """The variables of the lesson's notebook."""
    a = graphlab.tensor(2.0, requires_grad=True)
    d = graphlab.tensor(10.0, requires_grad=True)
    t = graphlab.log(d)
    return {"torch": graphlab, "a": a, "d": d, "t": t, "e": a * t, "k": graphlab.tensor([1, 2])}


def ask(answer: panel.Answer) -> dict[str, Any]:
    """The answer as the browser receives it."""
    return json.loads(json.dumps(answer._repr_mimebundle_()["application/json"]))


def test_the_table_comes_with_the_name_of_the_module(held: dict[str, Any]) -> None:
    answer = ask(panel.look(held))
    assert [row["name"] for row in answer["rows"]] == ["a", "d", "t", "e", "k"]
    assert (answer["module"], answer["last"]) == ("torch", "e")
    assert answer["version"] == graphlab.__version__


def test_a_graph_is_drawn_under_the_names_of_the_table(held: dict[str, Any]) -> None:
    answer = ask(panel.draw("e", "both", held))
    still = Timeline.from_json(answer["document"])
    assert (answer["said"], answer["walk"], still.events) == ("", True, ())
    assert {tensor.name for tensor in still.graph.tensors} == {"a", "d", "t", "e"}


def test_the_walk_changes_nothing(held: dict[str, Any]) -> None:
    answer = ask(panel.walk("e", held))
    assert Timeline.from_json(answer["document"]).events[-1].kind == "Finished"
    assert held["a"].grad is None
    held["e"].backward()
    assert held["a"].grad.item() == pytest.approx(2.302585)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("k", "only floating-point tensors"),
        ("a", "is a leaf"),
        ("nothing", "The tensor `nothing` no longer exists"),
        ("torch.exit()", "no longer exists"),
        ("plain", "does not require a gradient"),
    ],
)
def test_what_has_no_graph_gets_a_sentence(held: dict[str, Any], code: str, words: str) -> None:
    held["plain"] = graphlab.tensor(1.5)
    for answer in (ask(panel.draw(code, "both", held)), ask(panel.walk(code, held))):
        assert words in answer["said"]
        assert answer["document"] is None


def test_a_freed_graph_is_drawn_and_not_walked(held: dict[str, Any]) -> None:
    held["e"].backward()
    drawn, walked = ask(panel.draw("e", "both", held)), ask(panel.walk("e", held))
    assert drawn["document"] is not None
    assert (drawn["walk"], walked["document"]) == (False, None)
    assert "freed" in drawn["said"]
    assert "Run the cell that made `e` again" in walked["said"]


def test_many_entries_need_a_gradient(held: dict[str, Any]) -> None:
    held["many"] = held["a"] * graphlab.ones(3)
    assert "begins at one number, and `many` has 3" in ask(panel.draw("many", "both", held))["said"]


def test_a_changed_saved_tensor_is_told_in_pytorchs_words(held: dict[str, Any]) -> None:
    held["x"] = held["a"] * 1
    held["y"] = held["x"] * held["x"]
    held["x"].add_(1)
    assert "modified by an inplace operation" in ask(panel.walk("y", held))["said"]


def test_the_users_hooks_and_functions_are_not_run(held: dict[str, Any]) -> None:
    ran = []

    class Twice(graphlab.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            ran.append("backward")
            return grad * 2

    held["own"] = Twice.apply(held["a"])
    held["seen"] = held["a"] * 3
    held["seen"].register_hook(ran.append)
    held["top"] = held["seen"] * 2
    leaf = held["hooked"] = graphlab.tensor(1.0, requires_grad=True)
    leaf.register_hook(ran.append)
    held["on_leaf"] = leaf * 2
    for code in ("own", "top", "on_leaf"):
        assert "runs your code" in ask(panel.walk(code, held))["said"]
        assert ask(panel.draw(code, "both", held))["document"] is not None
    assert ran == []


def test_a_graph_that_is_too_large_is_left_to_a_cell(
    held: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel, "LARGEST", 1)
    assert "has 2 nodes" in ask(panel.draw("e", "both", held))["said"]


def test_the_last_result_can_be_asked_for_without_a_name(held: dict[str, Any]) -> None:
    held["_"] = held["e"] * held["a"]
    assert ask(panel.look(held))["last"] == "_"
    assert ask(panel.walk("_", held))["document"]["title"]


def test_without_ipython_the_main_program_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    import __main__

    monkeypatch.setattr(panel.sys, "modules", {**panel.sys.modules, "IPython": None})
    monkeypatch.setattr(__main__, "lone", graphlab.tensor(1.0), raising=False)
    assert "lone" in [row["name"] for row in ask(panel.look())["rows"]]
