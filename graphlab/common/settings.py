"""What lessons set at their top so that every run gives the same: here it always does.

Read next: tensor/random/generator.py
"""

import os
from typing import Any

kept: dict[str, Any] = {"threads": os.cpu_count() or 1, "deterministic": False}


def set_num_threads(num: int) -> None:
    """Keep a number of threads, for `get_num_threads`; NumPy's own libraries choose theirs.

    Raises: RuntimeError for what is no integer above 0.
    """
    if not isinstance(num, int):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(num).__name__}")
    if num < 1:
        raise RuntimeError("set_num_threads expects a positive integer")
    kept["threads"] = num


def get_num_threads() -> int:
    """The number of threads that was set, at first that of the processor."""
    return kept["threads"]


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Remember the wish; every algorithm here gives the same numbers in every run."""
    kept["deterministic"] = bool(mode)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was asked for.

    >>> are_deterministic_algorithms_enabled()
    False
    """
    return kept["deterministic"]
