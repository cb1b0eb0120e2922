"""Sums, means, extrema and softmax, with the dims and overloads that PyTorch has.

Read next: tensor/functions/products.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.decisions import came_from
from graphlab.autograd.record import applied, apply
from graphlab.common.dtypes import dtype, named
from graphlab.common.public import public
from graphlab.ops import reductions as r
from graphlab.tensor.creation import size_from
from graphlab.tensor.functions.checks import (
    C_NAMES,
    NO_DIM,
    Dim,
    all_or_given,
    given_dim,
    need_flag,
    not_for,
    one_dim,
    type_name,
    without_dim,
)
from graphlab.tensor.functions.pointwise import clone, exp, log, maximum, minimum
from graphlab.tensor.functions.results import values_and_indices
from graphlab.tensor.functions.shapes import view
from graphlab.tensor.tensor import Tensor, wrap

_sum, _mean = applied(r.Sum), applied(r.Mean)
_softmax, _log_softmax = applied(r.Softmax), applied(r.LogSoftmax)


@public(method=True, out=True)
def sum(
    input: Tensor, dim: Dim = NO_DIM, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return the sum of all entries, or along `dim`. input: (...).

    keepdim: keep `dim` with size 1. dtype: convert to this type first.

    >>> torch.sum(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), 0)
    tensor([5., 5.])
    """
    if dim is NO_DIM and dtype is None and not keepdim:
        return _sum(input)
    if dtype is not None:
        kind = named("sum", dtype)
        return sum(input.to(kind), dim, keepdim).to(kind)  # integers are added up as int64
    if dim is NO_DIM:
        without_dim("sum", keepdim)
        return _sum(input)
    need_flag("sum", keepdim)
    return apply(r.SumDim, input, dim=some_or_all(dim, input.ndim), keepdim=keepdim)


@public(method=True, out=True)
def mean(
    input: Tensor, dim: Dim = NO_DIM, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return the mean of all entries, or along `dim`. input: (...), floats.

    keepdim: keep `dim` with size 1. dtype: convert to this type first.

    >>> torch.mean(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), 0)
    tensor([2.5000, 2.5000])
    """
    if dim is NO_DIM and dtype is None and not keepdim and input._data.dtype.kind == "f":
        return _mean(input)
    if dtype is not None:
        kind = named("mean", dtype)
        need_floating_dtype("mean", kind)
        input = input.to(kind)
    if not input.is_floating_point():
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {type_name(input)}"
        )
    if dim is NO_DIM:
        without_dim("mean", keepdim)
        return _mean(input)
    need_flag("mean", keepdim)
    return apply(r.MeanDim, input, dim=some_or_all(dim, input.ndim), keepdim=keepdim)


def need_floating_dtype(name: str, kind: dtype) -> None:
    """Raise RuntimeError unless `dtype` of a mean is a type of floats."""
    if not kind.is_floating_point:
        raise RuntimeError(
            f"{name}(): could not infer output dtype. Optional dtype must be either a floating "
            f"point or complex dtype. Got: {C_NAMES[kind.name]}"
        )


def some_or_all(dim: Dim, ndim: int) -> tuple[int, ...] | None:
    """Return the given dims, checked, or None for all, as the node saves it."""
    return None if dim is None else all_or_given(dim, ndim)


LARGEST, SMALLEST = values_and_indices("max"), values_and_indices("min")


@public(method=True, out=True)
def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the largest entry, or along `dim` a pair (values, indices).

    Given a second tensor in place of `dim`, return the larger entry of each pair.
    keepdim: keep `dim` with size 1.

    >>> torch.max(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), 1).values
    tensor([3., 4.])
    """
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    return extreme("max", r.Max, r.MaxDim, LARGEST, input, dim, keepdim)


@public(method=True, out=True)
def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the smallest entry, or along `dim` a pair (values, indices).

    Given a second tensor in place of `dim`, return the smaller entry of each pair.
    keepdim: keep `dim` with size 1.

    >>> torch.min(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), 1).values
    tensor([1., 2.])
    """
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    return extreme("min", r.Min, r.MinDim, SMALLEST, input, dim, keepdim)


def extreme(
    name: str, op: Any, op_along: Any, pair: Any, input: Tensor, dim: int | None, keepdim: bool
) -> Any:
    """Return the largest or the smallest entry, or along `dim` a pair (values, indices)."""
    if dim is None:
        without_dim(name, keepdim)
        return apply(op, not_empty(input, name))
    some(name, input, given_dim(dim, input.ndim))
    return pair(*apply(op_along, input, dim=dim, keepdim=keepdim))


def not_empty(input: Tensor, name: str) -> Tensor:
    """Return the tensor. Raises: RuntimeError, in PyTorch's words, when it has no entries."""
    if input.numel() == 0:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument."
        )
    return input


