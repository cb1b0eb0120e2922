"""Weighted sums of exact entries along a dimension, with exact weights, and the adjoint.

Read next: primitives/sympy_reading/embedding.py
"""

from collections.abc import Callable, Mapping
from typing import Any

from graphlab.primitives.numpy_reading import resizing
from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, each, exact


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
    numbers = each(entries.number)

    def weighted(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: numbers(function(*args[:-1], numbers(exact(args[-1]))))

    return {
        "resample": weighted(resizing.resample),
        "resample_back": weighted(resizing.resample_back),
    }
