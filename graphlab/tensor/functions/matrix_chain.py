"""Products of several matrices, in the order that costs least: `linalg.multi_dot`.

Read next: tensor/functions/contractions.py
"""

import warnings
from collections.abc import Sequence
from itertools import pairwise

from graphlab.common.public import public
from graphlab.tensor.functions.checks import c_name
from graphlab.tensor.functions.pointwise import clone
from graphlab.tensor.functions.products import mm
from graphlab.tensor.functions.shapes import unsqueeze, view
from graphlab.tensor.tensor import Tensor


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """Return the product of matrices in the cheapest order; the ends may be vectors.

    Source: T. H. Cormen et al., "Introduction to Algorithms", matrix-chain multiplication.

    >>> import graphlab as torch
    >>> multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4)])
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
    for i, t in enumerate(tensors[1:-1], 1):
        if t.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {t.ndim}D")
    for i, t in enumerate(tensors[1:], 1):
        if t._data.dtype != first._data.dtype:
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{c_name(first)} and tensor {i} {c_name(t)}"
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
        stacklevel=2,
    )
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for matrix in matrices:
        if matrix.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {matrix.ndim}, expected 2 instead.")
    return clone(matrices[0]) if len(matrices) == 1 else multi_dot(matrices)
