"""A list of modules that run in turn with other operations is opened; its modules stay cards."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import graphlab
from graphlab import Tensor, nn
from graphlab.faces.render.collapse import part_at
from graphlab.faces.render.drawing import Drawing
from graphlab.faces.render.scope_order import all_nodes
from graphlab.faces.render.scope_tree import ScopeTree, scope_tree
from graphlab.faces.render.timeline_steps import graph_at
from graphlab.graph.model import Graph, ScopeInfo
from tests.graph.builder import random_graph


class Residual(nn.Module):
    def __init__(self, count: int = 2) -> None:
        super().__init__()
        self.h = nn.ModuleList([nn.Linear(3, 3) for _ in range(count)])

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.h:
            x = x + layer(x)
        return x


class Flow(nn.Module):
    """Two lists of modules that run in turn, as in RealNVP."""

    def __init__(self) -> None:
        super().__init__()
        self.s = nn.ModuleList([self.net() for _ in range(3)])
        self.t = nn.ModuleList([self.net() for _ in range(3)])

    @staticmethod
    def net() -> nn.Module:
        return nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3))

    def forward(self, x: Tensor) -> Tensor:
        for s, t in zip(self.s, self.t, strict=True):
            x = x * s(x).exp() + t(x)
        return x


class Twice(nn.Module):
    """A module that is called as a whole, between two calls of a part of it."""

    def __init__(self) -> None:
        super().__init__()
        self.seq = Flow.net()

    def forward(self, x: Tensor) -> Tensor:
        return self.seq[0](self.seq(self.seq[0](x).relu()))


def cards(drawing: Drawing) -> list[str]:
    return [one.id[1:] for scene in drawing.scenes for one in scene.groups if one.kind == "scope"]


def loss_of(net: nn.Module) -> Tensor:
    return net(graphlab.ones(2, 3)).sum()


def test_the_modules_of_a_residual_list_are_cards_and_can_be_drawn():
    m = Residual()
    loss = loss_of(m)
    assert cards(graphlab.draw(loss, depth=1)) == ["m"]
    assert sorted(cards(graphlab.draw(loss, depth=2))) == ["m.h.0", "m.h.1"]
    assert graphlab.draw(loss, scope="m.h.0").scenes[0].scope == "m.h.0"
    assert "AddmmBackward0" in graphlab.draw(loss, scope="m.h.0").text


def test_a_list_that_is_asked_for_is_drawn_with_what_lies_between_its_modules():
    m = Residual()
    text = graphlab.draw(loss_of(m), scope="m.h").text
    assert "AddBackward0" in text
    assert "0 (Linear, 4 nodes)" in text
    assert "1 (Linear, 4 nodes)" in text


def test_a_large_residual_net_is_collapsed_to_its_modules_in_a_trace_and_a_recording():
    m = Residual(40)
    loss = loss_of(m)
    tree = scope_tree(graphlab.trace(loss).graph)
    assert {f"m.h.{k}" for k in range(40)} <= {part.path for part in tree.walk()}
    with graphlab.record() as timeline:
        for _ in range(2):
            loss_of(m).backward()
    tree = scope_tree(graph_at(timeline, len(timeline) - 1))
    assert {f"m.h.{k}" for k in range(40)} <= {part.path for part in tree.walk()}


def test_lists_that_run_in_turn_are_both_opened():
    m = Flow()
    loss = loss_of(m)
    found = {f"m.{name}.{k}" for name in "st" for k in range(3)}
    assert found <= set(cards(graphlab.draw(loss, depth=1)) + cards(graphlab.draw(loss, depth=2)))
    assert {"m.s", "m.t"}.isdisjoint(
        part.path for part in scope_tree(graphlab.draw(loss).graph).walk()
    )


def test_a_part_that_is_called_outside_of_the_whole_is_a_scope_of_its_own():
    m = Twice()
    graph = graphlab.draw(loss_of(m)).graph
    paths = [scope.path for scope in graph.scopes]
    assert paths == ["m", "m.seq[0]", "m.seq", "m.seq.0", "m.seq.1", "m.seq.2", "m.seq[0] 2"]
    assert "m.seq" in {part.path for part in scope_tree(graph).walk()}


@pytest.mark.parametrize("name", ["m.h", "m.h.0", "m.h.1", "m"])
@pytest.mark.parametrize("view", ["both", "backward", "computation"])
def test_every_scope_of_a_residual_net_can_be_drawn_in_every_view(name, view):
    m = Residual()
    assert graphlab.draw(loss_of(m), view=view, scope=name).svg.startswith("<svg")


# -- any scopes --------------------------------------------------------------------------------


def assert_consecutive(graph: Graph, tree: ScopeTree) -> None:
    order = [node.id for node in all_nodes(tree.root)]
    place = {id: k for k, id in enumerate(order)}
    assert len(order) == len(place) == len(graph.nodes)
    for edge in graph.edges:
        if graph.node(edge.target).variable is None:
            assert place[edge.source] < place[edge.target]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.lists(st.sampled_from(["", "a", "a.0", "a.1", "a.1.x", "b", "b.0", "c.0.y"]), min_size=1),
    st.sampled_from([None, "a", "a.1", "b", "c.0"]),
    st.booleans(),
)
def test_whatever_the_scopes_no_card_makes_a_circle(seed, paths, keep, called):
    graph = random_graph(seed, 40)
    nodes = tuple(replace(node, scope=paths[k % len(paths)]) for k, node in enumerate(graph.nodes))
    scopes = tuple(map(ScopeInfo, dict.fromkeys(filter(None, paths)))) if called else ()
    graph = replace(graph, nodes=nodes, scopes=scopes)
    assert_consecutive(graph, scope_tree(graph, keep=keep))
    held = [node.scope for node in graph.nodes if node.variable is None]
    if keep and any(f"{path}.".startswith(f"{keep}.") for path in held):
        assert part_at(graph, scope=keep)[1].path == keep


@pytest.mark.parametrize("cell", [nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 3), nn.Tanh())])
def test_a_depth_means_the_same_level_for_small_and_for_large_modules(cell: nn.Module):
    net = nn.Sequential(cell, cell)
    loss = loss_of(net)
    assert cards(graphlab.draw(loss, depth=1)) == ["net"]
    assert len(cards(graphlab.draw(loss, depth=2))) == 2
