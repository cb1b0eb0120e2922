"""Read, build and overwrite diagonals; the indices of triangles; grids, products and pairs.

Read next: primitives/table.py
"""

import itertools
import warnings
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.devices import check_device
from graphlab.common.dtypes import int64, named
from graphlab.common.errors import users_level
from graphlab.common.public import mark, public
from graphlab.ops import arrange as dg
from graphlab.tensor.functions.checks import one_dim
from graphlab.tensor.functions.joining import stack
from graphlab.tensor.functions.picking import common_shape, masked_select
from graphlab.tensor.functions.putting import same_size
from graphlab.tensor.functions.shapes import c_type, expand, reshape, view
from graphlab.tensor.sizes import Size
from graphlab.tensor.tensor import Tensor, wrap


def two_dims(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    """Return both dims counted from the front. Raises: RuntimeError when they are equal."""
    one, two = one_dim(dim1, ndim), one_dim(dim2, ndim)
    if one == two:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return one, two


@public(method=True)
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return a view of the diagonals of the matrices in `dim1` and `dim2`, as the last dimension.

    offset: the diagonal, 0 the main one, positive above it. input: (N, M) -> (min(N, M),).

    >>> torch.diagonal(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    two_dims(dim1, dim2, input.ndim)
    return apply(dg.Diagonal, input, offset=offset, dim1=dim1, dim2=dim2)


@public(function=False, method=True)
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Write the number `fill_value` on the diagonal, in place; `wrap` repeats it in a tall matrix.

    Raises: RuntimeError for a vector, and for more than two dimensions that are not equal.

    >>> torch.zeros(2, 3).fill_diagonal_(1)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.ndim > 2 and len(set(self.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    if isinstance(fill_value, str):
        raise TypeError(
            "fill_diagonal_(): argument 'fill_value' (position 1) must be Number, not str"
        )
    height, width = self.shape[:2]
    step, start, size = sum(self.stride()), self.storage_offset(), min(height, width)
    self.as_strided((size,), (step,), start).fill_(fill_value)
    if wrap and self.ndim == 2 and height > width + 1:
        more = (self.numel() + width) // (width + 1) - size
        start += self.stride(0) * (width + 1)
        self.as_strided((more,), (step,), start).fill_(fill_value)
    return self


@public(method=True, out=True)
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return a matrix with the vector on a diagonal; of a matrix, a copy of its diagonal.

    >>> diag(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    if input.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    return apply(dg.DiagonalCopy, input, offset=diagonal)


def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return a view of the diagonals of the matrices in `dim1` and `dim2`, as the last dimension.

    A: (..., N, M) -> (..., min(N, M)). offset: 0 for the main diagonal, positive above it.

    >>> import graphlab as torch
    >>> torch.linalg.diagonal(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    return diagonal(A, offset, dim1, dim2)


@public(method=True)
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Put the last dimension on a diagonal of new matrices, 0 elsewhere.

    input: (..., N) -> (..., N, N).
    offset: the diagonal, 0 the main one, positive above it. dim1, dim2: the dimensions of the
    matrices.

    >>> torch.diag_embed(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    ndim = input.ndim + 1
    one, two = two_dims(dim1, dim2, ndim)
    n = input.shape[-1] + abs(offset)
    rest = iter(input.shape[:-1])
    sizes = tuple(n if d in (one, two) else next(rest) for d in range(ndim))
    return apply(dg.DiagEmbed, input, sizes=sizes, offset=offset, dim1=dim1, dim2=dim2)


@public(method=True)
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Return a matrix with all entries on a diagonal: N entries -> (N + |offset|, N + |offset|).

    offset: the diagonal, 0 the main one, positive above it.

    >>> torch.diagflat(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    return diag_embed(reshape(input, -1), offset)


@public(method=True)
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """Return a copy with `src` on a diagonal.

    input: (..., N, M), src: as `diagonal` gives -> like input.
    offset: the diagonal, 0 the main one, positive above it. dim1, dim2: the dimensions of the
    matrices.

    >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    two_dims(dim1, dim2, input.ndim)
    shape = np.shape(np.diagonal(np.asarray(input._data), offset, dim1, dim2))
    same_size(src, shape)
    src = src.to(input.dtype)
    return apply(dg.DiagonalScatter, input, src, offset=offset, dim1=dim1, dim2=dim2)


def indices_of(name: str, side: str, example: str) -> Any:
    """Return the function `name`, which gives the indices of a triangle of a matrix."""

    def call(
        row: int,
        col: int,
        offset: int = 0,
        *,
        dtype: Any = None,
        device: Any = None,
        layout: Any = None,
    ) -> Tensor:
        check_device(device)
        for argument, n in (("row", row), ("col", col)):
            if n < 0:
                raise RuntimeError(f"{argument} must be non-negative, got{n}")
        kind = np.int64 if dtype is None else named(name, dtype).numpy
        return wrap(np.stack(getattr(np, name)(row, offset, col)).astype(kind), False, None)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""Return the indices of a (row, col) matrix on and {side} a diagonal: (2, N).

    offset: the diagonal, 0 the main one, positive above it. dtype: int64 when None.
    layout: without effect. Raises: RuntimeError for a negative size.

    >>> import graphlab as torch
    >>> torch.{name}(2, 2)
    {example}
    """
    return call


tril_indices = indices_of("tril_indices", "below", "tensor([[0, 1, 1],\n            [0, 0, 1]])")
triu_indices = indices_of("triu_indices", "above", "tensor([[0, 0, 1],\n            [0, 1, 1]])")
mark("tril_indices triu_indices")


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
