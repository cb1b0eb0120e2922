"""The modules that are guessed for a graph that nobody recorded.

Read next: tests/pytorch_graphs/test_recording.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.faces.render.scope_tree import scope_tree
from graphlab.graph.timeline import Timeline

pytestmark = pytest.mark.torch


def blocks(torch, count=4, residual=True):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.down = nn.Linear(4, 8), nn.Linear(8, 4)

        def forward(self, x):
            h = self.down(self.up(x).relu())
            return x + h if residual else h

    return nn.Sequential(*[Block() for _ in range(count)])


def scopes_of(loss):
    return {node.name: node.scope for node in graphlab.draw(loss).graph.nodes}


def test_a_node_belongs_to_the_module_of_its_parameter_or_to_what_holds_both_sides(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    loss = net(torch.ones(2, 3)).sum()
    graph = graphlab.draw(loss).graph
    found = [(node.name, node.scope) for node in graph.nodes if node.variable is None]
    assert found == [
        ("SumBackward0", ""),
        ("AddmmBackward0", "net.2"),
        ("TBackward0", "net.2"),
        ("ReluBackward0", "net"),
        ("AddmmBackward0", "net.0"),
        ("TBackward0", "net.0"),
    ]
    assert [(one.path, one.kind, one.guessed) for one in graph.scopes] == [
        ("net", "Sequential", True), ("net.2", "Linear", True), ("net.0", "Linear", True),
    ]  # fmt: skip


@pytest.mark.parametrize("residual", [True, False])
def test_a_guess_can_be_collapsed_and_read_again(torch, residual):
    net = blocks(torch, 30, residual)
    loss = net(torch.ones(2, 4)).square().mean()
    timeline = graphlab.trace(loss)
    tree = scope_tree(timeline.graph)
    assert {"net.0", "net.7", "net.29"} <= {part.path for part in tree.walk()}
    assert len(Timeline.from_json(timeline.to_json())) == len(timeline)
    assert all(scope.guessed for scope in Timeline.from_json(timeline.to_json()).graph.scopes)


def test_a_guessed_card_is_drawn_dashed_and_a_recorded_one_is_not(torch):
    net = blocks(torch, 30)
    loss = net(torch.ones(2, 4)).sum()
    assert "stroke-dasharray" in graphlab.draw(loss, depth=1).svg
    with graphlab.record() as timeline:
        net(torch.ones(2, 4)).sum().backward()
    assert not any(scope.guessed for scope in timeline.graph.scopes)


def test_guessed_and_recorded_modules_agree_on_all_nodes_that_take_a_parameter(torch):
    net = blocks(torch, 3)
    x = torch.ones(2, 4)
    loss = net(x).sum()
    guessed = [n.scope for n in graphlab.draw(loss).graph.nodes if n.name == "AddmmBackward0"]
    with graphlab.record() as timeline:
        net(x).sum().backward()
    seen = [n.scope for n in timeline.graph.nodes if n.name == "AddmmBackward0"]
    assert guessed == seen


def test_modules_that_share_a_weight_and_modules_that_are_used_twice_make_no_cycle(torch):
    nn = torch.nn
    one, two = nn.Linear(4, 4), nn.Linear(4, 4)
    two.weight = one.weight
    x = torch.ones(2, 4)
    for _ in range(40):
        x = one(two(one(x)).relu())
    loss = x.sum()
    assert graphlab.draw(loss).svg.startswith("<svg")
    assert graphlab.trace(loss)[-1].kind == "Finished"


def residual_list(torch, count=2):
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Embedding(4, 4)
            self.h = nn.ModuleList([nn.Linear(4, 4) for _ in range(count)])
            self.norms = nn.ModuleList([nn.LayerNorm(4) for _ in range(count)])
            self.last = nn.Linear(4, 4, bias=False)
            self.last.weight = self.first.weight

        def forward(self, x):
            x = self.first(x)
            for layer, norm in zip(self.h, self.norms, strict=True):
                x = norm(x + layer(x))
            return self.last(x)

    return Net()


@pytest.mark.parametrize("recorded", [True, False])
def test_lists_that_run_in_turn_are_opened_and_their_modules_are_cards(torch, recorded):
    m = residual_list(torch, 30)
    with graphlab.record() as timeline:
        loss = m(torch.tensor([0, 3])).sum()
        loss.backward(retain_graph=True)
    graph = timeline.graph if recorded else graphlab.draw(loss).graph
    parts = {part.path: part for part in scope_tree(graph).walk()}
    assert {f"m.{name}.{k}" for name in ("h", "norms") for k in range(30)} <= parts.keys()
    assert all(parts[f"m.h.{k}"].size == 4 for k in range(30))  # addmm, t, weight and bias


def test_a_weight_that_two_modules_share_makes_neither_of_them_own_what_is_between(torch):
    m = residual_list(torch)
    found = [node.scope for node in graphlab.draw(m(torch.tensor([0, 3])).sum()).graph.nodes]
    assert "m.first" not in found
    assert "m.last" not in found
    assert {"m.h.0", "m.h.1", "m.norms.0", "m.norms.1"} <= set(found)


def test_a_graph_without_modules_has_no_scopes(torch):
    w = torch.ones(3, requires_grad=True)
    assert graphlab.draw((w * w).sum()).graph.scopes == ()
