"""A border around a tensor, recorded.

Read next: primitives/sympy_reading/padding.py
"""

from graphlab.autograd.record import apply
from graphlab.ops.padding import ConstantPadNd
from graphlab.tensor.tensor import Tensor


def constant_pad(x: Tensor, pad: tuple[int, ...], value: float) -> Tensor:
    """A border of one number."""
    return apply(ConstantPadNd, x, pad=pad, value=value)
