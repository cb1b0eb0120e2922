"""Floats as exact numbers: a constant must not prevent a proof, nor silently change.

A float32 0.1 is really 0.100000001490116...; whoever wrote it meant 1/10. A float that is a short
decimal is read as that decimal, and the report says so; any other has its exact binary value.
Leaves are never read this way: they are symbols, and their values stay as they are.

Read next: faces/symbolic/mp_arithmetic.py
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from graphlab.faces.symbolic.live_graph import Tensor

# a decimal with at most so many significant digits is short
SHORT = {np.dtype(np.float16): 3, np.dtype(np.float32): 6, np.dtype(np.float64): 12}


@dataclass(slots=True)
class ExactConstants:
    """How the constants of a graph are read; `decimals` holds those that are read as decimals."""

    decimals: dict[Fraction, float] = field(default_factory=dict)  # 1/10: 0.10000000149011612

    def number(self, value: Any) -> Any:
        """The exact value: an int or a Fraction; inf, nan and bool stay.

        >>> ExactConstants().number(np.float32(0.1))
        Fraction(1, 10)
        >>> ExactConstants().number(2.0), ExactConstants().number(np.float32(1 / 3)).denominator
        (2, 33554432)
        """
        if isinstance(value, bool | np.bool_):
            return bool(value)
        if isinstance(value, Fraction):
            return value
        if isinstance(value, int | np.integer):
            return int(value)
        real = float(value)
        if not math.isfinite(real):
            return real
        if real.is_integer() and abs(real) < 1e15:
            return int(real)
        kind = value.dtype if isinstance(value, np.floating) else np.dtype(np.float64)
        text = np.format_float_scientific(value if isinstance(value, np.floating) else real)
        digits = text.partition("e")[0].replace(".", "").strip("-0")
        if len(digits) > SHORT.get(kind, 12):
            return Fraction(real)
        decimal = Fraction(text.replace(".e", "e"))
        if decimal != Fraction(real):
            self.decimals[decimal] = real
        return decimal

    def data(self, value: Any) -> Any:
        """A constant input as exact data: a tensor as an array of numbers, a number as a number.

        Arrays of bool stay: they select, they are not calculated with.
        """
        raw = value._data if isinstance(value, Tensor) else value
        if raw is None or (isinstance(raw, np.ndarray) and raw.dtype == np.bool_):
            return raw
        if not isinstance(raw, np.ndarray):
            return self.number(raw)
        out = np.empty(raw.shape, object)
        for place in np.ndindex(raw.shape):
            out[place] = self.number(raw[place])
        return out if out.ndim else out[()]

    @property
    def sentence(self) -> str:
        """The note in the report; "" when every constant is exactly what it looks like."""
        if not self.decimals:
            return ""
        shown = [
            f"{float(decimal):.12g} as {decimal} (stored as {real:.17g})"
            for decimal, real in list(self.decimals.items())[:3]
        ]
        more = len(self.decimals) - len(shown)
        note = "constants are read as exact decimals: " + ", ".join(shown)
        return f"{note} and {more} more" if more else note
