"""Random numbers within `vmap`: the same for all examples, different ones, or none, as PyTorch's.

Read next: graphlab/compat/func/vmap.py
"""

from __future__ import annotations

import pytest

import graphlab

CALLS = {
    "numbers": lambda lib, x: x + lib.randn(2),
    "dropout": lambda lib, x: lib.nn.functional.dropout(x),
    "nothing random": lambda lib, x: x * 2,
}


def drawn(lib, call, randomness):
    """What comes out and the number that follows, or the error, as text."""
    lib.manual_seed(0)
    lib.randn(1)  # half of a pair of normal numbers is kept
    try:
        out = lib.vmap(lambda x: CALLS[call](lib, x), randomness=randomness)(lib.ones(3, 2))
    except RuntimeError as error:
        return str(error)
    return repr(out), repr(lib.rand(1))


@pytest.mark.torch
@pytest.mark.parametrize("randomness", ["error", "same", "different", "none"])
@pytest.mark.parametrize("call", CALLS)
def test_chance_in_a_batch_is_pytorchs(call, randomness, torch):
    assert drawn(graphlab, call, randomness) == drawn(torch, call, randomness)


def test_a_draw_that_was_refused_leaves_the_stream_as_it_was():
    graphlab.manual_seed(3)
    expected = graphlab.rand(2).tolist()
    graphlab.manual_seed(3)
    with pytest.raises(RuntimeError, match="called random operation"):
        graphlab.vmap(lambda x: x * graphlab.rand(1))(graphlab.ones(2))
    assert graphlab.rand(2).tolist() == expected


def test_a_draw_for_one_example_only_is_refused_too():
    x = graphlab.tensor([0.0, 1.0, 0.0])
    before = graphlab.get_rng_state()
    with pytest.raises(RuntimeError, match="random operation while in randomness error mode"):
        graphlab.func.vmap(lambda x: graphlab.rand(()) * x if x > 0 else x)(x)
    assert graphlab.equal(graphlab.get_rng_state(), before)
