"""Sorting, and what is read off an order: the largest few and their places.

Read next: primitives/table.py
"""

from graphlab.autograd.record import apply
from graphlab.ops import order as o
from graphlab.tensor.functions.dims import given_dim, size_along
from graphlab.tensor.functions.results import Found
from graphlab.tensor.tensor import Tensor


class _sort(Found):
    __slots__ = ()


class _topk(Found):
    __slots__ = ()


def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> "_sort":
    """The entries along `dim` in order, and their places: (values, indices). It is always stable.

    >>> import graphlab as torch
    >>> sort(torch.tensor([2.0, 1.0])).values
    tensor([1., 2.])
    """
    d = given_dim(dim, input.ndim)
    return _sort(*apply(o.Sort, input, dim=d, descending=descending))


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The places of the entries along `dim` in order."""
    return sort(input, dim, descending, stable).indices


def msort(input: Tensor) -> Tensor:
    """The entries along the first dimension from the smallest to the largest."""
    return sort(input, 0).values


def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> "_topk":
    """The `k` largest along `dim`, or the smallest, in order: (values, indices).

    Raises: RuntimeError when there are not as many.

    >>> import graphlab as torch
    >>> topk(torch.tensor([1.0, 3.0, 2.0]), 2).values
    tensor([3., 2.])
    """
    d = given_dim(dim, input.ndim)
    if not 0 <= k <= size_along(input, d):
        raise RuntimeError("selected index k out of range")
    return _topk(*apply(o.Topk, input, k=k, dim=d, largest=largest))
