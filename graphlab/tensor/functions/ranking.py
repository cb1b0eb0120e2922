"""Entries by their rank, `sort`, `topk`, `median`, `cummax` and others; entries without repetition.

Read next: tensor/functions/counting.py
"""

import math
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.public import public
from graphlab.ops import ranking as r
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import (
    given_dim,
    need_floats,
    not_for,
    size_along,
    some_dim,
    without_dim,
)
from graphlab.tensor.functions.reductions import some
from graphlab.tensor.functions.results import result_type, values_and_indices
from graphlab.tensor.tensor import Tensor, wrap

Median = result_type("median", "values", "indices")
Nanmedian = result_type("nanmedian", "values", "indices")
Mode = result_type("mode", "values", "indices")
Kthvalue = result_type("kthvalue", "values", "indices")
Cummax = result_type("cummax", "values", "indices")
Cummin = result_type("cummin", "values", "indices")


def checked(name: str, input: Tensor, dim: int) -> int:
    """Return the dim as it was given. Raises: IndexError if out of range or without entries."""
    d = given_dim(dim, input.ndim)
    some(name, input, d)
    return d


def middle(name: str, input: Tensor, dim: int | None, keepdim: bool) -> Any:
    """Return the median, under either name."""
    if input._data.dtype.kind == "b":
        raise not_for("median_cpu", input)
    if dim is None:
        without_dim(name, keepdim)
        if input.numel() == 0:
            if input.is_floating_point():
                return F.sum(input) * math.nan
            kind = input._data.dtype
            least = int(np.iinfo(kind).min) if kind.itemsize > 2 else 0  # nan in C++, as an integer
            return wrap(kind.type(least), False, None)
        return apply(r.Median if name == "median" else r.Nanmedian, input)
    op, made = (r.MedianDim, Median) if name == "median" else (r.NanmedianDim, Nanmedian)
    return made(*apply(op, input, dim=checked(name, input, dim), keepdim=keepdim))


@public(method=True, out=True)
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the middle entry, the lower of two; along `dim` a pair (values, indices).

    keepdim: keep `dim` with size 1. The median is nan if an entry is nan.
    PyTorch differs: it does not define which of several equal entries the index names.

    >>> torch.median(torch.tensor([4.0, 1.0, 3.0, 2.0]))
    tensor(2.)
    """
    return middle("median", input, dim, keepdim)


@public(method=True, out=True)
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the middle entry of those that are not nan; along `dim` a pair (values, indices).

    keepdim: keep `dim` with size 1.

    >>> torch.nanmedian(torch.tensor([4.0, torch.nan, 3.0]))
    tensor(3.)
    """
    return middle("nanmedian", input, dim, keepdim)


@public(method=True, out=True)
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the most frequent entry along `dim`, the smallest of several: (values, indices).

    keepdim: keep `dim` with size 1.

    >>> torch.mode(torch.tensor([2, 1, 2, 3])).values
    tensor(2)
    """
    return Mode(*apply(r.Mode, input, dim=checked("mode", input, dim), keepdim=keepdim))


@public(method=True, out=True)
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the k-th smallest entry along `dim` and its index: (values, indices).

    keepdim: keep `dim` with size 1. Raises: RuntimeError when there are fewer than k entries.

    >>> torch.kthvalue(torch.tensor([4.0, 1.0, 3.0]), 2).values
    tensor(3.)
    """
    d = checked("kthvalue", input, dim)
    if not 1 <= k <= size_along(input, d):
        raise RuntimeError(
            f"kthvalue(): selected number k out of range for dimension {d % max(input.ndim, 1)}"
        )
    return Kthvalue(*apply(r.Kthvalue, input, k=k, dim=d, keepdim=keepdim))


@public(method=True, out=True)
def cummax(input: Tensor, dim: int) -> Any:
    """Return the largest entry so far along `dim` and its index: (values, indices).

    >>> cummax(torch.tensor([1.0, 3.0, 2.0]), 0).values
    tensor([1., 3., 3.])
    """
    return Cummax(*apply(r.Cummax, input, dim=given_dim(dim, input.ndim)))


@public(method=True, out=True)
def cummin(input: Tensor, dim: int) -> Any:
    """Return the smallest entry so far along `dim` and its index: (values, indices).

    >>> torch.cummin(torch.tensor([3.0, 1.0, 2.0]), 0).values
    tensor([3., 1., 1.])
    """
    return Cummin(*apply(r.Cummin, input, dim=given_dim(dim, input.ndim)))


