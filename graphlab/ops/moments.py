"""Pairs of statistics: variance and mean, minimum and maximum; sums that skip nan.

Read next: tensor/functions/moments.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import eq, isnan, ones_like, sqrt, where
from graphlab.primitives.numpy_reading.reductions import amax, amin, count, freedom, sum
from graphlab.primitives.numpy_reading.shapes import restore_dims, size


class VarMean(Op):
    """Return the variance and the mean. self: (N, M), dim: (0,) -> (M,), (M,)."""

    node, symbol, types, splits = "VarMeanBackward0", "var, mean", "keep", True
    phrase = (
        "2 (x − mean)/(n − correction) times the gradient of the variance, plus 1/n of that of "
        "the mean"
    )
    outputs = ("result0", "result1")

    def forward(self, *, dim=None, correction=None, keepdim=False):
        n = count(size(self), dim)
        away = self - sum(self, dim, True) / n
        var = sum(away * away, dim, keepdim) / freedom(size(self), dim, correction)
        return var, sum(self, dim, keepdim) / n

    def grad_self(grad, self, dim, correction, keepdim):
        n = count(size(self), dim)
        away = self - sum(self, dim, True) / n
        of_var, of_mean = [restore_dims(g, size(self), dim, keepdim) for g in grad]
        return of_var * 2 * away / freedom(size(self), dim, correction) + of_mean / n


class StdMean(Op):
    """Return the standard deviation and the mean. self: (N, M), dim: (0,) -> (M,), (M,)."""

    node, symbol, types, splits = "StdMeanBackward0", "std, mean", "keep", True
    phrase = (
        "(x − mean)/(std (n − correction)) times the gradient of std, plus 1/n of that of the mean"
    )
    outputs = ("result0", "result1")

    def forward(self, *, dim=None, correction=None, keepdim=False):
        n = count(size(self), dim)
        away = self - sum(self, dim, True) / n
        var = sum(away * away, dim, keepdim) / freedom(size(self), dim, correction)
        return sqrt(var), sum(self, dim, keepdim) / n

    def grad_self(grad, self, result0, dim, correction, keepdim):
        n = count(size(self), dim)
        away = self - sum(self, dim, True) / n
        share = where(eq(result0, 0), 0, grad[0] / result0)
        share = restore_dims(share, size(self), dim, keepdim)
        of_mean = restore_dims(grad[1], size(self), dim, keepdim)
        return share * away / freedom(size(self), dim, correction) + of_mean / n


class Aminmax(Op):
    """Return the smallest and the largest entry along `dim`, None for all. Ties share evenly."""

    node, symbol, types, splits = "AminmaxBackward0", "min, max", "keep", True
    phrase = (
        "the smallest and the largest entry get their gradients; equal entries share them evenly"
    )
    outputs = ("min", "max")

    def forward(self, *, dim=None, keepdim=False):
        dims = None if dim is None else (dim,)
        return amin(self, dims, keepdim), amax(self, dims, keepdim)

    def grad_self(grad, self, min, max, dim, keepdim):
        dims = None if dim is None else (dim,)
        low = restore_dims(min, size(self), dims, keepdim)
        high = restore_dims(max, size(self), dims, keepdim)
        low = where(eq(self, low), ones_like(self), 0)
        high = where(eq(self, high), ones_like(self), 0)
        to_low = restore_dims(grad[0], size(self), dims, keepdim) / sum(low, dims, True)
        to_high = restore_dims(grad[1], size(self), dims, keepdim) / sum(high, dims, True)
        return low * to_low + high * to_high


class Nansum(Op):
    """Sum the entries over `dim` that are not nan. self: (N, M), dim: (0,) -> (M,)."""

    node, symbol, types = "NansumBackward0", "Σ", "keep"
    phrase = "every entry gets the gradient of its sum; an entry that is nan gets 0"

    def forward(self, *, dim=None, keepdim=False):
        return sum(where(isnan(self), 0, self), dim, keepdim)

    def grad_self(grad, self, dim, keepdim):
        return where(isnan(self), 0, restore_dims(grad, size(self), dim, keepdim))
