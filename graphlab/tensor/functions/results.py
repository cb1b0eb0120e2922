"""Named tuples of results: `torch.return_types.linalg_eigh(eigenvalues=..., ...)`.

Read next: tensor/functions/solving.py
"""

from collections import namedtuple
from typing import Any, NamedTuple

from graphlab.tensor.tensor import Tensor


def result_type(name: str, *fields: str) -> Any:
    """Return a named tuple that prints as PyTorch's does.

    >>> result_type("pair", "one", "other")(1, 2)
    torch.return_types.pair(
    one=1,
    other=2)
    """
    made = namedtuple(name, fields)  # type: ignore[misc]

    def shown(self: Any) -> str:
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    made.__repr__ = shown  # type: ignore[method-assign]
    return made


class ValuesAndIndices(NamedTuple):
    """Entries and their indices along a dimension."""

    values: Tensor
    indices: Tensor


class Found(ValuesAndIndices):
    """The same under the name of the function that found them, which the class has after a `_`."""

    __slots__ = ()

    def __repr__(self) -> str:
        name = type(self).__name__.lstrip("_")
        return f"torch.return_types.{name}(\nvalues={self.values!r},\nindices={self.indices!r})"
