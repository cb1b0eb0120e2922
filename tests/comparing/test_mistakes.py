"""The classic mistakes beside their solutions: what a student reads, as committed text.

Read next: graphlab/graph/comparing/finding.py
"""

from __future__ import annotations

import json

import pytest

from graphlab.faces.render.two_graphs import Comparison, document_of
from graphlab.graph.timeline import Timeline
from tests.comparing.mistakes import MISTAKES, walks_of
from tests.golden import Golden

CAUSES = {  # what a teacher would name first
    "zero_grad was forgotten": "accumulated",
    "grad was not empty": "accumulated",
    "detach in the middle": "cut",
    "detach in the line": "cut",
    "no_grad in the middle": "cut",
    "one use of a leaf was cut": "cut",
    "a number was taken out": "cut",
    "requires_grad was forgotten": "constant",
    "sum instead of mean": "operation",
    "mean written in another way": "operation",
    "changed in place, which fails": "failed",
    "changed in place, which works": "in-place",
    "used once": "uses",
    "another leaf": "uses",
    "transposed": "missing",
    "relu is missing": "missing",
    "not shifted before the exponential, and back after the logarithm": "missing",
    "sigmoid for relu": "operation",
    "another exponent": "saved",
    "inputs in the other order": "order",
    "factors in the other order": "swapped",
    "other data": "value",
    "fewer steps": "passes",
    "the leaf is lost": "leaf",
}


def test_every_mistake_reads_as_committed(golden: Golden):
    told = []
    for case in MISTAKES:
        comparison = Comparison(*walks_of(case))
        told.append(f"## {case}\n\n{comparison.text}\n")
    golden("mistakes.txt", "\n".join(told))


@pytest.mark.parametrize("case", CAUSES)
def test_the_cause_is_told_first(case: str):
    assert Comparison(*walks_of(case))[0].kind == CAUSES[case]


def test_a_program_beside_itself_has_no_difference():
    comparison = Comparison(*walks_of("nothing"))
    assert comparison.same
    assert len(comparison) == 0
    assert comparison.summary.startswith("loss and loss are the same")


def test_factors_in_the_other_order_are_the_same():
    comparison = Comparison(*walks_of("factors in the other order"))
    assert comparison.same
    assert [one.kind for one in comparison] == ["swapped"]


@pytest.mark.parametrize("case", MISTAKES)
def test_traces_read_from_json_compare_as_the_recorded_ones(case: str):
    one, other = walks_of(case)
    read = [Timeline.from_json(json.dumps(walk.to_json())) for walk in (one, other)]
    assert Comparison(*read).differences == Comparison(one, other).differences


@pytest.mark.parametrize("case", MISTAKES)
def test_the_other_way_round_the_same_things_differ(case: str):
    one, other = walks_of(case)
    kinds = [sorted(d.kind for d in Comparison(*pair)) for pair in ((one, other), (other, one))]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize("case", MISTAKES)
def test_the_rows_show_every_event_of_both_once_and_in_order(case: str):
    one, other = walks_of(case)
    rows = Comparison(one, other).rows
    assert [row.first for row in rows if row.first is not None] == list(range(len(one)))
    assert [row.second for row in rows if row.second is not None] == list(range(len(other)))
    assert all(bool(row.why) == (row.first is None or row.second is None) for row in rows)


@pytest.mark.parametrize("case", MISTAKES)
def test_what_differs_is_there_and_is_marked_in_the_drawing(case: str):
    comparison = Comparison(*walks_of(case))
    document = document_of(comparison)
    assert len(document["differences"]) == len(comparison)
    for one in comparison:
        for ids, timeline in zip((one.first, one.second), comparison.timelines, strict=True):
            graph = timeline.graph
            assert all(graph.has("node", id) or graph.has("tensor", id) for id in ids)
    for side, trace in enumerate(document["traces"]):
        read = Timeline.from_json(trace)
        drawings = [*read.scenes, *(scene for one in read.passes for scene in one.scenes)]
        signs = {
            mark.t
            for scene in drawings for group in scene.groups for mark in group.marks
            if mark.c == "differs" and mark.m == "text"
        }  # fmt: skip
        numbers = {int(n) for sign in signs for n in sign.strip("≠…").split(",") if n}
        wanted = {k for k, one in enumerate(comparison, 1) if (one.first, one.second)[side]}
        shortened = any(sign.endswith("…") for sign in signs)  # the numbers of one tensor
        assert numbers <= wanted if shortened else numbers == wanted
