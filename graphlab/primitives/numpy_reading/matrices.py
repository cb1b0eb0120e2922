"""Products, inverses and factors of matrices, and the scores of attention.

The matrices are the last two dimensions; those before are a batch. NumPy calls LAPACK, as PyTorch
does, so that signs and orders are the same.

Read next: ops/linalg.py
"""

import math
from typing import Any

import numpy as np

from graphlab.common.errors import LinAlgError
from graphlab.primitives.numpy_reading.elementary import Data, constant
from graphlab.primitives.numpy_reading.reductions import others
from graphlab.primitives.numpy_reading.shapes import Dims, size, transpose

SINGULAR = "the matrix is singular, it has no inverse"


def matmul(x: Data, y: Data, strides: tuple[int, ...] = ()) -> Data:
    """x @ y.

    strides: those of the matrix whose gradient this is. If its columns lie end to end in memory, as
    those of a transposed weight do, the product is laid out the same way.
    """
    if x.ndim == 2 and strides == (1, x.shape[0]):
        return matmul(y.T, x.T).T
    if x.ndim == 2 == y.ndim:
        try:
            return x.dot(y)  # of small matrices in half of np.matmul's time
        except TypeError:  # y is a batch of matrices
            pass
    return np.matmul(x, y)


def times(x: Data, factor: float) -> Data:
    """factor * x, without the product where it is 1."""
    return x if factor == 1 else x * factor


def blend(x: Data, beta: float, y: Data, alpha: float) -> Data:
    """beta * x + alpha * y; x is not read if beta is 0, so its nan does not count."""
    if beta == 1 == alpha:
        return x + y
    return times(y, alpha) if beta == 0 else times(x, beta) + times(y, alpha)


def mT(x: Data) -> Data:
    """The transpose of each matrix."""
    return np.swapaxes(x, -2, -1)


def eye_like(x: Data) -> Data:
    """1 on the diagonal and 0 elsewhere: (..., N, M) -> (N, M)."""
    return np.eye(x.shape[-2], x.shape[-1], dtype=x.dtype)


def cross(a: Data, b: Data, dim: int) -> Data:
    """a × b along `dim`, of size 3: aᵢ₊₁ bᵢ₊₂ - aᵢ₊₂ bᵢ₊₁, with indices modulo 3."""

    def after(x: Data, i: int) -> Data:
        return np.roll(x, -i, dim)

    return after(a, 1) * after(b, 2) - after(a, 2) * after(b, 1)


def trilinear(
    i1: Data, i2: Data, i3: Data, expand1: Dims, expand2: Dims, expand3: Dims, sumdim: Dims
) -> Data:
    """Σ i1 * i2 * i3 over `sumdim`; each gets new dimensions at the places of its `expand`."""
    places = range(i1.ndim + len(expand1 or ()))

    def kept(dims: Dims) -> list[int]:
        return [d for d in places if d not in (dims or ())]

    factors = (i1, kept(expand1), i2, kept(expand2), i3, kept(expand3))
    return np.asarray(np.einsum(*factors, kept(sumdim), optimize=True))[()]


def by_columns(x: Data) -> Data:
    """The same matrices, one column after the other in memory."""
    return mT(np.ascontiguousarray(mT(x)))


def in_columns(A: Data) -> Data:
    """The matrix or its transpose: the one that LAPACK can read where it lies.

    Both have one determinant, so PyTorch factors this one.
    """
    return mT(A) if A.flags.c_contiguous else A


# -- solving ------------------------------------------------------------------------------------


def inv(A: Data) -> Data:
    """The inverse; infinite for a singular matrix, nan everywhere for a matrix with a nan."""
    try:
        found = by_columns(np.linalg.inv(A))
        lost = np.isnan(A).any((-2, -1))
        if lost.any():
            found[lost] = np.nan
        return found
    except np.linalg.LinAlgError:
        return mT(cofactors(A)) / np.linalg.det(A)[..., None, None]


def solve(A: Data, B: Data) -> Data:
    """X with A X = B; A: (..., N, N), B: (..., N, K). Raises: LinAlgError for a singular matrix."""
    try:
        return by_columns(np.linalg.solve(A, B))
    except np.linalg.LinAlgError:
        raise LinAlgError(SINGULAR) from None


def solve_triangular(A: Data, B: Data, upper: bool, unitriangular: bool = False) -> Data:
    """X with A X = B for a triangular A, by substitution: the row with one unknown comes first."""
    n = A.shape[-1]
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    X = mT(np.empty((*batch, *B.shape[:-3:-1]), A.dtype))
    for i in reversed(range(n)) if upper else range(n):
        known = slice(i + 1, n) if upper else slice(0, i)
        row = B[..., i, :] - (A[..., i : i + 1, known] @ X[..., known, :])[..., 0, :]
        X[..., i, :] = row if unitriangular else row / A[..., i, i, None]
    return X


def det(A: Data) -> Data:
    """The determinant."""
    return np.linalg.det(A)


