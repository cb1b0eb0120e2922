"""Sequences of several lengths become one tensor and come back, as with PyTorch.

Read next: graphlab/nn/utils/rnn.py
"""

from __future__ import annotations

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
