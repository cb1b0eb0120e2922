"""The methods and operators of a tensor, made from the functions of tensor/functions.

Read next: tensor/printing.py
"""

import warnings
from importlib import import_module
from typing import Any

import numpy as np

from graphlab.autograd.backward import run_backward
from graphlab.autograd.hooks import (
    hooks_of,
    register_hook,
    register_post_accumulate_grad_hook,
    set_hooks,
)
from graphlab.autograd.operands import is_operand, operand
from graphlab.common.dtypes import dtype
from graphlab.common.errors import named_kind, users_level
from graphlab.common.public import IN_PLACE, METHODS, OPERATIONS
from graphlab.common.public import OPERATORS as SHARED
from graphlab.ops.base import Op, announced
from graphlab.tensor import casting
from graphlab.tensor import functions as F
from graphlab.tensor.functions import is_operator
from graphlab.tensor.functions.checks import answered
from graphlab.tensor.functions.pointwise import _add, _sub, div
from graphlab.tensor.functions.refusals import in_words
from graphlab.tensor.sizes import Described, set_grad_dtype
from graphlab.tensor.tensor import Tensor


def construct(self: Tensor, *data: Any, device: Any = None) -> None:
    """Build `Tensor([1, 2])`, or `Tensor(2, 3)` with arbitrary entries.

    For a tensor x, `Tensor(x)` is a view of x.
    """
    from graphlab.tensor.legacy import tensor_data

    if len(data) == 1 and isinstance(data[0], Tensor):
        take_slots(self, data[0][...])
        return
    self._data = tensor_data(data, device)
    self._needs, self._node, self._grad, self._more = False, None, None, None


def make_subclass(cls: type[Tensor], data: Tensor, require_grad: bool = False) -> Any:
    """Return a leaf tensor of the class `cls` that shares the memory of `data`."""
    made = take_slots(object.__new__(cls), data.detach())
    made._needs = require_grad
    return made


def as_subclass(self: Tensor, cls: type[Tensor]) -> Any:
    """Return a view of the tensor that is an instance of `cls`. Raises: TypeError for others.

    >>> import graphlab as torch
    >>> class Image(torch.Tensor): ...
    >>> type(torch.ones(2).as_subclass(Image)).__name__
    'Image'
    """
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {named_kind(cls)})")
    if not issubclass(cls, Tensor):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not "
            "possible. Make sure your class inherits from Tensor."
        )
    return take_slots(object.__new__(cls), self[...])


def take_slots(made: Tensor, source: Tensor) -> Tensor:
    """Return `made`, which is what `source` is from now on."""
    for slot in ("_data", "_needs", "_node", "_grad", "_more"):
        setattr(made, slot, getattr(source, slot))
    return made


def divide_into(self: Tensor, other: Any) -> Tensor:
    """Return other / self, as PyTorch records it: the reciprocal times `other`."""
    return F.mul(F.reciprocal(self), other)


def power_of(self: Tensor, base: Any) -> Tensor:
    """Return base ** self."""
    if not is_operand(base):
        return NotImplemented
    return F.pow(operand(base) if isinstance(base, np.ndarray) else base, self)


PROPERTIES = {  # the function of each property in tensor/functions/arrange.py, and what it does
    "T": ("reversed_dims", "The tensor with its dimensions in reverse order."),
    "H": ("matrix_transposed", "The matrix with rows and columns exchanged: (N, M) -> (M, N)."),
    "mT": ("matrices_transposed", "The last two dimensions exchanged: (..., N, M) -> (..., M, N)."),
    "mH": ("adjoint", "The last two dimensions exchanged: (..., N, M) -> (..., M, N)."),
}


def later_property(name: str) -> property:
    """Return a property whose function is loaded on first use."""
    called, sentence = PROPERTIES[name]
    example = f">>> import graphlab\n>>> graphlab.zeros(2, 3).{name}.shape\ntorch.Size([3, 2])\n"
    doc = f"{sentence}\n\n{example}"

    def found(self: Tensor) -> Any:
        function = getattr(import_module("graphlab.tensor.functions.arrange"), called)
        setattr(Tensor, name, property(function, doc=doc))
        return getattr(self, name)

    return property(found, doc=doc)


NOT_DELETED = {
    "data": "Deleting tensor data is not allowed. Delete tensor instead!",
    "requires_grad": "requires_grad must be a bool",
    "_grad_fn": "Deletion of _grad_fn not allowed. Detach tensor instead!",
    "_backward_hooks": "Deletion of _backwards_hooks not allowed!",
}


