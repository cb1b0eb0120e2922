"""Operations that reduce many entries to one, norms among them: the gradient is spread back.

Read next: ops/linalg.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    exp,
    in_order,
    isfinite,
    log,
    ones_like,
    same,
    where,
)
from graphlab.primitives.numpy_reading.ranking import argmax, argmin
from graphlab.primitives.numpy_reading.reductions import (
    amax,
    amin,
    count,
    mean,
    p_norm,
    p_norm_slope,
    sum,
)
from graphlab.primitives.numpy_reading.scatter_gather import gather, put_along
from graphlab.primitives.numpy_reading.shapes import expand, restore_dims, size, sum_to, unsqueeze


class Sum(Op):
    """Sum all entries. self: (...) -> ()."""

    node, symbol, types = "SumBackward0", "Σ", "keep"
    phrase = "every entry gets the gradient of the sum"

    def forward(self):
        return sum(self)

    def grad_self(grad, self_sym_sizes):
        return expand(grad, self_sym_sizes)


class SumDim(Op):
    """Sum along `dim`. self: (N, M), dim: (0,) -> (M,)."""

    node, symbol, types = "SumBackward1", "Σ", "keep"
    phrase = "every entry gets the gradient of its own sum"

    def forward(self, *, dim, keepdim=False):
        return sum(self, dim, keepdim)

    def grad_self(grad, self_sym_sizes, dim, keepdim):
        return restore_dims(grad, self_sym_sizes, dim, keepdim)


class Mean(Op):
    """Return the mean of all entries. self: (...) -> ()."""

    node, symbol, types = "MeanBackward0", "mean", "keep"
    phrase = "every entry gets an equal share of the gradient"

    def forward(self):
        return mean(self)

    def grad_self(grad, self_sym_sizes, self_sym_numel):
        return expand(grad / self_sym_numel, self_sym_sizes)


class MeanDim(Op):
    """Return the mean along `dim`. self: (N, M), dim: (0,) -> (M,)."""

    node, symbol, types = "MeanBackward1", "mean", "keep"
    phrase = "every entry gets an equal share of the gradient of its own mean"
    also_saved = ("self_sym_numel",)

    def forward(self, *, dim, keepdim=False):
        return mean(self, dim, keepdim)

    def grad_self(grad, self_sym_sizes, dim, keepdim):
        return restore_dims(grad, self_sym_sizes, dim, keepdim) / count(self_sym_sizes, dim)


class OneOfAll(Op, abstract=True):
    """An operation that returns one of all entries. self: (...) -> ()."""

    types = "keep"

    def grad_self(grad, self, result):
        chosen = where(same(self, result), ones_like(self), 0)
        return chosen * (grad / sum(chosen))


class OneAlong(Op, abstract=True):
    """An operation that returns one entry along `dim` and its index: (values, indices)."""

    types, outputs = "keep", ("values", "indices")

    def grad_self(grad, self_sym_sizes, dim, keepdim, indices):
        if not keepdim:
            grad, indices = unsqueeze(grad, dim), unsqueeze(indices, dim)
        return put_along(grad, self_sym_sizes, dim, indices)


class Max(OneOfAll):
    """Return the largest entry. self: (...) -> (). Entries that tie share the gradient evenly."""

    node, symbol = "MaxBackward1", "max"
    phrase = "the largest entry gets the gradient; equal entries share it evenly"

    def forward(self):
        return amax(self)


class Min(OneOfAll):
    """Return the smallest entry. self: (...) -> (). Entries that tie share the gradient evenly."""

    node, symbol = "MinBackward1", "min"
    phrase = "the smallest entry gets the gradient; equal entries share it evenly"

    def forward(self):
        return amin(self)


class MaxDim(OneAlong):
    """Return the largest entry along `dim`, which gets the whole gradient, and its index."""

    node, symbol = "MaxBackward0", "max"
    phrase = "the entry that was the largest gets the gradient; the others get 0"

    def forward(self, *, dim, keepdim=False):
        indices = argmax(self, dim, True)
        values = gather(self, dim, indices)
        return (values, indices) if keepdim else (amax(values, (dim,)), amax(indices, (dim,)))


class MinDim(OneAlong):
    """Return the smallest entry along `dim`, which gets the whole gradient, and its index."""

    node, symbol = "MinBackward0", "min"
    phrase = "the entry that was the smallest gets the gradient; the others get 0"

    def forward(self, *, dim, keepdim=False):
        indices = argmin(self, dim, True)
        values = gather(self, dim, indices)
        return (values, indices) if keepdim else (amin(values, (dim,)), amin(indices, (dim,)))


class Softmax(Op):
    """Return exp(x) / Σ exp(x) along `dim`, shifted by the maximum to avoid overflow."""

    node, symbol, types = "SoftmaxBackward0", "softmax", "float"
    phrase = "the softmax times (the gradient − the mean of the gradient, weighted by the softmax)"

    def forward(self, *, dim):
        e = exp(in_order(self) - amax(self, (dim,), True))  # PyTorch's result lies row by row
        return e / sum(e, (dim,), True)

    def grad_self(grad, result, dim):
        return (grad - sum(grad * result, (dim,), True)) * result


class LogSoftmax(Op):
    """Return log softmax(x) along `dim`: x minus log Σ exp(x), shifted by the maximum."""

    node, symbol, types = "LogSoftmaxBackward0", "log softmax", "float"
    phrase = "the gradient minus the softmax times the sum of the gradient"

    def forward(self, *, dim):
        shifted = in_order(self) - amax(self, (dim,), True)
        return shifted - log(sum(exp(shifted), (dim,), True))

    def grad_self(grad, result, dim):
        return grad - exp(result) * sum(grad, (dim,), True)


class Logsumexp(Op):
    """Return log Σ exp(x) along `dim`, shifted by the maximum. Its gradient is the softmax."""

    node, symbol, types = "LogsumexpBackward0", "log Σ exp", "float"
    phrase = "each entry gets the gradient times its softmax"

    def forward(self, *, dim, keepdim=False):
        top = amax(self, dim, True)
        top = where(isfinite(top), top, 0)  # ∞ - ∞ is nan
        total = top + log(sum(exp(self - top), dim, True))
        return total if keepdim else amax(total, dim)

    def grad_self(grad, self, result, dim, keepdim):
        softmax = exp(self - restore_dims(result, size(self), dim, keepdim))
        return restore_dims(grad, size(self), dim, keepdim) * softmax


class Norm(Op):
    """Return (Σ |x|ᵖ)^(1/p) over `dim`. self: (N, M), dim: (1,) -> (N,).

    `pairwise_distance` leaves this node; `torch.norm` leaves a LinalgVectorNorm.
    """

    node, symbol, types, wide = "NormBackward1", "‖·‖", "keep", True
    phrase = (
        "the gradient times the slope of the norm: for the 2-norm, each entry divided by the norm"
    )

    def forward(self, *, p=2, dim=None, keepdim=False):
        return p_norm(self, p, dim, keepdim)

    def grad_self(grad, self, result, p, dim, keepdim):
        norm = restore_dims(result, size(self), dim, keepdim)
        return restore_dims(grad, size(self), dim, keepdim) * p_norm_slope(self, norm, p, dim)


class Dist(Op):
    """Return the norm of a difference. self, other: (...) -> ()."""

    node, symbol, wide = "DistBackward0", "‖x − y‖", True
    phrase = (
        "this input gets the gradient times the slope of the norm: for p = 2, (this input − the "
        "other) / distance"
    )

    def forward(self, other, *, p=2):
        return p_norm(self - other, p, None, False)

    def grad_self(grad, self, other, result, p):
        return sum_to(grad * p_norm_slope(self - other, result, p, None), size(self))

    def grad_other(grad, self, other, result, p):
        return sum_to(-grad * p_norm_slope(self - other, result, p, None), size(other))
