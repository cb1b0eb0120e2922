"""The functions of ops/probability.py as functions of tensors: `lgamma(x)`, `logit(p)`.

Read next: tensor/functions/aliases.py
"""

import math
from typing import Any

from graphlab.autograd.operands import operand
from graphlab.autograd.record import apply, recorder
from graphlab.common.dtypes import float64
from graphlab.ops import probability as q
from graphlab.tensor.functions.from_ops import function_of
from graphlab.tensor.functions.pointwise import pow
from graphlab.tensor.functions.scalars import add_number, mul_number
from graphlab.tensor.functions.special import erf, with_one_number
from graphlab.tensor.tensor import Tensor

lgamma = function_of(q.Lgamma)
digamma = function_of(q.Digamma)
erfinv = function_of(q.Erfinv)
sinc = function_of(q.Sinc)
rad2deg = function_of(q.Rad2deg)
deg2rad = function_of(q.Deg2rad)
entr = recorder(q.SpecialEntr)
erfcx = recorder(q.SpecialErfcx)
ndtri = recorder(q.SpecialNdtri)
log_ndtr = recorder(q.SpecialLogNdtr)
logaddexp2 = function_of(q.Logaddexp2)
ldexp = function_of(q.Ldexp)
_xlog1py = recorder(q.SpecialXlog1py, operator=True)


def polygamma(n: int, input: Tensor) -> Tensor:
    """The n-th derivative of the digamma function, n ≥ 0. input: (...) -> (...).

    Raises: RuntimeError for a negative n, TypeError for one that is not whole.
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


def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the Γ function of `p` dimensions. Raises: RuntimeError for p < 1."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if input._data.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    return apply(q.Mvlgamma, input, p=p)


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log (p / (1 - p)); with `eps`, p is first held in [eps, 1 - eps]. input: (...) -> (...).

    >>> import graphlab as torch
    >>> logit(torch.tensor([0.5, 0.8]))
    tensor([0.0000, 1.3863])
    """
    return apply(q.Logit, input, eps=eps)


def xlog1py(input: Any, other: Any) -> Tensor:
    """input · log(1 + other), and 0 where `input` is 0; either side may be a number."""
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        return _xlog1py(input, other)
    with_one_number("special_xlog1py", input, other)
    if isinstance(input, Tensor):
        return apply(q.SpecialXlog1pyOther, input, other=operand(other))
    return apply(q.SpecialXlog1pySelf, other, self=operand(input))


def float_power(input: Any, exponent: Any) -> Tensor:
    """A power, worked out in float64; either side may be a number."""
    sides = (x.to(float64) if isinstance(x, Tensor) else float(x) for x in (input, exponent))
    return pow(*sides)


def ndtr(input: Tensor) -> Tensor:
    """The share of a normal distribution that lies below x. input: (...) -> (...)."""
    return mul_number(add_number(erf(mul_number(input, math.sqrt(0.5))), 1), 0.5)
