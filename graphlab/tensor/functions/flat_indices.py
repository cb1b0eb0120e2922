"""Flat indices, which count all entries row by row: `put` and `unravel_index`.

Read next: tensor/functions/steps.py
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.public import public
from graphlab.ops.putting import Put
from graphlab.tensor.functions.checks import need_tensor, type_name
from graphlab.tensor.tensor import Tensor, wrap


@public(method=True, in_place=True)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Return a copy with the entries of `source` at flat indices, which count all entries.

    input: (...), index, source: as many entries each -> like input. accumulate: add them to the old
    entries. Raises: IndexError for an index out of range.

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


@public()
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
    if not isinstance(shape, int | Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
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
