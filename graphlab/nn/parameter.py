"""Parameters, the tensors that a module learns, and buffers, which it stores without learning.

A module recognises both by their class. Those of a lazy layer have no shape at first.

Read next: nn/module.py
"""

from typing import Any

from graphlab.autograd.operands import is_operand
from graphlab.common.dtypes import dtype, get_default_dtype
from graphlab.common.dtypes import dtype as Kind
from graphlab.tensor.creation import empty
from graphlab.tensor.methods import make_subclass
from graphlab.tensor.tensor import Tensor

NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
    "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. "
    "Call `forward` to initialize the parameters before accessing their attributes."
)
NO_DATA = (
    "Attempted to use an uninitialized parameter. This error happens when you are using a "
    "`LazyModule` or explicitly manipulating `torch.nn.parameter.{}` objects. When using "
    "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling "
    "torch functions"
)


class Parameter(Tensor):
    """A tensor that becomes a parameter of the module to which it is assigned.

    data: Tensor, whose memory is shared; default None, for an empty tensor.
    requires_grad: bool, whether it gets a gradient, even if it is made within no_grad(); default
        True.

    Raises: RuntimeError if `requires_grad` and the tensor does not hold floating point numbers.

    >>> import graphlab as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> "Parameter":
        if data is not None and not isinstance(data, Tensor):
            is_operand(data)  # or raises
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        made = make_subclass(cls, empty(0) if data is None else data)
        if requires_grad and not made.is_floating_point():
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        made._needs = bool(requires_grad)
        return made

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """Do nothing: `__new__` made the tensor."""

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Parameter":
        found = memo.get(id(self))
        if found is None:
            found = memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return found

    def __reduce__(self) -> Any:
        made_of = (type(self), self.detach(), self.requires_grad)
        return (rebuild, made_of, self.__dict__) if self.__dict__ else (rebuild, made_of)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__reduce__()


class Buffer(Tensor):
    """A tensor that becomes a buffer of the module to which it is assigned.

    data: Tensor, whose memory is shared; default None, for an empty tensor.
    persistent: bool, whether the buffer is part of the module's `state_dict()`; default True.

    >>> import graphlab as torch
    >>> module = torch.nn.Module()
    >>> module.mean = torch.nn.Buffer(torch.zeros(2))
    >>> module.state_dict()["mean"]
    tensor([0., 0.])
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> "Buffer":
        made = make_subclass(cls, empty(0) if data is None else data)
        made._needs = data is not None and data.requires_grad
        made.persistent = persistent
        return made

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True) -> None:
        """Do nothing: `__new__` made the tensor."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (rebuild_buffer, (self.detach(), self.persistent))


def rebuild(cls: type[Parameter], data: Tensor, requires_grad: bool) -> Parameter:
    """Return a parameter from its pickled parts."""
    return cls(data, requires_grad)


def rebuild_buffer(data: Tensor, persistent: bool) -> Buffer:
    """Return a buffer from its pickled parts."""
    return Buffer(data, persistent=persistent)


class Uninitialized(Tensor):
    """The base of both: a tensor that has a dtype, but no shape and no data."""

    becomes: type[Tensor] = Tensor
    _kind: dtype

    @property
    def _data(self) -> Any:
        raise ValueError(NO_DATA.format(type(self).__name__))

    @_data.setter
    def _data(self, data: Any) -> None:
        raise ValueError(NO_DATA.format(type(self).__name__))

    @property
    def shape(self) -> Any:
        raise RuntimeError(NO_SHAPE)

    @property
    def dtype(self) -> Any:
        return self._kind

    @property
    def data(self) -> Tensor:
        """An empty tensor, which a course may fill before the size is known: d2l's layers do."""
        return empty(0, dtype=self._kind)

    @data.setter
    def data(self, new: Tensor) -> None:
        raise ValueError(NO_DATA.format(type(self).__name__))

    def is_floating_point(self) -> bool:
        return self._kind.is_floating_point

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Set the dtype that the tensor will have, and return the tensor."""
        for given in (*args, *kwargs.values()):
            if isinstance(given, Kind):
                self._kind = given
        return self

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Allocate the data; the tensor becomes an ordinary parameter or buffer.

        shape: tuple of ints. dtype: default None, for the tensor's own dtype.
        """
        data = empty(shape, dtype=dtype or self._kind)._data
        self.__class__ = self.becomes  # type: ignore[assignment]
        self._data = data

    def __init__(self, *args: Any, **options: Any) -> None:
        """Do nothing: `__new__` has made the tensor."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = without_data(type(self), self.requires_grad, self._kind)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (without_data, (type(self), self.requires_grad, self._kind))


def without_data(cls: Any, requires_grad: bool, kind: dtype | None) -> Any:
    """Return a tensor of the given class without data."""
    made = make_subclass(cls.becomes, empty(0), requires_grad)
    del made._data
    made.__class__ = cls
    made._kind = kind or get_default_dtype()
    if issubclass(cls, Buffer):
        made.persistent = True
    return made


class UninitializedParameter(Uninitialized, Parameter):
    """A parameter that has no shape yet.

    requires_grad: bool, whether it will get a gradient; default True.
    device: "cpu" or None, because GraphLab computes on the CPU only; default None.
    dtype: the type of its numbers; default None, for `torch.get_default_dtype()`.

    Raises: ValueError or RuntimeError if its data or its shape is used before `materialize`.

    >>> from graphlab import nn
    >>> weight = nn.UninitializedParameter()
    >>> weight.materialize((2, 3))
    >>> type(weight).__name__, weight.shape
    ('Parameter', torch.Size([2, 3]))
    """

    becomes = Parameter

    def __new__(
        cls, requires_grad: bool = True, device: Any = None, dtype: dtype | None = None
    ) -> "UninitializedParameter":
        return without_data(cls, requires_grad, dtype)


class UninitializedBuffer(Uninitialized, Buffer):
    """A buffer that has no shape yet.

    requires_grad: bool, whether it will get a gradient; default False.
    device: "cpu" or None, because GraphLab computes on the CPU only; default None.
    dtype: the type of its numbers; default None, for `torch.get_default_dtype()`.

    Raises: ValueError or RuntimeError if its data or its shape is used before `materialize`.

    >>> from graphlab import nn
    >>> mean = nn.UninitializedBuffer()
    >>> mean.materialize((3,))
    >>> type(mean).__name__, mean.shape
    ('Buffer', torch.Size([3]))
    """

    becomes = Buffer

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: dtype | None = None
    ) -> "UninitializedBuffer":
        return without_data(cls, requires_grad, dtype)
