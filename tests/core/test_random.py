"""`manual_seed` gives PyTorch's numbers, draw for draw.

Read next: tests/parity/test_facts.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab

# lists of draws after manual_seed(seed); more than 15 normal numbers are made in blocks of 16
DRAWS = {
    "rand": (0, lambda t: [t.rand(3), t.rand(2, 2), t.rand(())]),
    "randn": (0, lambda t: [t.randn(5, 3), t.randn(3)]),
    "an odd number leaves one over": (1, lambda t: [t.randn(3), t.randn(2), t.rand(1), t.randn(1)]),
    "blocks": (2, lambda t: [t.randn(4, 4), t.randn(20), t.randn(3), t.randn(100)[-5:]]),
    "randint": (3, lambda t: [t.randint(10, (6,)), t.randint(-5, 5, (2, 2)), t.rand(1)]),
    "wide randint": (4, lambda t: [t.randint(0, 2**40, (3,)), t.rand(1)]),
    "float64": (5, lambda t: [t.rand(3, dtype=t.float64), t.randn(3, dtype=t.float64)]),
    "float64 blocks": (6, lambda t: [t.randn(18, dtype=t.float64)]),
    "a large seed": (2**40 + 7, lambda t: [t.rand(2), t.randn(2)]),
    "a negative seed": (-3, lambda t: [t.rand(2)]),
    "a generator of its own": (
        7,
        lambda t: [t.rand(2, generator=t.Generator().manual_seed(9)), t.rand(2)],
    ),
}

RECORDED = {  # PyTorch 2.13.0
    "rand": [[0.49625658988952637, 0.7682217955589294, 0.08847743272781372]],
    "randn": [
        [
            [1.5409960746765137, -0.293428897857666, -2.1787893772125244],
            [0.5684312582015991, -1.0845223665237427, -1.3985954523086548],
            [0.40334683656692505, 0.8380263447761536, -0.7192575931549072],
            [-0.40334352850914, -0.5966353416442871, 0.18203648924827576],
            [-0.8566746115684509, 1.1006041765213013, -1.0711873769760132],
        ],
        [0.1227012425661087, -0.5663174986839294, 0.3731146454811096],
    ],
    "randint": [[6, 8, 7, 7, 0, 0]],
    "blocks": [  # 16 numbers, in rows of 4
        [
            [-1.0408011674880981, 0.9166041612625122, -1.3041903972625732, -1.1096783876419067],
            [-1.218778133392334, 1.1675924062728882, -1.0573921203613281, -0.11883937567472458],
            [-0.907839834690094, 0.34522223472595215, -0.5713338851928711, -0.23510892689228058],
            [1.0076051950454712, -0.7528814673423767, -0.22499920427799225, -0.4326860308647156],
        ]
    ],
}


def draws(lib, name):
    seed, make = DRAWS[name]
    lib.manual_seed(seed)
    return [(str(t.dtype), t.tolist()) for t in make(lib)]


@pytest.mark.parametrize("name", RECORDED)
def test_the_numbers_are_those_recorded(name):
    ours = draws(graphlab, name)
    for (_, numbers), expected in zip(ours, RECORDED[name], strict=False):
        # blocks are made by vectorised float32 functions, which differ in the last bits
        np.testing.assert_allclose(numbers, expected, rtol=1e-5 if name == "blocks" else 1e-7)


@pytest.mark.torch
@pytest.mark.parametrize("name", DRAWS)
def test_the_numbers_are_pytorchs(name, torch):
    ours, theirs = draws(graphlab, name), draws(torch, name)
    for (a, x), (b, y) in zip(ours, theirs, strict=True):
        assert a == b
        # PyTorch makes blocks of normal numbers with vectorised float32 functions
        np.testing.assert_allclose(x, y, rtol=1e-5 if "blocks" in name else 1e-7, atol=1e-7)


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    def some(seed):
        graphlab.manual_seed(seed)
        return graphlab.randn(4).tolist()

    assert some(1) == some(1) != some(2)
    assert graphlab.initial_seed() == 2


def test_randn_may_require_a_gradient():
    w = graphlab.randn(5, 3, requires_grad=True)
    assert (w.is_leaf, w.requires_grad, w.dtype) == (True, True, graphlab.float32)
    w.sum().backward()
    assert w.grad.tolist() == [[1.0] * 3] * 5
