"""A view's base is copied: from the tensor, or where nobody holds it from how it was made."""

from collections.abc import Callable
from typing import Any

import pytest

import graphlab
from graphlab.graph.model import Graph
from tests.functions import Square


def bases(graph: Graph) -> dict[str, str]:
    return {
        tensor.label: graph.tensor(tensor.base).label
        for tensor in graph.tensors
        if tensor.base is not None
    }


def test_views_of_a_leaf_name_it_also_a_view_of_a_view():
    x = graphlab.ones(2, 3, requires_grad=True)
    row = x[0]
    entry = row[1]
    y = entry * 2
    assert bases(graphlab.draw(y).graph) == {"row": "x", "entry": "x"}


def test_a_view_that_no_variable_holds_has_a_base_too():
    x = graphlab.ones(2, 3, requires_grad=True)
    y = x.T.sum()
    assert bases(graphlab.draw(y).graph) == {"x.T": "x"}


def test_a_base_that_is_not_in_the_picture_is_what_the_view_was_made_from():
    x = graphlab.arange(6.0).reshape(2, 3).requires_grad_()  # x is a view itself
    row = x[0]
    y = row.sum()
    assert bases(graphlab.draw(y).graph) == {"row": "x"}


def test_a_result_with_memory_of_its_own_has_no_base():
    x = graphlab.ones(2, 3, requires_grad=True)
    y = (x * 2)[0].clone().sum()
    assert set(bases(graphlab.draw(y).graph).values()) == {"x * 2"}


@pytest.mark.parametrize(
    "use",
    [
        lambda x, row: row.exp(),
        lambda x, row: row * 1.5,
        lambda x, row: x - row,
        lambda x, row: row.sum(),
        lambda x, row: graphlab.where(x > 2, x, row),
        lambda x, row: graphlab.stack([x[1], row]),
        lambda x, row: Square.apply(row),
    ],
    ids=["exp", "times a number", "minus", "sum", "where", "stack", "Function"],
)
def test_a_view_made_without_a_graph_is_a_constant(use: Callable[[Any, Any], Any]):
    x = graphlab.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    with graphlab.no_grad():
        row = x[0]
    y = use(x, row).sum()
    graph = graphlab.draw(y).graph
    (shown,) = (tensor for tensor in graph.tensors if tensor.name == "row")
    assert (shown.value.text, shown.requires_grad) == ("[1.0, 2.0]", False)
    assert row.requires_grad  # as in PyTorch, because x does
    y.backward(retain_graph=True)
    timeline = graphlab.trace(y)
    added = timeline.state_at(-1).get("leaves", {})
    assert len(added) == (0 if x.grad is None else 1)
    assert graphlab.formula(y) is not None


def test_a_view_of_a_base_that_was_detached_in_place_is_drawn():
    x = graphlab.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    column = x[:, 1:]
    x.detach_()
    x.relu_()
    y = (column**2).sum()
    assert {tensor.name for tensor in graphlab.draw(y).graph.tensors} >= {"x", "column"}
    assert graphlab.formula(y) == 20


def test_a_view_without_a_graph_whose_base_was_changed_since_is_drawn():
    h = graphlab.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True) * 1
    with graphlab.no_grad():
        row = h[0]
    y = (h * row).sum()
    h.mul_(2)  # `row.grad_fn` raises an error now
    names = {tensor.name for tensor in graphlab.draw(y).graph.tensors}
    assert "h * row" in names


def test_a_variable_that_pytorch_forbids_to_use_hinders_no_picture():
    x = graphlab.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    h = x * 1
    first, _ = h.unbind(0)
    h.mul_(2)
    with pytest.raises(RuntimeError, match="Output 0 of Unbind is a view"):
        first.grad_fn  # noqa: B018
    y = (x * x).sum()
    assert {tensor.name for tensor in graphlab.draw(y).graph.tensors} == {"x", "x * x", "y"}
    assert graphlab.check(y)["x"].verdict == "proved"
    with graphlab.record() as timeline:
        y.backward()
    assert timeline.title == "y"


def test_each_use_of_a_number_is_a_constant_and_a_tensor_used_twice_is_one():
    """Python keeps equal numbers as one object or as several: that says nothing about the graph."""
    a, b = (graphlab.tensor(x, requires_grad=True) for x in (1.5, 2.5))
    two = graphlab.tensor(2.0)

    def constants(result: Any) -> int:
        return sum(not info.requires_grad for info in graphlab.trace(result).graph.tensors)

    assert constants(a * 2 + b * 2) == constants(a * 1000 + b * int("1000")) == 2
    assert constants(a * two + b * two) == 1
