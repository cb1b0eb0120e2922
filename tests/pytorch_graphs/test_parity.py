"""One program, computed with GraphLab and with PyTorch, tells the same story event by event.

Names of tensors are left out: GraphLab knows the line that made a result, and after the fact nobody
knows PyTorch's. Numbers are compared as far as float32 agrees.

Read next: tests/pytorch_graphs/test_bad_input.py
"""

from __future__ import annotations

import dataclasses
import math
import re
from itertools import zip_longest
from typing import Any

import pytest

import graphlab
from graphlab.adapters.namespace import Variables
from graphlab.adapters.native.rehearsal import rehearse
from graphlab.adapters.native.variable_names import Names
from graphlab.adapters.pytorch.module_calls import pytorch
from graphlab.adapters.pytorch.rehearsal import rehearse as rehearse_pytorchs
from graphlab.graph.value import Value
from tests.beside_pytorch.compare import CLOSE, roots
from tests.beside_pytorch.programs import FAMILIES
from tests.beside_pytorch.test_steps import DIFFERENT as STEPS_DIFFER

pytestmark = pytest.mark.torch

NUMBER = re.compile(r"[-−]?\d+\.?\d*(?:e[-+]?\d+)?|nan|inf")
TENSOR = re.compile(r"t\d+")
SUMS_INSIDE = "PyTorch's CopySlices sums to the shape that was broadcast inside its one rule"
HERE = {"z = A * 1; z[0].mul_(s); z": SUMS_INSIDE}
DIFFERENT = {**STEPS_DIFFER, **HERE}
# texts that hold names of tensors
NAMED = {
    "symbols",
    "numbers",
    "note",
    "label",
    "to",
    "name",
    "title",
    "why",
    "phrase",
    "text",
    "which",
}


def unlike(torch: Any, program: str) -> str:
    """The first event that differs, or ""."""
    theirs = rehearse_pytorchs(*roots(torch, program), Variables(pytorch()))
    ours = rehearse(*roots(graphlab, program), Names())
    return first_difference(theirs, ours)


def first_difference(theirs: Any, ours: Any) -> str:
    for k, (one, other) in enumerate(zip_longest(theirs, ours)):
        if one is None or other is None:
            return f"event {k}: {one} is shown as {other}"
        if one.kind != other.kind:
            return f"event {k}: {one.kind} is shown as {other.kind}"
        for field in dataclasses.fields(one):
            a, b = getattr(one, field.name), getattr(other, field.name)
            if field.name not in NAMED and not same(a, b):
                return f"event {k}, {one.kind}.{field.name}: {a} is shown as {b}"
    return ""


def same(a: Any, b: Any) -> bool:
    """Whether two parts of events are the same but for names and last digits."""
    if isinstance(a, Value) and isinstance(b, Value):
        return (a.shape, a.dtype) == (b.shape, b.dtype) and same(a.entries, b.entries)
    if dataclasses.is_dataclass(a) and type(a) is type(b):
        fields = [f.name for f in dataclasses.fields(a) if f.name not in NAMED]
        return all(same(getattr(a, name), getattr(b, name)) for name in fields)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, str) and isinstance(b, str) and TENSOR.fullmatch(a) and TENSOR.fullmatch(b):
        return True  # Python's small integers are one object each, so GraphLab draws 2 and 2 once
    if isinstance(a, str) and isinstance(b, str):
        return same_text(a, b)
    return a == b


def same_text(a: str, b: str) -> bool:
    if NUMBER.sub("0", a) != NUMBER.sub("0", b):
        return False
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b), strict=True)
    return all(close(float(x.replace("−", "-")), float(y.replace("−", "-"))) for x, y in pairs)


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, **CLOSE) or (math.isnan(a) and math.isnan(b))


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "hooks"])
def test_every_program_tells_the_same_events(torch, family):
    found = {program: unlike(torch, program) for program in FAMILIES[family].splitlines()}
    apart = {program: how for program, how in found.items() if how}
    assert {program: how for program, how in apart.items() if program not in DIFFERENT} == {}
    agree = {*found} & {*HERE} - {*apart}
    assert not agree, "these programs agree now: take them out of HERE"


def test_compare_takes_one_graph_of_each_library(torch):
    losses = []
    for library in (torch, graphlab):
        x = library.tensor([1.0, 2.0], requires_grad=True)
        losses.append((x * x).sum())
    assert graphlab.compare(*losses).same
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (cut,) = graphlab.compare((x * x.detach()).sum(), losses[1])
    assert "2 gradients arrive" in cut.sentence


def test_compare_does_not_say_that_a_result_was_never_changed_if_nothing_holds_it(torch):
    def made(lib):
        h = lib.tensor([1.0, 2.0], requires_grad=True) * lib.tensor([3.0, 4.0])
        h.add_(h.detach())
        return h, (h + h).sum()

    for one, other in ((graphlab, graphlab), (torch, torch), (graphlab, torch), (torch, graphlab)):
        h, held = made(one)
        lost = made(other)[1]
        assert h._version == 1
        for pair in ((held, lost), (lost, held)):
            assert "in place" not in str(graphlab.compare(*pair))


def test_compare_takes_entries_that_pytorch_did_not_keep_for_equal(torch):
    losses = []
    for library in (torch, graphlab):
        x = library.tensor([1.0, 2.0], requires_grad=True)
        losses.append((x.exp().view(2) - 1).tanh().view(1, 2).cos().sum())
    comparison = graphlab.compare(*losses)
    assert comparison.same, comparison.text


def test_compare_finds_an_option_that_one_graph_has_at_its_default(torch):
    W = torch.tensor([[0.1, 0.2], [0.3, -0.5]], requires_grad=True)

    def loss(keep):
        counts = W.exp()
        return -(counts / counts.sum(1, keepdim=keep))[[0, 1], [1, 1]].log().mean()

    first = graphlab.compare(loss(True), loss(False))[0]
    assert first.values == ("keepdim = True", "keepdim = False")
    assert not graphlab.compare(W.sum(1, keepdim=True).sum(), W.sum(1).sum()).same


def test_a_number_beside_float16_is_shown_as_it_was_used(torch):
    losses = []
    for library in (torch, graphlab):
        x = library.tensor([0.5, 3.0], dtype=library.float16, requires_grad=True)
        losses.append(((x * 0.1 / 3 - 1 / x) * 1000.3).sum())
    comparison = graphlab.compare(*losses)
    assert comparison.same, comparison.text


def test_a_live_widget_walks_a_pass_of_pytorchs(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    stepper = graphlab.step((x * x).sum())
    stepper.step = 5
    assert "event 5 of 0 to 19" in repr(stepper)
    assert x.grad is None
