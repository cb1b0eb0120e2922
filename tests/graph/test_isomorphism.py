"""Isomorphism of graphs: what it takes for the same graph, and what not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphlab
from graphlab.adapters.native.graph_copy import graph_of
from graphlab.graph import structure_keys as isomorphism
from graphlab.graph.model import Graph
from graphlab.graph.structure_keys import isomorphic


def built(steps: list[tuple[int, int, int]], swapped: list[bool]) -> graphlab.Tensor:
    """A formula of three leaves; `swapped` turns the inputs of its sums and products round."""
    known = [graphlab.tensor(float(k), requires_grad=True) for k in (1, 2, 3)]
    for (kind, left, right), turned in zip(steps, swapped, strict=True):
        x, y = known[left % len(known)], known[right % len(known)]
        if kind == 2:
            known.append(x - y)
        else:
            x, y = (y, x) if turned else (x, y)
            known.append(x + y if kind == 0 else x * y)
    return known[-1]


step = st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 30))


@given(st.lists(st.tuples(step, st.booleans()), min_size=1, max_size=12))
@settings(max_examples=150, deadline=None)
def test_the_order_of_a_sum_or_product_does_not_matter(parts):
    steps = [one for one, _ in parts]
    straight = graph_of(built(steps, [False] * len(steps)))
    assert isomorphic(straight, graph_of(built(steps, [turned for _, turned in parts])))


@given(st.lists(step, min_size=1, max_size=12), st.lists(step, min_size=1, max_size=12))
@settings(max_examples=150, deadline=None)
def test_it_agrees_with_a_search_through_everything(one, other):
    graphs = [graph_of(built(steps, [False] * len(steps))) for steps in (one, other)]
    # two formulas without sums and products that could be turned are the same if they read so
    if all(kind == 2 for kind, *_ in (*one, *other)):
        assert isomorphic(*graphs) == (read(graphs[0]) == read(graphs[1]))
    assert isomorphic(*graphs) == isomorphic(*reversed(graphs))


def read(graph: Graph) -> list[tuple[str, tuple[int, ...]]]:
    """The nodes in the order of a walk from the root, each with the numbers of its inputs."""
    makers = {id: node for node in graph.nodes for id in node.outputs}
    order = [graph.root]
    for id in order:
        for below in makers[id].inputs if id in makers else ():
            if below not in order:
                order.append(below)
    return [
        (makers[id].op, tuple(order.index(one) for one in makers[id].inputs))
        for id in order
        if id in makers
    ]


def test_what_is_shared_is_not_what_is_computed_twice():
    a = graphlab.tensor(2.0, requires_grad=True)
    shared = a.exp()
    assert not isomorphic(graph_of(shared * shared), graph_of(a.exp() * a.exp()))


def test_a_difference_keeps_its_order():
    a = graphlab.tensor(2.0, requires_grad=True)
    assert not isomorphic(graph_of(a.exp() - a), graph_of(a - a.exp()))


def test_a_cut_edge_is_seen():
    a = graphlab.tensor(2.0, requires_grad=True)
    assert not isomorphic(graph_of(a * a), graph_of(a * a.detach()))


def test_a_wide_symmetric_sum_is_compared():
    leaves = [graphlab.tensor(1.0, requires_grad=True) for _ in range(16)]

    def tree(parts):
        while len(parts) > 1:
            parts = [x + y for x, y in zip(parts[::2], parts[1::2], strict=True)]
        return parts[0]

    turned = [leaves[k] for k in np.random.default_rng(0).permutation(16)]
    assert isomorphic(graph_of(tree(leaves)), graph_of(tree(turned)))


def test_a_search_without_an_end_says_so(monkeypatch):
    monkeypatch.setattr(isomorphism, "MOST_GUESSES", 0)
    a = graphlab.tensor(2.0, requires_grad=True)
    with pytest.raises(ValueError, match="too symmetric"):
        isomorphic(graph_of(a * a), graph_of(a * a))
