"""Parameters, the tensors that a module learns, and buffers, which it stores without learning.

A module recognises both by their class.

Read next: nn/module.py
"""

from typing import Any

from graphlab.autograd.operands import is_operand
from graphlab.tensor.creation import empty
from graphlab.tensor.methods import make_subclass
from graphlab.tensor.tensor import Tensor


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
