"""Products, inverses and factors of matrices of exact entries; what layers of a network need.

Determinants and inverses are polynomials and quotients of the entries, so they can be proved.
Eigenvalues, singular values and the exponential have no formula in the entries; multiprecision
numbers have them, with the signs that LAPACK chooses.

Read next: primitives/table.py
"""

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading import convolution, pooling, resizing
from graphlab.primitives.numpy_reading.matrices import cross, mT
from graphlab.primitives.sympy_reading.object_arrays import (
    Arithmetic,
    Data,
    Entry,
    Unsupported,
    each,
    exact,
    fold,
    made,
)

EXPANDED = 7  # the most rows for which a determinant is written out, in at most n 2ⁿ products


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
    both = {**products(entries, known), **solutions(entries, known)}
    return {**both, **factors(entries), **layers(entries, known)}


def products(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """Products and transposes."""
    zero, one = entries.number(0), entries.number(1)

    def matmul(x: Data, y: Data, strides: tuple[int, ...] = ()) -> Data:
        column = np.ndim(y) == 1
        right = y[:, None] if column else y
        terms = x[..., :, :, None] * right[..., None, :, :]  # (..., N, K, M)
        out = fold(terms, (terms.ndim - 2,), False, entries.total)
        return out[..., 0] if column else out

    def trilinear(i1: Data, i2: Data, i3: Data, *dims: Any) -> Data:
        expanded = []
        for x, new in zip((i1, i2, i3), dims, strict=False):
            for d in new:
                x = np.expand_dims(x, d)
            expanded.append(x)
        return known["sum"](expanded[0] * expanded[1] * expanded[2], tuple(dims[3]))

    def eye_like(x: Data) -> Data:
        n, m = np.shape(x)[-2:]
        return np.where(np.eye(n, m, dtype=bool), one, zero)

    return {
        "matmul": matmul,
        "trilinear": trilinear,
        "cross": cross,
        "mT": mT,
        "eye_like": eye_like,
    }


def determinant(entries: Arithmetic, A: np.ndarray) -> Entry:
    """Expand along the first row; each minor is calculated once."""
    n = len(A)
    minors: dict[tuple[int, ...], Any] = {(): entries.number(1)}
    for rows in range(1, n + 1):
        row = A[n - rows]
        minors = {
            columns: entries.total(
                [
                    (-1) ** i * row[c] * minors[columns[:i] + columns[i + 1 :]]
                    for i, c in enumerate(columns)
                ]
            )
            for columns in itertools.combinations(range(n), rows)
        }
    return minors[tuple(range(n))]


def solutions(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """Determinants, inverses and linear systems."""

    def det(A: np.ndarray) -> Entry:
        return determinant(entries, A) if len(A) <= EXPANDED else entries.eliminate(A)[0]

    def cofactors(A: np.ndarray) -> np.ndarray:
        n = len(A)
        if n > EXPANDED:
            size, inverse = entries.eliminate(A)
            if inverse is not None:
                return inverse.T * size
        out = np.empty((n, n), object)
        for i, j in itertools.product(range(n), repeat=2):
            rest = np.delete(np.delete(A, i, 0), j, 1)
            out[i, j] = (-1) ** (i + j) * det(rest)
        return out

    def inverse(A: np.ndarray) -> np.ndarray:
        found = entries.eliminate(A)[1] if len(A) > EXPANDED else None
        return cofactors(A).T / det(A) if found is None else found

    every_det, inv = each_matrix(det), each_matrix(inverse)

    def slogdet(A: Data) -> tuple[Data, Data]:
        size = every_det(A)
        return known["sign"](size), known["log"](known["abs"](size))

    def solve(A: Data, B: Data) -> Data:
        return known["matmul"](inv(A), B)

    def pinv(A: Data, rtol: Any = None, atol: Any = 0) -> Data:
        """The pseudoinverse of a matrix of full rank."""
        n, m = np.shape(A)[-2:]
        if n == m:
            return inv(A)
        if n > m:
            return known["matmul"](inv(known["matmul"](mT(A), A)), mT(A))
        return known["matmul"](mT(A), inv(known["matmul"](A, mT(A))))

    return {
        "det": every_det,
        "slogdet": slogdet,
        "cofactors": each_matrix(cofactors),
        "inv": inv,
        "pinv": pinv,
        "solve": solve,
        "solve_triangular": solve_triangular,
    }


def solve_triangular(A: Data, B: Data, upper: bool, unitriangular: bool = False) -> Data:
    """X with A X = B for a triangular A, by substitution."""
    n = np.shape(A)[-1]
    batch = np.broadcast_shapes(np.shape(A)[:-2], np.shape(B)[:-2])
    X = np.empty((*batch, *np.shape(B)[-2:]), object)
    for i in reversed(range(n)) if upper else range(n):
        row = B[..., i, :]
        for k in range(i + 1, n) if upper else range(i):
            row = row - A[..., i, k, None] * X[..., k, :]
        X[..., i, :] = row if unitriangular else row / A[..., i, i, None]
    return X


def factors(entries: Arithmetic) -> dict[str, Any]:
    """Factors of matrices; all but Cholesky's exist for multiprecision numbers alone."""

    def cholesky(A: np.ndarray) -> np.ndarray:
        """The factor of the symmetric part, because a symmetric matrix changes symmetrically."""
        A = (A + A.T) / entries.number(2)
        L = np.where(np.zeros(A.shape, bool), A, entries.number(0))
        for i in range(len(A)):
            for j in range(i + 1):
                rest = A[i, j] - entries.total([L[i, k] * L[j, k] for k in range(j)])
                L[i, j] = entries.function("sqrt", rest) if i == j else rest / L[j, j]
        return L

    def lu(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The factors, with the largest entry of each column moved up."""
        A, rows = A.copy(), np.arange(1, min(A.shape) + 1)
        for i in range(len(rows)):
            row = i + entries.largest([entries.magnitude(x) for x in A[i:, i]], 1)
            rows[i], A[[i, row]] = row + 1, A[[row, i]]
            A[i + 1 :, i] = A[i + 1 :, i] / A[i, i]
            A[i + 1 :, i + 1 :] = A[i + 1 :, i + 1 :] - A[i + 1 :, i, None] * A[i, i + 1 :]
        return A, rows

    def factored(factors: Callable[..., Any]) -> Callable[..., Any]:
        """The factors of every matrix of a batch, stacked."""

        def call(A: Data, *more: Any) -> Any:
            A = np.asarray(A, object)
            each = [factors(A[at], *more) for at in np.ndindex(A.shape[:-2])]
            stacks = [np.stack(p) for p in zip(*each, strict=True)]
            parts = tuple(s.reshape(*A.shape[:-2], *s.shape[1:]) for s in stacks)
            return parts[0] if len(parts) == 1 else parts

        return call

    return {
        "cholesky": each_matrix(cholesky),
        "lu": factored(lu),
        **{
            name: factored(partial(entries.factors, name))
            for name in ("eigh", "matrix_exp", "qr", "svd")
        },
    }


def each_matrix(function: Callable[..., Any]) -> Callable[..., Any]:
    """Apply a function of one matrix to every matrix of a batch."""

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


def layers(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """What the layers of a network need: windows, borders, bags, weighted sums."""
    numbers = each(entries.number)

    def largest(x: Any, spans: tuple[np.ndarray, ...]) -> np.ndarray:
        found = np.empty((len(x), *(len(span) for span in spans)), np.int64)
        for image, *place in np.ndindex(found.shape):
            seen = np.ix_(*(np.unique(span[i]) for span, i in zip(spans, place, strict=True)))
            numbered = np.arange(x[0].size).reshape(x.shape[1:])[seen].reshape(-1)
            best = entries.largest(list(x[image][seen].reshape(-1)), 1)
            found[(image, *place)] = numbered[best]
        return found

    def weighted(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: numbers(function(*args[:-1], numbers(exact(args[-1]))))

    def largest_in_bags(weight: Any, rows: Any, bags: Any, n: int) -> np.ndarray:
        found = np.zeros((n, weight.shape[1]), np.int64)
        for bag, column in np.ndindex(found.shape):
            own = rows[bags == bag]
            if len(own):
                found[bag, column] = own[entries.largest(list(weight[own, column]), 1)]
        return found

    def safe_softmax(x: Data, dim: int) -> Data:
        e = known["exp"](x)
        return e / known["sum"](e, (dim,), True)

    def scale_of(query: Data, scale: Any) -> Any:
        size = np.array([np.shape(query)[-1]], object)
        return 1 / known["sqrt"](size)[0] if scale is None else scale

    def raw_entries(x: Any) -> np.ndarray:
        try:
            return np.asarray(x).astype(np.float64)
        except TypeError:
            raise Unsupported("between which pixels a point lies is decided by numbers") from None

    return {
        "windows": made(entries, convolution.windows),
        "add_windows": made(entries, convolution.add_windows),
        "largest": largest,
        "constant_pad": made(entries, pooling.constant_pad),
        "resample": weighted(resizing.resample),
        "resample_back": weighted(resizing.resample_back),
        "largest_in_bags": largest_in_bags,
        "safe_softmax": safe_softmax,
        "scale_of": scale_of,
        "raw_entries": raw_entries,
    }
