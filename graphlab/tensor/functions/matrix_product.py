"""`@`: choose the product of products.py for each combination of dimensions.

Two batches are expanded to one shape and multiplied matrix by matrix. If one factor is a matrix
that needs a gradient, the batch is folded instead: its matrices are stacked to one tall matrix.
Then the gradient of the factor is one product, not a sum over the batch.

    (B, N, K) @ (K, M)  is  (B*N, K) @ (K, M), seen as (B, N, M)
    (N, K) @ (B, K, M)  is the transpose of the same with both factors transposed

Source: PyTorch, aten/src/ATen/native/LinearAlgebra.cpp, _matmul_impl and should_fold.

Read next: tensor/functions/contractions.py
"""

import math
import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from graphlab.autograd.operands import is_operand
from graphlab.autograd.record import applied, apply
from graphlab.common.errors import users_level
from graphlab.common.public import public
from graphlab.ops import shapes as sh
from graphlab.tensor.functions.checks import c_name, joined_shape
from graphlab.tensor.functions.pointwise import clone
from graphlab.tensor.functions.products import _mm, bmm, dot, mm, mv
from graphlab.tensor.functions.shapes import expand, reshape, squeeze, t, transpose, unsqueeze, view
from graphlab.tensor.tensor import Tensor

_expand, _unsqueeze, _view = map(applied, (sh.Expand, sh.Unsqueeze, sh.View))


