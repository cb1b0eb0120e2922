"""Entries at places that are counted in one row.

Read next: tensor/functions/pieces.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.reductions import count
from graphlab.primitives.numpy_reading.scatter_gather import put, put_at, take
from graphlab.primitives.numpy_reading.shapes import reshape, size


class Put(Op):
    """`source` at the places that `index` names, or added there. (N, M), (K,), (K,) -> (N, M)."""

    node, symbol, types = "PutBackward0", "[i] =", "keep"
    phrase = "each entry gets the gradient of the place where it stands"

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
