"""Windows of padded arrays: padding, and pooling, which reduces what a window covers to one number.

A reflection is `take(x, key)`, and its gradient adds each entry back where it came from,
`put_at(grad, sizes, key)`. The keys depend on sizes alone, so all readings share them.

A pooling takes one number from each window: the largest entry, or the mean. The window slides over
the last dimensions of x; all others are kept.

Read next: ops/convolution.py
"""

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.convolution import add_windows, area, windows
from graphlab.primitives.numpy_reading.elementary import Data, zeros_beside
from graphlab.primitives.numpy_reading.reductions import sum
from graphlab.primitives.numpy_reading.scatter_gather import gather, put_along, scatter
from graphlab.primitives.numpy_reading.shapes import expand, reshape, size

Sizes = tuple[int, ...]
Key = tuple[np.ndarray | None, ...]


def constant_pad(x: Data, pad: Sizes, value: float) -> Data:
    """`value` around x; a negative width removes. pad: before, after, from the last dim on.

    >>> constant_pad(np.array([1.0, 2.0]), (1, -1), 0)
    array([0., 1.])
    """
    before = [0] * (x.ndim - len(pad) // 2) + list(pad[-2::-2])
    behind = [0] * (x.ndim - len(pad) // 2) + list(pad[:0:-2])
    sizes = tuple(b + n + e for b, n, e in zip(before, x.shape, behind, strict=True))
    out = zeros_beside(sizes, x)
    if value:
        out[...] = value
    kept = zip(before, x.shape, behind, strict=True)
    inner = x[tuple(slice(max(-b, 0), max(n + min(e, 0), 0)) for b, n, e in kept)]
    ends = zip(before, inner.shape, strict=True)
    out[tuple(slice(max(b, 0), max(b, 0) + n) for b, n in ends)] = inner
    return out


def packed_key(batch_sizes: np.ndarray, batch_first: bool) -> Key:
    """The key of the first batch_sizes[t] sequences at each step t.

    >>> packed_key(np.array([2, 1]), False)
    (array([0, 0, 1]), array([0, 1, 0]))
    """
    sizes = np.asarray(batch_sizes)
    steps, rows = np.nonzero(np.arange(sizes[0]) < sizes[:, None])
    return (rows, steps) if batch_first else (steps, rows)


def outer_key(lead: int, places: tuple[np.ndarray, ...]) -> Key:
    """The key of every combination of places, after `lead` dimensions that are kept whole."""
    return (*(None,) * lead, *np.ix_(*places))


def reflected(sizes: Sizes, padding: Sizes) -> Key:
    """A place beyond an edge is mirrored at the edge. padding: from the last dimension on.

    >>> reflected((3,), (2, 1))[0]
    array([2, 1, 0, 1, 2, 1])
    """
    return around(sizes, padding, lambda i, n: np.abs((n - 1) - np.abs((n - 1) - i)))


def replicated(sizes: Sizes, padding: Sizes) -> Key:
    """A place beyond an edge becomes the edge.

    >>> replicated((3,), (2, 1))[0]
    array([0, 0, 0, 1, 2, 2])
    """
    return around(sizes, padding, lambda i, n: np.clip(i, 0, n - 1))


def around(sizes: Sizes, padding: Sizes, place: Any) -> Key:
    """The key of a padding: `place` says where an index beyond the edges is taken from."""
    dims = len(padding) // 2
    pairs = [padding[2 * d : 2 * d + 2] for d in reversed(range(dims))]
    lasts = sizes[len(sizes) - dims :]
    found = [
        place(np.arange(-before, n + behind), n)
        for n, (before, behind) in zip(lasts, pairs, strict=True)
    ]
    return outer_key(len(sizes) - dims, tuple(found))


Spans = tuple[np.ndarray, ...]  # for each dimension (L, T): the T entries that each place covers


def pool_places(
    sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> Sizes:
    """How many places a window has; ceil_mode: one that reaches beyond the end counts, too.

    >>> pool_places((5,), (2,), (2,), (0,), (1,), False)
    (2,)
    >>> pool_places((5,), (2,), (2,), (0,), (1,), True)
    (3,)
    """
    found = []
    for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        m = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
        found.append(m - 1 if ceil_mode and (m - 1) * s >= n + p else m)
    return tuple(found)


@lru_cache(maxsize=64)
def pool_spans(
    sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> Spans:
    """The entries that a window covers; its first entry stands in for those outside the image.

    >>> pool_spans((4,), (3,), (2,), (1,), (1,), False)[0]
    array([[0, 0, 1],
           [1, 2, 3]])
    """
    places = pool_places(sizes, kernel, stride, padding, dilation, ceil_mode)
    found = []
    for n, k, m, s, p, d in zip(sizes, kernel, places, stride, padding, dilation, strict=True):
        seen = (np.arange(m) * s - p)[:, None] + np.arange(k) * d
        inside = (seen >= 0) & (seen < n)
        first = np.take_along_axis(seen, inside.argmax(1)[:, None], 1)
        found.append(np.where(inside, seen, np.clip(first, 0, n - 1)))
    return tuple(found)


def adaptive_spans(sizes: Sizes, output_size: Sizes) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """For each dimension, the entries of `output_size` windows of nearly equal size; their weights.

    A window that is shorter than others repeats its last entry, with the weight 0.

    >>> adaptive_spans((5,), (3,))[0][0]
    array([[0, 1, 1],
           [1, 2, 3],
           [3, 4, 4]])
    """
    found = []
    for n, m in zip(sizes, output_size, strict=True):
        start = np.arange(m) * n // max(m, 1)
        end = -(-(np.arange(m) + 1) * n // max(m, 1))
        steps = np.arange(int((end - start).max(initial=1)))
        seen = np.minimum(start[:, None] + steps, end[:, None] - 1)
        weight = (start[:, None] + steps < end[:, None]) / (end - start)[:, None]
        found.append((seen, weight))
    return tuple(found)


def adaptive_parts(sizes: Sizes, output_size: Sizes) -> tuple[tuple[int, Any, np.ndarray], ...]:
    """The parts of `resampled`: -1 in place of the repeated entries of a shorter window."""
    lead = len(sizes) - len(output_size)
    spans = enumerate(adaptive_spans(sizes[lead:], output_size), lead)
    return tuple((dim, np.where(weight > 0, seen, -1), weight) for dim, (seen, weight) in spans)


def pool_counts(
    sizes: Sizes, kernel: Sizes, places: Sizes, stride: Sizes, padding: Sizes, with_pad: bool
) -> np.ndarray:
    """The number of entries in the mean of each window, with the padding or without it.

    >>> pool_counts((4,), (3,), (2,), (2,), (1,), False)
    array([2, 3])
    """
    counts = np.ones((), np.int64)
    for n, k, m, s, p in zip(sizes, kernel, places, stride, padding, strict=True):
        start = np.arange(m) * s - p
        end = np.minimum(start + k, n + p)
        own = end - start if with_pad else np.minimum(end, n) - np.maximum(start, 0)
        counts = counts[..., None] * own
    return counts


def largest(x: Data, spans: Spans) -> np.ndarray:
    """The index of the largest entry of each window: the first of equal ones, the last nan.

    x: (N, *S) -> (N, *L): the number of the entry among the area(S) of its image.

    >>> largest(np.array([[3.0, 1.0, 2.0]]), (np.array([[0, 1], [1, 2]]),))
    array([[0, 2]])
    """
    rows = x.reshape(len(x), area(x.shape[1:]))
    best: Any = None
    found = best
    for number, *columns in product(*(span.T for span in spans)):
        for n, column in zip(x.shape[2:], columns, strict=True):
            number = number[..., None] * n + column
        value = np.take(rows, number, 1)
        if best is None:
            best, found = value, np.zeros(value.shape, np.int64) + number
            continue
        better = (value > best) | (value != value)
        best, found = np.maximum(best, value), found + better * (number - found)
    return found


def pick(x: Any, places: Any, dims: int) -> Any:
    """The entries of x at flat indices. x: (*N, *S), places: (*N, *L) -> (*N, *L)."""
    lead = size(x)[: len(size(x)) - dims]
    flat = reshape(x, (area(lead), area(size(x)[len(lead) :])))
    picked = reshape(places, (area(lead), area(size(places)[len(lead) :])))
    return reshape(gather(flat, 1, picked), size(places))


def put_picked(grad: Any, sizes: Sizes, places: Any, dims: int) -> Any:
    """Zeros with the entries of grad added where `pick` reads: its adjoint, (*N, *L) -> sizes."""
    lead = sizes[: len(sizes) - dims]
    flat = (area(lead), area(sizes[len(lead) :]))
    many = (area(lead), area(size(places)[len(lead) :]))
    return reshape(put_along(reshape(grad, many), flat, 1, reshape(places, many)), sizes)


def set_picked(x: Any, sizes: Sizes, places: Any, dims: int) -> Any:
    """Zeros with the entries of x written to `places`; the last one written to a place stays."""
    lead = sizes[: len(sizes) - dims]
    many = (area(lead), area(size(places)[len(lead) :]))
    zeros = zeros_beside((area(lead), area(sizes[len(lead) :])), x)
    return reshape(scatter(zeros, 1, reshape(places, many), reshape(x, many)), sizes)


def window_sums(x: Any, kernel: Sizes, places: Sizes, stride: Sizes, padding: Sizes) -> Any:
    """The sum of what the window covers. x: (*N, *S) -> (*N, *places)."""
    lead, image = size(x)[: len(size(x)) - len(kernel)], size(x)[len(size(x)) - len(kernel) :]
    still = (1,) * len(kernel)
    columns = windows(reshape(x, (1, area(lead), *image)), kernel, places, stride, padding, still)
    each = reshape(columns, (area(lead), area(kernel), area(places)))
    return reshape(sum(each, (1,)), (*lead, *places))


def add_window_sums(grad: Any, sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes) -> Any:
    """Zeros with each entry added to all that its window covers: (*N, *places) -> sizes."""
    lead, image = sizes[: len(sizes) - len(kernel)], sizes[len(sizes) - len(kernel) :]
    places, still = size(grad)[len(lead) :], (1,) * len(kernel)
    each = reshape(grad, (area(lead), 1, area(places)))
    columns = expand(each, (area(lead), area(kernel), area(places)))
    columns = reshape(columns, (1, area(lead) * area(kernel), area(places)))
    return reshape(add_windows(columns, image, kernel, places, stride, padding, still), sizes)
