"""The entries that a sliding window covers in an object array, and the adjoint.

Read next: primitives/sympy_reading/pooling.py
"""

from collections.abc import Mapping
from typing import Any

from graphlab.primitives.numpy_reading import convolution
from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, made


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
    return {
        "windows": made(entries, convolution.windows),
        "add_windows": made(entries, convolution.add_windows),
    }
