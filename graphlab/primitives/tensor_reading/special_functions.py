"""Special functions of tensors.

Read next: primitives/sympy_reading/special_functions.py
"""

# ruff: noqa: F401  (the primitives that tensors have as functions)
from graphlab.tensor.functions.probability import (
    digamma,
    erfinv,
    i0,
    i0e,
    i1,
    i1e,
    lgamma,
    polygamma,
)
from graphlab.tensor.functions.transcendental import erf, erfc
