"""Larger primitives for entries that are not floats: windows, pooling, attention, ranks, indexing.

Most of them move entries and add them up, which object arrays can do as they are. The numbers that
they bring in, such as the zeros of a padding, are made entries of the right kind.

Read next: faces/symbolic/sympy_arithmetic.py
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Unsupported
from graphlab.faces.symbolic.live_graph import read
from graphlab.faces.symbolic.object_arrays import (
    Arithmetic,
    Data,
    bare,
    filled,
    integers,
    picked,
    shaped,
)
from graphlab.ops import bags, grids, moves, places, pools, scaling, softness, standard, windows

Sizes = tuple[int, ...]
Primitives = Mapping[str, Any]
MODULES = (windows, places, pools, scaling, standard, softness, grids, bags)


def fraction(number: float) -> Fraction | float:
    """The fraction that a float stands for: 1/3 for 0.333..., else the float's exact value.

    >>> fraction(1 / 3), fraction(0.1), fraction(2**-30)
    (Fraction(1, 3), Fraction(1, 10), Fraction(1, 1073741824))
    """
    if not math.isfinite(number):
        return number
    short = Fraction(number).limit_denominator(1000)
    return short if float(short) == number else Fraction(number)


exact = np.frompyfunc(fraction, 1, 1)


def kernel_primitives(
    known: Primitives, entries: Arithmetic, numbers: Callable[[Any], Any]
) -> dict[str, Any]:
    """The primitives of this file for one kind of entry.

    known: the primitives of symbolic/exact_primitives.py. numbers: makes entries of numbers.
    """
    found: dict[str, Any] = {}
    for module in MODULES:
        found |= {name: getattr(module, name) for name in module.WORDS}
    found |= {name: getattr(moves, name) for name in moves.PLAIN}
    found |= window_primitives(entries, numbers)
    found |= attention_primitives(known)
    found |= rank_primitives(known, entries)
    found |= indexing_primitives(known, numbers)
    for module in (*MODULES, moves):
        for name in getattr(module, "COMPOSED", ()):
            found[name] = read(getattr(module, name), {**known, **found})
    return found


def window_primitives(entries: Arithmetic, numbers: Callable[[Any], Any]) -> dict[str, Any]:
    """Sliding windows, padding, resizing and pooling."""

    def best(row: Any) -> int:
        return entries.largest(list(row), 1)

    def largest(x: Any, spans: tuple[np.ndarray, ...]) -> np.ndarray:
        found = np.empty((len(x), *(len(span) for span in spans)), np.int64)
        for image, *place in np.ndindex(found.shape):
            seen = np.ix_(*(np.unique(span[i]) for span, i in zip(spans, place, strict=True)))
            numbered = np.arange(x[0].size).reshape(x.shape[1:])[seen].reshape(-1)
            found[(image, *place)] = numbered[best(x[image][seen].reshape(-1))]
        return found

    def largest_in_bags(weight: Any, rows: Any, bags: Any, n: int) -> np.ndarray:
        found = np.zeros((n, weight.shape[1]), np.int64)
        for bag, column in np.ndindex(found.shape):
            own = rows[bags == bag]
            if len(own):
                found[bag, column] = own[best(weight[own, column])]
        return found

    def raw_entries(x: Any) -> np.ndarray:
        try:
            return np.asarray(x).astype(np.float64)
        except TypeError:
            raise Unsupported("between which pixels a point lies is decided by numbers") from None

    def made(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: numbers(function(*args))

    def weighted(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: numbers(function(*args[:-1], numbers(exact(args[-1]))))

    return {
        "windows": made(windows.windows),
        "add_windows": made(windows.add_windows),
        "constant_pad": made(places.constant_pad),
        "resample": weighted(places.resample),
        "resample_back": weighted(places.resample_back),
        "largest": largest,
        "largest_in_bags": largest_in_bags,
        "raw_entries": raw_entries,
        "zeros_beside": lambda sizes, x: numbers(np.zeros(sizes, np.int64).astype(object)),
        "constant": lambda array, x: numbers(exact(array)),
    }


def attention_primitives(known: Primitives) -> dict[str, Any]:
    """The softmax of attention, and what its scores are multiplied with."""

    def softmax(x: Any, dim: int) -> Any:
        e = known["exp"](x)
        return e / known["sum"](e, (dim,), True)

    def scale_of(query: Any, scale: Any) -> Any:
        size = np.array([np.shape(query)[-1]], object)
        return 1 / known["sqrt"](size)[0] if scale is None else scale

    return {"safe_softmax": softmax, "scale_of": scale_of}


def rank_primitives(known: Primitives, entries: Arithmetic) -> dict[str, Any]:
    """Places by rank, for entries of which none is nan and no two are equal."""

    def nth(x: Any, dim: int, n: int) -> Any:
        if np.ndim(x) == 0:
            return np.int64(0)
        return known["slice_"](known["argsort"](x, dim), dim, n, n + 1, 1)

    def median_places(x: Any, dim: int, skip_nan: bool) -> Any:
        return nth(x, dim, (np.shape(x)[dim] - 1) // 2 if np.ndim(x) else 0)

    def mode_places(x: Any, dim: int) -> Any:
        return nth(x, dim, 0)  # all are equally frequent, so the smallest

    def running_places(x: Any, dim: int, sign: int) -> Any:
        if np.ndim(x) == 0:
            return np.int64(0)
        rows = np.moveaxis(x, dim, -1)
        found = np.empty(rows.shape, np.int64)
        for at in np.ndindex(rows.shape):
            found[at] = entries.largest(list(rows[at[:-1]][: at[-1] + 1]), sign)
        return np.moveaxis(found, -1, dim)

    def logcumsumexp(x: Any, dim: int) -> Any:
        return known["log"](known["cumsum"](known["exp"](x), dim))

    return {
        "median_places": median_places,
        "mode_places": mode_places,
        "running_places": running_places,
        "logcumsumexp": logcumsumexp,
    }


def indexing_primitives(known: Primitives, numbers: Callable[[Any], Any]) -> dict[str, Any]:
    """Diagonals, strides, and writes at indices."""

    def put(x: Data, key: tuple[Any, ...], values: Data) -> Data:
        out = np.array(x, object)
        out[picked(key)] = numbers(values)
        return bare(out)

    def put_diagonal(x: Data, sizes: Sizes, offset: int, dim1: int, dim2: int) -> Data:
        out = filled(sizes, numbers(0))
        moves.diagonal(out, offset, dim1, dim2)[...] = x
        return out

    def as_strided(x: Data, size: Sizes, stride: Sizes, geometry: moves.Geometry) -> Data:
        room, start, sizes, strides, offset, _ = geometry
        memory = filled((room,), numbers(0))
        memory[moves.strided_places(sizes, strides, offset)] = np.reshape(x, -1)
        return bare(memory[moves.strided_places(size, stride, start)].reshape(size))

    def combine_along(
        x: Data, dim: int, index: Any, src: Data, reduce: str, include_self: bool
    ) -> Data:
        out, at = np.array(x, object), known["along"](integers(index), dim)
        rows: dict[tuple[int, ...], list[Any]] = {}
        for place in np.ndindex(np.shape(index)):
            there = tuple(int(np.broadcast_to(part, np.shape(index))[place]) for part in at)
            rows.setdefault(there, [out[there]] if include_self else []).append(src[place])
        for there, row in rows.items():
            folded = known["sum" if reduce == "mean" else reduce](np.array(row, object))
            out[there] = folded / len(row) if reduce == "mean" else folded
        return out

    moved = {name: shaped(copied(getattr(moves, name))) for name in moves.MOVED}
    own = {"put": put, "put_diagonal": put_diagonal, "as_strided": as_strided}
    return {**moved, **own, "combine_along": combine_along}


def copied(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, returning a copy instead of a view."""
    return lambda *args: np.array(function(*args))
