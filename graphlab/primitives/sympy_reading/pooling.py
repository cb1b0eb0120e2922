"""The largest exact entry of each window.

Read next: primitives/sympy_reading/padding.py
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.primitives.sympy_reading.object_arrays import Arithmetic


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""

    def largest(x: Any, spans: tuple[np.ndarray, ...]) -> np.ndarray:
        found = np.empty((len(x), *(len(span) for span in spans)), np.int64)
        for image, *place in np.ndindex(found.shape):
            seen = np.ix_(*(np.unique(span[i]) for span, i in zip(spans, place, strict=True)))
            numbered = np.arange(x[0].size).reshape(x.shape[1:])[seen].reshape(-1)
            best = entries.largest(list(x[image][seen].reshape(-1)), 1)
            found[(image, *place)] = numbered[best]
        return found

    return {"largest": largest}
