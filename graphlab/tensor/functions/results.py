"""Named tuples of results: `torch.return_types.linalg_eigh(eigenvalues=..., ...)`.

Read next: tensor/functions/solving.py
"""

from collections import namedtuple
from typing import Any

made: dict[str, Any] = {}  # the types by name


def result_type(name: str, *fields: str) -> Any:
    """Return the type of named tuples that PyTorch prints under this name, made once.

    >>> result_type("pair", "one", "other")(1, 2)
    torch.return_types.pair(
    one=1,
    other=2)
    """
    if name in made:
        return made[name]
    found = made[name] = namedtuple(name, fields)  # type: ignore[misc]

    def shown(self: Any) -> str:
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    found.__repr__ = shown  # type: ignore[method-assign]
    found.__module__ = "torch.return_types"
    found.__reduce__ = lambda self: (again, (name, fields, tuple(self)))  # type: ignore[method-assign]
    return found


def again(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    """Rebuild results when they are unpickled."""
    return result_type(name, *fields)(*values)


def values_and_indices(name: str) -> Any:
    """Return the type of a pair (values, indices)."""
    return result_type(name, "values", "indices")
