"""The sentence about a leaf's gradient says what matters: entries, or norm, range and zeros.

Read next: tests/graph/test_changes.py
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import graphlab
from graphlab.graph.events.event import told
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import summarise


def said(array):
    spans = told(summarise(array), "after")
    return "".join(span if isinstance(span, str) else span[1] for span in spans).strip()


LARGE = np.zeros((30, 40))
LARGE[0, :3] = [3.0, -4.0, 12.0]


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (2.5, "is 2.5"),
        (np.array([1.0, 2.0]), "is [1.0, 2.0]"),
        (np.array([[1.0, -2.0, 0.5, 4.0]]), "is [[1.0, -2.0, 0.5, 4.0]]"),
        (np.ones((3, 2)), "is [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]"),
        (np.zeros((3, 4)), "is 0 in all 12 entries"),
        (
            LARGE,
            "has shape (30, 40), norm 13 and entries from -4 to 12, 1,197 of them 0",
        ),
        (np.full((3, 3), 2.0), "is 2 in all 9 entries"),
        (
            np.array([[np.nan] * 4, [np.inf] * 4]),
            "has shape (2, 4): NaN in 4 of 8 entries and infinity in 4 of 8 entries",
        ),
        (np.zeros((0, 3)), "is (0, 3) float64"),
    ],
)
def test_a_gradient_is_told_by_what_matters_about_it(array, sentence):
    assert said(array) == sentence


def test_the_norm_is_that_of_all_entries():
    entries = np.random.default_rng(0).normal(3, 1, (40, 50))
    assert f"norm {np.linalg.norm(entries):.3g} " in said(entries)


def test_a_leaf_that_held_a_gradient_is_told_what_it_holds_now():
    x = graphlab.ones(3, 4, requires_grad=True)
    (x * x).sum().backward()
    (written,) = [e for e in graphlab.trace((x * 3).sum()) if e.kind == "LeafWritten"]
    assert written.sentence.endswith("is added to x.grad, which now is 5 in all 12 entries.")


def test_a_trace_that_travelled_says_the_same():
    w = graphlab.ones(5, 4, requires_grad=True)
    timeline = graphlab.trace((w * w).sum())
    again = Timeline.from_json(timeline.to_json())
    assert [one.sentence for one in again] == [one.sentence for one in timeline]


def test_a_trace_with_statistics_that_are_no_numbers_tells_the_shape():
    value = summarise(np.arange(12.0).reshape(3, 4))
    damaged = replace(value, statistics=replace(value.statistics, mean="a lot"))
    assert told(damaged, "after") == (" has shape ", ("gradient", "(3, 4)"))
