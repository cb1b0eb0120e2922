"""A view's base is copied: from the tensor, or where nobody holds it from how it was made."""

import graphlab
from graphlab.graph.model import Graph


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