@public(method=True, out=True)
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the product of vectors, matrices or batches of matrices, as `@` does.

    input: (..., N, K) or (K,), other: (..., K, M) or (K,) -> (..., N, M), batches broadcast.

    >>> torch.matmul(torch.ones(5, 2, 3), torch.ones(3, 4)).shape
    torch.Size([5, 2, 4])
    """
    return product(input, other)


def operator(input: Tensor, other: Any) -> Any:
    """Return `input @ other`, or NotImplemented when `other` is not a tensor."""
    if not isinstance(other, Tensor):
        is_operand(other)  # or raises
        return NotImplemented
    x, y = input._data, other._data
    fit = x.ndim == y.ndim == 2 and x.shape[1] == y.shape[0]
    if fit and x.dtype is y.dtype and x.dtype.kind == "f":
        return _mm(input, other)  # the usual case
    return product(input, other)


def product(input: Tensor, other: Tensor) -> Tensor:
    """Return the product of two tensors with at least one dimension each."""
    a, b = input._data.ndim, other._data.ndim
    if a == 2 and b == 2:
        return mm(input, other)
    if a == 0 or b == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D"
        )
    if a == 1 and b == 1:
        return dot(input, other)
    if a == 2 and b == 1:
        return mv(input, other)
    if a == 1 and b == 2:
        return row_times(input, other)
    if folds(input, other):
        return folded(input, other)
    if a == b == 3 and input.shape[0] != other.shape[0]:  # a batch of one counts as a matrix
        if input.shape[0] == 1 and input._needs:
            return product(squeeze(input, 0), other)
        if other.shape[0] == 1 and other._needs:
            return product(input, squeeze(other, 0))
    return batched(input, other)


def row_times(input: Tensor, other: Tensor) -> Tensor:
    """Multiply a vector, as a matrix of one row, by a matrix; squeeze the result in place."""
    row = mm(_unsqueeze(input, dim=0), other)
    result = apply(sh.SqueezeProduct, row, dim=0, size=tuple(row.shape[1:]))
    result._version_counter().advance()
    return result


def folds(input: Tensor, other: Tensor) -> bool:
    """Return whether the batch of the factor with more dimensions is folded into its rows."""
    first_larger = input.ndim >= other.ndim
    large, small = (input, other) if first_larger else (other, input)
    if large.ndim < 3 or small.ndim > 2:
        return False
    if small._needs:
        return True
    if input.ndim == 2:  # the result would have to be transposed and copied
        return False
    data = large._data if first_larger else np.swapaxes(large._data, -2, -1)
    if data.size == 0:
        return True
    step, size = data.strides, data.shape
    return all(step[i] == step[i + 1] * size[i + 1] for i in range(data.ndim - 2))


def folded(input: Tensor, other: Tensor) -> Tensor:
    """Return the product as that of one tall matrix."""
    turned = other.ndim > input.ndim
    large, small = (transpose(other, -2, -1), input) if turned else (input, other)
    if turned and small.ndim == 2:
        small = t(small)
    lead = tuple(large.shape[:-1])
    rows = reshape(large, (math.prod(lead), large.shape[-1]))
    if small.ndim == 1:
        return apply(sh.UnsafeView, mv(rows, small), size=lead)
    result = apply(sh.UnsafeView, mm(rows, small), size=(*lead, small.shape[1]))
    return transpose(result, -2, -1).contiguous() if turned else result


def batched(input: Tensor, other: Tensor) -> Tensor:
    """Return the matrix products over leading dimensions, which are broadcast."""
    own, theirs = input._data.shape, other._data.shape
    rows, columns = own[-2:-1], theirs[-1:] if len(theirs) > 1 else ()
    batch = own[:-2] if own[:-2] == theirs[:-2] else joined_shape(own[:-2], theirs[:-2])
    n, k = (*(rows or (1,)), own[-1])
    left = repeated(input, batch, (n, k))
    if columns:
        result = bmm(left, repeated(other, batch, theirs[-2:]))
    else:
        result = squeeze(bmm(left, unsqueeze(repeated(other, batch, theirs), 2)), -1)
    return apply(sh.UnsafeView, result, size=(*batch, *rows, *columns))


def repeated(x: Tensor, batch: tuple[int, ...], last: tuple[int, ...]) -> Tensor:
    """Return x in the shape (*batch, *last), with one dimension for the whole batch."""
    shape, own = (*batch, *last), x._data
    if own.shape != shape:
        return reshape(expand(x, shape), (math.prod(batch), *last))
    if not x._needs and len(batch) == 1:
        return x
    whole = _expand(x, size=shape)
    size = (math.prod(batch), *last)
    return _view(whole, size=size) if own.flags.c_contiguous else reshape(whole, size)


def product_after(input: Tensor, other: Any) -> Any:
    """Return other @ input; NotImplemented when `other` is not a tensor."""
    return operator(other, input) if isinstance(other, Tensor) else operator(input, other)


# -- several matrices, in the order that costs least ---------------------------------------------


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """Return the product of matrices in the cheapest order; the ends may be vectors.

    Source: T. H. Cormen et al., "Introduction to Algorithms", matrix-chain multiplication.

    >>> import graphlab as torch
    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4)])
    tensor([12., 12.])
    """
    n = len(tensors)
    if n < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {n}")
    first, last = tensors[0], tensors[-1]
    for where, end in (("first", first), ("last", last)):
        if end.ndim not in (1, 2):
            raise RuntimeError(
                f"multi_dot(): the {where} tensor must be 1D or 2D but got {end.ndim}D"
            )
    for i, one in enumerate(tensors[1:-1], 1):
        if one.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {one.ndim}D")
    for i, one in enumerate(tensors[1:], 1):
        if one._data.dtype != first._data.dtype:
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{c_name(first)} and tensor {i} {c_name(one)}"
            )
    parts = [*tensors]
    if first.ndim == 1:
        parts[0] = unsqueeze(first, 0)
    if last.ndim == 1:
        parts[-1] = unsqueeze(last, -1)
    for i, (a, b) in enumerate(pairwise(parts)):
        if a.shape[1] != b.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(tensors[i].shape)} and "
                f"{list(tensors[i + 1].shape)} cannot be multiplied"
            )
    size = (*first.shape[:-1], *last.shape[1:])
    return view(cheapest(parts), size)


def cheapest(parts: Sequence[Tensor]) -> Tensor:
    """Return the product of matrices, in the order with the fewest multiplications."""
    n = len(parts)
    if n == 2:
        return mm(*parts)
    sizes = [*(p.shape[0] for p in parts), parts[-1].shape[1]]
    if n == 3:  # as PyTorch compares: a tie goes to the left pair, also for vectors
        a, b, c, d = sizes
        if a * c * (b + d) <= b * d * (a + c):
            return mm(mm(parts[0], parts[1]), parts[2])
        return mm(parts[0], mm(parts[1], parts[2]))
    cost = [[0] * n for _ in range(n)]
    cut = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j], cut[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            )
    return product_of(parts, cut, 0, n - 1)


def product_of(parts: Sequence[Tensor], cut: list[list[int]], i: int, j: int) -> Tensor:
    """Return the product of the matrices from i to j, split where it costs least."""
    if i == j:
        return parts[i]
    k = cut[i][j]
    return mm(product_of(parts, cut, i, k), product_of(parts, cut, k + 1, j))


@public()
def chain_matmul(*matrices: Tensor) -> Tensor:
    """Return the product of matrices. matrices: (N, K), ..., (L, M) -> (N, M).

    Warns: UserWarning, because PyTorch prefers `linalg.multi_dot`.

    >>> import graphlab as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 1))
    tensor([[3.],
            [3.]])
    """
    warnings.warn(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than "
        "multiple parameters.",
        UserWarning,
        stacklevel=users_level(),
    )
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for matrix in matrices:
        if matrix.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {matrix.ndim}, expected 2 instead.")
    return clone(matrices[0]) if len(matrices) == 1 else multi_dot(matrices)