@public(method=True, out=True)
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """Return log Σ exp of the entries so far along `dim`. input: (...) -> (...), floats.

    >>> torch.logcumsumexp(torch.tensor([0.0, 0.0]), 0)
    tensor([0.0000, 0.6931])
    """
    need_floats("logcumsumexp_out_cpu", input)
    return apply(r.Logcumsumexp, input, dim=given_dim(dim, input.ndim))


@public(method=True)
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the entries without repetition, in ascending order; along `dim`, its slices.

    sorted: without effect. return_inverse: also return, for each entry, its index in the result.
    return_counts: also return how often each occurs. A backward pass refuses it, as in PyTorch.

    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    check_slices(input, dim)
    data = np.atleast_1d(input._data) if dim is None else input._data
    found, inverse, counts = np.unique(
        data, return_inverse=True, return_counts=True, axis=dim, equal_nan=False
    )
    inverse = inverse.reshape(np.shape(input._data) if dim is None else -1)
    values = apply(r.Unique2 if dim is None else r.UniqueDim, input, found=found)
    return with_more(values, inverse, counts, return_inverse, return_counts)


def check_slices(input: Tensor, dim: int | None) -> None:
    """Raise IndexError or RuntimeError when there are no slices along `dim` to compare."""
    if dim is None:
        return
    d = some_dim(dim, input.ndim)
    if any(n == 0 for i, n in enumerate(input.shape) if i != d):
        raise RuntimeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        )


def with_more(
    values: Tensor, inverse: Any, counts: Any, return_inverse: bool, return_counts: bool
) -> Any:
    """Return the values alone, or with the other requested results."""
    more = [(inverse, return_inverse), (counts, return_counts)]
    parts = [wrap(x.astype(np.int64), False, None) for x, asked in more if asked]
    return (values, *parts) if parts else values


@public(method=True)
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the entries without those that equal the one before; along `dim`, its slices.

    return_inverse: also return, for each entry, its index in the result. return_counts: also return
    how often each occurs in a row.

    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    check_slices(input, dim)
    data = np.reshape(input._data, -1) if dim is None else np.moveaxis(input._data, dim, 0)
    rows = data.reshape(len(data), math.prod(data.shape[1:]))
    new = np.ones(len(data), bool)
    new[1:] = np.any(rows[1:] != rows[:-1], axis=1)
    inverse = np.cumsum(new) - 1
    counts = np.bincount(inverse) if len(data) else np.zeros(0, np.int64)
    found = data[new] if dim is None else np.moveaxis(data[new], 0, dim)
    if dim is None:
        inverse = inverse.reshape(np.shape(input._data))
    values = apply(r.UniqueConsecutive, input, found=found)
    return with_more(values, inverse, counts, return_inverse, return_counts)


SORTED, TOPMOST = values_and_indices("sort"), values_and_indices("topk")


@public(method=True, out=True)
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Sort the entries along `dim`; return (values, indices), both in the shape of `input`.

    indices: the old places of the entries. descending: the largest first. stable: keep the order of
    equal entries; without it, rows of more than 16 may lose that order.

    >>> torch.sort(torch.tensor([2.0, 1.0])).values
    tensor([1., 2.])
    """
    d = given_dim(dim, input.ndim)
    return SORTED(*apply(r.Sort, input, dim=d, descending=descending, stable=bool(stable)))


@public(method=True)
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the indices that sort the entries along `dim`. input: (...) -> (...) of int64.

    descending: the largest first. stable: as for `sort`.

    >>> torch.argsort(torch.tensor([3.0, 1.0, 2.0]))
    tensor([1, 2, 0])
    """
    return sort(input, dim, descending, stable).indices


@public(method=True, out=True)
def msort(input: Tensor) -> Tensor:
    """Sort the entries along the first dimension, the smallest first. input: (N, ...) -> (N, ...).

    >>> torch.msort(torch.tensor([3.0, 1.0, 2.0]))
    tensor([1., 2., 3.])
    """
    return sort(input, 0).values


@public(method=True, out=True)
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Return the `k` largest entries along `dim` and their indices: (values, indices), (..., k).

    largest: False for the smallest. sorted: without effect, they are always in order.
    Raises: RuntimeError when there are fewer than `k`.

    >>> torch.topk(torch.tensor([1.0, 3.0, 2.0]), 2).values
    tensor([3., 2.])
    """
    d = given_dim(dim, input.ndim)
    if not 0 <= k <= size_along(input, d):
        raise RuntimeError("selected index k out of range")
    if input._data.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    return TOPMOST(*apply(r.Topk, input, k=k, dim=d, largest=largest))
