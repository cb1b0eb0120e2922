"""A rule that multiplies arrays says which ones, in the notation of books, and how they are read.

Read next: js/test/product.test.ts
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import graphlab
from graphlab.adapters.equations import sides_of
from graphlab.graph.timeline import Timeline
from graphlab.ops import load_all
from tests.adapters.products import FIXTURE, PROGRAMS, counted, walk

ROOT = Path(__file__).parents[2]


def text(spans):
    return "".join(span if isinstance(span, str) else span[1] for span in spans)


def rules(timeline):
    return [event for event in timeline if event.kind == "RuleApplied"]


def factor(timeline, event, one):
    """The values of a factor, as the trace holds them."""
    saved = timeline.graph.node(event.node).saved
    value = one.value or event.upstream
    if one.saved:
        (value,) = [held.value for held in saved if held.name == one.saved]
    found = np.array(value.entries.split(" "), float).reshape(value.shape)
    return {"transposed": lambda: found.T, "column": lambda: found[:, None],
            "row": lambda: found[None, :]}.get(one.form, lambda: found)()  # fmt: skip


def test_the_committed_products_are_those_that_are_made():
    done = subprocess.run(
        [sys.executable, "-m", "tests.adapters.products"], cwd=ROOT, capture_output=True, check=True
    )
    assert done.stdout.decode() == FIXTURE.read_text("utf-8"), (
        "run python -m tests.adapters.products --update, and look at what changes"
    )


@pytest.mark.parametrize("name", ["layer", "biased", "vector", "masked"])
def test_the_factors_in_the_trace_make_the_gradient_in_the_trace(name):
    timeline, _ = walk(name)
    shown = [event for event in rules(timeline) if event.product is not None]
    assert shown
    for event in shown:
        product = event.product
        left, right = (factor(timeline, event, one) for one in (product.left, product.right))
        made = left * right if product.operator in "⊙⊗" else left @ right
        wanted = np.array(event.contribution.entries.split(" "), float)
        # entries have 5 digits
        assert np.allclose(made.ravel() * float(product.times or 1), wanted, rtol=1e-4, atol=1e-4)


def test_a_product_of_matrices_is_written_as_in_books():
    X, W = counted(3, 2), counted(2, 4)
    H = X @ W
    Y = H.tanh()
    tanh, for_x, for_w = rules(graphlab.trace(Y, graphlab.ones(3, 4)))
    assert text(tanh.equation.symbols) == "∂(g·Y)/∂H = ∂(g·Y)/∂Y ⊙ ∂Y/∂H"
    assert text(for_x.equation.symbols) == "∂(g·Y)/∂X = ∂(g·Y)/∂H Wᵀ"
    assert text(for_w.equation.symbols) == "∂(g·Y)/∂W = Xᵀ ∂(g·Y)/∂H"
    assert "multiplies it on the right by Wᵀ" in for_x.sentence
    assert "multiplies it on the left by Xᵀ" in for_w.sentence


def test_what_is_transposed_twice_is_written_as_it_was():
    layer, x = graphlab.nn.Linear(3, 2), counted(4, 3)
    Y = layer(x)
    (for_x,) = [one for one in rules(graphlab.trace(Y, graphlab.ones(4, 2))) if one.to == "x"]
    assert text(for_x.equation.symbols) == "∂(g·Y)/∂x = ∂(g·Y)/∂Y layer.weight"


def test_the_number_before_a_product_is_written_before_it():
    b, X, W = counted(2), counted(2, 3), counted(3, 2)
    Y = graphlab.addmm(b, X, W, alpha=0.5)
    for_b, for_x, for_w = rules(graphlab.trace(Y, graphlab.ones(2, 2)))
    assert text(for_w.equation.symbols) == "∂(g·Y)/∂W = 0.5 · Xᵀ ∂(g·Y)/∂Y"
    assert [for_x.product.times, for_w.product.times, for_b.product] == ["0.5", "0.5", None]


def test_a_convolution_says_how_its_window_goes():
    timeline, _ = walk("picture")
    for_image, for_kernel = rules(timeline)
    assert [one.form for one in (for_image.product.left, for_image.product.right)] == [
        "output",
        "kernel",
    ]
    assert (for_image.product.operator, for_kernel.product.operator) == ("∗", "⋆")
    windows = for_kernel.product.windows
    assert (windows.stride, windows.padding, windows.dilation) == ((2, 1), (1, 0), (1, 1))


def test_single_numbers_have_no_product():
    a, b = (graphlab.tensor(x, requires_grad=True) for x in (2.0, 3.0))
    assert [event.product for event in rules(graphlab.trace(a * b))] == [None, None]


def test_what_a_node_has_saved_does_not_travel_twice():
    timeline, _ = walk("large")
    for event in rules(timeline):
        for one in (event.product.left, event.product.right):
            assert one.value is None


def test_a_product_survives_the_journey():
    for name in PROGRAMS:
        timeline, _ = walk(name)
        again = Timeline.from_json(json.dumps(timeline.to_json()))
        assert [one.product for one in rules(again)] == [one.product for one in rules(timeline)]


def test_every_rule_can_be_asked_for_its_factors():
    found = {
        (op.name, word)
        for op in load_all().values()
        for word, rule in op.rules.items()
        for sides in [sides_of(rule, {**dict.fromkeys(op.options, 1), "transposed": False})]
        if sides is not None and sides.operator != "⊙"
    }
    for op in ("mm", "bmm", "addmm", "baddbmm"):
        assert len([word for name, word in found if name == op]) == 2
    assert {("convolution", "input"), ("convolution", "weight"), ("mv", "vec")} <= found


def test_the_heading_of_a_list_of_numbers_has_brackets_and_that_of_a_condition_has_none():
    x = graphlab.ones(4, 3, requires_grad=True)
    y, z = x * graphlab.arange(3.0), x.relu()
    for result, heading in ((y, "[0.0, 1.0, 2.0]"), (z, "z > 0")):
        products = [event.product for event in rules(graphlab.trace(result.sum()))]
        assert [one.right.text for one in products if one is not None] == [heading]
