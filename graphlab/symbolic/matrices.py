"""The words of ops/matrices.py, read against entries that are not floats.

Determinants and inverses are polynomials and quotients of the entries, so they can be proved.
Eigenvalues, singular values and the exponential have no formula in the entries; numbers of many
digits have them, with the signs that LAPACK chose.

Read next: symbolic/symbols.py
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.ops.base import read
from graphlab.ops.matrices import cross, steps
from graphlab.ops.vocabulary import blend, times

Data = Any


def matrix_words(entries: Any, spoken: Mapping[str, Any]) -> dict[str, Any]:
    """The words for matrices, for one kind of entry.

    spoken: the words of symbolic/namespace.py for the same kind.
    """
    zero, one = entries.number(0), entries.number(1)

    def each_matrix(function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of one matrix, for every matrix of a batch."""

        def call(A: Data, *more: Any) -> Data:
            A = np.asarray(A, object)
            found = [function(A[at], *more) for at in np.ndindex(A.shape[:-2])]
            if not found:
                return np.empty(A.shape, object)
            out = np.empty(len(found), object)
            first = np.asarray(found[0], object)
            if first.ndim:
                stacked = np.stack([np.asarray(f, object) for f in found])
                return stacked.reshape(*A.shape[:-2], *first.shape)
            out[:] = found
            return out.reshape(A.shape[:-2])[()]

        return call

    def eye_like(x: Data) -> Data:
        n, m = np.shape(x)[-2:]
        return np.where(np.eye(n, m, dtype=bool), one, zero)

    def mT(x: Data) -> Data:
        return np.swapaxes(x, -2, -1)

    def trilinear(i1: Data, i2: Data, i3: Data, *dims: Any) -> Data:
        expanded = []
        for x, new in zip((i1, i2, i3), dims, strict=False):
            for d in new:
                x = np.expand_dims(x, d)
            expanded.append(x)
        return spoken["sum"](expanded[0] * expanded[1] * expanded[2], tuple(dims[3]))

    words = {
        "blend": blend,
        "cross": cross,
        "eye_like": eye_like,
        "mT": mT,
        "times": times,
        "trilinear": trilinear,
    }
    everything = {**spoken, **words}
    for word in (steps,):
        words[word.__name__] = read(word, everything)
    return words
