"""Every module begins with PyTorch's numbers, is shown as there, and computes the same.

Read next: tests/nn/test_module.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab
from graphlab import nn

# what makes the module, and what makes its inputs; `x(lib, *shape)` is normal, and needs a gradient
rng = np.random.default_rng(0)


def x(lib, *shape):
    return lib.tensor(DRAWN[shape], dtype=lib.float32, requires_grad=True)


class Draws(dict):
    def __missing__(self, shape):
        self[shape] = rng.normal(size=shape)
        return self[shape]


DRAWN = Draws()


def positive(lib, *shape):
    return lib.tensor(np.abs(DRAWN[shape]) + 0.1, dtype=lib.float32)


def classes(lib, *shape, n=3):
    return lib.tensor(np.arange(np.prod(shape)).reshape(shape) % n)


def signs(lib, *shape):
    return lib.tensor(np.sign(DRAWN[(*shape, 1)][..., 0]), dtype=lib.float32)


def line(lib):
    return [x(lib, 2, 4, 9)]


def picture(lib):
    return [x(lib, 2, 4, 6, 7)]


def pooled(lib, dims):
    pool = getattr(lib.nn.functional, f"max_pool{dims}d")
    largest, places = pool(x(lib, 1, 2, *(4,) * dims).detach(), 2, return_indices=True)
    return [largest.requires_grad_(), places]


def rows(lib):
    return [x(lib, 5, 4)]


def two(lib):
    return [x(lib, 5, 4), x(lib, 5, 4, 1)[..., 0]]


CASES = {
    "Identity": (lambda m: m.Identity(1, a=2), rows),
    "Linear": (lambda m: m.Linear(4, 3), rows),
    "Linear, no bias": (lambda m: m.Linear(4, 3, bias=False), lambda lib: [x(lib, 2, 3, 4)]),
    "Linear, one": (lambda m: m.Linear(4, 3), lambda lib: [x(lib, 4)]),
    "Bilinear": (lambda m: m.Bilinear(4, 4, 3), two),
    "Flatten": (lambda m: m.Flatten(), line),
    "Unflatten": (lambda m: m.Unflatten(1, (2, 2)), rows),
    "Conv1d": (lambda m: m.Conv1d(4, 6, 3, stride=2, padding=1), line),
    "Conv1d, grouped": (lambda m: m.Conv1d(4, 6, 3, groups=2, dilation=2, bias=False), line),
    "Conv2d": (lambda m: m.Conv2d(4, 6, (3, 2), padding=(1, 0)), picture),
    "Conv2d, same": (lambda m: m.Conv2d(4, 2, 3, padding="same"), picture),
    "Conv2d, reflected": (lambda m: m.Conv2d(4, 2, 3, padding=1, padding_mode="reflect"), picture),
    "Conv3d": (lambda m: m.Conv3d(2, 3, 2), lambda lib: [x(lib, 1, 2, 3, 4, 3)]),
    "ConvTranspose1d": (lambda m: m.ConvTranspose1d(4, 2, 3, stride=2, output_padding=1), line),
    "ConvTranspose2d": (lambda m: m.ConvTranspose2d(4, 6, 3, padding=1, groups=2), picture),
    "MaxPool1d": (lambda m: m.MaxPool1d(3), line),
    "MaxPool2d": (lambda m: m.MaxPool2d(2, stride=1, padding=1), picture),
    "AvgPool1d": (lambda m: m.AvgPool1d(2), line),
    "AvgPool2d": (lambda m: m.AvgPool2d((2, 3), padding=1), picture),
    "AdaptiveAvgPool1d": (lambda m: m.AdaptiveAvgPool1d(4), line),
    "AdaptiveAvgPool2d": (lambda m: m.AdaptiveAvgPool2d((3, 2)), picture),
    "AdaptiveMaxPool1d": (lambda m: m.AdaptiveMaxPool1d(4), line),
    "AdaptiveMaxPool2d": (lambda m: m.AdaptiveMaxPool2d(2), picture),
    "AdaptiveMaxPool3d": (
        lambda m: m.AdaptiveMaxPool3d((1, None, 2)),
        lambda lib: [x(lib, 1, 2, 3, 4, 3)],
    ),
    **{
        f"MaxUnpool{dims}d": (
            lambda m, dims=dims: getattr(m, f"MaxUnpool{dims}d")(2),
            lambda lib, dims=dims: pooled(lib, dims),
        )
        for dims in (1, 2, 3)
    },
    "DataParallel": (lambda m: m.DataParallel(m.Linear(3, 2)), lambda lib: [x(lib, 5, 3)]),
    "AdaptiveAvgPool3d": (
        lambda m: m.AdaptiveAvgPool3d((1, None, 2)),
        lambda lib: [x(lib, 1, 2, 3, 4, 3)],
    ),
    "LPPool1d": (lambda m: m.LPPool1d(2, 3, stride=2), line),
    "LPPool2d": (lambda m: m.LPPool2d(3.0, 2), picture),
    "LPPool3d": (lambda m: m.LPPool3d(3.0, 2), lambda lib: [x(lib, 2, 3, 4, 3)]),
    "BatchNorm1d": (lambda m: m.BatchNorm1d(4), rows),
    "BatchNorm1d, lines": (lambda m: m.BatchNorm1d(4, momentum=None), line),
    "BatchNorm1d, plain": (lambda m: m.BatchNorm1d(4, affine=False), rows),
    "BatchNorm1d, untracked": (lambda m: m.BatchNorm1d(4, track_running_stats=False), rows),
    "BatchNorm2d": (lambda m: m.BatchNorm2d(4, eps=1e-3, momentum=0.3), picture),
    "InstanceNorm1d": (lambda m: m.InstanceNorm1d(4), line),
    "InstanceNorm1d, one": (lambda m: m.InstanceNorm1d(4, affine=True), lambda lib: [x(lib, 4, 9)]),
    "InstanceNorm2d": (
        lambda m: m.InstanceNorm2d(4, affine=True, track_running_stats=True),
        picture,
    ),
    "LayerNorm": (lambda m: m.LayerNorm(4), rows),
    "LayerNorm, 2 dims": (lambda m: m.LayerNorm((4, 9), bias=False), line),
    "RMSNorm": (lambda m: m.RMSNorm(4), rows),
    "GroupNorm": (lambda m: m.GroupNorm(2, 4), picture),
    "LocalResponseNorm": (lambda m: m.LocalResponseNorm(2), picture),
    "Dropout": (lambda m: m.Dropout(0.3).eval(), rows),
    "Dropout2d": (lambda m: m.Dropout2d(0.3).eval(), picture),
    "AlphaDropout": (lambda m: m.AlphaDropout(0.3).eval(), rows),
    "Embedding": (lambda m: m.Embedding(5, 3), lambda lib: [classes(lib, 2, 4)]),
    "EmbeddingBag": (lambda m: m.EmbeddingBag(5, 3), lambda lib: [classes(lib, 2, 4)]),
    "EmbeddingBag, padded": (
        lambda m: m.EmbeddingBag(5, 3, mode="sum", padding_idx=-4, max_norm=2.0),
        lambda lib: [classes(lib, 2, 4)],
    ),
    "Embedding, padded": (
        lambda m: m.Embedding(5, 3, padding_idx=-4),
        lambda lib: [classes(lib, 2, 4)],
    ),
    "ReLU": (lambda m: m.ReLU(), rows),
    "ReLU6": (lambda m: m.ReLU6(), rows),
    "LeakyReLU": (lambda m: m.LeakyReLU(0.2), rows),
    "PReLU": (lambda m: m.PReLU(4), rows),
    "RReLU": (lambda m: m.RReLU().eval(), rows),
    "ELU": (lambda m: m.ELU(0.5), rows),
    "CELU": (lambda m: m.CELU(0.5), rows),
    "SELU": (lambda m: m.SELU(), rows),
    "GELU": (lambda m: m.GELU(), rows),
    "GELU, tanh": (lambda m: m.GELU("tanh"), rows),
    "SiLU": (lambda m: m.SiLU(), rows),
    "Mish": (lambda m: m.Mish(), rows),
    "Sigmoid": (lambda m: m.Sigmoid(), rows),
    "Tanh": (lambda m: m.Tanh(), rows),
    "LogSigmoid": (lambda m: m.LogSigmoid(), rows),
    "Softplus": (lambda m: m.Softplus(2.0), rows),
    "Softsign": (lambda m: m.Softsign(), rows),
    "Tanhshrink": (lambda m: m.Tanhshrink(), rows),
    "Hardtanh": (lambda m: m.Hardtanh(-0.5, 0.5), rows),
    "Hardsigmoid": (lambda m: m.Hardsigmoid(), rows),
    "Hardswish": (lambda m: m.Hardswish(), rows),
    "Hardshrink": (lambda m: m.Hardshrink(0.3), rows),
    "Softshrink": (lambda m: m.Softshrink(0.3), rows),
    "Threshold": (lambda m: m.Threshold(0.1, 20.0), rows),
    "GLU": (lambda m: m.GLU(), rows),
    "Softmax": (lambda m: m.Softmax(dim=1), rows),
    "LogSoftmax": (lambda m: m.LogSoftmax(dim=0), rows),
    "Softmin": (lambda m: m.Softmin(dim=-1), rows),
    "Softmax2d": (lambda m: m.Softmax2d(), picture),
    "MSELoss": (lambda m: m.MSELoss(), two),
    "L1Loss": (lambda m: m.L1Loss(reduction="sum"), two),
    "SmoothL1Loss": (lambda m: m.SmoothL1Loss(beta=0.5), two),
    "HuberLoss": (lambda m: m.HuberLoss(delta=0.5), two),
    "KLDivLoss": (
        lambda m: m.KLDivLoss(reduction="batchmean"),
        lambda lib: [x(lib, 5, 4), positive(lib, 5, 4)],
    ),
    "NLLLoss": (lambda m: m.NLLLoss(), lambda lib: [x(lib, 5, 3), classes(lib, 5)]),
    "CrossEntropyLoss": (
        lambda m: m.CrossEntropyLoss(label_smoothing=0.1, reduction="none"),
        lambda lib: [x(lib, 5, 3), classes(lib, 5)],
    ),
    "BCELoss": (
        lambda m: m.BCELoss(),
        lambda lib: [lib.sigmoid(x(lib, 5)), lib.sigmoid(positive(lib, 5))],
    ),
    "BCEWithLogitsLoss": (
        lambda m: m.BCEWithLogitsLoss(),
        lambda lib: [x(lib, 5), lib.sigmoid(positive(lib, 5))],
    ),
    "PoissonNLLLoss": (lambda m: m.PoissonNLLLoss(), lambda lib: [x(lib, 5), positive(lib, 5)]),
    "GaussianNLLLoss": (
        lambda m: m.GaussianNLLLoss(full=True),
        lambda lib: [x(lib, 5), positive(lib, 5), positive(lib, 5)],
    ),
    "HingeEmbeddingLoss": (
        lambda m: m.HingeEmbeddingLoss(0.5),
        lambda lib: [x(lib, 5), signs(lib, 5)],
    ),
    "MarginRankingLoss": (
        lambda m: m.MarginRankingLoss(0.5),
        lambda lib: [x(lib, 5), x(lib, 1, 5)[0], signs(lib, 5)],
    ),
    "CosineEmbeddingLoss": (
        lambda m: m.CosineEmbeddingLoss(0.1),
        lambda lib: [*two(lib), signs(lib, 5)],
    ),
    "TripletMarginLoss": (
        lambda m: m.TripletMarginLoss(swap=True),
        lambda lib: [*two(lib), x(lib, 1, 5, 4)[0]],
    ),
    "MultiMarginLoss": (
        lambda m: m.MultiMarginLoss(p=2),
        lambda lib: [x(lib, 5, 3), classes(lib, 5)],
    ),
    "MultiLabelMarginLoss": (
        lambda m: m.MultiLabelMarginLoss(),
        lambda lib: [x(lib, 2, 3), lib.tensor([[1, -1, 0], [2, 0, -1]])],
    ),
    "MultiLabelSoftMarginLoss": (
        lambda m: m.MultiLabelSoftMarginLoss(),
        lambda lib: [x(lib, 5, 4), (positive(lib, 5, 4) > 0.5) * 1.0],
    ),
    "SoftMarginLoss": (lambda m: m.SoftMarginLoss(), lambda lib: [x(lib, 5), signs(lib, 5)]),
    "CosineSimilarity": (lambda m: m.CosineSimilarity(), two),
    "PairwiseDistance": (lambda m: m.PairwiseDistance(), two),
    "ConstantPad1d": (lambda m: m.ConstantPad1d(2, 3.5), line),
    "ZeroPad2d": (lambda m: m.ZeroPad2d((1, 0, 2, 1)), picture),
    "ReflectionPad1d": (lambda m: m.ReflectionPad1d((2, 1)), line),
    "ReflectionPad2d": (lambda m: m.ReflectionPad2d(2), picture),
    "ReplicationPad2d": (lambda m: m.ReplicationPad2d(2), picture),
    "CircularPad1d": (lambda m: m.CircularPad1d(2), line),
    "CircularPad2d": (lambda m: m.CircularPad2d(2), picture),
    "Upsample": (lambda m: m.Upsample(scale_factor=2), picture),
    "Upsample, bilinear": (lambda m: m.Upsample(size=(9, 5), mode="bilinear"), picture),
    "UpsamplingBilinear2d": (lambda m: m.UpsamplingBilinear2d(scale_factor=2), picture),
    "PixelShuffle": (lambda m: m.PixelShuffle(2), picture),
    "ChannelShuffle": (lambda m: m.ChannelShuffle(2), picture),
    "PixelUnshuffle": (lambda m: m.PixelUnshuffle(3), lambda lib: [x(lib, 2, 1, 6, 9)]),
    "Unfold": (lambda m: m.Unfold(2), picture),
    "Fold": (lambda m: m.Fold((3, 4), 2), lambda lib: [x(lib, 1, 8, 6)]),
    "Sequential": (
        lambda m: m.Sequential(m.Linear(4, 3), m.ReLU(inplace=True), m.Linear(3, 2)),
        rows,
    ),
}  # fmt: skip


def run(lib, name):
    """What a module is, holds, computes and differentiates."""
    make, inputs = CASES[name]
    lib.manual_seed(5)
    module = make(lib.nn)
    begun = {key: value.tolist() for key, value in module.state_dict().items()}
    given = inputs(lib)
    output = module(*given)
    (output * output).sum().backward() if output.requires_grad else None
    leaves = [one for one in given if one.is_leaf] + list(module.parameters())
    return {
        "repr": repr(module),
        "begun": begun,
        "output": output.detach().numpy(),
        "grad_fn": type(output.grad_fn).__name__,
        "grads": [None if one.grad is None else one.grad.numpy() for one in leaves],
        "after": {key: value.numpy() for key, value in module.state_dict().items()},
        "next draw": lib.rand(1).item(),
    }


@pytest.mark.torch
@pytest.mark.parametrize("name", CASES)
def test_a_module_is_pytorchs(name, torch):
    ours, theirs = run(graphlab, name), run(torch, name)
    assert (ours["repr"], ours["next draw"]) == (theirs["repr"], theirs["next draw"])
    if "Circular" not in name:  # there PyTorch writes into an empty tensor, which CopySlices shows
        assert ours["grad_fn"] == theirs["grad_fn"]
    assert list(ours["begun"]) == list(theirs["begun"])
    for key, values in theirs["begun"].items():
        assert ours["begun"][key] == values  # bit for bit
    close = {"rtol": 1e-4, "atol": 1e-5}  # float32 sums of up to a hundred products
    np.testing.assert_allclose(ours["output"], theirs["output"], **close)
    for a, b in zip(ours["grads"], theirs["grads"], strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, **close)
    for key, values in theirs["after"].items():
        np.testing.assert_allclose(ours["after"][key], values, **close)


def test_every_module_that_there_is_has_a_case():
    named = {name.split(",")[0] for name in CASES}
    tested_elsewhere = {
        "Module", "Parameter", "Buffer", "ParameterList", "ParameterDict", "ModuleList",
        "ModuleDict",
        "LSTM", "LSTMCell", "GRU", "GRUCell", "RNN", "RNNCell", "MultiheadAttention",
        "Transformer", "TransformerEncoder", "TransformerEncoderLayer", "TransformerDecoder",
        "TransformerDecoderLayer", "CTCLoss",
    }  # fmt: skip
    lazy = {name for name in nn.HOMES if name.startswith(("Lazy", "Uninitialized"))}
    # what differs only in the number of dims, or in which dims are dropped
    alike = {
        "AvgPool3d", "BatchNorm3d", "CircularPad3d", "ConstantPad2d", "ConstantPad3d",
        "ConvTranspose3d", "Dropout1d", "Dropout3d", "FeatureAlphaDropout", "InstanceNorm3d",
        "MaxPool3d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad3d",
        "TripletMarginWithDistanceLoss", "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad3d",
    }  # fmt: skip
    left = set(nn.HOMES) - named - tested_elsewhere - lazy - alike
    assert left == set(), "write a case of each into CASES, at the top of this file"


def test_a_softmax_without_a_dim_is_warned_of():
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax"):
        assert nn.Softmax()(graphlab.zeros(2, 2)).tolist() == [[0.5, 0.5]] * 2


WRONG = {
    "groups": lambda m, lib: m.Conv2d(3, 4, 2, groups=2),
    "groups of outputs": lambda m, lib: m.Conv2d(4, 3, 2, groups=2),
    "no groups": lambda m, lib: m.Conv2d(4, 3, 2, groups=0),
    "same, with a stride": lambda m, lib: m.Conv1d(4, 3, 2, stride=2, padding="same"),
    "padding of a transposed": lambda m, lib: m.ConvTranspose1d(1, 1, 2, padding_mode="reflect"),
    "an output size": lambda m, lib: m.ConvTranspose1d(1, 1, 2)(lib.ones(1, 1, 3), [9]),
    "two output sizes": lambda m, lib: m.ConvTranspose1d(1, 1, 2)(lib.ones(1, 1, 3), [9, 9]),
    "in1_features": lambda m, lib: m.Bilinear(0, 1, 1),
    "a 4-d batch for 1-d": lambda m, lib: m.BatchNorm1d(2)(lib.ones(1, 1, 1, 1)),
    "a 2-d batch for 2-d": lambda m, lib: m.BatchNorm2d(2)(lib.ones(1, 1)),
    "an instance of 4 dims": lambda m, lib: m.InstanceNorm1d(2)(lib.ones(1, 1, 1, 1)),
    "another number of features": lambda m, lib: m.InstanceNorm1d(2, affine=True)(lib.ones(3, 4)),
    "groups of channels": lambda m, lib: m.GroupNorm(2, 3),
    "a probability": lambda m, lib: m.Dropout(1.5),
    "a bag's padding row": lambda m, lib: m.EmbeddingBag(2, 3, padding_idx=2),
    "a bag's table": lambda m, lib: m.EmbeddingBag(2, 3, _weight=lib.ones(3, 2)),
    "a padding row": lambda m, lib: m.Embedding(2, 3, padding_idx=2),
    "a table": lambda m, lib: m.Embedding.from_pretrained(lib.ones(3)),
    "unflatten": lambda m, lib: m.Unflatten(1, 3),
    "unflatten floats": lambda m, lib: m.Unflatten(1, (3, 2.5)),
    "hardtanh": lambda m, lib: m.Hardtanh(1.0, 0.0),
    "softmax of a row": lambda m, lib: m.Softmax2d()(lib.ones(3)),
    "delta": lambda m, lib: m.HuberLoss(delta="1"),
    "p": lambda m, lib: m.MultiMarginLoss(p=3),
    "margin": lambda m, lib: m.TripletMarginLoss(margin=-1),
    "circular": lambda m, lib: m.CircularPad2d(1)(lib.ones(2)),
    "relu of a leaf, in place": lambda m, lib: m.ReLU(inplace=True)(
        lib.ones(3, requires_grad=True)
    ),
    "no forward": lambda m, lib: m.Module()(1),
}


@pytest.mark.torch
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_as_pytorch_says_it(what, torch):
    said = []
    for lib in (graphlab, torch):
        with pytest.raises(Exception) as caught:
            WRONG[what](lib.nn, lib)
        said.append((type(caught.value).__name__, str(caught.value)))
    assert said[0] == said[1]
