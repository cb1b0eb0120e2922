"""What slips inside a function is refused with a sentence, and nothing else changes.

Read next: graphlab/tensor/functions/refusals.py
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from datetime import date
from fractions import Fraction

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


def others(lib):
    """Values that are no tensors: of Python, of modules in C, and of the library."""
    return [
        np.zeros(3), np.float64(1), np.int64(1), OrderedDict(), Fraction(1, 2), date(2020, 1, 1),
        lib.float32, lib.Size([1]), lib.nn.ReLU(), None, "text", range(2),
    ]  # fmt: skip


@pytest.mark.torch
def test_what_is_given_in_place_of_a_tensor_has_pytorchs_name(torch):
    said: dict[object, list[str]] = {graphlab: [], torch: []}
    for lib, texts in said.items():
        for value in others(lib):
            with pytest.raises(TypeError, match="must be Tensor, not") as caught:
                lib.nn.Linear(3, 2)(value)
            texts.append(str(caught.value))
    assert said[graphlab] == said[torch]
    assert said[torch][0].endswith("must be Tensor, not numpy.ndarray")


NO_TENSOR = {
    "mean([a, b])": lambda m, x: m.mean([x, x]),
    "dot of lists": lambda m, x: m.dot([1.0, 2.0], [3.0, 4.0]),
    "dot with a list": lambda m, x: m.dot(x, [3.0, 4.0]),
    "x.dot(list)": lambda m, x: x.dot([3.0, 4.0]),
    "x.add(list)": lambda m, x: x.add([3.0, 4.0]),
    "x.mm(list)": lambda m, x: x.mm([3.0]),
    "x.matmul(list)": lambda m, x: x.matmul([3.0, 4.0]),
    "matmul(x, list)": lambda m, x: m.matmul(x, [3.0, 4.0]),
    "matmul(list, x)": lambda m, x: m.matmul([3.0, 4.0], x),
    "bmm": lambda m, x: m.bmm([1.0], x),
    "mv": lambda m, x: m.mv(x, [1.0]),
    "numel": lambda m, x: m.numel([1.0]),
    "t": lambda m, x: m.t([[1, 2]]),
    "squeeze": lambda m, x: m.squeeze([1.0]),
    "unsqueeze": lambda m, x: m.unsqueeze([1.0], 0),
    "reshape": lambda m, x: m.reshape([1.0], (1,)),
    "abs_": lambda m, x: m.abs_([1.0, 2.0]),
    "zero_": lambda m, x: m.zero_([1.0, 2.0]),
    "backward": lambda m, x: x.backward(retain_grad=True),
    "register_hook": lambda m, x: x.register_hook(),
    "shape": lambda m, x: x.shape[1],
}


@pytest.mark.torch
@pytest.mark.parametrize("call", NO_TENSOR)
def test_the_sentence_is_pytorchs(call):
    torch, said = pytest.importorskip("torch"), []
    for library in (torch, graphlab):
        with pytest.raises((TypeError, IndexError)) as error:
            NO_TENSOR[call](library, library.tensor([1.0, 2.0]))
        said.append((type(error.value), str(error.value)))
    assert said[0] == said[1]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: graphlab.lt(x),
        lambda x: x.eq(),
        lambda x: x.where(),
        lambda x: x.float(1),
        lambda x: type(x)([1, 2], requires_grad=True),
        lambda x: x.size(0, 1),
        lambda x: x.numel(1),
    ],
)
def test_an_error_has_no_name_of_graphlabs_own(call):
    name = r"^(lt|eq|where|float|new|Tensor\.size|Tensor\.numel)\(\) (missing|takes|got)"
    with pytest.raises(TypeError, match=name):
        call(graphlab.ones(2))


@pytest.mark.parametrize("end", ["float16", "uint8", "int64"])
def test_lerp_calls_a_type_what_pytorch_calls_it(end):
    torch, said = pytest.importorskip("torch"), []
    for library in (torch, graphlab):
        with pytest.raises(RuntimeError, match="expected dtype float for") as error:
            library.lerp(library.ones(2), library.ones(2).to(getattr(library, end)), 0.5)
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.parametrize(
    "name",
    [
        "sum",
        "mean",
        "prod",
        "max",
        "min",
        "argmax",
        "argmin",
        "logsumexp",
        "median",
        "mode",
        "amax",
        "amin",
        "nansum",
        "nanmedian",
    ],
)
def test_a_second_dimension_is_not_taken_for_keepdim(name: str) -> None:
    x = graphlab.ones(2, 3, 4)
    said = rf"{name}\(\): argument 'keepdim' \(position 2\) must be bool, not int"  # as in PyTorch
    with pytest.raises(TypeError, match=said):
        getattr(x, name)(0, 1)
    with pytest.raises(TypeError, match="must be bool, not int"):
        getattr(graphlab, name)(x, dim=0, keepdim=1)
    assert getattr(x, name)(0, True) is not None


@pytest.mark.parametrize("call", ["x.std(0, 1)", "x.sort(0, 1)", "x.topk(1, 0, 1)", "x.any(0, 1)"])
def test_other_flags_take_no_number_either(call: str) -> None:
    with pytest.raises(TypeError, match="must be bool, not int"):
        eval(call, {"x": graphlab.ones(2, 3, 4)})


@pytest.mark.parametrize(
    "call",
    [
        lambda torch: f"{torch.ones(()):d}",
        lambda torch: type("M", (torch.nn.Module,), {})(foo=1),
        lambda torch: type("M", (torch.nn.Module,), {})(1, 2),
    ],
)
def test_formats_and_modules_are_refused_as_in_pytorch(call):
    torch, said = pytest.importorskip("torch"), []
    for library in (torch, graphlab):
        with pytest.raises((TypeError, ValueError)) as error:
            call(library)
        said.append((type(error.value), str(error.value)))
    assert said[0] == said[1]
