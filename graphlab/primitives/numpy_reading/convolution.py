"""Convolution: a window that slides over an image, and the entries that it covers.

`windows` copies the entries that the window covers at each place; `add_windows` adds such columns
to the entries that they came from. Both are linear, and each is the adjoint of the other,
⟨windows(x), c⟩ = ⟨x, add_windows(c)⟩, so the gradient of each is the other. Convolutions are matrix
products with these columns:

    x: (N, C, H, W) -> columns: (N, C·kh·kw, L), one column for each of the L places

The three convolutions below are written in other primitives, so that tensors and SymPy read them
too. Each is linear in both of its factors, and the gradients of one are the other two.

Read next: ops/convolution.py
"""

import math
from itertools import product
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import Data, in_order
from graphlab.primitives.numpy_reading.matrices import matmul
from graphlab.primitives.numpy_reading.reductions import sum
from graphlab.primitives.numpy_reading.shapes import reshape, size, transpose

Sizes = tuple[int, ...]  # one number for each dimension over which the window slides


def window_places(
    sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Sizes:
    """How many places the window has along each dimension.

    >>> window_places((7, 8), (3, 3), (2, 1), (1, 0), (1, 1))
    (4, 6)
    """
    each = zip(sizes, kernel, stride, on_all(padding, kernel), dilation, strict=True)
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in each)


def transposed_sizes(
    places: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, behind: Sizes
) -> Sizes:
    """The sizes of an image on which the window has these places; `behind` is added at the end.

    >>> transposed_sizes((4, 6), (3, 3), (2, 1), (1, 0), (1, 1), (0, 0))
    (7, 8)
    """
    each = zip(places, kernel, stride, padding, dilation, behind, strict=True)
    return tuple((m - 1) * s - 2 * p + d * (k - 1) + b + 1 for m, k, s, p, d, b in each)


def on_all(numbers: Sizes, kernel: Sizes) -> Sizes:
    """One number for each dimension; a single number counts for all: padding="valid" is (0,).

    >>> on_all((0,), (3, 3))
    (0, 0)
    """
    return numbers * len(kernel) if len(numbers) == 1 else numbers


def area(sizes: Sizes) -> int:
    """The number of entries in a box of these sizes."""
    return math.prod(sizes)


def reach(kernel: Sizes, places: Sizes, stride: Sizes, dilation: Sizes) -> Sizes:
    """The number of entries from the first that the window covers to the last, per dimension."""
    each = zip(kernel, places, stride, dilation, strict=True)
    return tuple((m - 1) * s + (k - 1) * d + 1 for k, m, s, d in each)


def padded(x: Data, padding: Sizes, long: Sizes) -> Data:
    """x with `padding` zeros before it, and with as many after it as make it `long`."""
    sizes = x.shape[2:]
    if not any(padding) and all(n >= m for n, m in zip(sizes, long, strict=True)):
        return x
    out = np.zeros((*x.shape[:2], *long), x.dtype)
    kept = tuple(slice(0, max(m - p, 0)) for p, m in zip(padding, long, strict=True))
    inner = x[(slice(None), slice(None), *kept)]
    place = tuple(slice(p, p + n) for p, n in zip(padding, inner.shape[2:], strict=True))
    out[(slice(None), slice(None), *place)] = inner
    return out


