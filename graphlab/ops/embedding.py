"""Look rows up in a table: an embedding. The gradient of a row is the sum over its uses.

Read next: primitives/table.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.convolution import area
from graphlab.primitives.numpy_reading.elementary import constant, eq, where
from graphlab.primitives.numpy_reading.reductions import sum
from graphlab.primitives.numpy_reading.scatter_gather import (
    bag_counts,
    bags_of,
    gather,
    largest_in_bags,
    put_along,
    put_at,
    shares,
    take,
    used_rows,
)
from graphlab.primitives.numpy_reading.shapes import reshape, size, unsqueeze


class Embedding(Op):
    """Return the rows of a table that `indices` names. weight: (V, E), indices: (*) -> (*, E)."""

    node, symbol, types = "EmbeddingBackward0", "look up", "keep"
    phrase = (
        "each row gets the sum of the gradients of all places that looked it up; the padding row "
        "gets 0"
    )
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


class EmbeddingBag(Op):
    """Reduce each bag of rows to one: mode 0 their sum, 1 their mean, 2 the maxima of the columns.

    weight: (V, E), per_sample_weights: (M,) or None, indices: (M,), offsets: (B,) -> (B, E).
    result1: the bag of each index, result2: how many are in each, result3: the largest rows.
    """

    node, symbol, types = "EmbeddingBagBackward0", "bags", "keep"
    phrase_weight = (
        "each row gets the gradients of all bags that it is in, each times its weight in that bag"
    )
    phrase_per_sample_weights = (
        "each weight gets the dot product of its row and the gradient of its bag"
    )
    outputs = ("result", "result1", "result2", "result3")
    also_saved = ("per_sample_weights", "result1", "result2", "sparse")
    hidden = ("weight_sym_sizes",)

    def forward(
        weight,
        per_sample_weights,
        *,
        indices,
        offsets,
        mode,
        padding_idx,
        scale_grad_by_freq,
        sparse,
    ):
        n, width = len(offsets), size(weight)[1]
        places, rows = used_rows(indices, padding_idx)
        all_bags = bags_of(indices, offsets)
        bags = all_bags[places]
        counts = bag_counts(bags, n)
        if mode == 2:
            chosen = largest_in_bags(weight, rows, bags, n)
            some = constant((counts > 0)[:, None], weight)
            largest = where(eq(some, 0), 0, gather(weight, 0, chosen))
            return largest, all_bags, counts, chosen
        each = take(weight, (rows,))
        if per_sample_weights is not None:
            each = each * unsqueeze(take(per_sample_weights, (places,)), 1)
        sums = put_at(each, (n, width), (bags,))
        if mode == 1:
            return sums / constant(counts.clip(1)[:, None], sums), all_bags, counts, counts
        return sums, indices[:0], counts * 0, counts * 0

    def grad_weight(
        grad,
        weight_sym_sizes,
        weight_sym_argsize_0,
        per_sample_weights,
        result3,
        indices,
        offsets,
        mode,
        padding_idx,
        scale_grad_by_freq,
    ):
        sizes = (weight_sym_argsize_0, weight_sym_sizes[1])
        places, rows = used_rows(indices, padding_idx)
        bags = bags_of(indices, offsets)[places]
        counts = bag_counts(bags, len(offsets))
        if mode == 2:
            return put_along(grad * constant((counts > 0)[:, None], grad), sizes, 0, result3)
        each = take(grad, (bags,))
        if mode == 1:
            each = each / constant(counts[bags][:, None], each)
        if per_sample_weights is not None:
            each = each * unsqueeze(take(per_sample_weights, (places,)), 1)
        if scale_grad_by_freq:
            each = each * constant(shares(rows)[:, None], each)
        return put_at(each, sizes, (rows,))

    def grad_per_sample_weights(grad, weight, per_sample_weights, indices, offsets, padding_idx):
        places, rows = used_rows(indices, padding_idx)
        bags = bags_of(indices, offsets)[places]
        each = sum(take(grad, (bags,)) * take(weight, (rows,)), (1,))
        return put_at(each, size(per_sample_weights), (places,))
