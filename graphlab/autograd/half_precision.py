"""float16 computed in float32, for operations with `wide = True`.

A formula of several steps may overflow in between, or lose all digits, although its result fits:
the largest float16 is 65504. PyTorch computes such formulas in float32, and so does GraphLab.

Read next: autograd/node_classes.py
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from graphlab.ops.base import Op

HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)


def forward_of(op: type[Op]) -> Callable[..., Any]:
    """Return the forward of an operation, which takes and gives raw data."""
    forward = op.forward
    if not op.wide:
        return forward

    def call(*data: Any, **options: Any) -> Any:
        if getattr(data[0], "dtype", None) is SINGLE:  # the usual case
            return forward(*data, **options)
        kinds = {x.dtype for x in data if getattr(getattr(x, "dtype", None), "kind", "") == "f"}
        if kinds != {HALF}:
            return forward(*data, **options)
        result = forward(*widened(data), **options)
        return narrowed(result) if isinstance(result, tuple) else narrowed((result,))[0]

    return call


def widened(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values with float16 as float32."""
    return tuple([x.astype(SINGLE) if getattr(x, "dtype", None) == HALF else x for x in values])


def narrowed(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values with float32 as float16."""
    return tuple([x.astype(HALF) if getattr(x, "dtype", None) == SINGLE else x for x in values])
