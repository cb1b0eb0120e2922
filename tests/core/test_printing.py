"""A tensor is printed as PyTorch prints it, and only the entries that are shown are converted.

Read next: graphlab/tensor/printing.py
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import graphlab

SHAPES = [(7,), (1001,), (20, 60), (3, 700), (700, 2), (7, 7, 30), (2, 2, 2, 300)]


def test_printing_a_large_tensor_takes_no_memory() -> None:
    x = graphlab.zeros(300_000)
    assert repr(graphlab.zeros(2)) == "tensor([0., 0.])"  # loads what printing needs
    tracemalloc.start()
    try:
        assert repr(x) == "tensor([0., 0., 0.,  ..., 0., 0., 0.])"
        assert tracemalloc.get_traced_memory()[1] < 100_000  # bytes; a list of all takes 2,400,000
    finally:
        tracemalloc.stop()


@pytest.mark.torch
@pytest.mark.parametrize("edgeitems", [0, 1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.bool_])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_shortened_tensor_is_printed_as_pytorch_does(shape, dtype, edgeitems, torch) -> None:
    data = np.random.default_rng(0).normal(size=shape) * 5
    data.reshape(-1)[data.size // 2] = 1e6  # left out where the tensor is shortened
    for lib in (torch, graphlab):
        lib.set_printoptions(edgeitems=edgeitems)
    try:
        ours, theirs = (repr(lib.tensor(data.astype(dtype))) for lib in (graphlab, torch))
    finally:
        for lib in (torch, graphlab):
            lib.set_printoptions(profile="default")
    assert ours == theirs
