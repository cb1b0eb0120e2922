"""Operations entry by entry as functions of tensors: `log(d)`, `a * b`, `x > 0`.

Read next: tensor/functions/division.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.operands import broadcast_error, is_operand, operand, wrapped
from graphlab.autograd.record import applied, apply, recorder
from graphlab.common.dtypes import common, get_default_dtype
from graphlab.ops import elementwise as e
from graphlab.tensor.functions.checks import need_tensor, not_for, of_tensors, type_name
from graphlab.tensor.tensor import Tensor, wrap

neg = recorder(e.Neg)
reciprocal = recorder(e.Reciprocal)
exp = recorder(e.Exp)
log = recorder(e.Log)
log1p = recorder(e.Log1p)
sqrt = recorder(e.Sqrt)
rsqrt = recorder(e.Rsqrt)
sin = recorder(e.Sin)
cos = recorder(e.Cos)
tanh = recorder(e.Tanh)
sigmoid = recorder(e.Sigmoid)
relu = recorder(e.Relu)
abs = recorder(e.Abs)
_sign = recorder(e.Sign)


def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1; of bools, themselves."""
    return clone(input) if input._data.dtype.kind == "b" else _sign(input)


mul = recorder(e.Mul, operator=True)
div = recorder(e.Div, operator=True)
_maximum = recorder(e.Maximum, operator=True)
maximum = of_tensors(_maximum)
minimum = of_tensors(recorder(e.Minimum, operator=True))
_add = recorder(e.Add, operator=True)
_sub = recorder(e.Sub, operator=True)
_rsub = applied(e.Rsub)


def add(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input + alpha * other."""
    if alpha == 1:
        return _add(input, other)
    return apply(e.Add, input, operand(other), alpha=checked_alpha(alpha, input, other))


def sub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input - alpha * other."""
    if alpha == 1:
        return _sub(input, other)
    return apply(e.Sub, input, operand(other), alpha=checked_alpha(alpha, input, other))


def checked_alpha(alpha: float, *operands: Any) -> float:
    """The factor itself. Raises: RuntimeError, as PyTorch says it, for a float beside integers."""
    if isinstance(alpha, float) and not any(
        x._data.dtype.kind == "f" if isinstance(x, Tensor) else isinstance(x, float)
        for x in map(operand, operands)
    ):
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point number."
        )
    return alpha


def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """other - alpha * input."""
    if (type(other) is int or type(other) is float) and input._data.dtype.kind == "f":
        return _rsub(input, other=other, alpha=alpha)  # as nearly always
    if isinstance(other, np.ndarray):
        other = operand(other)
    if isinstance(other, Tensor):
        return sub(other, input, alpha=alpha)
    if not is_operand(other):
        return NotImplemented
    bools = (type(other) is bool) + (input._data.dtype.kind == "b")
    if bools:
        raise RuntimeError(e.NO_SUBTRACTION_OF_TWO if bools == 2 else e.NO_SUBTRACTION)
    checked_alpha(alpha, input, other)
    input = floating_beside(input, other)
    return _rsub(input, other=fitted(operand(other), input), alpha=alpha)


def floating_beside(tensor: Tensor, number: Any) -> Tensor:
    """The tensor in the type that it has beside a number: default floats beside a float."""
    kind = tensor._data.dtype.kind
    if isinstance(number, float):
        return tensor if kind == "f" else tensor.to(get_default_dtype())
    return tensor.long() if kind == "b" and type(number) is int else tensor


def fitted(number: Any, tensor: Tensor) -> Any:
    """The number beside a tensor: beside integers it wraps around to their width."""
    kind = tensor._data.dtype
    if kind.kind not in "iu" or type(number) is not int or -128 <= number < 128:
        return number if kind.kind != "u" or number >= 0 else int(wrapped(number).astype(kind))
    return int(wrapped(number).astype(kind))


