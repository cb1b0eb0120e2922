"""Exact numbers: how constants are read, and arithmetic with many digits.

Without a proof the same rules run on numbers of 50 digits: a rounding error is too small to be
taken for a mistake, and no graph is too deep.

Read next: faces/symbolic/interpretation.py
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy
from mpmath.ctx_mp import MPContext

from graphlab.faces.symbolic.live_graph import Tensor
from graphlab.primitives.numpy_reading import matrices
from graphlab.primitives.sympy_reading.object_arrays import fraction

DIGITS = 50
INFINITE = {sympy.S.Infinity: 1, sympy.S.NegativeInfinity: -1}


class OutsideDomain(Exception):
    """A point at which the formula has no real value."""


def context(digits: int = DIGITS) -> Any:
    """Return an mpmath context with this number of digits; mpmath's global one is unchanged."""
    return cached_context(digits)


@cache
def cached_context(digits: int) -> Any:
    """Return one context for each number of digits: numbers of different contexts do not mix."""
    calculator = MPContext()
    calculator.dps = digits
    return calculator


class MpArithmetic:
    """Entries are multiprecision numbers. masked: NaN, which `where` may drop, if there is none."""

    def __init__(self, digits: int = DIGITS, masked: bool = False) -> None:
        self.calculator, self.masked = context(digits), (OutsideDomain,) * masked

    def number(self, value: Any) -> Any:
        calculator = self.calculator
        if isinstance(value, calculator.mpf):
            if calculator.isnan(value):
                raise OutsideDomain
            return value
        if isinstance(value, calculator.mpc):
            raise OutsideDomain
        if isinstance(value, Fraction):
            return calculator.mpf(value.numerator) / value.denominator
        if isinstance(value, sympy.Basic):  # a multiple of π
            return calculator.convert(evaluate(value, {}, calculator.dps))
        return calculator.mpf(value.item() if isinstance(value, np.generic) else value)

    def function(self, name: str, *x: Any) -> Any:
        try:
            return real_function(self.calculator, name, *map(self.number, x))
        except self.masked:
            return self.calculator.nan

    def power(self, x: Any, y: Any) -> Any:
        return self.number(x) ** self.number(y)

    value = number

    def note_choice(self, what: str, tied: bool) -> None:
        """Do nothing: numbers have no notes."""

    def total(self, entries: Sequence[Any]) -> Any:
        return self.calculator.fsum(entries)

    def above(self, x: Any, y: Any) -> Any:
        return self.number(int(self.number(x) > self.number(y)))

    def equal(self, x: Any, y: Any) -> bool:
        return bool(x == y)

    def largest(self, entries: Sequence[Any], sign: int) -> int:
        values = [sign * self.number(x) for x in entries]
        return values.index(max(values))

    def extreme(self, entries: Sequence[Any], sign: int) -> Any:
        return entries[self.largest(entries, sign)]

    def magnitude(self, x: Any) -> Any:
        return abs(self.number(x))

    def direction(self, x: Any) -> Any:
        return self.calculator.sign(self.number(x))

    def larger(self, x: Any, y: Any) -> Any:
        return max(self.number(x), self.number(y))

    def smaller(self, x: Any, y: Any) -> Any:
        return min(self.number(x), self.number(y))

    def factors(self, name: str, A: np.ndarray, *more: Any) -> tuple[np.ndarray, ...]:
        return factors(self.calculator, name, A, *more)

    def eliminate(self, A: np.ndarray) -> tuple[Any, np.ndarray | None]:
        return eliminate(self.calculator, np.frompyfunc(self.number, 1, 1)(A))


