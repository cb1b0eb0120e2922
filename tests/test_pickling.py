"""Timelines, Reports and Comparisons come back from another process.

Read next: tests/test_threads.py
"""

from __future__ import annotations

import copy
import pickle

import pytest

import graphlab
from graphlab import nn

a = graphlab.tensor(2.0, requires_grad=True)


class Cube(graphlab.autograd.Function):
    """Its backward is wrong, so that a report has advice."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, *grads):
        (x,) = ctx.saved_tensors
        return grads[0] * 2 * x


def network():
    graphlab.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    return model(graphlab.ones(5, 3)).pow(2).mean()


LOSSES = {
    "formula": lambda: (a * a).sin(),
    "branch": lambda: graphlab.where(a > 1, a * a, a).abs(),
    "wrong": lambda: Cube.apply(a) * a,
    "network": network,
}
ALL = pytest.mark.parametrize("make", LOSSES.values(), ids=LOSSES)


def back(thing):
    return pickle.loads(pickle.dumps(thing))


@ALL
def test_a_timeline_is_pickled_as_its_json(make):
    timeline = graphlab.trace(make()).at(3)
    assert back(timeline) == timeline
    assert back(timeline).to_json() == timeline.to_json()
    assert back(timeline).with_forward() == timeline.with_forward()


def test_the_timeline_of_a_recording_is_pickled_while_it_is_open_and_afterwards():
    with graphlab.record(forward=True) as timeline:
        (a * a).backward()
        early = back(timeline)
        (a * 3).backward()
    assert len(early) < len(timeline) == len(back(timeline))
    a.grad = None


@ALL
def test_a_report_is_pickled_without_its_graph(make):
    loss = make()
    report = graphlab.check(loss)
    found = back(report)
    assert str(found) == str(report)
    assert (found.ok, found.summary, found.advice) == (report.ok, report.summary, report.advice)
    assert [(row.name, row.verdict, row.formula is None) for row in found] == [
        (row.name, row.verdict, row.formula is None) for row in report
    ]
    assert back(found[0]).verdict == found[0].verdict
    assert found._repr_html_()
    with pytest.raises(ValueError, match="no graph any more: it was pickled; call check again"):
        found.jacobian()
    assert back(found).advice == report.advice


def test_a_comparison_is_pickled(tmp_path):
    comparison = graphlab.compare(a * a, a * 3)
    for found in (back(comparison), copy.deepcopy(comparison)):
        assert found.text == comparison.text
        assert found.timelines == comparison.timelines
        assert found.save(tmp_path / "found.json").stat().st_size > 0


def test_what_never_changes_is_its_own_copy():
    things = [graphlab.trace(a * a), graphlab.check(a * a), graphlab.check(a * a)[0]]
    for thing in things:
        assert copy.copy(thing) is thing
        assert copy.deepcopy([thing])[0] is thing


@pytest.mark.torch
def test_what_came_from_pytorch_is_pickled():
    import torch

    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = (x * x).sin().sum()
    report, timeline = graphlab.check(y), graphlab.trace(y)
    assert str(back(report)) == str(copy.deepcopy(report)) == str(report)
    assert back(timeline) == timeline
