"""A program that imports one part of PyTorch's and another of GraphLab's is told so."""

import pytest

import graphlab
from graphlab import nn

torch = pytest.importorskip("torch")
D = graphlab.distributions

CALLS = {
    "attribute": lambda m, x, theirs: setattr(m, "layer", theirs),
    "parameter": lambda m, x, theirs: setattr(m, "w", theirs.weight),
    "in place of a module": lambda m, x, theirs: setattr(m, "own", theirs),
    "in place of a parameter": lambda m, x, theirs: setattr(m.own, "weight", theirs.weight),
    "in place of a buffer": lambda m, x, theirs: setattr(m, "kept", torch.ones(2)),
    "register_module": lambda m, x, theirs: m.register_module("layer", theirs),
    "register_parameter": lambda m, x, theirs: m.register_parameter("w", theirs.weight),
    "register_buffer": lambda m, x, theirs: m.register_buffer("b", torch.ones(2)),
    "Sequential": lambda m, x, theirs: nn.Sequential(nn.ReLU(), theirs),
    "ModuleList": lambda m, x, theirs: nn.ModuleList([theirs]),
    "ModuleDict": lambda m, x, theirs: nn.ModuleDict({"a": theirs}),
    "clip_grad_norm_": lambda m, x, theirs: nn.utils.clip_grad_norm_(theirs.parameters(), 1.0),
    "clip one": lambda m, x, theirs: nn.utils.clip_grad_norm_(theirs.weight, 1.0),
    "clip_grad_value_": lambda m, x, theirs: nn.utils.clip_grad_value_(theirs.parameters(), 1.0),
    "parameters_to_vector": lambda m, x, theirs: nn.utils.parameters_to_vector(theirs.parameters()),
    "vector_to_parameters": lambda m, x, theirs: nn.utils.vector_to_parameters(x, [theirs.bias]),
    "Normal": lambda m, x, theirs: D.Normal(torch.zeros(2), 1.0),
    "Categorical": lambda m, x, theirs: D.Categorical(logits=torch.zeros(2)),
    "Dirichlet": lambda m, x, theirs: D.Dirichlet(torch.ones(2)),
    "log_prob": lambda m, x, theirs: D.Normal(0.0, 1.0).log_prob(torch.zeros(2)),
    "vmap": lambda m, x, theirs: graphlab.vmap(graphlab.sin)(torch.ones(2)),
    "grad": lambda m, x, theirs: graphlab.func.grad(graphlab.sin)(torch.tensor(1.0)),
    "index": lambda m, x, theirs: x[torch.tensor([0, 1])],
    "mask": lambda m, x, theirs: x[torch.ones(3) > 0],
    "one of several indices": lambda m, x, theirs: x[None, torch.tensor([0])],
    "assignment": lambda m, x, theirs: x.__setitem__(torch.tensor([0]), 1.0),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_pytorch_made_is_refused_with_what_to_do(name):
    module = nn.Module()
    module.own = nn.Linear(2, 2)
    module.register_buffer("kept", graphlab.ones(2))
    with pytest.raises(TypeError, match="of PyTorch's; one formula takes tensors of one library: "):
        CALLS[name](module, graphlab.ones(3), torch.nn.Linear(2, 2))


def test_a_module_may_hold_a_tensor_of_pytorchs_to_compare_with():
    module = nn.Module()
    module.expected = torch.ones(2)
    assert module.expected.tolist() == [1, 1]
    assert list(module.parameters()) == []
