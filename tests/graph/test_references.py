"""Each number in a sentence names the value that it shows; an unknown reference is refused.

Read next: tests/graph/test_document.py
"""

from __future__ import annotations

import re

import pytest

import graphlab as torch
from graphlab.common.errors import TraceError
from graphlab.graph.events import RuleApplied
from graphlab.graph.events.event import tensor_of
from graphlab.graph.timeline import Timeline

NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(e[+-]\d+)?")


def spans_of(event):
    spans = [*event.caption]
    if isinstance(event, RuleApplied):
        spans += event.equation.numbers
    return spans


def programs():
    a, b = (torch.tensor(x, requires_grad=True) for x in (2.5, -3.25))
    yield a * b + torch.log(a) * a
    w = torch.tensor([[0.5, -1.5], [2.5, 0.25]], requires_grad=True)
    x = torch.tensor([1.5, -0.5])
    yield torch.tanh(w @ x + b).sum()
    (w * w).sum().backward()
    yield (w * b).mean()
    big = torch.ones(6, 7, requires_grad=True)
    yield torch.relu(big * b).sum()


@pytest.mark.parametrize("number", range(4))
def test_every_number_that_is_shown_names_its_value(number):
    for event in torch.trace([*programs()][number]):
        for span in spans_of(event):
            text, rest = (span, ()) if isinstance(span, str) else (span[1], span[2:])
            assert not NUMBER.search(text) or rest, (event.kind, span)
            assert all(tensor_of(one) is not None for one in rest)


def test_a_reference_is_read_back():
    a = torch.tensor(2.5, requires_grad=True)
    document = torch.trace(a * a).to_json()
    read = Timeline.from_json(document)
    assert [event.caption for event in read] == [e.caption for e in torch.trace(a * a)]
    assert read.to_json()["events"] == document["events"]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [("yesterday", 'such as "after"'), ("after:all", "such as"), ("t99", "the id of a tensor")],
)
def test_an_unknown_reference_is_refused(reference, expected):
    a = torch.tensor(2.5, requires_grad=True)
    document = torch.trace(a * a).to_json()
    event = next(e for e in document["events"] if e["kind"] == "RuleApplied")
    assert event["equation"]["numbers"][2] == ["value", "2.5", "slope"]
    event["equation"]["numbers"][2] = ["value", "2.5", reference]
    with pytest.raises(TraceError, match=expected):
        Timeline.from_json(document)
