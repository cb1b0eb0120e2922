"""PyTorch's import paths and old names of modules: programs that use them run.

Read next: graphlab/nn/modules/__init__.py
"""

from __future__ import annotations

import importlib
import warnings

import pytest

import graphlab
from graphlab import nn
from graphlab.nn.tree import type_name

PLACES = {
    "linear": "Linear Identity Bilinear",
    "module": "Module",
    "loss": "MSELoss CrossEntropyLoss _Loss _WeightedLoss",
    "conv": "Conv2d _ConvNd",
    "batchnorm": "BatchNorm2d _BatchNorm",
    "instancenorm": "InstanceNorm2d",
    "container": "Sequential ModuleList ModuleDict ParameterList",
    "activation": "ReLU MultiheadAttention Softmax",
    "rnn": "RNN LSTM GRUCell RNNBase",
    "dropout": "Dropout _DropoutNd",
    "pooling": "MaxPool2d AdaptiveAvgPool2d",
    "normalization": "LayerNorm GroupNorm",
    "sparse": "Embedding",
    "transformer": "TransformerEncoderLayer _get_clones",
    "flatten": "Flatten Unflatten",
    "padding": "ZeroPad2d",
    "upsampling": "Upsample",
    "distance": "CosineSimilarity",
    "fold": "Fold Unfold",
    "pixelshuffle": "PixelShuffle",
    "channelshuffle": "ChannelShuffle",
    "lazy": "LazyModuleMixin",
    "utils": "_single _pair _triple _ntuple",
}


@pytest.mark.parametrize(("file", "names"), PLACES.items())
def test_modules_can_be_imported_by_pytorchs_paths(file, names):
    module = importlib.import_module(f"graphlab.nn.modules.{file}")
    for name in names.split():
        found = getattr(module, name)
        assert found is getattr(nn, name, found)
        assert found is getattr(graphlab.nn.modules, name)
    with pytest.raises(AttributeError, match="Nothing"):
        module.Nothing  # noqa: B018


@pytest.mark.parametrize("name", ["ZeroPad2d", "Upsample", "ReLU", "LSTM"])
def test_messages_name_the_type_of_a_module_with_its_path(name):
    (file,) = (file for file, names in PLACES.items() if name in names.split())
    assert type_name(getattr(nn, name)) == f"torch.nn.modules.{file}.{name}"


@pytest.mark.torch
@pytest.mark.parametrize("file", PLACES)
def test_they_are_pytorchs_paths(file, torch):
    theirs = importlib.import_module(f"torch.nn.modules.{file}")
    assert [name for name in PLACES[file].split() if not hasattr(theirs, name)] == []


def test_one_number_is_repeated_for_each_dimension():
    from graphlab.nn.modules.utils import _ntuple, _pair

    assert (_pair(2), _pair((1, 2)), _ntuple(3)(0)) == ((2, 2), (1, 2), (0, 0, 0))


def test_what_would_be_compiled_is_handed_back_with_one_warning():
    layer = nn.Linear(2, 1)
    for call in (
        graphlab.compile,
        graphlab.jit.script,
        lambda given: graphlab.jit.trace(given, graphlab.ones(1, 2)),
        lambda given: graphlab.compile(mode="reduce-overhead")(given),
    ):
        with pytest.warns(UserWarning, match="compiles nothing") as said:
            assert call(layer) is layer
        assert len(said) == 1
        assert said[0].filename == __file__


def hooked(lib):
    """What an old backward hook sees, and what is warned of."""
    seen = []
    layer = lib.nn.Linear(2, 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        handle = layer.register_backward_hook(lambda *given: seen.append(given))
        layer(lib.ones(3, 2)).sum().backward()
        handle.remove()
        layer(lib.ones(3, 2)).sum().backward()
    ((module, into, out),) = seen
    assert module is layer
    with pytest.raises(RuntimeError, match="Cannot use both"):
        layer.register_full_backward_hook(print)
    shapes = [[None if g is None else tuple(g.shape) for g in grads] for grads in (into, out)]
    return shapes, [str(warning.message) for warning in caught]


def test_an_old_backward_hook_sees_the_gradients_of_the_last_node():
    assert hooked(graphlab)[0] == [[(1,), None, (2, 1)], [(3, 1)]]


@pytest.mark.torch
def test_an_old_backward_hook_sees_what_it_sees_in_pytorch(torch):
    assert hooked(graphlab) == hooked(torch)


F = nn.functional
WARNING = {
    "a shape": lambda: F.mse_loss(graphlab.ones(2, 3), graphlab.ones(3)),
    "a shape, by a module": lambda: nn.MSELoss()(graphlab.ones(2, 3), graphlab.ones(3)),
    "no dim": lambda: F.softmax(graphlab.ones(2)),
    "no dim, by a module": lambda: nn.Softmax()(graphlab.ones(2)),
    "dims": lambda: F.dropout2d(graphlab.ones(2, 2)),
    "an old name": lambda: F.upsample(graphlab.ones(1, 1, 2), size=4),
    "no entries": lambda: nn.init.kaiming_normal_(graphlab.empty(0, 2)),
    "twice": lambda: graphlab.optim.SGD([nn.Parameter(graphlab.ones(1))] * 2),
    "no parameters": lambda: nn.utils.clip_grad_norm_((p for p in ()), 1.0),
}


@pytest.mark.parametrize("name", WARNING)
def test_a_warning_names_the_line_of_the_user(name):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        WARNING[name]()
    assert [one.filename for one in said] == [__file__]


def test_a_loss_of_a_program_begins_from_a_base_as_in_pytorch():
    from graphlab.nn.modules.loss import _Loss, _WeightedLoss

    class Weighted(_WeightedLoss):
        def __init__(self, weight=None, reduction="mean"):
            super().__init__(weight, reduction=reduction)

    class Total(_Loss):
        def forward(self, x):
            return x.sum()

    loss = Weighted(graphlab.ones(2), "sum")
    assert (loss.reduction, [*loss.state_dict()]) == ("sum", ["weight"])
    assert Total(reduction="none").reduction == "none"
    assert Total()(graphlab.ones(3)).item() == 3
    with pytest.raises(TypeError, match=r"Total.__init__\(\) got an unexpected keyword"):
        Total(scale=2)
