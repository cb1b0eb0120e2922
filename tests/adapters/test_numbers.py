"""Nodes are numbered from the first one of their picture, whatever the process has done before.

Read next: tests/adapters/test_recording.py
"""

from __future__ import annotations

from typing import Any

import graphlab
from graphlab.graph.model import Graph


def numbers(graph: Graph) -> list[int]:
    return [node.sequence for node in graph.nodes if node.variable is None]


def used(count: int) -> Any:
    """A leaf, after a process has made other nodes."""
    x = graphlab.tensor(2.0, requires_grad=True)
    for _ in range(count):
        x * x
    return x


def test_a_recording_counts_its_own_nodes():
    x = used(30)
    with graphlab.record() as timeline:
        for _ in range(2):
            loss = (x * x).exp()
            loss.backward()
    assert numbers(timeline.graph) == [3, 2, 1, 0]


def test_a_rehearsal_and_a_drawing_count_alike():
    y = used(30).exp()
    z = y * used(10)
    assert numbers(graphlab.trace(z).graph) == [1, 0]
    svg = graphlab.draw(z, view="backward").svg
    assert ">made 2nd<" in svg
    assert ">made 1st<" in svg


def test_nodes_that_were_given_the_same_number_have_the_same_place():
    y, z = used(3).exp(), used(3).exp()
    z.grad_fn._set_sequence_nr(y.grad_fn._sequence_nr())
    assert numbers(graphlab.draw(y + z).graph) == [1, 0, 0]


def test_a_node_that_was_given_a_higher_number_than_its_users_still_runs_after_them():
    x = used(3)
    y = x * x
    z = y.exp() + y.sin()
    y.grad_fn._set_sequence_nr(10**9)
    timeline = graphlab.trace(z)
    entered = [event.node for event in timeline if event.kind == "NodeEntered"]
    ran = [timeline.graph.node(node).name for node in entered]
    assert ran == ["AddBackward0", "SinBackward0", "ExpBackward0", "MulBackward0"]
    assert [row.verdict for row in graphlab.check(z)] == ["proved"]
