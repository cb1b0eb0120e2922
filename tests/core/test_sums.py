"""The sum that undoes a broadcast adds up in the order of `sum` over these dimensions."""

from itertools import product

import numpy as np
import pytest

import graphlab as torch
from graphlab.primitives.numpy_reading.shapes import add_up

FULL = [(70,), (8, 5), (1, 70), (70, 1), (5000, 2), (2, 5000), (33, 70), (4, 9, 33), (2, 5, 3, 40)]


def smaller(full):
    """Each shape that can be broadcast to `full`, and the dimensions over which that repeats it."""
    for lead in range(len(full) + 1):
        for ones in product((False, True), repeat=len(full) - lead):
            rest = full[lead:]
            small = tuple(1 if one else n for one, n in zip(ones, rest, strict=True))
            places = [lead + i for i, n in enumerate(rest) if n != small[i]]
            if dims := (*range(lead), *places):
                yield small, dims


def same(full, small, dims, dtype, create_graph, upside_down):
    """Whether the gradient of the repeated tensor is, bit for bit, the sum of the other's."""
    torch.manual_seed(0)
    x = torch.randn(full, dtype=dtype, requires_grad=True)
    b = torch.randn(small, dtype=dtype, requires_grad=True)
    p = x + b
    of_p = p.transpose(0, -1) * 0.3 if upside_down else p
    grad, of_b = torch.autograd.grad(of_p.tanh().sum(), [p, b], create_graph=create_graph)
    found = [grad.sum(dims, keepdim=True), grad.sum_to_size(small)]
    found += [grad.sum()] * (len(dims) == len(full)) + [grad.sum(dims)]
    return all(torch.equal(one.reshape(small), of_b) for one in found)


@pytest.mark.parametrize("upside_down", [False, True], ids=["in order", "transposed"])
@pytest.mark.parametrize("create_graph", [False, True], ids=["grad", "create_graph"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("full", FULL, ids=str)
def test_gradient_of_a_repeated_tensor_is_the_sum_bit_for_bit(
    full, dtype, create_graph, upside_down
):
    found = {s: same(full, s, d, dtype, create_graph, upside_down) for s, d in smaller(full)}
    assert found == dict.fromkeys(found, True)


def test_a_dimension_that_does_not_exist_is_refused():
    with pytest.raises(IndexError):
        add_up(np.ones(3, np.float32), (1,))
