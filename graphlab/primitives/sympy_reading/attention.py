"""The kernels of attention for exact entries.

Read next: primitives/sympy_reading/grid_sampling.py
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, Data


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""

    def safe_softmax(x: Data, dim: int) -> Data:
        e = known["exp"](x)
        return e / known["sum"](e, (dim,), True)

    def scale_of(query: Data, scale: Any) -> Any:
        size = np.array([np.shape(query)[-1]], object)
        return 1 / known["sqrt"](size)[0] if scale is None else scale

    return {"safe_softmax": safe_softmax, "scale_of": scale_of}
