"""Several modules as one stack of parameters, as with PyTorch.

Read next: graphlab/compat/func/__init__.py
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


def tied(lib):
    model = lib.nn.Sequential(lib.nn.Linear(1, 1, bias=False), lib.nn.Linear(1, 1, bias=False))
    model[1].weight = model[0].weight
    return model


CALLS = {
    "one name of two": lambda lib: (tied(lib), {"0.weight": lib.tensor([[3.0]])}),
    "both names": lambda lib: (
        tied(lib),
        {"0.weight": lib.tensor([[3.0]]), "1.weight": lib.tensor([[2.0]])},
    ),
    "untied": lambda lib: (
        tied(lib),
        {"0.weight": lib.tensor([[3.0]]), "1.weight": lib.tensor([[2.0]])},
        {"tie_weights": False},
    ),
    "no dict": lambda lib: (tied(lib), 3),
    "two dicts": lambda lib: (tied(lib), [{"0.weight": lib.tensor([[3.0]])}] * 2),
    "unknown": lambda lib: (tied(lib), {"0.weight": lib.tensor([[3.0]]), "z": lib.ones(1)}),
    "no such module": lambda lib: (tied(lib), {"0.weight": lib.ones(1), "z.y": lib.ones(1)}),
    "unknown, strict": lambda lib: (
        tied(lib),
        {"0.weight": lib.ones(1, 1), "z": lib.ones(1)},
        {"strict": True},
    ),
    "missing, strict": lambda lib: (
        lib.nn.Linear(1, 1),
        {"weight": lib.ones(1, 1)},
        {"strict": True},
    ),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", CALLS)
def test_a_module_is_called_with_the_given_values_as_by_pytorch(name, torch):
    found = []
    for lib in (graphlab, torch):
        model, values, *options = CALLS[name](lib)
        call, x = lib.func.functional_call, (lib.ones(1, 1),)
        try:
            found.append(call(model, values, x, **(options[0] if options else {})).tolist())
        except (AttributeError, RuntimeError, ValueError) as error:
            found.append(f"{type(error).__name__}: {error}")
    assert found[0] == found[1]


def test_a_function_without_arguments_is_called_with_none():
    class Twice(graphlab.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = graphlab.nn.Parameter(graphlab.ones(1))

        def forward(self):
            return 2 * self.w

    model = Twice()
    assert graphlab.func.functional_call(model, {"w": graphlab.tensor([3.0])}, None).item() == 6
    assert model.w.item() == 1
