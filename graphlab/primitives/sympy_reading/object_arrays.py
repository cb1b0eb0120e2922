"""Tensors of entries that are not floats: object arrays, and bare entries for 0-d data.

NumPy often turns a 0-d object array into its entry, so here all 0-d data is a bare entry. An
`Arithmetic` has the operations of one kind of entry: of SymPy expressions, or of multiprecision
numbers.

Read next: primitives/sympy_reading/elementary.py
"""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from graphlab.primitives.numpy_reading.scatter_gather import whole

Entry = Any  # a SymPy expression, or an mpf
Data = Any  # an object array of entries, or a bare entry for 0-d data
Dims = tuple[int, ...] | None


class Unsupported(Exception):
    """A step that the checker cannot take, with the reason; it goes on with the next method."""


class Arithmetic(Protocol):
    """The operations of one kind of entry."""

    def number(self, value: Any) -> Entry: ...
    def function(self, name: str, *x: Entry) -> Entry: ...
    def power(self, x: Entry, y: Entry) -> Entry: ...
    def total(self, entries: Sequence[Entry]) -> Entry: ...
    def above(self, x: Entry, y: Entry) -> Entry: ...
    def equal(self, x: Entry, y: Entry) -> bool: ...
    def value(self, expression: Entry, /) -> Any: ...
    def note_choice(self, what: str, tied: bool) -> None: ...
    def largest(self, entries: Sequence[Entry], sign: int) -> int: ...
    def extreme(self, entries: Sequence[Entry], sign: int) -> Entry: ...
    def magnitude(self, x: Entry) -> Entry: ...
    def direction(self, x: Entry) -> Entry: ...
    def larger(self, x: Entry, y: Entry) -> Entry: ...
    def smaller(self, x: Entry, y: Entry) -> Entry: ...
    def factors(self, name: str, A: np.ndarray, *more: Any) -> tuple[np.ndarray, ...]: ...
    def eliminate(self, A: np.ndarray) -> tuple[Entry, np.ndarray | None]: ...


def each(function: Callable[..., Entry], inputs: int = 1) -> Callable[..., Data]:
    """Return a function of single entries as a function of arrays."""
    return np.frompyfunc(function, inputs, 1)


def made(entries: Arithmetic, function: Callable[..., Any]) -> Callable[..., Data]:
    """Return a NumPy function whose results, such as the zeros of a padding, become entries."""
    numbers = each(entries.number)
    return lambda *args: numbers(function(*args))


def fraction(number: float) -> Fraction | float:
    """The fraction that a float stands for: 1/3 for 0.333..., else the float's exact value.

    >>> fraction(1 / 3), fraction(0.1), fraction(2**-30)
    (Fraction(1, 3), Fraction(1, 10), Fraction(1, 1073741824))
    """
    if not math.isfinite(number):
        return number
    short = Fraction(number).limit_denominator(1000)
    return short if float(short) == number else Fraction(number)


exact = each(fraction)


def bare(data: Any) -> Data:
    """A 0-d array as the entry that it holds; everything else as it is."""
    return data[()] if isinstance(data, np.ndarray) and data.ndim == 0 else data


def shaped(function: Callable[..., Any]) -> Callable[..., Data]:
    """Return a NumPy function that only moves entries, for arrays and bare entries alike."""
    return lambda x, *args, **options: bare(function(np.asarray(x, object), *args, **options))


def integers(index: Any) -> np.ndarray:
    """An index as an array of integers: primitives that move entries make object arrays."""
    return np.asarray(index).astype(np.int64)


def picked(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """A key as NumPy takes it: masks, arrays of integers, and a full slice for None."""
    kept = (slice, type(None))
    masks = [isinstance(part, kept) or np.asarray(part).dtype == np.bool_ for part in key]
    return whole(tuple(p if m else integers(p) for p, m in zip(key, masks, strict=True)))


def filled(shape: Sequence[int], entry: Entry) -> np.ndarray:
    """An array with the same entry everywhere."""
    out = np.empty(tuple(shape), object)
    out.fill(entry)
    return out


def fold(x: Data, dim: Dims, keepdim: bool, one: Callable[[list[Entry]], Entry]) -> Data:
    """Reduce over `dim`: apply `one` to the entries along it, for each place elsewhere."""
    x = np.asarray(x, object)
    dims = tuple(range(x.ndim)) if dim is None else tuple(d % x.ndim for d in dim) if x.ndim else ()
    rest = tuple(d for d in range(x.ndim) if d not in dims)
    kept = tuple(x.shape[d] for d in rest)
    rows = np.transpose(x, (*rest, *dims)).reshape(
        math.prod(kept), math.prod(x.shape[d] for d in dims)
    )
    out = np.empty(len(rows), object)
    for i, row in enumerate(rows):
        out[i] = one(list(row))
    if keepdim:
        kept = tuple(1 if d in dims else n for d, n in enumerate(x.shape))
    return bare(out.reshape(kept))


def places(shape: Sequence[int]) -> list[tuple[int, ...]]:
    """Every index of an array of this shape, in order; `[()]` for 0-d data.

    >>> places((1, 2))
    [(0, 0), (0, 1)]
    """
    return list(itertools.product(*(range(n) for n in shape)))
