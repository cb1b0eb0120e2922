"""Every operation, given tensors that it does not expect: what PyTorch does, or its error.

Each sample's call is made again with tensors of other shapes and types, empty ones, NaN and
infinities. Where PyTorch raises, GraphLab raises the same type; where PyTorch computes, GraphLab
gives the same. Neither changes its inputs.

Read next: tests/core/samples/__init__.py
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import graphlab
from tests.core.samples import KINKS, SAMPLES, Sample, name_of, recorded_rules

torch = pytest.importorskip("torch")

SHAPES = [
    (), (0,), (1,), (2,), (3,), (1, 3), (2, 3), (3, 2), (2, 0), (0, 3), (3, 3), (2, 3, 4),
    (1, 1, 1), (2, 2, 1, 3), (1, 2, 3, 3),
]  # fmt: skip
TYPES = ["float32", "float64", "float64", "float16", "int64", "int32", "uint8", "int8", "bool"]
VALUES = [-2.0, -1.0, -0.5, 0.0, 0.0, 0.5, 1.0, 2.0, 3.0, np.nan, np.inf, -np.inf]
DRAWS = 12  # for each sample
# The engine alone runs these, with a gradient of the input's shape and type: only values are drawn.
FITTING = {sample.op for sample in recorded_rules.SAMPLES}


def drawn(sample: Sample, rng: np.random.Generator) -> list[np.ndarray]:
    """Arrays for a call of the sample: some as they should be, others in ways that are not."""
    arrays = []
    for seed, arg in enumerate(sample.args):
        array = arg.array(np.float64, seed)
        if rng.random() < 0.45 and sample.op not in FITTING:
            array = np.resize(array, SHAPES[rng.integers(len(SHAPES))])
        if rng.random() < 0.35 and sample.op not in FITTING:
            with np.errstate(invalid="ignore"):  # nan as an integer
                array = array.astype(TYPES[rng.integers(len(TYPES))])
        if rng.random() < 0.3 and array.size:
            picked = rng.choice(VALUES, array.shape)
            with np.errstate(invalid="ignore"):
                array = picked.astype(array.dtype) if array.dtype.kind == "f" else array
        arrays.append(np.ascontiguousarray(array).reshape(array.shape))
    return arrays


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def outcome(lib: Any, sample: Sample, arrays: list[np.ndarray]) -> Any:
    """The arrays that a call gives, with the gradients; or the error that it raises."""
    tensors = []
    for array, arg in zip(arrays, sample.args, strict=True):
        t = lib.tensor(array)
        tensors.append(t.requires_grad_() if arg.wants_grad and array.dtype.kind == "f" else t)
    before = [np.array(t.detach().numpy()) for t in tensors]
    try:
        with quiet():
            result = sample.call(lib, *tensors)
            results = list(result) if isinstance(result, tuple | list) else [result]
            results = [r for r in results if hasattr(r, "detach")]
            used = [r for r in results if r.requires_grad]
            if used:
                lib.autograd.backward(used, [lib.ones_like(r) for r in used])
    except Exception as error:
        assert all(np.array_equal(t.detach().numpy(), b, equal_nan=b.dtype.kind == "f")
                   for t, b in zip(tensors, before, strict=True))  # fmt: skip
        return error
    assert all(np.array_equal(t.detach().numpy(), b, equal_nan=b.dtype.kind == "f")
               for t, b in zip(tensors, before, strict=True))  # fmt: skip
    grads = [t.grad for t in tensors if t.requires_grad]
    return [np.array(r.numpy(force=True)) for r in [*results, *(g for g in grads if g is not None)]]


def difference(ours: Any, theirs: Any) -> str:
    """What is different in two outcomes; nothing where both are the same."""
    if isinstance(theirs, Exception):
        if not isinstance(ours, Exception):
            return f"PyTorch raises {type(theirs).__name__}: {str(theirs)[:150]!r}; we do not"
        same = any(base.__name__ == type(theirs).__name__ for base in type(ours).__mro__)
        return "" if same else f"{ours!r:.200} instead of {theirs!r:.200}"
    if isinstance(ours, Exception):
        return f"{ours!r:.200}; PyTorch computes {theirs}"
    if len(ours) != len(theirs):
        return f"{len(ours)} results instead of {len(theirs)}"
    for a, b in zip(ours, theirs, strict=True):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{a.dtype}{a.shape} instead of {b.dtype}{b.shape}"
        loose = 2e-2 if a.dtype == np.float16 else 1e-4 if a.dtype == np.float32 else 1e-9
        with np.errstate(all="ignore"):
            if not np.allclose(a, b, rtol=loose, atol=loose, equal_nan=True):
                return f"{a.tolist()} instead of {b.tolist()}"
    return ""


# What PyTorch does here is nobody's wish: (operation, what is seen, why).
ACCIDENTS = [
    ("addcdiv", "result type Float can't be cast", "its rule divides in an integer's memory"),
    ("cdist", "nan", "which entry of a vector is compared first decides what becomes of NaN"),
    ("clamp_tensor", "match the broadcast shape", "its rule widens a mask in the mask's memory"),
    ("digamma", "inf]]] instead of [[[6.58079", "at a pole it divides by sin π, which is not 0"),
    ("hardsigmoid", "0.1666666716337204", "its sixth is a float32 also among float64"),
    ("huber_loss", "Found dtype", "its forward kernel takes two types, its other one does not"),
    ("index_put", "INTERNAL ASSERT FAILED", "it calls that a bug itself"),
    ("linalg_cholesky_ex", "minor of order 3", "rounding makes a singular matrix positive or not"),
    ("logaddexp", "Subtraction, the `-` operator", "its rule subtracts an input of bool"),
    ("logaddexp2", "Subtraction, the `-` operator", "its rule subtracts an input of bool"),
    ("polygamma", "inf]]] instead of [[[6.58079", "at a pole it divides by sin π, which is not 0"),
    ("pow_tensor", "Subtraction, the `-` operator", "its rule takes 1 from an exponent of bool"),
]


def is_accident(op: str, why: str) -> bool:
    return any(op == name and seen in why for name, seen, _ in ACCIDENTS)


CRASHES = {"embedding_bag", "weight_norm_interface"}  # PyTorch reads beyond its memory
TRIED = [s for s in [*SAMPLES, *KINKS] if s.op not in CRASHES]


@pytest.mark.parametrize("sample", TRIED, ids=name_of)
def test_unexpected_tensors_are_taken_or_refused_as_pytorch_does(sample):
    rng = np.random.default_rng(7)
    found = []
    for _ in range(DRAWS):
        arrays = drawn(sample, rng)
        theirs = outcome(torch, sample, arrays)
        if isinstance(theirs, NotImplementedError) or "not implemented for" in str(theirs):
            continue  # PyTorch has no kernel for this type on this machine; ours may
        ours = outcome(graphlab, sample, arrays)
        why = difference(ours, theirs)
        if why and not is_accident(sample.op, why):
            shown = ", ".join(f"{a.dtype}{list(a.shape)} {a.tolist()}" for a in arrays)
            found.append(f"{why}  <- {shown}")
    assert found == [], "\n".join(["", *found])
