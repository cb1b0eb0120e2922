"""Inverses, determinants and linear systems, with PyTorch's checks and error messages.

Read next: tensor/functions/factoring.py
"""

import math
import warnings
from typing import Any

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common.errors import LinAlgError, users_level
from graphlab.common.public import mark, public
from graphlab.ops import solving as ops
from graphlab.primitives.numpy_reading.matrices import lu
from graphlab.tensor.functions.checks import joined_shape, need_floats, type_name
from graphlab.tensor.functions.pointwise import clone, where
from graphlab.tensor.functions.results import result_type
from graphlab.tensor.functions.shapes import expand, flatten, reshape
from graphlab.tensor.tensor import Tensor, wrap

# -- checks ------------------------------------------------------------------------------------


def check_matrices(name: str, A: Tensor, which: str = "A") -> None:
    """Raise RuntimeError for fewer than two dimensions."""
    if A.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {which} must have at least 2 dimensions.")


def check_floating(name: str, A: Tensor) -> None:
    """Raise RuntimeError for integers and for half precision."""
    if A._data.dtype.kind != "f":
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {type_name(A)}"
        )
    if A._data.dtype == np.float16:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {type_name(A)}")


def check_types(name: str, A: Tensor, B: Tensor, which: str = "A") -> None:
    """Raise RuntimeError for two types."""
    if A._data.dtype != B._data.dtype:
        raise RuntimeError(
            f"{name}: Expected {which} and B to have the same dtype, but found {which} of type "
            f"{type_name(A)} and B of type {type_name(B)} instead"
        )


def check_square(name: str, A: Tensor) -> None:
    """Raise RuntimeError unless they are square matrices."""
    check_matrices(name, A, "A")
    n, m = A.shape[-2:]
    if n != m:
        prefix = f"{name}: " if name else ""
        raise RuntimeError(
            f"{prefix}A must be batches of square matrices, but they are {n} by {m} matrices"
        )


