"""What GraphLab leaves out of PyTorch is refused with a reason, and hasattr says that it is absent.

Read next: graphlab/compat/distributions/__init__.py
"""

from __future__ import annotations

from importlib import import_module

import pytest

import graphlab
from graphlab import distributions
from graphlab.compat.distributions import _ABSENT

REASONS = {
    "bfloat16": "NumPy has no such type",
    "complex64": "complex tensors are not supported",
    "polar": "torch.polar is not supported, because complex tensors are not",
    "fft": "keep the real and the imaginary part in two tensors",
    "sparse_coo_tensor": "because sparse tensors are not: use a dense tensor",
}


@pytest.mark.parametrize("name", REASONS)
def test_a_name_that_is_left_out_gives_its_reason(name):
    assert not hasattr(graphlab, name)
    with pytest.raises(AttributeError, match=REASONS[name]):
        getattr(graphlab, name)
    with pytest.raises(ImportError, match=REASONS[name]):
        exec(f"from graphlab import {name}", {})


def test_so_does_a_distribution():
    assert not hasattr(distributions, "HalfNormal")
    said = (
        "distributions.HalfNormal is not supported: .* TransformedDistribution, or write log_prob"
    )
    with pytest.raises(AttributeError, match=said):
        _ = distributions.HalfNormal
    with pytest.raises(ImportError, match=said):
        exec("from graphlab.distributions import Normal, HalfNormal", {})


def test_a_name_that_nobody_has_gives_no_reason():
    with pytest.raises(AttributeError, match="has no attribute 'Normall'"):
        _ = distributions.Normall
    with pytest.raises(ImportError, match="cannot import name 'Normall'"):
        exec("from graphlab.distributions import Normall", {})


@pytest.mark.torch
def test_all_of_pytorchs_distributions_are_there_or_left_out_with_a_reason(torch):
    assert {*torch.distributions.__all__} - {*distributions.__all__} == _ABSENT
    assert all(hasattr(torch, name) for name in graphlab.ABSENT)


@pytest.mark.parametrize("name", ["cudnn", "mps"])
def test_the_parts_of_backends_are_imported_by_their_paths(name):
    part = import_module(f"graphlab.backends.{name}")
    assert part is getattr(graphlab.backends, name)
    assert not part.is_available()


@pytest.mark.parametrize("name", ["bessel_j0", "legendre_polynomial_p", "zeta"])
def test_so_does_a_special_function_that_pytorch_does_not_differentiate(name):
    assert not hasattr(graphlab.special, name)
    with pytest.raises(AttributeError, match=f"torch.special.{name} is not supported, because"):
        getattr(graphlab.special, name)
