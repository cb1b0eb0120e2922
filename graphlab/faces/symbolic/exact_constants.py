"""Floats as exact numbers: a constant must not prevent a proof, nor silently change.

A float32 0.1 is really 0.100000001490116...; whoever wrote it meant 1/10. So a short decimal is
read as that, and a float64 that equals a simple fraction or multiple of π to the last bit as that;
the report says so. Any other float has its exact binary value, and leaves, which are symbols, keep
their values.

Read next: faces/symbolic/mp_arithmetic.py
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from graphlab.faces.symbolic.live_graph import Tensor
from graphlab.primitives.sympy_reading.object_arrays import fraction

# a short decimal has at most this number of significant digits
SHORT = {np.dtype(np.float16): 3, np.dtype(np.float32): 6, np.dtype(np.float64): 12}


@dataclass(slots=True)
class ExactConstants:
    """How the constants of a graph are read. meant: the stored value of each that is read anew."""

    meant: dict[Any, float] = field(default_factory=dict)  # 1/10: 0.10000000149011612

    def number(self, value: Any) -> Any:
        """Return the exact value: an int, a Fraction or a multiple of π; inf, NaN and bool stay.

        >>> ExactConstants().number(np.float32(0.1))
        Fraction(1, 10)
        >>> ExactConstants().number(2.0), ExactConstants().number(np.float32(1 / 3)).denominator
        (2, 33554432)
        >>> ExactConstants().number(1 / 3), ExactConstants().number(math.pi / 2)
        (Fraction(1, 3), pi/2)
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
            exact = simple(real) if kind == np.float64 else Fraction(real)
        else:
            exact = Fraction(text.replace(".e", "e"))
        if exact != Fraction(real):
            self.meant[exact] = real
        return exact

    def data(self, value: Any) -> Any:
        """Return a constant input as exact numbers, in the same shape.

        Arrays of bool stay: they select entries, and are not calculated with.
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
        if not self.meant:
            return ""
        shown = [
            f"{float(exact):.12g} as {str(exact).replace('pi', 'π')} (stored as {real:.17g})"
            for exact, real in list(self.meant.items())[:3]
        ]
        more = len(self.meant) - len(shown)
        decimals = all(is_decimal(exact) for exact in self.meant)
        note = f"constants are read as exact {'decimals' if decimals else 'numbers'}: "
        note += ", ".join(shown)
        return f"{note} and {more} more" if more else note


def simple(real: float) -> Any:
    """Return the simple fraction or multiple of π that equals a float64, or its exact value.

    >>> simple(2 / 3), simple(math.pi / 180), simple(math.sqrt(2)).denominator
    (Fraction(2, 3), pi/180, 4503599627370496)
    """
    turns = Fraction(real / math.pi).limit_denominator(360)
    if 0 < abs(turns.numerator) <= 12 and turns.numerator * math.pi / turns.denominator == real:
        return sympy.Rational(turns.numerator, turns.denominator) * sympy.pi
    return fraction(real)


def is_decimal(exact: Any) -> bool:
    """Return whether a number has finitely many decimals."""
    return isinstance(exact, Fraction) and 10**40 % exact.denominator == 0
