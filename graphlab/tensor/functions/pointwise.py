"""Operations entry by entry as functions of tensors: `log(d)`, `a * b`, `x > 0`.

Read next: tensor/functions/rounding.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.decisions import compared
from graphlab.autograd.operands import broadcast_error, is_operand, operand, wrapped
from graphlab.autograd.record import applied, apply, recorder
from graphlab.common.dtypes import common, get_default_dtype, number_as
from graphlab.common.public import mark, public
from graphlab.ops import elementwise as e
from graphlab.ops import exponentials as p
from graphlab.tensor.creation import laid_out
from graphlab.tensor.functions import function_of
from graphlab.tensor.functions.checks import need_tensor, not_for, of_tensors, type_name
from graphlab.tensor.tensor import Tensor, wrap

neg = function_of(e.Neg)
reciprocal = function_of(p.Reciprocal)
exp = function_of(e.Exp)
log = function_of(e.Log)
sqrt = function_of(p.Sqrt)
rsqrt = function_of(p.Rsqrt)
sin = function_of(e.Sin)
cos = function_of(e.Cos)
tanh = function_of(e.Tanh)
sigmoid = function_of(e.Sigmoid)
relu = function_of(e.Relu)
abs = function_of(e.Abs)
_sign = recorder(e.Sign)


@public(method=True, in_place=True, out=True)
def sign(input: Tensor) -> Tensor:
    """Return -1, 0 or 1 for each entry; bools stay as they are. input: (...) -> (...).

    >>> torch.sign(torch.tensor([-2.0, 0.0, 3.0]))
    tensor([-1.,  0.,  1.])
    """
    return clone(input) if input._data.dtype.kind == "b" else _sign(input)


mul = function_of(e.Mul)
div = recorder(e.Div, operator=True)
_maximum = recorder(e.Maximum, operator=True)
maximum = of_tensors(_maximum)
minimum = function_of(e.Minimum)
_add = recorder(e.Add, operator=True)
_sub = recorder(e.Sub, operator=True)
_rsub = applied(e.Rsub)


@public(method=True, in_place=True, out=True, operator=True)
def add(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """Return input + alpha * other. input: (...), other: (...) or a number -> (...), broadcast.

    alpha: a number, 1 by default. Raises: RuntimeError for a float `alpha` beside integers.

    >>> torch.add(torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0]), alpha=0.5)
    tensor([ 6., 12.])
    """
    if alpha == 1 and alpha is not True:
        return _add(input, other)
    return apply(e.Add, input, operand(other), alpha=checked_alpha(alpha, input, other))


@public(method=True, in_place=True, out=True, operator=True)
def sub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """Return input - alpha * other. input: (...), other: (...) or a number -> (...), broadcast.

    alpha: a number, 1 by default. Raises: RuntimeError for a float `alpha` beside integers, and
    for bools.

    >>> torch.sub(torch.tensor([1.0, 2.0]), 1)
    tensor([0., 1.])
    """
    if alpha == 1 and alpha is not True:
        return _sub(input, other)
    return apply(e.Sub, input, operand(other), alpha=checked_alpha(alpha, input, other))


def checked_alpha(alpha: float, *operands: Any) -> float:
    """Return the factor. Raises: RuntimeError, in PyTorch's words, for a float beside integers."""
    if isinstance(alpha, float) and not any(
        x._data.dtype.kind == "f" if isinstance(x, Tensor) else isinstance(x, float)
        for x in map(operand, operands)
    ):
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point number."
        )
    kinds = [x._data.dtype for x in map(operand, operands) if isinstance(x, Tensor)]
    if all(
        x._data.dtype.kind == "b" if isinstance(x, Tensor) else isinstance(x, bool)
        for x in map(operand, operands)
    ):
        return bool(alpha)
    if isinstance(alpha, bool):
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if not -128 < alpha < 128:
        number_as(
            alpha, common([x._data if isinstance(x, Tensor) else x for x in map(operand, operands)])
        )
    if (
        alpha < 0
        and any(kind.kind == "u" for kind in kinds)
        and not any(kind.kind in "if" for kind in kinds)
    ):
        return alpha % 256  # as uint8: -1 is 255
    return alpha


