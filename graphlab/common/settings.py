"""Settings that programs make for reproducible runs; here they are accepted and change nothing.

Read next: tensor/random/generator.py
"""

import os
import warnings
from typing import Any

from graphlab.common.errors import users_level
from graphlab.common.public import public

kept: dict[str, Any] = {
    "threads": os.cpu_count() or 1,
    "deterministic": False,
    "precision": "highest",
}


@public()
def set_num_threads(num: int) -> None:
    """Store a number of threads for `get_num_threads`; NumPy's own libraries choose theirs.

    num: an int above 0. Raises: RuntimeError for anything else.

    >>> torch.set_num_threads(torch.get_num_threads())
    """
    if not isinstance(num, int):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(num).__name__}")
    if num < 1:
        raise RuntimeError("set_num_threads expects a positive integer")
    kept["threads"] = num


@public()
def get_num_threads() -> int:
    """Return the number of threads that was set, at first that of the processor.

    >>> torch.get_num_threads() > 0
    True
    """
    return kept["threads"]


@public()
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Store the wish for deterministic algorithms; every algorithm here is deterministic anyway.

    mode: whether they are wanted. warn_only: without effect.

    >>> torch.use_deterministic_algorithms(False)
    """
    kept["deterministic"] = bool(mode)


@public()
def are_deterministic_algorithms_enabled() -> bool:
    """Return whether `use_deterministic_algorithms` was called with True.

    >>> torch.are_deterministic_algorithms_enabled()
    False
    """
    return kept["deterministic"]


@public()
def set_float32_matmul_precision(precision: str) -> None:
    """Store how precise products of float32 need to be; here they always are of full precision.

    precision: "highest", "high" or "medium". Warns: UserWarning for another one, which is ignored.

    >>> torch.set_float32_matmul_precision("highest")
    """
    if precision not in ("highest", "high", "medium"):
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
            "setFloat32MatmulPrecision call has no effect.",
            stacklevel=users_level(),
        )
        return
    kept["precision"] = precision


@public()
def get_float32_matmul_precision() -> str:
    """Return what `set_float32_matmul_precision` was called with.

    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    return kept["precision"]
