"""An ArraySample copies what a picture needs of an array, in microseconds, while a program runs.

It holds a corner of the array, and statistics of all entries, which take a few passes over the
array. graph/value.py writes them as text later, because that takes longer.

Read next: graph/value.py
"""

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from graphlab.graph.codec import record

CORNER = 5  # rows and columns of the corner of a large array
WHOLE = 200  # entries; an array of at most this many is copied whole
SLICES = 8  # matrices of which an array of three or more dimensions keeps the corner
PROBES = 8  # entries of each unit that are read first
MOST_ONES = 2**17  # half a megabyte, made once
CANCELLED = 1e-3  # share of the sum of squares below which rounding errors dominate the variance
SMALLEST_SQUARES = 1e-30  # a smaller sum of squares has lost digits in float32, or underflowed


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
    """Statistics of an array of bools, integers or floats; None for an empty or any other array.

    >>> found = measure(np.array([1.0, -2.0, 0.0, np.nan]))
    >>> found.low, found.high, found.nan, found.zeros
    (-2.0, 1.0, 1, 1)
    """
    if array.size == 0 or array.dtype.kind not in "biuf":
        return None
    flat = array.reshape(-1)
    low, high = np.minimum.reduce(flat), np.maximum.reduce(flat)
    zeros = int(np.count_nonzero(flat == 0))
    wide = flat
    if flat.dtype not in (np.float32, np.float64):
        wide = flat.astype(np.float32 if flat.dtype == np.float16 else np.float64)
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
    """The mean and the standard deviation of finite numbers."""
    count = flat.size
    with np.errstate(over="ignore", invalid="ignore"):
        # the dot product with ones is twice as fast as sum()
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
    deviations = squares - mean * total
    if deviations <= CANCELLED * squares:  # nearly equal entries: mostly rounding errors
        centred = flat.astype(np.float64) - mean
        deviations = float(centred @ centred) - float(centred.sum()) ** 2 / count
    return mean, math.sqrt(max(deviations, 0.0) / (count - 1))


@dataclass(slots=True, eq=False)  # `frozen` would take three times as long to make
class ArraySample:
    """The part of an array from which `summarise` makes a Value."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    corner: np.ndarray  # all entries, or the first along each dimension of a large array
    measured: Measured | None  # of a large array; those of a small one follow from `corner`
    summary: Any = None  # its Value, once that has been made
    norm: float | None = None  # Euclidean, of large floats; see quick_sample
    idle: Any = frozenset()  # units that are 0 for the whole batch

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
    array = np.asarray(array)
    if array.size <= WHOLE:
        return ArraySample(array.shape, array.dtype, array.copy(), None)
    norm = norm_of(array) if array.dtype.kind == "c" else None
    return ArraySample(array.shape, array.dtype, corner_of(array), measure(array), norm=norm)


def quick_sample(array: Any) -> ArraySample:
    """A sample with the norm of a large array instead of its statistics, unless it has NaN or inf.

    Statistics take several passes over the array, which would slow down a recorded program.
    """
    array = array if type(array) is np.ndarray else np.asarray(array)
    shape, dtype = array.shape, array.dtype
    if array.size <= WHOLE:
        return ArraySample(shape, dtype, array.copy(), None)
    measured = norm = None
    if dtype.kind in "fc":
        norm = norm_of(array)
        measured = None if math.isfinite(norm) else measure(array)
    return ArraySample(shape, dtype, corner_of(array), measured, None, norm)


def norm_of(array: np.ndarray) -> float:
    """The Euclidean norm of floats or complex numbers, in one pass where that is accurate.

    >>> norm_of(np.full(400, 0.5)), norm_of(np.full(400, 2.0**-100, np.float32)) * 2**100
    (10.0, 20.0)
    """
    if array.dtype.kind == "c":
        return float(np.linalg.norm(array))
    flat = array.ravel("K")  # without a copy of a transposed array
    squares = math.nan if array.dtype.char == "e" else float(flat.dot(flat))  # dot never warns
    if SMALLEST_SQUARES < squares < math.inf:
        return math.sqrt(squares)
    if not flat.any():
        return 0.0
    wide = flat.astype(np.float64)
    return math.sqrt(np.dot(wide, wide))


def shows(seen: ArraySample, array: Any) -> bool:
    """Whether an array still has the entries that an earlier sample of it shows.

    >>> array = np.zeros(3)
    >>> seen = sample(array)
    >>> shows(seen, array), shows(seen, array + 1)
    (True, False)
    """
    array = array if type(array) is np.ndarray else np.asarray(array)
    if array.shape != seen.shape or array.dtype != seen.dtype:
        return False
    whole = seen.corner.shape == seen.shape
    corner = array if whole else array[_corner_slices(array.shape)]
    # comparing bytes is ten times as fast, and finds NaN equal to NaN
    return corner.tobytes() == seen.corner.tobytes() or np.array_equal(corner, seen.corner)


def checksum(array: np.ndarray) -> Any:
    """The sum of the bytes of an array, eight at a time, which differs if an entry changed.

    >>> array = np.arange(3.0)
    >>> was = checksum(array)
    >>> array[1] = np.nextafter(1.0, 2.0)
    >>> checksum(array) == was
    False
    """
    flat = array.ravel("K").view(np.uint8)
    whole = flat.size // 8 * 8
    return int(np.add.reduce(flat[:whole].view(np.int64))), flat[whole:].tobytes()


def units_of(shape: tuple[int, ...]) -> int:
    """The number of units in a layer's result of this shape: channels of images, else columns.

    >>> units_of((64, 10)), units_of((2, 3, 8, 8)), units_of((5,))
    (10, 3, 0)
    """
    return 0 if len(shape) < 2 else shape[1] if len(shape) > 3 else shape[-1]


def idle_units(array: Any) -> set[int]:
    """The units that are 0 for every example of a batch of two or more.

    A few entries of each unit are read first, which rule out most units.

    >>> idle_units(np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 3.0]]))
    {1}
    """
    array = np.asarray(array)
    units = units_of(array.shape)
    if not units or array.size < 2 * units:
        return set()
    by_unit = np.moveaxis(array, 1 if array.ndim > 3 else -1, 0)
    candidates = np.arange(units)
    for part in range(PROBES):
        place = tuple(length * part // PROBES for length in by_unit.shape[1:])
        candidates = candidates[by_unit[(candidates, *place)] == 0]
        if not candidates.size:
            break
    lit = by_unit[candidates].any(axis=tuple(range(1, by_unit.ndim)))
    return set(candidates[~lit].tolist())


def corner_of(array: np.ndarray) -> np.ndarray:
    """A copy of the corner of a large array."""
    return array[_corner_slices(array.shape)].copy()


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