@public(operator=True)
def rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """Return other - alpha * input. input: (...), other: (...) or a number -> (...), broadcast.

    alpha: a number, 1 by default.

    >>> torch.rsub(torch.tensor([1.0, 2.0]), 10)
    tensor([9., 8.])
    """
    need_tensor("rsub", "input", 1, input)
    if (type(other) is int or type(other) is float) and input._data.dtype.kind == "f":
        return _rsub(input, other=other, alpha=alpha)  # the usual case
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
    """Return the tensor in the type of its sum with a number: integers and a float give floats."""
    kind = tensor._data.dtype.kind
    if isinstance(number, float):
        return tensor if kind == "f" else tensor.to(get_default_dtype())
    return tensor.long() if kind == "b" and type(number) is int else tensor


def fitted(number: Any, tensor: Tensor) -> Any:
    """Return a number converted for a tensor of integers: wrapped around to their width."""
    kind = tensor._data.dtype
    if kind.kind not in "iu" or type(number) is not int or -128 <= number < 128:
        return number if kind.kind != "u" or number >= 0 else int(wrapped(number).astype(kind))
    return int(wrapped(number).astype(kind))


@public(method=True, in_place=True, out=True, operator=True)
def pow(self: Any, exponent: Any) -> Tensor:
    """Return self to the power of exponent. self, exponent: (...), one may be a number -> (...).

    Raises: RuntimeError for integers to a negative integer.

    >>> torch.pow(torch.tensor([2.0, 3.0]), 2), torch.pow(2, torch.tensor([1.0, 3.0]))
    (tensor([4., 9.]), tensor([2., 8.]))
    """
    if isinstance(exponent, np.ndarray):
        exponent = operand(exponent)
    if not isinstance(self, Tensor):
        if type(self) is bool and exponent._data.dtype.kind == "b":
            raise not_for("pow", exponent)
        exponent = floating_beside(exponent, self)
        return apply(p.PowBase, exponent, self=fitted(operand(self), exponent))
    if isinstance(exponent, Tensor):
        return apply(p.PowTensor, self, exponent)
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
    return apply(p.Pow, self, exponent=operand(exponent))


@public(method=True, in_place=True, out=True)
def square(input: Tensor) -> Tensor:
    """Return the square of each entry. input: (...) -> (...).

    >>> torch.square(torch.tensor([2.0, -3.0]))
    tensor([4., 9.])
    """
    return pow(input, 2)


@public(out=True)
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Return `input` where the condition holds, `other` elsewhere.

    condition: (...) of bool; input, other: (...) or numbers -> (...), broadcast. Without `input`
    and `other`: the indices where the condition holds, a tensor for each dimension.
    Raises: RuntimeError when the condition is not bool, TypeError for only one of `input`, `other`.

    >>> torch.where(torch.tensor([True, False]), torch.tensor([1.0, 2.0]), 0.0)
    tensor([1., 0.])
    """
    if other is None or input is None:
        return places_of(condition, input, other)
    need_tensor("where", "condition", 1, condition)
    if condition._data.dtype.kind != "b":
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{type_name(condition)}"
        )
    for x, beside in ((input, other), (other, input)):
        if isinstance(x, int | float) and not -128 <= x < 128:
            kind = common([x, beside._data if isinstance(beside, Tensor) else beside])
            number_as(x, np.promote_types(kind, np.float32) if kind.kind == "f" else kind)
    return apply(e.Where, condition, input, other)


def places_of(condition: Tensor, input: Any, other: Any) -> tuple[Tensor, ...]:
    """Return the indices where the condition holds. Raises: TypeError, for `where`."""
    alone = input if other is None else other
    if alone is not None:
        kind = "Tensor" if isinstance(alone, Tensor) else type(alone).__name__
        kind = kind if other is None else f"other={kind}"
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


@public(method=True)
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return a copy in memory of its own; gradients flow through it. input: (...) -> (...).

    memory_format: the order of its entries in memory, as they were by default.

    >>> torch.clone(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    return laid_out(apply(e.Clone, input), memory_format)


@public(function=False, method=True)
def contiguous(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return the tensor itself if its entries lie in memory row by row, else a copy that does.

    >>> import graphlab
    >>> graphlab.zeros(2, 3).T.contiguous().stride()
    (2, 1)
    """
    from graphlab.tensor.functions.shared_memory import is_contiguous, laid_out

    if is_contiguous(input, memory_format):
        return input
    return laid_out(apply(e.Clone, input, contiguous=True), memory_format)


