"""Read, build and overwrite diagonals; the indices of triangles.

Read next: primitives/table.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.devices import check_device
from graphlab.common.dtypes import named
from graphlab.common.public import mark, public
from graphlab.ops import arrange as dg
from graphlab.tensor.functions.checks import one_dim
from graphlab.tensor.functions.putting import same_size
from graphlab.tensor.functions.shapes import reshape
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
