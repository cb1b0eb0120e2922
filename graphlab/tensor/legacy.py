"""The old constructors: `torch.FloatTensor([1, 2])`, `torch.Tensor(2, 3)`, `Variable(x)`.

Read next: tensor/creation.py
"""

import warnings
from typing import Any

import numpy as np

from graphlab.common.devices import check_device
from graphlab.common.dtypes import ALL, dtype, get_default_dtype, set_default_dtype
from graphlab.common.errors import users_level
from graphlab.common.public import mark, public
from graphlab.tensor.casting import legacy_name
from graphlab.tensor.creation import to_array
from graphlab.tensor.nested import ROWS
from graphlab.tensor.sizes import Size
from graphlab.tensor.tensor import Tensor, share_memory, wrap


def construct(kind: dtype, arguments: tuple[Any, ...]) -> np.ndarray:
    """Return the entries of `Tensor(2, 3)`, a shape, or of `Tensor([2, 3])`, a list.

    An array of this type is used as it is, so that the tensor shares its memory.
    Raises: TypeError for other arguments.
    """
    if len(arguments) == 1 and isinstance(arguments[0], Size):
        return np.zeros(arguments[0], kind.numpy)
    if all(isinstance(n, int) and not isinstance(n, bool) for n in arguments):
        return np.zeros(arguments or (0,), kind.numpy)
    (data, *rest) = arguments
    if rest or not isinstance(data, ROWS):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    if isinstance(data, np.ndarray) and data.dtype == kind.numpy:
        return data
    return to_array(list(data) if isinstance(data, tuple | range) else data, kind)


class LegacyType(type):
    """Make `isinstance(x, torch.FloatTensor)` ask for the type of the entries."""

    legacy = ""
    kind: dtype

    @property
    def dtype(cls) -> dtype:
        return cls.kind

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.kind

    def __call__(cls, *arguments: Any, device: Any = None) -> Tensor:
        check_device(device)
        if len(arguments) == 1 and isinstance(arguments[0], Tensor):
            if (same := arguments[0]).dtype is not cls.kind:
                raise TypeError(
                    f"expected a tensor of {cls.kind!r} (got {same.dtype!r}); "
                    f"convert it with .to({cls.kind!r})"
                )
            return same[...]
        return wrap(construct(cls.kind, arguments), False, None)

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.legacy}'>"


for each in ALL:
    docstring = f"""Build a tensor of {each!r} from a shape, given as ints, or from a list.

    Raises: TypeError for other arguments.

    >>> import graphlab as torch
    >>> torch.{each.legacy}([1, 0]).dtype
    {each!r}
    """
    fields = {"legacy": each.legacy, "kind": each, "__doc__": docstring}
    globals()[each.legacy] = LegacyType(each.legacy, (), fields)


@public()
def set_default_tensor_type(t: Any) -> None:
    """Let Python floats become tensors of a type such as `torch.DoubleTensor`, or its name.

    Warns: UserWarning; `set_default_dtype` is the new name.

    >>> import graphlab as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.set_default_tensor_type(torch.FloatTensor)
    """
    found = legacy_name(t)
    if found is None:
        raise TypeError(
            "invalid type object: only floating-point types are supported as the default type"
        )
    warnings.warn(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use "
        "torch.set_default_dtype() and torch.set_default_device() as alternatives.",
        stacklevel=users_level(),
    )
    set_default_dtype(found)


def tensor_data(arguments: tuple[Any, ...], device: Any = None) -> np.ndarray:
    """Return the entries of `Tensor(...)`, in the default type."""
    check_device(device)
    return construct(get_default_dtype(), arguments)


mark(
    "BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor "
    "LongTensor ShortTensor"
)


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
