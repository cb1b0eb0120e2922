"""An ArraySample is what a picture needs of an array, copied in microseconds while a program runs.

It holds a corner of the array and statistics of all entries, each made in a few passes over the
array. Writing them as text, which takes longer, is left to graph/value.py.

Read next: graph/value.py
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from graphlab.graph.codec import record

CORNER = 5  # rows and columns of the corner of a large array
WHOLE = 200  # entries; an array of as many is copied as it is
SLICES = 8  # corners of matrices, of an array of three dimensions or more
PROBES = 8  # entries of each unit that are looked at first
MOST_ONES = 2**17  # half a megabyte, made once
CANCELLED = 1e-3  # part of the sum of squares that is left without the mean
SMALLEST_SQUARES = 1e-30  # below, float32 loses digits of the sum, or all of it


@record
class Measured:
    """Statistics of the finite entries, and counts over all entries."""

    low: Any
    high: Any
    mean: float
    std: float  # divided by n - 1, as in tensor.std(); NaN for a single entry
    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0
    zeros: int = 0


def measure(array: np.ndarray) -> Measured | None:
    """Statistics of an array of bools, integers or floats; None if it is empty or of another type.

    >>> found = measure(np.array([1.0, -2.0, 0.0, np.nan]))
    >>> found.low, found.high, found.nan, found.zeros
    (-2.0, 1.0, 1, 1)
    """
    if array.size == 0 or array.dtype.kind not in "biuf":
        return None
    flat = array.reshape(-1)
    low, high = np.minimum.reduce(flat), np.maximum.reduce(flat)
    zeros = int(np.count_nonzero(flat == 0))
    if flat.dtype not in (np.float32, np.float64):
        wide = flat.astype(np.float32 if flat.dtype == np.float16 else np.float64)
    else:
        wide = flat
    if math.isfinite(low) and math.isfinite(high):
        return Measured(low.item(), high.item(), *_spread(wide), zeros=zeros)
    finite = wide[np.isfinite(wide)]
    nan = int(np.count_nonzero(np.isnan(wide)))
    pos, neg = int(np.count_nonzero(wide == np.inf)), int(np.count_nonzero(wide == -np.inf))
    if finite.size == 0:
        return Measured(math.nan, math.nan, math.nan, math.nan, nan, pos, neg, zeros)
    low, high = finite.min().item(), finite.max().item()
    return Measured(low, high, *_spread(finite), nan, pos, neg, zeros)


@cache
def _ones(dtype: np.dtype[Any]) -> np.ndarray:
    return np.ones(MOST_ONES, dtype)


def _spread(flat: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation of finite numbers."""
    count = flat.size
    with np.errstate(over="ignore", invalid="ignore"):
        # a product with ones is twice as fast as sum()
        ones = _ones(flat.dtype)
        total = float(flat @ ones[:count] if count <= ones.size else flat.sum())
        squares = float(flat @ flat)
    if not math.isfinite(total) or not math.isfinite(squares):  # too large for float32
        largest = float(np.abs(flat).max())
        mean, std = _spread(flat.astype(np.float64) / largest)
        return mean * largest, std * largest
    mean = total / count
    if count == 1:
        return mean, math.nan
    left = squares - mean * total
    if left <= CANCELLED * squares:  # nearly equal entries: mostly rounding
        off = flat.astype(np.float64) - mean
        left = float(off @ off) - float(off.sum()) ** 2 / count
    return mean, math.sqrt(max(left, 0.0) / (count - 1))


