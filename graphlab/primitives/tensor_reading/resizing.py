"""Weighted sums of the entries of a tensor along a dimension, and the adjoint.

Read next: primitives/sympy_reading/resizing.py
"""

import numpy as np

from graphlab.primitives.tensor_reading.elementary import constant
from graphlab.primitives.tensor_reading.scatter_gather import put_at, take
from graphlab.primitives.tensor_reading.shapes import sum, unsqueeze
from graphlab.tensor.tensor import Tensor


def beside(weight: np.ndarray, dim: int, x: Tensor) -> Tensor:
    """Weights for the dimensions `dim` and `dim + 1` of x."""
    return constant(weight.reshape(*weight.shape, *(1,) * (x.ndim - dim - 2)), x)


def resample(x: Tensor, dim: int, place: np.ndarray, weight: np.ndarray) -> Tensor:
    """Σₜ weight[i, t] x[place[i, t]] along `dim`."""
    seen = take(x, (*(None,) * dim, place))
    return sum(seen * beside(weight, dim, seen), (dim + 1,))


def resample_back(grad: Tensor, n: int, dim: int, place: np.ndarray, weight: np.ndarray) -> Tensor:
    """The gradient of `resample`."""
    sizes = (*grad.shape[:dim], n, *grad.shape[dim + 1 :])
    grad = unsqueeze(grad, dim + 1)
    return put_at(grad * beside(weight, dim, grad), sizes, (*(None,) * dim, place))
