"""Triangular factors, A = L Lᵀ and A = P L U, with systems solved with them; factors of low rank.

A times a few random vectors spans nearly the space of its largest singular vectors, and a small
decomposition within that space gives them.

Read next: tensor/functions/factoring.py
"""

import warnings
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.errors import LinAlgError, users_level
from graphlab.common.public import public
from graphlab.ops import solving as ops
from graphlab.primitives.numpy_reading.matrices import row_exchanges
from graphlab.tensor.functions.arrange import tril, triu
from graphlab.tensor.functions.checks import joined_shape, need_floats, need_tensor, not_for
from graphlab.tensor.functions.factoring import linalg_qr_of, linalg_svd_of
from graphlab.tensor.functions.matrix_product import matmul
from graphlab.tensor.functions.reductions import mean
from graphlab.tensor.functions.results import result_type
from graphlab.tensor.functions.shapes import transpose
from graphlab.tensor.functions.solving import (
    batch_of,
    check_fit,
    check_floating,
    check_matrices,
    check_square,
    check_system,
    check_types,
)
from graphlab.tensor.random.sampling import randn
from graphlab.tensor.tensor import Tensor, wrap

linalg_lu_factor = result_type("linalg_lu_factor", "LU", "pivots")
linalg_lu_factor_ex = result_type("linalg_lu_factor_ex", "LU", "pivots", "info")
Factors = {name: result_type(name, "P", "L", "U") for name in ("linalg_lu", "lu_unpack")}


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """Return the lower triangular L with A = L Lᵀ; with `upper`, its transpose.

    Raises: LinAlgError for a matrix that is not positive definite.

    >>> import graphlab as torch
    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
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

    >>> torch.cholesky_solve(torch.tensor([[8.0]]), torch.tensor([[2.0]]))
    tensor([[2.]])
    """
    check_system("cholesky_solve", "b should", B, L)
    return apply(ops.CholeskySolve, B, L, upper=upper)


@public(method=True, out=True)
def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """Return (L Lᵀ)⁻¹ from the factor L of a `cholesky`. L: (..., N, N) -> (..., N, N).

    upper: L is the upper factor, so the inverse is that of Lᵀ L.

    >>> torch.cholesky_inverse(torch.tensor([[2.0]]))
    tensor([[0.2500]])
    """
    check_square("cholesky_inverse", L)
    need_floats("cholesky_inverse_out_cpu", L)
    return apply(ops.CholeskyInverse, L, upper=upper)


# -- A = P L U ----------------------------------------------------------------------------------


def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """Return L and U of A = P L U in one matrix, and the row that each was exchanged with.

    A: (..., N, M) -> (..., N, M), (..., min(N, M)). pivot: only True.
    Raises: RuntimeError for a singular matrix.

    >>> import graphlab as torch
    >>> torch.linalg.lu_factor(torch.eye(2)).pivots
    tensor([1, 2], dtype=torch.int32)
    """
    return linalg_lu_factor(*lu_factor_ex(A, pivot=pivot, check_errors=True)[:2])


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Return `lu_factor` and, for each matrix, 0 or the first pivot that is 0: (LU, pivots, info).

    A: (..., N, M). pivot: only True. check_errors: raise RuntimeError for a singular matrix.

    >>> import graphlab as torch
    >>> torch.linalg.lu_factor_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    need_matrices("torch.lu_factor", A)
    check_type("lu", A)
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    LU, pivots = apply(ops.LinalgLuFactorEx, A, pivot=pivot)
    zero = np.diagonal(LU._data, axis1=-2, axis2=-1) == 0
    info = (zero.any(-1) * (zero.argmax(-1) + 1 if zero.size else 0)).astype(np.int32)
    if check_errors and info.any():
        at = tuple(np.argwhere(info)[0].tolist())
        raise RuntimeError(
            f"torch.linalg.lu_factor: {batch_of(at, info.shape)}U[{info[at]},{info[at]}] is zero "
            "and using it on lu_solve would result in a division by zero. If you still want to "
            "perform the factorization, consider calling linalg.lu(A, pivot) or "
            "linalg.lu_factor_ex(A, pivot)"
        )
    return linalg_lu_factor_ex(LU, pivots, wrap(info[()], False, None))


def need_matrices(name: str, A: Tensor) -> None:
    """Raise RuntimeError for a tensor without rows and columns."""
    if A.ndim < 2:
        raise RuntimeError(
            f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead"
        )


def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """Return the factors of A = P L U: an order of rows, a lower and an upper triangle.

    A: (..., N, M) -> (..., N, N), (..., N, K), (..., K, M), K = min(N, M). pivot: only True.

    >>> import graphlab as torch
    >>> torch.linalg.lu(torch.tensor([[0.0, 2.0], [1.0, 0.0]])).U
    tensor([[1., 0.],
            [0., 2.]])
    """
    need_matrices("linalg.lu", A)
    return Factors["linalg_lu"](*unpacked(*lu_factor_ex(A, pivot=pivot)[:2]))