def windows(
    x: Data, kernel: Sizes, places: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Data:
    """What the window covers at each place. x: (N, C, *S) -> (N, C·area(kernel), area(places)).

    >>> windows(np.arange(5.0).reshape(1, 1, 5), (2,), (4,), (1,), (0,), (1,))[0]
    array([[0., 1., 2., 3.],
           [1., 2., 3., 4.]])
    """
    if not isinstance(x, np.ndarray):
        return x.rows(windows, kernel, places, stride, padding, dilation)
    n, c = x.shape[:2]
    shape = (n, c * area(kernel), area(places))
    if 0 in shape:
        return np.zeros(shape, x.dtype)
    x = padded(x, on_all(padding, kernel), reach(kernel, places, stride, dilation))
    over, between = x.strides[:2], x.strides[2:]
    within = tuple(d * step for d, step in zip(dilation, between, strict=True))
    along = tuple(s * step for s, step in zip(stride, between, strict=True))
    seen = np.lib.stride_tricks.as_strided(
        x, (n, c, *kernel, *places), (*over, *within, *along), writeable=False
    )
    return seen.reshape(shape)


def add_windows(
    columns: Data,
    sizes: Sizes,
    kernel: Sizes,
    places: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
) -> Data:
    """Zeros with the columns added where `windows` reads. (N, C·area(kernel), L) -> (N, C, *sizes).

    >>> add_windows(np.ones((1, 2, 4)), (5,), (2,), (4,), (1,), (0,), (1,))
    array([[[1., 2., 2., 2., 1.]]])
    """
    if not isinstance(columns, np.ndarray):
        return columns.rows(add_windows, sizes, kernel, places, stride, padding, dilation)
    n, c = columns.shape[0], columns.shape[1] // max(area(kernel), 1)
    parts = columns.reshape((n, c, *kernel, *places))
    padding = on_all(padding, kernel)
    ends = zip(sizes, padding, reach(kernel, places, stride, dilation), strict=True)
    out = np.zeros((n, c, *(max(m + p, r) for m, p, r in ends)), columns.dtype)
    whole = (slice(None), slice(None))
    for at in product(*map(range, kernel)):
        each = zip(at, places, stride, dilation, strict=True)
        seen = tuple(slice(i * d, i * d + (m - 1) * s + 1, s) for i, m, s, d in each)
        out[whole + seen] += parts[whole + at]
    return in_order(
        out[whole + tuple(slice(p, p + m) for p, m in zip(padding, sizes, strict=True))]
    )


def convolve(
    x: Any, weight: Any, places: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """Apply each filter to each window. x: (N, C, *S), weight: (O, C/G, *K) -> (N, O, *places)."""
    n, (o, c), kernel = size(x)[0], size(weight)[:2], size(weight)[2:]
    columns = windows(x, kernel, places, stride, padding, dilation)
    columns = reshape(columns, (n, groups, c * area(kernel), area(places)))
    filters = reshape(weight, (1, groups, o // groups, c * area(kernel)))
    return reshape(matmul(filters, columns), (n, o, *places))


def convolve_transposed(
    y: Any, weight: Any, sizes: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """Add each entry of y times its filter to its window: the adjoint of `convolve` in x.

    y: (N, O, *places), weight: (O, C/G, *K) -> (N, C, *sizes).
    """
    n, places = size(y)[0], size(y)[2:]
    (o, c), kernel = size(weight)[:2], size(weight)[2:]
    filters = reshape(weight, (1, groups, o // groups, c * area(kernel)))
    entries = reshape(y, (n, groups, o // groups, area(places)))
    columns = matmul(transpose(filters, 2, 3), entries)
    columns = reshape(columns, (n, groups * c * area(kernel), area(places)))
    return add_windows(columns, sizes, kernel, places, stride, padding, dilation)


def correlate(
    x: Any, y: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """Sum each window times its entry of y: the adjoint of `convolve` in the weight.

    x: (N, C, *S), y: (N, O, *places) -> (O, C/G, *kernel).
    """
    (n, c), o, places = size(x)[:2], size(y)[1], size(y)[2:]
    columns = windows(x, kernel, places, stride, padding, dilation)
    columns = reshape(columns, (n, groups, c // groups * area(kernel), area(places)))
    entries = reshape(y, (n, groups, o // groups, area(places)))
    products = matmul(columns, transpose(entries, 2, 3))  # faster than its transpose
    filters = in_order(transpose(sum(products, (0,)), 1, 2))
    return reshape(filters, (o, c // groups, *kernel))
