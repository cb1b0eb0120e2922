"""A border around an object array.

Read next: primitives/sympy_reading/resizing.py
"""

from collections.abc import Mapping
from typing import Any

from graphlab.primitives.numpy_reading import padding
from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, made


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
    return {"constant_pad": made(entries, padding.constant_pad)}
