"""Operations that summarize many entries: products, spreads, moments, norms; running sums.

Read next: ops/linalg.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    eq,
    inf,
    isnan,
    ones_like,
    same,
    sign,
    sqrt,
    where,
    zeros_like,
)
from graphlab.primitives.numpy_reading.reductions import (
    amax,
    amin,
    count,
    cumprod,
    cumsum,
    freedom,
    others,
    p_norm,
    prod,
    sum,
)
from graphlab.primitives.numpy_reading.scatter_gather import slice_, unbind
from graphlab.primitives.numpy_reading.shapes import cat, flip, reshape, restore_dims, size, stack


class Prod(Op):
    """Multiply all entries. self: (...) -> ()."""

    node, symbol, types = "ProdBackward0", "Π", "keep"
    phrase = "each entry gets the gradient times the product of all other entries"
    also_saved = ("result",)

    def forward(self):
        return prod(self)

    def grad_self(grad, self):
        return grad * reshape(others(reshape(self, (count(size(self)),)), 0), size(self))


class ProdDim(Op):
    """Multiply along `dim`. self: (N, M), dim: 0 -> (M,)."""

    node, symbol, types = "ProdBackward1", "Π", "keep"
    phrase = (
        "each entry gets the gradient times the product of the other entries along the dimension"
    )
    also_saved = ("result",)

    def forward(self, *, dim, keepdim=False):
        return prod(self, (dim,), keepdim)

    def grad_self(grad, self, dim, keepdim):
        return restore_dims(grad, size(self), (dim,), keepdim) * others(self, dim)


class Amax(Op):
    """Return the largest entry along `dim`, without its index. Ties share the gradient evenly."""

    node, symbol, types = "AmaxBackward0", "max", "keep"
    phrase = "the largest entry gets the gradient; equal entries share it evenly"

    def forward(self, *, dim=(), keepdim=False):
        return amax(self, dim or None, keepdim)

    def grad_self(grad, self, result, dim, keepdim):
        dims = dim or None
        found = restore_dims(result, size(self), dims, keepdim)
        chosen = where(eq(self, found), ones_like(self), 0)
        return chosen * (restore_dims(grad, size(self), dims, keepdim) / sum(chosen, dims, True))


class Amin(Amax):
    """Return the smallest entry along `dim`, without its index. Ties share the gradient evenly."""

    node, symbol = "AminBackward0", "min"
    phrase = "the smallest entry gets the gradient; equal entries share it evenly"

    def forward(self, *, dim=(), keepdim=False):
        return amin(self, dim or None, keepdim)


class Var(Op):
    """Return the variance Σ (x - mean)² / (n - correction), with correction 1 by default."""

    node, symbol, types, wide = "VarBackward0", "var", "keep", True
    phrase = "each entry gets the gradient times 2 (x − mean)/(n − correction)"

    def forward(self, *, dim=None, correction=None, keepdim=False):
        away = self - sum(self, dim, True) / count(size(self), dim)
        return sum(away * away, dim, keepdim) / freedom(size(self), dim, correction)

    def grad_self(grad, self, dim, correction, keepdim):
        away = self - sum(self, dim, True) / count(size(self), dim)
        grad = restore_dims(grad, size(self), dim, keepdim)
        return grad * 2 * away / freedom(size(self), dim, correction)


class Std(Op):
    """Return the standard deviation, the root of the variance. Its slope at 0 is taken as 0."""

    node, symbol, types, wide = "StdBackward0", "std", "keep", True
    phrase = "each entry gets the gradient times (x − mean)/(std (n − correction))"

    def forward(self, *, dim=None, correction=None, keepdim=False):
        away = self - sum(self, dim, True) / count(size(self), dim)
        return sqrt(sum(away * away, dim, keepdim) / freedom(size(self), dim, correction))

    def grad_self(grad, self, result, dim, correction, keepdim):
        away = self - sum(self, dim, True) / count(size(self), dim)
        share = where(eq(result, 0), 0, grad / result)
        share = restore_dims(share, size(self), dim, keepdim)
        return share * away / freedom(size(self), dim, correction)


class LinalgVectorNorm(Op):
    """Return (Σ |x|ᵒʳᵈ)^(1/ord) over `dim`; the largest |x| for inf. The slope at 0 is 0."""

    node, symbol, types, wide = "LinalgVectorNormBackward0", "‖·‖", "keep", True
    phrase = (
        "the gradient times the slope of the norm: for the 2-norm, each entry divided by the norm"
    )

    def forward(self, *, ord=2, dim=None, keepdim=False):
        return p_norm(self, ord, dim, keepdim)

    def grad_self(grad, self, result, ord, dim, keepdim):
        if ord == 0:
            return zeros_like(self)
        grad = restore_dims(grad, size(self), dim, keepdim)
        result = restore_dims(result, size(self), dim, keepdim)
        if ord == 1:
            return grad * sign(self)
        if ord == inf or ord == -inf:
            chosen = where(same(abs(self), result), ones_like(self), 0)
            return chosen * sign(self) * (grad / sum(chosen, dim, True))
        if ord == 2:
            return grad * where(eq(result, 0), 0, self / result)
        slope = sign(self) * (abs(self) / result) ** (ord - 1)
        return grad * where(eq(result if ord > 1 else self, 0), 0, slope)


class Cumsum(Op):
    """Return the running sum along `dim`: the i-th result is the sum of the entries 0 … i."""

    node, symbol, types = "CumsumBackward0", "Σ…", "keep"
    phrase = "each entry gets the sum of the gradients of its own and all later sums"

    def forward(self, *, dim):
        return cumsum(self, dim)

    def grad_self(grad, dim):
        return flip(cumsum(flip(grad, (dim,)), dim), (dim,))


class Cumprod(Op):
    """Return the running product along `dim`: the i-th result multiplies the entries 0 … i."""

    node, symbol, types = "CumprodBackward0", "Π…", "keep"
    phrase = (
        "each entry gets the gradients of all products that it is in, each times the product "
        "without it"
    )
    also_saved = ("result",)

    def forward(self, *, dim):
        return cumprod(self, dim)

    def grad_self(grad, self, dim):
        # from the back: what follows entry i is gᵢ + xᵢ₊₁ (gᵢ₊₁ + xᵢ₊₂ (…)); nothing divides by x
        if size(self) == ():
            return grad
        x, g = unbind(self, dim), unbind(grad, dim)
        if len(x) == 0:
            return grad
        behind, found = zeros_like(x[0]), []
        for i in range(len(x) - 1, -1, -1):
            behind = g[i] + behind
            found.append(behind)
            behind = behind * x[i]
        one = ones_like(slice_(self, dim, 0, 1, 1))
        before = cumprod(cat((one, slice_(self, dim, 0, len(x) - 1, 1)), dim), dim)
        return before * flip(stack(tuple(found), dim), (dim,))


class VarMean(Op):
    """Return the variance and the mean. self: (N, M), dim: (0,) -> (M,), (M,)."""

    wide = True
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

    wide = True
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
