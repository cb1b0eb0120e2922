"""Other names of the same functions: `multiply` is `mul`, `arccos` is `acos`.

Read next: common/exports.py
"""

from graphlab.common.public import mark
from graphlab.tensor.functions.pointwise import abs, ge, gt, le, lt, mul, ne, neg, sub
from graphlab.tensor.functions.transcendental import acos, acosh, asin, asinh, atan, atan2, atanh

absolute = abs
multiply = mul
negative = neg
subtract = sub
greater, greater_equal, less, less_equal, not_equal = gt, ge, lt, le, ne
arccos, arccosh, arcsin, arcsinh = acos, acosh, asin, asinh
arctan, arctan2, arctanh = atan, atan2, atanh

mark(
    "absolute arccos arccosh arcsin arcsinh arctan arctanh negative",
    method=True,
    in_place=True,
    out=True,
)
mark(
    "arctan2 greater greater_equal less less_equal not_equal",
    method=True,
    in_place=True,
    out=True,
    operator=True,
)
mark("multiply subtract", method=True, in_place=True, out=True, operator=True)
