"""The largest singular values and the principal components of a matrix, by random products.

A times a few random vectors spans nearly the space of its largest singular vectors, and a small
decomposition within that space gives them.

Read next: tensor/functions/factoring.py
"""

from typing import Any

from graphlab.common.public import public
from graphlab.tensor.functions.checks import need_tensor
from graphlab.tensor.functions.factoring import linalg_qr_of, linalg_svd_of
from graphlab.tensor.functions.matrix_product import matmul
from graphlab.tensor.functions.reductions import mean
from graphlab.tensor.functions.shapes import transpose
from graphlab.tensor.functions.solving import check_matrices
from graphlab.tensor.random.sampling import randn
from graphlab.tensor.tensor import Tensor


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
