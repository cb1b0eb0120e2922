"""Exact entries as numbers, by which the pixels around a point are chosen.

Read next: primitives/table.py
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, Unsupported


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""

    def raw_entries(x: Any) -> np.ndarray:
        try:
            return np.asarray(x).astype(np.float64)
        except TypeError:
            raise Unsupported("between which pixels a point lies is decided by numbers") from None

    return {"raw_entries": raw_entries}
