"""Losses that are one node in PyTorch, those with margins last.

`reduction` is saved as a number: 0 none, 1 mean, 2 sum.

Read next: tensor/tensor.py
"""

from graphlab.ops.base import IF_MEAN, Op
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    eq,
    exp,
    ge,
    gt,
    log,
    log1p,
    lt,
    maximum,
    ones_like,
    sigmoid,
    sign,
    softplus,
    trillionth,
    unless,
    where,
)
from graphlab.primitives.numpy_reading.reductions import reduce, sum, unreduce
from graphlab.primitives.numpy_reading.scatter_gather import gather, put_along, scatter, take
from graphlab.primitives.numpy_reading.shapes import size, squeeze, unsqueeze

DIVIDED = f"divided by the number of entries{IF_MEAN}"


class MseLoss(Op):
    """Return the squared error. self: (...), target: (...) -> () or (...)."""

    node, symbol = "MseLossBackward0", "mse"
    phrase_self = f"the gradient times 2 (input − target), {DIVIDED}"
    phrase_target = f"the gradient times 2 (target − input), {DIVIDED}"

    def forward(self, target, *, reduction=1):
        return reduce((self - target) * (self - target), reduction)

    def grad_self(grad, self, target, reduction):
        return unreduce(grad, size(self), reduction) * (2 * (self - target))

    def grad_target(grad, self, target, reduction):
        return unreduce(grad, size(self), reduction) * (2 * (target - self))


class BinaryCrossEntropyWithLogits(Op):
    """Return -[y log σ(x) + (1 - y) log(1 - σ(x))], computed without overflow.

    self: (...) logits, target: (...) in [0, 1], weight and pos_weight: broadcastable or None.
    """

    node, symbol = "BinaryCrossEntropyWithLogitsBackward0", "bce"
    phrase_self = f"the gradient times (σ(input) − target), {DIVIDED}"
    phrase_target = f"the gradient times −input, {DIVIDED}"

    def forward(self, target, weight, pos_weight, *, reduction=1):
        slope = 1 if pos_weight is None else (pos_weight - 1) * target + 1
        loss = (1 - target) * self + slope * softplus(-self)
        return reduce(loss if weight is None else loss * weight, reduction)

    def grad_self(grad, self, target, weight, pos_weight, reduction):
        each = sigmoid(self) - target
        if pos_weight is not None:
            positive = pos_weight * target
            each = (positive + 1 - target) * sigmoid(self) - positive
        return unreduce(grad, size(self), reduction) * (each if weight is None else each * weight)

    def grad_target(grad, self, weight, pos_weight, reduction):
        each = -self if pos_weight is None else (pos_weight - 1) * softplus(-self) - self
        return unreduce(grad, size(self), reduction) * (each if weight is None else each * weight)


class BinaryCrossEntropy(Op):
    """Return -[y log p + (1 - y) log(1 - p)], with each logarithm at least -100.

    self: (...) in [0, 1], target: (...) in [0, 1], weight: broadcastable or None.
    """

    node, symbol = "BinaryCrossEntropyBackward0", "bce"
    phrase_self = f"the gradient times (p − target)/(p (1 − p)), with the input p, {DIVIDED}"
    phrase_target = f"the gradient times (log(1 − p) − log p), with the input p, {DIVIDED}"

    def forward(self, target, weight, *, reduction=1):
        loss = (target - 1) * maximum(log1p(-self), -100) - target * maximum(log(self), -100)
        return reduce(loss if weight is None else loss * weight, reduction)

    def grad_self(grad, self, target, weight, reduction):
        each = (self - target) / maximum((1 - self) * self, trillionth)
        return unreduce(grad, size(self), reduction) * (each if weight is None else each * weight)

    def grad_target(grad, self, weight, reduction):
        each = log1p(-self) - log(self)
        return unreduce(grad, size(self), reduction) * (each if weight is None else each * weight)


