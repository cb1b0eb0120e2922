"""Trigonometric and special functions, exponentials and logarithms: `tan(x)`, `erf(x)`, `i0(x)`.

Read next: primitives/table.py
"""

import math
from typing import Any

from graphlab.autograd.operands import is_operand, operand
from graphlab.autograd.record import apply, recorder
from graphlab.common.dtypes import float64
from graphlab.common.public import mark, public
from graphlab.ops import exponentials as e
from graphlab.ops import probability as q
from graphlab.ops import trigonometry as t
from graphlab.tensor.functions import function_of
from graphlab.tensor.functions.pointwise import pow
from graphlab.tensor.functions.rounding import add_number, mul_number
from graphlab.tensor.tensor import Tensor

# PyTorch's other names
arccos, arccosh = function_of(t.Acos), function_of(t.Acosh)
arcsin, arcsinh = function_of(t.Asin), function_of(t.Asinh)
arctan, arctanh = function_of(t.Atan), function_of(t.Atanh)
arctan2 = function_of(t.Atan2)
mark("arccos arccosh arcsin arcsinh arctan arctanh", method=True, in_place=True, out=True)
mark("arctan2", method=True, in_place=True, out=True, operator=True)

erf = function_of(e.Erf)
_xlogy = recorder(e.Xlogy, operator=True)
_xlog1py = recorder(q.SpecialXlog1py, operator=True)


@public(method=True, in_place=True, out=True)
def xlogy(input: Any, other: Any) -> Tensor:
    """Return input · log(other), and 0 where `input` is 0.

    input, other: (...), one may be a number -> (...), floats.

    >>> torch.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 3.0]))
    tensor([0.0000, 2.1972])
    """
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        return _xlogy(input, other)
    with_one_number("xlogy", input, other)
    if isinstance(input, Tensor):
        return apply(e.XlogyOther, input, other=operand(other))
    return apply(e.XlogySelf, other, self=operand(input))


def with_one_number(name: str, *operands: Any) -> None:
    """Raise TypeError, in PyTorch's words, unless a tensor stands beside a number."""
    if any(isinstance(x, Tensor) for x in operands) and all(is_operand(x) for x in operands):
        return
    kinds = ["Tensor" if isinstance(x, Tensor) else type(x).__name__ for x in operands]
    raise TypeError(
        f"{name}() received an invalid combination of arguments - got ({', '.join(kinds)}), but "
        "expected one of:\n * (Tensor input, Tensor other, *, Tensor out = None)\n"
        " * (Number self, Tensor other, *, Tensor out = None)\n"
        " * (Tensor input, Number other, *, Tensor out = None)\n"
    )


@public(method=True, in_place=True, out=True)
def polygamma(n: int, input: Tensor) -> Tensor:
    """Return the n-th derivative of the digamma function, n ≥ 0. input: (...) -> (...), floats.

    Raises: RuntimeError for a negative n, TypeError for an n that is not an integer.

    >>> torch.polygamma(1, torch.tensor([1.0, 2.0]))
    tensor([1.6449, 0.6449])
    """
    if isinstance(n, Tensor):  # x.polygamma(n)
        n, input = input, n  # type: ignore[assignment]
    if not isinstance(n, int):
        raise TypeError(
            f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}"
        )
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return apply(q.Polygamma, input, n=n)


@public(method=True, in_place=True, out=True)
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """Return the logarithm of the Γ function of `p` dimensions.

    input: (...), above (p - 1)/2 -> (...).
    Raises: RuntimeError for p < 1 and for bools.

    >>> torch.mvlgamma(torch.tensor([2.0, 3.0]), 1)
    tensor([0.0000, 0.6931])
    """
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if input._data.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    return apply(q.Mvlgamma, input, p=p)


@public(method=True, in_place=True, out=True)
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """Return log(p / (1 - p)), the inverse of the sigmoid.

    input: (...), 0 < p < 1 -> (...), floats.
    eps: clamp p to [eps, 1 - eps] first, unless None.

    >>> torch.logit(torch.tensor([0.5, 0.8]))
    tensor([0.0000, 1.3863])
    """
    return apply(q.Logit, input, eps=eps)


def xlog1py(input: Any, other: Any) -> Tensor:
    """Return input · log(1 + other), and 0 where `input` is 0.

    input, other: (...), one may be a number -> (...), floats.

    >>> import graphlab as torch
    >>> torch.special.xlog1py(torch.tensor([0.0, 2.0]), torch.tensor([-1.0, 1.0]))
    tensor([0.0000, 1.3863])
    """
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        return _xlog1py(input, other)
    with_one_number("special_xlog1py", input, other)
    if isinstance(input, Tensor):
        return apply(q.SpecialXlog1pyOther, input, other=operand(other))
    return apply(q.SpecialXlog1pySelf, other, self=operand(input))


@public(method=True, in_place=True, out=True)
def float_power(input: Any, exponent: Any) -> Tensor:
    """Return input to the power of exponent, computed in float64.

    input, exponent: (...), one may be a number -> (...), float64.

    >>> torch.float_power(torch.tensor([2, 3]), 2)
    tensor([4., 9.], dtype=torch.float64)
    """
    sides = (x.to(float64) if isinstance(x, Tensor) else float(x) for x in (input, exponent))
    return pow(*sides)


def ndtr(input: Tensor) -> Tensor:
    """Return Φ(x), the distribution function of the normal distribution. input: (...), floats.

    >>> import graphlab as torch
    >>> torch.special.ndtr(torch.tensor([0.0, 1.0]))
    tensor([0.5000, 0.8413])
    """
    return mul_number(add_number(erf(mul_number(input, math.sqrt(0.5))), 1), 0.5)