def not_deleted(why: str) -> Any:
    """Return a function that refuses to delete a property.

    A `__delattr__` would do the same, but with one Python stores every attribute of a tensor eight
    times as slowly.
    """

    def refuse(self: Tensor) -> None:
        raise RuntimeError(why)

    return refuse


OPERATORS: dict[str, Any] = {  # a function, or the module that has it and its name there
    "__add__": _add, "__radd__": _add, "__sub__": _sub, "__rsub__": F.rsub,
    "__mul__": F.mul, "__rmul__": F.mul, "__truediv__": div, "__rtruediv__": divide_into,
    "__pow__": F.pow, "__rpow__": power_of, "__neg__": F.neg, "__abs__": F.abs,
    "__eq__": F.eq, "__ne__": F.ne, "__lt__": F.lt, "__le__": F.le, "__gt__": F.gt, "__ge__": F.ge,
    "__matmul__": ("tensor.functions.matrix_product", "operator"),
    "__pos__": ("tensor.functions", "positive"),
    "__mod__": ("tensor.functions", "remainder"),
    "__rmod__": ("tensor.functions.rounding", "remainder_of"),
    "__floordiv__": ("tensor.functions", "floor_divide"),
    "__rfloordiv__": ("tensor.functions.rounding", "floor_divide_into"),
    "__invert__": ("tensor.functions.bits", "invert"),
    "__and__": ("tensor.functions", "bitwise_and"), "__rand__": ("tensor.functions", "bitwise_and"),
    "__or__": ("tensor.functions", "bitwise_or"), "__ror__": ("tensor.functions", "bitwise_or"),
    "__xor__": ("tensor.functions", "bitwise_xor"), "__rxor__": ("tensor.functions", "bitwise_xor"),
    "__lshift__": ("tensor.functions", "bitwise_left_shift"),
    "__rshift__": ("tensor.functions", "bitwise_right_shift"),
    "__rlshift__": ("tensor.functions.bits", "left_shift_of"),
    "__rrshift__": ("tensor.functions.bits", "right_shift_of"),
    "__iadd__": ("tensor.inplace", "operator_add"), "__isub__": ("tensor.inplace", "operator_sub"),
    "__imul__": ("tensor.inplace", "operator_mul"),
    "__itruediv__": ("tensor.inplace", "operator_div"),
    "__ipow__": ("tensor.inplace", "operator_pow"),
    "__imod__": ("tensor.inplace", "operator_remainder"),
    "__ifloordiv__": ("tensor.inplace", "operator_floor_divide"),
    "__iand__": ("tensor.inplace", "operator_bitwise_and"),
    "__ior__": ("tensor.inplace", "operator_bitwise_or"),
    "__ixor__": ("tensor.inplace", "operator_bitwise_xor"),
    "__ilshift__": ("tensor.inplace", "operator_bitwise_left_shift"),
    "__irshift__": ("tensor.inplace", "operator_bitwise_right_shift"),
    "__rmatmul__": ("tensor.functions.matrix_product", "product_after"),
    "__rdiv__": divide_into,
    "__getitem__": ("tensor.indexing", "getitem"), "__setitem__": ("tensor.assignment", "setitem"),
    "__delitem__": ("tensor.assignment", "delitem"),
    "__iter__": ("tensor.indexing", "iterate"), "__repr__": ("tensor.printing", "tensor_text"),
    "__contains__": ("tensor.functions.choosing", "contains"),
    "__reversed__": ("tensor.functions.arrange", "flipud"),
    "__deepcopy__": ("tensor.functions.shared_memory", "deep_copied"),
    "__reduce_ex__": ("tensor.functions.shared_memory", "reduced"),
    "__bool__": ("tensor.functions.conversions", "as_bool"),
    "__float__": ("tensor.functions.conversions", "as_float"),
    "__int__": ("tensor.functions.conversions", "as_int"),
    "__index__": ("tensor.functions.conversions", "as_index"),
    "__format__": ("tensor.functions.conversions", "formatted"),
    "__array__": ("tensor.functions.conversions", "as_array"),
    "__array_wrap__": ("tensor.functions.conversions", "from_array"),
    "__dlpack__": ("tensor.functions.conversions", "dlpack"),
    "__dlpack_device__": ("tensor.functions.conversions", "dlpack_device"),
}  # fmt: skip


