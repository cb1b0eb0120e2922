"""Combine entries: grids, products, pairs; and broadcast tensors to one shape.

Read next: primitives/table.py
"""

import itertools
import warnings
from typing import Any

import numpy as np

from graphlab.common.dtypes import int64
from graphlab.common.errors import users_level
from graphlab.common.public import public
from graphlab.tensor.functions.joining import stack
from graphlab.tensor.functions.picking import common_shape, masked_select
from graphlab.tensor.functions.shapes import c_type, expand, reshape, view
from graphlab.tensor.sizes import Size
from graphlab.tensor.tensor import Tensor, wrap

NO_INDEXING = (
    "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."
)


def several(tensors: tuple[Any, ...]) -> list[Any]:
    """Return the list of tensors of a call `f(a, b)` or `f([a, b])`."""
    one = len(tensors) == 1 and isinstance(tensors[0], list | tuple)
    return list(tensors[0] if one else tensors)


@public()
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Expand the tensors to the shape that they broadcast to.

    >>> torch.broadcast_tensors(torch.tensor([1, 2]), torch.tensor([[3]]))
    (tensor([[1, 2]]), tensor([[3, 3]]))
    """
    parts = several(tensors)
    shape = common_shape(*parts)
    return tuple(part if part.shape == shape else expand(part, shape) for part in parts)


@public()
def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that tensors of these shapes broadcast to.

    >>> broadcast_shapes((2, 1), (3,))
    torch.Size([2, 3])
    """
    for shape in shapes:
        if not isinstance(shape, int | tuple | list):
            raise RuntimeError(
                "Input shapes should be of type ints, a tuple of ints, or a list of ints, got "
                f"{shape}"
            )
    sizes = [(n,) if isinstance(n, int) else tuple(n) for n in shapes]
    if any(n < 0 for size in sizes for n in size):
        raise ValueError("Attempting to broadcast a dimension with negative length!")
    found = [1] * max((len(size) for size in sizes), default=0)
    for i, size in enumerate(sizes):
        for back in range(1, len(size) + 1):
            n = size[-back]
            if n in (1, found[-back]):
                continue
            if found[-back] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {n} at -{back}! Mismatching "
                    f"argument at index {i} had {size}; but expected shape should be "
                    f"broadcastable to {found}"
                )
            found[-back] = n
    return Size(found)


@public()
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return the coordinates of a grid. tensors: (N,), (M,), ... -> as many tensors (N, M, ...).

    indexing: "ij", the default, for rows first, "xy" for columns first, as in images.

    >>> torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4]), indexing="ij")[0]
    tensor([[1, 1],
            [2, 2]])
    """
    parts = several(tensors)
    if indexing is None:
        warnings.warn(NO_INDEXING, UserWarning, stacklevel=users_level())
    if not parts:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for part in parts:
        if part.ndim > 1:
            entries = "\n".join(f" {n}" for n in part.reshape(-1).tolist())
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {entries}\n"
                f"[ {c_type(part)}{{{','.join(str(n) for n in part.shape)}}} ]"
            )
        if part.dtype is not parts[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(
            'torch.meshgrid: indexing must be one of "xy" or "ij", but received: ' + indexing
        )
    swapped = indexing == "xy" and len(parts) >= 2
    if swapped:
        parts[:2] = parts[1::-1]
    shape = tuple(part.numel() for part in parts)
    grids = [
        expand(view(part, [-1 if d == i else 1 for d in range(len(parts))]), shape)
        for i, part in enumerate(parts)
    ]
    if swapped:
        grids[:2] = grids[1::-1]
    return tuple(grids)


def need_vector(x: Tensor) -> None:
    """Raise RuntimeError unless a tensor has one dimension."""
    if x.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(x.shape)}")


@public()
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return all combinations of one entry from each vector, one per row.

    >>> cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4])).tolist()
    [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    for part in tensors:
        need_vector(part)
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshape(grid, -1) for grid in meshgrid(*tensors, indexing="ij")], 1)


@public()
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Return the powers of each entry, one row per entry. x: (M,) -> (M, N), N = M when None.

    increasing: the lowest power first instead of the highest.
    Raises: RuntimeError unless x is a vector, and for a negative N.

    >>> torch.vander(torch.tensor([1, 2, 3])).tolist()
    [[1, 1, 1], [4, 2, 1], [9, 3, 1]]
    """
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    n = len(x) if N is None else N
    if n < 0:
        raise RuntimeError("N must be non-negative.")
    kind = x.dtype if x.dtype.is_floating_point else int64
    powers = x.new_empty((len(x), n), dtype=kind)
    if n > 0:
        powers[:, 0].fill_(1)
    if n > 1:
        powers[:, 1:].copy_(x.unsqueeze(1))
        powers[:, 1:].copy_(powers[:, 1:].cumprod(1))
    return powers if increasing else powers.flip(1)


@public()
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all combinations of `r` entries, one per row. input: (N,) -> (combinations, r).

    with_replacement: whether an entry may be chosen several times.

    >>> torch.combinations(torch.tensor([1, 2, 3])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    need_vector(input)
    if r < 0:
        raise RuntimeError("Expect a non-negative number, but got " + str(r))
    if r == 0:
        return wrap(np.empty(0, input._data.dtype), False, None)
    n = len(input)
    mask = np.zeros((n,) * r, bool)
    way = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    chosen = list(way(range(n), r))
    if chosen:
        mask[tuple(np.array(chosen).T)] = True
    where = wrap(mask, False, None)
    grids = meshgrid(*[input] * r, indexing="ij")
    return stack([masked_select(grid, where) for grid in grids], 1)
