"""What runs as the forward of an operation: `Op.forward` itself, or that with a step around it.

- `wide = True`: float16 is computed in float32. A formula of several steps may overflow in between,
  or lose all digits, although its result fits: the largest float16 is 65504.
- `images = 1`: a result lies in memory as the images that it is made of do.

PyTorch does both.

Read next: autograd/record.py
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import channels_last

HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)


def forward_of(op: type[Op]) -> Callable[..., Any]:
    """Return the forward of an operation, which takes and gives raw data."""
    forward = in_single(op.forward) if op.wide else op.forward
    return laid_out(forward, op.images) if op.images else forward


def laid_out(forward: Callable[..., Any], images: int) -> Callable[..., Any]:
    """Return the function whose results have their channels last in memory if an image has."""

    def call(*data: Any, **options: Any) -> Any:
        found = forward(*data, **options)
        last = any(map(channels_last, data[:images]))
        results = tuple(rows(x, last) for x in (found if type(found) is tuple else (found,)))
        return results if type(found) is tuple else results[0]

    return call


def rows(x: Any, last: bool) -> Any:
    """Return an array that lies row by row in memory, images with their channels `last` if so."""
    if last and x.ndim > 3:
        return np.moveaxis(rows(np.moveaxis(x, 1, -1), False), -1, 1)
    return x if x.flags.c_contiguous else x.copy()


def in_single(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Return the forward that computes in float32 what it gets in float16."""

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
