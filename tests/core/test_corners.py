"""Corners that programs run into: nan among extremes, what is in a tensor, sentences of operators.

Read next: tests/core/test_bad_input.py
"""

import pytest

import graphlab as torch

NAN = float("nan")
TWO_BOOLS = "with two bool tensors is not supported. Use the `\\^` or `logical_xor"
ONE_BOOL = "with a bool tensor is not supported. If you are trying to invert a mask"


@pytest.mark.parametrize("name", ["max", "min", "median"])
def test_where_nan_is_the_result_the_gradient_goes_to_nan(name):
    x = torch.tensor([1.0, NAN, 3.0, NAN], requires_grad=True)
    getattr(x, name)().backward()
    assert x.grad.tolist() == [0.0, 0.5, 0.0, 0.5]


def test_the_nanmedian_of_nothing_but_nan_sends_its_gradient_to_nan():
    x = torch.tensor([NAN, NAN], requires_grad=True)
    x.nanmedian().backward()
    assert x.grad.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_no_entries_still_asks_for_a_dim_that_is_there(name):
    with pytest.raises(IndexError, match="Dimension out of range"):
        getattr(torch.zeros(0), name)(1)
    assert getattr(torch.zeros(0, 3), name)(1).shape == (0, 3)


def test_in_asks_whether_any_entry_is_equal():
    assert 3 in torch.tensor([1, 3])
    assert 2.5 not in torch.tensor([1, 3])
    assert torch.tensor([1, 2]) in torch.tensor([[1, 2], [3, 4]])
    assert torch.tensor([1, 3]) in torch.tensor([[1, 2], [4, 5]])  # one entry is enough
    with pytest.raises(RuntimeError, match="only supports Tensor or scalar, but you passed in"):
        "a" in torch.tensor([1])  # noqa: B015


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda b: b - b, TWO_BOOLS),
        (lambda b: b - True, TWO_BOOLS),
        (lambda b: True - b, TWO_BOOLS),
        (lambda b: b - 1, ONE_BOOL),
        (lambda b: 1 - b, ONE_BOOL),
        (lambda b: torch.tensor([1]) - b, ONE_BOOL),
        (lambda b: b.long() ** -1, "^Integers to negative integer powers are not allowed.$"),
    ],
)
def test_what_operators_refuse_is_said_as_pytorch_says_it(call, sentence):
    with pytest.raises(RuntimeError, match=sentence):
        call(torch.tensor([True]))
