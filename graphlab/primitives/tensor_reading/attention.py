"""The kernels of attention for tensors.

Read next: primitives/sympy_reading/attention.py
"""

# ruff: noqa: F401  (scale_of needs the shape of a tensor alone)
from graphlab.autograd.record import apply
from graphlab.ops.attention import SafeSoftmax
from graphlab.primitives.numpy_reading.attention import scale_of
from graphlab.tensor.functions.dims import given_dim
from graphlab.tensor.tensor import Tensor


def safe_softmax(x: Tensor, dim: int) -> Tensor:
    """A softmax that is 0 where every entry is -∞."""
    return apply(SafeSoftmax, x, dim=given_dim(dim, x.ndim))
