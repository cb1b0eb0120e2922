"""Edits from Python: what a stepper takes, and what it refuses at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from traitlets import TraitError

import graphlab
from graphlab.faces.widgets.kernel_values import checked_edits, editable_leaves
from graphlab.faces.widgets.stepper import Stepper


@pytest.fixture
def stepper() -> Stepper:
    d = graphlab.tensor(10.0, requires_grad=True)
    w = graphlab.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    rows = graphlab.tensor([0, 1])
    return Stepper(graphlab.trace((w[rows] * d.log()).sum()))


def test_nothing_is_edited_at_first(stepper: Stepper) -> None:
    assert stepper.edits == {}


def test_numbers_lists_arrays_and_tensors_become_nested_lists(stepper: Stepper) -> None:
    stepper.edits = {"d": -1}
    assert stepper.edits == {"d": -1.0}
    for w in ([[1, 2], [3, 5]], np.array([[1, 2], [3, 5]]), graphlab.tensor([[1.0, 2], [3, 5]])):
        stepper.edits = {"w": w, "d": np.float32(0.5)}
        assert stepper.edits == {"w": [[1.0, 2.0], [3.0, 5.0]], "d": 0.5}


def test_reset_edits_empties_them_and_observers_hear_it(stepper: Stepper) -> None:
    heard: list[Any] = []
    stepper.observe(lambda change: heard.append(change["new"]), "edits")
    stepper.edits = {"d": 2.0}
    stepper.reset_edits()
    assert heard == [{"d": 2.0}, {}]


def test_no_tensor_changes() -> None:
    d = graphlab.tensor(10.0, requires_grad=True)
    stepper = Stepper(graphlab.trace(d.log()), edits={"d": 5.0})
    assert stepper.edits == {"d": 5.0}
    assert d.item() == 10.0


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"nobody": 1.0}, r"no floating-point leaf is called 'nobody' .*\['d', 'w'\]"),
        ({"rows": [1, 0]}, "no floating-point leaf is called 'rows'"),
        ({3: 1.0}, "no floating-point leaf is called 3"),
        ({"d": "2.0"}, r"d takes numbers of shape \(\), got '2.0'"),
        ({"d": None}, "d takes numbers"),
        ({"d": True}, "d takes numbers"),
        ({"d": [1.0, 2.0]}, r"d has shape \(\), got an array of shape \(2,\)"),
        ({"w": 1.0}, r"w has shape \(2, 2\), got an array of shape \(\)"),
        ({"w": [[1.0], [2.0, 3.0]]}, r"w takes numbers of shape \(2, 2\)"),
        ({"d": float("nan")}, "d takes finite numbers that float32 can hold, got nan"),
        ({"d": 1e39}, "d takes finite numbers that float32 can hold"),
        ({"d": 1e400}, "d takes finite numbers"),
    ],
)
def test_what_no_leaf_can_take_is_refused_at_once_and_the_old_edits_stay(
    stepper: Stepper, wrong: Any, sentence: str
) -> None:
    stepper.edits = {"d": 7.0}
    with pytest.raises(TraitError, match=sentence):
        stepper.edits = wrong
    assert stepper.edits == {"d": 7.0}


def test_leaves_of_one_name_are_told_apart() -> None:
    def leaf() -> Any:
        x = graphlab.tensor(1.0, requires_grad=True)
        return x

    stepper = Stepper(graphlab.trace(leaf() * leaf()))
    first, second = (t for t in stepper.timeline.graph.tensors if t.is_leaf)
    assert first.name != second.name
    stepper.edits = {second.label: 3.0}
    assert stepper.edits == {second.label: 3.0}


def test_a_leaf_without_a_name_is_known_by_its_id(stepper: Stepper) -> None:
    graph = stepper.timeline.graph
    nameless = replace(graph, tensors=tuple(replace(t, name=None) for t in graph.tensors))
    leaves = editable_leaves(nameless)
    assert list(leaves) == [tensor.id for tensor in leaves.values()]
    scalar = next(id for id, leaf in leaves.items() if leaf.value and not leaf.value.shape)
    assert checked_edits(nameless, {scalar: 2}) == {scalar: 2.0}
