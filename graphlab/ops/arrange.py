"""Operations that move the entries of a tensor: reverse, repeat, split, read or write a diagonal.

Read next: ops/indexing.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import copy, gt, ones_like, where
from graphlab.primitives.numpy_reading.reductions import sum
from graphlab.primitives.numpy_reading.scatter_gather import put_slice, slice_
from graphlab.primitives.numpy_reading.shapes import (
    cat,
    flip,
    reshape,
    roll,
    rot90,
    size,
    tile,
    tril,
    triu,
)
from graphlab.primitives.numpy_reading.strides import diagonal, put_diagonal


class Flip(Op):
    """Reverse the order of the entries along `dims`. self: (N, M), dims: (0,) -> (N, M)."""

    node, symbol, types = "FlipBackward0", "flip", "keep"
    phrase = "the gradient is flipped back"

    def forward(self, *, dims):
        return flip(self, dims)

    def grad_self(grad, dims):
        return flip(grad, dims)


class Roll(Op):
    """Shift the entries by `shifts` along `dims`, cyclically; no dims means all entries."""

    node, symbol, types = "RollBackward0", "roll", "keep"
    phrase = "the gradient is rolled back"

    def forward(self, *, shifts, dims=()):
        return roll(self, shifts, dims)

    def grad_self(grad, shifts, dims):
        return roll(grad, tuple([-n for n in shifts]), dims)


class Rot90(Op):
    """Rotate by `k` quarter turns, from the first of `dims` to the second.

    self: (N, M) -> (M, N) for an odd k.
    """

    node, symbol, types = "Rot90Backward0", "⟲", "keep"
    phrase = "the gradient is rotated back"

    def forward(self, *, k=1, dims=(0, 1)):
        return rot90(self, k, dims)

    def grad_self(grad, k, dims):
        return rot90(grad, -k, dims)


class Tril(Op):
    """Keep the triangle on and below a diagonal, 0 above. self: (N, M) -> (N, M)."""

    node, symbol, types = "TrilBackward0", "◺", "keep"
    phrase = "entries of the triangle that was kept get their gradient; the others get 0"

    def forward(self, *, diagonal=0):
        return tril(self, diagonal)

    def grad_self(grad, diagonal):
        return tril(grad, diagonal)


class Triu(Op):
    """Keep the triangle on and above a diagonal, 0 below. self: (N, M) -> (N, M)."""

    node, symbol, types = "TriuBackward0", "◹", "keep"
    phrase = "entries of the triangle that was kept get their gradient; the others get 0"

    def forward(self, *, diagonal=0):
        return triu(self, diagonal)

    def grad_self(grad, diagonal):
        return triu(grad, diagonal)


class Repeat(Op):
    """Put copies side by side along each dimension. self: (N,), repeats: (2,) -> (2 N,)."""

    node, symbol, types = "RepeatBackward0", "repeat", "keep"
    phrase = "each entry gets the sum of the gradients of all its copies"

    def forward(self, *, repeats):
        return tile(self, repeats)

    def grad_self(grad, self_sym_sizes, repeats):
        lead, sizes = len(repeats) - len(self_sym_sizes), ()
        for i, n in enumerate(repeats):
            sizes += (n, 1 if i < lead else self_sym_sizes[i - lead])
        copies = tuple(range(0, 2 * len(repeats), 2))
        return reshape(sum(reshape(grad, sizes), copies), self_sym_sizes)


class Split(Op):
    """Split along `dim` into pieces of one size; the last may be smaller.

    self: (5,), split_size: 2 -> (2,), (2,), (1,).
    """

    node, symbol, types, view, splits = "SplitBackward0", "split", "keep", True, True
    phrase = "the gradients of the pieces are joined again"
    also_saved = ("self_sym_sizes", "split_size")

    def forward(self, *, split_size, dim=0):
        pieces, n = [], size(self)[dim]
        for start in range(0, n or 1, split_size or 1):
            pieces.append(slice_(self, dim, start, start + split_size, 1))
        return tuple(pieces)

    def grad_self(grad, dim):
        return cat(grad, dim)


class UnsafeSplit(Split):
    """Split without tracking changes of the pieces in place. (5,), 2 -> (2,), (2,), (1,)."""

    node, view = "UnsafeSplitBackward0", False


class SplitWithSizes(Op):
    """Split along `dim` into given sizes. self: (5,), split_sizes: (3, 2) -> (3,), (2,)."""

    node, symbol, types, view, splits = "SplitWithSizesBackward0", "split", "keep", True, True
    phrase = "the gradients of the pieces are joined again"
    also_saved = ("self_sym_sizes", "split_sizes")

    def forward(self, *, split_sizes, dim=0):
        pieces, start = [], 0
        for n in split_sizes:
            pieces.append(slice_(self, dim, start, start + n, 1))
            start += n
        return tuple(pieces)

    def grad_self(grad, dim):
        return cat(grad, dim)


class UnsafeSplitWithSizes(SplitWithSizes):
    """Split into given sizes without tracking changes in place. (5,), (3, 2) -> (3,), (2,)."""

    node, view = "UnsafeSplitWithSizesBackward0", False


class BlockDiag(Op):
    """Put matrices along the diagonal of a larger one. (N, M), (K, L) -> (N+K, M+L)."""

    node, symbol, types, variadic = "BlockDiagBackward0", "block diag", "promote", True
    phrase = "each matrix gets its own block of the gradient"
    hidden = ("tensors_sym_sizes",)

    def forward(tensors):
        width, rows, start = 0, (), 0
        for x in tensors:
            width += size(x)[-1] if size(x) else 1
        for x in tensors:
            n = size(x)[-1] if size(x) else 1
            block = reshape(x, (size(x)[0] if len(size(x)) == 2 else 1, n))
            rows += (put_slice(block, (size(block)[0], width), 1, slice(start, start + n, 1)),)
            start += n
        return cat(rows, 0)

    def grad_tensors(grad, tensors_sym_sizes):
        blocks, row, column = (), 0, 0
        for sizes in tensors_sym_sizes:
            n, m = sizes if len(sizes) == 2 else (1, *sizes, 1)[:2]
            block = slice_(slice_(grad, 0, row, row + n, 1), 1, column, column + m, 1)
            blocks += (reshape(block, sizes),)
            row, column = row + n, column + m
        return blocks


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
