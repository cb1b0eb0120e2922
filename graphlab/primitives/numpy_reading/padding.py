"""Padding, and keys: indices that say where each entry of a padded array comes from.

A reflection is `take(x, key)`, and its gradient adds each entry back where it came from,
`put_at(grad, sizes, key)`. The keys depend on sizes alone, so all readings share them.

Read next: ops/padding.py
"""

from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import Data, zeros_beside

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
