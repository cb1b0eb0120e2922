"""Products of vectors and matrices, and others that sum over some dimensions.

A gradient is the product that makes the shapes fit.

Source of the rules: M. B. Giles, "Collected matrix derivative results for forward and reverse
mode algorithmic differentiation" (2008), section 2.2.

Read next: ops/shapes.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    eq,
    exp,
    inf,
    log,
    maximum,
    ones_like,
    sqrt,
    where,
)
from graphlab.primitives.numpy_reading.matrices import (
    blend,
    cross,
    eye_like,
    matmul,
    mT,
    times,
    trilinear,
)
from graphlab.primitives.numpy_reading.reductions import amax, pairwise_slopes, sum
from graphlab.primitives.numpy_reading.shapes import expand, size, sum_to, transpose, unsqueeze
from graphlab.primitives.numpy_reading.strides import diagonal


class Dot(Op):
    """Return the dot product. self: (N,), tensor: (N,) -> ()."""

    node, symbol = "DotBackward0", "·"
    phrase = "this vector gets the gradient, a number, times the other vector"

    def forward(self, tensor):
        return sum(self * tensor)

    def grad_self(grad, tensor):
        return grad * tensor

    def grad_tensor(grad, self):
        return grad * self


class Vdot(Op):
    """Return the dot product, under the name that conjugates complex numbers. (N,), (N,) -> ()."""

    node, symbol = "VdotBackward0", "·"
    phrase = "this vector gets the gradient, a number, times the other vector"

    def forward(self, other):
        return sum(self * other)

    def grad_self(grad, other):
        return grad * other

    def grad_other(grad, self):
        return grad * self


class Mv(Op):
    """Multiply a matrix by a vector. self: (N, M), vec: (M,) -> (N,)."""

    node, symbol = "MvBackward0", "@"
    phrase_self = "the matrix gets the outer product of the gradient and the vector"
    phrase_vec = "the vector gets the transposed matrix times the gradient"

    def forward(self, vec):
        return matmul(self, vec)

    def grad_self(grad, vec):
        return unsqueeze(grad, 1) * unsqueeze(vec, 0)

    def grad_vec(grad, self):
        return matmul(transpose(self, 0, 1), grad)


class Mm(Op):
    """Multiply two matrices. self: (N, K), mat2: (K, M) -> (N, M)."""

    node, symbol = "MmBackward0", "@"
    phrase_self = "the gradient times the second matrix, transposed"
    phrase_mat2 = "the first matrix, transposed, times the gradient"
    also_saved = ("self_sym_sizes", "self_sym_strides", "mat2_sym_sizes", "mat2_sym_strides")

    def forward(self, mat2):
        return matmul(self, mat2)

    def grad_self(grad, mat2, self_sym_strides):
        return matmul(grad, transpose(mat2, 0, 1), self_sym_strides)

    def grad_mat2(grad, self, mat2_sym_strides):
        return matmul(transpose(self, 0, 1), grad, mat2_sym_strides)


class Bmm(Op):
    """Multiply two batches of matrices. self: (B, N, K), mat2: (B, K, M) -> (B, N, M)."""

    node, symbol = "BmmBackward0", "@"
    phrase_self = "for each matrix of the batch, the gradient times the second matrix, transposed"
    phrase_mat2 = "for each matrix of the batch, the first matrix, transposed, times the gradient"

    def forward(self, mat2):
        return matmul(self, mat2)

    def grad_self(grad, mat2):
        return matmul(grad, transpose(mat2, 1, 2))

    def grad_mat2(grad, self):
        return matmul(transpose(self, 1, 2), grad)


class Addmm(Op):
    """Return β self + α mat1 @ mat2. self: (N, M) or broadcast, mat1: (N, K), mat2: (K, M)."""

    node, symbol, broadcasts = "AddmmBackward0", "@ +", ("self",)
    wide = True
    phrase_self = "what is added to the product gets the gradient, times beta"
    phrase_mat1 = "the gradient times the second matrix, transposed, times alpha"
    phrase_mat2 = "the first matrix, transposed, times the gradient, times alpha"
    also_saved = (
        "alpha",
        "beta",
        "mat1_sym_sizes",
        "mat1_sym_strides",
        "mat2_sym_sizes",
        "mat2_sym_strides",
    )

    def forward(self, mat1, mat2, *, beta=1, alpha=1):
        return blend(self, beta, matmul(mat1, mat2), alpha)

    def grad_self(grad, beta):
        return times(grad, beta)

    def grad_mat1(grad, mat2, alpha, mat1_sym_strides):
        return times(matmul(grad, transpose(mat2, 0, 1), mat1_sym_strides), alpha)

    def grad_mat2(grad, mat1, alpha, mat2_sym_strides):
        return times(matmul(transpose(mat1, 0, 1), grad, mat2_sym_strides), alpha)


class Addmv(Op):
    """Return β self + α mat @ vec. self: (N,) or broadcast, mat: (N, M), vec: (M,) -> (N,)."""

    node, symbol, broadcasts = "AddmvBackward0", "@ +", ("self",)
    wide = True
    phrase_self = "what is added to the product gets the gradient, times beta"
    phrase_mat = "the outer product of the gradient and the vector, times alpha"
    phrase_vec = "the transposed matrix times the gradient, times alpha"
    also_saved = ("alpha", "beta")

    def forward(self, mat, vec, *, beta=1, alpha=1):
        return blend(self, beta, matmul(mat, vec), alpha)

    def grad_self(grad, beta):
        return times(grad, beta)

    def grad_mat(grad, vec, alpha):
        return times(unsqueeze(grad, 1) * unsqueeze(vec, 0), alpha)

    def grad_vec(grad, mat, alpha):
        return times(matmul(transpose(mat, 0, 1), grad), alpha)


class Addr(Op):
    """Return β self + α vec1 vec2ᵀ. self: (N, M) or broadcast, vec1: (N,), vec2: (M,) -> (N, M)."""

    node, symbol, broadcasts = "AddrBackward0", "⊗ +", ("self",)
    wide = True
    phrase_self = "what is added to the product gets the gradient, times beta"
    phrase_vec1 = "the gradient times the second vector, times alpha"
    phrase_vec2 = "the transposed gradient times the first vector, times alpha"
    also_saved = ("alpha", "beta")

    def forward(self, vec1, vec2, *, beta=1, alpha=1):
        return blend(self, beta, unsqueeze(vec1, 1) * unsqueeze(vec2, 0), alpha)

    def grad_self(grad, beta):
        return times(grad, beta)

    def grad_vec1(grad, vec2, alpha):
        return times(matmul(grad, vec2), alpha)

    def grad_vec2(grad, vec1, alpha):
        return times(matmul(transpose(grad, 0, 1), vec1), alpha)


class Baddbmm(Op):
    """Return β self + α batch1 @ batch2 for each matrix. (B, N, K), (B, K, M) -> (B, N, M)."""

    node, symbol, broadcasts = "BaddbmmBackward0", "@ +", ("self",)
    wide = True
    phrase_self = "what is added to the products gets the gradient, times beta"
    phrase_batch1 = (
        "for each matrix of the batch, the gradient times the second matrix, transposed, times "
        "alpha"
    )
    phrase_batch2 = (
        "for each matrix of the batch, the first matrix, transposed, times the gradient, times "
        "alpha"
    )
    also_saved = ("alpha", "beta")

    def forward(self, batch1, batch2, *, beta=1, alpha=1):
        return blend(self, beta, matmul(batch1, batch2), alpha)

    def grad_self(grad, beta):
        return times(grad, beta)

    def grad_batch1(grad, batch2, alpha):
        return times(matmul(grad, transpose(batch2, 1, 2)), alpha)

    def grad_batch2(grad, batch1, alpha):
        return times(matmul(transpose(batch1, 1, 2), grad), alpha)


class Addbmm(Baddbmm):
    """Return β self + α Σ batch1 @ batch2 over the batch. (B, N, K), (B, K, M) -> (N, M)."""

    node, symbol = "AddbmmBackward0", "@ Σ"
    phrase_batch1 = "each matrix gets the gradient times its second factor, transposed, times alpha"
    phrase_batch2 = "each matrix gets its first factor, transposed, times the gradient, times alpha"
    also_saved = (
        "alpha",
        "beta",
        "batch1_sym_argsize_0",
        "batch1_sym_argsize_1",
        "batch2_sym_argsize_2",
    )

    def forward(self, batch1, batch2, *, beta=1, alpha=1):
        return blend(self, beta, sum(matmul(batch1, batch2), (0,)), alpha)


class Trace(Op):
    """Sum the diagonal. self: (N, M) -> ()."""

    node, symbol = "TraceBackward0", "tr"
    phrase = "every entry of the diagonal gets the gradient; the others get 0"

    def forward(self):
        return sum(diagonal(self, 0, 0, 1))

    def grad_self(grad, self_sym_sizes):
        everywhere = expand(grad, self_sym_sizes)
        return everywhere * eye_like(everywhere)


class LinalgCross(Op):
    """Return the cross product a × b along `dim`, of size 3. self, other: (..., 3) -> (..., 3).

    The triple product does not change under a cyclic permutation of its factors:
    g · (a × b) = a · (b × g) = b · (g × a). The factor of a is the gradient of a.
    """

    node, symbol, broadcasts = "LinalgCrossBackward0", "×", ("self", "other")
    phrase_self = "the cross product of the second vector and the gradient"
    phrase_other = "the cross product of the gradient and the first vector"

    def forward(self, other, *, dim=-1):
        return cross(self, other, dim)

    def grad_self(grad, other, dim):
        return cross(other, grad, dim)

    def grad_other(grad, self, dim):
        return cross(grad, self, dim)


class Trilinear(Op):
    """Sum i1 * i2 * i3 over `sumdim`; each gets new dimensions at the places of its `expand`.

    The result is linear in each factor. The gradient of a factor is the same product, with the
    gradient of the result in place of the factor.
    """

    node, symbol = "TrilinearBackward0", "Σ···"
    wide = True
    phrase = (
        "this factor gets the gradient times the two other factors, summed over the dimensions "
        "that it lacks"
    )
    also_saved = ("expand1", "expand2", "expand3", "sumdim")

    def forward(i1, i2, i3, *, expand1, expand2, expand3, sumdim):
        return trilinear(i1, i2, i3, expand1, expand2, expand3, sumdim)

    def grad_i1(grad, i2, i3, expand1, expand2, expand3, sumdim):
        return trilinear(grad, i2, i3, sumdim, expand2, expand3, expand1)

    def grad_i2(grad, i1, i3, expand1, expand2, expand3, sumdim):
        return trilinear(i1, grad, i3, expand1, sumdim, expand3, expand2)

    def grad_i3(grad, i1, i2, expand1, expand2, expand3, sumdim):
        return trilinear(i1, i2, grad, expand1, expand2, sumdim, expand3)


class Cdist(Op):
    """Return the distances of all rows of x1 and x2. (..., P, M), (..., R, M) -> (..., P, R).

    A distance of 0 has the slope 0.
    """

    node, symbol = "CdistBackward0", "dist"
    phrase = (
        "this row gets the gradient of each of its distances, in the direction away from the "
        "other row"
    )

    def forward(x1, x2, *, p=2.0):
        apart = unsqueeze(x1, -2) - unsqueeze(x2, -3)
        if p == 0:
            return sum(where(eq(apart, 0), 0, ones_like(apart)), (-1,))
        if p == 1:
            return sum(abs(apart), (-1,))
        if p == 2:
            return sqrt(sum(apart * apart, (-1,)))
        if p == inf:
            return amax(abs(apart), (-1,)) if size(apart)[-1] else sum(apart, (-1,))
        # the root as exp(log / p), which is exact where entries are
        return exp(log(sum(abs(apart) ** p, (-1,))) / p)

    def grad_x1(grad, x1, x2, result, p):
        return sum_to(sum(pairwise_slopes(grad, x1, x2, result, p), (-2,)), size(x1))

    def grad_x2(grad, x1, x2, result, p):
        return sum_to(-sum(pairwise_slopes(grad, x1, x2, result, p), (-3,)), size(x2))


class EuclideanDist(Op):
    """Return Euclidean distances by one product of matrices: |a - b|² = |a|² - 2 a·b + |b|².

    x1: (..., P, M), x2: (..., R, M) -> (..., P, R). Faster where there are many rows, and less
    exact for rows that lie close together.
    """

    node, symbol = "EuclideanDistBackward0", "dist"
    phrase = (
        "this row gets, for each distance, the gradient times (this row − the other row) / distance"
    )

    def forward(x1, x2):
        first, second = sum(x1 * x1, (-1,), True), sum(x2 * x2, (-1,), True)
        square = first - 2 * (x1 @ mT(x2)) + mT(second)
        return sqrt(maximum(square, 0))

    def grad_x1(grad, x1, x2, result):
        share = where(eq(result, 0), 0, grad / result)
        return x1 * sum(share, (-1,), True) - share @ x2

    def grad_x2(grad, x1, x2, result):
        share = mT(where(eq(result, 0), 0, grad / result))
        return x2 * sum(share, (-1,), True) - share @ x1
