"""Linear algebra under the names of `torch.linalg`; a function's file is imported on first use.

Read next: tensor/functions/solving.py
"""

from importlib import import_module
from typing import Any

from graphlab.common.public import homes
from graphlab.tensor.functions.outputs import with_out
from graphlab.tensor.functions.refusals import in_words

HOMES = homes(
    {
        "common.errors": "LinAlgError",
        "tensor.functions.contractions": "vecdot",
        "tensor.functions.factoring": (
            "eigh eigvalsh lstsq matrix_exp matrix_power matrix_rank pinv svdvals vander"
        ),
        "tensor.functions.matrix_product": "matmul multi_dot",
        "tensor.functions.norms": "cond eig eigvals matrix_norm norm",
        "tensor.functions.triangular_factors": "cholesky lu lu_factor lu_factor_ex",
        "tensor.functions.solving": (
            "det inv inv_ex solve solve_ex solve_triangular tensorinv tensorsolve"
        ),
        "tensor.functions.statistics": "vector_norm",
    }
)
OTHER_NAMES = {  # linalg.svd is not torch.svd
    "cross": ("tensor.functions.contractions", "linalg_cross"),
    "diagonal": ("tensor.functions.diagonals", "linalg_diagonal"),
    "lu_solve": ("tensor.functions.triangular_factors", "linalg_lu_solve"),
    "qr": ("tensor.functions.factoring", "linalg_qr_of"),
    "slogdet": ("tensor.functions.solving", "linalg_slogdet_of"),
    "svd": ("tensor.functions.factoring", "linalg_svd_of"),
}
__all__ = [*HOMES, *OTHER_NAMES]


def __getattr__(name: str) -> Any:
    if name in OTHER_NAMES:
        module, own = OTHER_NAMES[name]
    elif name in HOMES:
        module, own = HOMES[name], name
    else:
        raise AttributeError(f"module 'graphlab.linalg' has no attribute {name!r}")
    found = getattr(import_module(f"graphlab.{module}"), own)
    if name not in ("LinAlgError", "diagonal"):  # a class, and a view
        found = with_out(found)
    globals()[name] = found = in_words(found)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
