"""Named tuples of results: `torch.return_types.linalg_eigh(eigenvalues=..., ...)`.

This module is `torch.return_types`; HOMES are the files that make its types.

Read next: tensor/functions/solving.py
"""

from collections import namedtuple
from importlib import import_module
from typing import Any

made: dict[str, Any] = {}  # the types by name
HOMES = (
    "choosing", "counting", "factoring", "norms", "ranking", "reductions", "solving",
    "triangular_factors",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    for home in () if name.startswith("_") else HOMES:
        import_module(f"graphlab.tensor.functions.{home}")
    if name not in made:
        raise AttributeError(f"module 'torch.return_types' has no attribute {name!r}")
    return made[name]


def result_type(name: str, *fields: str) -> Any:
    """Return the type of named tuples that PyTorch prints under this name, made once.

    >>> result_type("pair", "one", "other")(1, 2)
    torch.return_types.pair(
    one=1,
    other=2)
    """
    if name in made:
        return made[name]
    found = made[name] = namedtuple(name, fields)

    def shown(self: Any) -> str:
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    found.__repr__ = shown
    found.__module__ = "torch.return_types"
    found.__reduce__ = lambda self: (again, (name, fields, tuple(self)))
    return found


def again(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    """Rebuild results when they are unpickled."""
    return result_type(name, *fields)(*values)


def values_and_indices(name: str) -> Any:
    """Return the type of a pair (values, indices)."""
    return result_type(name, "values", "indices")
