"""Combine entries at the places that an index names: their product, mean or extreme.

Read next: ops/loss.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import eq, ones_like, refused, where
from graphlab.primitives.numpy_reading.scatter_gather import (
    combine_along,
    gather,
    put_along,
    scatter,
)
from graphlab.primitives.numpy_reading.shapes import size


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
        "the gradient of its place; for mean an equal share, for prod times the other factors, for "
        "amax and amin if it was chosen"
    )
    phrase_src = (
        "the gradient of its target; for mean an equal share, for prod times the other factors, "
        "for amax and amin if it was chosen"
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
            # a zero that is alone at its place gets the product of the others
            zero = where(eq(src, 0), ones_like(src), 0)
            alone = zero * gather(put_along(zero, size(self), dim, index), dim, index)
            lone = eq(alone, 1)
            others = combine_along(self, dim, index, where(lone, 1, src), reduce, include_self)
            usual = gather(grad * result, dim, index) / where(eq(src, 0), 1, src)
            return where(lone, gather(grad * others, dim, index), usual)
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
