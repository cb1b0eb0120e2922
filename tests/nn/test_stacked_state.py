"""Several modules as one stack of parameters, as with PyTorch.

Read next: graphlab/compat/func/modules.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab


def stacked(lib):
    lib.manual_seed(0)
    nn, func = lib.nn, lib.func
    models = [nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)) for _ in range(3)]
    parameters, buffers = func.stack_module_state(models)
    x = lib.arange(8.0).reshape(4, 2)

    def call(p, b):
        return func.functional_call(models[0], (p, b), x)

    for model in models:
        model.eval()
    out = lib.vmap(call)(parameters, buffers)
    out.sum().backward()
    shown = [(k, repr(v), v.is_leaf) for k, v in [*parameters.items(), *buffers.items()]]
    return shown, parameters["0.weight"].grad.tolist(), models[0][0].weight.grad


@pytest.mark.torch
def test_the_state_of_several_modules_is_stacked_as_pytorch_does(torch):
    ours, theirs = stacked(graphlab), stacked(torch)
    assert ours[0] == theirs[0]
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-5)  # float32
    assert ours[2] is theirs[2] is None


def mixed(lib):
    models = [lib.nn.Linear(1, 1), lib.nn.Linear(1, 1)]
    models[0].bias.requires_grad_(False)
    return models


@pytest.mark.torch
@pytest.mark.parametrize(
    "models",
    [
        lambda lib: [],
        lambda lib: [lib.nn.Linear(1, 1), lib.nn.Linear(1, 1).eval()],
        lambda lib: [lib.nn.Linear(1, 1), lib.nn.ReLU()],
        mixed,
    ],
)
def test_modules_that_do_not_stack_are_refused_in_pytorchs_words(models, torch):
    said = []
    for lib in (graphlab, torch):
        with pytest.raises(RuntimeError, match="xpected") as error:
            lib.func.stack_module_state(models(lib))
        said.append(str(error.value))
    assert said[0] == said[1]
