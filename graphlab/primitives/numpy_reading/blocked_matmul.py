"""Blocked products of matrices: a few rows at a time where that is faster.

OpenBLAS copies both factors into an order of its own before it multiplies them, unless they are
small: on processors with AVX-512 it has kernels for small factors that do not copy. For the layers
of a lesson, copying is up to a third of the work. So a product that is a little too large is
computed in blocks of rows that are small enough. With several threads, BLAS shares the whole
product out among them, and nothing is blocked.

Source: OpenBLAS, kernel/x86_64/sgemm_small_kernel_permit_skylakex.c.

Read next: primitives/numpy_reading/matrices.py
"""

import os
from functools import cache
from typing import Any

import numpy as np

SMALL = 1_000_000  # multiplications for which the kernels without copying are used
SMALL_TRANSPOSED = 1200  # entries of the result, when the second factor is a transposed matrix
THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")  # the first one counts


def one_thread() -> bool:
    """Whether BLAS has one thread: it was set so, or there is one processor."""
    given = [os.environ.get(name, "") for name in THREADS]
    counts = [int(number) for number in given if number.isdigit() and int(number) > 0]
    return counts[0] == 1 if counts else os.cpu_count() == 1


@cache
def blocking_pays() -> bool:
    """Whether blocks are faster: OpenBLAS has one thread, on a processor with those kernels."""
    try:
        from numpy._core._multiarray_umath import __cpu_features__ as features

        blas = np.__config__.CONFIG["Build Dependencies"]["blas"]["name"]
        has = features["AVX512_SKX"]
    except (ImportError, AttributeError, KeyError):  # another NumPy says this elsewhere
        return False
    return bool(has) and "openblas" in blas and one_thread()


def rows_of_a_block(x: Any, y: Any) -> int:
    """How many rows of `x` to multiply by `y` at a time; 0: all of them.

    x: (N, K), y: (K, M). The rows are a multiple of 4, for the kernels, and a divisor of N.

    >>> a, b = np.ones((64, 784), np.float32), np.ones((784, 128), np.float32)
    >>> rows_of_a_block(a, b), rows_of_a_block(a, b[:, :10]), rows_of_a_block(a[:63], b)
    (8, 0, 0)
    """
    (n, k), m = x.shape, y.shape[1]
    transposed = y.strides[0] == y.itemsize
    if n * k * m <= SMALL or x.dtype != np.float32 or y.dtype != np.float32:
        return 0
    if k < (128 if transposed else 32):
        return 0
    least = 4 if x.strides[1] == x.itemsize else 8
    most = min(SMALL // (k * m), SMALL_TRANSPOSED // m if transposed else n)
    return next((rows for rows in (16, 8, 4) if least <= rows <= most and n % rows == 0), 0)


def product(x: Any, y: Any) -> Any:
    """x @ y, in blocks of rows where that is faster."""
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[0]:
        return np.matmul(x, y)
    if x.size * y.shape[1] <= SMALL or not blocking_pays():
        return x.dot(y)  # of small matrices in half of matmul's time
    rows = rows_of_a_block(x, y)
    if not rows:
        return x.dot(y)
    (n, k), m = x.shape, y.shape[1]
    result = np.empty((n, m), x.dtype)
    np.matmul(x.reshape(n // rows, rows, k), y, out=result.reshape(n // rows, rows, m))
    return result
