"""Inverses, determinants and systems of linear equations.

The rules follow from a few lines of algebra. From A A⁻¹ = I comes d(A⁻¹) = -A⁻¹ dA A⁻¹; from
A X = B comes dX = A⁻¹ (dB - dA X); and d det(A) = Σ Cᵢⱼ dAᵢⱼ, where C is the matrix of cofactors.

Sources: M. B. Giles, "Collected matrix derivative results for forward and reverse mode
algorithmic differentiation" (2008), sections 2.2.3, 2.2.4 and 2.3.1; for Cholesky I. Murray,
"Differentiation of the Cholesky decomposition" (2016).

Read next: ops/factoring.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import constant
from graphlab.primitives.numpy_reading.matrices import (
    cholesky,
    cofactors,
    det,
    eye_like,
    in_columns,
    inv,
    lu,
    lu_solved,
    mT,
    row_exchanges,
    slogdet,
    solve,
    solve_triangular,
)
from graphlab.primitives.numpy_reading.shapes import (
    cat,
    size,
    squeeze,
    sum_to,
    tril,
    triu,
    unsqueeze,
)


class LinalgInvEx(Op):
    """Return the inverse. A: (..., N, N) -> (..., N, N)."""

    node, symbol, outputs = "LinalgInvExBackward0", "⁻¹", ("inverse",)
    phrase = "minus the gradient multiplied from both sides by the transposed inverse: −A⁻ᵀ G A⁻ᵀ"

    def forward(A):
        return inv(A)

    def grad_A(grad, inverse):
        return -mT(inverse) @ grad @ mT(inverse)


class LinalgDet(Op):
    """Return the determinant. A: (..., N, N) -> (...)."""

    node, symbol = "LinalgDetBackward0", "det"
    phrase = "each entry gets the gradient times its cofactor"
    also_saved = ("result",)

    def forward(A):
        return det(A)

    def grad_A(grad, A):
        return unsqueeze(unsqueeze(grad, -1), -1) * cofactors(A)

    def show_LU(A):
        return lu(in_columns(A))[0]

    def show_pivots(A):
        return lu(in_columns(A))[1]


class LinalgSlogdet(Op):
    """Return the sign of the determinant and log |det A|. A: (..., N, N) -> (...), (...).

    d log |det A| = tr(A⁻¹ dA); the sign is constant, so it has no gradient.
    """

    node, symbol, outputs = "LinalgSlogdetBackward0", "log |det|", ("sign", "logabsdet")
    splits, materialize = True, False
    phrase = "the gradient of the logarithm times the transposed inverse, A⁻ᵀ"
    also_saved = ("sign",)

    def forward(A):
        return slogdet(A)

    def grad_A(grad, A):
        if grad[1] is None:
            return A * 0
        return unsqueeze(unsqueeze(grad[1], -1), -1) * mT(inv(A))

    show_LU, show_pivots = LinalgDet.show_LU, LinalgDet.show_pivots


class LinalgSolveEx(Op):
    """Return X with A X = B, X A = B unless `left`. A: (..., N, N), B: (..., N, K) or (..., N).

    The gradient of B solves the transposed system.
    """

    node, symbol = "LinalgSolveExBackward0", "A⁻¹B"
    phrase_A = "−Z Xᵀ, with the solution X and Z = A⁻ᵀ G, the gradient of the right side"
    phrase_B = "the solution Z of the transposed system, Aᵀ Z = G, with the gradient G"
    also_saved, hidden = ("left", "result"), ("B_sym_sizes",)

    def forward(A, B, *, left=True):
        if len(size(B)) == 1 or size(B) == size(A)[:-1]:
            return squeeze(solve(A, unsqueeze(B, -1)), -1)
        return solve(A, B) if left else mT(solve(mT(A), mT(B)))

    def grad_A(grad, A, result, left):
        if len(size(result)) < len(size(A)):
            grad, result = unsqueeze(grad, -1), unsqueeze(result, -1)
        if left:
            return sum_to(-solve(mT(A), grad) @ mT(result), size(A))
        return sum_to(-mT(result) @ mT(solve(A, mT(grad))), size(A))

    def grad_B(grad, A, B_sym_sizes, result, left):
        if len(size(result)) < len(size(A)):
            return sum_to(squeeze(solve(mT(A), unsqueeze(grad, -1)), -1), B_sym_sizes)
        return sum_to(solve(mT(A), grad) if left else mT(solve(A, mT(grad))), B_sym_sizes)

    def show_LU(A):
        return lu(A)[0]

    def show_pivots(A):
        return lu(A)[1]


class LinalgSolveTriangular(Op):
    """Return X with self X = B, X self = B unless `left`, for a triangular matrix.

    self: (..., N, N), B: (..., N, K) -> (..., N, K). The other triangle of self is ignored.
    """

    node, symbol, types = "LinalgSolveTriangularBackward0", "A⁻¹B", "keep"
    phrase_self = "the triangle of −Z Xᵀ, with the solution X and Z, the gradient of the right side"
    phrase_B = "the solution Z of the transposed system, Aᵀ Z = G, with the gradient G"
    hidden = ("B_sym_sizes",)

    def forward(self, B, *, upper, left=True, unitriangular=False):
        if left:
            return solve_triangular(self, B, upper, unitriangular)
        return mT(solve_triangular(mT(self), mT(B), not upper, unitriangular))

    def grad_self(grad, self, result, upper, left, unitriangular):
        if left:
            full = -solve_triangular(mT(self), grad, not upper, unitriangular) @ mT(result)
        else:
            full = -mT(result) @ mT(solve_triangular(self, mT(grad), upper, unitriangular))
        beside = 1 if unitriangular else 0
        return sum_to(triu(full, beside) if upper else tril(full, -beside), size(self))

    def grad_B(grad, self, B_sym_sizes, upper, left, unitriangular):
        if left:
            solved = solve_triangular(mT(self), grad, not upper, unitriangular)
        else:
            solved = mT(solve_triangular(self, mT(grad), upper, unitriangular))
        return sum_to(solved, B_sym_sizes)


class TriangularSolve(Op):
    """Return X with A X = self for a triangular A, or Aᵀ X = self with `transpose`.

    self: (..., N, K), A: (..., N, N) -> (..., N, K).
    """

    node, symbol, outputs = "TriangularSolveBackward0", "A⁻¹B", ("solution",)
    phrase_self = "the solution Z of the transposed system, Aᵀ Z = G, with the gradient G"
    phrase_A = "the triangle of −Z Xᵀ, with the solution X and Z, the gradient of the right side"
    also_saved = ("self",)

    def forward(self, A, *, upper=True, transpose=False, unitriangular=False):
        if transpose:
            return solve_triangular(mT(A), self, not upper, unitriangular)
        return solve_triangular(A, self, upper, unitriangular)

    def grad_self(grad, self, A, upper, transpose, unitriangular):
        if transpose:
            return sum_to(solve_triangular(A, grad, upper, unitriangular), size(self))
        return sum_to(solve_triangular(mT(A), grad, not upper, unitriangular), size(self))

    def grad_A(grad, A, solution, upper, transpose, unitriangular):
        if transpose:
            full = -solution @ mT(solve_triangular(A, grad, upper, unitriangular))
        else:
            full = -solve_triangular(mT(A), grad, not upper, unitriangular) @ mT(solution)
        beside = 1 if unitriangular else 0
        return sum_to(triu(full, beside) if upper else tril(full, -beside), size(A))


class LinalgCholeskyEx(Op):
    """Return the triangular L with A = L Lᵀ, or Lᵀ with `upper`. A: (..., N, N) -> (..., N, N).

    With Φ the lower triangle of Lᵀ G, its diagonal halved, the gradient is the symmetric part of
    L⁻ᵀ Φ L⁻¹, because A may only change to another symmetric matrix.
    """

    node, symbol, outputs = "LinalgCholeskyExBackward0", "chol", ("L",)
    phrase = (
        "the symmetric part of L⁻ᵀ Φ(Lᵀ G) L⁻¹; Φ keeps the lower triangle and halves its diagonal"
    )

    def forward(A, *, upper=False):
        return mT(cholesky(mT(A))) if upper else cholesky(A)

    def grad_A(grad, L, upper):
        if upper:
            L, grad = mT(L), mT(grad)
        half = tril(mT(L) @ grad) * (1 - eye_like(L) / 2)
        inner = solve_triangular(mT(L), half + mT(half), True)
        return mT(solve_triangular(mT(L), mT(inner), True)) / 2


class CholeskySolve(Op):
    """Return X with L Lᵀ X = self; L is input2, or its transpose with `upper`.

    self: (..., N, K), input2: (..., N, N) -> (..., N, K). As in PyTorch every entry of L has a
    gradient, also those of the triangle that is 0.
    """

    node, symbol = "CholeskySolveBackward0", "A⁻¹B"
    phrase_self = "the solution of the same system for the gradient: (L Lᵀ)⁻¹ G"
    phrase_input2 = (
        "−(Z Xᵀ + X Zᵀ) L, with the solution X and Z = (L Lᵀ)⁻¹ G, the gradient of the right side"
    )
    also_saved = ("self",)

    def forward(self, input2, *, upper=False):
        L = mT(input2) if upper else input2
        return solve_triangular(mT(L), solve_triangular(L, self, False), True)

    def grad_self(grad, self, input2, upper):
        L = mT(input2) if upper else input2
        return sum_to(solve_triangular(mT(L), solve_triangular(L, grad, False), True), size(self))

    def grad_input2(grad, input2, result, upper):
        L = mT(input2) if upper else input2
        solved = solve_triangular(mT(L), solve_triangular(L, grad, False), True)
        both = solved @ mT(result)
        found = -(both + mT(both)) @ L
        return sum_to(mT(found) if upper else found, size(input2))


class CholeskyInverse(Op):
    """Return (L Lᵀ)⁻¹; L is self, or its transpose with `upper`. self: (..., N, N) -> (..., N, N).

    As in PyTorch every entry of L has a gradient, also those of the triangle that is 0.
    """

    node, symbol = "CholeskyInverseBackward0", "⁻¹"
    phrase = "−A⁻¹ (G + Gᵀ) A⁻¹ L, with A = L Lᵀ and the gradient G"

    def forward(self, *, upper=False):
        L = mT(self) if upper else self
        inverse = solve_triangular(L, eye_like(L), False)
        return mT(inverse) @ inverse

    def grad_self(grad, self, result, upper):
        L = mT(self) if upper else self
        found = -result @ (grad + mT(grad)) @ result @ L
        return mT(found) if upper else found


class LinalgLuFactorEx(Op):
    """Return L and U of A = P L U in one matrix, and the row exchanges P.

    A: (..., N, M) -> (..., N, M), (..., min(N, M)).
    """

    node, symbol, outputs, also_saved = (
        "LinalgLuFactorExBackward0", "LU", ("LU", "pivots"), ("pivot",)
    )  # fmt: skip
    phrase = "P L⁻ᵀ M U⁻ᵀ, where M joins the lower triangle of Lᵀ Gₗ and the upper one of Gᵤ Uᵀ"

    def forward(A, *, pivot=True):
        return lu(A)

    def grad_A(grad, LU, pivots):
        n, m = size(LU)[-2:]
        k = size(pivots)[-1]
        head, by_L, by_U = LU[..., :k, :k], grad[..., :k], triu(grad[..., :k, :])
        lower = mT(tril(head, -1)) @ by_L[..., :k, :] + by_L[..., :k, :]
        upper = by_U[..., :k] @ mT(triu(head))
        if m > k:
            lower = lower - by_U[..., k:] @ mT(LU[..., k:])
        if n > k:
            upper = upper - mT(LU[..., k:, :]) @ by_L[..., k:, :]
        found = solve_triangular(mT(head), tril(lower, -1) + triu(upper), True, True)
        if n > k:
            found = cat((found, by_L[..., k:, :]), -2)
        found = mT(solve_triangular(head, mT(found), True))
        if m > k:
            found = cat((found, solve_triangular(mT(head), by_U[..., k:], True, True)), -1)
        return mT(constant(row_exchanges(pivots, size(LU)), LU)) @ found


class LinalgLuSolve(Op):
    """Return X with A X = B, or Aᵀ X = B if `adjoint`, X A = B unless `left`, from A = P L U.

    LU: (..., N, N), B: (..., N, K).
    """

    node, symbol = "LinalgLuSolveBackward0", "A⁻¹B"
    phrase_LU = (
        "U gets −triu(H Xᵀ) and L gets −tril(L⁻ᵀ H (U X)ᵀ), for A X = B, with H = U⁻ᵀ G and the "
        "gradient G"
    )
    phrase_B = "the solution of the transposed system with the gradient"
    hidden = ("B_sym_sizes",)

    def forward(LU, pivots, B, *, left=True, adjoint=False):
        if left:
            return lu_solved(LU, pivots, B, adjoint)
        return mT(lu_solved(LU, pivots, mT(B), not adjoint))

    def grad_LU(grad, LU, pivots, result, left, adjoint):
        X, G = (result, grad) if left else (mT(result), mT(grad))
        if adjoint is left:
            P = constant(row_exchanges(pivots, size(LU)), LU)
            V, G = P @ X, solve_triangular(LU, P @ G, False, True)
            lower = V @ mT(G)
            upper = (mT(tril(LU, -1)) @ V + V) @ mT(solve_triangular(LU, G, True))
        else:
            G = solve_triangular(mT(LU), G, False)
            upper = G @ mT(X)
            lower = solve_triangular(mT(LU), G, True, True) @ mT(triu(LU) @ X)
        return -sum_to(tril(lower, -1) + triu(upper), size(LU))

    def grad_B(grad, LU, B_sym_sizes, pivots, left, adjoint):
        if left:
            return sum_to(lu_solved(LU, pivots, grad, not adjoint), B_sym_sizes)
        return sum_to(mT(lu_solved(LU, pivots, mT(grad), adjoint)), B_sym_sizes)