def pow(self: Any, exponent: Any) -> Tensor:
    """A power; either side may be a number."""
    if isinstance(exponent, np.ndarray):
        exponent = operand(exponent)
    if not isinstance(self, Tensor):
        if type(self) is bool and exponent._data.dtype.kind == "b":
            raise not_for("pow", exponent)
        exponent = floating_beside(exponent, self)
        return apply(e.PowBase, exponent, self=fitted(operand(self), exponent))
    if isinstance(exponent, Tensor):
        return apply(e.PowTensor, self, exponent)
    if not is_operand(exponent):
        return NotImplemented
    self = floating_beside(self, exponent)
    kind = self._data.dtype
    if kind.kind == "b":  # beside a bool
        return wrap(np.logical_or(self._data, not exponent), False, None)
    if kind.kind in "iu" and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if kind.kind in "iu" and fitted(operand(exponent), self) != exponent:
        name = f"{kind.name}_t"
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")
    return apply(e.Pow, self, exponent=operand(exponent))


def square(input: Tensor) -> Tensor:
    """input ** 2."""
    return pow(input, 2)


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """`input` where the condition holds, `other` elsewhere; the places where it holds without both.

    Raises: RuntimeError without bools, TypeError for one of the two alone.
    """
    if other is None:
        return places_of(condition, input)
    need_tensor("where", "condition", 1, condition)
    if condition._data.dtype.kind != "b":
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{type_name(condition)}"
        )
    return apply(e.Where, condition, input, other)


def places_of(condition: Tensor, alone: Any) -> tuple[Tensor, ...]:
    """Where the condition holds: the indices of each dimension. Raises: TypeError, for `where`."""
    if alone is not None:
        kind = "Tensor" if isinstance(alone, Tensor) else type(alone).__name__
        raise TypeError(
            f"where() received an invalid combination of arguments - got (Tensor, {kind}), but "
            "expected one of:\n * (Tensor condition)\n"
            " * (Tensor condition, Tensor input, Tensor other, *, Tensor out = None)\n"
            " * (Tensor condition, Number self, Tensor other)\n"
            " * (Tensor condition, Tensor input, Number other)\n"
            " * (Tensor condition, Number self, Number other)\n"
        )
    need_tensor("where", "condition", 1, condition)
    indices = np.nonzero(np.atleast_1d(condition._data))
    return tuple(wrap(each.astype(np.int64), False, None) for each in indices)


def clone(input: Tensor) -> Tensor:
    """A copy in memory of its own, through which gradients flow."""
    return apply(e.Clone, input)


def contiguous(input: Tensor) -> Tensor:
    """The tensor itself where its entries lie in memory row by row, else a copy that does."""
    if input._data.flags.c_contiguous:
        return input
    return apply(e.Clone, input, contiguous=True)


def of_two(function: Any, input: Any, other: Any, whole: str = "", bools: bool = True) -> Tensor:
    """A function of the data of two operands in their common type, outside the graph.

    whole: PyTorch's name of the kernel, where it works on integers and, with `bools`, bools alone.
    Raises: ShapeError for shapes that do not fit, NotImplementedError for other types.
    """
    a, b = (x._data if isinstance(x, Tensor) else x for x in (operand(input), operand(other)))
    if type(a) is not type(b) or a.dtype != b.dtype:
        kind = common([a, b])
        a, b = (np.asarray(x).astype(kind)[()] for x in (a, b))
    if whole and (a.dtype.kind == "f" or (a.dtype.kind == "b" and not bools)):
        raise not_for(whole, a)
    try:
        return wrap(function(a, b)[()], False, None)
    except ValueError:
        if found := broadcast_error(np.shape(a), np.shape(b)):
            raise found from None
        raise


def compare(name: str, function: Any) -> Any:
    """A comparison: a tensor of bool, outside the graph."""

    def call(input: Tensor, other: Any) -> Tensor:
        return of_two(function, input, other) if is_operand(other) else NotImplemented

    call.__name__ = name
    call.__doc__ = f"Where `input` is {name} `other`, entry by entry: a tensor of bool."
    return call


eq = compare("eq", np.equal)
ne = compare("ne", np.not_equal)
lt = compare("lt", np.less)
le = compare("le", np.less_equal)
gt = compare("gt", np.greater)
ge = compare("ge", np.greater_equal)


def plain(function: Any) -> Any:
    """A function of data alone, outside the graph."""

    def call(input: Tensor) -> Tensor:
        return wrap(function(input._data), False, None)

    return call


isnan = plain(np.isnan)
isinf = plain(np.isinf)
isfinite = plain(np.isfinite)
