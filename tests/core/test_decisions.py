"""A mask remembers how values decided it, and keeps no large graph alive for that.

Read next: graphlab/autograd/decisions.py
"""

from __future__ import annotations

import weakref

import pytest

import graphlab
from graphlab import nn
from graphlab.autograd.decisions import LONGEST, decision_of


def test_a_mask_of_a_small_graph_is_explained_although_nothing_else_holds_it():
    x = graphlab.tensor([0.5, -1.0], requires_grad=True)
    decision = decision_of(graphlab.sigmoid(x) > 0.5)
    assert decision is not None
    assert [edge is None for edge in decision.edges] == [False, True]


def test_predictions_that_are_collected_keep_no_network_alive():
    net = nn.Sequential(nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 1))
    seen, masks, total = [], [], 0
    for _ in range(3):
        result = net(graphlab.randn(20, 100))
        seen.append(weakref.ref(result.grad_fn))
        masks.append(result > 0)
        total = total + masks[-1].float().sum()
        assert decision_of(masks[-1]) is not None  # while the graph is there
    del result
    assert [node() for node in seen] == [None] * 3
    assert [decision_of(mask) for mask in masks] == [None] * 3


def test_a_mask_made_of_masks_remembers_some_of_them():
    x = graphlab.tensor([0.5, -1.0], requires_grad=True)
    mask = x > 0
    for _ in range(3 * LONGEST):
        mask = mask | (x > 1)
    made = decision_of(mask)
    assert made is None or made.length <= LONGEST


def bisected(steps):
    """The root of 2, from masks of numbers that masks chose."""
    a = graphlab.tensor(2.0, requires_grad=True)
    low, high = graphlab.tensor(0.0), graphlab.tensor(2.0)
    for _ in range(steps):
        middle = (low + high) / 2
        below = middle * middle < a
        low, high = graphlab.where(below, middle, low), graphlab.where(below, high, middle)
    return middle, middle * a


def repeated(x, steps):
    mask = x > 0
    for _ in range(steps):
        mask = (mask & (x > 0)) | mask
    return mask, graphlab.where(mask, x * x, -x).sum()


@pytest.mark.parametrize("steps", [20, 200])
def test_a_mask_that_two_others_use_is_read_once(steps):
    # As a tree, 20 masks are a million.
    x = graphlab.tensor([1.0, -1.0], requires_grad=True)
    middle, made = bisected(steps)
    mask, result = repeated(x, steps)
    assert abs(middle.item() ** 2 - 2) < 1e-4
    assert mask.any()
    for one in (made, result):
        graphlab.trace(one)
        assert graphlab.check(one).ok
