"""Diagonals, windows and strides of object arrays.

Read next: primitives/sympy_reading/matrices.py
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading import strides
from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, Data, bare, filled, shaped

Sizes = tuple[int, ...]


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
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
