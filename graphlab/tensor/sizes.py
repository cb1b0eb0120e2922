"""The shape of a tensor.

Read next: tensor/tensor.py
"""

from typing import Any


class Size(tuple[int, ...]):
    """The shape of a tensor, printed as in PyTorch.

    >>> Size((2, 3)), Size((2, 3)).numel()
    (torch.Size([2, 3]), 6)
    """

    __slots__ = ()

    def numel(self) -> int:
        product = 1
        for n in self:
            product *= n
        return product

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Any:
        return Size((*self, *other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Size((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        return Size(tuple(self) * times)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"
