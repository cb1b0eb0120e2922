"""What slips inside a function is refused with a sentence, and nothing else changes.

Read next: graphlab/tensor/functions/refusals.py
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import graphlab
from graphlab import nn

F = nn.functional


@pytest.mark.parametrize("function", [F.gelu, F.softmax, graphlab.softmax, graphlab.exp, F.celu])
def test_a_public_function_is_pickled_by_its_name(function):
    assert pickle.loads(pickle.dumps(function)) is function


def test_a_layer_that_holds_a_function_is_pickled():
    layer = nn.TransformerEncoderLayer(4, 2, activation=F.gelu)
    assert pickle.loads(pickle.dumps(layer)).activation is F.gelu


def test_an_error_in_the_users_own_function_stays_what_it_is():
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        graphlab.ones(3).apply_(lambda value: np.linalg.inv(np.ones((2, 3))))


@pytest.mark.parametrize(
    "call",
    [
        lambda: F.softmax([1.0, 2.0], 0),
        lambda: graphlab.mm([1], 2),
        lambda: F.cross_entropy(graphlab.ones(2, 2), [0, 1]),
        lambda: F.mse_loss(graphlab.ones(2), [1, 2]),
    ],
)
def test_a_list_in_place_of_a_tensor_is_named(call):
    with pytest.raises(TypeError, match=r"must be Tensor, not list"):
        call()


@pytest.mark.parametrize("end", ["float16", "uint8", "int64"])
def test_lerp_calls_a_type_what_pytorch_calls_it(end):
    torch, said = pytest.importorskip("torch"), []
    for library in (torch, graphlab):
        with pytest.raises(RuntimeError, match="expected dtype float for") as error:
            library.lerp(library.ones(2), library.ones(2).to(getattr(library, end)), 0.5)
        said.append(str(error.value))
    assert said[0] == said[1]
