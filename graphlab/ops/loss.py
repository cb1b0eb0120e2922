"""Losses that are one node in PyTorch. `reduction`: 0 none, 1 mean, 2 sum, as PyTorch saves it.

Read next: tensor.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.ops.vocabulary import (
    gather,
    put_along,
    reduce,
    reshape,
    sigmoid,
    size,
    softplus,
    unreduce,
    unsqueeze,
)


class MseLoss(Op):
    """The squared error. self: (...), target: (...) -> () or (...)."""

    node, symbol = "MseLossBackward0", "mse"
    phrase = "twice the difference; where the mean is taken, an equal share of it"

    def forward(self, target, *, reduction=1):
        return reduce((self - target) * (self - target), reduction)

    def grad_self(grad, self, target, reduction):
        return unreduce(grad, size(self), reduction) * (2 * (self - target))

    def grad_target(grad, self, target, reduction):
        return unreduce(grad, size(self), reduction) * (2 * (target - self))


class BinaryCrossEntropyWithLogits(Op):
    """-[y log σ(x) + (1 - y) log(1 - σ(x))], written so that no exponential overflows.

    self: (...) logits, target: (...) in [0, 1], weight and pos_weight: broadcastable or None.
    """

    node, symbol = "BinaryCrossEntropyWithLogitsBackward0", "bce"
    phrase = "for the logits: their sigmoid less the target"

    def forward(self, target, weight, pos_weight, *, reduction=1):
        slope = 1 if pos_weight is None else (pos_weight - 1) * target + 1
        loss = (1 - target) * self + slope * softplus(-self)
        return reduce(loss if weight is None else loss * weight, reduction)

    def grad_self(grad, self, target, weight, pos_weight, reduction):
        slope = 1 if pos_weight is None else (pos_weight - 1) * target + 1
        each = (1 - target) - slope * sigmoid(-self)
        return unreduce(grad, size(self), reduction) * (each if weight is None else each * weight)

    def grad_target(grad, self, weight, pos_weight, reduction):
        each = -self if pos_weight is None else (pos_weight - 1) * softplus(-self) - self
        return unreduce(grad, size(self), reduction) * (each if weight is None else each * weight)


class NllLoss(Op):
    """Less the log-probability of each row's class. self: (N, C), target: (N,) classes -> ()."""

    node, symbol, types = "NllLossBackward0", "nll", "keep"
    phrase = "the entry of each row's class gets the negative gradient; the others get 0"

    def forward(self, *, target, reduction=1):
        picked = gather(self, 1, unsqueeze(target, 1))
        return reduce(-reshape(picked, size(target)), reduction)

    def grad_self(grad, self, target, reduction):
        each = -unreduce(grad, size(target), reduction)
        return put_along(unsqueeze(each, 1), size(self), 1, unsqueeze(target, 1))
