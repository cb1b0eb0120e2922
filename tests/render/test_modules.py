"""Graphs of real modules can be drawn in any view and to any depth."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

import graphlab
from graphlab import Tensor, nn
from graphlab.faces.render.collapse import HIGH, build_scenes_of
from graphlab.faces.render.scope_tree import scope_tree
from graphlab.graph.scene import View

VIEWS: tuple[View, ...] = ("both", "backward", "computation")


def lstm() -> Tensor:
    net = nn.LSTM(2, 3, batch_first=True)
    return net(graphlab.randn(1, 2, 2))[0].sum()


def two_ways() -> Tensor:
    net = nn.GRU(2, 2, batch_first=True, bidirectional=True)
    return net(graphlab.randn(1, 2, 2))[0].sum()


def attention() -> Tensor:
    net, x = nn.MultiheadAttention(4, 2, batch_first=True), graphlab.randn(1, 2, 4)
    return net(x, x, x)[0].sum()


def convolution() -> Tensor:
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten())
    return net(graphlab.randn(2, 1, 4, 4)).sum()


def words() -> Tensor:
    net = nn.Sequential(nn.Embedding(5, 2), nn.Linear(2, 1))
    return net(graphlab.tensor([[1, 2], [3, 4]])).sum()


MODULES = [lstm, two_ways, attention, convolution, words]


@pytest.mark.parametrize("depth", [1, 2, None])
@pytest.mark.parametrize("make", MODULES)
def test_a_module_is_drawn_in_every_view_down_to_every_depth(
    make: Callable[[], Tensor], depth: int | None
) -> None:
    result = make()
    for view in VIEWS:
        drawing = graphlab.draw(result, view=view, depth=depth)
        assert drawing.svg.startswith("<svg")


@pytest.mark.parametrize("make", MODULES)
def test_the_inside_of_every_scope_is_drawn_however_small(make: Callable[[], Tensor]) -> None:
    result = make()
    scopes = graphlab.draw(result).graph.scopes
    assert scopes
    for scope in scopes:
        inside = graphlab.draw(result, scope=scope.path)
        assert inside.scene.scope == scope.path
        assert any(group.kind in ("op", "scope") for group in inside.scene.groups)


def test_a_view_of_what_is_inside_a_card_is_said_to_be_one() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))
    made = net(graphlab.ones(2, 2))
    first = made[0]
    assert "view of made" in graphlab.draw(first.sum(), depth=1).svg


@pytest.mark.parametrize(
    ("turns", "listed"),
    [(3, False), (5, False), (10, False), (50, False), (3, True), (10, True), (20, True)],
)
def test_a_recurrent_network_is_at_most_three_windows_high_however_long(
    turns: int, listed: bool
) -> None:
    assert graphlab.draw(recurrent(turns, listed)).scene.height <= HIGH


@pytest.mark.parametrize(("turns", "cards"), [(5, 5), (12, 6)])
def test_the_overview_of_a_walk_has_the_turns_of_its_loop(turns: int, cards: int) -> None:
    overview = build_scenes_of(graphlab.draw(recurrent(turns, False)).graph, ("both",))[turns == 5]
    assert [group.kind for group in overview.groups].count("scope") == cards


def recurrent(turns: int, listed: bool) -> Tensor:
    cell, read = nn.GRUCell(3, 4), nn.Linear(4, 5)
    state, read_out, loss = graphlab.zeros(1, 4), [], 0.0
    for _ in range(turns):
        state = cell(graphlab.randn(1, 3), state)
        read_out.append(read(state))
        loss = loss + nn.functional.cross_entropy(read_out[-1], graphlab.tensor([0]))
    if listed:
        loss = nn.functional.cross_entropy(graphlab.cat(read_out), graphlab.arange(turns) % 5)
    return loss


def test_each_sample_of_a_network_of_numbers_is_a_card_with_its_neurons_inside() -> None:
    def neuron(xs: list[Tensor], weights: list[Tensor]) -> Tensor:
        return sum((w * x for w, x in zip(weights[1:], xs, strict=True)), weights[0]).tanh()

    sizes = (3, 4, 4, 1)
    layers = [
        [[graphlab.randn((), requires_grad=True) for _ in range(n + 1)] for _ in range(m)]
        for n, m in itertools.pairwise(sizes)
    ]
    loss = graphlab.tensor(0.0)
    for _ in range(4):
        values = [*graphlab.randn(3)]
        for layer in layers:
            values = [neuron(values, weights) for weights in layer]
        loss = loss + (values[0] - 1) ** 2
    root, *inner = scope_tree(graphlab.draw(loss).graph).walk()
    assert [part.label for part in root.parts] == [*(f"step {k}" for k in "4321"), "leaves 1–41"]
    assert all(
        len(part.parts) >= 9 for part in inner if part.label.startswith("step") and part.parts
    )