def batch_of(at: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """Return how PyTorch's errors name a matrix in a batch."""
    return f"(Batch element {np.ravel_multi_index(at, shape)}): " if shape else ""


def first_singular(A: Tensor) -> tuple[tuple[int, ...], int] | None:
    """Return the first singular matrix, as an index, and its first pivot that is 0, from 1 on."""
    pivots = np.diagonal(lu(A._data)[0], axis1=-2, axis2=-1)
    for at in np.ndindex(pivots.shape[:-1]):
        zeros = np.flatnonzero(pivots[at] == 0)
        if len(zeros):
            return at, int(zeros[0]) + 1
    return None


# -- inverse and determinant -------------------------------------------------------------------


def inv(A: Tensor) -> Tensor:
    """Return the inverse of each matrix. A: (..., N, N) -> (..., N, N).

    Raises: LinAlgError for a singular matrix.

    >>> import graphlab as torch
    >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return inv_ex(A, check_errors=True, name="linalg.inv").inverse


inverse = inv
linalg_inv_ex = result_type("linalg_inv_ex", "inverse", "info")


def inv_ex(A: Tensor, *, check_errors: bool = False, name: str = "linalg.inv_ex") -> Any:
    """Return the inverse and, for each matrix, 0 or its first pivot that is 0: (inverse, info).

    A: (..., N, N) -> (..., N, N), (...). check_errors: raise LinAlgError for a singular matrix.
    name: the function that an error names.

    >>> import graphlab as torch
    >>> torch.linalg.inv_ex(torch.tensor([[2.0]])).inverse
    tensor([[0.5000]])
    """
    said = "linalg.inv"
    check_square(said, A)
    check_floating(said, A)
    with_errors = np.zeros(A.shape[:-2], np.int32)
    found = apply(ops.LinalgInvEx, A)
    if not np.all(np.isfinite(found._data)) and (singular := first_singular(A)):
        at, pivot = singular
        if check_errors:
            raise LinAlgError(
                f"{name}: {batch_of(at, A.shape[:-2])}The diagonal element {pivot} is zero, the "
                "inversion could not be completed because the input matrix is singular."
            )
        with_errors[at] = pivot
    return linalg_inv_ex(found, wrap(with_errors[()], False, None))


@public(method=True)
def det(A: Tensor) -> Tensor:
    """Return the determinant of each matrix. A: (..., N, N) -> (...).

    PyTorch differs: its gradient at a singular matrix is 0 unless `create_graph` is set; here it
    is the matrix of cofactors either way.

    >>> det(torch.tensor([[2.0, 0.0], [1.0, 3.0]]))
    tensor(6.)
    """
    check_square("linalg.det", A)
    check_floating("linalg.det", A)
    return apply(ops.LinalgDet, A)


slogdet_result = result_type("slogdet", "sign", "logabsdet")
linalg_slogdet = result_type("linalg_slogdet", "sign", "logabsdet")


@public(method=True)
def slogdet(A: Tensor) -> Any:
    """Return the sign of the determinant and log |det A|. A: (..., N, N) -> (...), (...).

    >>> torch.slogdet(torch.tensor([[-1.0, 0.0], [0.0, 1.0]]))
    torch.return_types.slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(0.))
    """
    return slogdet_result(*sign_and_log("linalg.slogdet", A))


def linalg_slogdet_of(A: Tensor) -> Any:
    """Return the sign of the determinant and log |det A|. A: (..., N, N) -> (...), (...).

    >>> import graphlab as torch
    >>> torch.linalg.slogdet(torch.tensor([[-1.0, 0.0], [0.0, 1.0]])).sign
    tensor(-1.)
    """
    return linalg_slogdet(*sign_and_log("linalg.slogdet", A))


def sign_and_log(name: str, A: Tensor) -> Any:
    """Return both results of a slogdet."""
    check_square(name, A)
    check_floating(name, A)
    return apply(ops.LinalgSlogdet, A)


@public(method=True)
def logdet(A: Tensor) -> Tensor:
    """Return the logarithm of the determinant, nan where it is negative. A: (..., N, N) -> (...).

    >>> logdet(torch.eye(3))
    tensor(0.)
    """
    sign, log = sign_and_log("logdet", A)
    return where(wrap(sign._data == -1, False, None), math.nan, log)


# -- systems -----------------------------------------------------------------------------------


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Return X with A X = B, or X A = B unless `left`. A: (..., N, N), B: (..., N, K) or (..., N).

    X has the shape of B. Raises: LinAlgError for a singular matrix.

    >>> import graphlab as torch
    >>> torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    name = "linalg.solve"
    check_floating(name, A)
    check_types(name, A, B)
    check_square(name, A)
    vector = B.ndim == 1 or (B.ndim > 0 and B.shape == A.shape[:-1])
    size = (*B.shape, 1) if vector else tuple(B.shape)
    if len(size) < 2:
        check_matrices(name, B, "B")
    check_fit(name, A, size, left, vector)
    batch = joined_shape(size[:-2], A.shape[:-2])
    try:
        return apply(ops.LinalgSolveEx, A, B, left=left)
    except LinAlgError:
        singular = first_singular(A)
        where_ = batch_of(singular[0], batch) if singular and A.shape[:-2] == batch else ""
        raise LinAlgError(
            f"torch.linalg.solve: {where_}The solver failed because the input matrix is singular."
        ) from None


def check_fit(
    name: str, A: Tensor, size: tuple[int, ...], left: bool, vector: bool = False
) -> None:
    """Raise RuntimeError when A X = B, or X A = B, has no shape for X."""
    n = A.shape[-1]
    if (size[-2] if left else size[-1]) != n or (vector and not left):
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {equation} "
            f"({n}x{n} and {size[-2]}x{size[-1]})"
        )


linalg_solve_ex = result_type("linalg_solve_ex", "result", "info")


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """Return X with A X = B, or X A = B unless `left`, and 0 for each matrix: (result, info).

    A: (..., N, N), B: (..., N, K) or (..., N). check_errors: without effect.
    Raises: LinAlgError for a singular matrix.

    >>> import graphlab as torch
    >>> torch.linalg.solve_ex(torch.tensor([[2.0]]), torch.tensor([[8.0]])).result
    tensor([[4.]])
    """
    found = solve(A, B, left=left)
    return linalg_solve_ex(found, wrap(np.zeros(A.shape[:-2], np.int32)[()], False, None))


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """Return X with A X = B, or X A = B unless `left`, for a triangular A.

    A: (..., N, N), B: (..., N, K) -> like B. upper: which triangle of A counts; the rest is
    ignored.
    unitriangular: take the diagonal of A as ones.

    >>> import graphlab as torch
    >>> torch.linalg.solve_triangular(torch.tensor([[2.0]]), torch.ones(1, 1), upper=False)
    tensor([[0.5000]])
    """
    name = "linalg.solve_triangular"
    check_square(name, A)
    check_matrices(name, B, "B")
    check_fit(name, A, tuple(B.shape), left)
    joined_shape(A.shape[:-2], B.shape[:-2])
    need_floats("triangular_solve_cpu", A)
    return apply(
        ops.LinalgSolveTriangular, A, B, upper=upper, left=left, unitriangular=unitriangular
    )


triangular_solve_result = result_type("triangular_solve", "solution", "cloned_coefficient")


@public(method=True, out=True)
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    """Return X with A X = input for a triangular A: (solution, cloned_coefficient).

    input: (..., N, K), A: (..., N, N). upper: which triangle of A counts.
    transpose: solve Aᵀ X = input. unitriangular: take the diagonal of A as ones.
    Warns: UserWarning, because PyTorch prefers `linalg.solve_triangular`.

    >>> import graphlab as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.triangular_solve(torch.tensor([[8.0]]), torch.tensor([[2.0]])).solution
    tensor([[4.]])
    """
    warnings.warn(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be "
        "removed in a future PyTorch release.\ntorch.linalg.solve_triangular has its arguments "
        "reversed and does not return a copy of one of the inputs.\nX = torch.triangular_solve(B, "
        "A).solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B).",
        UserWarning,
        stacklevel=users_level(),
    )
    check_system("triangular_solve", "torch.triangular_solve: Expected b to", input, A)
    found = apply(
        ops.TriangularSolve, input, A, upper=upper, transpose=transpose, unitriangular=unitriangular
    )
    batch = joined_shape(input.shape[:-2], A.shape[:-2])
    return triangular_solve_result(found, clone(expand(A, (*batch, *A.shape[-2:]))))


def check_system(name: str, expected: str, b: Tensor, A: Tensor) -> None:
    """Raise RuntimeError for shapes or types that do not fit; for older functions, A X = b."""
    for which, x in (("b", b), ("u" if name == "cholesky_solve" else "A", A)):
        if x.ndim < 2:
            what = expected.replace("b ", f"{which} ")
            raise RuntimeError(
                f"{what} have at least 2 dimensions, but {'it ' * (':' in what)}has "
                f"{x.ndim} dimensions instead"
            )
    if A._data.dtype != b._data.dtype:
        raise RuntimeError(
            "Expected b and A to have the same dtype, but found b of type "
            f"{type_name(b)} and A of type {type_name(A)} instead."
        )
    check_square("", A)
    if A.shape[-1] != b.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {A.shape[-1]} by "
            f"{A.shape[-1]} but each b matrix is {b.shape[-2]} by {b.shape[-1]}"
        )
    joined_shape(A.shape[:-2], b.shape[:-2])


# -- tensors as matrices -----------------------------------------------------------------------


def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """Return X with tensordot(A, X, X.ndim) = B. A is read as a matrix, a row for each entry of B.

    dims: the dimensions of A that are moved to its end first, none by default.

    >>> import graphlab as torch
    >>> torch.linalg.tensorsolve(torch.eye(2), torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    if dims is not None:
        rest = [d for d in range(A.ndim) if d not in dims]
        A = A.permute((*rest, *dims))
    size = tuple(A.shape[B.ndim :])
    rows = math.prod(size)
    return reshape(solve(reshape(A, (rows, rows)), flatten(B)), size)


def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """Return the inverse of A, read as a matrix: its first `ind` dimensions are the rows.

    >>> import graphlab as torch
    >>> torch.linalg.tensorinv(torch.tensor([[2.0]]), 1)
    tensor([[0.5000]])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    rows, columns = math.prod(A.shape[:ind]), math.prod(A.shape[ind:])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {columns} != {rows}"
        )
    return reshape(inv(reshape(A, (rows, rows))), (*A.shape[ind:], *A.shape[:ind]))


mark("inverse", method=True, out=True)
