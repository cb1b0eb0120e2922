"""Sort entries, and take the largest few with their indices.

Read next: primitives/table.py
"""

from typing import Any

from graphlab.autograd.record import apply
from graphlab.common.public import public
from graphlab.ops import ranking as o
from graphlab.tensor.functions.dims import given_dim, size_along
from graphlab.tensor.functions.results import values_and_indices
from graphlab.tensor.tensor import Tensor

SORTED, TOPMOST = values_and_indices("sort"), values_and_indices("topk")


@public(method=True, out=True)
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Sort the entries along `dim`; return (values, indices), both in the shape of `input`.

    indices: the old places of the entries. descending: the largest first. stable: keep the order of
    equal entries; without it, rows of more than 16 may lose that order.

    >>> import graphlab as torch
    >>> torch.sort(torch.tensor([2.0, 1.0])).values
    tensor([1., 2.])
    """
    d = given_dim(dim, input.ndim)
    return SORTED(*apply(o.Sort, input, dim=d, descending=descending, stable=bool(stable)))


@public(method=True)
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the indices that sort the entries along `dim`. input: (...) -> (...) of int64.

    descending: the largest first. stable: as for `sort`.

    >>> import graphlab as torch
    >>> torch.argsort(torch.tensor([3.0, 1.0, 2.0]))
    tensor([1, 2, 0])
    """
    return sort(input, dim, descending, stable).indices


@public(method=True, out=True)
def msort(input: Tensor) -> Tensor:
    """Sort the entries along the first dimension, the smallest first. input: (N, ...) -> (N, ...).

    >>> import graphlab as torch
    >>> torch.msort(torch.tensor([3.0, 1.0, 2.0]))
    tensor([1., 2., 3.])
    """
    return sort(input, 0).values


@public(method=True, out=True)
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Return the `k` largest entries along `dim` and their indices: (values, indices), (..., k).

    largest: False for the smallest. sorted: without effect, they are always in order.
    Raises: RuntimeError when there are fewer than `k`.

    >>> import graphlab as torch
    >>> torch.topk(torch.tensor([1.0, 3.0, 2.0]), 2).values
    tensor([3., 2.])
    """
    d = given_dim(dim, input.ndim)
    if not 0 <= k <= size_along(input, d):
        raise RuntimeError("selected index k out of range")
    if input._data.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    return TOPMOST(*apply(o.Topk, input, k=k, dim=d, largest=largest))
