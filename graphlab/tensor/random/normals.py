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

single = np.float32

LOG = np.array([
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
], single)  # fmt: skip
LOG_2 = (-2.12194440e-4, 0.693359375)  # log 2 as a small part and a short one
COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
BOTH = np.array([COS, SIN], single).T.reshape(3, 2, 1, 1)  # for blocks of 8
QUARTER_PI = (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)  # π/4 in three parts


def fused(a: Any, b: Any, c: Any) -> Any:
    """Return a·b + c, rounded once, as a processor's fused multiply-add does."""
    wide = np.multiply(a, b, dtype=np.float64)
    wide += c
    return wide.astype(single)


def polynomial(x: Any, coefficients: Any) -> Any:
    """Return c₀ xⁿ + ... + cₙ, by Horner's rule; for pairs of coefficients, both values."""
    y, wide = coefficients[0], x.astype(np.float64)
    for c in coefficients[1:]:
        y = fused(y, wide, c)
    return y


def log(x: np.ndarray) -> np.ndarray:
    """Return the logarithm of float32 numbers in (0, 1]."""
    mantissa, exponent = np.frexp(x)
    small = mantissa < single(0.707106781186547524)
    e = np.where(small, exponent - 1, exponent).astype(single)
    x = np.where(small, mantissa + (mantissa - single(1)), mantissa - single(1))
    z = x * x
    y = polynomial(x, LOG) * x
    y = fused(y, z, e * single(LOG_2[0])) - z * single(0.5)
    return fused(e, single(LOG_2[1]), x + y)


def sin_and_cos(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sine and the cosine of float32 angles ≥ 0, reduced to the first octant."""
    octant = ((x * single(1.27323954473516)).astype(np.int32) + 1) & ~1
    for part in QUARTER_PI:
        x = fused(octant.astype(single), single(-part), x)
    z = x * x
    cos, sin = polynomial(z, BOTH) * z
    cos = fused(cos, z, -(z * single(0.5))) + single(1)
    sin = fused(sin, x, x)
    swapped = octant & 2 != 0
    s, c = np.where(swapped, cos, sin), np.where(swapped, sin, cos)
    return np.where(octant & 4 != 0, -s, s), np.where((octant + 2) & 4 != 0, -c, c)


def box_muller(u: np.ndarray) -> np.ndarray:
    """Turn uniform numbers into normal ones, in blocks of 16: 8 radii, then 8 angles."""
    blocks = u.reshape(-1, 2, 8)
    if u.dtype == np.float32:
        radius = np.sqrt(single(-2) * log(single(1) - blocks[:, 0]))
        sin, cos = sin_and_cos(blocks[:, 1] * single(2 * np.pi))
    else:
        radius = np.sqrt(-2 * np.log(1 - blocks[:, 0]))
        angle = 2 * np.pi * blocks[:, 1]
        sin, cos = np.sin(angle), np.cos(angle)
    return np.stack([radius * cos, radius * sin], axis=1).reshape(-1)
