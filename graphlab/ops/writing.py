"""Operations that overwrite entries: the old entries get no gradient.

They are recorded when a tensor of a graph is changed in place: `x.zero_()`, `x.copy_(y)`. A change
of a part of a tensor is CopySlices, around the operation that changed the part:

    c = x.clone(); v = c[0]
    c.mul_(2)    v is a window into the new c, AsStridedBackward0
    v.mul_(2)    c is CopySlices of what it was: its entry 0 went through MulBackward0

Read next: autograd/views.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import astype, constant, ones_like, zeros_like
from graphlab.primitives.numpy_reading.reductions import count, sum
from graphlab.primitives.numpy_reading.scatter_gather import put, take
from graphlab.primitives.numpy_reading.shapes import expand, reshape, size
from graphlab.primitives.numpy_reading.strides import addresses


class Copy(Op):
    """Replace all entries by those of `src`. self: (B, N), src: (N,) -> (B, N)."""

    node, symbol, types = "torch::autograd::CopyBackwards", "=", "keep"
    phrase_self = "entries that were written over get 0"
    phrase_src = "what was written gets the gradient"
    broadcasts = ("src",)

    def forward(self, src, *, dtype):
        return expand(astype(src, dtype), size(self))

    def grad_self(grad):
        return zeros_like(grad)

    def grad_src(grad):
        return grad


class Zero(Op):
    """Replace all entries by zeros. self: (...) -> (...)."""

    node, symbol, types = "ZeroBackward0", "= 0", "keep"
    phrase = "entries that were written over get 0"

    def forward(self):
        return zeros_like(self)

    def grad_self(grad):
        return zeros_like(grad)


class Compare(Op):
    """Replace all entries by what a comparison with `other`, or a draw, found.

    self, found: (B, N), other: (N,) -> (B, N).
    """

    node, symbol, types, hidden = "LtBackward1", "?", "keep", ("found",)
    phrase = "this input gets 0: the result counts as a constant"
    broadcasts = ("self", "other")

    def forward(self, other, *, found):
        return constant(found, self)

    def grad_self(grad):
        return zeros_like(grad)

    def grad_other(grad):
        return zeros_like(grad)


class Fill(Op):
    """Replace all entries by a number. self: (...) -> (...)."""

    node, symbol, types = "FillBackward2", "=", "keep"
    phrase = "entries that were written over get 0"

    def forward(self, *, value):
        return ones_like(self) * value

    def grad_self(grad):
        return zeros_like(grad)


class FillTensor(Op):
    """Replace all entries by that of `value`. self: (...), value: () -> (...)."""

    node, symbol, types = "FillBackward3", "=", "keep"
    phrase_self = "entries that were written over get 0"
    phrase_value = "the value gets the sum of the gradients of all entries"

    def forward(self, value, *, dtype):
        return ones_like(self) * astype(value, dtype)

    def grad_self(grad):
        return zeros_like(grad)

    def grad_value(grad):
        return sum(grad)


class CopySlices(Op):
    """Return all of a tensor after a part of it was overwritten.

    self: (N, M), values: the part, layout: of self, size, stride, storage_offset: of the part
    -> (N, M). The node that a program leaves has the operation that wrote the part inside it.
    """

    node, symbol, types = "torch::autograd::CopySlices", "[…] =", "keep"
    phrase_self = "the part that was written over gets 0; the rest of the gradient passes unchanged"
    phrase_values = "what was written gets the gradient of its part"
    hidden = ("layout", "size", "stride", "storage_offset")

    def forward(self, values, *, layout, size, stride, storage_offset):
        at = addresses(layout, size, stride, storage_offset)
        return reshape(put(reshape(self, (count(layout[0]),)), (at,), values), layout[0])

    def grad_self(grad, layout, size, stride, storage_offset):
        at = addresses(layout, size, stride, storage_offset)
        return reshape(put(reshape(grad, (count(layout[0]),)), (at,), 0), layout[0])

    def grad_values(grad, layout, size, stride, storage_offset):
        at = addresses(layout, size, stride, storage_offset)
        return take(reshape(grad, (count(layout[0]),)), (at,))
