"""A mask remembers how values decided it, and keeps no large graph alive for that.

Read next: graphlab/autograd/decisions.py
"""

from __future__ import annotations

import weakref

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
