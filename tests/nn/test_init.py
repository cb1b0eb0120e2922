"""Weights begin with PyTorch's numbers for the same seed.

Read next: tests/nn/test_utils.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab

CASES = {
    "uniform_": lambda i, t: i.uniform_(t, -0.3, 1.7),
    "normal_": lambda i, t: i.normal_(t, 1.0, 0.2),
    "constant_": lambda i, t: i.constant_(t, 0.3),
    "ones_": lambda i, t: i.ones_(t),
    "zeros_": lambda i, t: i.zeros_(t),
    "xavier_uniform_": lambda i, t: i.xavier_uniform_(t, gain=2.0),
    "xavier_normal_": lambda i, t: i.xavier_normal_(t),
    "kaiming_uniform_": lambda i, t: i.kaiming_uniform_(t, a=0.3),
    "kaiming_uniform_, out": lambda i, t: i.kaiming_uniform_(
        t, mode="fan_out", nonlinearity="relu"
    ),
    "kaiming_normal_": lambda i, t: i.kaiming_normal_(t, nonlinearity="tanh"),
    "orthogonal_": lambda i, t: i.orthogonal_(t, gain=1.5),
    "trunc_normal_": lambda i, t: i.trunc_normal_(t, std=2.0),
    "trunc_normal_, far": lambda i, t: i.trunc_normal_(t, 0.0, 1.0, 2.0, 3.0),
}
SHAPES = [(3, 2), (2, 3), (3, 2, 2), (5, 4)]


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", CASES)
def test_a_beginning_is_pytorchs(name, shape, dtype, torch):
    found = []
    for lib in (graphlab, torch):
        lib.manual_seed(11)
        tensor = lib.empty(shape, dtype=getattr(lib, dtype), requires_grad=True)
        same = CASES[name](lib.nn.init, tensor) is tensor
        found.append((tensor.detach().numpy(), same, tensor.is_leaf, tensor.requires_grad))
        found[-1] += (lib.rand(1).item(),)
    ours, theirs = found
    if dtype == "float32" and "ortho" not in name:
        assert ours[0].tolist() == theirs[0].tolist()  # bit for bit
    else:  # logarithms and cosines of doubles, and factors of matrices, come from other libraries
        close = 1e-12 if dtype == "float64" else 1e-5
        np.testing.assert_allclose(ours[0], theirs[0], rtol=close, atol=close)
    assert ours[1:] == theirs[1:]


@pytest.mark.torch
@pytest.mark.parametrize("shape", [(4, 2, 3), (6, 2, 3, 3), (2, 2, 3, 3, 3)])
def test_a_dirac_hands_through(shape, torch):
    ours, theirs = (lib.nn.init.dirac_(lib.ones(shape), 2) for lib in (graphlab, torch))
    assert ours.tolist() == theirs.tolist()


@pytest.mark.torch
def test_the_gains_are_pytorchs(torch):
    names = ["linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"]
    for name in names:
        ours, theirs = (lib.nn.init.calculate_gain(name) for lib in (graphlab, torch))
        assert ours == theirs
    assert graphlab.nn.init.calculate_gain("leaky_relu", 0.5) == (2 / 1.25) ** 0.5


def test_eye_is_the_identity():
    assert graphlab.nn.init.eye_(graphlab.empty(2, 3)).tolist() == [[1.0, 0, 0], [0, 1.0, 0]]


WRONG = {
    "one dim": lambda i, lib: i.xavier_uniform_(lib.ones(3)),
    "a mode": lambda i, lib: i.kaiming_uniform_(lib.ones(2, 2), mode="in"),
    "a nonlinearity": lambda i, lib: i.calculate_gain("relu7"),
    "a slope": lambda i, lib: i.calculate_gain("leaky_relu", True),
    "an eye of 3 dims": lambda i, lib: i.eye_(lib.ones(2, 2, 2)),
    "a dirac of 2 dims": lambda i, lib: i.dirac_(lib.ones(2, 2)),
    "dirac groups": lambda i, lib: i.dirac_(lib.ones(3, 2, 2), 2),
    "orthogonal numbers": lambda i, lib: i.orthogonal_(lib.ones(2)),
    "a range": lambda i, lib: i.uniform_(lib.ones(2), 1.0, 0.0),
    "a deviation": lambda i, lib: i.normal_(lib.ones(2), 0.0, -1.0),
}


@pytest.mark.torch
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_as_pytorch_says_it(what, torch):
    said = []
    for lib in (graphlab, torch):
        with pytest.raises(Exception) as caught:
            WRONG[what](lib.nn.init, lib)
        said.append((type(caught.value).__name__, str(caught.value)))
    assert said[0] == said[1]


def test_nothing_to_initialise_is_warned_of():
    with pytest.warns(UserWarning, match="zero-element tensors is a no-op"):
        graphlab.nn.init.kaiming_uniform_(graphlab.empty(0, 2))
    with pytest.warns(UserWarning, match="more than 2 std"):
        graphlab.nn.init.trunc_normal_(graphlab.empty(2), mean=5.0, std=0.5, a=-1.0, b=3.9)


def test_the_old_names_warn():
    with pytest.warns(FutureWarning, match="`nn.init.constant` is now deprecated"):
        assert graphlab.nn.init.constant(graphlab.empty(1), 2.0).tolist() == [2.0]
    with pytest.raises(AttributeError, match="no attribute 'gaussian'"):
        graphlab.nn.init.gaussian  # noqa: B018


@pytest.mark.torch
def test_a_sparse_matrix_is_pytorchs(torch):
    found = []
    for lib in (graphlab, torch):
        lib.manual_seed(3)
        found.append(lib.nn.init.sparse_(lib.empty(5, 3), 0.4).tolist())
    assert found[0] == found[1]
