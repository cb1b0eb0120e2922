"""Eigenvalues, singular values, Q R, least squares and powers, with PyTorch's checks.

Read next: tensor/functions/norms.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import state
from graphlab.autograd.record import apply
from graphlab.common.public import public
from graphlab.ops import factoring as ops
from graphlab.primitives.numpy_reading.matrices import singular_values
from graphlab.tensor.functions import reductions
from graphlab.tensor.functions.checks import need_floats, type_name
from graphlab.tensor.functions.joining import cat
from graphlab.tensor.functions.matrix_product import matmul, product
from graphlab.tensor.functions.pointwise import clone
from graphlab.tensor.functions.products import no_bool
from graphlab.tensor.functions.results import result_type
from graphlab.tensor.functions.shapes import expand, flatten, transpose, unsqueeze
from graphlab.tensor.functions.solving import check_floating, check_matrices, check_square, inv
from graphlab.tensor.functions.statistics import cumprod
from graphlab.tensor.tensor import Tensor, wrap

linalg_eigh = result_type("linalg_eigh", "eigenvalues", "eigenvectors")
linalg_svd = result_type("linalg_svd", "U", "S", "Vh")
svd_result = result_type("svd", "U", "S", "V")
linalg_qr = result_type("linalg_qr", "Q", "R")
qr_result = result_type("qr", "Q", "R")
linalg_lstsq = result_type("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def constant(data: Any) -> Tensor:
    """Return data as a tensor outside the graph."""
    return wrap(np.asarray(data)[()], False, None)


# -- eigenvalues and singular values -----------------------------------------------------------


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Return the eigenvalues, ascending, and eigenvectors of symmetric matrices.

    A: (..., N, N) -> (..., N), (..., N, N), one eigenvector per column.
    UPLO: "L" reads only the lower triangle, "U" only the upper.

    >>> import graphlab as torch
    >>> torch.linalg.eigh(torch.tensor([[2.0, 1.0], [1.0, 2.0]])).eigenvalues
    tensor([1., 3.])
    """
    check_eigh(A, UPLO)
    return linalg_eigh(*apply(ops.LinalgEigh, A, upper=UPLO.upper() == "U"))


