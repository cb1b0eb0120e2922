"""Special functions that NumPy lacks, computed in float64 to full precision.

Every function keeps the type of its argument, an array or a NumPy scalar.

Read next: ops/probability.py
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Data = Any  # np.ndarray, or a NumPy scalar for 0-d data
# the Bernoulli numbers B₂, B₄, …, the coefficients of the series for large arguments
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
LARGE = 10.0  # from here on, eight terms of these series give 16 digits


def entrywise(function: Callable[[float], float]) -> Callable[[Data], Data]:
    """Return a function of one float as a function of arrays, which keeps their type."""
    each = np.frompyfunc(function, 1, 1)

    def call(x: Data) -> Data:
        kind: Any = np.result_type(x, np.float16)
        found: Any = each(x)
        return found.astype(kind)[()] if hasattr(found, "astype") else kind.type(found)

    return call


def in_float64(function: Callable[..., Any]) -> Callable[..., Data]:
    """Return a function of float64 arrays as one for any floating type and shape, silently."""

    def call(*inputs: Data) -> Data:
        *options, x = inputs
        with np.errstate(all="ignore"):
            found = function(*options, np.atleast_1d(np.asarray(x, np.float64)))
        return found.reshape(np.shape(x)).astype(x.dtype)[()]

    call.__name__ = function.__name__
    call.__doc__ = function.__doc__
    return call


def _log_gamma(x: float) -> float:
    if x == math.inf or x == -math.inf:
        return math.inf
    try:
        return math.lgamma(x)
    except ValueError:  # 0, -1, -2, ...
        return math.inf


_each_erf = entrywise(math.erf)
ERF_TOP = (
    -2.72614225801306e-10, 2.77068142495902e-8, -2.10102402082508e-6, -5.69250639462346e-5,
    -7.34990630326855e-4, -2.95459980854025e-3, -1.60960333262415e-2,
)  # fmt: skip
ERF_BOTTOM = (
    -1.45660718464996e-5, -2.13374055278905e-4, -1.68282697438203e-3, -7.37332916720468e-3,
    -1.42647390514189e-2,
)  # fmt: skip


def erf(x: Data) -> Data:
    """2/√π ∫ exp(-t²) dt from 0 to x; of float32 arrays as a quotient of two polynomials.

    Source: Eigen, unsupported/Eigen/src/SpecialFunctions, erf for float.
    """
    if type(x) is not np.ndarray or x.dtype != np.float32:
        return _each_erf(x)
    near = np.clip(x, -4, 4).astype(np.float64)  # from ±4 on, erf is ±1 in float32
    return (near * _horner(ERF_TOP, near * near) / _horner(ERF_BOTTOM, near * near)).astype(x.dtype)


def _horner(coefficients: tuple[float, ...], x: np.ndarray) -> np.ndarray:
    """c₀ xⁿ + ... + cₙ."""
    found = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        found *= x
        found += c
    return found


erfc = entrywise(math.erfc)
lgamma = entrywise(_log_gamma)


@in_float64
def digamma(x: np.ndarray) -> np.ndarray:
    """ψ(x) = d/dx log Γ(x).

    Source: Abramowitz and Stegun, 6.3.5 (one step), 6.3.7 (reflection), 6.3.18 (large x).
    """
    turned = x < 0.5
    up = np.where(turned, 1 - x, x)
    found = np.zeros_like(up)
    for _ in range(int(LARGE)):  # ψ(x) = ψ(x + 1) - 1/x
        small = up < LARGE
        found -= np.where(small, 1 / up, 0)
        up = np.where(small, up + 1, up)
    found += np.log(up) - 1 / (2 * up)
    for k, b in enumerate(BERNOULLI, 1):
        found -= b / (2 * k * up ** (2 * k))
    whole = x - np.round(x)  # π times this is accurate, π x of a large x is not
    found = np.where(turned, found - np.pi / np.tan(np.pi * whole), found)
    found = np.where(turned & (whole == 0), np.nan, found)  # the poles
    return np.where(x == 0, np.copysign(np.inf, -x), found)


def zeta(s: int, q: np.ndarray) -> np.ndarray:
    """Σ 1/(q + k)ˢ over k = 0, 1, 2, …, for a whole s > 1.

    For q ≤ 0 the terms below 0 sum up to (-1)ˢ times the difference of two such series.
    Source: Euler and Maclaurin; DLMF 25.11.28.
    """
    low = q <= 0
    below = np.floor(np.where(low, -q, 0))  # how many whole steps lie between q and 0
    right = _zeta_above(s, np.where(low, q + below + 1, q))
    left = _zeta_above(s, np.where(low, -q - below, 1)) - _zeta_above(s, np.where(low, 1 - q, 2))
    found = np.where(low, (-1) ** s * left + right, right)
    return np.where(low & (q == np.floor(q)), np.inf, found)


def _zeta_above(s: int, q: np.ndarray) -> np.ndarray:
    found, up = np.zeros_like(q), q
    for _ in range(int(LARGE)):
        found = found + up ** (-s)
        up = up + 1
    found = found + up ** (1.0 - s) / (s - 1) + up ** (-s) / 2
    factor = 1.0
    for k, b in enumerate(BERNOULLI, 1):
        rising = s if k == 1 else (s + 2 * k - 3) * (s + 2 * k - 2)
        factor *= rising / ((2 * k - 1) * (2 * k))  # s (s + 1) … (s + 2k - 2) / (2k)!
        found = found + b * factor * up ** (-s - 2.0 * k + 1)
    return found


@in_float64
def polygamma(n: int, x: np.ndarray) -> np.ndarray:
    """The n-th derivative of ψ: (-1)ⁿ⁺¹ n! ζ(n + 1, x)."""
    if n == 0:
        return digamma(x)
    found = (-1) ** (n + 1) * math.gamma(n + 1) * zeta(n + 1, x)
    return np.where(x == -np.inf, np.nan, found) if n == 1 else found  # it has no limit there


HUGE = 1e5  # from here on the expansion for a large a is exact enough, and a series too long


def _shares_of_gamma(a: float, x: float) -> tuple[float, float]:
    """The shares of Γ(a) = ∫ tᵃ⁻¹ e⁻ᵗ dt below x and above x.

    Source: DLMF 8.11.4 (a series, for x < a + 1), 8.9.2 (a continued fraction, else), 8.12.3 (large
    a), 5.11.1 (Stirling's series, where log Γ(a) would lose digits).
    """
    if a < 0 or x < 0 or (a == x and a in (0, math.inf)):
        return math.nan, math.nan
    if x == 0 or a == math.inf:
        return 0.0, 1.0
    if x == math.inf or (a == 0 and x == x):
        return 1.0, 0.0
    if a != a or x != x:
        return math.nan, math.nan
    off = (x - a) / a
    near = abs(off) < 0.5
    fall = off - (math.log1p(off) if near else math.log(x) - math.log(a))
    if a < LARGE:
        front = math.exp(a * math.log(x) - x - math.lgamma(a))  # xᵃ e⁻ˣ / Γ(a)
    else:
        rest = sum(b * a ** (1 - 2 * k) / (2 * k * (2 * k - 1)) for k, b in enumerate(BERNOULLI, 1))
        front = math.exp(-a * fall - rest) * math.sqrt(a / (2 * math.pi))
    if a > HUGE:
        eta = math.copysign(math.sqrt(2 * fall), off)
        skew = 1 / off - 1 / eta if abs(off) > 1e-4 else off / 12 - 1 / 3
        more = math.exp(-a * fall) / math.sqrt(2 * math.pi * a) * skew
        wide = eta * math.sqrt(a / 2)
        return math.erfc(-wide) / 2 - more, math.erfc(wide) / 2 + more
    if x < a + 1:
        term = below = 1 / a
        up = a
        while term > below * 1e-17:
            up += 1
            term *= x / up
            below += term
        return front * below, 1 - front * below
    fraction = 0.0
    for k in range(int(20 + 10 * math.sqrt(a) + 200 / x), 0, -1):  # from the innermost fraction out
        fraction = k * (a - k) / (x + 2 * k + 1 - a + fraction)
    above = front / (x + 1 - a + fraction)
    return 1 - above, above


def of_two_entries(function: Callable[[float, float], float]) -> Callable[[Data, Data], Data]:
    """A function of two floats for whole arrays, in their own type."""
    each = np.frompyfunc(function, 2, 1)

    def call(a: Data, x: Data) -> Data:
        with np.errstate(all="ignore"):
            return np.asarray(each(a, x), dtype=np.result_type(a, x))[()]

    return call


igamma = of_two_entries(lambda a, x: _shares_of_gamma(float(a), float(x))[0])
igammac = of_two_entries(lambda a, x: _shares_of_gamma(float(a), float(x))[1])


NEAR = 20.0  # below it the power series is summed, from there on the expansion for large x
TERMS = 60  # of the series; the next term is below 1e-17 of the sum


def scaled_bessel(n: int, x: np.ndarray) -> np.ndarray:
    """exp(-|x|) Iₙ(x), with the modified Bessel function of the first kind, for a whole n ≥ 0.

    Source: Abramowitz and Stegun, 9.6.10 (all terms have one sign), 9.7.1 (large x).
    """
    size = np.abs(x)
    near, far = np.minimum(size, NEAR), np.maximum(size, NEAR)
    series = term = (near / 2) ** n / math.factorial(n)
    falling = part = np.ones_like(far)
    for k in range(1, TERMS):
        term = term * (near / 2) ** 2 / (k * (k + n))
        series = series + term
        if k < NEAR:
            part = part * ((2 * k - 1) ** 2 - 4 * n * n) / (8 * k * far)
            falling = falling + part
    found = np.where(size < NEAR, series * np.exp(-near), falling / np.sqrt(2 * np.pi * far))
    return found * np.sign(x) ** n


@in_float64
def i0(x: np.ndarray) -> np.ndarray:
    """The modified Bessel function of order 0, the solution of x y″ + y′ = x y that is 1 at 0."""
    return np.exp(np.abs(x) / 2) * scaled_bessel(0, x) * np.exp(np.abs(x) / 2)


@in_float64
def i0e(x: np.ndarray) -> np.ndarray:
    """exp(-|x|) i0(x), which does not overflow."""
    return scaled_bessel(0, x)


@in_float64
def i1(x: np.ndarray) -> np.ndarray:
    """The modified Bessel function of order 1, the derivative of i0."""
    return np.exp(np.abs(x) / 2) * scaled_bessel(1, x) * np.exp(np.abs(x) / 2)


@in_float64
def i1e(x: np.ndarray) -> np.ndarray:
    """exp(-|x|) i1(x), which does not overflow."""
    return scaled_bessel(1, x)


@in_float64
def erfinv(x: np.ndarray) -> np.ndarray:
    """The y with erf(y) = x: a guess, improved by three steps of Newton's method.

    Source of the guess: S. Winitzki, A handy approximation for the error function, 2008.
    """
    outside = np.abs(x) > 1
    inner = np.where(outside | (np.abs(x) == 1), 0, x)
    share = np.log1p(-inner) + np.log1p(inner)
    half = 2 / (math.pi * 0.147) + share / 2
    y = np.copysign(np.sqrt(np.sqrt(half * half - share / 0.147) - half), inner)
    for _ in range(3):
        y = y - _distance(y, inner) * np.exp(y * y) * (math.sqrt(math.pi) / 2)
    y = np.where(np.abs(x) == 1, x * np.inf, y)
    return np.where(outside, np.nan, y)


def _distance(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """erf(y) - x; near ±1 from erfc, because 1 - erf(y) has no correct digits there."""
    far = np.sign(x) * ((1 - np.abs(x)) - erfc(np.abs(y)))
    return np.where(np.abs(x) < 0.5, erf(y) - x, far)


@in_float64
def erfcx(x: np.ndarray) -> np.ndarray:
    """exp(x²) erfc(x); for large x by the continued fraction 1/(x + ½/(x + 1/(x + …))) / √π."""
    large = x > 5
    far = np.where(large, x, 5)
    tail = far
    for k in range(60, 0, -1):
        tail = far + k / 2 / tail
    near = np.where(large, 0, x)
    return np.where(large, 1 / (tail * math.sqrt(math.pi)), np.exp(near * near) * erfc(near))


@in_float64
def ndtri(p: np.ndarray) -> np.ndarray:
    """The quantile Φ⁻¹(p) of the standard normal distribution.

    In the tails Newton's method solves log Φ(x) = log p, which loses no digits for a small p.
    """
    middle = np.sqrt(2) * erfinv(2 * p - 1)
    tail = np.where(p < 0.5, p, 1 - p)
    small = (tail > 0) & (tail < 0.25)
    target = np.log(np.where(small, tail, 0.25))
    x = -np.sqrt(-2 * target)
    for _ in range(8):
        value = log_ndtr(x)
        slope = np.exp(-x * x / 2 - value) / math.sqrt(2 * math.pi)
        x = x - (value - target) / slope
    return np.where(small, np.where(p < 0.5, x, -x), middle)


@in_float64
def log_ndtr(x: np.ndarray) -> np.ndarray:
    """log Φ(x), with the cumulative distribution function Φ of the standard normal distribution."""
    t = x / math.sqrt(2)
    below = np.log(erfcx(np.where(x < -1, -t, 1)) / 2) - t * t
    above = np.log1p(-erfc(np.where(x < -1, 0, t)) / 2)
    return np.where(x < -1, below, above)
