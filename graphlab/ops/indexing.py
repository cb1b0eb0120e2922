"""Operations that select entries: the gradient returns to their old places.

Read next: ops/loss.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.scatter_gather import (
    gather,
    put_along,
    put_at,
    put_slice,
    select,
    slice_,
    take,
    unbind,
)
from graphlab.primitives.numpy_reading.shapes import cat, size, stack


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
