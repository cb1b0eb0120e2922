"""Expressions of one line, good and bad: what they show, raise and warn of is PyTorch's.

The lines are in tests/data/expressions.txt; x, y, A and the others are the tensors of `names`.

Read next: tests/core/test_dtypes.py
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import graphlab
from graphlab.tensor.functions.shared_memory import warn_once
from tests.parity.describe import same_text

pytestmark = pytest.mark.torch
LINES = [
    line
    for line in (Path(__file__).parent.parent / "data" / "expressions.txt").read_text().splitlines()
    if line and not line.startswith("#")
]


def names(lib):
    """What an expression may name: fresh tensors of the library."""
    return {
        "torch": lib,
        "F": lib.nn.functional,
        "np": np,
        "x": lib.tensor([1.0, 2.0, 3.0], requires_grad=True),
        "y": lib.tensor([0.5, -1.0, 2.5], requires_grad=True),
        "A": (lib.arange(6.0).reshape(2, 3) + 0.5).requires_grad_(),
        "p": lib.tensor([0.2, 0.5, 0.8], requires_grad=True),
        "lab": lib.tensor([0, 2]),
        "s": lib.tensor(2.0, requires_grad=True),
        "m": lib.tensor([True, False, True]),
        "k": lib.tensor([1.0, 2.0, 3.0]),
    }


def shown(lib, line):
    """The result as it is shown, or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = eval(line, names(lib))
            if hasattr(result, "_is_zerotensor") and result._is_zerotensor():
                result = result + 0
            text = repr(result)
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
    return text, [str(w.message) for w in caught]


@pytest.mark.parametrize("line", LINES)
def test_an_expression_shows_and_raises_what_it_does_in_pytorch(torch, line):
    if torch.version.cuda and ("cuda" in line or "device(0)" in line):
        pytest.skip("this PyTorch is built for CUDA")
    warn_once.cache_clear()  # both libraries warn again, whatever an earlier test did
    torch.storage._reset_warn_typed_storage_removal()
    (ours, warned), (theirs, they_warn) = shown(graphlab, line), shown(torch, line)
    assert same_text(ours, theirs), f"{ours} is not {theirs}"
    assert warned == they_warn
    assert not torch._C._len_torch_function_stack(), "a PyTorch mode stays on for later tests"
