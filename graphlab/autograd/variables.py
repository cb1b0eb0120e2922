"""`torch.autograd.Variable`, which old programs wrap tensors in. Every tensor is one.

Read next: autograd/function.py
"""

import warnings
from typing import Any

from graphlab.common.errors import users_level
from graphlab.tensor.tensor import Tensor, share_memory, wrap


class VariableMeta(type):
    """Make every tensor an instance of Variable."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """Return another tensor with the same data: `Variable(data, requires_grad=False)`.

    Raises: TypeError unless `data` is a tensor.
    """

    def __new__(
        cls, data: Any = None, requires_grad: bool = False, volatile: bool | None = None
    ) -> Any:
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                stacklevel=users_level(),
            )
        if data is None:
            return Tensor().requires_grad_(requires_grad)
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        share_memory(data)
        return wrap(data._data, False, None).requires_grad_(requires_grad)


def variable(*args: Any, **kwargs: Any) -> Any:
    """Raise RuntimeError: the function is now `torch.tensor`."""
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")
