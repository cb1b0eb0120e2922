"""Graphs of real modules can be drawn in any view and to any depth."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import graphlab
from graphlab import Tensor, nn
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
