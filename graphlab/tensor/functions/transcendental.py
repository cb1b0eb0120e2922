"""Trigonometric functions, exponentials and logarithms of tensors: `tan(x)`, `erf(x)`.

Read next: primitives/table.py
"""

from typing import Any

from graphlab.autograd.operands import is_operand, operand
from graphlab.autograd.record import apply, recorder
from graphlab.common.public import mark, public
from graphlab.ops import exponentials as e
from graphlab.ops import trigonometry as t
from graphlab.tensor.functions.from_ops import function_of
from graphlab.tensor.tensor import Tensor

exp2 = function_of(e.Exp2)
log1p = function_of(e.Log1p)
expm1 = function_of(e.Expm1)
log2 = function_of(e.Log2)
log10 = function_of(e.Log10)
tan = function_of(t.Tan)
asin = function_of(t.Asin)
acos = function_of(t.Acos)
atan = function_of(t.Atan)
sinh = function_of(t.Sinh)
cosh = function_of(t.Cosh)
asinh = function_of(t.Asinh)
acosh = function_of(t.Acosh)
atanh = function_of(t.Atanh)
erf = function_of(e.Erf)
erfc = function_of(e.Erfc)
atan2 = function_of(t.Atan2)
hypot = function_of(t.Hypot)
logaddexp = function_of(e.Logaddexp)
arccos, arccosh, arcsin, arcsinh = acos, acosh, asin, asinh
arctan, arctan2, arctanh = atan, atan2, atanh
mark("arccos arccosh arcsin arcsinh arctan arctanh", method=True, in_place=True, out=True)
mark("arctan2", method=True, in_place=True, out=True, operator=True)
_xlogy = recorder(e.Xlogy, operator=True)


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
