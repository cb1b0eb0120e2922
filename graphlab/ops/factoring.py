"""Eigenvalues, singular values, Q R, pseudoinverses and exponentials of matrices.

Each rule follows from how the factors can change. The columns of U, V and Q stay orthonormal, so a
small change only rotates them: dV = V Ω, with an antisymmetric matrix Ω. The entry Ωᵢⱼ is divided
by the difference of the values i and j, so the gradient is infinite or nan where two are equal.

Sources: M. B. Giles, "Collected matrix derivative results for forward and reverse mode
algorithmic differentiation" (2008), section 3; J. Townsend, "Differentiating the singular value
decomposition" (2016); M. Seeger et al., "Auto-differentiating linear algebra" (2017);
G. H. Golub and V. Pereyra (1973) for the pseudoinverse; PyTorch, FunctionsManual.cpp.

Read next: ops/linalg.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import no_derivative, zeros_like
from graphlab.primitives.numpy_reading.matrices import (
    eigh,
    eye_like,
    matrix_exp,
    mT,
    pinv,
    qr,
    solve_triangular,
    svd,
)
from graphlab.primitives.numpy_reading.shapes import cat, size, squeeze, sum_to, triu, unsqueeze


class LinalgEigh(Op):
    """Return the eigenvalues, the smallest first, and eigenvectors of symmetric matrices.

    A = V diag(λ) Vᵀ: (..., N, N) -> (..., N), (..., N, N). The gradient is the symmetric part of
    V (diag(gλ) + F ∘ Vᵀ gV) Vᵀ, with Fᵢⱼ = 1 / (λⱼ - λᵢ) off the diagonal.
    """

    node, symbol, outputs = "LinalgEighBackward0", "eig", ("eigenvalues", "eigenvectors")
    splits, materialize, hidden = True, False, ("upper",)
    phrase = "V (diag(gradient of λ) + M) Vᵀ, where M comes from the gradient of the eigenvectors V"

    def forward(A, *, upper=False):
        return eigh(A, upper)

    def grad_A(grad, eigenvalues, eigenvectors):
        (by_values, by_vectors), V = grad, eigenvectors
        if by_vectors is None:
            return (V * unsqueeze(by_values, -2)) @ mT(V)
        apart = unsqueeze(eigenvalues, -2) - unsqueeze(eigenvalues, -1)
        turn = mT(V) @ by_vectors / (apart + eye_like(V)) * (1 - eye_like(V))
        inner = (turn + mT(turn)) / 2
        if by_values is not None:
            inner = inner + unsqueeze(by_values, -2) * eye_like(V)
        return V @ inner @ mT(V)


class LinalgSvd(Op):
    """Factor A = U diag(S) Vᵀ: (..., N, M) -> (..., N, K), (..., K), (..., K, M), K = min(N, M).

    The columns of U and V are orthonormal. With `full_matrices` U and V are square; no gradient
    flows through the additional columns, which A does not determine.
    """

    node, symbol, outputs = "LinalgSvdBackward0", "svd", ("U", "S", "Vh")
    splits, materialize = True, False
    phrase = "U (diag(gradient of S) + M) Vᵀ, where M comes from the gradients of U and V"
    also_saved = ("full_matrices",)

    def forward(A, *, full_matrices=True):
        return svd(A, full_matrices)

    def grad_A(grad, U, S, Vh):
        (by_U, by_S, by_Vh), k = grad, size(S)[-1]
        U, V = U[..., :k], mT(Vh)[..., :k]
        by_U = None if by_U is None else by_U[..., :k]
        by_V = None if by_Vh is None else mT(by_Vh)[..., :k]
        if by_U is None and by_V is None:
            return U @ (unsqueeze(by_S, -1) * mT(V))
        row, column = unsqueeze(S, -2), unsqueeze(S, -1)
        apart = (row - column) * (row + column)  # Sⱼ² - Sᵢ²
        I = eye_like(apart)  # noqa: E741
        apart = apart + I
        inner = zeros_like(apart) if by_S is None else unsqueeze(by_S, -2) * I
        if by_U is not None:
            turn = mT(U) @ by_U
            inner = inner + (turn - mT(turn)) / apart * row
        if by_V is not None:
            turn = mT(V) @ by_V
            inner = inner + column * ((turn - mT(turn)) / apart)
        found = U @ inner @ mT(V)
        # the part of the gradient that is orthogonal to all columns of U, or of V
        if by_U is not None and size(U)[-2] > k:
            found = found + ((by_U - U @ (mT(U) @ by_U)) / row) @ mT(V)
        if by_V is not None and size(V)[-2] > k:
            found = found + (U / row) @ mT(by_V - V @ (mT(V) @ by_V))
        return found

    def show_S_sym_argsize_minus_1(S):
        return size(S)[-1]


class LinalgQr(Op):
    """Factor A = Q R, R upper triangular: (..., N, M) -> (..., N, K), (..., K, M), K = min(N, M).

    mode="complete": K = N; mode="r": Q stays empty. If A is wide, its first N columns determine Q,
    and Qᵀ times the others gives the rest of R.
    """

    node, symbol, outputs = "LinalgQrBackward0", "QR", ("Q", "R")
    splits, materialize = True, False
    phrase = "(G + Q M) R⁻ᵀ, with the gradient G of Q and M, made of the gradients of Q and R"

    def forward(A, *, mode="reduced"):
        return qr(A, mode)

    def grad_A(grad, Q, R, mode):
        if mode == "r":
            return no_derivative(
                "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
                "Please use linalg.qr(A, mode='reduced') if you are going to differentiate through "
                "linalg.qr."
            )
        if mode == "complete" and size(Q)[-1] > size(R)[-1]:
            return no_derivative(
                "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
            )
        (by_Q, by_R), n, last = grad, size(Q)[-1], len(size(R)) - 1
        by_Q = zeros_like(Q) if by_Q is None else by_Q
        by_R = zeros_like(R) if by_R is None else by_R
        wide = size(R)[-1] > n
        if wide:
            rest, by_rest = R[..., n:], by_R[..., n:]
            R, by_R = R[..., :n], by_R[..., :n]
            by_Q = by_Q + Q @ rest @ mT(by_rest)
        half = triu(by_R @ mT(R) - mT(Q) @ by_Q)
        inner = (half + mT(half)) * (1 - eye_like(half) / 2)
        square = mT(solve_triangular(R, mT(by_Q + Q @ inner), True))
        return cat((square, Q @ by_rest), last) if wide else square


class LinalgPinv(Op):
    """Return the pseudoinverse P, which solves least squares. self: (..., N, M) -> (..., M, N).

    dP = -P dA P + P Pᵀ dAᵀ (I - A P) + (I - P A) dAᵀ Pᵀ P.
    """

    node, symbol = "LinalgPinvBackward0", "⁺"
    phrase = (
        "−Pᵀ G Pᵀ, with the pseudoinverse P and the gradient G, and two terms for what P leaves out"
    )
    hidden = ("rtol", "atol")

    def forward(self, *, rtol=None, atol=0.0):
        return pinv(self, rtol, atol)

    def grad_self(grad, self, result):
        A, P, G = self, result, mT(grad)
        through = -mT(P) @ grad @ mT(P)
        beside_columns = (G - A @ (P @ G)) @ P @ mT(P)
        beside_rows = mT(P) @ P @ (G - (G @ P) @ A)
        return sum_to(through + beside_columns + beside_rows, size(A))  # rtol may be a tensor


class LinalgLstsq(Op):
    """Return the X that minimizes ‖self X - b‖, X = pinv(self) b.

    self: (..., N, M), b: (..., N, K) -> (..., M, K). The rule combines those of the pseudoinverse
    and of a product.
    """

    node, symbol, outputs = "LinalgLstsqBackward0", "A⁺B", ("solution",)
    phrase_self = "the rule of the pseudoinverse, whose own gradient is G bᵀ, with the gradient G"
    phrase_b = "the transposed pseudoinverse times the gradient"
    also_saved = ("b", "self", "solution")

    def forward(self, b, *, rcond=None):
        if len(size(b)) < len(size(self)):
            return squeeze(pinv(self, rcond) @ unsqueeze(b, -1), -1)
        return pinv(self, rcond) @ b

    def grad_self(grad, self, b):
        if len(size(b)) < len(size(self)):
            grad, b = unsqueeze(grad, -1), unsqueeze(b, -1)
        A, P = self, pinv(self)
        G = b @ mT(grad)
        through = -mT(P) @ mT(G) @ mT(P)
        beside_columns = (G - A @ (P @ G)) @ P @ mT(P)
        beside_rows = mT(P) @ P @ (G - (G @ P) @ A)
        return sum_to(through + beside_columns + beside_rows, size(self))

    def grad_b(grad, self, b):
        P = pinv(self)
        if len(size(b)) < len(size(self)):
            return squeeze(mT(P) @ unsqueeze(grad, -1), -1)
        return sum_to(mT(P) @ grad, size(b))


class LinalgMatrixExp(Op):
    """Return exp(A) = Σ Aᵏ / k!. self: (..., N, N) -> (..., N, N).

    The gradient is the upper right block of the exponential of [[Aᵀ, G], [0, Aᵀ]].
    Source: R. Mathias, "A chain rule for matrix functions and applications" (1996).
    """

    node, symbol = "LinalgMatrixExpBackward0", "exp"
    phrase = "the upper right block of the exponential of [[Aᵀ, G], [0, Aᵀ]], with the gradient G"

    def forward(self):
        return matrix_exp(self)

    def grad_self(grad, self):
        last, n = len(size(self)) - 1, size(self)[-1]
        top = cat((mT(self), grad), last)
        bottom = cat((zeros_like(self), mT(self)), last)
        whole = matrix_exp(cat((top, bottom), last - 1))
        return whole[..., :n, n:]
