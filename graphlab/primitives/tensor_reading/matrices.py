"""Products and inverses of matrices that are tensors.

Read next: primitives/sympy_reading/matrices.py
"""

# ruff: noqa: F401  (the primitives that tensors have as functions)
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.autograd.tensor_reading import tensor_primitives
from graphlab.ops import contraction
from graphlab.primitives.numpy_reading import matrices as of_arrays
from graphlab.tensor.functions import matrix_product, solving
from graphlab.tensor.functions.contractions import linalg_cross as cross
from graphlab.tensor.functions.factoring import factors, matrix_exp, pinv
from graphlab.tensor.functions.shapes import transpose, unsqueeze
from graphlab.tensor.functions.solving import det, inv, solve
from graphlab.tensor.tensor import Tensor, wrap


def matmul(x: Tensor, y: Tensor, strides: tuple[int, ...] = ()) -> Tensor:
    """x @ y; how a gradient lies in memory does not matter here."""
    return matrix_product.matmul(x, y)


def mT(x: Tensor) -> Tensor:
    """The transpose of each matrix."""
    return transpose(x, -2, -1)


def eye_like(x: Tensor) -> Tensor:
    """1 on the diagonal and 0 elsewhere, a constant."""
    return wrap(of_arrays.eye_like(x._data), False, None)


def trilinear(i1: Any, i2: Any, i3: Any, *dims: Any) -> Tensor:
    """The sum of the products of three factors."""
    names = ("expand1", "expand2", "expand3", "sumdim")
    return apply(contraction.Trilinear, i1, i2, i3, **dict(zip(names, dims, strict=True)))


def solve_triangular(A: Tensor, B: Tensor, upper: bool, unitriangular: bool = False) -> Tensor:
    """X with A X = B for a triangular A."""
    return solving.solve_triangular(A, B, upper=upper, unitriangular=unitriangular)


def cofactors(A: Tensor) -> Tensor:
    """det(A) A⁻ᵀ; from singular values where A has no inverse."""
    size = det(A)
    if np.all(size._data != 0):
        return unsqueeze(unsqueeze(size, -1), -1) * mT(inv(A))
    U, S, Vh = factors(A, False)
    sign = unsqueeze(det(U) * det(Vh), -1)
    c = tensor_primitives["others"](S, S.ndim - 1)
    return (U * unsqueeze(sign * c, -2)) @ Vh
