"""The words in which forwards and derivative rules are written, read against NumPy.

A rule says `grad * exp(self)`. Here `exp` is NumPy's; `functional/words.py` gives the same words
for tensors (that is `create_graph=True`), `symbolic/namespace.py` for SymPy (that is the proof).
Every word takes and gives raw data: an array, or a NumPy scalar for 0-d data.

Read next: ops/elementwise.py
"""

# ruff: noqa: F401  (the words of approximations.py and memory.py are words here)
import math
from typing import Any

import numpy as np

from graphlab.ops.approximations import (
    digamma,
    erf,
    erfc,
    erfcx,
    erfinv,
    lgamma,
    log_ndtr,
    ndtri,
    polygamma,
)
from graphlab.ops.memory import addresses

Data = Any  # np.ndarray, or a NumPy scalar for 0-d data
Dims = tuple[int, ...] | None  # None: every dimension

exp = np.exp
log = np.log
log1p = np.log1p
expm1 = np.expm1
exp2 = np.exp2
log2 = np.log2
log10 = np.log10
logaddexp = np.logaddexp
logaddexp2 = np.logaddexp2
sqrt = np.sqrt
sin = np.sin
cos = np.cos
tanh = np.tanh
tan = np.tan
asin = np.arcsin
acos = np.arccos
atan = np.arctan
atan2 = np.arctan2
sinh = np.sinh
cosh = np.cosh
asinh = np.arcsinh
acosh = np.arccosh
atanh = np.arctanh
hypot = np.hypot
abs = np.abs
sign = np.sign
floor = np.floor
ceil = np.ceil
round = np.round
trunc = np.trunc
isfinite = np.isfinite
isnan = np.isnan
maximum = np.maximum
minimum = np.minimum
fmax = np.fmax
fmin = np.fmin
copysign = np.copysign
eq = np.equal
gt = np.greater
ge = np.greater_equal
le = np.less_equal
lt = np.less
stack = np.stack
size = np.shape
tile = np.tile
tril = np.tril
triu = np.triu
inf = math.inf

# Constants are words too: for SymPy they are exact. Python's own floats leave the type alone.
pi = math.pi
root_pi = math.sqrt(math.pi)  # √π
root_2 = math.sqrt(2)  # √2
ln_2 = math.log(2)
ln_10 = math.log(10)
trillionth = float(np.float32(1e-12))  # as PyTorch has it


def zeros_like(x: Data) -> Data:
    """Zeros in the shape and type of x."""
    return np.zeros(x.shape, x.dtype)


def ones_like(x: Data) -> Data:
    """Ones in the shape and type of x."""
    return np.ones(x.shape, x.dtype)


def where(condition: Data, x: Data, y: Data) -> Data:
    """x where the condition holds, y elsewhere."""
    if type(y) is int and y == 0 and _alike(condition, x):
        return _or_zero(x, condition)
    if type(x) is int and x == 0 and _alike(condition, y):
        return _or_zero(y, ~condition)
    chosen = np.where(condition, x, y)
    return chosen if chosen.ndim else chosen[()]  # 0-d data stays a scalar


def unless(mask: Data, x: Data) -> Data:
    """x where the mask does not hold, 0 elsewhere; x itself where it holds nowhere."""
    return where(mask, 0, x) if np.count_nonzero(mask) else x


_BITS = {np.dtype(f"f{n}"): np.dtype(f"i{n}") for n in (2, 4, 8)}


def _alike(condition: Data, x: Data) -> bool:
    """Whether these are a mask and an array of floats, of one shape."""
    both = type(x) is np.ndarray and type(condition) is np.ndarray
    return both and x.dtype in _BITS and condition.dtype.kind == "b" and condition.shape == x.shape


def _or_zero(x: Data, mask: Data) -> Data:
    """x where the mask holds, 0 elsewhere: the bits of x, as an integer, times 1 or 0.

    nan and inf become 0 too, as they must. `np.where` branches at every entry, and for a mask
    without a pattern, such as a relu's, the processor guesses wrong half the time: it takes 15
    times as long.
    """
    return (x.view(_BITS[x.dtype]) * mask).view(x.dtype)


