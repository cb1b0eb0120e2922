"""Sums to a size, and places that are counted in one row.

Read next: tensor/functions/steps.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.ops.pieces import Put
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import need_tensor, type_name
from graphlab.tensor.functions.shapes import size_from
from graphlab.tensor.tensor import Tensor, wrap


def detach(input: Tensor) -> Tensor:
    """Return a tensor in the same memory, outside the graph. input: (...) -> (...).

    >>> import graphlab as torch
    >>> torch.detach(torch.tensor([1.0], requires_grad=True))
    tensor([1.])
    """
    need_tensor("detach", "input", 1, input)
    return input.detach()


def ndimension(input: Tensor) -> int:
    """How many dimensions there are."""
    return input.ndim


def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sum over the dimensions that a broadcast from `size` would add or stretch.

    Raises: RuntimeError when there is no such broadcast.

    >>> import graphlab as torch
    >>> torch.ones(4, 2).sum_to_size(1, 2)
    tensor([[4., 4.]])
    """
    if not size:
        raise TypeError('sum_to_size() missing 1 required positional arguments: "size"')
    wanted, own = size_from(size), tuple(input.shape)
    lead = len(own) - len(wanted)
    if lead < 0 or any(a != b and b != 1 for a, b in zip(own[lead:], wanted, strict=True)):
        raise RuntimeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(own)}}}.")
    if not wanted:
        return F.sum(input)
    shrunk = [d for d in range(lead, len(own)) if own[d] != wanted[d - lead]]
    found = F.sum(input, (*range(lead), *shrunk), keepdim=True) if lead or shrunk else input
    return F.view(found, wanted) if lead else found


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`source` at the places that `index` names when all entries are counted in one row.

    accumulate: added to what is there. Raises: IndexError for a place that there is not.

    >>> import graphlab as torch
    >>> torch.zeros(2, 2).put(torch.tensor([0, -1]), torch.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    need_tensor("put_", "index", 1, index)
    need_tensor("put_", "source", 2, source)
    if index._data.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {type_name(index)}")
    if input._data.dtype != source._data.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{type_name(input)} and source.dtype = {type_name(source)}"
        )
    if index.numel() != source.numel():
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.numel()}, index.numel() = {index.numel()}"
        )
    n = input.numel()
    wrong = np.asarray(index._data)[(index._data < -n) | (index._data >= n)]
    if wrong.size:
        raise IndexError(
            f"out of range: tried to access index {wrong.flat[0]} on a tensor of {n} elements."
        )
    return apply(Put, input, index, source, accumulate=accumulate)


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Convert flat indices to indices in each dimension of `shape`.

    indices: (...) -> a tensor (...) each.
    Raises: TypeError unless they are integers, ValueError for a negative size.

    >>> import graphlab as torch
    >>> torch.unravel_index(torch.tensor([5, 3]), (2, 3))
    (tensor([1, 1]), tensor([2, 0]))
    """
    need_tensor("unravel_index", "indices", 1, indices)
    if indices._data.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype!r}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in sizes:
        if not isinstance(n, int | np.integer):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    found, step = [], 1
    for n in reversed(sizes):
        found.append(wrap((indices._data.astype(np.int64) // step % n)[()], False, None))
        step *= n
    return tuple(reversed(found))
