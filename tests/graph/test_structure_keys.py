"""What is the same thing in two graphs of one program."""

from __future__ import annotations

from typing import Any

import pytest

import graphlab as torch
from graphlab.graph.structure_keys import (
    difference,
    keys_of,
    listed,
    same_event,
    told_difference,
)
from graphlab.graph.timeline import Timeline


def walked(a: float, n: int) -> Timeline:
    x, k = torch.tensor(a, requires_grad=True), torch.tensor(4.0)
    y = x * k
    if a > 0:
        y = torch.log(y)
    for _ in range(n):
        y = (y + x) * 2
    return torch.trace(y + y)


def test_no_two_things_of_a_graph_have_the_same_key() -> None:
    graph = walked(2.0, 3).graph
    keys = keys_of(graph)
    assert set(keys) == {one.id for one in (*graph.nodes, *graph.tensors)}
    assert len(set(keys.values())) == len(keys)


def test_values_leave_the_keys_as_they_are() -> None:
    one, other = walked(2.0, 3).graph, walked(7.5, 3).graph
    assert keys_of(one) == keys_of(other)
    assert difference(one, other) == ([], [])


def test_a_branch_and_a_round_come_and_go() -> None:
    went, came = difference(walked(2.0, 1).graph, walked(-2.0, 2).graph)
    assert [node.name for node in went] == ["LogBackward0"]
    assert [node.name for node in came] == ["AddBackward0", "MulBackward0"]
    line = walked.__code__.co_firstlineno
    assert told_difference(went, came) == (
        f"LogBackward0 of line {line + 4} is gone; AddBackward0 of line {line + 6} and "
        f"MulBackward0 of line {line + 6} are new."
    )
    assert told_difference([], []) == ""


def test_many_operations_are_counted_and_cut_short() -> None:
    graph = walked(2.0, 5).graph
    operations = [node for node in graph.nodes if node.variable is None]
    assert listed(operations).count("×") == 2
    assert listed(operations).endswith(" and 2 more")


@pytest.mark.parametrize("place", [0.0, 0.3, 0.7, 1.0])
def test_an_event_is_found_again_in_a_larger_graph(place: float) -> None:
    small, large = walked(2.0, 1), walked(2.0, 4)
    k = round(place * (len(small) - 1))
    to = same_event(small.events, keys_of(small.graph), k, large.events, keys_of(large.graph))
    back = same_event(large.events, keys_of(large.graph), to, small.events, keys_of(small.graph))
    assert large[to].kind == small[back].kind
    assert back <= k


def test_an_event_of_another_graph_altogether_leads_to_the_start() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    other: Any = torch.trace(torch.exp(x))
    small = walked(2.0, 1)
    k = next(k for k, event in enumerate(small) if event.kind == "RuleApplied")
    to = same_event(small.events, keys_of(small.graph), k, other.events, keys_of(other.graph))
    assert other[to].kind in ("Seeded", "Readied")
