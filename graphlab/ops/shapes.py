"""Operations that only rearrange entries, or show them again: the gradient is rearranged back.

Read next: ops/indexing.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import astype
from graphlab.primitives.numpy_reading.reductions import count
from graphlab.primitives.numpy_reading.scatter_gather import put_at, take
from graphlab.primitives.numpy_reading.shapes import (
    expand,
    permute,
    reshape,
    squeeze,
    sum_to,
    transpose,
    unsqueeze,
)
from graphlab.primitives.numpy_reading.strides import as_strided, put_unfold, strided_places, unfold


class Reshaped(Op, abstract=True):
    """Give the same entries another shape: PyTorch has several operations for it."""

    types = "keep"
    phrase = "the same gradient, in the shape of the input"

    def forward(self, *, size):
        return reshape(self, size)

    def grad_self(grad, self_sym_sizes):
        return reshape(grad, self_sym_sizes)


class View(Reshaped):
    """Return the same memory in another shape. self: (2, 3), size: (6,) -> (6,)."""

    node, symbol, view = "ViewBackward0", "view", True


class ReshapeAlias(Reshaped):
    """Return the same memory in another shape where it is not contiguous. self: (2, 3) -> (6,)."""

    node, symbol, view = "ReshapeAliasBackward0", "view", True


class UnsafeView(Reshaped):
    """Return a new result in another shape, for `matmul` and `reshape`. self: (6,) -> (2, 3)."""

    node, symbol = "UnsafeViewBackward0", "view"


class T(Op):
    """Transpose a matrix. self: (N, M) -> (M, N)."""

    node, symbol, types, view = "TBackward0", "xᵀ", "keep", True
    phrase = "the gradient is transposed back"

    def forward(self):
        return permute(self)

    def grad_self(grad):
        return permute(grad)


class Transpose(Op):
    """Swap two dimensions. self: (A, B, C), dim0: 0, dim1: 2 -> (C, B, A)."""

    node, symbol, types, view = "TransposeBackward0", "xᵀ", "keep", True
    phrase = "the two dimensions of the gradient are swapped back"

    def forward(self, *, dim0, dim1):
        return transpose(self, dim0, dim1)

    def grad_self(grad, dim0, dim1):
        return transpose(grad, dim0, dim1)


class Permute(Op):
    """Reorder the dimensions. self: (A, B, C), dims: (2, 0, 1) -> (C, A, B)."""

    node, symbol, types, view = "PermuteBackward0", "permute", "keep", True
    phrase = "the dimensions of the gradient are put back in their old order"

    def forward(self, *, dims):
        return permute(self, dims)

    def grad_self(grad, dims):
        order = [d % len(dims) for d in dims]
        back = tuple(order.index(d) for d in range(len(dims)))
        return permute(grad, back)


class Unsqueeze(Op):
    """Insert a dimension of size 1. self: (N,), dim: 0 -> (1, N)."""

    node, symbol, types, view = "UnsqueezeBackward0", "unsqueeze", "keep", True
    phrase = "the same gradient, in the shape of the input"

    def forward(self, *, dim):
        return unsqueeze(self, dim)

    def grad_self(grad, dim):
        return squeeze(grad, dim)


class Squeeze(Reshaped):
    """Drop every dimension of size 1. self: (1, N, 1) -> (N,)."""

    node, symbol, view = "SqueezeBackward0", "squeeze", True


class SqueezeDim(Reshaped):
    """Drop the dimension `dim` of size 1. self: (1, N), dim: 0 -> (N,)."""

    node, symbol, view = "SqueezeBackward1", "squeeze", True
    also_saved = ("dim",)

    def forward(self, *, dim, size):
        return reshape(self, size)


class SqueezeProduct(SqueezeDim):
    """Drop the dimension that `matmul` gave a vector. self: (1, N), dim: 0 -> (N,)."""

    node, view = "SqueezeBackward4", False


class SqueezeDims(SqueezeDim):
    """Drop those of `dim` that have size 1. self: (1, N, 1), dim: (0, 1) -> (N, 1)."""

    node = "SqueezeBackward2"


class Expand(Op):
    """Repeat without copying. self: (N,), size: (B, N) -> (B, N)."""

    node, symbol, types, view = "ExpandBackward0", "expand", "keep", True
    phrase = "each entry gets the sum of the gradients of all its copies"

    def forward(self, *, size):
        return expand(self, size)

    def grad_self(grad, self_sym_sizes):
        return sum_to(grad, self_sym_sizes)


class Alias(Op):
    """Return the same tensor under another name: `self[...]`. self: (...) -> (...)."""

    node, symbol, types, view = "AliasBackward0", "[…]", "keep", True
    phrase = "the gradient passes unchanged"

    def forward(self):
        return self

    def grad_self(grad):
        return grad


class ToCopy(Op):
    """Convert the entries to another type. self: (...), dtype -> (...)."""

    node, symbol, types = "ToCopyBackward0", "to", "keep"
    phrase = "the gradient is converted to the type of the input"

    def forward(self, *, dtype):
        return astype(self, dtype)

    def grad_self(grad):
        return grad


# -- in place: `x.t_()`, with the rules of the views --------------------------------------------


class UnsqueezeInPlace(Unsqueeze):
    """Insert a dimension of size 1 in place. self: (N,), dim: 0 -> (1, N)."""

    node = "UnsqueezeBackward1"


class SqueezeInPlace(Squeeze):
    """Remove the dimensions of size 1 in place. self: (1, N, 1) -> (N,)."""

    node = "SqueezeBackward3"


class SqueezeDimsInPlace(SqueezeDims):
    """Remove those of the dimensions `dim` that have size 1, in place."""

    node = "SqueezeBackward5"


class TInPlace(T):
    """Transpose the matrix in place. self: (N, M) -> (M, N)."""

    node = "TBackward1"


class TransposeInPlace(Transpose):
    """Swap two dimensions in place. self: (A, B), dim0: 0, dim1: 1 -> (B, A)."""

    node = "TransposeBackward1"


class Unfold(Op):
    """Return all windows of `size` entries along a dimension, `step` apart.

    (N,) -> (windows, size).
    """

    node, symbol, types, view = "UnfoldBackward0", "windows", "keep", True
    phrase = "each entry gets the sum of the gradients of all windows that show it"

    def forward(self, *, dimension, size, step):
        return unfold(self, dimension, size, step)

    def grad_self(grad, self_sym_sizes, dimension, size, step):
        return put_unfold(grad, self_sym_sizes, dimension, size, step)


class AsStrided(Op):
    """View the memory of `self` from `storage_offset` on, through any `stride`. -> size."""

    node, symbol, types, view = "AsStridedBackward0", "as_strided", "keep", True
    in_place_node = "AsStridedBackward1"
    phrase = "each entry gets the sum of the gradients of all places that show it"
    also_saved = ("storage_offset",)
    hidden = ("geometry",)

    def forward(self, *, size, stride, storage_offset, geometry):
        return as_strided(self, size, stride, geometry)

    def grad_self(grad, size, stride, geometry):
        # geometry: the size of the memory; where the result begins in it; the sizes, strides and
        # offset of self in it; how often each entry of self appears. The gradient goes to the
        # memory first, and from there to self.
        room, start, sizes, strides, offset, times = geometry
        shown = strided_places(size, stride, start)
        memory = put_at(reshape(grad, (count(size),)), (room,), (shown,))
        own = reshape(take(memory, (strided_places(sizes, strides, offset),)), sizes)
        return own if times is None else own / times
