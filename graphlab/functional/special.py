"""The functions of ops/special.py as functions of tensors: `tan(x)`, `erf(x)`.

Read next: functional/words.py
"""

from graphlab.autograd.record import binary, unary
from graphlab.ops import special as s

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
xlogy = binary(s.Xlogy)
