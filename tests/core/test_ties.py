"""Equal entries: which of them sort, topk, kthvalue, mode and quantile name; points at a pixel.

Read next: tests/core/test_corners.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab
from graphlab.primitives.numpy_reading.ranking import MANY

CALLS = {
    "sort": lambda t, x: x.sort().indices,
    "sort descending": lambda t, x: x.sort(descending=True).indices,
    "sort of columns": lambda t, x: t.stack([x, x.flip(0)], 1).sort(0).indices,
    "stable sort": lambda t, x: x.sort(stable=True).indices,
    "argsort": lambda t, x: x.argsort(),
    "topk": lambda t, x: x.topk(min(3, len(x))).indices,
    "topk of the smallest": lambda t, x: x.topk(min(2, len(x)), largest=False).indices,
    "most of them": lambda t, x: x.topk(len(x) - 1).indices,
    "kthvalue": lambda t, x: x.kthvalue(len(x) // 2).indices,
    "mode": lambda t, x: x.mode().indices,
    "median": lambda t, x: x.median(0).indices,
}


@pytest.mark.torch
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint8"])
def test_equal_entries_are_named_as_in_pytorch(call, dtype, torch):
    rng = np.random.default_rng(5)
    for n in (2, 3, 4, 8, 16, 17, 40, 200, 300):
        for kinds in (2, n // 2 + 1):
            entries = rng.integers(0, kinds, n).astype(dtype)
            ours, theirs = (CALLS[call](t, t.tensor(entries)) for t in (graphlab, torch))
            assert ours.tolist() == theirs.tolist(), (n, entries.tolist())


@pytest.mark.torch
@pytest.mark.parametrize("call", ["sort", "sort descending", "topk", "kthvalue"])
def test_nan_stands_where_pytorch_has_it(call, torch):
    rng = np.random.default_rng(6)
    for n in (3, 17, 40):
        entries = np.where(rng.random(n) < 0.3, np.nan, rng.integers(0, 3, n))
        ours, theirs = (CALLS[call](t, t.tensor(entries)) for t in (graphlab, torch))
        assert ours.tolist() == theirs.tolist(), entries.tolist()


@pytest.mark.torch
def test_the_gradient_of_a_quantile_goes_to_the_entry_that_pytorch_names(torch):
    entries = np.random.default_rng(7).integers(0, 3, 25).astype("float32")
    for q in (0.3, 1.0):
        grads = []
        for t in (graphlab, torch):
            x = t.tensor(entries, requires_grad=True)
            x.quantile(q).backward()
            grads.append(x.grad.tolist())
        assert grads[0] == pytest.approx(grads[1], abs=1e-5)  # a share in float32


@pytest.mark.torch
def test_the_next_number_gets_no_gradient_where_both_are_equal(torch):
    grads = []
    for t in (graphlab, torch):
        x, y = (t.tensor(data, requires_grad=True) for data in ([1.0, 2.0, 0.0], [1.0, 1.0, 0.0]))
        t.nextafter(x, y).backward(t.tensor([3.0, 4.0, 5.0]))
        grads.append((x.grad.tolist(), y.grad.tolist()))
    assert grads[0] == grads[1] == ([0, 4, 0], [0, 0, 0])


@pytest.mark.torch
@pytest.mark.parametrize("aligned", [False, True])
def test_a_point_at_a_pixel_is_on_pytorchs_side_of_it(aligned, torch):
    image, found = np.random.default_rng(1).normal(size=(1, 1, 28, 30)).astype("float32"), []
    for t in (graphlab, torch):
        theta = t.eye(2, 3).unsqueeze(0).requires_grad_()
        grid = t.nn.functional.affine_grid(theta, (1, 1, 28, 30), align_corners=aligned)
        out = t.nn.functional.grid_sample(t.tensor(image), grid, align_corners=aligned)
        out.square().sum().backward()
        found.append((grid.tolist(), theta.grad.tolist()))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-4)  # float32, sums of 840


def test_in_a_large_tensor_equal_entries_keep_their_order():
    x = graphlab.zeros(MANY + 1)
    assert x.argsort().tolist() == list(range(MANY + 1))
    assert x.topk(3).indices.tolist() == [0, 1, 2]