def eliminate(calculator: Any, A: np.ndarray) -> tuple[Any, np.ndarray | None]:
    """Return the determinant and the inverse of a matrix, by Gauss-Jordan elimination with pivots.

    The determinant is 0 and the inverse None if the matrix is singular up to rounding.
    """
    n = len(A)
    rows = np.concatenate((A, np.where(np.eye(n, dtype=bool), calculator.mpf(1), 0)), 1)
    least = np.max(np.abs(A)) * calculator.mpf(10) ** (-calculator.dps * 4 // 5)
    size = calculator.mpf(1)
    for k in range(n):
        best = k + int(np.argmax(np.abs(rows[k:, k])))
        if abs(rows[best, k]) <= least:
            return calculator.mpf(0), None
        if best != k:
            rows[[k, best]], size = rows[[best, k]], -size
        size *= rows[k, k]
        rows[k] /= rows[k, k]
        others = np.arange(n) != k
        rows[others] -= np.outer(rows[others, k], rows[k])
    return size, rows[:, n:]


def factors(calculator: Any, name: str, A: np.ndarray, *more: Any) -> tuple[np.ndarray, ...]:
    """Return the factors of a matrix, with the signs that LAPACK chooses in float64."""
    floats = A.astype(np.float64)

    def array(matrix: Any) -> np.ndarray:
        return np.array(matrix.tolist(), object).reshape(matrix.rows, matrix.cols)

    def signs(found: np.ndarray, like: np.ndarray) -> np.ndarray:
        """Return 1 or -1 for each column, so that it gets the direction of the float64 column."""
        agree = np.sum(found.astype(np.float64) * like, 0)
        return np.where(agree < 0, calculator.mpf(-1), calculator.mpf(1))

    if name == "matrix_exp":
        return (array(calculator.expm(calculator.matrix(A.tolist()))),)
    if name == "eigh":
        values, vectors = calculator.eigsy(calculator.matrix(((A + A.T) / 2).tolist()))
        V = array(vectors)
        return array(values)[:, 0], V * signs(V, matrices.eigh(floats, *more)[1])
    if name == "qr":
        likes = matrices.qr(floats, *more)
        if likes[0].size == 0:
            raise OutsideDomain
        n, m = A.shape
        Q, R = map(array, calculator.qr(calculator.matrix(A[:, :n].tolist())))
        Q, R = Q[:, : likes[0].shape[1]], R[: likes[1].shape[0]]
        turn = signs(Q, likes[0])
        if m > n:
            R = np.concatenate((R, Q.T @ A[:, n:]), 1)
        return Q * turn, R * turn[:, None]
    full = more[0] if more else False
    likes = matrices.svd(floats, full)
    U, S, V = calculator.svd_r(calculator.matrix(A.tolist()), full_matrices=full)
    U, S, V = array(U), array(S)[:, 0], array(V)
    k = len(S)
    turn = signs(U[:, :k], likes[0][:, :k])
    U[:, :k] *= turn
    V[:k] *= turn[:, None]
    U[:, k:] *= signs(U[:, k:], likes[0][:, k:])
    V[k:] *= signs(V[k:].T, likes[2][k:].T)[:, None]
    return U, S, V


def real_function(calculator: Any, name: str, *inputs: Any) -> Any:
    """Return a function's value. Raises: OutsideDomain if there is no finite real value.

    At infinity this is the limit, exp(-∞) = 0, because a mask may contain infinite constants.
    """
    x = inputs[0]
    if any(calculator.isinf(each) for each in inputs):
        return limit(calculator, name, inputs)
    if (name == "log" and x <= 0) or (name == "sqrt" and x < 0):
        raise OutsideDomain
    if abs(x) > 1e300 and name in ("exp", "sin", "cos", "tanh", "sinh", "cosh", "gamma"):
        if name == "exp" and x < 0:
            return calculator.mpf(0)
        if name == "tanh":
            return calculator.sign(x)
        raise OutsideDomain
    if name.endswith("rgamma") and x > 100:
        raise calculator.NoConvergence("the series is too long")
    if name == "polygamma":
        inputs = (int(x), *inputs[1:])
    try:
        value = known(calculator, name)(*inputs)
    except ValueError:  # a pole
        raise OutsideDomain from None
    if isinstance(value, calculator.mpc):
        raise OutsideDomain
    return value


def known(calculator: Any, name: str) -> Any:
    """Return mpmath's function for the name of a SymPy function."""
    if name == "lowergamma":
        return lambda a, x: calculator.gammainc(a, 0, x)
    if name == "Heaviside":
        return lambda x, tie: tie if x == 0 else calculator.mpf(x > 0)
    return getattr(calculator, {"Abs": "fabs", "uppergamma": "gammainc"}.get(name, name))


def limit(calculator: Any, name: str, inputs: Sequence[Any]) -> Any:
    """Return the limit of a function at infinity. Raises: OutsideDomain if it has no real one."""
    try:
        value = known(calculator, name)(*inputs)
    except (ValueError, OverflowError, NotImplementedError, TypeError):  # of besseli at infinity
        raise OutsideDomain from None
    if isinstance(value, calculator.mpc) or calculator.isnan(value):
        raise OutsideDomain
    return value


def evaluate(
    expression: sympy.Basic, point: Mapping[Any, Any], digits: int = DIGITS, memo: Any = None
) -> Any:
    """Return the value of a SymPy expression at `point` (symbol -> mpf), each part calculated once.

    Raises: OutsideDomain if it has no real value.
    """
    calculator = context(digits)
    values: dict[Any, Any] = {} if memo is None else memo
    stack = [expression]
    while stack:
        part = stack[-1]
        if part in values:
            stack.pop()
            continue
        if isinstance(part, sympy.Mul) and any(gate(a, point) == 0 for a in part.args):
            values[part] = calculator.mpf(0)  # a branch that is not taken, and may have no value
            stack.pop()
            continue
        waiting = [a for a in part.args if a not in values]
        if waiting and not isinstance(part, sympy.Rational):
            stack.extend(waiting)
            continue
        values[part] = value_of(calculator, part, values, point)
        stack.pop()
    return values[expression]


def gate(part: Any, point: Mapping[Any, Any]) -> Any:
    """Return the value of h or 1 - h, where h is the symbol of a switch; None for anything else."""
    if isinstance(part, sympy.Dummy):
        return point[part]
    if not isinstance(part, sympy.Add) or len(part.args) != 2:
        return None
    number, rest = part.as_coeff_Add()
    factor, symbol = rest.as_coeff_Mul()
    return number + factor * point[symbol] if isinstance(symbol, sympy.Dummy) else None


def value_of(
    calculator: Any, part: Any, values: Mapping[Any, Any], point: Mapping[Any, Any]
) -> Any:
    """Return the value of one part, given the values of its own parts."""
    if isinstance(part, sympy.Symbol):
        return point[part]
    if isinstance(part, sympy.Rational | sympy.Float):
        part = sympy.Rational(part)
        return calculator.mpf(int(part.p)) / int(part.q)
    if part in INFINITE:
        return calculator.mpf("inf") * INFINITE[part]
    inputs = [values[a] for a in part.args]
    if isinstance(part, sympy.Add):
        return calculator.fsum(inputs)
    if isinstance(part, sympy.Mul):
        return calculator.fprod(inputs)
    if isinstance(part, sympy.Pow):
        return power(calculator, *inputs)
    if isinstance(part, sympy.NumberSymbol):
        return calculator.mpf(str(part.evalf(calculator.dps + 5)))
    if isinstance(part, sympy.Max | sympy.Min):
        return max(inputs) if isinstance(part, sympy.Max) else min(inputs)
    if isinstance(part, sympy.Function):
        return real_function(calculator, type(part).__name__, *inputs)
    raise OutsideDomain  # not a real number


def power(calculator: Any, base: Any, exponent: Any) -> Any:
    """Return a power of real numbers. Raises: OutsideDomain if it is infinite or not real."""
    if base == 0 and exponent < 0:
        raise OutsideDomain
    value = base**exponent
    if isinstance(value, calculator.mpc):
        raise OutsideDomain
    return value


# -- constants -------------------------------------------------------------------------------------

# A constant must not prevent a proof, nor silently change. A float32 0.1 is really
# 0.100000001490116...; whoever wrote it meant 1/10. So a short decimal is read as that, and a
# float64 that equals a simple fraction or multiple of π to the last bit as that; the report says
# so. Any other float has its exact binary value, and leaves, which are symbols, keep their values.

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
        shown = []
        for exact, real in list(self.meant.items())[:3]:
            text = f"{float(exact):.12g}"  # 17 digits of 0.01 are the same
            stored = next(far for n in itertools.count(17) if (far := f"{real:.{n}g}") != text)
            shown.append(f"{text} as {str(exact).replace('pi', 'π')} (stored as {stored})")
        kind = "decimals" if all(is_decimal(exact) for exact in self.meant) else "numbers"
        if (count := len(self.meant)) > 3:
            return f"{count} constants are read as exact {kind}, such as {shown[0]}"
        return f"constants are read as exact {kind}: {', '.join(shown)}"


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
