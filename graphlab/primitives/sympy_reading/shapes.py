"""Shapes of object arrays, and entries taken from other places and put there.

Read next: primitives/sympy_reading/reductions.py
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading import shapes, strides
from graphlab.primitives.numpy_reading.scatter_gather import along, at_dim, key_along, row
from graphlab.primitives.sympy_reading.object_arrays import (
    Arithmetic,
    Data,
    bare,
    each,
    filled,
    integers,
    picked,
    shaped,
)

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
