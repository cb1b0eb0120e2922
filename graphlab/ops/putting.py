"""Operations that write other entries into a copy of a tensor, or combine them with its own.

An entry that is overwritten gets no gradient; the entry written over it gets that of its place.

Read next: ops/loss.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import eq, in_order, le, ones_like, refused, where
from graphlab.primitives.numpy_reading.reductions import count, sum
from graphlab.primitives.numpy_reading.scatter_gather import (
    at_dim,
    combine_along,
    gather,
    put,
    put_along,
    put_at,
    put_slice,
    scatter,
    select,
    slice_,
    take,
)
from graphlab.primitives.numpy_reading.shapes import expand, reshape, size, sum_to


class IndexPut(Op):
    """Set `self[indices] = values` in a copy; `accumulate` adds them to the old entries."""

    node, symbol, types = "IndexPutBackward0", "[…] =", "keep"
    phrase_self = (
        "entries that were not overwritten get their gradient; with accumulate=True, all do"
    )
    phrase_values = "each value gets the gradient of the place that it was put to"
    freed_options, hidden = ("indices",), ("values_sym_sizes",)

    def forward(self, values, *, indices, accumulate=False):
        if accumulate:
            return self + put_at(values, size(self), indices)
        return put(self, indices, values)

    def grad_self(grad, indices, accumulate):
        return grad if accumulate else put(grad, indices, 0)

    def grad_values(grad, values_sym_sizes, indices):
        return sum_to(take(grad, indices), values_sym_sizes)


class IndexFill(Op):
    """Write one number into the slices that `index` names.

    self: (N, M), dim: 0, index: (K,) -> (N, M).
    """

    node, symbol, types = "IndexFillBackward0", "[i] =", "keep"
    phrase = "entries that were kept get their gradient; entries that were filled get 0"

    def forward(self, index, *, dim, value):
        return put(self, at_dim(dim, index, size(self)), value)

    def grad_self(grad, index, dim):
        return put(grad, at_dim(dim, index, size(grad)), 0)


class IndexFillTensor(Op):
    """Write a 0-d tensor into the slices that `index` names.

    self: (N, M), index: (K,) -> (N, M).
    """

    node, symbol, types = "IndexFillBackward1", "[i] =", "keep"
    phrase_self = "entries that were kept get their gradient; entries that were filled get 0"
    phrase_value = "the value gets the sum of the gradients of the entries that it filled"

    def forward(self, index, value, *, dim):
        return put(self, at_dim(dim, index, size(self)), value)

    def grad_self(grad, index, dim):
        return put(grad, at_dim(dim, index, size(grad)), 0)

    def grad_value(grad, index, dim):
        return sum(take(grad, at_dim(dim, index, size(grad))))


class IndexAdd(Op):
    """Add `alpha` times the slices of `source` to those that `index` names along `dim`."""

    node, symbol, types = "IndexAddBackward0", "[i] +=", "keep"
    phrase_self = "the gradient passes unchanged"
    phrase_source = (
        "each slice of the source gets the gradient of the place that it was added to, times alpha"
    )
    also_saved = ("source_dim",)

    def forward(self, index, source, *, dim, alpha=1, source_dim):
        return self + put_at(source, size(self), at_dim(dim, index, size(self))) * alpha

    def grad_self(grad):
        return grad

    def grad_source(grad, index, source, dim, alpha):
        return expand(take(grad, at_dim(dim, index, size(grad))), size(source)) * alpha


class IndexCopy(Op):
    """Write the slices of `source` over those that `index` names along `dim`."""

    node, symbol, types = "IndexCopyBackward0", "[i] =", "keep"
    phrase_self = "entries that were not overwritten get their gradient; the others get 0"
    phrase_source = "each slice of the source gets the gradient of the place that it was written to"
    also_saved = ("source_dim",)

    def forward(self, index, source, *, dim, source_dim):
        return put(self, at_dim(dim, index, size(self)), source)

    def grad_self(grad, index, dim):
        return put(grad, at_dim(dim, index, size(grad)), 0)

    def grad_source(grad, index, source, dim):
        return expand(take(grad, at_dim(dim, index, size(grad))), size(source))


class MaskedScatter(Op):
    """Write the first entries of `source`, in order, where the mask holds. self, mask: (N, M)."""

    node, symbol, types = "MaskedScatterBackward0", "masked_scatter", "keep"
    phrase_self = "entries that were kept get their gradient; entries that were filled get 0"
    phrase_source = (
        "each entry of the source gets the gradient of the place that it filled; unused entries "
        "get 0"
    )

    def forward(self, mask, source):
        room = size(take(self, (mask,)))[0]
        used = slice_(reshape(source, (count(size(source)),)), 0, 0, room, 1)
        return put(in_order(self), (mask,), used)

    def grad_self(grad, mask):
        return where(mask, 0, grad)

    def grad_source(grad, mask, source_sym_sizes):
        used = take(grad, (mask,))
        place = slice(0, size(used)[0], 1)
        return reshape(put_slice(used, (count(source_sym_sizes),), 0, place), source_sym_sizes)


class SelectScatter(Op):
    """Write `src` at one index along `dim`. self: (N, M), src: (M,) -> (N, M)."""

    node, symbol, types = "SelectScatterBackward0", "[i] =", "keep"
    phrase_self = "entries that were not overwritten get their gradient; the others get 0"
    phrase_src = "the source gets the gradient of the slice that it replaced"

    def forward(self, src, *, dim, index):
        return put(self, at_dim(dim, index, size(self)), src)

    def grad_self(grad, dim, index):
        return put(grad, at_dim(dim, index, size(grad)), 0)

    def grad_src(grad, dim, index):
        return select(grad, dim, index)


class SliceScatter(Op):
    """Write `src` into a range along `dim`. self: (N, M), src: (K, M) -> (N, M)."""

    node, symbol, types = "SliceScatterBackward0", "[i:j] =", "keep"
    phrase_self = "entries that were not overwritten get their gradient; the others get 0"
    phrase_src = "the source gets the gradient of the slice that it replaced"

    def forward(self, src, *, dim, start=None, end=None, step=1):
        return put(self, at_dim(dim, slice(start, end, step), size(self)), src)

    def grad_self(grad, dim, start, end, step):
        return put(grad, at_dim(dim, slice(start, end, step), size(grad)), 0)

    def grad_src(grad, dim, start, end, step):
        return slice_(grad, dim, start, end, step)


class Put(Op):
    """Write `source` at flat indices, or add it there. (N, M), (K,), (K,) -> (N, M)."""

    node, symbol, types = "PutBackward0", "[i] =", "keep"
    phrase_self = (
        "entries that were not overwritten get their gradient; with accumulate=True, all do"
    )
    phrase_source = "each entry of the source gets the gradient of the place that it was put to"

    def forward(self, index, source, *, accumulate=False):
        row, values = (count(size(self)),), reshape(source, size(index))
        if accumulate:
            return self + reshape(put_at(values, row, (index,)), size(self))
        return reshape(put(reshape(self, row), (index,), values), size(self))

    def grad_self(grad, index, accumulate):
        if accumulate:
            return grad
        return reshape(put(reshape(grad, (count(size(grad)),)), (index,), 0), size(grad))

    def grad_source(grad, index, source):
        return reshape(take(reshape(grad, (count(size(grad)),)), (index,)), size(source))


class ScatterCombined(Op):
    """Scatter with `reduce="add"` or "multiply". PyTorch refuses to differentiate it."""

    node, symbol, types = "NotImplemented", "[i] ∘=", "keep"
    phrase = "this operation has no derivative in PyTorch: use scatter_reduce"

    def forward(self, src, index, *, dim, reduce):
        return combine_along(self, dim, index, src, reduce, True)

    def grad_self(grad):
        return refused("scatter")

    def grad_src(grad):
        return refused("scatter")


class ScatterReduce(Op):
    """Combine the entries of `src` with those at `index` along `dim`, as `reduce` says.

    reduce: "sum", "prod", "mean", "amax" or "amin". include_self: what stands there counts too.
    """

    node, symbol, types = "ScatterReduceBackward0", "[i] ∘=", "keep"
    phrase_self = (
        "each entry gets the gradient of its place: for mean a share, for prod times the other "
        "factors, for amax and amin if chosen"
    )
    phrase_src = (
        "each entry gets the gradient of its target: for mean a share, for prod times the other "
        "factors, for amax and amin if chosen"
    )
    also_saved = ("self", "src", "result")

    def forward(self, index, src, *, dim, reduce, include_self=True):
        return combine_along(self, dim, index, src, reduce, include_self)

    def grad_self(grad, self, index, src, result, dim, reduce, include_self):
        if reduce == "sum":
            share = grad
        elif reduce == "mean":
            many = put_along(ones_like(src), size(self), dim, index) + (1 if include_self else 0)
            share = grad / where(eq(many, 0), 1, many)
        elif reduce == "prod":
            one = where(eq(self, 0), 1, self)
            share = grad * combine_along(one, dim, index, src, reduce, include_self) / one
        else:  # an extreme: entries that tie share the gradient evenly
            own = where(eq(self, result), ones_like(self), 0)
            theirs = where(eq(src, gather(result, dim, index)), ones_like(src), 0)
            share = own * grad / (own + put_along(theirs, size(self), dim, index))
        return share if include_self else scatter(share, dim, index, 0)

    def grad_src(grad, self, index, src, result, dim, reduce, include_self):
        if reduce == "sum":
            return gather(grad, dim, index)
        if reduce == "mean":
            many = put_along(ones_like(src), size(self), dim, index) + (1 if include_self else 0)
            return gather(grad / where(eq(many, 0), 1, many), dim, index)
        if reduce == "prod":
            # a zero that is alone at its place gets the product of the others; if there are two,
            # it is the other zero times the rest: 0, but the derivative of that is the rest
            zero = where(eq(src, 0), ones_like(src), 0)
            zeros = gather(put_along(zero, size(self), dim, index), dim, index)
            many = where(eq(src, 0), zeros, 3)
            other = gather(put_along(zero * src, size(self), dim, index), dim, index) - src
            few = le(many, 2)
            rest = combine_along(self, dim, index, where(few, 1, src), reduce, include_self)
            usual = gather(grad * result, dim, index) / where(eq(src, 0), 1, src)
            return where(few, gather(grad * rest, dim, index) * where(eq(many, 2), other, 1), usual)
        own = where(eq(self, result), ones_like(self), 0)
        theirs = where(eq(src, gather(result, dim, index)), ones_like(src), 0)
        many = own + put_along(theirs, size(self), dim, index)
        return theirs * gather(grad / many, dim, index)


class IndexReduce(ScatterReduce):
    """Combine whole slices of `src`: `index` holds the place of a slice for each of its entries."""

    node, hidden = "IndexReduceBackward0", ("src",)

    def show_index(index, dim):  # PyTorch keeps one place for each slice
        dim -= (dim >> 63) << 64  # a shown dim has no sign
        return index[tuple(slice(None) if d in (dim, index.ndim + dim) else 0
                           for d in range(index.ndim))]  # fmt: skip

    def show_source(src):
        return src