def xlogy(x: Data, y: Data) -> Data:
    """x log(y), and 0 where x is 0; a y of integers counts as what x is."""
    return where(np.equal(x, 0), 0, x * np.log(y, dtype=x.dtype))


def xlog1py(x: Data, y: Data) -> Data:
    """x log(1 + y), and 0 where x is 0; a y of integers counts as what x is."""
    return where(np.equal(x, 0), 0, x * np.log1p(y, dtype=x.dtype))


def sigmoid(x: Data) -> Data:
    """1 / (1 + exp(-x)), without overflow for large negative x."""
    small = np.exp(-np.abs(x))
    return where(x >= 0, 1, small) / (1 + small)


def softplus(x: Data) -> Data:
    """log(1 + exp(x)), without overflow for large positive x."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def refused(name: str) -> Data:
    """Raises: RuntimeError, for a function that PyTorch does not differentiate either."""
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


def without_derivative(name: str) -> Data:
    """Raises: NotImplementedError, PyTorch's other sentence for the same."""
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


def divide_down(x: Data, y: Data) -> Data:
    """x / y, rounded down. Raises: RuntimeError where integers are divided by 0."""
    _not_by_zero(x, y)
    return np.floor_divide(x, y)


def remainder(x: Data, y: Data) -> Data:
    """What is left of x, with the sign of y. Raises: RuntimeError for integers and 0."""
    _not_by_zero(x, y)
    return np.remainder(x, y)


def fmod(x: Data, y: Data) -> Data:
    """What is left of x, with the sign of x. Raises: RuntimeError for integers and 0."""
    _not_by_zero(x, y)
    return np.fmod(x, y)


def heaviside(x: Data, at_0: Data) -> Data:
    """0 below 0, 1 above it, `at_0` at 0; in the type of x."""
    return np.heaviside(x, at_0).astype(x.dtype)


def power(x: Data, y: Data) -> Data:
    """x to the power of y; of integers 1 / x, which is 0 for all but 1 and -1, rounds to 0."""
    if np.result_type(x, y).kind not in "iu" or not np.any(np.less(y, 0)):
        return x**y
    below = np.less(y, 0)
    one = where(np.equal(x, 1), 1, where(np.equal(x, -1), 1 - 2 * (y % 2), 0))
    return where(below, one.astype(np.result_type(x, y)), x ** where(below, 0, y))


def divide_to_zero(x: Data, y: Data) -> Data:
    """x / y, without its fractional part. Raises: RuntimeError where integers are divided by 0."""
    if np.result_type(x, y).kind == "f":
        return np.trunc(x / y)
    _not_by_zero(x, y)
    down = np.floor_divide(x, y)
    return down + ((down * y != x) & ((x < 0) != (y < 0)))


def _not_by_zero(x: Data, y: Data) -> None:
    if np.result_type(x, y).kind in "iu" and np.any(np.equal(y, 0)):
        raise RuntimeError("ZeroDivisionError")


def nan_to_num(x: Data, nan: float, posinf: float | None, neginf: float | None) -> Data:
    """x with numbers in the place of nan and of both infinities; None: the largest there is."""
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def _axes(x: Data, dim: Dims) -> Dims:
    """The dims as NumPy takes them: a 0-d tensor may be reduced over dim 0, which it has not."""
    return dim if x.ndim else None


