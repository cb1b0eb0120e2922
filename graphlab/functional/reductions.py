"""Sums, means, extrema and softmax, with the dims and overloads that PyTorch has.

Read next: functional/products.py
"""

from typing import Any, NamedTuple

import numpy as np

from graphlab.autograd.record import apply
from graphlab.dtypes import dtype
from graphlab.functional.dims import Dim, given_dim, given_dims
from graphlab.functional.pointwise import maximum, minimum
from graphlab.ops import reduction as r
from graphlab.tensor import Tensor, wrap


def sum(
    input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """The sum of all entries, or along `dim`."""
    if dtype is not None:
        input = input.to(dtype)
    if dim is None:
        return apply(r.Sum, input)
    return apply(r.SumDim, input, dim=given_dims(dim, input.ndim), keepdim=keepdim)


def mean(
    input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """The mean of all entries, or along `dim`."""
    if dtype is not None:
        input = input.to(dtype)
    if not input.is_floating_point():
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {input.dtype.name.capitalize().replace('Int64', 'Long')}"
        )
    if dim is None:
        return apply(r.Mean, input)
    return apply(r.MeanDim, input, dim=given_dims(dim, input.ndim), keepdim=keepdim)


class _Extremum(NamedTuple):
    values: Tensor
    indices: Tensor


class _max(_Extremum):
    __slots__ = ()

    def __repr__(self) -> str:
        name = type(self).__name__.lstrip("_")
        return f"torch.return_types.{name}(\nvalues={self.values!r},\nindices={self.indices!r})"


class _min(_max):
    __slots__ = ()


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest entry; along `dim` a pair (values, indices); of two tensors, entry by entry."""
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    if dim is None:
        return apply(r.Max, not_empty(input, "max"))
    return _max(*apply(r.MaxDim, input, dim=given_dim(dim, input.ndim), keepdim=keepdim))


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest entry; along `dim` a pair (values, indices); of two tensors, entry by entry."""
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    if dim is None:
        return apply(r.Min, not_empty(input, "min"))
    return _min(*apply(r.MinDim, input, dim=given_dim(dim, input.ndim), keepdim=keepdim))


def not_empty(input: Tensor, name: str) -> Tensor:
    """The tensor itself; RuntimeError, as PyTorch says it, when it has no entries."""
    if input.numel() == 0:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument."
        )
    return input


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest entry, outside the graph."""
    return wrap(np.int64(0) + np.argmax(input._data, dim, keepdims=keepdim), False, None)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest entry, outside the graph."""
    return wrap(np.int64(0) + np.argmin(input._data, dim, keepdims=keepdim), False, None)


def softmax(input: Tensor, dim: int) -> Tensor:
    """exp(x) / Σ exp(x) along `dim`."""
    return apply(r.Softmax, input, dim=given_dim(dim, input.ndim))


def log_softmax(input: Tensor, dim: int) -> Tensor:
    """log softmax(x) along `dim`."""
    return apply(r.LogSoftmax, input, dim=given_dim(dim, input.ndim))


def logsumexp(input: Tensor, dim: Dim, keepdim: bool = False) -> Tensor:
    """log Σ exp(x) along `dim`."""
    return apply(r.Logsumexp, input, dim=given_dims(dim, input.ndim), keepdim=keepdim)
