"""The words of ops/moves.py for entries that are not floats.

Read next: faces/symbolic/exact_kernels.py
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.ops import moves
from graphlab.ops.base import read

Data = Any
Sizes = tuple[int, ...]


def indexing_primitives(
    words: Mapping[str, Any],
    picked: Callable[[Any], Any],
    bare: Callable[[Any], Data],
    number: Callable[[Any], Data],
) -> dict[str, Any]:
    """The words, read against those that symbols have already."""

    def zeros(sizes: Sizes) -> np.ndarray:
        out = np.empty(sizes, object)
        out.fill(number(0))
        return out

    def moved(function: Callable[..., Any]) -> Callable[..., Data]:
        def call(x: Data, *args: Any) -> Data:
            return bare(np.array(function(np.asarray(x, object), *args)))

        return call

    def put(x: Data, key: tuple[Any, ...], values: Data) -> Data:
        out = np.array(x, object)
        out[picked(key)] = number(values)
        return bare(out)

    def put_diagonal(x: Data, sizes: Sizes, offset: int, dim1: int, dim2: int) -> Data:
        out = zeros(sizes)
        moves.diagonal(out, offset, dim1, dim2)[...] = x
        return out

    def as_strided(x: Data, size: Sizes, stride: Sizes, geometry: moves.Geometry) -> Data:
        room, start, sizes, strides, offset, _ = geometry
        memory = zeros((room,))
        memory[moves.strided_places(sizes, strides, offset)] = np.reshape(x, -1)
        return bare(memory[moves.strided_places(size, stride, start)].reshape(size))

    def combine_along(
        x: Data, dim: int, index: Any, src: Data, reduce: str, include_self: bool
    ) -> Data:
        out, at = np.array(x, object), words["along"](np.asarray(index).astype(np.int64), dim)
        rows: dict[tuple[int, ...], list[Any]] = {}
        for place in np.ndindex(np.shape(index)):
            there = tuple(int(np.broadcast_to(part, np.shape(index))[place]) for part in at)
            rows.setdefault(there, [out[there]] if include_self else []).append(src[place])
        ways = {"sum": "sum", "mean": "sum", "prod": "prod", "amax": "amax", "amin": "amin"}
        for there, row in rows.items():
            folded = words[ways[reduce]](np.array(row, object))
            out[there] = folded / len(row) if reduce == "mean" else folded
        return out

    found: dict[str, Any] = {name: getattr(moves, name) for name in moves.PLAIN}
    found |= {name: moved(getattr(moves, name)) for name in moves.MOVED}
    found |= {"put": put, "put_diagonal": put_diagonal, "as_strided": as_strided}
    found["combine_along"] = combine_along
    known = {**words, **found}
    found |= {name: read(getattr(moves, name), known) for name in moves.COMPOSED}
    return found
