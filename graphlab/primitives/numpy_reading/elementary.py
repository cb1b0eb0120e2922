"""Functions of single entries, comparisons and constants.

A rule says `grad * exp(self)`; here `exp` is NumPy's. Every function takes and returns raw data: an
array, or a NumPy scalar for 0-d data. The functions have PyTorch's names.

Read next: primitives/tensor_reading.py
"""

import math
from typing import Any

import numpy as np

Data = Any  # np.ndarray, or a NumPy scalar for 0-d data
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
floor = np.floor
ceil = np.ceil
round = np.round
trunc = np.trunc
isfinite = np.isfinite
isnan = np.isnan
minimum = np.minimum
fmax = np.fmax
fmin = np.fmin
copysign = np.copysign
eq = np.equal
gt = np.greater
ge = np.greater_equal
le = np.less_equal
lt = np.less
inf = math.inf
# Constants are exact in the SymPy reading. Python's own floats leave the type of an array alone.
pi = math.pi
root_pi = math.sqrt(math.pi)  # √π
root_2 = math.sqrt(2)  # √2
ln_2 = math.log(2)
ln_10 = math.log(10)
trillionth = float(np.float32(1e-12))  # PyTorch's constant, a float32


def zeros_like(x: Data) -> Data:
    """Zeros in the shape and type of x."""
    return np.zeros(x.shape, x.dtype)


def ones_like(x: Data) -> Data:
    """Ones in the shape and type of x."""
    return np.ones(x.shape, x.dtype)


def constant(array: np.ndarray, x: Data) -> Data:
    """Fixed numbers, in the type of x."""
    return np.asarray(array, x.dtype)


def zeros_beside(sizes: tuple[int, ...], x: Data) -> Data:
    """Zeros of these sizes, in the type of x."""
    return np.zeros(sizes, x.dtype) if hasattr(x, "nonzero") else np.zeros_like(x, shape=sizes)


def astype(x: Data, dtype: np.dtype) -> Data:
    """The same entries in another type."""
    return x.astype(dtype)


def sign(x: Data) -> Data:
    """-1 below 0, 1 above 0, else 0. For nan it is 0, where `np.sign` gives nan."""
    return (x > 0).astype(x.dtype) - (x < 0)


def copy(x: Data, contiguous: bool = False, like: Data | None = None) -> Data:
    """A copy with its dimensions in the same order in memory, or row by row if `contiguous`.

    like: an array of the same shape, whose order in memory the copy has.
    """
    if like is not None and 0 not in like.strides:
        out = np.empty_like(like)
        out[...] = x
        return out
    if contiguous or x.ndim < 2 or x.flags.c_contiguous or 0 in x.strides:
        return x.copy()
    return x.copy(order="K")


def in_order(x: Data, images: bool = False) -> Data:
    """The same array if it lies row by row in memory, or as `images` channels last; else a copy."""
    images = images and x.ndim > 3
    kept = (
        x.ndim < 2 or x.flags.c_contiguous or (images and np.moveaxis(x, 1, -1).flags.c_contiguous)
    )
    return x if kept else x.copy()


def channels_last(x: Data) -> bool:
    """Whether PyTorch takes an array for images with their channels last in memory.

    Source: PyTorch, c10/core/MemoryFormat.h, is_channels_last_strides_2d_s4.
    """
    least, steps = 0, x.strides
    if x.ndim not in (4, 5) or not x.size:
        return False
    for d in (1, *range(x.ndim - 1, 1, -1), 0):
        if steps[d] < least or (d == 0 and least == steps[1]):
            return False
        least = steps[d] * x.shape[d]
    return steps[1] > 0


# -- choosing -----------------------------------------------------------------------------------


def maximum(x: Data, y: Data) -> Data:
    """The larger of two entries; beside 0, minus zero stays, as in PyTorch."""
    if type(y) is not int or y or x.dtype.itemsize == 2:  # of float16, NumPy gives the first
        return np.maximum(x, y)
    if x.size > 500 and x.flags.c_contiguous:  # NumPy is faster with zeros than with 0
        y = zeros_like(x)
    return np.maximum(y, x)  # the second of two that are equal


def where(condition: Data, x: Data, y: Data) -> Data:
    """x where the condition holds, y elsewhere."""
    if type(x) is int and x == 0 and _alike(condition, y):
        return _or_zero(y, ~condition)
    if type(y) is int and y == 0 and _alike(condition, x):
        return _or_zero(x, condition)
    if _alike(condition, x) and _alike(condition, y) and condition.size > MANY:
        kept, others = _or_zero(x, condition), _or_zero(y, ~condition)
        if kept.dtype is others.dtype:
            bits = _BITS[kept.dtype.char]
            return np.bitwise_or(kept.view(bits), others.view(bits)).view(kept.dtype)
    chosen = np.where(condition, x, y)
    return chosen if chosen.ndim else chosen[()]  # 0-d data stays a scalar


def unless(mask: Data, x: Data) -> Data:
    """x where the mask does not hold, 0 elsewhere; x itself where it holds nowhere."""
    return x if hasattr(mask, "nonzero") and not np.count_nonzero(mask) else where(mask, 0, x)