class Later:
    """A method that is loaded on first use, and then replaces this object.

    where: the module of the function; called: its name there, if it is not that of the method.
    """

    __slots__ = ("called", "name", "where")

    def __init__(self, name: str, where: str, called: str = "") -> None:
        self.name = name
        self.where = where
        self.called = called

    def __get__(self, instance: Tensor | None, owner: type[Tensor]) -> Any:
        function = getattr(import_module(f"graphlab.{self.where}"), self.called or self.name)
        shared = self.name in SHARED or is_operator(self.name)
        function = in_words(answered(function, 0) if shared else function, 0)
        setattr(Tensor, self.name, function)
        return function if instance is None else function.__get__(instance, owner)


def attach(op: type[Op]) -> None:
    """Give tensors the methods of an operation that has been defined just now."""
    if op.method and not hasattr(Tensor, op.name):
        setattr(Tensor, op.name, Later(op.name, "tensor.functions"))
    if op.in_place and not hasattr(Tensor, f"{op.name}_"):
        setattr(Tensor, f"{op.name}_", Later(f"{op.name}_", "tensor.inplace"))


announced.append(attach)
for name, (_, kinds) in OPERATIONS.items():
    if "method" in kinds:
        setattr(Tensor, name, Later(name, "tensor.functions"))
    if "in_place" in kinds:
        setattr(Tensor, f"{name}_", Later(f"{name}_", "tensor.inplace"))
for name in METHODS:
    setattr(Tensor, name, Later(name, "tensor.functions"))
for name in ("hardshrink", "prelu"):
    setattr(Tensor, name, Later(name, "nn.functional.piecewise"))
for name in IN_PLACE:
    setattr(Tensor, f"{name}_", Later(f"{name}_", "tensor.inplace"))
for name, operator in OPERATORS.items():
    setattr(Tensor, name, Later(name, *operator) if isinstance(operator, tuple) else operator)


def where_(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """Return the entries where the condition holds, those of `other` elsewhere.

    >>> import graphlab
    >>> x = graphlab.tensor([-1.0, 2.0])
    >>> x.where(x > 0, 0.0)
    tensor([0., 2.])
    """
    return F.where(condition, self, other)


METHODS: dict[str, Any] = {
    "where": where_, "_backward_hooks": property(hooks_of, set_hooks),
    "backward": run_backward, "register_hook": register_hook,
    "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
    "_make_subclass": staticmethod(make_subclass),
    "as_subclass": as_subclass,
    **casting.METHODS,
}  # fmt: skip
for name, function in METHODS.items():
    setattr(Tensor, name, function)
run_backward.__qualname__ = "Tensor.backward"  # Python names it in its errors
where_.__qualname__, construct.__qualname__ = "where", "new"
for function in (register_hook, register_post_accumulate_grad_hook):
    function.__qualname__ = f"Tensor.{function.__name__}"
for function in vars(Described).values():
    if hasattr(function, "__code__"):
        function.__qualname__ = f"Tensor.{function.__name__}"

for name, why in NOT_DELETED.items():
    kept = vars(Tensor).get(name, Tensor.grad_fn)
    setattr(Tensor, name, kept.deleter(not_deleted(why)))
_tensor: Any = Tensor
_tensor.real = property(
    lambda self: self,
    doc="""The tensor itself: there are no complex numbers.

    >>> import graphlab
    >>> graphlab.ones(2).real
    tensor([1., 1.])
    """,
)
_tensor.imag = property(
    lambda self: F.imag(self),
    doc="""Raise RuntimeError: there are no complex numbers.

    >>> import graphlab
    >>> graphlab.ones(2).imag
    Traceback (most recent call last):
    RuntimeError: imag is not implemented for tensors with non-complex dtypes.
    """,
)


def volatile(self: Tensor, value: Any = None) -> Any:
    """False, with a warning: what this flag did, `no_grad` does now.

    >>> import graphlab, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     graphlab.ones(2).volatile
    False
    """
    now = "and now has no effect. Use `with torch.no_grad():` instead."
    now = "(Variable.volatile is always False)" if value is None else now
    warnings.warn(f"volatile was removed {now}", UserWarning, stacklevel=users_level())
    return False


def grad_dtype(self: Tensor) -> dtype | None:
    """The type of the gradients that a leaf gets: its own, the one that was set, or None: any.

    >>> import graphlab as torch
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> x.grad_dtype = torch.float64
    >>> x.exp().backward()
    >>> x.grad
    tensor([2.7183], dtype=torch.float64)
    """
    if self._node is not None:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    more = self._more
    return self.dtype if more is None or more.grad_dtype is ... else more.grad_dtype


_tensor.volatile = property(volatile, volatile)
_tensor.grad_dtype = property(grad_dtype, set_grad_dtype)
for name in PROPERTIES:
    setattr(Tensor, name, later_property(name))
Tensor.__init__ = construct
Tensor.__hash__ = object.__hash__
