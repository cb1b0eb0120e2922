"""The order in which floats are added up: one for `sum` and for the sum that undoes a broadcast.

The last digit of a sum depends on this order. Dimensions of size 1 do not count, and neighbours
count as one, so the order is the same however the dimensions are written.

Read next: primitives/numpy_reading/reductions.py
"""

import math
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import Data, in_order

MOST = 4096  # entries of one sum, at most, that BLAS adds up
ones = lru_cache(maxsize=16)(np.ones)  # a vector of ones times a matrix adds up its rows


def add_up(x: Data, dims: tuple[int, ...], keepdim: bool = False) -> Data:
    """The sum over `dims`, removed or kept with size 1: x: (N, M), dims: (0,) -> (M,)."""
    if not x.size or type(x) is not np.ndarray or x.dtype.char not in "fd":
        return in_order(np.add.reduce(x, dims, keepdims=keepdim))
    order, sizes, flat, kept, left = plan(x.shape, dims)
    shape = kept if keepdim else left
    if order == "R":  # in the order of memory, in which NumPy adds up all entries
        total = np.add.reduce(x, None)
        return total.reshape(shape) if shape else total
    if not x.flags.c_contiguous:
        x = x.copy()
    if order == "KR" and sizes[1] <= MOST:
        # BLAS adds up a row faster than NumPy; `@` is faster still, but sums of equal rows differ
        total = np.vecdot(x if flat else x.reshape(sizes), ones(sizes[1], x.dtype))
    elif order == "RK" and sizes[0] <= MOST:
        total = ones(sizes[0], x.dtype).dot(x if flat else x.reshape(sizes))
    elif order == "RKR":  # of each channel
        total = add_up(add_up(x.reshape(sizes), (2,)), (0,))
    else:
        return in_order(np.add.reduce(x, dims, keepdims=keepdim))
    return total if total.shape == shape else total.reshape(shape)


@lru_cache(maxsize=1024)
def plan(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[Any, ...]:
    """Which dimensions are reduced (R) and kept (K), their sizes, and the shapes that are left.

    Of the values between, the third says whether the sizes are `shape` itself.

    >>> plan((2, 3, 4, 1), (0, -2))
    ('RKR', (2, 3, 4), False, (1, 3, 1, 1), (3, 1))
    """
    reduced = {range(len(shape))[d] for d in dims}
    parts = [("R" if d in reduced else "K", n) for d, n in enumerate(shape) if n != 1]
    runs = [(kind, [n for _, n in run]) for kind, run in groupby(parts, lambda part: part[0])]
    sizes = tuple(math.prod(n) for _, n in runs)
    kept = tuple(1 if d in reduced else n for d, n in enumerate(shape))
    left = tuple(n for d, n in enumerate(shape) if d not in reduced)
    return "".join(kind for kind, _ in runs), sizes, sizes == shape, kept, left