def check_eigh(A: Tensor, UPLO: str) -> None:
    """Raise an error for a tensor without eigenvalues."""
    check_square("linalg.eigh", A)
    need_floats("linalg_eigh_cpu", A)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Return the eigenvalues of symmetric matrices, ascending. A: (..., N, N) -> (..., N).

    UPLO: "L" reads only the lower triangle, "U" only the upper.

    >>> import graphlab as torch
    >>> torch.linalg.eigvalsh(torch.tensor([[2.0, 1.0], [1.0, 2.0]]))
    tensor([1., 3.])
    """
    if A._needs and state.grad_enabled:
        return eigh(A, UPLO).eigenvalues
    check_eigh(A, UPLO)
    try:
        return constant(np.linalg.eigvalsh(A._data, "U" if UPLO in "Uu" else "L"))
    except np.linalg.LinAlgError:
        return constant(np.full(A.shape[:-1], np.nan, A._data.dtype))


def linalg_svd_of(A: Tensor, full_matrices: bool = True) -> Any:
    """Return U, S and Vh with A = U diag(S) Vh.

    A: (..., N, M) -> (..., N, K), (..., K), (..., K, M).
    full_matrices: U and Vh are square; else K = min(N, M).

    >>> import graphlab as torch
    >>> torch.linalg.svd(torch.tensor([[3.0, 0.0], [0.0, 2.0]])).S
    tensor([3., 2.])
    """
    return linalg_svd(*factors(A, full_matrices))


def factors(A: Tensor, full_matrices: bool) -> Any:
    """Return the three factors. Raises: LinAlgError when there are none."""
    check_svd(A)
    return apply(ops.LinalgSvd, A, full_matrices=full_matrices)


def check_svd(A: Tensor) -> None:
    """Raise an error for a tensor without singular values."""
    check_matrices("linalg.svd", A)
    check_floating("linalg.svd", A)


@public(method=True, out=True)
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """Return U, S and V with input = U diag(S) Vᵀ.

    input: (..., N, M) -> (..., N, K), (..., K), (..., M, K).
    some: K = min(N, M); else U and V are square. compute_uv: without it U and V are zeros.

    >>> torch.svd(torch.tensor([[3.0, 0.0], [0.0, 2.0]])).S
    tensor([3., 2.])
    """
    U, S, Vh = factors(input, not some)
    if not compute_uv:
        n, m = input.shape[-2:]
        U, Vh = (constant(np.zeros((*input.shape[:-2], k, k), S._data.dtype)) for k in (n, m))
        return svd_result(U, S, Vh)
    return svd_result(U, S, transpose(Vh, -2, -1))


def svdvals(A: Tensor) -> Tensor:
    """Return the singular values, descending. A: (..., N, M) -> (..., min(N, M)).

    >>> import graphlab as torch
    >>> torch.linalg.svdvals(torch.tensor([[3.0, 0.0], [0.0, 2.0]]))
    tensor([3., 2.])
    """
    if A._needs and state.grad_enabled:
        return factors(A, False)[1]
    check_svd(A)
    return constant(singular_values(A._data))


# -- Q R ---------------------------------------------------------------------------------------


def linalg_qr_of(A: Tensor, mode: str = "reduced") -> Any:
    """Return Q with orthonormal columns and the upper triangular R with A = Q R.

    A: (..., N, M) -> (..., N, K), (..., K, M). mode: "reduced" for K = min(N, M), "complete" for
    K = N, "r" for R alone.

    >>> import graphlab as torch
    >>> torch.linalg.qr(torch.eye(2)).R.abs()
    tensor([[1., 0.],
            [0., 1.]])
    """
    return linalg_qr(*orthogonal(A, mode))


@public(method=True, out=True)
def qr(input: Tensor, some: bool = True) -> Any:
    """Return Q with orthonormal columns and the upper triangular R with input = Q R.

    input: (..., N, M) -> (..., N, K), (..., K, M). some: K = min(N, M); else K = N.

    >>> torch.qr(torch.eye(2)).R.abs()
    tensor([[1., 0.],
            [0., 1.]])
    """
    return qr_result(*orthogonal(input, "reduced" if some else "complete"))


def orthogonal(A: Tensor, mode: str) -> Any:
    """Return both factors; Q is empty with mode="r"."""
    check_matrices("linalg.qr", A)
    check_floating("linalg.qr", A)
    if mode not in ("reduced", "r", "complete"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', "
            "or 'complete'"
        )
    return apply(ops.LinalgQr, A, mode=mode)


# -- pseudoinverse and least squares -----------------------------------------------------------


def pinv(
    A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Tensor:
    """Return the pseudoinverse of each matrix. A: (..., N, M) -> (..., M, N).

    atol, rtol: singular values up to max(atol, rtol * the largest) count as 0; a tensor has one for
    each matrix. rcond: the same as rtol. hermitian: use the eigenvalues of a symmetric A.

    >>> import graphlab as torch
    >>> torch.linalg.pinv(torch.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    if A.ndim < 2 or A._data.dtype.kind != "f":
        raise RuntimeError(
            f"linalg.pinv({type_name(A)}{{{list(A.shape)}}}): expected a tensor with 2 or more "
            "dimensions of float, double, cfloat or cdouble types"
        )
    if hermitian:
        check_square("linalg.eigh", A)
    atol, rtol = tolerances(A, atol, rcond if rtol is None else rtol)
    return apply(ops.LinalgPinv, A, rtol=rtol, atol=atol)


def tolerances(A: Tensor, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """Return (atol, rtol): singular values up to atol, or rtol times the largest, count as 0.

    A tensor has one for each matrix. If rtol is None, it is the accuracy of the type times the
    longer side of A, or 0 where atol is above 0.
    """
    atol, rtol = (x._data[..., None] if isinstance(x, Tensor) else x for x in (atol, rtol))
    atol = 0.0 if atol is None else atol
    if rtol is None:
        accuracy = max(A.shape[-2:]) * float(np.finfo(A._data.dtype).eps)
        rtol = np.where(np.greater(atol, 0), 0.0, accuracy)[()]
    return atol, rtol


@public(method=True)
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Return the pseudoinverse, as `linalg.pinv` does. input: (..., N, M) -> (..., M, N).

    rcond: singular values up to rcond times the largest count as 0.

    >>> torch.pinverse(torch.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    return pinv(input, rcond)


def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """Return the X that minimizes ‖A X - B‖: (solution, residuals, rank, singular_values).

    A: (..., N, M), B: (..., N, K) -> solution (..., M, K). rcond: singular values up to rcond times
    the largest count as 0. driver: PyTorch's name of the method, which decides what stays empty.

    >>> import graphlab as torch
    >>> torch.linalg.lstsq(torch.tensor([[1.0], [1.0]]), torch.tensor([[1.0], [3.0]])).solution
    tensor([[2.0000]])
    """
    name = "torch.linalg.lstsq"
    if A.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if B.ndim < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if A._data.dtype != B._data.dtype:
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype "
            f"{type_name(A)} and other's dtype {type_name(B)}"
        )
    if A._data.dtype.kind != "f":
        raise RuntimeError("This function doesn't handle types other than float and double")
    drivers = ("gels", "gelsy", "gelsd", "gelss")
    if driver not in (None, *drivers):
        raise RuntimeError(f"{name}: parameter `driver` should be one of ({', '.join(drivers)})")
    if not 0 <= A.ndim - B.ndim <= 1:
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - "
            "other.dim()) <= 1"
        )
    vector = A.ndim - 1 == B.ndim and B.shape == A.shape[:-1]
    rows = B.shape[-1] if vector else B.shape[-2] if B.ndim > 1 else 0
    if rows != A.shape[-2]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size(-2)")
    solution = apply(ops.LinalgLstsq, A, B, rcond=None if driver == "gels" else rcond)
    S = singular_values(A._data)
    eps = float(np.finfo(S.dtype).eps) * max(A.shape[-2:])
    least = S[..., :1] * (eps if rcond is None else rcond)
    rank = np.sum(least < S, -1, dtype=np.int64)
    nothing = np.empty(0, S.dtype)
    residuals = flatten(solution)[:0]  # empty, but in the graph, as in PyTorch
    n, m = A.shape[-2:]
    if driver not in (None, "gelsy") and m < n and np.all(rank == m):
        column = (..., None) if vector else ...
        off = matmul(A, solution[column]) - B[column]
        residuals = reductions.sum(off * off, -2)
        residuals = residuals[..., 0] if vector else residuals
    return linalg_lstsq(
        solution,
        residuals,
        constant(np.empty(0, np.int64) if driver == "gels" else rank),
        constant(S if driver in ("gelsd", "gelss") else nothing),
    )


def matrix_rank(
    A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Tensor:
    """Count the singular values above max(atol, rtol * the largest), outside the graph.

    A: (..., N, M) -> (...). tol: the same as atol. hermitian: use the eigenvalues of a symmetric A.

    >>> import graphlab as torch
    >>> torch.linalg.matrix_rank(torch.tensor([[1.0, 2.0], [2.0, 4.0]]))
    tensor(1)
    """
    check_matrices("torch.linalg.matrix_rank", A, "input")
    if A._data.dtype.kind != "f":
        raise RuntimeError("This function doesn't handle types other than float and double")
    if hermitian:
        check_square("linalg.eigh", A)
    if not A.numel():
        return constant(np.zeros(A.shape[:-2], np.int64))
    if tol is not None:
        atol, rtol = tol, 0.0
    S = np.abs(eigvalsh(A.detach())._data) if hermitian else singular_values(A._data)
    atol, rtol = tolerances(A, atol, rtol)
    least = np.maximum(atol, S.max(-1, keepdims=True, initial=0) * rtol)
    return constant(np.sum(least < S, -1, dtype=np.int64))


# -- powers ------------------------------------------------------------------------------------


@public(method=True, out=True)
def matrix_power(A: Tensor, n: int) -> Tensor:
    """Return A multiplied by itself n times, by squaring; a negative n inverts it first.

    >>> matrix_power(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), 5)
    tensor([[1., 5.],
            [0., 1.]])
    """
    check_square("linalg.matrix_power", A)
    no_bool("addmm_impl_cpu_", A)
    if n == 0:
        eye = np.broadcast_to(np.eye(A.shape[-1], dtype=A._data.dtype), A.shape)
        return clone(A).copy_(constant(np.array(eye)))
    if n < 0:
        A, n = inv(A), -n
    if n == 1:
        return clone(A)
    if n == 2:
        return product(A, A)
    if n == 3:
        return product(product(A, A), A)
    square, result = None, None
    while n > 0:
        bit, n = n % 2, n // 2
        square = A if square is None else product(square, square)
        if bit:
            result = square if result is None else product(result, square)
    assert result is not None
    return result


def vander(x: Tensor, N: int | None = None) -> Tensor:
    """Return the powers x⁰, x¹, ... as N columns; N is the number of entries when None.

    x: (..., M) -> (..., M, N)

    >>> import graphlab as torch
    >>> torch.linalg.vander(torch.tensor([2.0, 3.0]), N=3)
    tensor([[1., 2., 4.],
            [1., 3., 9.]])
    """
    x = unsqueeze(x, 0) if x.ndim == 0 else x
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    repeated = expand(unsqueeze(x, -1), (*x.shape, n - 1))
    ones = constant(np.ones((*x.shape, 1), x._data.dtype))
    return cat((ones, cumprod(repeated, -1)), -1)


@public(method=True)
def matrix_exp(A: Tensor) -> Tensor:
    """Return the exponential Σ Aᵏ / k! of each matrix. A: (..., N, N) -> (..., N, N).

    Raises: RuntimeError for integers and float16. PyTorch differs: float16 gives inf or nan there.

    >>> torch.matrix_exp(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    name = "linalg.matrix_exp"
    check_square(name, A)
    check_floating(name, A)
    return apply(ops.LinalgMatrixExp, A)