MANY = 4096  # entries, from which on `where` computes with bits: see `_or_zero`
_BITS = {np.dtype(f"f{n}").char: np.dtype(f"i{n}") for n in (2, 4, 8)}
_BOOL = np.dtype(bool)


def _alike(condition: Data, x: Data) -> bool:
    """Whether these are a mask and an array of floats of the same shape."""
    if type(x) is not np.ndarray or type(condition) is not np.ndarray:
        return False
    return condition.dtype is _BOOL and condition.shape == x.shape and x.dtype.char in _BITS


def _or_zero(x: Data, mask: Data) -> Data:
    """x where the mask holds, 0 elsewhere: the bits of x, as an integer, times 1 or 0.

    So nan and inf become 0, too. `np.where` branches at every entry. For a mask without a pattern,
    such as that of a relu, the processor mispredicts half of the branches, which takes 15 times as
    long.
    """
    kind = x.dtype
    bits = _BITS[kind.char]
    return (x.view(bits) * mask.astype(bits)).view(kind)


def same(x: Data, y: Data) -> Data:
    """Where entries are equal; nan counts as equal to nan."""
    return eq(x, y) | (isnan(x) & isnan(y))


# -- functions ----------------------------------------------------------------------------------


def xlogy(x: Data, y: Data) -> Data:
    """x log(y), and 0 where x is 0 and y is a number; integers y get the type of x."""
    return where(np.equal(x, 0) & ~np.isnan(y), 0, x * np.log(y, dtype=x.dtype))


def xlog1py(x: Data, y: Data) -> Data:
    """x log(1 + y), and 0 where x is 0 and y is a number; integers y get the type of x."""
    return where(np.equal(x, 0) & ~np.isnan(y), 0, x * np.log1p(y, dtype=x.dtype))


def sigmoid(x: Data) -> Data:
    """1 / (1 + exp(-x)); for large negative x, exp(-x) is infinite and the result 0."""
    return 1 / (1 + np.exp(-x))


def softplus(x: Data) -> Data:
    """log(1 + exp(x)), without overflow for large positive x."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def heaviside(x: Data, at_0: Data) -> Data:
    """0 below 0, 1 above it, `at_0` at 0; 0 for nan; in the type of x."""
    return where(np.equal(x, 0), at_0, x > 0).astype(x.dtype)


def power(x: Data, y: Data) -> Data:
    """x to the power of y; for integers, a negative power rounds to 0 unless x is 1 or -1."""
    if np.result_type(x, y).kind not in "iu" or not np.any(np.less(y, 0)):
        return x**y
    below = np.less(y, 0)
    one = where(np.equal(x, 1), 1, where(np.equal(x, -1), 1 - 2 * (y % 2), 0))
    return where(below, one.astype(np.result_type(x, y)), x ** where(below, 0, y))


def lerp(x: Data, y: Data, weight: Data) -> Data:
    """x + weight (y - x), from the nearer end, so that nothing is added to an infinite end."""
    way = y - x
    return where(np.abs(weight) < 0.5, x + weight * way, y - (1 - weight) * way)


def nan_to_num(x: Data, nan: float, posinf: float | None, neginf: float | None) -> Data:
    """x with nan and both infinities replaced; None stands for the largest number of the type."""
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


# -- division -----------------------------------------------------------------------------------


def divide_down(x: Data, y: Data) -> Data:
    """x / y, rounded down. Raises: RuntimeError if an integer y is 0."""
    _not_by_zero(x, y)
    return np.floor_divide(x, y)


def remainder(x: Data, y: Data) -> Data:
    """The remainder of x / y, with the sign of y. Raises: RuntimeError if an integer y is 0."""
    _not_by_zero(x, y)
    return np.remainder(x, y)


def fmod(x: Data, y: Data) -> Data:
    """The remainder of x / y, with the sign of x. Raises: RuntimeError if an integer y is 0."""
    _not_by_zero(x, y)
    return np.fmod(x, y)


def divide_to_zero(x: Data, y: Data) -> Data:
    """x / y, without its fractional part. Raises: RuntimeError if an integer y is 0."""
    if np.result_type(x, y).kind == "f":
        return np.trunc(x / y)
    _not_by_zero(x, y)
    down = np.floor_divide(x, y)
    return down + ((down * y != x) & ((x < 0) != (y < 0)))


def _not_by_zero(x: Data, y: Data) -> None:
    if np.result_type(x, y).kind in "iu" and np.any(np.equal(y, 0)):
        raise RuntimeError("ZeroDivisionError")


# -- what has no derivative ---------------------------------------------------------------------


def refused(name: str) -> Data:
    """Raises: RuntimeError, the error of PyTorch for a function without a derivative."""
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


def without_derivative(name: str) -> Data:
    """Raises: NotImplementedError, which PyTorch has for some of these functions instead."""
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


def no_derivative(why: str) -> Data:
    """Raises: RuntimeError, with the reason why there is no derivative."""
    raise RuntimeError(why)
