"""Running sums and products keep as many digits as PyTorch's, which adds in a wider type.

Read next: graphlab/primitives/numpy_reading/reductions.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab

RUNNING = {
    "cumsum": lambda t, x: t.cumsum(x, -1),
    "cumsum of columns": lambda t, x: t.cumsum(x, 0),
    "cumprod": lambda t, x: t.cumprod(x, -1),
    "logcumsumexp": lambda t, x: t.logcumsumexp(x, -1),
    "cumulative_trapezoid": lambda t, x: t.cumulative_trapezoid(x),
}


def test_a_long_running_sum_keeps_its_digits():
    assert graphlab.full((100_000,), 0.1).cumsum(0)[-1].item() == 10_000.0
    assert graphlab.tensor([1e8, 1.0, -1e8]).cumsum(0).tolist() == [1e8, 1e8, 1.0]
    area = graphlab.cumulative_trapezoid(graphlab.ones(100_001), dx=1e-5)
    assert abs(area[-1].item() - 1.0) < 1e-6


@pytest.mark.torch
@pytest.mark.parametrize("name", RUNNING)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_running_results_are_pytorchs_bit_for_bit(torch, name, dtype):
    x = (1 + 0.05 * np.random.default_rng(0).standard_normal((3, 200))).astype(dtype)
    found = RUNNING[name](graphlab, graphlab.from_numpy(x)).numpy()
    assert np.array_equal(found, RUNNING[name](torch, torch.from_numpy(x)).numpy())
