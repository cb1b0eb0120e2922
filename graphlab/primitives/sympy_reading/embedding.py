"""The row with the largest exact entry in each bag.

Read next: primitives/sympy_reading/attention.py
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.primitives.sympy_reading.object_arrays import Arithmetic


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""

    def largest_in_bags(weight: Any, rows: Any, bags: Any, n: int) -> np.ndarray:
        found = np.zeros((n, weight.shape[1]), np.int64)
        for bag, column in np.ndindex(found.shape):
            own = rows[bags == bag]
            if len(own):
                found[bag, column] = own[entries.largest(list(weight[own, column]), 1)]
        return found

    return {"largest_in_bags": largest_in_bags}
