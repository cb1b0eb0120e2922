"""Recurrent cells and layers begin, compute, differentiate and complain as PyTorch's.

Read next: tests/nn/test_modules.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab
from graphlab import nn

rng = np.random.default_rng(1)
X = rng.normal(size=(5, 3, 2))  # steps, batch, features
H = rng.normal(size=(8, 3, 4))


def layer_run(lib, kind, options, batched=True, state=True):
    """What a layer is, holds, computes and differentiates."""
    lib.manual_seed(2)
    layer = getattr(lib.nn, kind)(2, 4, **options)
    if options.get("dropout"):
        layer.eval()
    data = X if batched else X[:, 0]
    if options.get("batch_first") and batched:
        data = np.swapaxes(data, 0, 1)
    x = lib.tensor(data, dtype=lib.float32, requires_grad=True)
    n = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    first = options.get("proj_size") or 4
    parts = [H[:n, :, :first], H[:n] * 0.5]
    hx = [
        lib.tensor(p if batched else p[:, 0], dtype=lib.float32, requires_grad=True) for p in parts
    ]
    given = (x,) if not state else (x, tuple(hx) if kind == "LSTM" else hx[0])
    output, after = layer(*given)
    after = after if isinstance(after, tuple) else (after,)
    total = (output * output).sum() + sum((h * h.detach().cos()).sum() for h in after)
    total.backward()
    leaves = [x, *(hx[: len(after)] if state else []), *layer.parameters()]
    return (
        [repr(layer), [k for k, _ in layer.named_parameters()], layer._flat_weights_names],
        [p.tolist() for p in layer.parameters()],
        [t.detach().numpy() for t in (output, *after)],
        [leaf.grad.numpy() for leaf in leaves],
    )


OPTIONS = [
    {},
    {"num_layers": 3},
    {"bidirectional": True},
    {"batch_first": True, "bias": False},
    {"num_layers": 2, "bidirectional": True, "dropout": 0.5},
]
LAYERS = [(kind, options) for kind in ("RNN", "LSTM", "GRU") for options in OPTIONS]
LAYERS += [("RNN", {"nonlinearity": "relu"}), ("LSTM", {"proj_size": 2, "num_layers": 2})]


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:LSTM with projections")  # PyTorch's own
@pytest.mark.parametrize("state", [True, False])
@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize(("kind", "options"), LAYERS)
def test_a_layer_is_pytorchs(kind, options, batched, state, torch):
    ours, theirs = (layer_run(lib, kind, options, batched, state) for lib in (graphlab, torch))
    assert ours[:2] == theirs[:2]
    for a, b in zip([*ours[2], *ours[3]], [*theirs[2], *theirs[3]], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)  # float32, sums over five steps


@pytest.mark.torch
@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("state", [True, False])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("RNNCell", {}),
        ("RNNCell", {"nonlinearity": "relu", "bias": False}),
        ("LSTMCell", {}),
        ("LSTMCell", {"bias": False}),
        ("GRUCell", {}),
    ],
)
def test_a_cell_is_pytorchs(kind, options, batched, state, torch):
    found = []
    for lib in (graphlab, torch):
        lib.manual_seed(2)
        cell = getattr(lib.nn, kind)(2, 4, **options)
        x, h, c = (
            lib.tensor(a if batched else a[0], dtype=lib.float32, requires_grad=True)
            for a in (X[0], H[0], H[1])
        )
        given = (x,) if not state else (x, (h, c) if kind == "LSTMCell" else h)
        after = cell(*given)
        after = after if isinstance(after, tuple) else (after,)
        sum((part * part).sum() for part in after).backward()
        found.append(
            (
                [repr(cell), [k for k, _ in cell.named_parameters()]],
                [p.tolist() for p in cell.parameters()],
                [type(part.grad_fn).__name__ for part in after],
                [part.detach().numpy() for part in after],
                [p.grad.numpy() for p in (x, *cell.parameters())],
            )
        )
    assert found[0][:3] == found[1][:3]
    for i in (3, 4):
        for a, b in zip(found[0][i], found[1][i], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_dropout_between_layers_acts_in_training_alone():
    graphlab.manual_seed(0)
    layer = nn.GRU(2, 4, num_layers=2, dropout=0.9)
    x = graphlab.ones(3, 1, 2)
    first, second = layer(x)[0].tolist(), layer(x)[0].tolist()
    assert first != second
    layer.eval()
    assert layer(x)[0].tolist() == layer(x)[0].tolist()


WRONG = {
    "features": lambda m, lib: m.LSTM(2, 3)(lib.ones(1, 1, 4)),
    "dims of an LSTM": lambda m, lib: m.LSTM(2, 3)(lib.ones(2)),
    "dims of a GRU": lambda m, lib: m.GRU(2, 3)(lib.ones(1, 1, 1, 2)),
    "dims of an RNN": lambda m, lib: m.RNN(2, 3)(lib.ones(2)),
    "a batch in the state": lambda m, lib: m.GRU(2, 3)(lib.ones(4, 2), lib.ones(1, 1, 3)),
    "no batch in the state": lambda m, lib: m.RNN(2, 3)(lib.ones(4, 1, 2), lib.ones(1, 3)),
    "no batch in two states": lambda m, lib: m.LSTM(2, 3)(
        lib.ones(4, 1, 2), (lib.ones(1, 3), lib.ones(1, 1, 3))
    ),
    "another state": lambda m, lib: m.GRU(2, 3)(lib.ones(4, 1, 2), lib.ones(1, 2, 3)),
    "another cell state": lambda m, lib: m.LSTM(2, 3)(
        lib.ones(4, 1, 2), (lib.ones(1, 1, 3), lib.ones(1, 1, 5))
    ),
    "a type": lambda m, lib: m.LSTM(2, 3)(lib.ones(4, 1, 2, dtype=lib.float64)),
    "no features": lambda m, lib: m.LSTM(0, 3),
    "half a size": lambda m, lib: m.LSTM(2, 3.5),
    "no layers": lambda m, lib: m.GRU(2, 3, num_layers=0),
    "too much dropout": lambda m, lib: m.GRU(2, 3, dropout=2),
    "a bias": lambda m, lib: m.GRU(2, 3, bias=1),
    "a projection of a GRU": lambda m, lib: m.GRU(2, 3, proj_size=1),
    "a large projection": lambda m, lib: m.LSTM(2, 3, proj_size=3),
    "a nonlinearity": lambda m, lib: m.RNN(2, 3, nonlinearity="sin"),
    "a cell's nonlinearity": lambda m, lib: m.RNNCell(2, 3, nonlinearity="sin")(lib.ones(2)),
    "dims of a cell": lambda m, lib: m.LSTMCell(2, 3)(lib.ones(1, 1, 2)),
    "dims of a cell's state": lambda m, lib: m.GRUCell(2, 3)(lib.ones(1, 2), lib.ones(1, 1, 3)),
    "dims of a cell's second state": lambda m, lib: m.LSTMCell(2, 3)(
        lib.ones(1, 2), (lib.ones(1, 3), lib.ones(1, 1, 3))
    ),
    "features of a cell": lambda m, lib: m.GRUCell(2, 3)(lib.ones(1, 4)),
    "batch of a cell": lambda m, lib: m.RNNCell(2, 3)(lib.ones(1, 2), lib.ones(2, 3)),
    "state of a cell": lambda m, lib: m.LSTMCell(2, 3)(
        lib.ones(1, 2), (lib.ones(1, 3), lib.ones(1, 4))
    ),
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


def test_dropout_of_one_layer_is_warned_of():
    with pytest.warns(UserWarning, match="non-zero dropout expects num_layers greater than 1"):
        nn.LSTM(1, 2, dropout=0.5)


def tree(node):
    """A node with what lies below it, by name."""
    if node is None:
        return None
    return (node.name(), [tree(below) for below, _ in node.next_functions])


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["RNNCell", "LSTMCell", "GRUCell", "RNN", "GRU"])
def test_the_graph_is_pytorchs(kind, torch):
    found = []
    for lib in (graphlab, torch):
        module = getattr(lib.nn, kind)(2, 3)
        x = lib.ones(*((1, 2) if "Cell" in kind else (2, 1, 2)), requires_grad=True)
        output = module(x)
        output = output if isinstance(output, tuple) else (output,)
        found.append([tree(part.grad_fn) for part in output])
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_a_sequence_without_steps_is_refused(name):
    with pytest.raises(RuntimeError, match="Expected sequence length to be larger than 0 in RNN"):
        getattr(graphlab.nn, name)(3, 4)(graphlab.ones(0, 2, 3))
