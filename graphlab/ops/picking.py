"""Operations that select entries by a mask or an index, or overwrite them.

Read next: ops/loss.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import in_order, where
from graphlab.primitives.numpy_reading.reductions import count, sum
from graphlab.primitives.numpy_reading.scatter_gather import (
    at_dim,
    gather,
    put_along,
    put_at,
    scatter,
    take,
)
from graphlab.primitives.numpy_reading.shapes import reshape, size


class MaskedFill(Op):
    """Write a number where `mask` holds. self: (N, M), mask: (M,) -> (N, M)."""

    node, symbol, types, broadcasts = "MaskedFillBackward0", "[m] =", "keep", ("self",)
    phrase = "entries that were kept get their gradient; entries that were filled get 0"

    def forward(self, mask, *, value):
        return in_order(where(mask, value, self))

    def grad_self(grad, mask):
        return where(mask, 0, grad)


class MaskedFillTensor(Op):
    """Write a 0-d tensor where `mask` holds. self: (N, M), mask: (M,) -> (N, M)."""

    node, symbol, types, broadcasts = "MaskedFillBackward1", "[m] =", "keep", ("self",)
    phrase_self = "entries that were kept get their gradient; entries that were filled get 0"
    phrase_value = "the value gets the sum of the gradients of the entries that it filled"

    def forward(self, mask, value):
        return in_order(where(mask, value, self))

    def grad_self(grad, mask):
        return where(mask, 0, grad)

    def grad_value(grad, mask):
        return sum(where(mask, grad, 0))


class MaskedSelect(Op):
    """Return the entries where `mask` holds, as a vector. self: (N, M), mask: (N, M) -> (K,)."""

    node, symbol, types = "MaskedSelectBackward0", "[m]", "keep"
    phrase = "the gradient goes back to where the entries were taken; the others get 0"

    def forward(self, mask):
        return take(self, (mask,))

    def grad_self(grad, self, mask):
        return put_at(grad, size(self), (mask,))


class Take(Op):
    """Return the entries at flat indices, which count all in one row. (N, M), (K,) -> (K,)."""

    node, symbol, types = "TakeBackward0", "[i]", "keep"
    phrase = (
        "the gradient goes back to where the entries were taken; one taken several times gets "
        "the sum"
    )

    def forward(self, index):
        return take(reshape(self, (count(size(self)),)), (index,))

    def grad_self(grad, self, index):
        return reshape(put_at(grad, (count(size(self)),), (index,)), size(self))


class IndexSelect(Op):
    """Return the slices that `index` names along `dim`.

    self: (N, M), dim: 0, index: (K,) -> (K, M).
    """

    node, symbol, types = "IndexSelectBackward0", "[i]", "keep"
    phrase = (
        "the gradient goes back to where the entries were taken; one taken several times gets "
        "the sum"
    )

    def forward(self, index, *, dim):
        return in_order(take(self, at_dim(dim, index, size(self))))

    def grad_self(grad, self_sym_sizes, dim, index):
        return put_at(grad, self_sym_sizes, at_dim(dim, index, self_sym_sizes))


class Scatter(Op):
    """Write the entries of `src` at `index` along `dim`. self: (N, M), src: (K, M) -> (N, M)."""

    node, symbol, types = "ScatterBackward0", "[i] =", "keep"
    phrase_self = "entries that were not overwritten get their gradient; the others get 0"
    phrase_src = "each entry of the source gets the gradient of the place that it was written to"

    def forward(self, src, index, *, dim):
        return scatter(self, dim, index, src)

    def grad_self(grad, dim, index):
        return scatter(grad, dim, index, 0)

    def grad_src(grad, dim, index):
        return gather(grad, dim, index)


class ScatterValue(Op):
    """Write a number at `index` along `dim`. self: (N, M), index: (K, M) -> (N, M)."""

    node, symbol, types = "ScatterBackward1", "[i] =", "keep"
    phrase = "entries that were not overwritten get their gradient; the others get 0"

    def forward(self, index, *, dim, value):
        return scatter(self, dim, index, value)

    def grad_self(grad, dim, index):
        return scatter(grad, dim, index, 0)


class ScatterAdd(Op):
    """Add the entries of `src` at `index` along `dim`. self: (N, M), src: (K, M) -> (N, M)."""

    node, symbol, types = "ScatterAddBackward0", "[i] +=", "keep"
    phrase_self = "the gradient passes unchanged"
    phrase_src = "each entry of the source gets the gradient of the place that it was added to"

    def forward(self, src, index, *, dim):
        return self + put_along(src, size(self), dim, index)

    def grad_self(grad):
        return grad

    def grad_src(grad, dim, index):
        return gather(grad, dim, index)
