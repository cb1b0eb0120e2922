"""Norms of matrices, condition numbers, and eigenvalues where they are real.

Read next: tensor/functions/statistics.py
"""

import math
from typing import Any, cast

import numpy as np

from graphlab.common.dtypes import NO_COMPLEX, dtype, named
from graphlab.common.errors import LinAlgError
from graphlab.primitives.numpy_reading.matrices import by_columns
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import Dim, need_floats, one_dim
from graphlab.tensor.functions.factoring import constant, svdvals
from graphlab.tensor.functions.reductions import sum
from graphlab.tensor.functions.results import result_type
from graphlab.tensor.functions.shapes import permute, reshape, squeeze, unsqueeze
from graphlab.tensor.functions.solving import check_floating, check_matrices, check_square, inv_ex
from graphlab.tensor.functions.statistics import amax, amin, vector_norm
from graphlab.tensor.tensor import Tensor, wrap


def norm(
    A: Tensor,
    ord: Any = None,
    dim: Dim = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
) -> Tensor:
    """Return the norm of a vector, or of a matrix when there are two dimensions. A: (...).

    ord: None for the root of the sum of squares; see `vector_norm` and `matrix_norm`.
    dim: the dimensions, all when None. keepdim: keep them with size 1. dtype: convert first.

    >>> import graphlab as torch
    >>> torch.linalg.norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if dtype is not None:
        A = A.to(named("norm", dtype))
    dims = None if dim is None else [dim] if isinstance(dim, int) else [*dim]
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {dims}"
        )
    if ord is None:
        return vector_norm(A, 2.0, dims, keepdim)
    if dims is None and A.ndim not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
            f"Got {A.ndim}D."
        )
    if isinstance(ord, str) or (A.ndim if dims is None else len(dims)) == 2:
        return matrix_norm(A, ord, (-2, -1) if dims is None else dims, keepdim)
    return vector_norm(A, ord, dims, keepdim)


def matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
) -> Tensor:
    """Return a norm of each matrix. A: (..., N, M) -> (...).

    ord: "fro" the root of the sum of squares; "nuc" the sum of the singular values; 2 the largest
    singular value; 1 the largest sum of |entries| in a column; inf the same in a row. With a minus
    sign, the smallest. dim: the two dimensions of the matrices. keepdim: keep them with size 1.
    dtype: convert to this type first.

    >>> import graphlab as torch
    >>> torch.linalg.matrix_norm(torch.tensor([[1.0, -2.0], [3.0, 4.0]]), 1)
    tensor(6.)
    """
    name = "linalg.matrix_norm"
    if dtype is not None:
        A = A.to(named("matrix_norm", dtype))
    size = abs(ord) if isinstance(ord, int | float) else ord
    if size not in (1, 2, math.inf, "fro", "nuc"):
        raise RuntimeError(f"{name}: Order {ord} not supported.")
    check_matrices(name, A)
    if A._data.dtype.kind != "f":
        check_floating(name, A)
    dims = [dim] if isinstance(dim, int) else [*dim]
    if len(dims) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    row, column = (one_dim(d, A.ndim) for d in dims)
    if row == column:
        raise RuntimeError(f"{name}: dims must be different. Got ({dims[0]}, {dims[1]})")
    if ord == "fro":
        return vector_norm(A, 2, (row, column), keepdim)
    extreme = amin if ord != "nuc" and ord < 0 else amax
    if extreme is amax and 0 in (A.shape[row], A.shape[column]):
        return sum(A, (row, column), keepdim)  # no entries: 0
    if size in (2, "nuc"):
        order = [*(d for d in range(A.ndim) if d not in (row, column)), row, column]
        values = svdvals(permute(A, order))
        found = sum(values, -1, keepdim) if ord == "nuc" else extreme(values, -1, keepdim)
        if keepdim:
            found = permute(unsqueeze(found, -1), [order.index(d) for d in range(A.ndim)])
        return found
    if size == math.inf:
        row, column = column, row
    if not keepdim and row < column:
        column -= 1
    return extreme(vector_norm(A, 1.0, (row,), keepdim), (column,), keepdim)


def cond(A: Tensor, p: Any = None) -> Tensor:
    """Return the condition number: the norm of a matrix times that of its inverse; inf if singular.

    A: (..., N, N) -> (...). p: a norm of `matrix_norm`, 2 when None.

    >>> import graphlab as torch
    >>> torch.linalg.cond(torch.tensor([[8.0, 0.0], [0.0, 2.0]]))
    tensor(4.)
    """
    if A.ndim < 2 and not isinstance(p, str):
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p is None or (not isinstance(p, str) and abs(p) == 2):
        if A.numel() == 0:
            return wrap(np.zeros(A.shape[:-2], A._data.dtype)[()], False, None)
        values = svdvals(A)
        largest, smallest = F.narrow(values, -1, 0, 1), F.narrow(values, -1, -1, 1)
        quotient = smallest / largest if p == -2 else largest / smallest
        return squeeze(quotient, -1)
    if p not in (1, -1, math.inf, -math.inf, "fro", "nuc"):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    check_square(f"linalg.cond(ord={p})", A)
    if A.numel() == 0:
        return wrap(np.zeros(A.shape[:-2], A._data.dtype)[()], False, None)
    inverse, info = inv_ex(A)
    singular = reshape(wrap(info._data != 0, False, None), (*A.shape[:-2], 1, 1))
    inverse = F.masked_fill(inverse, singular, math.inf)
    product = matrix_norm(A, p) * matrix_norm(inverse, p)
    return product.nan_to_num_(math.inf, math.inf, -math.inf)


# -- eigenvalues of any square matrix ------------------------------------------------------------

linalg_eig = result_type("linalg_eig", "eigenvalues", "eigenvectors")


def eig(A: Tensor) -> Any:
    """Return the eigenvalues and eigenvectors of matrices with real eigenvalues.

    A: (..., N, N) -> (..., N), (..., N, N), one eigenvector per column, of length 1.
    Raises: TypeError where an eigenvalue is complex.

    PyTorch differs: its results are complex, and have gradients; these are constants. For
    symmetric matrices `eigh` has gradients.

    >>> import graphlab as torch
    >>> torch.linalg.eig(torch.tensor([[2.0, 0.0], [1.0, 3.0]])).eigenvalues
    tensor([3., 2.])
    """
    check_square("linalg.eig", A)
    need_floats("linalg_eig", A)
    try:
        values, vectors = cast("tuple[Any, Any]", np.linalg.eig(A._data))
    except np.linalg.LinAlgError:
        raise LinAlgError("the eigenvalues did not converge, or an entry is not finite") from None
    if values.imag.any():
        raise TypeError(NO_COMPLEX.replace("got", "this matrix has complex eigenvalues, got"))
    values = np.ascontiguousarray(values.real)  # from NumPy 2.5 on, they are always complex
    return linalg_eig(constant(values), constant(by_columns(vectors.real)))


def eigvals(A: Tensor) -> Tensor:
    """Return the eigenvalues of matrices where they are real. A: (..., N, N) -> (..., N).

    Raises: TypeError where an eigenvalue is complex. PyTorch differs: as for `eig`.

    >>> import graphlab as torch
    >>> torch.linalg.eigvals(torch.tensor([[2.0, 0.0], [1.0, 3.0]]))
    tensor([3., 2.])
    """
    return eig(A).eigenvalues
