"""Operations that select or overwrite entries by an index or a mask.

The gradient of selected entries returns to their old places.

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
    put_slice,
    scatter,
    select,
    slice_,
    take,
    unbind,
)
from graphlab.primitives.numpy_reading.shapes import cat, reshape, size, stack


class Select(Op):
    """Return one index along `dim`. self: (N, M), dim: 0, index: 2 -> (M,)."""

    node, symbol, types, view = "SelectBackward0", "[i]", "keep", True
    phrase = "the gradient goes back to where the entries were taken; the others get 0"

    def forward(self, *, dim, index):
        return select(self, dim, index)

    def grad_self(grad, self_sym_sizes, dim, index):
        return put_slice(grad, self_sym_sizes, dim, index)


class Slice(Op):
    """Return a range along `dim`. self: (N,), start: 1, end: 4, step: 2 -> (2,)."""

    node, symbol, types, view = "SliceBackward0", "[i:j]", "keep", True
    phrase = "the gradient goes back to where the entries were taken; the others get 0"

    def forward(self, *, dim, start, end, step):
        return slice_(self, dim, start, end, step)

    def grad_self(grad, self_sym_sizes, dim, start, end, step):
        return put_slice(grad, self_sym_sizes, dim, slice(start, end, step))


class Index(Op):
    """Return entries at integer or boolean arrays: `self[key]`.

    An entry that is taken several times gets the sum of the gradients.
    """

    node, symbol, types = "IndexBackward0", "[…]", "keep"
    phrase = (
        "the gradient goes back to where the entries were taken; one taken several times gets "
        "the sum"
    )
    freed_options = ("indices",)

    def forward(self, *, indices):
        return take(self, indices)

    def grad_self(grad, self_sym_sizes, indices):
        return put_at(grad, self_sym_sizes, indices)


class PutSlice(Op):
    """Return zeros of `sizes` with `grad` at one place along `dim`: the adjoint of a selection."""

    node, symbol, types = "SelectBackwardBackward0", "[i] =", "keep"
    phrase = "the value gets the gradient of the place that it filled"

    def forward(grad, *, sizes, dim, index):
        return put_slice(grad, sizes, dim, index)

    def grad_grad(grad, dim, index):
        if isinstance(index, slice):
            return slice_(grad, dim, index.start, index.stop, index.step)
        return select(grad, dim, index)


class PutAt(Op):
    """Return zeros of `sizes` with `values` added at `indices`: the adjoint of indexing."""

    node, symbol, types = "IndexPutBackward0", "[…] =", "keep"
    phrase = "the values get the gradients of the places that they filled"

    def forward(values, *, sizes, indices):
        return put_at(values, sizes, indices)

    def grad_values(grad, indices):
        return take(grad, indices)


class Gather(Op):
    """Return the entries that `index` names along `dim`. self: (N, M), index: (N, K) -> (N, K)."""

    node, symbol, types = "GatherBackward0", "gather", "keep"
    phrase = (
        "the gradient goes back to where the entries were taken; one taken several times gets "
        "the sum"
    )
    also_saved = ("sparse_grad",)

    def forward(self, index, *, dim, sparse_grad=False):
        return gather(self, dim, index)

    def grad_self(grad, self, dim, index):
        return put_along(grad, size(self), dim, index)


class PutAlong(Op):
    """Return zeros of `sizes` with `values` added at `index` along `dim`: the adjoint of gather."""

    node, symbol, types = "ScatterAddBackward0", "scatter", "keep"
    phrase = "the values get the gradients of the places that they filled"

    def forward(values, *, sizes, dim, index):
        return put_along(values, sizes, dim, index)

    def grad_values(grad, dim, index):
        return gather(grad, dim, index)


class Unbind(Op):
    """Return the slices along `dim`. self: (N, M) -> N of (M,)."""

    node, symbol, types, view, splits = "UnbindBackward0", "unbind", "keep", True, True
    phrase = "the gradients of the slices are stacked again"

    def forward(self, *, dim):
        return unbind(self, dim)

    def grad_self(grad, dim):
        return stack(grad, dim)


class Stack(Op):
    """Join tensors of one shape along a new dimension. N of (M,) -> (N, M)."""

    node, symbol, types = "StackBackward0", "stack", "promote"
    phrase = "each input gets its own slice of the gradient"
    variadic = True

    def forward(tensors, *, dim):
        return stack(tensors, dim)

    def grad_tensors(grad, dim):
        return unbind(grad, dim)


class Cat(Op):
    """Join tensors along `dim`. (N, M), (K, M) -> (N + K, M)."""

    node, symbol, types = "CatBackward0", "cat", "promote"
    phrase = "each input gets its own part of the gradient"
    hidden = ("tensors_sym_sizes",)
    variadic = True

    def forward(tensors, *, dim):
        return cat(tensors, dim)

    def grad_tensors(grad, dim, tensors_sym_sizes):
        pieces, start = [], 0
        for sizes in tensors_sym_sizes:
            pieces.append(slice_(grad, dim, start, start + sizes[dim], 1))
            start += sizes[dim]
        return tuple(pieces)


class MaskedFill(Op):
    """Write a number where `mask` holds. self: (N, M), mask: (M,) -> (N, M)."""

    node, symbol, types, broadcasts = "MaskedFillBackward0", "masked_fill", "keep", ("self",)
    phrase = "entries that were kept get their gradient; entries that were filled get 0"

    def forward(self, mask, *, value):
        return in_order(where(mask, value, self))

    def grad_self(grad, mask):
        return where(mask, 0, grad)


class MaskedFillTensor(Op):
    """Write a 0-d tensor where `mask` holds. self: (N, M), mask: (M,) -> (N, M)."""

    node, symbol, types, broadcasts = "MaskedFillBackward1", "masked_fill", "keep", ("self",)
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

    node, symbol, types = "MaskedSelectBackward0", "masked_select", "keep"
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
