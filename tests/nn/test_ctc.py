"""The loss of connectionist temporal classification: its values and gradients are PyTorch's.

Read next: graphlab/nn/functional/class_losses.py
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import graphlab

CASES = {
    "padded targets": ([[1, 2, 2], [3, 1, 0]], [6, 5], [3, 2], {}),
    "joined targets": ([1, 2, 3, 1], [6, 4], [1, 3], {}),
    "a repeated letter": ([[1, 1], [2, 2]], [6, 3], [2, 2], {"reduction": "none"}),
    "an empty target": ([[1, 2], [0, 0]], [6, 6], [2, 0], {"reduction": "sum"}),
    "another blank": ([[1, 0], [2, 0]], [6, 6], [2, 1], {"blank": 3}),
    "too few steps": ([[1, 1], [2, 1]], [2, 6], [2, 2], {"reduction": "none"}),
    "too few steps, as 0": ([[1, 1], [2, 1]], [2, 6], [2, 2], {"zero_infinity": True}),
}


def outcome(lib, targets, steps, letters, options):
    """The loss, and the gradient of the scores behind it."""
    scores = lib.tensor(np.random.default_rng(1).normal(size=(6, 2, 4)), requires_grad=True)
    loss = lib.nn.CTCLoss(**options)(
        scores.log_softmax(2), lib.tensor(targets), lib.tensor(steps), lib.tensor(letters)
    )
    loss[loss < math.inf].sum().backward()
    return loss.tolist(), scores.grad.tolist()


@pytest.mark.torch
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_losses_and_gradients_are_pytorchs(case, torch):
    for a, b in zip(outcome(graphlab, *case), outcome(torch, *case), strict=True):
        known = ~np.isnan(b)  # PyTorch's gradient of what no way can say is nan, even times 0
        np.testing.assert_allclose(np.array(a)[known], np.array(b)[known], rtol=1e-9, atol=1e-12)


@pytest.mark.torch
def test_for_a_leaf_pytorchs_gradient_is_that_of_the_scores_and_ours_the_derivative(torch):
    # docs/pytorch-differences.md
    def loss(logs):
        lib = torch if isinstance(logs, torch.Tensor) else graphlab
        return lib.nn.functional.ctc_loss(logs, lib.tensor([[1, 2]]), [6], [2])

    scores = np.random.default_rng(1).normal(size=(6, 1, 4))
    agrees, sums = {}, {}
    for lib in (graphlab, torch):
        logs = lib.tensor(scores).log_softmax(2).requires_grad_()
        loss(logs).backward()
        sums[lib] = logs.grad.sum(2).flatten().tolist()
        agrees[lib] = lib.autograd.gradcheck(loss, (logs,), raise_exception=False)
    assert agrees == {graphlab: True, torch: False}
    assert sums[graphlab] == pytest.approx([-0.5] * 6)
    assert sums[torch] == pytest.approx([0] * 6, abs=1e-12)


def test_it_is_the_sum_over_all_ways_to_time_the_letters():
    scores = graphlab.randn(4, 3, dtype=graphlab.float64).log_softmax(1)

    def said(path):
        return [letter for letter, _ in itertools.groupby(path) if letter != 0]

    ways = [path for path in itertools.product(range(3), repeat=4) if said(path) == [1, 2]]
    total = sum(math.exp(sum(scores[t, c].item() for t, c in enumerate(path))) for path in ways)
    loss = graphlab.nn.functional.ctc_loss(
        scores, graphlab.tensor([1, 2]), [4], [2], reduction="sum"
    )
    assert loss.item() == pytest.approx(-math.log(total), rel=1e-12)  # float64


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([[1], [2]], [6], [1, 1]), "input_lengths must be of size batch_size"),
        (([[1], [2]], [6, 7], [1, 1]), "at most 6, but got value 7"),
        (([[1], [2]], [6, 6], [2, 1]), "size at least 2 at dimension 1"),
        (([1, 2], [6, 6], [2, 1]), "Expected 3 letters"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(arguments, said):
    targets, steps, letters = arguments
    with pytest.raises(RuntimeError, match=said):
        graphlab.nn.functional.ctc_loss(
            graphlab.zeros(6, 2, 4), graphlab.tensor(targets), steps, letters
        )
