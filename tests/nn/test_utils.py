"""Gradients are clipped, and parameters made one vector, as PyTorch does it.

Read next: tests/nn/test_modules.py
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphlab
from graphlab import nn


def params_of(lib):
    lib.manual_seed(0)
    model = lib.nn.Linear(3, 2)
    (model(lib.arange(6.0).reshape(2, 3)) ** 2).sum().backward()
    return list(model.parameters())


@pytest.mark.torch
@pytest.mark.parametrize("norm", [2.0, 1.0, math.inf, 3.0])
@pytest.mark.parametrize("most", [0.5, 1e6])
def test_gradients_are_clipped_by_their_norm(norm, most, torch):
    found = []
    for lib in (graphlab, torch):
        params = params_of(lib)
        total = lib.nn.utils.clip_grad_norm_(params, most, norm)
        found.append((total.item(), [p.grad.tolist() for p in params]))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-5)
    for a, b in zip(found[0][1], found[1][1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_gradients_are_clipped_by_their_values():
    params = params_of(graphlab)
    nn.utils.clip_grad_value_(params, 0.5)
    assert all(abs(x) <= 0.5 for p in params for x in p.grad.reshape(-1).tolist())


def test_a_norm_that_is_not_finite_is_an_error_where_that_is_asked_for():
    w = graphlab.ones(2, requires_grad=True)
    w.grad = graphlab.tensor([math.inf, 1.0])
    with pytest.raises(RuntimeError, match=r"total norm of order 2.0 .* is non-finite"):
        nn.utils.clip_grad_norm_(w, 1.0, error_if_nonfinite=True)


def test_nothing_to_clip_is_a_norm_of_zero():
    with pytest.warns(UserWarning, match="empty generator"):
        assert nn.utils.clip_grad_norm_(iter_of_none(), 1.0).item() == 0.0


def iter_of_none():
    yield from ()


def test_parameters_become_a_vector_and_come_back():
    model = nn.Linear(2, 3)
    vector = nn.utils.parameters_to_vector(model.parameters())
    assert vector.tolist() == [*model.weight.reshape(-1).tolist(), *model.bias.tolist()]
    nn.utils.vector_to_parameters(graphlab.arange(9.0), model.parameters())
    assert model.weight.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert model.bias.tolist() == [6.0, 7.0, 8.0]
    assert isinstance(model.weight, nn.Parameter)
    with pytest.raises(TypeError, match=r"expected torch\.Tensor, but got: int"):
        nn.utils.vector_to_parameters(5, model.parameters())
