"""Shapes of object arrays: broadcasting and undoing it, reordering, joining.

Read next: primitives/sympy_reading/reductions.py
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading import shapes
from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, Data, filled, shaped


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""

    def triangle(kept: Callable[..., Any]) -> Callable[..., Data]:
        def call(x: Data, diagonal: int = 0) -> Data:
            mask = kept(np.ones(x.shape[-2:], bool), diagonal)
            return np.where(mask, x, filled(x.shape, entries.number(0)))

        return call

    def sum_to(x: Data, size: tuple[int, ...]) -> Data:
        lead = np.ndim(x) - len(size)
        kept = tuple(lead + i for i, n in enumerate(size) if n == 1)
        return known["reshape"](known["sum"](x, (*range(lead), *kept), True), size)

    return {
        "size": np.shape,
        "expand": shaped(np.broadcast_to),
        "sum_to": sum_to,
        "reshape": shaped(np.reshape),
        "unsqueeze": shaped(np.expand_dims),
        "squeeze": shaped(np.squeeze),
        "permute": shaped(np.transpose),
        "transpose": shaped(np.swapaxes),
        "flip": shaped(shapes.flip),
        "roll": shaped(shapes.roll),
        "rot90": shaped(shapes.rot90),
        "tile": shaped(np.tile),
        "tril": triangle(np.tril),
        "triu": triangle(np.triu),
        "stack": lambda parts, dim=0: np.stack([np.asarray(p, object) for p in parts], dim),
        "cat": lambda parts, dim: np.concatenate(parts, dim),
    }
