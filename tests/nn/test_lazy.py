"""Lazy layers find their sizes, and begin with PyTorch's numbers.

Read next: tests/nn/test_modules.py
"""

from __future__ import annotations

import copy

import numpy as np
import pytest

import graphlab
from graphlab import nn


def lenet(lib):
    m = lib.nn
    return m.Sequential(
        m.LazyConv2d(4, kernel_size=3, padding=1),
        m.LazyBatchNorm2d(),
        m.ReLU(),
        m.MaxPool2d(2),
        m.Flatten(),
        m.LazyLinear(5, bias=False),
        m.LazyBatchNorm1d(track_running_stats=False),
        m.Unflatten(1, (5, 1)),
        m.LazyConvTranspose1d(2, 3, 2, groups=1),
        m.LazyConv1d(3, 2),
    )


@pytest.mark.torch
def test_a_lazy_model_becomes_pytorchs(torch):
    found = []
    for lib in (graphlab, torch):
        lib.manual_seed(0)
        model = lenet(lib)
        before = [repr(model), repr(model[0].weight), list(dict(model.named_parameters()))]
        x = lib.tensor(np.random.default_rng(0).normal(size=(3, 1, 6, 6)), dtype=lib.float32)
        y = model(x)
        y.sum().backward()
        after = [repr(model), {k: v.tolist() for k, v in model.named_parameters()}]
        found.append((before, after, y.detach().numpy(), lib.rand(1).item()))
    ours, theirs = found
    assert ours[:2] == theirs[:2]
    assert ours[3] == theirs[3]
    np.testing.assert_allclose(ours[2], theirs[2], rtol=1e-4, atol=1e-5)


def test_what_is_loaded_gives_the_shapes():
    model, other = lenet(graphlab), lenet(graphlab)
    model(graphlab.ones(2, 1, 4, 4))
    other.load_state_dict(model.state_dict())
    assert other[5].weight.tolist() == model[5].weight.tolist()
    assert isinstance(other[0].weight, nn.Parameter)
    assert repr(other[0].weight).startswith("Parameter containing")


def test_a_linear_takes_the_number_of_its_inputs_from_a_loaded_state():
    layer = nn.LazyLinear(3)
    layer.load_state_dict(nn.Linear(2, 3).state_dict())
    layer(graphlab.ones(1, 2))
    assert repr(layer) == "Linear(in_features=2, out_features=3, bias=True)"


def test_a_state_that_does_not_fit_gives_no_shapes():
    layer = nn.LazyLinear(3)
    state = {"weight": graphlab.ones(3, 2), "bias": graphlab.ones(3), "more": graphlab.ones(1)}
    with pytest.raises(RuntimeError, match="Unexpected key"):
        layer.load_state_dict(state)
    assert repr(layer.weight) == "<UninitializedParameter>"
    assert repr(layer.load_state_dict(nn.LazyLinear(3).state_dict())).startswith("<All keys")


def test_what_has_no_shape_says_so():
    layer = nn.LazyLinear(3)
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized"):
        layer.weight.shape  # noqa: B018
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter"):
        nn.init.zeros_(layer.weight)
    assert repr(layer) == "LazyLinear(in_features=0, out_features=3, bias=True)"
    other = copy.deepcopy(layer).double()
    assert other(graphlab.ones(1, 2, dtype=graphlab.float64)).shape == (1, 3)
    assert repr(layer.weight) == "<UninitializedParameter>"


@pytest.mark.torch
def test_the_data_of_a_parameter_without_a_shape_is_empty(torch):
    found = []
    for lib in (graphlab, torch):
        layer = lib.nn.LazyLinear(3, dtype=lib.float64)
        layer.weight.data.normal_(0, 0.01)
        layer.bias.data.fill_(0)
        found.append((repr(layer.weight.data), repr(layer.bias.data), repr(layer.weight)))
    assert found[0] == found[1]


def test_another_number_of_dims_is_refused():
    with pytest.raises(RuntimeError, match=r"Expected 3D .* or 4D .* input to LazyConv2d"):
        nn.LazyConv2d(1, 1)(graphlab.ones(1, 2))


@pytest.mark.torch
@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("kind", ["Conv", "ConvTranspose", "BatchNorm"])
def test_every_lazy_layer_finds_its_size(kind, dims, torch):
    found = []
    for lib in (graphlab, torch):
        lib.manual_seed(0)
        options = () if kind == "BatchNorm" else (4, 3)
        layer = getattr(lib.nn, f"Lazy{kind}{dims}d")(*options)
        out = layer(lib.ones(2, 2, *(5,) * dims))
        found.append((repr(layer), tuple(layer.weight.shape), tuple(out.shape)))
    assert found[0] == found[1]
