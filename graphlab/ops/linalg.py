"""Products of vectors and matrices. A gradient is the product that makes the shapes fit.

Read next: ops/shape.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.ops.vocabulary import matmul, sum, transpose, unsqueeze


class Dot(Op):
    """The dot product. self: (N,), tensor: (N,) -> ()."""

    node, symbol = "DotBackward0", "·"
    phrase = "times the other vector"

    def forward(self, tensor):
        return sum(self * tensor)

    def grad_self(grad, tensor):
        return grad * tensor

    def grad_tensor(grad, self):
        return grad * self


class Mv(Op):
    """Matrix times vector. self: (N, M), vec: (M,) -> (N,)."""

    node, symbol = "MvBackward0", "@"
    phrase = "the product with the other factor that fits the shapes"

    def forward(self, vec):
        return matmul(self, vec)

    def grad_self(grad, vec):
        return unsqueeze(grad, 1) * unsqueeze(vec, 0)

    def grad_vec(grad, self):
        return matmul(transpose(self, 0, 1), grad)


class Mm(Op):
    """Matrix times matrix. self: (N, K), mat2: (K, M) -> (N, M)."""

    node, symbol = "MmBackward0", "@"
    phrase = "the product with the other factor, transposed, that fits the shapes"
    also_saved = ("self_sym_sizes", "self_sym_strides", "mat2_sym_sizes", "mat2_sym_strides")

    def forward(self, mat2):
        return matmul(self, mat2)

    def grad_self(grad, mat2):
        return matmul(grad, transpose(mat2, 0, 1))

    def grad_mat2(grad, self):
        return matmul(transpose(self, 0, 1), grad)


class Bmm(Op):
    """A batch of matrix products. self: (B, N, K), mat2: (B, K, M) -> (B, N, M)."""

    node, symbol = "BmmBackward0", "@"
    phrase = "for each matrix of the batch, the product with the other factor, transposed"

    def forward(self, mat2):
        return matmul(self, mat2)

    def grad_self(grad, mat2):
        return matmul(grad, transpose(mat2, 1, 2))

    def grad_mat2(grad, self):
        return matmul(transpose(self, 1, 2), grad)


class Addmm(Op):
    """β self + α mat1 @ mat2. self: (N, M) or broadcast, mat1: (N, K), mat2: (K, M) -> (N, M)."""

    node, symbol, broadcasts = "AddmmBackward0", "@ +", ("self",)
    phrase = "the sum passes the gradient; the product takes it times the other factor, transposed"
    also_saved = (
        "alpha",
        "beta",
        "mat1_sym_sizes",
        "mat1_sym_strides",
        "mat2_sym_sizes",
        "mat2_sym_strides",
    )

    def forward(self, mat1, mat2, *, beta=1, alpha=1):
        product = matmul(mat1, mat2)
        return (self if beta == 1 else self * beta) + (product if alpha == 1 else product * alpha)

    def grad_self(grad, beta):
        return grad if beta == 1 else grad * beta

    def grad_mat1(grad, mat2, alpha):
        product = matmul(grad, transpose(mat2, 0, 1))
        return product if alpha == 1 else product * alpha

    def grad_mat2(grad, mat1, alpha):
        product = matmul(transpose(mat1, 0, 1), grad)
        return product if alpha == 1 else product * alpha
