"""Looking rows up in a table: an embedding. The gradient of a row is the sum over its uses.

Read next: functional/words.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.ops.places import constant, shares, used_rows
from graphlab.ops.vocabulary import put_at, reshape, size, take
from graphlab.ops.windows import area


class Embedding(Op):
    """The rows of a table that `indices` names. weight: (V, E), indices: (*) -> (*, E)."""

    node, symbol, types = "EmbeddingBackward0", "look up", "keep"
    phrase = "every row gets the gradients of all places where it was used; the padding gets none"
    also_saved = ("sparse",)

    def forward(weight, *, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
        return take(weight, (indices,))

    def grad_weight(
        grad, weight_sym_sizes, weight_sym_argsize_0, indices, padding_idx, scale_grad_by_freq
    ):
        sizes = (weight_sym_argsize_0, weight_sym_sizes[1])
        places, rows = used_rows(indices, padding_idx)
        used = take(reshape(grad, (area(size(indices)), sizes[1])), (places,))
        if scale_grad_by_freq:
            used = used * constant(shares(rows)[:, None], used)
        return put_at(used, sizes, (rows,))

    hidden = ("weight_sym_sizes",)
