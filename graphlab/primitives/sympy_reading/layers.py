"""What the layers of a network need, for exact entries: windows, borders, bags, weighted sums.

Read next: primitives/table.py
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading import convolution, padding, resizing
from graphlab.primitives.sympy_reading.object_arrays import (
    Arithmetic,
    Data,
    Unsupported,
    each,
    exact,
    made,
)


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
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
        "constant_pad": made(entries, padding.constant_pad),
        "resample": weighted(resizing.resample),
        "resample_back": weighted(resizing.resample_back),
        "largest_in_bags": largest_in_bags,
        "safe_softmax": safe_softmax,
        "scale_of": scale_of,
        "raw_entries": raw_entries,
    }
