"""Programs that change tensors in every way, between passes and within them: what is told is so.

Beside the recording somebody else looks: whenever a node is entered, at what it holds right then.

Read next: tests/adapters/test_recording_values.py
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import graphlab
from graphlab.adapters.native import facts
from graphlab.autograd.node import Pinned
from graphlab.autograd.views import CopySlices
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import summarise
from graphlab.tensor.tensor import Tensor

Held = list[tuple[str, list[str]]]  # names of nodes, and what they hold
PROGRAMS = 150
OPERATIONS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x * y,
    lambda x, y: x + y,
    lambda x, y: (x * x).exp(),
    lambda x, _: x.sin(),
    lambda x, y: x / (y * y + 1),
    lambda x, _: x.relu(),
    lambda x, y: x.sum() * y,
    lambda x, y: (x - y) ** 2,
]


def written(tensor: Any, chance: random.Random) -> None:
    """Change a result in place, in one of several ways."""
    way = chance.randrange(5)
    if way == 0:
        tensor.mul_(1.5)
    elif way == 1:
        tensor[0] = 2.0
    elif way == 2:
        tensor[1:].add_(1)
    elif way == 3:
        with graphlab.no_grad():
            tensor.add_(0.5)
    else:
        tensor.add_(1)


def between(leaves: list[Any], optimizer: Any, chance: random.Random) -> None:
    """What a program may do between two passes."""
    w, _, c = leaves
    way = chance.randrange(6)
    if way == 0:
        optimizer.step()
    elif way == 1:
        optimizer.zero_grad()
    elif way == 2:
        w.grad = None
    elif way == 3:
        c.detach().numpy()[0] += 1
    elif way == 4:
        w.data.mul_(0.9)
    else:
        c.mul_(2.0)


def program(chance: random.Random) -> tuple[Timeline, list[Any]]:
    """Some passes over random graphs, one of which may be walked again."""
    w, v = (graphlab.tensor(x, requires_grad=True) for x in ([1.0, 2.0], [0.5, -1.0]))
    leaves = [w, v, graphlab.tensor([3.0, 1.0])]
    optimizer, kept = graphlab.optim.SGD([w, v], lr=0.01), None
    with graphlab.record() as timeline:
        for _ in range(chance.randint(1, 4)):
            made = [*leaves]
            for _ in range(chance.randint(1, 6)):
                result = chance.choice(OPERATIONS)(chance.choice(made), chance.choice(made))
                if chance.random() < 0.3 and result.requires_grad:
                    written(result, chance)
                made.append(result)
            root = sum((one * one).sum() for one in made[-2:])
            keep = chance.random() < 0.3
            with suppress(RuntimeError):  # what a node had saved was changed
                root.backward(retain_graph=keep)
            if kept is not None and chance.random() < 0.7:
                with suppress(RuntimeError):
                    kept.backward(retain_graph=True)
            kept = root if keep and root.requires_grad else kept
            between(leaves, optimizer, chance)
    return timeline, leaves


def told(timeline: Timeline) -> Held:
    """What the timeline says that nodes took out."""
    found: Held = []
    for event in timeline:
        if event.kind == "NodeEntered":
            found.append((event.name, []))
        elif event.kind == "SavedUnpacked":
            found[-1][1].append(event.text)
    return [pair for pair in found if "CopySlices" not in pair[0]]


def texts_of(node: Any) -> list[str]:
    """What a node holds right now."""
    items = [x.tensor if isinstance(x, Pinned) else x for x in node._saved or () if x is not None]
    return [summarise(x._data if isinstance(x, Tensor) else x).text for x in items]


@pytest.mark.parametrize("seed", range(3))
def test_nodes_take_out_what_they_hold_and_leaves_end_as_they_are(seed, monkeypatch):
    seen: Held = []
    entered = facts.Watch.entered

    def looked_at(self: Any, node: Any, grad: Any) -> None:
        if not isinstance(node, CopySlices):
            seen.append((node.name(), texts_of(node)))
        entered(self, node, grad)

    monkeypatch.setattr(facts.Watch, "entered", looked_at)
    for number in range(PROGRAMS // 3):
        seen.clear()
        timeline, leaves = program(random.Random(1000 * seed + number))
        assert told(timeline) == seen, (seed, number)
        check_leaves(timeline, dict(zip("wv", leaves, strict=False)), (seed, number))


def check_leaves(timeline: Timeline, leaves: dict[str, Any], which: Any) -> None:
    """Values and gradients of the leaves, as the last state has them."""
    state = timeline.state_at(-1) if len(timeline) else {}
    for tensor in timeline.graph.tensors:
        leaf = leaves.get(tensor.name or "") if tensor.is_leaf else None
        if leaf is None:
            continue
        value = state.get("values", {}).get(tensor.id, {"text": tensor.value and tensor.value.text})
        assert value["text"] == summarise(leaf._data).text, which
        held = state.get("leaves", {}).get(tensor.id)
        grad = None if leaf.grad is None else summarise(leaf.grad._data).text
        assert (held and held["after"]["text"]) == grad, which