@public(out=True)
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    """Return P, L and U of A = P L U from `linalg.lu_factor(A)`.

    LU_data: (..., N, M), LU_pivots: (..., K). unpack_data, unpack_pivots: False leaves L and U, or
    P, empty.

    >>> torch.lu_unpack(*torch.linalg.lu_factor(torch.tensor([[0.0, 2.0], [1.0, 0.0]]))).P
    tensor([[0., 1.],
            [1., 0.]])
    """
    P, L, U = unpacked(LU_data, LU_pivots)
    none = wrap(np.empty(0, LU_data._data.dtype), False, None)
    return Factors["lu_unpack"](
        P if unpack_pivots else none, L if unpack_data else none, U if unpack_data else none
    )


def unpacked(LU: Tensor, pivots: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return P, L and U as matrices of their own."""
    n, m = LU.shape[-2:]
    k, kind = min(n, m), LU._data.dtype
    P = np.swapaxes(row_exchanges(pivots._data, tuple(LU.shape)), -2, -1).astype(kind)
    lower = tril(LU[..., :k], -1) + wrap(np.eye(n, k, dtype=kind), False, None)
    return wrap(P, False, None), lower, triu(LU[..., :k, :])


def check_type(name: str, A: Tensor) -> None:
    """Raise NotImplementedError unless A is float32 or float64."""
    if A._data.dtype not in (np.float32, np.float64):
        raise not_for(f"{name}_cpu", A)


def linalg_lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False
) -> Tensor:
    """Return X with A X = B, from `lu_factor(A)`. LU: (..., N, N), pivots: (..., N).

    B: (..., N, K) -> like B. left: False for X A = B. adjoint: take Aᵀ for A.

    >>> import graphlab as torch
    >>> torch.linalg.lu_solve(*torch.linalg.lu_factor(torch.eye(1)), torch.ones(1, 1))
    tensor([[1.]])
    """
    name = "linalg.lu_solve"
    check_square(f"torch.{name}", LU)
    check_types(name, LU, B, "LU")
    if pivots._data.dtype != np.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_matrices(name, B, "B")
    check_fit(name, LU, tuple(B.shape), left)
    if pivots.shape != LU.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with "
            f"shape {list(pivots.shape)} instead"
        )
    check_type(name, LU)
    joined_shape(B.shape[:-2], LU.shape[:-2])
    return apply(ops.LinalgLuSolve, LU, pivots, B, left=left, adjoint=adjoint)


@public(method=True, out=True)
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """Return `linalg.lu_solve(LU_data, LU_pivots, b)`.

    Warns: UserWarning, because PyTorch prefers that.

    >>> import graphlab as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.lu_solve(torch.ones(1, 1), *torch.linalg.lu_factor(torch.eye(1)))
    tensor([[1.]])
    """
    warnings.warn(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a "
        "future PyTorch release.\nNote that torch.linalg.lu_solve has its arguments reversed.\n"
        "X = torch.lu_solve(B, LU, pivots)\nshould be replaced with\n"
        "X = torch.linalg.lu_solve(LU, pivots, B)",
        stacklevel=users_level(),
    )
    return linalg_lu_solve(LU_data, LU_pivots, b)


@public()
def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Any = None) -> Any:
    """Return U, S, V with A ≈ U diag(S) Vᵀ. A: (*, m, n) -> (*, m, q), (*, q), (*, n, q).

    q: how many singular values. niter: products with A Aᵀ that make the space more exact.
    M: (*, m, n), what is subtracted from A. Raises: RuntimeError for fewer than two dimensions.
    Source: Halko, Martinsson and Tropp, Finding structure with randomness, 2009, algorithm 5.1.

    >>> torch.svd_lowrank(torch.diag(torch.tensor([3.0, 2.0])), q=2)[1].round()
    tensor([3., 2.])
    """
    need_tensor("svd_lowrank", "A", 1, A)
    check_matrices("svd_lowrank", A)
    A = A if M is None else A - M
    wide = A.shape[-2] < A.shape[-1]
    A = transpose(A, -2, -1) if wide else A
    back = transpose(A, -2, -1)
    random = randn(A.shape[-1], 6 if q is None else q, dtype=A.dtype)
    Q = linalg_qr_of(matmul(A, random)).Q
    for _ in range(2 if niter is None else niter):
        Q = linalg_qr_of(matmul(back, Q)).Q
        Q = linalg_qr_of(matmul(A, Q)).Q
    U, S, Vh = linalg_svd_of(matmul(transpose(Q, -2, -1), A), full_matrices=False)
    U, V = matmul(Q, U), transpose(Vh, -2, -1)
    return (V, S, U) if wide else (U, S, V)


@public()
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> Any:
    """Return U, S, V of `svd_lowrank`; the columns of V are the principal components of the rows.

    A: (*, m, n), m examples of n numbers. q: how many, min(6, m, n) when None. center: subtract the
    mean of the rows first. niter: as for `svd_lowrank`. Raises: ValueError for a number out of
    range.

    >>> torch.pca_lowrank(torch.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]), q=1)[1]
    tensor([2.])
    """
    need_tensor("pca_lowrank", "A", 1, A)
    check_matrices("pca_lowrank", A)
    least = min(A.shape[-2:])
    q = min(6, least) if q is None else q
    if not 0 <= q <= least:
        raise ValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)={least}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - mean(A, (-2,), True) if center else A, q, niter)
