"""Sequences of several lengths become one tensor and come back, as with PyTorch.

Read next: graphlab/nn/utils/rnn.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab

OPTIONS = [{}, {"batch_first": True}, {"padding_side": "left"}, {"padding_value": -1.0}]


def padded(lib, options):
    """The padded tensor as text, the names of its history, and the gradient behind it."""
    parts = [lib.arange(1.0, 1 + 2 * n).reshape(n, 2).requires_grad_() for n in (3, 1, 2)]
    tensor = lib.nn.utils.rnn.pad_sequence(parts, **options)
    names, node = [], tensor.grad_fn
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0]
    (tensor**2).sum().backward()
    return repr(tensor.detach()), names, [part.grad.tolist() for part in parts]


@pytest.mark.torch
@pytest.mark.parametrize("options", OPTIONS)
def test_sequences_are_padded_as_pytorch_pads_them(options, torch):
    assert padded(graphlab, options) == padded(torch, options)


def test_what_was_padded_comes_back():
    rnn = graphlab.nn.utils.rnn
    parts = [graphlab.tensor([1.0, 2.0, 3.0]), graphlab.tensor([4.0])]
    for first in (False, True):
        whole = rnn.pad_sequence(parts, batch_first=first)
        back = rnn.unpad_sequence(whole, graphlab.tensor([3, 1]), batch_first=first)
        assert [one.tolist() for one in back] == [[1.0, 2.0, 3.0], [4.0]]


@pytest.mark.torch
@pytest.mark.parametrize("arguments", [([],), ([1], False, 0.0, "middle")])
def test_what_cannot_be_padded_is_refused_in_pytorchs_words(arguments, torch):
    said = []
    for lib in (graphlab, torch):
        parts = [lib.ones(n) for n in arguments[0]]
        with pytest.raises(RuntimeError, match=r"padding_side|empty") as error:
            lib.nn.utils.rnn.pad_sequence(parts, *arguments[1:])
        said.append(str(error.value))
    assert said[0] == said[1]


# -- packed sequences ----------------------------------------------------------------------------


def packed(lib, options, lengths=(2, 4, 1)):
    """What packing and unpacking give, and the gradient behind them."""
    x = lib.arange(24.0).reshape(3, 4, 2).requires_grad_()
    rnn = lib.nn.utils.rnn
    one = rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    back, found = rnn.pad_packed_sequence(one, **options)
    (back**2).sum().backward()
    return repr(one).split("grad_fn")[0], one.batch_sizes, one.sorted_indices, back, found, x.grad


@pytest.mark.torch
@pytest.mark.parametrize(
    "options", [{}, {"batch_first": True}, {"padding_value": -1.0}, {"total_length": 6}]
)
def test_sequences_are_packed_as_pytorch_packs_them(options, torch):
    assert list(map(repr, packed(graphlab, options))) == list(map(repr, packed(torch, options)))


def test_what_was_packed_comes_back_without_pytorch():
    _, sizes, order, back, lengths, grad = packed(graphlab, {"batch_first": True})
    assert (sizes.tolist(), order.tolist(), lengths.tolist()) == (
        [3, 2, 1, 1],
        [1, 0, 2],
        [2, 4, 1],
    )
    assert back[0].tolist() == [[0, 1], [2, 3], [0, 0], [0, 0]]
    assert grad[2].tolist() == [[32, 34], [0, 0], [0, 0], [0, 0]]


def ran(lib, kind, options, sorted):
    """A recurrent layer's outputs and states for packed sequences, and its gradients."""
    lib.manual_seed(0)
    layer = getattr(lib.nn, kind)(2, 3, **options)
    x = (lib.arange(24.0) / 24).reshape(3, 4, 2).requires_grad_()
    lengths = [4, 2, 1] if sorted else [2, 4, 1]
    rnn = lib.nn.utils.rnn
    one = rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=sorted)
    outputs, state = layer(one)
    state = state if isinstance(state, tuple) else (state,)
    (outputs.data.sum() + sum((part**2).sum() for part in state)).backward()
    grads = [p.grad for p in layer.parameters()]
    padded, _ = rnn.pad_packed_sequence(outputs, batch_first=True)
    return [t.tolist() for t in (padded, *state, x.grad, *grads)]


LAYERS = [
    ("RNN", {}),
    ("GRU", {"num_layers": 2}),
    ("LSTM", {"bidirectional": True, "num_layers": 2}),
    ("LSTM", {"proj_size": 2}),
]


@pytest.mark.torch
@pytest.mark.parametrize("sorted", [True, False])
@pytest.mark.parametrize(("kind", "options"), LAYERS)
def test_recurrent_layers_run_along_packed_sequences(kind, options, sorted, torch):
    ours, theirs = (ran(lib, kind, options, sorted) for lib in (graphlab, torch))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)  # float32, through some 8 steps


def test_a_packed_sequence_gives_what_each_sequence_alone_gives():
    layer = graphlab.nn.GRU(2, 3, bidirectional=True)
    parts = [graphlab.randn(n, 2) for n in (2, 4, 1)]
    packed = graphlab.nn.utils.rnn.pack_sequence(parts, enforce_sorted=False)
    outputs, h = layer(packed)
    for i, (part, own) in enumerate(
        zip(parts, graphlab.nn.utils.rnn.unpack_sequence(outputs), strict=True)
    ):
        alone, last = layer(part)
        assert graphlab.allclose(own, alone)
        assert graphlab.allclose(h[:, i], last)


@pytest.mark.torch
@pytest.mark.parametrize(
    "arguments",
    [([2, 4],), ([0, 0, 0, 0],), ([3, 2, 1, 0],), ([3, 1, 2, 1],), ([[1, 2]],)],
)
def test_lengths_that_do_not_fit_are_refused_in_pytorchs_words(arguments, torch):
    said = []
    for lib in (graphlab, torch):
        with pytest.raises(RuntimeError, match="lengths") as error:
            lib.nn.utils.rnn.pack_padded_sequence(lib.ones(3, 4), *arguments)
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.torch
@pytest.mark.parametrize(
    "line", ["p.long()", "p.int()", "p.short()", "p.byte()", "p.char()", "p.half()", "p.double()",
             "p.float() is p", "p.is_pinned()", "p.is_cuda"]
)  # fmt: skip
def test_a_packed_sequence_is_converted_as_in_pytorch(line, torch):
    def shown(lib):
        packed = lib.nn.utils.rnn.pack_sequence([lib.tensor([1.0, 2.0]), lib.tensor([3.0])])
        return repr(eval(line, {"p": packed}))

    assert shown(graphlab) == shown(torch)
