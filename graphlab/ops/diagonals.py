"""Operations that read or write the diagonals of matrices.

Read next: ops/indexing.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import copy, gt, ones_like, where
from graphlab.primitives.numpy_reading.shapes import size
from graphlab.primitives.numpy_reading.strides import diagonal, put_diagonal


class Diagonal(Op):
    """Return the diagonals of the matrices in `dim1` and `dim2`. self: (N, N, B) -> (B, N)."""

    node, symbol, types, view = "DiagonalBackward0", "diag", "keep", True
    phrase = "the gradient goes back to the diagonal; the other entries get 0"

    def forward(self, *, offset=0, dim1=0, dim2=1):
        return diagonal(self, offset, dim1, dim2)

    def grad_self(grad, self_sym_sizes, offset, dim1, dim2):
        return put_diagonal(grad, self_sym_sizes, offset, dim1, dim2)


class DiagonalCopy(Diagonal):
    """Return a copy of the diagonal of a matrix. self: (N, M) -> (min(N, M),)."""

    node, view = "DiagonalBackward0_copy", False

    def forward(self, *, offset=0, dim1=0, dim2=1):
        return copy(diagonal(self, offset, dim1, dim2))


class DiagEmbed(Op):
    """Put the last dimension on a diagonal, 0 elsewhere. self: (B, N) -> (B, N, N)."""

    node, symbol, types = "DiagEmbedBackward0", "diag", "keep"
    phrase = "the diagonal of the gradient goes back to the vector"
    hidden = ("sizes",)

    def forward(self, *, sizes, offset=0, dim1=-2, dim2=-1):
        return put_diagonal(self, sizes, offset, dim1, dim2)

    def grad_self(grad, offset, dim1, dim2):
        return diagonal(grad, offset, dim1, dim2)


class DiagonalScatter(Op):
    """Replace the diagonal. self: (N, N), src: (N,) -> (N, N)."""

    node, symbol, types = "DiagonalScatterBackward0", "diag =", "keep"
    phrase_self = (
        "entries off the diagonal get their gradient; the diagonal, which was replaced, gets 0"
    )
    phrase_src = "the source gets the diagonal of the gradient"

    def forward(self, src, *, offset=0, dim1=0, dim2=1):
        on = put_diagonal(ones_like(src), size(self), offset, dim1, dim2)
        return where(gt(on, 0), put_diagonal(src, size(self), offset, dim1, dim2), self)

    def grad_self(grad, offset, dim1, dim2):
        along = diagonal(grad, offset, dim1, dim2)
        on = put_diagonal(ones_like(along), size(grad), offset, dim1, dim2)
        return where(gt(on, 0), 0, grad)

    def grad_src(grad, offset, dim1, dim2):
        return diagonal(grad, offset, dim1, dim2)
