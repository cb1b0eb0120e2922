"""Views of the same memory through other strides; an entry may appear several times.

Read next: ops/indexing.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.reductions import count
from graphlab.primitives.numpy_reading.scatter_gather import put_at, take
from graphlab.primitives.numpy_reading.shapes import reshape
from graphlab.primitives.numpy_reading.strides import as_strided, put_unfold, strided_places, unfold


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

    node, symbol, types, view = "AsStridedBackward0", "strides", "keep", True
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
