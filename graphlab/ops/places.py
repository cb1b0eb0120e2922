"""Where entries come from: the indices and weights with which padding and resizing look up x.

A result of the form  y[i] = x[place(i)]  is `take(x, key)`, and its gradient puts each entry back,
`put_at(grad, sizes, key)`. Where several entries are weighted,

    y[i] = Σₜ weight[i, t] x[place[i, t]],

it is `resample`, and `resample_back` is the way back. This module makes the keys, places and
weights, which depend on sizes alone, so that NumPy, tensors and SymPy use the same ones.

Read next: ops/padding.py
"""

from typing import Any

import numpy as np

from graphlab.ops.vocabulary import Data

WORDS = (
    "constant",
    "constant_pad",
    "zeros_beside",
    "outer_key",
    "mirrored",
    "held",
    "used_rows",
    "shares",
    "resample",
    "resample_back",
)

Sizes = tuple[int, ...]
Key = tuple[np.ndarray | None, ...]


def constant(array: np.ndarray, x: Data) -> Data:
    """Fixed numbers beside x, in its type."""
    return np.asarray(array, x.dtype)


def zeros_beside(sizes: Sizes, x: Data) -> Data:
    """Zeros of these sizes, in the type of x."""
    return np.zeros(sizes, x.dtype)


def constant_pad(x: Data, pad: Sizes, value: float) -> Data:
    """`value` around x; a negative width takes away. pad: before, behind, from the last dim on.

    >>> constant_pad(np.array([1.0, 2.0]), (1, -1), 0)
    array([0., 1.])
    """
    before = [0] * (x.ndim - len(pad) // 2) + list(pad[-2::-2])
    behind = [0] * (x.ndim - len(pad) // 2) + list(pad[:0:-2])
    sizes = tuple(b + n + e for b, n, e in zip(before, x.shape, behind, strict=True))
    out = np.full(sizes, value, x.dtype)
    kept = zip(before, x.shape, behind, strict=True)
    inner = x[tuple(slice(max(-b, 0), max(n + min(e, 0), 0)) for b, n, e in kept)]
    ends = zip(before, inner.shape, strict=True)
    out[tuple(slice(max(b, 0), max(b, 0) + n) for b, n in ends)] = inner
    return out


def resample(x: Data, dim: int, place: np.ndarray, weight: np.ndarray) -> Data:
    """Σₜ weight[i, t] x[place[i, t]] along `dim`. x: (..., n, ...), place: (L, T) -> (..., L, ...).

    >>> place, weight = np.array([[0, 1], [0, 1]]), np.array([[0.75, 0.25], [0, 1]])
    >>> resample(np.array([0.0, 10.0]), 0, place, weight)
    array([ 2.5, 10. ])
    """
    rows = np.moveaxis(x, dim, 0)
    out = np.zeros((len(place), *rows.shape[1:]), x.dtype)
    for i, j, w in parts(place, weight):
        out[i] += w * rows[j]
    return np.moveaxis(out, 0, dim)


def resample_back(grad: Data, n: int, dim: int, place: np.ndarray, weight: np.ndarray) -> Data:
    """The way back of `resample`: every entry gives its parts. (..., L, ...) -> (..., n, ...).

    >>> place, weight = np.array([[0, 1], [0, 1]]), np.array([[0.75, 0.25], [0, 1]])
    >>> resample_back(np.array([1.0, 10.0]), 2, 0, place, weight)
    array([ 0.75, 10.25])
    """
    rows = np.moveaxis(grad, dim, 0)
    out = np.zeros((n, *rows.shape[1:]), grad.dtype)
    for i, j, w in parts(place, weight):
        out[j] += w * rows[i]
    return np.moveaxis(out, 0, dim)


def parts(place: np.ndarray, weight: np.ndarray) -> list[tuple[int, int, Any]]:
    """(i, j, w): to result i goes entry j with weight w. Weights of 0 are left out."""
    each = zip(place.tolist(), weight.tolist(), strict=True)
    return [
        (i, j, w) for i, (js, ws) in enumerate(each) for j, w in zip(js, ws, strict=True) if w != 0
    ]


def used_rows(indices: np.ndarray, padding_idx: int) -> tuple[np.ndarray, np.ndarray]:
    """Where `indices`, made one row, names what is not the padding; and what it names there.

    >>> used_rows(np.array([2, 0, 2, 1]), 2)
    (array([1, 3]), array([0, 1]))
    """
    flat = np.reshape(indices, -1)
    places = np.flatnonzero(flat != padding_idx)
    return places, flat[places]


def shares(rows: np.ndarray) -> np.ndarray:
    """1 over how often each row occurs.

    >>> shares(np.array([2, 0, 2]))
    array([0.5, 1. , 0.5])
    """
    _, which, counts = np.unique(rows, return_inverse=True, return_counts=True)
    return 1 / counts[which]


def outer_key(lead: int, places: tuple[np.ndarray, ...]) -> Key:
    """The key of every combination of places, behind `lead` dimensions that are kept whole."""
    return (*(None,) * lead, *np.ix_(*places))


def mirrored(sizes: Sizes, padding: Sizes) -> Key:
    """Places beyond an edge are those as far before it. padding: from the last dimension on.

    >>> mirrored((3,), (2, 1))[0]
    array([2, 1, 0, 1, 2, 1])
    """
    return around(sizes, padding, lambda i, n: np.abs((n - 1) - np.abs((n - 1) - i)))


def held(sizes: Sizes, padding: Sizes) -> Key:
    """Places beyond an edge are the edge.

    >>> held((3,), (2, 1))[0]
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
