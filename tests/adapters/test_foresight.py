"""Which values of a function a page may follow before the function has run at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphlab as torch
from graphlab.graph.replaying import ReplayError, replay_of
from graphlab.nn import functional as F

W = torch.tensor([1.0, -2.0, 3.0])
NET = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))


def without_history(x: Any) -> Any:
    with torch.no_grad():
        s = x * 2
    return s * x


def steps(x: Any) -> Any:
    y = x * 1
    for _ in range(int(x)):
        y = y * x
    return y


FOLLOWED: dict[str, Callable[[Any], Any]] = {
    "formula": lambda x: x * 2 + torch.log(x + 10) * torch.sin(x),
    "network": lambda x: NET(W * x).sum(),
    "kinks": lambda x: F.relu(W * x).sum() * x.clamp(-1, 1),
    "mask": lambda x: torch.where(W * x > 1, W, x).sum(),
    "count": lambda x: ((W * x) > 2).sum() * x,
    "branch": lambda x: torch.sin(x) if x > 0 else -x,
    "hidden branch": lambda x: torch.sin(x) if torch.tanh(x * 2) > 0.5 else -x,
    "largest of two": lambda x: max(torch.sin(x), 0.5) * x,
    "indexed": lambda x: (W * x)[[0, 2]].sum(),
    "dropout": lambda x: F.dropout(W * x, training=True).sum(),
    "in place": lambda x: (W * x).add_(x).sum(),
}
ASKED: dict[str, Callable[[Any], Any]] = {
    "item": lambda x: torch.sin(x) if x.item() > 0 else -x,
    "float": lambda x: x * float(x),
    "numpy": lambda x: x * np.tanh(x.detach().numpy()),
    "loop": steps,
    "no_grad": without_history,
    "data": lambda x: x * x.data,
    "detached": lambda x: x * (x.detach() * 2),
    "copied": lambda x: torch.tensor([x, 1.0]).sum() * x,
    "place of the largest": lambda x: (W * x)[(W * x).argmax()],
    "sorted": lambda x: (W * x)[(W * x).sort().indices][0],
    "whole": lambda x: x * x.long(),
    "drawn": lambda x: torch.bernoulli(torch.sigmoid(x)) * x,
    "gradient": lambda x: x * torch.autograd.grad(x * x, x)[0],
}
VALUES = (1.5, 1.7, 2.5, 0.2, -1.0, 3.0)


@pytest.mark.filterwarnings("ignore:Converting a tensor", "ignore:To copy construct")
@pytest.mark.parametrize("name", [*FOLLOWED, *ASKED])
def test_what_is_followed_is_what_the_function_gives(name: str) -> None:
    explorer = torch.explore(FOLLOWED.get(name) or ASKED[name], x=1.6)
    followed = 0
    for value in VALUES:
        before, sure = explorer.timeline, explorer.player.told.get("sure", {})
        explorer.values = {"x": value}
        if not sure:
            continue
        (leaf,) = sure
        try:
            there = replay_of(before, {leaf: np.float32(value)})
        except ReplayError:
            continue  # the page leaves it to the kernel, too
        followed += 1
        now = explorer.timeline.graph
        assert there.tensors[now.root] == pytest.approx(explorer.result.item(), rel=1e-5)
    assert bool(followed) == (name in FOLLOWED)


def test_the_first_change_of_each_value_is_left_to_the_function() -> None:
    explorer = torch.explore(lambda a, b: a * b, a=1.0, b=2.0)

    def followed() -> set[str]:
        names = {one.id: one.name for one in explorer.timeline.graph.tensors}
        return {names[leaf] for leaf in explorer.player.told.get("sure", {})}

    assert followed() == set()
    explorer.values = {"a": 1.5}
    assert followed() == {"a"}
    explorer.values = {"b": 2.5}
    assert followed() == {"a", "b"}


def test_each_slider_is_named_by_its_leaf_and_its_entry() -> None:
    explorer = torch.explore(lambda w: (w * w).sum(), w=[1.0, 2.0])
    explorer.values = {"w": [1.0, 3.0]}
    (sliders,) = explorer.player.told["sure"].values()
    names = {one.model_id: one.description for one in explorer.children[0].children}
    assert {entry: names[model] for entry, model in sliders.items()} == {"0": "w[0]", "1": "w[1]"}


def test_another_graph_and_an_error_end_what_is_known() -> None:
    def f(x: Any, n: int) -> Any:
        if n > 2:
            raise ValueError("too many")
        return sum((x**k for k in range(1, n + 1)), x)

    explorer = torch.explore(f, x=2.0, n=1)
    explorer.values = {"x": 3.0}
    assert explorer.player.told["sure"]
    explorer.values = {"n": 2}
    assert not explorer.player.told["sure"]
    explorer.values = {"n": 3}
    assert explorer.player.told == {"stopped": 1}
    explorer.values = {"n": 4}
    assert explorer.player.told == {"stopped": 2}  # each is news, with the same sentence


def test_a_function_that_a_profiler_watches_is_left_to_the_kernel() -> None:
    import sys

    sys.setprofile(lambda *_: None)
    try:
        explorer = torch.explore(lambda x: x * x, x=1.0)
        explorer.values = {"x": 2.0}
        explorer.values = {"x": 3.0}
    finally:
        sys.setprofile(None)
    assert not explorer.player.told["sure"]
