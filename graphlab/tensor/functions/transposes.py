"""Transposes that are attributes: `x.T`, `x.mT`, `x.H`.

Read next: tensor/functions/shapes.py
"""

import warnings

from graphlab.common.errors import users_level
from graphlab.common.public import public
from graphlab.tensor.functions.shapes import permute, transpose
from graphlab.tensor.tensor import Tensor

IDENTITY = "is deprecated on 0-D tensors. This function is the identity in these cases."
NOT_A_MATRIX = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated "
    "and it will throw an error in a future release. Consider `x.mT` to transpose batches of "
    "matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a "
    "tensor."
)


@public(method=True)
def adjoint(input: Tensor) -> Tensor:
    """Swap the last two dimensions, which transposes each matrix.

    input: (..., N, M) -> (..., M, N).

    >>> import graphlab as torch
    >>> torch.adjoint(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
    """
    return matrices_transposed(input, "adjoint()")


def matrices_transposed(input: Tensor, name: str = "mT") -> Tensor:
    """Swap the last two dimensions: `x.mT`. Raises: RuntimeError for a vector."""
    if input.ndim == 1:
        raise RuntimeError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor."
        )
    if input.ndim == 0:
        warnings.warn(f"Tensor.{name} {IDENTITY}", UserWarning, stacklevel=users_level())
        return permute(input, ())
    return transpose(input, -2, -1)


def matrix_transposed(input: Tensor) -> Tensor:
    """Swap the dimensions of a matrix: `x.H`. Raises: RuntimeError for other tensors."""
    if input.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {input.ndim}-D tensor."
        )
    return matrices_transposed(input, "H")


def reversed_dims(input: Tensor) -> Tensor:
    """Reverse the order of the dimensions: `x.T`, the transpose of a matrix."""
    if input.ndim == 0:
        warnings.warn(f"Tensor.T {IDENTITY}", UserWarning, stacklevel=users_level())
    elif input.ndim != 2:
        warnings.warn(NOT_A_MATRIX, UserWarning, stacklevel=users_level())
    return permute(input, tuple(range(input.ndim))[::-1])
