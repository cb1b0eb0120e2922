"""Every public function, given one argument that it does not expect, beside PyTorch.

The other arguments are good ones, so far as their names tell. Either both raise an exception of
the same type, or both give the same; and neither changes its tensors.

Read next: tests/core/test_bad_input.py
"""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import graphlab
from graphlab.common.public import FUNCTIONS
from tests.core.test_bad_input import difference

torch = pytest.importorskip("torch")

# Not tried: what changes something for everyone, and what knows nothing of arguments.
APART = {
    "default_generator", "Generator", "device", "finfo", "from_dlpack", "from_numpy",
    "get_rng_state", "iinfo", "inference_mode", "initial_seed", "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled", "is_inference_mode_enabled", "manual_seed", "seed",
    "set_anomaly_enabled", "set_default_device", "set_float32_matmul_precision",
    "set_printoptions", "set_rng_state", "vmap",
}  # fmt: skip
CHANCE = {
    "alpha_dropout", "bernoulli", "dropout", "dropout1d", "dropout2d", "dropout3d", "empty",
    "empty_like", "empty_strided", "feature_alpha_dropout", "gumbel_softmax", "multinomial",
    "normal", "poisson", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like",
    "randperm", "rrelu", "rrelu_",
}  # fmt: skip
INTEGERS = {"index", "indices", "target", "boundaries"}
GOOD: dict[str, Any] = {
    "dim": 1, "dims": (0, 1), "dim0": 0, "dim1": 1, "axis0": 0, "axis1": 1, "axis": 1, "k": 1,
    "n": 2, "p": 2, "size": (2, 3), "shape": (2, 3), "sizes": (2, 3), "repeats": 2, "chunks": 2,
    "split_size_or_sections": 2, "indices_or_sections": 1, "split_size": 2, "start": 0,
    "length": 1, "end": 4, "steps": 3, "source": 0, "destination": 1, "shifts": 1, "value": 1.5,
    "exponent": 2, "min": 0, "max": 1, "low": 0, "high": 9, "kernel_size": 2, "output_size": 2,
    "normalized_shape": (3,), "num_groups": 1, "groups": 1, "upscale_factor": 1,
    "downscale_factor": 1, "pad": (1, 1), "threshold": 0.5, "fill_value": 2, "q": 0.5,
    "full_input_size": 3, "data": [1.0, 2.0], "obj": [1.0, 2.0], "s": 1.5, "scale_factor": 2,
    "reduce": "sum", "offset": 0, "n_matrices": 2, "num_samples": 2, "norm_type": 2,
    "negative_slope": 0.1, "alpha": 1.0, "lambd": 0.5, "type1": "float32", "type2": "int64",
    "row": 2, "col": 3, "stride": (1, 2), "weight": 0.5, "split_sizes": (1, 2), "a": 0, "b": 1,
    "mean": 0.0, "std": 1.0,
}  # fmt: skip
BAD: list[Any] = [
    7, -7, 1.5, 1.0, "no", None, True, (), (0, 0), (0, 9), [1.5], "cuda", "nonsense", b"no", {},
    "float32", "int64",
]  # fmt: skip
if torch.version.cuda:  # its errors speak of a missing driver
    BAD.remove("cuda")


TRIED = {
    "dim", "dim0", "dim1", "axis", "axis0", "axis1", "start_dim", "end_dim", "dtype", "device",
    "requires_grad",
}  # fmt: skip
# These have a default in a signature that stands for two; a call says them all the same.
SAID = {
    "end", "high", "indices", "indices_or_sections", "low", "mean", "repeats", "size",
    "split_size_or_sections", "src", "start", "std", "steps",
}  # fmt: skip
# What remains different: (function, parameter, argument) and why.
LEFT_OUT = "None is how a Python function is told that nothing was given"
FLAG = "here stands `unbiased` as well, which is a bool"
REMAIN = {
    **{(name, "dim", "None"): LEFT_OUT for name in
       ("max", "median", "min", "nanmedian", "squeeze", "squeeze_copy")},
    **{(name, "dim", "True"): FLAG for name in ("std", "std_mean", "var", "var_mean")},
    ("logsumexp", "dim", "()"): "PyTorch finds no memory of the right size, others take all dims",
    ("concatenate", "dim", "None"): LEFT_OUT,
    ("narrow_copy", "dim", "7"): "PyTorch's sentence is about its own code: self_sizes.size()",
}  # fmt: skip


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def functions() -> dict[str, str]:
    """The public functions, each with the module in which it lies."""
    named = {name: "" for name in FUNCTIONS if hasattr(torch, name)}
    own = graphlab.nn.functional
    for name in dir(own):
        if name[0] != "_" and name not in named and hasattr(torch.nn.functional, name):
            named[name] = "nn.functional"
    kept = {}
    for name, module in named.items():
        found = getattr(place(graphlab, module), name)
        if name not in APART and inspect.isfunction(found):
            kept[name] = module
    return kept


