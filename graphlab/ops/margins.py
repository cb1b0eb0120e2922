"""Losses that require the score of the right class to exceed all others by a margin.

Read next: nn/functional/margins.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import eq, gt, where
from graphlab.primitives.numpy_reading.reductions import reduce, sum, unreduce
from graphlab.primitives.numpy_reading.scatter_gather import gather, put_along, scatter, take
from graphlab.primitives.numpy_reading.shapes import size, unsqueeze


class MultiMarginLoss(Op):
    """Return Σ max(0, margin - x_y + x_j)ᵖ / C over the classes j ≠ y. p: 1 or 2.

    self: (N, C), target: (N,) of classes, weight: (C,) or None -> () or (N,); also without N.
    """

    node, symbol, types = "MultiMarginLossBackward0", "multi margin", "keep"
    phrase = (
        "a class within the margin gets its share of the gradient; the target's class gets minus "
        "their sum"
    )

    def forward(self, target, weight, *, reduction=1, margin=1.0, p=1):
        short = margin - gather(self, -1, unsqueeze(target, -1)) + self
        each = where(gt(short, 0), short, 0) ** p
        others = scatter(each, -1, unsqueeze(target, -1), 0)  # without the right class
        losses = sum(others, (-1,)) / size(self)[-1]
        return reduce(losses if weight is None else losses * take(weight, (target,)), reduction)

    def grad_self(grad, self, target, weight, reduction, margin, p):
        short = margin - gather(self, -1, unsqueeze(target, -1)) + self
        slope = where(gt(short, 0), p * where(gt(short, 0), short, 1) ** (p - 1), 0)
        share = unreduce(grad, size(target), reduction) / size(self)[-1]
        share = share if weight is None else share * take(weight, (target,))
        each = slope * unsqueeze(share, -1)
        return each - put_along(sum(each, (-1,), True), size(self), -1, unsqueeze(target, -1))


class MultilabelMarginLoss(Op):
    """Return Σ max(0, 1 - x_y + x_j) / C over the target classes y and all other classes j.

    self: (N, C), target: (N, C) of classes, ended by -1, is_target: (N, C) of 0 and 1,
    times: (N, C), how often each class is among the targets -> () or (N,); also without N.
    """

    node, symbol, types = "MultilabelMarginLossBackward0", "multilabel margin", "keep"
    phrase = (
        "a class within the margin of a target gets a share of the gradient; the target gets "
        "minus that"
    )
    also_saved, hidden = ("target",), ("times",)

    def forward(self, target, is_target, times, *, reduction=1):
        pairs = unsqueeze(times, -1) * unsqueeze(1 - is_target, -2)  # (N, y, j)
        short = 1 - unsqueeze(self, -1) + unsqueeze(self, -2)
        each = where(eq(pairs, 0), 0, where(gt(short, 0), short, 0) * pairs)
        losses = sum(each, (-2, -1)) / size(self)[-1]
        return reduce(losses, reduction)

    def grad_self(grad, self, is_target, times, reduction):
        pairs = unsqueeze(times, -1) * unsqueeze(1 - is_target, -2)
        short = 1 - unsqueeze(self, -1) + unsqueeze(self, -2)
        share = unreduce(grad, size(self)[:-1], reduction) / size(self)[-1]
        each = where(gt(short, 0), pairs, 0) * unsqueeze(unsqueeze(share, -1), -1)
        return sum(each, (-2,)) - sum(each, (-1,))
