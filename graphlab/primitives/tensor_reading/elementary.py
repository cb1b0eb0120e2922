"""Functions of single entries, comparisons and constants, for tensors.

Read next: primitives/sympy_reading/elementary.py
"""

# ruff: noqa: F401  (the primitives that tensors have as functions)
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphlab.primitives.numpy_reading.elementary import (
    ln_2,
    ln_10,
    pi,
    root_2,
    root_pi,
    trillionth,
)
from graphlab.tensor.creation import ones_like, zeros_like
from graphlab.tensor.functions.division import div
from graphlab.tensor.functions.pointwise import (
    _maximum,
    abs,
    cos,
    eq,
    exp,
    ge,
    gt,
    isfinite,
    isnan,
    le,
    log,
    lt,
    sigmoid,
    sign,
    sin,
    sqrt,
    tanh,
    where,
)
from graphlab.tensor.functions.probability import xlog1py
from graphlab.tensor.functions.rounding import floor, trunc
from graphlab.tensor.functions.transcendental import cosh, exp2, expm1, log1p, sinh, xlogy
from graphlab.tensor.tensor import Tensor, wrap

maximum = _maximum


def constant(array: Any, x: Tensor) -> Tensor:
    """Fixed numbers, in the type of x."""
    return wrap(np.asarray(array, x._data.dtype), False, None)


def zeros_beside(sizes: Sequence[int], x: Tensor) -> Tensor:
    """Zeros of these sizes, in the type of x."""
    return constant(np.zeros(sizes), x)


def divide_down(x: Tensor, y: Tensor) -> Tensor:
    """x / y, rounded down."""
    return div(x, y, rounding_mode="floor")


def softplus(x: Tensor) -> Tensor:
    """log(1 + exp(x)), without overflow."""
    return maximum(x, x * 0) + log1p(exp(-abs(x)))


def unless(mask: Any, x: Tensor) -> Tensor:
    """x where the mask does not hold, 0 elsewhere."""
    return where(mask, 0, x)
