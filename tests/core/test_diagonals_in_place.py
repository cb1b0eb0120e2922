"""`fill_diagonal_` and `vander` beside PyTorch: numbers, histories, gradients, what is refused.

Read next: graphlab/tensor/functions/diagonals.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab

SHAPES = [(3, 3), (2, 4), (4, 2), (7, 2), (2, 2, 2), (2, 0)]


def said(function, lib):
    """What a function of a library gives, or the error that it raises, as text."""
    try:
        return function(lib)
    except (RuntimeError, TypeError) as error:
        return type(error).__name__, str(error)


def history(node):
    return node and (node.name(), [history(next_) for next_, _ in node.next_functions])


def filled(shape, value, turned, **options):
    def of(lib):
        leaf = lib.zeros(*shape, requires_grad=True)
        x = leaf * 2
        x = x.transpose(0, 1) if turned else x
        same = x.fill_diagonal_(value, **options)
        x.exp().sum().backward()
        return same is x, repr(x.detach()), x._version, history(x.grad_fn), leaf.grad.tolist()

    return of


@pytest.mark.torch
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_diagonal_is_filled_as_pytorch_fills_it(shape, wrap, turned, torch):
    call = filled(shape, 1.5, turned, wrap=wrap)
    assert said(call, graphlab) == said(call, torch)


@pytest.mark.torch
@pytest.mark.parametrize(
    "call",
    [
        lambda lib: lib.zeros(3).fill_diagonal_(1),
        lambda lib: lib.zeros(2, 3, 3).fill_diagonal_(1),
        lambda lib: lib.zeros(2, 2, requires_grad=True).fill_diagonal_(1),
        lambda lib: lib.zeros(2, 2).fill_diagonal_("a"),
        lambda lib: repr(lib.zeros(2, 2, dtype=lib.int64).fill_diagonal_(1.5)),
        lambda lib: lib.vander(lib.ones(2, 2)),
        lambda lib: lib.vander(lib.ones(2), -1),
        lambda lib: repr(lib.vander(lib.tensor([1, 2, 3]), 0)),
        lambda lib: repr(lib.vander(lib.tensor([True, False]), 3, increasing=True)),
        lambda lib: repr(lib.vander(lib.tensor([2.0, 3.0]))),
        lambda lib: (repr(lib.zeros(2).layout), repr(lib.strided)),
    ],
)
def test_the_edges_are_pytorchs(call, torch):
    assert said(call, graphlab) == said(call, torch)


@pytest.mark.torch
@pytest.mark.parametrize("N", [1, 2, 4])
def test_powers_have_the_history_that_pytorch_gives_them(N, torch):
    def call(lib):
        x = lib.tensor([1.0, 2.0, -3.0], requires_grad=True)
        powers = lib.vander(x, N)
        return repr(powers.detach()), history(powers.grad_fn)

    assert call(graphlab) == call(torch)


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # NumPy 2.5
def test_an_array_of_a_tensor_is_an_array_of_its_own():
    x = graphlab.zeros(4)
    np.asarray(x).shape = (2, 2)
    assert x.shape == (4,)
