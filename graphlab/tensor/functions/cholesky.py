"""Cholesky factors, A = L Lᵀ, and linear systems solved with them.

Read next: tensor/functions/factoring.py
"""

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.errors import LinAlgError
from graphlab.common.public import public
from graphlab.ops import solving as ops
from graphlab.tensor.functions.checks import type_name
from graphlab.tensor.functions.solving import batch_of, check_floating, check_square, check_system
from graphlab.tensor.tensor import Tensor


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """Return the lower triangular L with A = L Lᵀ; with `upper`, its transpose.

    Raises: LinAlgError for a matrix that is not positive definite.

    >>> import graphlab as torch
    >>> cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    name = "linalg.cholesky"
    check_square(name, A)
    check_floating(name, A)
    try:
        return apply(ops.LinalgCholeskyEx, A, upper=upper)
    except LinAlgError:
        at, order = first_indefinite(A._data)
        raise LinAlgError(
            f"{name}: {batch_of(at, A.shape[:-2])}The factorization could not be completed because "
            f"the input is not positive-definite (the leading minor of order {order} is not "
            "positive-definite)."
        ) from None


def first_indefinite(A: np.ndarray) -> tuple[tuple[int, ...], int]:
    """Return which matrix is not positive definite, and the order of its first bad minor."""
    for at in np.ndindex(A.shape[:-2]):
        for order in range(1, A.shape[-1] + 1):
            try:
                np.linalg.cholesky(A[at][:order, :order])
            except np.linalg.LinAlgError:
                return at, order
    return (0,) * (A.ndim - 2), A.shape[-1]


@public(method=True, out=True)
def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """Return X with L Lᵀ X = B from the factor L of a `cholesky`. B: (..., N, K), L: (..., N, N).

    upper: L is the upper factor, so Lᵀ L X = B. X has the shape of B.

    >>> import graphlab as torch
    >>> torch.cholesky_solve(torch.tensor([[8.0]]), torch.tensor([[2.0]]))
    tensor([[2.]])
    """
    check_system("cholesky_solve", "b should", B, L)
    return apply(ops.CholeskySolve, B, L, upper=upper)


@public(method=True, out=True)
def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """Return (L Lᵀ)⁻¹ from the factor L of a `cholesky`. L: (..., N, N) -> (..., N, N).

    upper: L is the upper factor, so the inverse is that of Lᵀ L.

    >>> import graphlab as torch
    >>> torch.cholesky_inverse(torch.tensor([[2.0]]))
    tensor([[0.2500]])
    """
    check_square("cholesky_inverse", L)
    if L._data.dtype.kind != "f":
        raise NotImplementedError(
            f"\"cholesky_inverse_out_cpu\" not implemented for '{type_name(L)}'"
        )
    return apply(ops.CholeskyInverse, L, upper=upper)
