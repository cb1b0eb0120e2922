"""Tensors made in the shape or the type of another, beside PyTorch.

Read next: tests/core/test_random.py
"""

from __future__ import annotations

import pytest

import graphlab

CALLS = {
    "full_like": lambda t, x: t.full_like(x, 7),
    "full_like dtype": lambda t, x: t.full_like(x, 2.5, dtype=t.float64),
    "rand_like": lambda t, x: t.rand_like(x),
    "randn_like": lambda t, x: t.randn_like(x, dtype=t.float64),
    "new_zeros": lambda t, x: x.new_zeros(2, 3),
    "new_ones": lambda t, x: x.new_ones((3,)),
    "new_full": lambda t, x: x.new_full((2,), 5),
    "new_tensor": lambda t, x: x.new_tensor([1, 2]),
    "logspace": lambda t, x: t.logspace(0, 3, 4, base=2.0),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", CALLS)
def test_what_is_made_has_pytorchs_values_type_and_shape(name, torch):
    made = []
    for lib in (graphlab, torch):
        lib.manual_seed(3)
        x = lib.tensor([[1.0, 2.0, 3.0]], dtype=lib.float32)
        made.append(CALLS[name](lib, x))
    ours, theirs = made
    assert repr(ours) == repr(theirs)
    assert str(ours.dtype) == str(theirs.dtype)


def test_what_is_made_empty_has_the_shape_and_type_of_its_model():
    x = graphlab.zeros(2, 3, dtype=graphlab.int64)
    made = graphlab.empty_like(x)
    assert (made.shape, made.dtype) == (x.shape, x.dtype)