def place(lib: Any, module: str) -> Any:
    return lib.nn.functional if module else lib


def good(lib: Any, parameter: inspect.Parameter) -> Any:
    """An argument as the function wants it, for each library."""
    name = parameter.name
    kind = inspect.formatannotation(parameter.annotation).removeprefix("graphlab.tensor.tensor.")
    rng = np.random.default_rng(len(name))
    if name in INTEGERS and ("Tensor" in kind or name == "indices"):
        return lib.tensor(np.array([[1, 0]]))
    if name == "index":
        return 1
    if name == "mask" or name == "condition":
        return lib.tensor([[True, False, True], [False, True, True]])
    if name in ("repeats", "mean", "std"):
        return GOOD[name]
    if kind.startswith("Tensor"):
        return lib.tensor(rng.uniform(0.1, 0.9, (2, 3)))
    if name in ("tensors", "arrays", "matrices"):
        return [lib.tensor(rng.uniform(0.1, 0.9, (2, 3))) for _ in range(2)]
    if name in GOOD:
        return GOOD[name]
    return lib.tensor(rng.uniform(0.1, 0.9, (2, 3)))


def calls(name: str, module: str) -> list[tuple[str, Any]]:
    """The parameter that gets a bad argument, and that argument."""
    parameters = inspect.signature(getattr(place(graphlab, module), name)).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return []  # a parameter after *sizes is another way to say them
    return [(p.name, bad) for p in parameters if p.name in TRIED for bad in BAD]


def outcome(lib: Any, name: str, module: str, wrong: str, bad: Any) -> Any:
    """What a call gives as arrays and plain things, or the error that it raises."""
    signature = inspect.signature(getattr(place(graphlab, module), name))
    given, options = [], {}
    for parameter in signature.parameters.values():
        needed = parameter.default is parameter.empty or parameter.name in SAID
        value = good(lib, parameter) if parameter.name != wrong else bad
        if wrong == "dtype" == parameter.name and bad in ("float32", "int64"):
            value = getattr(lib, bad)
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if needed and parameter.kind is not parameter.KEYWORD_ONLY:
            given.append(value)
        elif parameter.name == wrong or needed:
            options[parameter.name] = value
    tensors = [x for x in given if isinstance(x, lib.Tensor)]
    before = [np.array(t.numpy()) for t in tensors]
    try:
        with quiet():
            result = getattr(place(lib, module), name)(*given, **options)
            result = plain(lib, result, name in CHANCE)
    except Exception as error:
        result = error
    if not name.endswith("_") and wrong != "inplace":
        for t, b in zip(tensors, before, strict=True):
            assert np.array_equal(t.numpy(), b), f"{name} changed its input"
    return result


def plain(lib: Any, result: Any, by_chance: bool) -> list[Any]:
    """The arrays of a result; other things as arrays of their text."""
    if isinstance(result, tuple | list):
        return [each for part in result for each in plain(lib, part, by_chance)]
    if isinstance(result, lib.Tensor):
        array = np.array(result.detach().numpy())
        return [np.zeros_like(array) if by_chance else array]
    return [np.array([ord(c) for c in str(result)])]


TAKEN = {  # what is not a tensor and taken all the same: (function) and why
    "kl_div": "it is Python in PyTorch too, which needs a tensor only further on",
    "where": "a condition may be a number here",
}


@pytest.mark.parametrize(("name", "module"), [*functions().items()], ids=[*functions()])
def test_what_is_no_tensor_is_refused_where_pytorch_refuses_it(name, module):
    if "input" not in inspect.signature(getattr(place(graphlab, module), name)).parameters:
        return
    taken = []
    for bad in BAD:
        theirs = outcome(torch, name, module, "input", bad)
        if not isinstance(theirs, Exception) or isinstance(theirs, NotImplementedError):
            continue
        if not isinstance(outcome(graphlab, name, module, "input", bad), Exception):
            taken.append(bad)
    assert bool(taken) == (name in TAKEN), taken


CASES = {name: module for name, module in functions().items() if calls(name, module)}


@pytest.mark.parametrize(("name", "module"), [*CASES.items()], ids=[*CASES])
def test_a_bad_argument_is_taken_or_refused_as_pytorch_does(name, module):
    found, different = [], set()
    for wrong, bad in calls(name, module):
        theirs = outcome(torch, name, module, wrong, bad)
        if isinstance(theirs, NotImplementedError):
            continue  # PyTorch has no kernel for this type on this machine; ours may
        why = difference(outcome(graphlab, name, module, wrong, bad), theirs)
        if why and (name, wrong, repr(bad)) in REMAIN:
            different.add((name, wrong, repr(bad)))
        elif why:
            found.append(f"{wrong}={bad!r}: {why}")
    assert found == [], "\n".join(["", *found])
    assert different == {key for key in REMAIN if key[0] == name}, "holds now: take it out"