class SmoothL1Loss(Op):
    """Return |x - y| - β/2; where |x - y| < β the parabola (x - y)²/(2β).

    self: (...), target: (...) -> () or (...).
    """

    node, symbol = "SmoothL1LossBackward0", "smooth l1"
    phrase_self = f"the gradient times (input − target)/β, limited to [−1, 1], {DIVIDED}"
    phrase_target = f"the gradient times (target − input)/β, limited to [−1, 1], {DIVIDED}"

    def forward(self, target, *, reduction=1, beta=1.0):
        away = abs(self - target)
        return reduce(where(lt(away, beta), away * away / 2 / beta, away - beta / 2), reduction)

    def grad_self(grad, self, target, reduction, beta):
        away = self - target
        slope = where(ge(abs(away), beta), sign(away), away / beta)
        return unreduce(grad, size(self), reduction) * slope

    def grad_target(grad, self, target, reduction, beta):
        away = self - target
        slope = where(ge(abs(away), beta), sign(away), away / beta)
        return unreduce(grad, size(self), reduction) * -slope


class HuberLoss(Op):
    """Return (x - y)²/2; where |x - y| ≥ δ the straight line δ (|x - y| - δ/2).

    self: (...), target: (...) -> () or (...).
    """

    node, symbol = "HuberLossBackward0", "huber"
    phrase_self = f"the gradient times (input − target), limited to [−δ, δ], {DIVIDED}"
    phrase_target = f"the gradient times (target − input), limited to [−δ, δ], {DIVIDED}"

    def forward(self, target, *, reduction=1, delta=1.0):
        away = abs(self - target)
        bent = where(lt(away, delta), away * away / 2, (away - delta / 2) * delta)
        return reduce(bent, reduction)

    def grad_self(grad, self, target, reduction, delta):
        away = self - target
        slope = where(ge(abs(away), delta), sign(away) * delta, away)
        return unreduce(grad, size(self), reduction) * slope

    def grad_target(grad, self, target, reduction, delta):
        away = self - target
        slope = where(ge(abs(away), delta), sign(away) * delta, away)
        return unreduce(grad, size(self), reduction) * -slope


class SoftMarginLoss(Op):
    """Return log(1 + exp(-y x)), for targets y of 1 and -1. self: (...), target: (...) -> ()."""

    node, symbol = "SoftMarginLossBackward0", "soft margin"
    phrase = f"the gradient times −y σ(−y x), with the target y, {DIVIDED}"

    def forward(self, target, *, reduction=1):
        return reduce(log1p(exp(-target * self)), reduction)

    def grad_self(grad, self, target, reduction):
        z = exp(-target * self)
        return unreduce(grad, size(self), reduction) * (-target * z / (1 + z))


class NllOf(Op, abstract=True):
    """Return minus the log-probability of the class, weighted. self: (N, C, ...), target: (N, ...).

    weight: (C,) or None. The mean is weighted: it divides by the sum of the weights of the targets.
    A target equal to `ignore_index` is left out. For a single sample self is (C,) and target ().
    """

    symbol, types, outputs = "nll", "keep", ("result", "total_weight")
    byproducts = ("total_weight",)
    phrase = "the target's class gets minus its share of the gradient; the other classes get 0"

    def forward(self, target, weight, *, reduction=1, ignore_index=-100):
        dim = -1 if len(size(self)) == 1 else 1
        ignored = eq(target, ignore_index)
        classes = unless(ignored, target)
        losses = unless(ignored, -squeeze(gather(self, dim, unsqueeze(classes, dim)), dim))
        counted = ones_like(losses) if weight is None else take(weight, (classes,))
        counted = unless(ignored, counted)
        losses = losses if weight is None else losses * counted
        weights = sum(counted)
        if reduction == 0:
            return losses, weights * 0
        total = sum(losses)
        return total / weights if reduction == 1 else total, weights

    def grad_self(grad, self, target, weight, reduction, ignore_index, total_weight):
        dim = -1 if len(size(self)) == 1 else 1
        ignored = eq(target, ignore_index)
        classes = unless(ignored, target)
        share = -grad / total_weight if reduction == 1 else -grad
        share = share if weight is None else share * take(weight, (classes,))
        share = unless(ignored, share)
        return put_along(unsqueeze(share, dim), size(self), dim, unsqueeze(classes, dim))


class NllLoss(NllOf):
    """Return minus the log-probability of each row's class. self: (N, C), target: (N,) -> ()."""

    node = "NllLossBackward0"


class NllLoss2d(NllOf):
    """Return minus the log-probability of each pixel's class.

    self: (N, C, H, W), target: (N, H, W).
    """

    node = "NllLoss2DBackward0"


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
