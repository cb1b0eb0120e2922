"""Normal numbers from uniform ones, by the Box-Muller transform, in blocks of 16.

With a uniform radius u and a uniform angle v, √(-2 log(1-u)) · cos 2πv and · sin 2πv are normal.
PyTorch computes float32 in vectors, with polynomials for log, sin and cos; here they are again,
step by step, because one that differs in the last digit would give other numbers.

Source: PyTorch, aten/src/ATen/native/cpu/avx_mathfun.h and DistributionTemplates.h; the polynomials
are those of the Cephes library.

Read next: tensor/random/generator.py
"""

from typing import Any

import numpy as np

single, double = np.float32, np.float64


def rounded(*numbers: float) -> list[Any]:
    """Return numbers of float32 as 0-d arrays of float64, which NumPy adds fastest."""
    return [np.array(number, double) for number in np.array(numbers, single)]


LOG = rounded(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
LOG_2 = rounded(-2.12194440e-4, 0.693359375)  # log 2 as a small part and a short one
COS = rounded(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
SIN = rounded(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
BOTH = np.array([COS, SIN]).T.reshape(3, 2, 1, 1)  # for blocks of 8
LESS = rounded(-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)  # -π/4 in parts
TURNS = np.array([2, 0], np.int32).reshape(2, 1, 1)  # the cosine is two octants ahead
SIGNS = np.array([1, 1, 1, 1, -1, -1, -1, -1], single)  # of the sine in each octant
BLOCK = 32768  # so many numbers fit into a processor's cache


def fused(a: Any, b: Any, c: Any) -> Any:
    """Return a·b + c, rounded once, as a processor's fused multiply-add does; a, b: float64."""
    wide = a * b
    wide += c
    return wide.astype(single)


def polynomial(x: Any, coefficients: Any) -> Any:
    """Return c₀ xⁿ + ... + cₙ, by Horner's rule; for pairs of coefficients, both values."""
    y, wide = coefficients[0], x.astype(double)
    for c in coefficients[1:]:
        y = fused(wide, y.astype(double), c)
    return y


def log(x: np.ndarray) -> np.ndarray:
    """Return the logarithm of float32 numbers in (0, 1]."""
    mantissa, exponent = np.frexp(x)
    small = (mantissa < 0.707106781186547524).astype(single)
    e = exponent.astype(single) - small
    x = mantissa - 1 + mantissa * small
    z = x * x
    y = polynomial(x, LOG) * x
    e = e.astype(double)
    y = fused(y.astype(double), z.astype(double), (e * LOG_2[0]).astype(single)) - z * 0.5
    return fused(e, LOG_2[1], x + y)


def cos_and_sin(x: np.ndarray) -> np.ndarray:
    """Return the cosine and the sine of float32 angles ≥ 0, reduced to the first octant."""
    octant = ((x * 1.27323954473516).astype(np.int32) + 1) & ~1
    octants = octant.astype(double)
    for part in LESS:
        x = fused(octants, part, x)
    z = x * x
    cos, sin = (polynomial(z, BOTH) * z).astype(double)
    x, z = x.astype(double), z.astype(double)
    both = np.array([fused(cos, z, z * -0.5) + 1, fused(sin, x, x)])
    both = np.where(octant & 2, both[::-1], both)
    return both * SIGNS[(octant + TURNS) & 7]


def box_muller(u: np.ndarray) -> np.ndarray:
    """Turn uniform numbers into normal ones, in blocks of 16: 8 radii, then 8 angles."""
    if u.size > BLOCK:
        parts = [box_muller(u[start : start + BLOCK]) for start in range(0, u.size, BLOCK)]
        return np.concatenate(parts)
    blocks, narrow = u.reshape(-1, 2, 8), u.dtype == single
    radius = np.sqrt(-2 * (log if narrow else np.log)(1 - blocks[:, 0]))
    angle = 2 * np.pi * blocks[:, 1]
    both = cos_and_sin(angle) if narrow else np.array([np.cos(angle), np.sin(angle)])
    return (radius * both).transpose(1, 0, 2).reshape(-1)