@public(method=True, out=True)
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index of the largest entry, of all in a row or along `dim`, outside the graph.

    keepdim: keep `dim` with size 1. Raises: RuntimeError for bools, IndexError without entries.

    >>> torch.argmax(torch.tensor([1.0, 3.0, 2.0]))
    tensor(1)
    """
    return came_from(place_of("argmax", np.argmax, input, dim, keepdim), (input,))


@public(method=True, out=True)
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index of the smallest entry, of all in a row or along `dim`, outside the graph.

    keepdim: keep `dim` with size 1. Raises: RuntimeError for bools, IndexError without entries.

    >>> torch.argmin(torch.tensor([3.0, 1.0, 2.0]))
    tensor(1)
    """
    return came_from(place_of("argmin", np.argmin, input, dim, keepdim), (input,))


def place_of(name: str, function: Any, input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """Return argmax or argmin, with the checks of both."""
    if input._data.dtype.kind == "b":
        raise RuntimeError(f"{name}(): does not support bool input")
    if dim is None:
        if input.numel() == 0:
            raise IndexError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
            )
        return wrap(np.int64(0) + function(input._data, keepdims=keepdim), False, None)
    some(name, input, one_dim(dim, input.ndim))
    if input.ndim == 0:
        return wrap(np.int64(0), False, None)
    return wrap(np.int64(0) + function(input._data, dim, keepdims=keepdim), False, None)


def some(name: str, input: Tensor, dim: int) -> None:
    """Raise IndexError, in PyTorch's words, when there is no entry along the dimension."""
    if input.ndim and input.shape[dim] == 0:
        raise IndexError(
            f"{name}(): Expected reduction dim {dim % input.ndim} to have non-zero size."
        )


@public(method=True, out=True)
def softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """Return exp(x) / Σ exp(x) along `dim`. input: (...) -> (...), floats.

    dtype: the type to compute in, that of `input` when None.
    Raises: NotImplementedError for integers.

    >>> torch.softmax(torch.tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    input = input if dtype is None else input.to(named("softmax", dtype))
    data = input._data
    if data.dtype.kind != "f":
        raise no_kernel("softmax", input, dim)
    dim = given_dim(dim, data.ndim)
    return clone(input) if data.size == 0 else _softmax(input, dim=dim)


@public(method=True, out=True)
def log_softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """Return log softmax(x) along `dim`. input: (...) -> (...), floats.

    dtype: the type to compute in, that of `input` when None.
    Raises: NotImplementedError for integers.

    >>> torch.log_softmax(torch.tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931])
    """
    input = input if dtype is None else input.to(named("log_softmax", dtype))
    data = input._data
    if data.dtype.kind != "f":
        raise no_kernel("log_softmax", input, dim)
    dim = given_dim(dim, data.ndim)
    return clone(input) if data.size == 0 else _log_softmax(input, dim=dim)


def no_kernel(name: str, input: Tensor, dim: int) -> Exception:
    """Return the error for integers; PyTorch has a kernel of its own for the last dim."""
    last = one_dim(dim, input.ndim) + 1 == (input.ndim or 1)
    return not_for(f"{name}_{'lastdim_' if last else ''}kernel_impl", input)


@public(method=True, out=True)
def logsumexp(input: Tensor, dim: Dim, keepdim: bool = False) -> Tensor:
    """Return log Σ exp(x) along `dim`, without overflow. input: (..., N) -> (...).

    keepdim: keep `dim` with size 1.

    >>> torch.logsumexp(torch.tensor([0.0, 0.0]), 0)
    tensor(0.6931)
    """
    if dim is None:
        raise TypeError(
            "logsumexp(): argument 'dim' (position 2) must be tuple of ints, not NoneType"
        )
    dims = all_or_given(dim, input.ndim)
    if input.numel() == 0:  # an empty tensor has no largest entry
        return log(sum(exp(input), dims, keepdim))
    return apply(r.Logsumexp, input, dim=dims, keepdim=keepdim)


@public(function=False, method=True)
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """Sum over the dimensions that a broadcast from `size` would add or expand.

    Raises: RuntimeError when there is no such broadcast.

    >>> torch.ones(4, 2).sum_to_size(1, 2)
    tensor([[4., 4.]])
    """
    wanted, own = size_from(size, None, ("sum_to_size", "size")), tuple(input.shape)
    lead = len(own) - len(wanted)
    if lead < 0 or any(a != b and b != 1 for a, b in zip(own[lead:], wanted, strict=True)):
        raise RuntimeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(own)}}}.")
    if not wanted:
        return sum(input)
    shrunk = [d for d in range(lead, len(own)) if own[d] != wanted[d - lead]]
    found = sum(input, (*range(lead), *shrunk), keepdim=True) if lead or shrunk else input
    return view(found, wanted) if lead else found
