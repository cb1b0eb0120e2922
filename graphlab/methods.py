"""What a tensor can do: the functions of functional/ as methods and operators.

Read next: printing.py
"""

from importlib import import_module
from typing import Any

import numpy as np

from graphlab import casting, inplace
from graphlab import functional as F
from graphlab.autograd.backward import backward
from graphlab.autograd.hooks import (
    hooks_of,
    register_hook,
    register_post_accumulate_grad_hook,
)
from graphlab.autograd.record import operand
from graphlab.contents import BOTH, IN_PLACE, METHODS, homes
from graphlab.contents import OPERATORS as SHARED
from graphlab.functional import conversions, memory
from graphlab.functional.checks import answered
from graphlab.functional.matrix_product import operator as matmul_operator
from graphlab.functional.pointwise import _add, _sub, div
from graphlab.functional.shapes import matrices_transposed, reversed_dims
from graphlab.indexing import getitem, iterate
from graphlab.printing import tensor_text
from graphlab.tensor import Tensor


def run_backward(
    self: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of this tensor to the `.grad` of every leaf that it depends on.

    gradient: what flows in, in the shape of the tensor; may be left out for one entry.
    Raises: as `autograd.backward` does.
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def divide_into(self: Tensor, other: Any) -> Tensor:
    """other / self, as PyTorch records it: the reciprocal times `other`."""
    return F.mul(F.reciprocal(self), other)


def power_of(self: Tensor, base: Any) -> Tensor:
    """base ** self."""
    return F.pow(operand(base) if isinstance(base, np.ndarray) else base, self)


def later(name: str, where: Any = F) -> Any:
    """An operator whose function is loaded when it is first used; where: a module, or its name."""

    def call(*operands: Any) -> Any:
        module = import_module(f"graphlab.functional.{where}") if isinstance(where, str) else where
        return getattr(module, name)(*operands)

    return call


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """`self[key] = value`; what that needs is loaded at the first assignment."""
    Tensor.__setitem__ = import_module("graphlab.assignment").setitem  # type: ignore[method-assign]
    self[key] = value


OPERATORS: dict[str, Any] = {
    "__add__": _add, "__radd__": _add, "__sub__": _sub, "__rsub__": F.rsub,
    "__mul__": F.mul, "__rmul__": F.mul, "__truediv__": div, "__rtruediv__": divide_into,
    "__pow__": F.pow, "__rpow__": power_of, "__matmul__": matmul_operator, "__neg__": F.neg,
    "__abs__": F.abs, "__pos__": later("positive"), "__mod__": later("remainder"),
    "__rmod__": later("remainder_of", "division"),
    "__eq__": F.eq, "__ne__": F.ne, "__lt__": F.lt, "__le__": F.le, "__gt__": F.gt, "__ge__": F.ge,
    "__invert__": later("invert", "bits"), "__and__": later("bitwise_and"),
    "__rand__": later("bitwise_and"), "__or__": later("bitwise_or"), "__ror__": later("bitwise_or"),
    "__xor__": later("bitwise_xor"), "__rxor__": later("bitwise_xor"),
    "__lshift__": later("bitwise_left_shift"), "__rshift__": later("bitwise_right_shift"),
    "__rlshift__": later("left_shift_of", "bits"), "__rrshift__": later("right_shift_of", "bits"),
    "__floordiv__": later("floor_divide"), "__rfloordiv__": later("floor_divide_into", "division"),
    "__iadd__": inplace.add_, "__isub__": inplace.sub_, "__imul__": inplace.mul_,
    "__itruediv__": later("div_", inplace), "__ipow__": inplace.pow_,
    "__imod__": later("remainder_", inplace),
    "__repr__": tensor_text, "__contains__": later("contains", "choosing"),
    "__getitem__": getitem, "__setitem__": setitem, "__iter__": iterate,
}  # fmt: skip


class Later:
    """A method that is loaded when it is first asked for, and takes this one's place."""

    __slots__ = ("name", "where")

    def __init__(self, name: str, where: Any) -> None:
        self.name = name
        self.where = where

    def __get__(self, instance: Tensor | None, owner: type[Tensor]) -> Any:
        function = getattr(self.where, self.name)
        function = answered(function) if self.name in SHARED else function
        setattr(Tensor, self.name, function)
        return function if instance is None else function.__get__(instance, owner)


for name in homes(BOTH, METHODS):
    setattr(Tensor, name, Later(name, F))
for name in homes(IN_PLACE):
    setattr(Tensor, f"{name}_", Later(f"{name}_", inplace))
for name, function in OPERATORS.items():
    setattr(Tensor, name, function)


def where_(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """The entries where the condition holds, those of `other` elsewhere."""
    return F.where(condition, self, other)


METHODS: dict[str, Any] = {
    "where": where_,
    "backward": run_backward, "register_hook": register_hook,
    "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
    **casting.METHODS,
}  # fmt: skip
for name, function in {**METHODS, **conversions.SPECIAL, **memory.SPECIAL}.items():
    setattr(Tensor, name, function)

Tensor._backward_hooks = property(hooks_of)  # type: ignore[assignment]
Tensor.T = property(reversed_dims)  # type: ignore[assignment]
Tensor.mT = property(matrices_transposed)  # type: ignore[assignment]
Tensor.__hash__ = object.__hash__  # type: ignore[method-assign]
