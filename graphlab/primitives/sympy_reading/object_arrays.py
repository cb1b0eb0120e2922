"""Tensors of entries that are not floats: object arrays, and bare entries for 0-d data.

NumPy often turns a 0-d object array into its entry, so here all 0-d data is a bare entry. An
`Arithmetic` has the operations of one kind of entry: of SymPy expressions, or of multiprecision
numbers. The primitives of shapes, and those that take entries and put them, follow.

Read next: primitives/sympy_reading/elementary.py
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from graphlab.primitives.numpy_reading import shapes, strides
from graphlab.primitives.numpy_reading.scatter_gather import along, at_dim, key_along, row, whole

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
    for i, line in enumerate(rows):
        out[i] = one(list(line))
    if keepdim:
        kept = tuple(1 if d in dims else n for d, n in enumerate(x.shape))
    return bare(out.reshape(kept))


def places(shape: Sequence[int]) -> list[tuple[int, ...]]:
    """Every index of an array of this shape, in order; `[()]` for 0-d data.

    >>> places((1, 2))
    [(0, 0), (0, 1)]
    """
    return list(itertools.product(*(range(n) for n in shape)))


Sizes = tuple[int, ...]
Key = tuple[Any, ...]


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
    return {**reordered(entries, known), **strided(entries), **scattered(entries, known)}


def reordered(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """Shapes of object arrays: broadcasting and undoing it, reordering, joining."""

    def triangle(kept: Callable[..., Any]) -> Callable[..., Data]:
        def call(x: Data, diagonal: int = 0) -> Data:
            mask = kept(np.ones(x.shape[-2:], bool), diagonal)
            return np.where(mask, x, filled(x.shape, entries.number(0)))

        return call

    def sum_to(x: Data, size: tuple[int, ...]) -> Data:
        lead = np.ndim(x) - len(size)
        kept = tuple(lead + i for i, n in enumerate(size) if n == 1)
        return known["reshape"](known["sum"](x, (*range(lead), *kept), True), size)

    return {
        "size": np.shape,
        "expand": shaped(np.broadcast_to),
        "sum_to": sum_to,
        "reshape": shaped(np.reshape),
        "unsqueeze": shaped(np.expand_dims),
        "squeeze": shaped(shapes.squeeze),
        "permute": shaped(np.transpose),
        "transpose": shaped(shapes.transpose),
        "flip": shaped(shapes.flip),
        "roll": shaped(shapes.roll),
        "rot90": shaped(shapes.rot90),
        "tile": shaped(np.tile),
        "tril": triangle(np.tril),
        "triu": triangle(np.triu),
        "stack": lambda parts, dim=0: np.stack([np.asarray(p, object) for p in parts], dim),
        "cat": lambda parts, dim: np.concatenate(parts, dim),
    }


def strided(entries: Arithmetic) -> dict[str, Any]:
    """Diagonals, windows and strides of object arrays."""
    zero = entries.number(0)

    def put_diagonal(x: Data, sizes: Sizes, offset: int, dim1: int, dim2: int) -> Data:
        out = filled(sizes, zero)
        strides.diagonal(out, offset, dim1, dim2)[...] = x
        return out

    def as_strided(x: Data, size: Sizes, stride: Sizes, geometry: strides.Geometry) -> Data:
        room, start, sizes, steps, offset, _ = geometry
        memory = filled((room,), zero)
        memory[strides.strided_places(sizes, steps, offset)] = np.reshape(x, -1)
        return bare(memory[strides.strided_places(size, stride, start)].reshape(size))

    return {
        "diagonal": shaped(copied(strides.diagonal)),
        "put_diagonal": put_diagonal,
        "unfold": shaped(copied(strides.unfold)),
        "as_strided": as_strided,
    }


def copied(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, returning a copy instead of a view."""
    return lambda *args: np.array(function(*args))


def scattered(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """Taking exact entries from other places, and putting them there."""
    numbers, zero = each(entries.number), entries.number(0)

    def select(x: Data, dim: int, index: int) -> Data:
        return bare(x[key_along(dim, index, x.ndim)])

    def slice_(x: Data, dim: int, start: int, end: int, step: int) -> Data:
        if np.ndim(x) == 0:
            return x
        return x[key_along(dim, slice(start, end, step), x.ndim)]

    def put_slice(x: Data, sizes: Sizes, dim: int, index: int | slice) -> Data:
        out = filled(sizes, zero)
        out[key_along(dim, index, len(sizes))] = x
        return out

    def put_at(values: Data, sizes: Sizes, key: Key) -> Data:
        out = filled(sizes, zero)
        np.add.at(out, picked(key), values)
        return bare(out)

    def put(x: Data, key: Key, values: Data) -> Data:
        out = np.array(x, object)
        out[picked(key)] = numbers(values)
        return bare(out)

    def scatter(x: Data, dim: int, index: Any, values: Data) -> Data:
        out = np.array(x, object)
        row(out)[along(row(integers(index)), dim)] = numbers(values)
        return bare(out)

    def gather(x: Data, dim: int, index: Any) -> Data:
        found = row(x)[along(row(integers(index)), dim)]
        return bare(np.reshape(found, np.shape(index)))

    def put_along(values: Data, sizes: Sizes, dim: int, index: Any) -> Data:
        places = along(row(integers(index)), dim)
        return bare(np.reshape(put_at(row(values), sizes or (1,), places), sizes))

    def combine_along(
        x: Data, dim: int, index: Any, src: Data, reduce: str, include_self: bool
    ) -> Data:
        out, at = np.array(x, object), along(row(integers(index)), dim)
        whole, src = row(out), row(src)
        rows: dict[tuple[int, ...], list[Any]] = {}
        shape = np.shape(row(index))
        for place in np.ndindex(shape):
            there = tuple(int(np.broadcast_to(part, shape)[place]) for part in at)
            rows.setdefault(there, [whole[there]] if include_self else []).append(src[place])
        for there, each_row in rows.items():
            folded = known["sum" if reduce == "mean" else reduce](np.array(each_row, object))
            whole[there] = folded / len(each_row) if reduce == "mean" else folded
        return out

    return {
        "select": select,
        "slice_": slice_,
        "put_slice": put_slice,
        "unbind": lambda x, dim: tuple(select(x, dim, i) for i in range(np.shape(x)[dim])),
        "take": lambda x, key: bare(x[picked(key)]),
        "put_at": put_at,
        "at_dim": at_dim,
        "put": put,
        "gather": gather,
        "scatter": scatter,
        "put_along": put_along,
        "combine_along": combine_along,
    }
