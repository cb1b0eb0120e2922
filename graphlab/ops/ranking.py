"""Operations that sort entries, or find one by its rank: the gradient returns to its place.

Read next: tensor/functions/ranking.py
"""

from graphlab.ops.base import Op
from graphlab.ops.reductions import OneAlong, OneOfAll
from graphlab.ops.rounding import NO_RULE
from graphlab.primitives.numpy_reading.elementary import (
    exp,
    in_order,
    without_derivative,
    zeros_like,
)
from graphlab.primitives.numpy_reading.ranking import (
    argsort,
    kth_places,
    median_places,
    mode_places,
    running_places,
    top_places,
)
from graphlab.primitives.numpy_reading.reductions import count, logcumsumexp
from graphlab.primitives.numpy_reading.scatter_gather import gather, put_along, unbind
from graphlab.primitives.numpy_reading.shapes import reshape, size, squeeze, stack

TO_ITS_PLACE = "the entry that was chosen gets the gradient; the others get 0"
SHARED = "the entry in the middle gets the gradient; equal entries share it evenly"


class Picked(OneAlong, abstract=True):
    """An operation that returns the entry of a certain rank along `dim`, and its index."""

    phrase = TO_ITS_PLACE


class MedianDim(Picked):
    """Return the middle entry along `dim`, the lower of two, and its index."""

    node, symbol = "MedianBackward1", "median"

    def forward(self, *, dim, keepdim=False):
        at = median_places(self, dim, False)
        found = gather(self, dim, at), at
        return found if keepdim else (squeeze(found[0], dim), squeeze(found[1], dim))


class NanmedianDim(Picked):
    """Return the middle entry along `dim` of those that are not nan, and its index."""

    node, symbol = "NanmedianBackward1", "median"

    def forward(self, *, dim, keepdim=False):
        at = median_places(self, dim, True)
        found = gather(self, dim, at), at
        return found if keepdim else (squeeze(found[0], dim), squeeze(found[1], dim))


class Mode(Picked):
    """Return the most frequent entry along `dim`, the smallest of several, and its last index."""

    node, symbol = "ModeBackward0", "mode"

    def forward(self, *, dim, keepdim=False):
        at = mode_places(self, dim)
        found = gather(self, dim, at), at
        return found if keepdim else (squeeze(found[0], dim), squeeze(found[1], dim))


class Kthvalue(Picked):
    """Return the k-th smallest entry along `dim`, and its index."""

    kernel = "kthvalue_cpu:iuf"
    node, symbol = "KthvalueBackward0", "k-th"
    hidden = ("k",)

    def forward(self, *, k, dim, keepdim=False):
        at = kth_places(self, dim, k - 1)
        found = gather(self, dim, at), at
        return found if keepdim else (squeeze(found[0], dim), squeeze(found[1], dim))


class Median(OneOfAll):
    """Return the middle entry of all, the lower of two. self: (...) -> ()."""

    node, symbol, phrase = "MedianBackward0", "median", SHARED

    def forward(self):
        flat = reshape(self, (count(size(self)),))
        return reshape(gather(flat, 0, median_places(flat, 0, False)), ())


class Nanmedian(OneOfAll):
    """Return the middle entry of those that are not nan. self: (...) -> ()."""

    node, symbol, phrase = "NanmedianBackward0", "median", SHARED

    def forward(self):
        flat = reshape(self, (count(size(self)),))
        return reshape(gather(flat, 0, median_places(flat, 0, True)), ())


class Cummax(Op):
    """Return the largest entry so far along `dim`, and its index. self: (...) -> (...), (...)."""

    node, symbol, types, outputs = "CummaxBackward0", "max…", "keep", ("values", "indices")
    phrase = "an entry gets the sum of the gradients of all results that are this entry"

    def forward(self, *, dim):
        at = running_places(in_order(self), dim, 1)
        return gather(self, dim, at), at

    def grad_self(grad, self, dim, indices):
        return put_along(grad, size(self), dim, indices)


class Cummin(Cummax):
    """Return the smallest entry so far along `dim`, and its index. self: (...) -> (...), (...)."""

    node, symbol = "CumminBackward0", "min…"

    def forward(self, *, dim):
        at = running_places(in_order(self), dim, -1)
        return gather(self, dim, at), at


class Logcumsumexp(Op):
    """Return log Σ exp of the entries so far along `dim`, without overflow.

    self: (...) -> (...).
    """

    node, symbol, types = "LogcumsumexpBackward0", "log Σ exp…", "keep"
    phrase = (
        "each entry gets the gradients of all results that it is in, times its share of each sum"
    )

    def forward(self, *, dim):
        return logcumsumexp(self, dim)

    def grad_self(grad, self, result, dim):
        # Σⱼ≥ᵢ gⱼ exp(xᵢ - rⱼ), from the back: nothing overflows, because the results only grow
        if len(size(self)) == 0:
            return grad
        x, g, r = unbind(self, dim), unbind(grad, dim), unbind(result, dim)
        if len(x) == 0:
            return zeros_like(self)
        behind, found = g[-1], [g[-1] * exp(x[-1] - r[-1])]
        for i in range(len(x) - 2, -1, -1):
            behind = g[i] + behind * exp(r[i] - r[i + 1])
            found.append(behind * exp(x[i] - r[i]))
        return stack(tuple(found[::-1]), dim)


class Unique2(Op):
    """Return the entries without repetition, in order. PyTorch refuses to differentiate it."""

    node, symbol, types = "Unique2Backward0", "unique", "keep"
    phrase = NO_RULE

    def forward(self, *, found):
        return found

    def grad_self(grad):
        return without_derivative("_unique2")


class UniqueDim(Unique2):
    """Return the slices along a dimension without repetition, in order. Not differentiable."""

    node = "UniqueDimBackward0"

    def grad_self(grad):
        return without_derivative("unique_dim")


class UniqueConsecutive(Unique2):
    """Return the entries without those that equal the one before. Not differentiable."""

    node = "UniqueConsecutiveBackward0"

    def grad_self(grad):
        return without_derivative("unique_consecutive")


class Sort(Op):
    """Sort the entries along `dim`, the smallest first, and return their old indices."""

    node, symbol, types, outputs = "SortBackward0", "sort", "keep", ("values", "indices")
    phrase = "each gradient goes back to the place where its entry stood"

    def forward(self, *, dim, descending=False, stable=False):
        indices = argsort(self, dim, descending, stable)
        return gather(self, dim, indices), indices

    def grad_self(grad, self_sym_sizes, dim, indices):
        return put_along(grad, self_sym_sizes, dim, indices)


class Topk(Sort):
    """Return the `k` largest or smallest entries along `dim`, in order, and their indices."""

    node, symbol = "TopkBackward0", "top k"
    phrase = "the entries that were chosen get their gradient; the others get 0"

    def forward(self, *, k, dim, largest=True):
        indices = in_order(top_places(self, dim, k, largest))
        return gather(self, dim, indices), indices
