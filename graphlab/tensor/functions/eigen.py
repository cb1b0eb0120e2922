"""Eigenvalues of any square matrix, where they are real.

Read next: tensor/functions/factoring.py
"""

from typing import Any

import numpy as np

from graphlab.common.dtypes import NO_COMPLEX
from graphlab.common.errors import LinAlgError
from graphlab.primitives.numpy_reading.matrices import by_columns
from graphlab.tensor.functions.checks import type_name
from graphlab.tensor.functions.factoring import check_square, constant
from graphlab.tensor.functions.results import result_type
from graphlab.tensor.tensor import Tensor

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
    if A._data.dtype.kind != "f":
        raise NotImplementedError(f"\"linalg_eig\" not implemented for '{type_name(A)}'")
    try:
        values, vectors = np.linalg.eig(A._data)
    except np.linalg.LinAlgError:
        raise LinAlgError("the eigenvalues did not converge, or an entry is not finite") from None
    if np.iscomplexobj(values):
        raise TypeError(NO_COMPLEX.replace("got", "this matrix has complex eigenvalues, got"))
    return linalg_eig(constant(values), constant(by_columns(vectors)))


def eigvals(A: Tensor) -> Tensor:
    """Return the eigenvalues of matrices where they are real. A: (..., N, N) -> (..., N).

    Raises: TypeError where an eigenvalue is complex. PyTorch differs: as for `eig`.

    >>> import graphlab as torch
    >>> torch.linalg.eigvals(torch.tensor([[2.0, 0.0], [1.0, 3.0]]))
    tensor([3., 2.])
    """
    return eig(A).eigenvalues
