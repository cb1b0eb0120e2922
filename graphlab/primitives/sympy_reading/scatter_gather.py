"""Taking exact entries from other places, and putting them there.

Read next: primitives/sympy_reading/strides.py
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.scatter_gather import along, at_dim, key_along, row
from graphlab.primitives.sympy_reading.object_arrays import (
    Arithmetic,
    Data,
    bare,
    each,
    filled,
    integers,
    picked,
)

Sizes = tuple[int, ...]
Key = tuple[Any, ...]


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
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
