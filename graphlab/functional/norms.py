"""Norms of matrices, under the names of `torch.linalg`.

Read next: functional/statistics.py
"""

from graphlab.dtypes import dtype
from graphlab.functional.dims import Dim
from graphlab.functional.statistics import vector_norm
from graphlab.tensor import Tensor

__all__ = ["matrix_norm", "norm", "vector_norm"]


def norm(
    A: Tensor,
    ord: float | None = None,
    dim: Dim = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
) -> Tensor:
    """The norm of the entries; with `ord`, that of vectors.

    Raises: NotImplementedError for the norms of a matrix that need its singular values.

    >>> import graphlab as torch
    >>> norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    pair = (A.ndim if dim is None else 1 if isinstance(dim, int) else len(dim)) == 2
    if ord is not None and pair:
        raise NotImplementedError(
            f"linalg.norm: ord={ord!r} of a matrix is not supported; leave it out for the root of "
            "the sum of squares, or pass one dim"
        )
    return vector_norm(A, 2.0 if ord is None else ord, dim, keepdim, dtype=dtype)


def matrix_norm(A: Tensor, ord: str = "fro", dim: Dim = (-2, -1), keepdim: bool = False) -> Tensor:
    """The root of the sum of squares of each matrix.

    Raises: NotImplementedError for the norms that need singular values.
    """
    if ord != "fro":
        raise NotImplementedError(f"linalg.matrix_norm: ord={ord!r} is not supported; pass 'fro'")
    return vector_norm(A, 2, dim, keepdim)
