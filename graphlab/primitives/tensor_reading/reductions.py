"""Sums, extremes and running sums of tensors.

Read next: primitives/sympy_reading/reductions.py
"""

# ruff: noqa: F401  (the primitives that tensors have as functions)
from graphlab.tensor.functions.reductions import sum
from graphlab.tensor.functions.statistics import amax, amin, cumprod, cumsum
