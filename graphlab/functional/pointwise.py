"""Operations entry by entry as functions of tensors: `log(d)`, `a * b`, `x > 0`.

Read next: functional/division.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.record import apply, binary, broadcast_error, is_operand, operand, unary
from graphlab.dtypes import common, get_default_dtype
from graphlab.functional.checks import not_for
from graphlab.ops import elementwise as e
from graphlab.tensor import Tensor, wrap

neg = unary(e.Neg)
reciprocal = unary(e.Reciprocal)
exp = unary(e.Exp)
log = unary(e.Log)
log1p = unary(e.Log1p)
sqrt = unary(e.Sqrt)
rsqrt = unary(e.Rsqrt)
sin = unary(e.Sin)
cos = unary(e.Cos)
tanh = unary(e.Tanh)
sigmoid = unary(e.Sigmoid)
relu = unary(e.Relu)
abs = unary(e.Abs)
_sign = unary(e.Sign)


def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1; of bools, themselves."""
    return clone(input) if input._data.dtype.kind == "b" else _sign(input)


mul = binary(e.Mul)
div = binary(e.Div)
maximum = binary(e.Maximum)
minimum = binary(e.Minimum)
_add = binary(e.Add)
_sub = binary(e.Sub)


def add(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input + alpha * other."""
    return _add(input, other) if alpha == 1 else apply(e.Add, input, operand(other), alpha=alpha)


def sub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input - alpha * other."""
    return _sub(input, other) if alpha == 1 else apply(e.Sub, input, operand(other), alpha=alpha)


def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """other - alpha * input."""
    if isinstance(other, np.ndarray):
        other = operand(other)
    if isinstance(other, Tensor):
        return sub(other, input, alpha=alpha)
    if not is_operand(other):
        return NotImplemented
    input = floating_beside(input, other)
    return apply(e.Rsub, input, other=operand(other), alpha=alpha)


def floating_beside(tensor: Tensor, number: Any) -> Tensor:
    """A tensor of integers beside a Python float takes the default type."""
    floating = isinstance(number, float) and tensor._data.dtype.kind != "f"
    return tensor.to(get_default_dtype()) if floating else tensor


def pow(self: Any, exponent: Any) -> Tensor:
    """A power; either side may be a number."""
    if isinstance(exponent, np.ndarray):
        exponent = operand(exponent)
    if not isinstance(self, Tensor):
        return apply(e.PowBase, floating_beside(exponent, self), self=operand(self))
    if isinstance(exponent, Tensor):
        return apply(e.PowTensor, self, exponent)
    if not is_operand(exponent):
        return NotImplemented
    self = floating_beside(self, exponent)
    if self._data.dtype.kind == "b":
        self = self.long()
    return apply(e.Pow, self, exponent=operand(exponent))


def square(input: Tensor) -> Tensor:
    """input ** 2."""
    return pow(input, 2)


def where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """`input` where the condition holds, `other` elsewhere."""
    return apply(e.Where, condition, input, other)


def clone(input: Tensor) -> Tensor:
    """A copy in memory of its own, through which gradients flow."""
    return apply(e.Clone, input)


def contiguous(input: Tensor) -> Tensor:
    """The tensor itself where its entries lie in memory row by row, else a copy that does."""
    if input._data.flags.c_contiguous:
        return input
    return apply(e.Clone, input, contiguous=True)


def of_two(function: Any, input: Any, other: Any, whole: str = "") -> Tensor:
    """A function of the data of two operands in their common type, outside the graph.

    whole: PyTorch's name of the kernel, where it works on integers and bools alone.
    Raises: ShapeError for shapes that do not fit, NotImplementedError for other types.
    """
    a, b = (x._data if isinstance(x, Tensor) else x for x in (operand(input), operand(other)))
    if type(a) is not type(b) or a.dtype != b.dtype:
        kind = common([a, b])
        a, b = (np.asarray(x).astype(kind)[()] for x in (a, b))
    if whole and a.dtype.kind == "f":
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