def sum(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
    """The sum over `dim`; of integers and bools it is int64."""
    kind = np.int64 if x.dtype.kind in "iub" else None
    return np.add.reduce(x, axis=_axes(x, dim), keepdims=keepdim, dtype=kind)


def mean(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
    """The mean over `dim`; of float16 it is added up in float32, as a sum may be too large."""
    if x.dtype != np.float16:
        return sum(x, dim, keepdim) / count(size(x), dim)
    total = sum(x.astype(np.float32), dim, keepdim)
    return (total / count(size(x), dim)).astype(np.float16)


def prod(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
    """The product over `dim`; of integers and bools it is int64."""
    kind = np.int64 if x.dtype.kind in "iub" else None
    return np.multiply.reduce(x, axis=_axes(x, dim), keepdims=keepdim, dtype=kind)


def same(x: Data, y: Data) -> Data:
    """Where entries are equal; nan counts as equal to nan."""
    return eq(x, y) | (isnan(x) & isnan(y))


FEW = 16  # so many columns make it slow to go along each row


def amax(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
    """The largest entry over `dim`."""
    if dim == (1,) and keepdim and x.ndim == 2 and 0 < x.shape[1] <= FEW < x.shape[0]:
        return np.maximum.reduce(x.T.copy(), 0)[:, None]  # down long columns it is quicker
    return np.maximum.reduce(x, axis=_axes(x, dim), keepdims=keepdim)


def amin(x: Data, dim: Dims = None, keepdim: bool = False) -> Data:
    """The smallest entry over `dim`."""
    return np.minimum.reduce(x, axis=_axes(x, dim), keepdims=keepdim)


def argmax(x: Data, dim: int, keepdim: bool = False) -> Data:
    """The index of the largest entry along `dim`; the first of those that tie."""
    return np.argmax(x, axis=dim if x.ndim else None, keepdims=keepdim)


def argmin(x: Data, dim: int, keepdim: bool = False) -> Data:
    """The index of the smallest entry along `dim`; the first of those that tie."""
    return np.argmin(x, axis=dim if x.ndim else None, keepdims=keepdim)


def argsort(x: Data, dim: int, descending: bool = False) -> Data:
    """The places of the entries along `dim`, the smallest first; ties keep their order."""
    if x.ndim == 0:
        return np.int64(0)
    if not descending:
        return np.argsort(x, dim, stable=True)
    behind = np.flip(np.argsort(np.flip(x, dim), dim, stable=True), dim)
    return x.shape[dim] - 1 - behind  # from the back twice: ties keep their order here too


def flip(x: Data, dims: tuple[int, ...]) -> Data:
    """The entries in reverse order along `dims`."""
    return np.flip(x, dims) if x.ndim else x


def roll(x: Data, shifts: tuple[int, ...], dims: tuple[int, ...]) -> Data:
    """The entries moved on by `shifts` along `dims`, round the end."""
    return np.roll(x, shifts, dims) if dims else np.roll(x, shifts[0])


def sum_to(x: Data, size: tuple[int, ...]) -> Data:
    """Sum `x` back to `size`, undoing a broadcast: x: (B, N), size: (N,) -> (N,).

    Source: PyTorch, aten/src/ATen/ExpandUtils.h, sum_to.

    >>> sum_to(np.ones((4, 2)), (2,))
    array([4., 4.])
    """
    lead = x.ndim - len(size)
    if 1 not in size:
        return np.add.reduce(x, tuple(range(lead)))
    kept = [lead + i for i, n in enumerate(size) if n == 1]
    return np.add.reduce(x, axis=(*range(lead), *kept), keepdims=True).reshape(size)


SMALL_PRODUCT = 1_000_000  # multiplications; BLAS has kernels of its own for as many


def matmul(x: Data, y: Data, strides: tuple[int, ...] = ()) -> Data:
    """x @ y. strides: of the matrix whose gradient this is: where its columns lie end to end in
    memory, as those of a transposed weight do, the product is laid out the same way.
    """
    if strides and strides[0] == 1 and x.ndim == 2:
        return _product(y.T, x.T).T
    return _product(x, y)


def _product(x: Data, y: Data) -> Data:
    """x @ y, of large matrices as ops/panels.py has it."""
    if x.ndim != 2 or y.ndim != 2 or x.size * y.shape[1] <= SMALL_PRODUCT:
        return np.matmul(x, y)
    from graphlab.ops.panels import product as in_panels

    return in_panels(x, y)


def times(x: Data, factor: float) -> Data:
    """factor * x, without the product where it is 1."""
    return x if factor == 1 else x * factor


def blend(x: Data, beta: float, y: Data, alpha: float) -> Data:
    """beta * x + alpha * y; x is not even looked at where beta is 0."""
    return times(y, alpha) if beta == 0 else times(x, beta) + times(y, alpha)


def count(sizes: tuple[int, ...], dim: Dims = None) -> int:
    """How many entries a reduction over `dim` adds up."""
    return math.prod(sizes) if dim is None or not sizes else math.prod(sizes[d] for d in dim)


def freedom(sizes: tuple[int, ...], dim: Dims, correction: float | None) -> float:
    """The degrees of freedom of a variance: the entries less the `correction`, 1 when not given."""
    return max(count(sizes, dim) - (1 if correction is None else correction), 0)


def cumsum(x: Data, dim: int) -> Data:
    """The sums of the entries up to each, along `dim`."""
    kind = np.int64 if x.dtype.kind in "iub" else None
    return np.cumsum(x, dim, kind) if x.ndim else x if kind is None else kind(x)


def logcumsumexp(x: Data, dim: int) -> Data:
    """log Σ exp of the entries up to each, along `dim`, without overflow."""
    return np.logaddexp.accumulate(x, dim) if x.ndim else x


def cumprod(x: Data, dim: int) -> Data:
    """The products of the entries up to each, along `dim`."""
    kind = np.int64 if x.dtype.kind in "iub" else None
    return np.cumprod(x, dim, kind) if x.ndim else x if kind is None else kind(x)


def others(x: Data, dim: int) -> Data:
    """For each entry along `dim`, the product of all others: those before times those after.

    Dividing the whole product by the entry would be shorter, and wrong at 0. Written in words, so
    that tensors and SymPy read it too.
    """
    if size(x) == ():
        return ones_like(x)
    n = size(x)[dim]
    one = ones_like(slice_(x, dim, 0, 1, 1))
    before = cumprod(cat((one, slice_(x, dim, 0, n - 1, 1)), dim), dim)
    after = cumprod(cat((one, flip(slice_(x, dim, 1, n, 1), (dim,))), dim), dim)
    return before * flip(after, (dim,))


def expand(x: Data, size: tuple[int, ...]) -> Data:
    """x repeated to `size`, without copying."""
    if x.size != 1 or not size:
        return np.broadcast_to(x, size)
    repeated = np.ndarray(size, x.dtype, x, 0, (0,) * len(size))  # the same, four times as quick
    repeated.flags.writeable = False
    return repeated


def reshape(x: Data, shape: tuple[int, ...]) -> Data:
    """The same entries in another shape."""
    return x.reshape(shape)


def unsqueeze(x: Data, dim: int) -> Data:
    """A new dimension of size 1 before `dim`."""
    place = dim if dim >= 0 else x.ndim + 1 + dim
    return x.reshape((*x.shape[:place], 1, *x.shape[place:]))


def squeeze(x: Data, dim: int) -> Data:
    """Without the dimension `dim`, which has size 1."""
    return x.squeeze(dim) if x.ndim else x


def permute(x: Data, dims: tuple[int, ...] | None = None) -> Data:
    """The dimensions in the order of `dims`, or the other way round."""
    return x.T if dims is None else x.transpose(dims)


def transpose(x: Data, dim0: int, dim1: int) -> Data:
    """Two dimensions swapped."""
    return x.swapaxes(dim0, dim1) if x.ndim else x


def restore_dims(x: Data, sizes: tuple[int, ...], dim: Dims, keepdim: bool) -> Data:
    """Stretch what a reduction over `dim` left back to the `sizes` it came from."""
    if not keepdim and dim is not None:
        x = x.reshape(with_ones(sizes, dim))
    return expand(x, sizes)


def with_ones(sizes: tuple[int, ...], dim: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes that a reduction over `dim` leaves when it keeps the dimensions.

    >>> with_ones((2, 3, 4), (0, -1))
    (1, 3, 1)
    """
    kept = list(sizes)
    for d in dim if sizes else ():
        kept[d] = 1
    return tuple(kept)


def key_along(dim: int, part: Any, ndim: int) -> tuple[Any, ...]:
    """The key that takes `part` of one dimension and all of those before it."""
    return (slice(None),) * (dim % ndim) + (part,) if ndim else ()


def select(x: Data, dim: int, index: int) -> Data:
    """One index along `dim`."""
    return x[(*key_along(dim, index, x.ndim), ...)]


def slice_(x: Data, dim: int, start: int, end: int, step: int) -> Data:
    """A range along `dim`."""
    return x[key_along(dim, slice(start, end, step), x.ndim)]


def take(x: Data, key: tuple[Data | None, ...]) -> Data:
    """x[key]; the key holds integer or boolean arrays, None for a dimension that is kept whole."""
    return x[whole(key)]


def put_at(values: Data, sizes: tuple[int, ...], key: tuple[Data | None, ...]) -> Data:
    """Zeros of `sizes` with `values` added at `key`: what undoes an indexing."""
    out = np.zeros(sizes, dtype=values.dtype)
    places = whole(key)
    room = np.broadcast_to(np.False_, sizes)[places].ndim
    if np.ndim(values) > room:  # NumPy's add.at reads beyond its memory here
        raise ValueError(f"values of {np.ndim(values)} dimensions do not fit into {room}")
    np.add.at(out, places, values)
    return out


def whole(key: tuple[Data | None, ...]) -> tuple[Any, ...]:
    """The key as NumPy wants it: a full slice for None."""
    return tuple(slice(None) if part is None else part for part in key)


def gather(x: Data, dim: int, index: Data) -> Data:
    """The entries that `index` names along `dim`; it may be smaller than `x`."""
    return x[along(index, dim)]


def scatter(x: Data, dim: int, index: Data, values: Data) -> Data:
    """A copy of `x` with `values` at `index` along `dim`."""
    out = np.array(x)
    out[along(index, dim)] = values
    return out


def along(index: Data, dim: int) -> tuple[Data, ...]:
    """The places that `index` names along `dim`, as NumPy wants them."""
    if np.ndim(index) == 0:
        return ()  # a 0-d tensor has one entry
    n = index.ndim
    if n == 2:  # as nearly always, and quicker so
        line = np.arange(index.shape[0 if dim in (1, -1) else 1])
        return (line[:, None], index) if dim in (1, -1) else (index, line)
    places = [
        np.arange(m).reshape(m, *(1,) * (n - 1 - d)) if d - dim not in (0, n) else index
        for d, m in enumerate(index.shape)
    ]
    return tuple(places)


def put_along(values: Data, sizes: tuple[int, ...], dim: int, index: Data) -> Data:
    """Zeros of `sizes` with `values` at `index` along `dim`: what undoes a gather."""
    if not sizes:
        return np.reshape(values, ())
    out = np.zeros(sizes, dtype=values.dtype)
    if index.shape[dim] == 1:  # no place can be named twice
        out[along(index, dim)] = values
    else:
        np.add.at(out, along(index, dim), values)
    return out


def cat(tensors: tuple[Data, ...], dim: int) -> Data:
    """End to end along `dim`."""
    return np.concatenate(tensors, axis=dim)


def astype(x: Data, dtype: np.dtype) -> Data:
    """The same entries in another type."""
    return x.astype(dtype)


def copy(x: Data, contiguous: bool = False) -> Data:
    """A copy in memory of its own, where dimensions lie in the same order, or row by row."""
    if contiguous or x.ndim < 2 or x.flags.c_contiguous or 0 in x.strides:
        return x.copy()
    return x.copy(order="K")


def put_slice(x: Data, sizes: tuple[int, ...], dim: int, index: int | slice) -> Data:
    """Zeros of `sizes` with `x` at `index` along `dim`: what undoes a selection or a slice."""
    out = np.zeros(sizes, dtype=x.dtype)
    out[key_along(dim, index, len(sizes))] = x
    return out


def unbind(x: Data, dim: int) -> tuple[Data, ...]:
    """The slices along `dim`."""
    return tuple(select(x, dim, i) for i in range(x.shape[dim]))


def reduce(losses: Data, reduction: int) -> Data:
    """The losses as they are (0), their mean (1) or their sum (2)."""
    if reduction == 0:
        return losses
    total = np.add.reduce(losses, None)
    return total / losses.size if reduction == 1 else total


def unreduce(grad: Data, sizes: tuple[int, ...], reduction: int) -> Data:
    """What `reduce` sends back to each loss."""
    if reduction == 0:
        return grad
    return expand(grad / math.prod(sizes) if reduction == 1 else grad, sizes)
