"""Linear algebra under the names of `torch.linalg`; each is loaded when it is first used.

Read next: functional/solving.py
"""

from importlib import import_module
from typing import Any

from graphlab.contents import homes

HOMES = homes(
    {
        "errors": "LinAlgError",
        "functional.contractions": "multi_dot vecdot",
        "functional.factoring": (
            "eigh eigvalsh lstsq matrix_exp matrix_power matrix_rank pinv svdvals vander"
        ),
        "functional.matrix_product": "matmul",
        "functional.norms": "cond matrix_norm norm",
        "functional.solving": (
            "cholesky det inv inv_ex solve solve_ex solve_triangular tensorinv tensorsolve"
        ),
        "functional.statistics": "vector_norm",
    }
)
OTHER_NAMES = {  # linalg.svd is not torch.svd
    "cross": ("functional.contractions", "linalg_cross"),
    "diagonal": ("functional.diagonals", "linalg_diagonal"),
    "qr": ("functional.factoring", "linalg_qr_of"),
    "slogdet": ("functional.solving", "linalg_slogdet_of"),
    "svd": ("functional.factoring", "linalg_svd_of"),
}
__all__ = [*HOMES, *OTHER_NAMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in OTHER_NAMES:
        module, own = OTHER_NAMES[name]
    elif name in HOMES:
        module, own = HOMES[name], name
    else:
        raise AttributeError(f"module 'graphlab.linalg' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"graphlab.{module}"), own)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
