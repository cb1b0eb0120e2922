"""`draw` takes a list of tensors, and shows what they share once.

Read next: tests/render/test_pictures.py
"""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

import graphlab

VIEWS = ("both", "computation", "backward")


@pytest.fixture(params=["graphlab", pytest.param("torch", marks=pytest.mark.torch)])
def lib(request: pytest.FixtureRequest) -> Any:
    """GraphLab, and PyTorch where it is installed."""
    if request.param == "torch":
        return pytest.importorskip("torch")
    return importlib.import_module(request.param)


def made(lib: Any) -> tuple[Any, Any]:
    """Two results that share one operation."""
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    return h.sum(), h.exp()


@pytest.mark.parametrize("view", VIEWS)
def test_several_roots_stand_in_one_picture(lib: Any, view: Any) -> None:
    total, powers = made(lib)
    drawing = graphlab.draw([total, powers], view)
    names = [node.name for node in drawing.graph.nodes]
    assert sorted(names) == sorted(
        ["SumBackward0", "ExpBackward0", "MulBackward0", "AccumulateGrad"]
    )
    for text in (drawing.svg, drawing.dot, drawing.mermaid):
        for node in ("Sum", "Exp", "Mul"):
            assert len(re.findall(f">{node}Backward0<|{node}Backward0", text)) >= 1
    lines = drawing.text.splitlines()
    assert [line.split(" = ")[0] for line in lines if line[0].isalpha()] == ["total", "powers"]
    assert drawing.text.count("(see above)") == 1


def test_a_root_that_another_is_made_of_is_drawn_once(lib: Any) -> None:
    x = lib.tensor(2.0, requires_grad=True)
    h = x * 3
    y = h.exp()
    drawing = graphlab.draw((y, h, y))
    assert drawing.text == graphlab.draw(y).text
    assert drawing.graph == graphlab.draw(y).graph


@pytest.mark.parametrize("view", VIEWS)
def test_a_leaf_that_no_operation_uses_is_drawn_beside_a_result(lib: Any, view: Any) -> None:
    w, b = (lib.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    y = w * 2
    for drawing in (graphlab.draw([w, b], view), graphlab.draw([y, b], view)):
        assert ">b</text>" in drawing.svg
        assert "b = 3.0  leaf" in drawing.text.splitlines()
        assert '"b' in drawing.dot
        assert '"b' in drawing.mermaid


@pytest.mark.torch
def test_tensors_of_two_libraries_are_drawn_apart() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="tensors of one library, got PyTorch's and GraphLab's"):
        graphlab.draw([made(torch)[0], made(graphlab)[0]])
