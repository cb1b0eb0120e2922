"""Operations that sort entries: the gradient goes back along the indices.

Read next: ops/linalg.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.ranking import argsort, top_places
from graphlab.primitives.numpy_reading.scatter_gather import gather, put_along


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
        indices = top_places(self, dim, k, largest)
        return gather(self, dim, indices), indices