def slogdet(A: Data) -> tuple[Data, Data]:
    """The sign of the determinant and the logarithm of its size."""
    sign, size = np.linalg.slogdet(A)
    lost = np.isnan(A).any((-2, -1))  # LAPACK may take nan for 0
    size = np.where(lost, np.nan, size).astype(A.dtype)[()]
    return np.where(np.isnan(size), 0, sign).astype(A.dtype)[()], size


def cofactors(A: Data) -> Data:
    """det(A) A⁻ᵀ, the matrix of cofactors, which a singular matrix has too.

    From A = U diag(S) Vᵀ it is det(U) det(V) U diag(c) Vᵀ, where cᵢ is the product of all other S.
    Source: PyTorch, torch/csrc/autograd/FunctionsManual.cpp, linalg_det_backward.
    """
    U, S, Vh = svd(A, True)
    turned = np.linalg.det(U) * np.linalg.det(Vh)
    c = others(S, S.ndim - 1) if S.shape[-1] else S
    return (U * (turned[..., None] * c)[..., None, :]) @ Vh


def lu(A: Data) -> tuple[Data, Data]:
    """L and U of P A = L U in one matrix, and the row that each was swapped with, from 1 on.

    The left half of the columns is factored, then what remains of the right half.
    A: (..., N, M) -> (..., N, M), (..., min(N, M)) of int32.
    """
    LU = np.array(A)
    n, m = A.shape[-2:]
    pivots = np.empty((*A.shape[:-2], min(n, m)), np.int32)
    for at in np.ndindex(A.shape[:-2]):
        pivots[at] = 1 + np.array(_factor(LU[at]), np.int32)
    return LU, pivots


def _factor(A: np.ndarray) -> list[int]:
    """Write L and U over A; return, for each column, the row that it was swapped with."""
    n, m = A.shape
    if n == 0 or m == 0:
        return []
    if m == 1:
        sizes = np.abs(A[:, 0])  # a nan is the largest only if it comes first
        row = 0 if np.isnan(sizes[0]) else int(np.nanargmax(sizes))
        A[[0, row]] = A[[row, 0]]
        if A[0, 0]:
            A[1:, 0] /= A[0, 0]
        return [row]
    half = min(n, m) // 2 or 1
    first = _factor(A[:, :half])
    for i, row in enumerate(first):
        A[[i, row], half:] = A[[row, i], half:]
    top = A[:half]
    top[:, half:] = solve_triangular(top[:, :half], top[:, half:], False, unitriangular=True)
    A[half:, half:] -= A[half:, :half] @ top[:, half:]
    rest = [half + row for row in _factor(A[half:, half:])]
    for i, row in enumerate(rest, half):
        A[[i, row], :half] = A[[row, i], :half]
    return first + rest


def row_exchanges(pivots: Any, sizes: tuple[int, ...]) -> np.ndarray:
    """Pᵀ of A = P L U: the unit matrix, its rows exchanged in turn. (..., K) -> (..., N, N)."""
    rows = np.asarray(pivots).astype(int) - 1
    out = np.tile(np.eye(sizes[-2]), (*rows.shape[:-1], 1, 1))
    for at in np.ndindex(rows.shape[:-1]):
        for i, row in enumerate(rows[at]):
            out[at][[i, row]] = out[at][[row, i]]
    return out


def lu_solved(LU: Data, pivots: Any, B: Data, adjoint: bool) -> Data:
    """X with A X = B, or Aᵀ X = B, from the factors of A."""
    P = constant(row_exchanges(pivots, size(LU)), LU)
    if adjoint:
        inner = solve_triangular(mT(LU), B, False)
        return mT(P) @ solve_triangular(mT(LU), inner, True, True)
    return solve_triangular(LU, solve_triangular(LU, P @ B, False, True), True)


# -- factoring ----------------------------------------------------------------------------------


def cholesky(A: Data) -> Data:
    """The lower triangular L with A = L Lᵀ. Raises: LinAlgError when A is not positive definite."""
    try:
        return by_columns(np.linalg.cholesky(A))
    except np.linalg.LinAlgError:
        raise LinAlgError("the matrix is not positive definite") from None


def eigh(A: Data, upper: bool = False) -> tuple[Data, Data]:
    """Eigenvalues, the smallest first, and eigenvectors, as columns, of a symmetric matrix."""
    try:
        values, vectors = np.linalg.eigh(A, "U" if upper else "L")
    except np.linalg.LinAlgError:
        raise LinAlgError("the eigenvalues did not converge") from None
    return values, by_columns(vectors)


NO_SVD = (
    "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite "
    "values."
)


def svd(A: Data, full_matrices: bool = False) -> tuple[Data, Data, Data]:
    """U, S and Vᵀ with A = U diag(S) Vᵀ; S from the largest on.

    They are nan for a matrix with an infinity, where LAPACK's search may not end.
    Raises: LinAlgError where an entry is nan.
    """
    lost = ~np.isfinite(A).all((-2, -1))
    if not lost.any():
        return _svd(A, full_matrices)
    if np.isnan(A).any():
        raise LinAlgError(NO_SVD)
    U, S, Vh = _svd(np.where(lost[..., None, None], A.dtype.type(0), A), full_matrices)
    U[lost], S[lost], Vh[lost] = np.nan, np.nan, np.nan
    return U, S, Vh