TAKES = {float: "fd", int: "fdl"}  # the types of entries that a number takes beside them


def of_two(function: Any, input: Any, other: Any, whole: str = "", bools: bool = True) -> Tensor:
    """Apply a function to the data of two operands in their common type, outside the graph.

    whole: PyTorch's name of the kernel if it works only on integers and, with `bools`, on bools.
    Raises: ShapeError for shapes that do not fit, NotImplementedError for other types.
    """
    a, b = [getattr(x, "_data", x) for x in (operand(input), operand(other))]
    kind = TAKES.get(type(b))
    if kind and isinstance(a, np.ndarray | np.generic) and a.dtype.char in kind and -6e4 < b < 6e4:
        b = a.dtype.type(b)
    elif type(a) is not type(b) or a.dtype != b.dtype:
        kind = common([a, b])
        a, b = (wrapped(x) if type(x) is int else x for x in (a, b))
        a, b = (x if hasattr(x, "dtype") else np.array(x) for x in (a, b))
        a, b = (x.astype(kind, copy=False)[()] for x in (a, b))
    if whole and (a.dtype.kind == "f" or (a.dtype.kind == "b" and not bools)):
        raise not_for(whole, a)
    try:
        return compared(wrap(function(a, b)[()], False, None), function, (input, other))
    except ValueError:
        if found := broadcast_error(np.shape(a), np.shape(b)):
            raise found from None
        raise


SIGNS = {
    "eq": ("=", "False,  True, False"),
    "ne": ("≠", " True, False,  True"),
    "lt": ("<", " True, False, False"),
    "le": ("≤", " True,  True, False"),
    "gt": (">", "False, False,  True"),
    "ge": ("≥", "False,  True,  True"),
}


def compare(name: str, function: Any) -> Any:
    """Return a comparison: it gives a tensor of bool, outside the graph."""

    def call(input: Tensor, other: Any) -> Tensor:
        need_tensor(name, "input", 1, input)
        return of_two(function, input, other) if is_operand(other) else NotImplemented

    call.__name__ = call.__qualname__ = name
    sign, example = SIGNS[name]
    call.__doc__ = f"""Return where `input` {sign} `other`, entry by entry.

    input: (...), other: (...) or a number -> (...) of bool, outside the graph.

    >>> import graphlab as torch
    >>> torch.{name}(torch.tensor([1, 2, 3]), 2)
    tensor([{example}])
    """
    return call


eq = compare("eq", np.equal)
ne = compare("ne", np.not_equal)
lt = compare("lt", np.less)
le = compare("le", np.less_equal)
gt = compare("gt", np.greater)
ge = compare("ge", np.greater_equal)


EXAMPLES = {
    "isnan": "False,  True, False",
    "isinf": "False, False,  True",
    "isfinite": " True, False, False",
}


def plain(function: Any) -> Any:
    """Return a function of the data alone, outside the graph."""

    def call(input: Tensor) -> Tensor:
        return wrap(function(input._data), False, None)

    call.__name__ = call.__qualname__ = name = function.__name__
    kind, example = name.removeprefix("is"), EXAMPLES[name]
    call.__doc__ = f"""Return where an entry is {kind}. input: (...) -> (...) of bool.

    >>> import graphlab as torch
    >>> torch.{name}(torch.tensor([1.0, torch.nan, torch.inf]))
    tensor([{example}])
    """
    return call


isnan = plain(np.isnan)
isinf = plain(np.isinf)
isfinite = plain(np.isfinite)

absolute, negative, multiply, subtract = abs, neg, mul, sub
greater, greater_equal, less, less_equal, not_equal = gt, ge, lt, le, ne
mark("absolute negative", method=True, in_place=True, out=True)
mark(
    "eq ge greater greater_equal gt le less less_equal lt multiply ne not_equal subtract",
    method=True, in_place=True, out=True, operator=True,
)  # fmt: skip
mark("isfinite isinf isnan", method=True)
mark("maximum", method=True, out=True, operator=True)