@dataclass(slots=True, eq=False)  # with `frozen` it would take three times as long to make
class ArraySample:
    """The part of an array from which `summarise` makes a Value."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    corner: np.ndarray  # all entries, or of a large array the first along each dimension
    measured: Measured | None  # of a large array; those of a small one follow from `corner`
    summary: Any = None  # its Value, once it was made
    norm: float | None = None  # Euclidean, of a large array of floats; see quick_sample
    idle: int = 0  # units that are 0 for the whole batch, where somebody asked for them

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def ndim(self) -> int:
        return len(self.shape)


def sample(array: Any) -> ArraySample:
    """Copy what `summarise` needs of an array, a NumPy scalar or a Python number.

    >>> sample(np.zeros((784, 128))).corner.shape
    (5, 5)
    """
    held = np.asarray(array)
    if held.size <= WHOLE:
        return ArraySample(held.shape, held.dtype, held.copy(), None)
    return ArraySample(held.shape, held.dtype, corner_of(held), measure(held))


def quick_sample(array: Any) -> ArraySample:
    """A sample with the norm of a large array instead of its statistics, unless it has NaN or inf.

    Statistics take several passes over the array, which would slow down a program that is recorded.
    """
    held = array if type(array) is np.ndarray else np.asarray(array)
    shape, kind = held.shape, held.dtype
    if held.size <= WHOLE:
        return ArraySample(shape, kind, held.copy(), None)
    measured = norm = None
    if kind.kind == "f":
        norm = norm_of(held)
        measured = None if math.isfinite(norm) else measure(held)
    corner = held[_corner_slices(shape)].copy()
    return ArraySample(shape, kind, corner, measured, None, norm)


def norm_of(held: np.ndarray) -> float:
    """The Euclidean norm of an array of floats, in one pass over it where that is accurate.

    >>> norm_of(np.full(400, 0.5)), norm_of(np.full(400, 2.0**-100, np.float32)) * 2**100
    (10.0, 20.0)
    """
    flat = held.ravel("K")  # no copy of a transposed array
    squares = math.nan if held.dtype.char == "e" else float(flat.dot(flat))  # never warns
    if SMALLEST_SQUARES < squares < math.inf:
        return math.sqrt(squares)
    if not flat.any():
        return 0.0
    wide = flat.astype(np.float64)
    return math.sqrt(np.dot(wide, wide))


def shows(seen: ArraySample, array: Any) -> bool:
    """Whether an array still has the entries of a sample that was taken of it.

    >>> array = np.zeros(3)
    >>> seen = sample(array)
    >>> shows(seen, array), shows(seen, array + 1)
    (True, False)
    """
    held = array if type(array) is np.ndarray else np.asarray(array)
    if held.shape != seen.shape or held.dtype != seen.dtype:
        return False
    whole = seen.corner.shape == seen.shape
    corner = held if whole else held[_corner_slices(held.shape)]
    # comparing bytes is ten times as fast, and NaN equals NaN
    return corner.tobytes() == seen.corner.tobytes() or np.array_equal(corner, seen.corner)


def units_of(shape: tuple[int, ...]) -> int:
    """How many units a layer has whose result has this shape: channels of images, else columns.

    >>> units_of((64, 10)), units_of((2, 3, 8, 8)), units_of((5,))
    (10, 3, 0)
    """
    return 0 if len(shape) < 2 else shape[1] if len(shape) > 3 else shape[-1]


def idle_units(array: Any) -> int:
    """The number of units that are 0 for the whole batch of two examples or more.

    A few entries of each unit rule out most of them, so that large arrays are not read whole.

    >>> idle_units(np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 3.0]]))
    1
    """
    held = np.asarray(array)
    units = units_of(held.shape)
    if not units or held.size < 2 * units:
        return 0
    by_unit = np.moveaxis(held, 1 if held.ndim > 3 else -1, 0)
    left = np.arange(units)
    for part in range(PROBES):
        place = tuple(length * part // PROBES for length in by_unit.shape[1:])
        left = left[by_unit[(left, *place)] == 0]
        if not left.size:
            return 0
    rest = by_unit[left]
    return int(np.count_nonzero(~rest.any(axis=tuple(range(1, rest.ndim)))))


def corner_of(held: np.ndarray) -> np.ndarray:
    """A copy of the corner of a large array."""
    return held[_corner_slices(held.shape)].copy()


@lru_cache(maxsize=4096)
def _corner_slices(shape: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(map(slice, _corner(shape)))


def _corner(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The number of entries to keep along each dimension of a large array."""
    inner = [min(length, CORNER) for length in shape[-2:]]
    slices, outer = SLICES, []
    for length in reversed(shape[:-2]):
        outer.insert(0, max(1, min(length, slices)))
        slices //= outer[0]
    return (*outer, *inner)