def _svd(A: Data, full_matrices: bool) -> tuple[Data, Data, Data]:
    try:
        U, S, Vh = np.linalg.svd(A, full_matrices)
    except np.linalg.LinAlgError:
        raise LinAlgError("the singular values did not converge") from None
    return by_columns(U), S, by_columns(Vh)


def singular_values(A: Data) -> Data:
    """S alone, as `svd` gives it."""
    return np.linalg.svd(A, compute_uv=False) if np.isfinite(A).all() else svd(A)[1]


def qr(A: Data, mode: str = "reduced") -> tuple[Data, Data]:
    """Q with orthonormal columns and the upper triangular R with A = Q R; no Q with mode="r"."""
    if mode == "r":
        return np.empty(0, A.dtype), by_columns(np.linalg.qr(A, "r"))
    Q, R = np.linalg.qr(A, mode)  # type: ignore[call-overload]
    return by_columns(Q), by_columns(R)


def pinv(A: Data, rtol: float | None = None, atol: float = 0.0) -> Data:
    """The pseudoinverse; singular values up to max(atol, rtol * largest) count as 0.

    rtol: without it, the machine's accuracy times the longer side; 0 when atol is given.
    """
    if A.size == 0:
        return np.zeros_like(mT(A))
    U, S, Vh = svd(A)
    if rtol is None:
        rtol = 0.0 if atol else max(A.shape[-2:]) * float(np.finfo(A.dtype).eps)
    kept = np.maximum(atol, rtol * S[..., :1]) < S
    inverse = np.where(kept, 1 / np.where(kept, S, 1), 0).astype(A.dtype)
    return (mT(Vh) * inverse[..., None, :]) @ mT(U)


def matrix_exp(A: Data) -> Data:
    """Σ Aᵏ / k! of each matrix: a Padé approximant of A / 2ˢ, squared s times, in float64.

    A matrix with an entry that is not finite gives nan.
    Source: N. J. Higham, "The scaling and squaring method for the matrix exponential revisited"
    (2005), algorithm 2.3, with the polynomials of degree 13.
    """
    if A.size == 0:
        return np.array(A)
    kind, size = A.dtype, np.max(np.sum(np.abs(A), -2, np.float64), -1)[..., None, None]
    finite = np.isfinite(size)
    s = np.ceil(np.log2(np.maximum(np.where(finite, size, 0) / 5.371920351148152, 1)))
    A = np.where(finite, A, 0) / 2**s
    A2 = A @ A
    power = np.broadcast_to(np.eye(A.shape[-1]), A.shape)
    b = [math.comb(13, k) * math.factorial(26 - k) / math.factorial(26) for k in range(14)]
    even, odd = power * b[0], power * b[1]
    for k in range(2, 14, 2):
        power = power @ A2
        even = even + power * b[k]
        odd = odd + power * b[k + 1]
    odd = A @ odd
    X = np.linalg.solve(even - odd, even + odd)
    for k in range(int(np.max(s))):
        X = np.where(k < s, X @ X, X)
    return np.where(finite, X, np.nan).astype(kind)


def scale_of(query: Any, scale: float | None) -> float:
    """The factor of the scores: `scale`, or 1 / √E when that is None."""
    return 1 / math.sqrt(size(query)[-1]) if scale is None else scale


def causal_mask(rows: int, columns: int) -> np.ndarray:
    """0 where a query may use a key, up to its own position, and -∞ at later positions.

    >>> causal_mask(2, 2)
    array([[  0., -inf],
           [  0.,   0.]])
    """
    return np.where(np.tri(rows, columns, dtype=bool), 0.0, -np.inf)


def safe_softmax(x: Data, dim: int) -> Data:
    """exp(x) / Σ exp(x), and 0 where every entry is -∞.

    >>> safe_softmax(np.array([[0.0, -np.inf], [-np.inf, -np.inf]]), 1)
    array([[1., 0.],
           [0., 0.]])
    """
    top = np.max(x, dim, keepdims=True, initial=-np.inf)
    e = np.exp(x - np.where(top == -np.inf, 0, top).astype(x.dtype))
    total = np.sum(e, dim, keepdims=True)
    return e / np.where(total == 0, 1, total).astype(x.dtype)


def log_of_sum(scores: Data) -> Data:
    """log Σ exp(scores) over the last dimension."""
    top = np.max(scores, -1, initial=-np.inf)
    finite = np.where(np.isfinite(top), top, 0).astype(scores.dtype)
    return np.log(np.sum(np.exp(scores - finite[..., None]), -1)) + finite


def attention_scores(query: Any, key: Any, mask: Any, is_causal: bool, scale: float | None) -> Any:
    """How well each key fits each query: scale · Q Kᵀ + mask. (*, L, E), (*, S, E) -> (*, L, S)."""
    scores = matmul(query, transpose(key, -2, -1)) * scale_of(query, scale)
    if is_causal:
        scores = scores + constant(causal_mask(size(query)[-2], size(key)[-2]), scores)
    return scores if mask is None else scores + mask
