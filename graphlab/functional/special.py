"""The functions of ops/special.py as functions of tensors: `tan(x)`, `erf(x)`.

Read next: functional/words.py
"""

from typing import Any

from graphlab.autograd.record import binary, unary
from graphlab.dtypes import get_default_dtype
from graphlab.ops import special as s
from graphlab.tensor import Tensor, wrap

exp2 = unary(s.Exp2)
expm1 = unary(s.Expm1)
log2 = unary(s.Log2)
log10 = unary(s.Log10)
tan = unary(s.Tan)
asin = unary(s.Asin)
acos = unary(s.Acos)
atan = unary(s.Atan)
sinh = unary(s.Sinh)
cosh = unary(s.Cosh)
asinh = unary(s.Asinh)
acosh = unary(s.Acosh)
atanh = unary(s.Atanh)
erf = unary(s.Erf)
erfc = unary(s.Erfc)
atan2 = binary(s.Atan2)
hypot = binary(s.Hypot)
logaddexp = binary(s.Logaddexp)
_xlogy = binary(s.Xlogy)


def xlogy(input: Any, other: Any) -> Tensor:
    """input · log(other), and 0 where `input` is 0; either side may be a number."""
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        return _xlogy(input, other)
    beside = input if isinstance(input, Tensor) else other
    kind = get_default_dtype().numpy if beside._data.dtype.kind != "f" else beside._data.dtype
    sides = (
        x if isinstance(x, Tensor) else wrap(kind.type(x), False, None) for x in (input, other)
    )
    return _xlogy(*sides)
