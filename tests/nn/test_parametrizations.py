"""Weights made of other parameters: weight norm, spectral norm, and parametrizations of one's own.

Read next: tests/nn/test_utils.py
"""

from __future__ import annotations

import copy
import pickle
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab import nn

LAYERS = {
    "a linear layer": lambda lib: lib.nn.Linear(3, 4),
    "a convolution": lambda lib: lib.nn.Conv1d(3, 4, 2),
    "a transposed convolution": lambda lib: lib.nn.ConvTranspose1d(3, 4, 2),
}
WAYS = {
    "weight norm": lambda lib, layer: lib.nn.utils.weight_norm(layer),
    "weight norm of all entries": lambda lib, layer: lib.nn.utils.weight_norm(layer, dim=None),
    "weight norm of columns": lambda lib, layer: lib.nn.utils.weight_norm(layer, dim=1),
    "spectral norm": lambda lib, layer: lib.nn.utils.spectral_norm(layer, n_power_iterations=2),
    "parametrized weight norm": lambda lib, layer: lib.nn.utils.parametrizations.weight_norm(layer),
    "parametrized spectral norm": lambda lib, layer: lib.nn.utils.parametrizations.spectral_norm(
        layer
    ),
}


def trained(lib: ModuleType, layer: Any, way: Any) -> tuple[dict[str, Any], Any, str]:
    """The state after three steps of training, an output in evaluation, and the repr."""
    lib.manual_seed(3)
    module = way(lib, layer(lib))
    optimizer = lib.optim.SGD(module.parameters(), lr=0.1)
    x = lib.arange(18.0).reshape(2, 3, 3) / 7
    for _ in range(3):
        optimizer.zero_grad()
        (module(x) ** 2).mean().backward()
        optimizer.step()
    return module.state_dict(), module.eval()(x), repr(module)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:.*deprecated:FutureWarning")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_with_a_norm_trains_as_in_pytorch(layer, way, torch):
    own, theirs = (trained(lib, LAYERS[layer], WAYS[way]) for lib in (graphlab, torch))
    assert own[2] == theirs[2]
    assert list(own[0]) == list(theirs[0])
    for name, value in own[0].items():
        # float32, sums of some ten entries, three steps
        np.testing.assert_allclose(value.tolist(), theirs[0][name].tolist(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(own[1].tolist(), theirs[1].tolist(), rtol=1e-4, atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*deprecated:FutureWarning")
@pytest.mark.parametrize("norm", ["weight_norm", "spectral_norm"])
def test_a_norm_can_be_taken_off_again_and_leaves_the_weight(norm):
    layer = getattr(nn.utils, norm)(nn.Linear(3, 2)).eval()
    layer(graphlab.ones(1, 3))
    weight = layer.weight.tolist()
    with pytest.raises(RuntimeError, match=f"Cannot register two {norm} hooks"):
        getattr(nn.utils, norm)(layer)
    getattr(nn.utils, f"remove_{norm}")(layer)
    assert isinstance(layer.weight, nn.Parameter)
    np.testing.assert_allclose(layer.weight.tolist(), weight, rtol=1e-6)  # float32
    assert not layer._forward_pre_hooks
    assert sorted(layer.state_dict()) == ["bias", "weight"]
    with pytest.raises(ValueError, match=f"{norm} of 'weight' not found"):
        getattr(nn.utils, f"remove_{norm}")(layer)


@pytest.mark.torch
def test_a_frozen_weight_is_not_trained_once_its_norm_is_taken_off(torch):
    found = []
    for lib in (graphlab, torch):
        utils = lib.nn.utils
        layer = lib.nn.Linear(2, 1).requires_grad_(False)
        utils.parametrizations.weight_norm(layer)
        utils.parametrize.remove_parametrizations(layer, "weight")
        found.append((layer.weight.requires_grad, [name for name, _ in layer.named_buffers()]))
    assert found[0] == found[1] == (False, ["weight"])


def test_two_forward_passes_of_a_spectral_norm_have_a_backward_pass():
    critic = nn.utils.spectral_norm(nn.Linear(3, 1))  # the loss of a GAN: D(real) - D(fake)
    loss = critic(graphlab.ones(2, 3)).mean() - critic(graphlab.zeros(2, 3)).mean()
    loss.backward()
    assert critic.weight_orig.grad is not None


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).T

    def right_inverse(self, A):
        return A.triu()


class Doubled(nn.Module):
    def forward(self, X):
        return X * 2


class Flattened(nn.Module):
    def forward(self, X):
        return X.reshape(-1)


def symmetric() -> Any:
    layer = nn.Linear(3, 3)
    return nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())


def test_a_parametrized_weight_is_computed_whenever_it_is_read():
    layer = symmetric()
    assert (layer.weight == layer.weight.T).all()
    layer(graphlab.ones(1, 3)).sum().backward()
    assert (layer.parametrizations.weight.original.grad.tril(-1) == 0).all()
    assert nn.utils.parametrize.type_before_parametrizations(layer) is nn.Linear


def test_a_value_that_is_assigned_goes_back_through_the_parametrization():
    layer, A = symmetric(), graphlab.tensor([[1.0, 2, 3], [2, 4, 5], [3, 5, 6]])
    layer.weight = A
    assert layer.parametrizations.weight.original.tolist() == A.triu().tolist()
    assert layer.weight.tolist() == A.tolist()


def test_parametrizations_are_chained_and_taken_off():
    layer = symmetric()
    P = nn.utils.parametrize
    before = layer.weight
    P.register_parametrization(layer, "weight", Doubled())
    assert layer.weight.tolist() == (before * 2).tolist()
    with pytest.raises(RuntimeError, match="Doubled does not implement right_inverse"):
        layer.weight = before
    value = layer.weight.tolist()
    assert P.remove_parametrizations(layer, "weight") is layer
    assert type(layer) is nn.Linear
    assert not P.is_parametrized(layer)
    assert isinstance(layer.weight, nn.Parameter)
    assert layer.weight.tolist() == value


def test_a_cached_block_computes_each_weight_once():
    layer, P = symmetric(), nn.utils.parametrize
    with P.cached():
        assert layer.weight is layer.weight
    assert layer.weight is not layer.weight


def test_a_copy_of_a_parametrized_module_has_parameters_of_its_own():
    layer = symmetric()
    other = copy.deepcopy(layer)
    with graphlab.no_grad():
        other.parametrizations.weight.original.zero_()
    assert (layer.weight != 0).any()
    assert (other.weight == 0).all()
    with pytest.raises(RuntimeError, match="only supported through state_dict"):
        pickle.dumps(layer)


@pytest.mark.parametrize(
    ("name", "parametrization", "message"),
    [
        ("nothing", Doubled, "does not have a parameter, a buffer, or a parametrized element"),
        ("weight", Flattened, "may not change the shape of the tensor"),
    ],
)
def test_a_parametrization_that_does_not_fit_is_refused(name, parametrization, message):
    layer = nn.Linear(3, 2)
    with pytest.raises(ValueError, match=message):
        nn.utils.parametrize.register_parametrization(layer, name, parametrization())
    assert type(layer) is nn.Linear
    assert sorted(layer.state_dict()) == ["bias", "weight"]


@pytest.mark.torch
@pytest.mark.parametrize("trivial", [True, False])
@pytest.mark.parametrize("kind", [None, "matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (4, 2), (2, 4)])
def test_an_orthogonal_layer_trains_as_in_pytorch(rows, columns, kind, trivial, torch):
    def trained(lib):
        lib.manual_seed(0)
        layer = lib.nn.Linear(columns, rows, dtype=lib.float64)
        orthogonal = lib.nn.utils.parametrizations.orthogonal
        assert orthogonal(layer, orthogonal_map=kind, use_trivialization=trivial) is layer
        optimizer = lib.optim.SGD(layer.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            x = lib.arange(2.0 * columns, dtype=lib.float64).reshape(2, columns)
            (layer(x) ** 3).mean().backward()
            optimizer.step()
        return repr(layer), layer.weight.detach(), layer.state_dict()

    (shown, weight, state), (their_shown, theirs, their_state) = trained(graphlab), trained(torch)
    assert shown == their_shown
    assert list(state) == list(their_state)
    np.testing.assert_allclose(weight.tolist(), theirs.tolist(), atol=1e-8)  # float64, three steps
    square = weight.T @ weight if rows >= columns else weight @ weight.T
    np.testing.assert_allclose(square.tolist(), np.eye(min(rows, columns)), atol=1e-5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"orthogonal_map": "x"}, "orthogonal_map has to be one of"),
        ({"name": "x"}, "no parameter or buffer with name 'x'"),
        ({"name": "bias"}, "Got a tensor of 1 dimensions"),
    ],
)
def test_only_matrices_are_kept_orthogonal(options, said):
    with pytest.raises(ValueError, match=said):
        nn.utils.parametrizations.orthogonal(nn.Linear(2, 2), **options)


def test_a_weight_is_set_to_an_orthogonal_one_and_not_to_another_shape():
    layer = nn.utils.parametrizations.orthogonal(nn.Linear(2, 2))
    layer.weight = graphlab.eye(2)
    assert layer.weight.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(ValueError, match="Expected a matrix or batch of matrices of shape"):
        layer.weight = graphlab.eye(3)
